"""The phrases that text probes add, from the file beside this one."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Literal

from pydantic import Field

from appliance.config import load_toml_as
from appliance.domain.base import Frozen

SHIPPED = Path(__file__).parent / "data" / "phrases.toml"


class Filler(Frozen):
    filler: tuple[str, ...] = Field(min_length=4)


class AppendedEntry(Frozen):
    """See the head of the file."""

    varies: str
    a: str
    b: str = "as given"
    where: Literal["start", "end"] = "end"
    placebo: bool = False
    phrases: tuple[str, ...] = Field(min_length=2)
    control: tuple[str, ...] = ()


class Phrases(Frozen):
    length: Filler
    appended: dict[str, AppendedEntry]


@lru_cache(maxsize=1)
def load_phrases() -> Phrases:
    """ConfigError names the place of what is wrong in the file."""
    return load_toml_as(Phrases, SHIPPED, "git checkout appliance/probes/data/phrases.toml")
