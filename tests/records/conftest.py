from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from appliance.domain.records import RecordSet
from appliance.records.readers import read_records

Write = Callable[[str, str | bytes], Path]
Read = Callable[..., RecordSet]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Write a file of exactly these bytes (a string as UTF-8, its line ends as they are)."""

    def write_file(name: str, content: str | bytes) -> Path:
        path = tmp_path / name
        path.write_bytes(content.encode("utf-8") if isinstance(content, str) else content)
        return path

    return write_file


@pytest.fixture
def read(write: Write) -> Read:
    """Write a file and read it, with one default dimension."""

    def read_file(
        name: str,
        content: str | bytes,
        columns: dict[str, str] | None = None,
        identity_columns: dict[str, str] | None = None,
        default_dimensions: tuple[str, ...] = ("gender",),
    ) -> RecordSet:
        return read_records(write(name, content), columns or {}, identity_columns or {}, default_dimensions)

    return read_file
