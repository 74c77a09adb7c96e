"""Writing what holds audited text: private, and whole or not at all."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from appliance.errors import StoreError


def write_private(path: Path, text: str) -> None:
    """Write `text` as UTF-8 with mode 0600, by renaming a finished temporary file into place."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
        try:
            with os.fdopen(descriptor, "w", encoding="utf-8", newline="") as file:
                file.write(text)
            Path(name).replace(path)
        except BaseException:
            Path(name).unlink(missing_ok=True)
            raise
    except OSError as error:
        raise StoreError(
            f"{path}: cannot be written: {error.strerror}", "Free disk space or name another file with -o."
        ) from None
