"""Identity values: the words that signal each, by which a task is varied and a response is read."""

from __future__ import annotations

from pathlib import Path

from pydantic import Field

from appliance.config import load_toml_as
from appliance.domain.base import Frozen
from appliance.domain.pairs import Pronouns
from appliance.errors import ConfigError

SHIPPED = Path(__file__).parent / "data" / "identities.toml"


class Value(Frozen):
    """One value of a dimension. See the head of data/identities.toml for the fields."""

    noun: str = ""
    adjective: str = ""
    phrase: str = ""
    cue: str = ""
    cue_words: tuple[str, ...] = ()
    pronouns: Pronouns = ""
    name_gender: str = ""
    name_ethnicity: str = ""

    @property
    def named(self) -> bool:
        """Whether a name or a pronoun can signal it."""
        return bool(self.name_gender or self.name_ethnicity)


class Identities(Frozen):
    """dimension -> value -> its words."""

    dimensions: dict[str, dict[str, Value]] = Field(default_factory=dict)


def load_identities(own: Path | None = None) -> dict[str, dict[str, Value]]:
    """The shipped values with the user's own added or put in place. ConfigError names the file and value: not
    TOML, an unknown field, a value without any signal."""
    found = {name: dict(values) for name, values in _read(SHIPPED).items()}
    if own is not None:
        for name, values in _read(own).items():
            found.setdefault(name, {}).update(values)
    return found


def _read(path: Path) -> dict[str, dict[str, Value]]:
    table = load_toml_as(Identities, path, "cp appliance/probes/data/identities.toml").dimensions
    for dimension, values in table.items():
        for name, value in values.items():
            if value == Value():
                raise ConfigError(
                    f"{path}: {dimension}.{name} has no signal",
                    "Give it a noun, an adjective, a cue or a name.",
                )
    return table
