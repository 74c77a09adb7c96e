"""Reading TOML files into frozen models."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any, TypeVar

from pydantic import ValidationError

from appliance.domain.base import Frozen
from appliance.errors import ConfigError

T = TypeVar("T", bound=Frozen)


def load_toml_as(model: type[T], path: Path, remedy: str) -> T:
    """Read any TOML file into a frozen model; errors as for load_config."""
    return validated(model, read_toml(path, remedy), path)


def read_toml(path: Path, remedy: str) -> dict[str, Any]:
    """The file as it is; ConfigError names it and the remedy."""
    try:
        return tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except FileNotFoundError:
        raise ConfigError(f"{path}: no such file", f"`{remedy}` makes one.") from None
    except IsADirectoryError:
        raise ConfigError(f"{path} is a directory", "Name the TOML file itself.") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, OSError) as error:
        raise ConfigError(
            f"{path}: cannot be read as TOML: {error}", "Correct the line named above."
        ) from None


def validated(model: type[T], values: dict[str, Any], path: Path) -> T:
    """The values as a model; ConfigError names file, settings and what is wrong with each."""
    try:
        return model.model_validate(values)
    except ValidationError as error:
        places = [f"{'.'.join(map(str, e['loc']))}: {_plain(e)}" for e in error.errors()]
        raise ConfigError(f"{path}: " + "; ".join(places), "Correct these settings.") from None


def _plain(error: Any) -> str:
    if error["type"] == "extra_forbidden":
        return "unknown setting"
    return "missing" if error["type"] == "missing" else str(error["msg"]).lower()
