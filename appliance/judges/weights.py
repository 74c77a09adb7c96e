"""The identity of a model on this machine: every file of its directory with size and SHA-256."""

from __future__ import annotations

import fcntl
import hashlib
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from pydantic import ValidationError

from appliance.domain.base import digest
from appliance.domain.models import WeightFile, WeightsLock
from appliance.errors import ModelError

LOCK = "weights.lock.json"


def file_sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def lock_weights(
    directory: Path, model: str, source: str, converted_with: dict[str, str] | None = None
) -> WeightsLock:
    """Hash every file of `directory` and write the lock file into it."""
    files = tuple(
        WeightFile(path=path.name, size=path.stat().st_size, sha256=file_sha256(path))
        for path in sorted(directory.iterdir())
        if path.name != LOCK
    )
    lock = WeightsLock(model=model, files=files, source=source, converted_with=converted_with or {})
    _write_atomically(directory / LOCK, lock.model_dump_json(indent=2) + "\n")
    return lock


def read_lock(directory: Path) -> WeightsLock:
    """The lock file, unchecked against the files. ModelError when there are no weights."""
    path = directory / LOCK
    try:
        return WeightsLock.model_validate_json(path.read_bytes())
    except (FileNotFoundError, NotADirectoryError):
        missing = f"no weights in {directory}" if not directory.is_dir() else f"{path}: no such file"
        raise ModelError(missing, _get_weights(directory)) from None
    except (ValidationError, OSError) as error:
        reason = error.strerror if isinstance(error, OSError) else "not a lock file"
        raise ModelError(f"{path}: {reason}", _replace(directory)) from None


def verify_weights(directory: Path, *, hashes: bool = True) -> WeightsLock:
    """Check that exactly the locked files are there, unchanged. Without `hashes`, only sizes count."""
    lock = read_lock(directory)
    present = {path.name: path for path in directory.iterdir() if path.name != LOCK}
    listed = {file.path for file in lock.files}
    for name in sorted(present.keys() - listed):
        raise ModelError(
            f"{present[name]}: not in {LOCK}; a model's directory holds its own files only",
            "Move it elsewhere; if it belongs to the model, import the model anew.",
        )
    for file in lock.files:
        _verify_file(directory, file, hashes)
    return lock


def weights_digest(lock: WeightsLock) -> str:
    """One SHA-256 for the whole model: over path, size and hash of its files, whatever their order."""
    return digest(sorted([file.path, file.size, file.sha256] for file in lock.files))


@contextmanager
def staged(target: Path) -> Iterator[Path]:
    """A fresh directory beside `target` that becomes `target` on success and vanishes on failure.

    Only one process at a time fills that folder, so what a killed one left behind can be removed."""
    target.parent.mkdir(parents=True, exist_ok=True)
    with _alone_in(target.parent):
        if target.exists():
            raise ModelError(f"{target} exists already", _replace(target))
        for leftover in target.parent.glob(f".{target.name}.partial-*"):
            shutil.rmtree(leftover)
        partial = Path(tempfile.mkdtemp(prefix=f".{target.name}.partial-", dir=target.parent))
        try:
            yield partial
            partial.chmod(0o755)
            partial.rename(target)
        finally:
            shutil.rmtree(partial, ignore_errors=True)


@contextmanager
def _alone_in(folder: Path) -> Iterator[None]:
    """The folder itself is locked: no lock file to leave behind, and the kernel releases it at any death."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield
    except BlockingIOError:
        raise ModelError(
            f"{folder}: another process is adding a model", "Wait until that process has ended."
        ) from None
    finally:
        os.close(descriptor)


def _verify_file(directory: Path, file: WeightFile, hashes: bool) -> None:
    path = directory / file.path
    if path.is_symlink() or not path.is_file():
        what = "a symbolic link" if path.is_symlink() else "missing"
        raise ModelError(f"{path}: {what}; {LOCK} lists a plain file", _replace(directory))
    size = path.stat().st_size
    if size != file.size:
        raise ModelError(f"{path}: {size} bytes, {LOCK} says {file.size}", _replace(directory))
    if hashes and (found := file_sha256(path)) != file.sha256:
        raise ModelError(f"{path}: changed. SHA-256 {found}, {LOCK} says {file.sha256}", _replace(directory))


def _write_atomically(path: Path, text: str) -> None:
    temporary = path.with_name(path.name + ".tmp")
    try:
        with temporary.open("w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        temporary.rename(path)
    finally:
        temporary.unlink(missing_ok=True)


def _get_weights(directory: Path) -> str:
    return (
        f"`appliance models provision {directory.name}` fetches a demonstration judge; "
        "`appliance models import DIR --name NAME` takes your own."
    )


def _replace(directory: Path) -> str:
    return f"Move {directory} away, then provision or import the model again."
