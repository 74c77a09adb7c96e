"""What is refused on import: anything that could run code, and anything that is not a complete model.

Only safetensors are ever loaded, and without remote code; so files that could carry code have no business
in a judge's directory, and the lock can promise that what it lists is all there is."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from appliance.errors import ModelError
from appliance.judges.weights import LOCK

_CODE = {
    ".py": "holds program code",
    ".bin": "is a PyTorch pickle, which runs code when it is loaded",
    ".pt": "is a PyTorch pickle, which runs code when it is loaded",
    ".pth": "is a PyTorch pickle, which runs code when it is loaded",
    ".pkl": "is a pickle, which runs code when it is loaded",
    ".gguf": "is GGUF; judges load from safetensors only",
}
_ALLOWED = {".safetensors", ".json", ".jinja", ".txt", ".md", ".model"}
_ALLOWED_NAMES = {"LICENSE", "LICENCE", "NOTICE", "README", "USE_POLICY", ".gitattributes", LOCK}
_CONVERT = "Use the model's safetensors release and remove files of other formats."
_REMOVE = "Remove what is not part of the safetensors model."
_FETCH_AGAIN = "Fetch the file again, whole."
_INDEX = "model.safetensors.index.json"


class Refusal(NamedTuple):
    file: str
    reason: str
    remedy: str


def refuse_unsafe(directory: Path) -> None:
    """ModelError that names every reason at once, so that one round of repair is enough."""
    if not directory.is_dir():
        raise ModelError(f"{directory}: not a directory", "Name the directory with the model's safetensors.")
    found = list(refusals(directory))
    if found:
        reasons = "".join(f"\n  {each.file} {each.reason}" for each in found)
        raise ModelError(
            f"{directory} is refused as a judge:{reasons}", " ".join(dict.fromkeys(r.remedy for r in found))
        )


def refusals(directory: Path) -> Iterator[Refusal]:
    paths = sorted(directory.iterdir())
    for path in paths:
        yield from _of_file(path)
    names = {path.name for path in paths}
    for name in ("config.json", "tokenizer.json"):
        if name not in names:
            yield Refusal(name, "is missing", "Take all files of the model's release.")
    if not any(name.endswith(".safetensors") for name in names):
        yield Refusal("*.safetensors", "is missing: no weights", "Use the model's safetensors release.")
    yield from _missing_shards(directory, names)


def _of_file(path: Path) -> Iterator[Refusal]:
    name, suffix = path.name, path.suffix.lower()
    if path.is_symlink():
        yield Refusal(
            name, "is a symbolic link", f"Copy the directory with `cp -rL {path.parent} NEW`; import NEW."
        )
    elif not path.is_file():
        what = "is a sub-directory" if path.is_dir() else "is not a plain file"
        yield Refusal(name, what, "Keep plain files only, side by side.")
    elif suffix in _CODE:
        yield Refusal(name, _CODE[suffix], _REMOVE if suffix == ".py" else _CONVERT)
    elif suffix not in _ALLOWED and path.stem not in _ALLOWED_NAMES and name not in _ALLOWED_NAMES:
        yield Refusal(name, "is not a file of a safetensors model", _REMOVE)
    elif suffix == ".json":
        yield from _of_json(path)
    elif suffix == ".safetensors":
        yield from _of_safetensors(path)


def _of_json(path: Path) -> Iterator[Refusal]:
    try:
        value = json.loads(path.read_bytes())
    except (ValueError, RecursionError):
        yield Refusal(path.name, "is not JSON", _FETCH_AGAIN)
        return
    if _names_code(value):
        yield Refusal(
            path.name,
            "has 'auto_map': the model needs code of its own, which is never run here",
            "Choose a model whose architecture transformers and vLLM know by themselves.",
        )


def _names_code(value: Any) -> bool:
    """Whether `auto_map` occurs at any depth. A number as its value is a vocabulary's entry, not a map."""
    if isinstance(value, dict):
        if "auto_map" in value and not isinstance(value["auto_map"], int):
            return True
        return any(_names_code(each) for each in value.values() if isinstance(each, dict | list))
    return isinstance(value, list) and any(
        _names_code(each) for each in value if isinstance(each, dict | list)
    )


def _of_safetensors(path: Path) -> Iterator[Refusal]:
    """The header's own arithmetic shows a pickle in disguise, a pointer of git LFS and a cut download."""
    size = path.stat().st_size
    with path.open("rb") as file:
        start = file.read(8)
        length = int.from_bytes(start, "little")
        header = file.read(length) if 0 < length <= min(size, 100_000_000) else b""
    if start == b"version ":
        yield Refusal(path.name, "is a git LFS pointer, not the weights", "Run `git lfs pull` there.")
        return
    try:
        tensors = json.loads(header)
        end = max(tensor["data_offsets"][1] for name, tensor in tensors.items() if name != "__metadata__")
    except (ValueError, KeyError, TypeError, AttributeError, IndexError, RecursionError):
        yield Refusal(path.name, "is not in safetensors format", _FETCH_AGAIN)
        return
    if 8 + length + end != size:
        yield Refusal(path.name, f"has {size} bytes; its header says {8 + length + end}", _FETCH_AGAIN)


def _missing_shards(directory: Path, names: set[str]) -> Iterator[Refusal]:
    if _INDEX not in names:
        return
    try:
        shards = set(json.loads((directory / _INDEX).read_bytes())["weight_map"].values())
    except (ValueError, KeyError, TypeError, AttributeError, OSError):
        yield Refusal(_INDEX, "is not an index of weights", _FETCH_AGAIN)
        return
    for name in sorted(map(str, shards - names)):
        yield Refusal(name, f"is missing; {_INDEX} lists it", "Take all files of the model's release.")
