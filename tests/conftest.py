from __future__ import annotations

import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from projects import Project


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Project]:
    """An empty folder as the working directory; `run` takes over signals, which are given back."""
    monkeypatch.chdir(tmp_path)
    kept = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    yield Project(tmp_path)
    for number, handler in kept.items():
        signal.signal(number, handler)
