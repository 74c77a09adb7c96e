"""Published data that lie beside the checkout; a user's clone has none."""

from __future__ import annotations

from pathlib import Path

import pytest

FOLDER = Path(__file__).resolve().parents[3] / "shared" / "data"


def shared(path: str) -> Path:
    """A file of the shared data; skips the test, with the reason, where the folder is absent."""
    if not FOLDER.is_dir():
        pytest.skip("the published data sets are not beside this checkout")
    return FOLDER / path
