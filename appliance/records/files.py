"""A user's file as text: strict UTF-8, or an error that says where it breaks and what to do."""

from __future__ import annotations

import codecs
from pathlib import Path

from appliance.errors import InputError

_BOMS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE, codecs.BOM_UTF32_BE)
_SAMPLE_BYTES = 4096


def read_text(path: Path) -> str:
    """The whole file, decoded, without a leading byte order mark; nothing else is changed.

    Encodings are never guessed: a wrong guess would silently change the text under audit.

    Raises InputError: missing, a directory, unreadable, UTF-16 or UTF-32, or not UTF-8 (with the
    line, and the offset in bytes from the start of the file).
    """
    data = _read_bytes(path)
    if _looks_like_utf16(data):
        raise InputError(f"{path.name}: the file is UTF-16 or UTF-32, not UTF-8", _iconv("UTF-16", path))
    try:
        return data.decode("utf-8").removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        byte = data[error.start]
        raise InputError(
            f"{path.name}, line {line}: not UTF-8 (byte 0x{byte:02x} at byte offset {error.start})",
            _iconv("ITS-ENCODING", path),
        ) from None


def _read_bytes(path: Path) -> bytes:
    if path.is_dir():
        raise InputError(f"{path} is a directory, not a file", "Name one file of records.")
    try:
        return path.read_bytes()
    except FileNotFoundError:
        raise InputError(f"{path}: no such file", "Check the path under [input] in the config.") from None
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror})", "Check its permissions.") from None


def _looks_like_utf16(data: bytes) -> bool:
    """By its mark, or by the zero bytes that every other byte of ASCII in UTF-16 is."""
    sample = data[:_SAMPLE_BYTES]
    return data.startswith(_BOMS) or (len(sample) >= 8 and sample.count(0) * 4 > len(sample))


def _iconv(encoding: str, path: Path) -> str:
    return f"Convert it: iconv -f {encoding} -t UTF-8 '{path.name}' > 'utf8-{path.name}'"
