"""Name sets: which first names and surnames stand for which group; the user's own can be added."""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Annotated

from pydantic import AfterValidator, Field

from appliance.config import load_toml_as
from appliance.domain.base import Frozen
from appliance.domain.pairs import Pronouns
from appliance.errors import ConfigError

SHIPPED = Path(__file__).parent / "data" / "names.toml"
MIN_NAMES = 21  # fewer names of a group, and a result says more about these names than about the group
_REMEDY = "cp appliance/probes/data/names.toml"

Name = Annotated[
    str, Field(pattern=r"^\S+$"), AfterValidator(lambda name: unicodedata.normalize("NFC", name))
]
Names = Annotated[tuple[Name, ...], Field(min_length=1)]
Text = Annotated[str, Field(min_length=1)]


class Cell(Frozen):
    """First names of one ethnicity and gender. origin: a naming tradition within it, "" for the only one.
    sources: keys of the file's citations."""

    ethnicity: Text
    gender: Text
    pronouns: Pronouns
    first_names: Names
    sources: Annotated[tuple[str, ...], Field(min_length=1)]
    origin: str = ""


class Surnames(Frozen):
    ethnicity: Text
    names: Names
    sources: Annotated[tuple[str, ...], Field(min_length=1)]
    origin: str = ""


class NameSets(Frozen):
    """One file, or several merged. Keys of cells and surnames are headings, for messages and replacement."""

    sources: dict[str, str] = Field(default_factory=dict)
    cells: dict[str, Cell] = Field(default_factory=dict)
    surnames: dict[str, Surnames] = Field(default_factory=dict)

    def of(self, ethnicity: str, gender: str) -> tuple[Cell, ...]:
        """All cells of a group, one per origin, in the file's order."""
        return tuple(c for c in self.cells.values() if (c.ethnicity, c.gender) == (ethnicity, gender))

    def surnames_of(self, ethnicity: str, origin: str) -> tuple[str, ...]:
        """All surnames that go with first names of this ethnicity and origin."""
        found = (s for s in self.surnames.values() if (s.ethnicity, s.origin) == (ethnicity, origin))
        return tuple(name for surnames in found for name in surnames.names)

    def first_names(self) -> Iterator[str]:
        return (name for cell in self.cells.values() for name in cell.first_names)


def load_names(own: Path | None = None) -> NameSets:
    """The shipped name sets, with the cells of the user's own file added or put in place of ours.

    ConfigError names the file and the cell: not TOML, a wrong type, empty or too few names, a name in two
    cells, no surnames, an unknown source.
    """
    names, path = load_toml_as(NameSets, SHIPPED, _REMEDY), SHIPPED
    if own is not None:
        path, added = own, load_toml_as(NameSets, own, _REMEDY)
        names = NameSets(
            sources={**names.sources, **added.sources},
            cells={**names.cells, **added.cells},
            surnames={**names.surnames, **added.surnames},
        )
    for complaint in (*_few(names), *_twice(names), *_orphans(names), *_unsourced(names)):
        raise ConfigError(f"{path}: {complaint}", "Correct the lists of names in this file.")
    return names


def _few(names: NameSets) -> Iterator[str]:
    first: Counter[str] = Counter()
    last: Counter[str] = Counter()
    for cell in names.cells.values():
        first[f"{cell.ethnicity} {cell.gender}"] += len(set(cell.first_names))
    for surnames in names.surnames.values():
        last[surnames.ethnicity] += len(set(surnames.names))
    for kind, counts in (("first names", first), ("surnames", last)):
        for group, count in counts.items():
            if count < MIN_NAMES:
                yield f"{group}: {count} {kind}; at least {MIN_NAMES} are needed"


def _twice(names: NameSets) -> Iterator[str]:
    seen: dict[str, str] = {}
    for heading, name in _headed(names):
        if (other := seen.setdefault(name.casefold(), heading)) != heading:
            yield f"cells.{heading}: '{name}' stands in cells.{other} too"
    for heading, lists in _lists(names):
        for name, count in Counter(name.casefold() for name in lists).items():
            if count > 1:
                yield f"{heading}: '{name}' stands there {count} times"


def _headed(names: NameSets) -> Iterator[tuple[str, str]]:
    return ((heading, name) for heading, cell in names.cells.items() for name in cell.first_names)


def _lists(names: NameSets) -> Iterator[tuple[str, Iterable[str]]]:
    yield from ((f"cells.{heading}", cell.first_names) for heading, cell in names.cells.items())
    yield from ((f"surnames.{heading}", surnames.names) for heading, surnames in names.surnames.items())


def _orphans(names: NameSets) -> Iterator[str]:
    for heading, cell in names.cells.items():
        if not names.surnames_of(cell.ethnicity, cell.origin):
            yield f"cells.{heading}: no surnames of ethnicity '{cell.ethnicity}', origin '{cell.origin}'"


def _unsourced(names: NameSets) -> Iterator[str]:
    cited = [(heading, cell.sources) for heading, cell in names.cells.items()]
    cited += [(heading, surnames.sources) for heading, surnames in names.surnames.items()]
    for heading, sources in cited:
        for source in sources:
            if source not in names.sources:
                yield f"{heading}: source '{source}' is not among [sources]"
