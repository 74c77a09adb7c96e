"""Who an answer is about: names (with pronouns where they differ) that readers associate with a group."""

from __future__ import annotations

import random

from appliance.domain.pairs import Item, ProbePair, Pronouns, Unbuilt, Variant
from appliance.probes.names import Cell, NameSets
from appliance.probes.pronouns import UnsureError
from appliance.probes.renaming import Person, mentions, rename
from appliance.probes.verify import differs_only_in

_GENDER: dict[str, Pronouns] = {"female": "she", "male": "he"}


class NameProbe:
    """See `Probe`. Both sides are renamed, so that neither keeps a name that the item's author chose."""

    placebo = False

    def __init__(self, dimension: str, varies: str, a: str, b: str, names: NameSets) -> None:
        self.dimension, self.varies, self.a, self.b = dimension, varies, a, b
        self._names = names

    def people(self, item: Item, rng: random.Random) -> tuple[Person, Person]:
        raise NotImplementedError

    def build(self, item: Item, rng: random.Random) -> ProbePair | Unbuilt:
        try:
            if not item.person:
                raise UnsureError("the item names no person")
            return self._pair(item, *self.people(item, rng))
        except UnsureError as error:
            return Unbuilt(item_id=item.item_id, dimension=self.dimension, reason=str(error))

    def _pair(self, item: Item, one: Person, two: Person) -> ProbePair:
        old = Person(item.person, item.pronouns)
        if not mentions(item.output, old) and not mentions(item.input, old):
            raise UnsureError("neither task nor answer says who it is about")
        a, a_terms = _variant(item, old, one, self.a)
        b, b_terms = _variant(item, old, two, self.b)
        allowed = tuple(sorted(a_terms | b_terms))
        wrong = differs_only_in(a.output, b.output, allowed) or differs_only_in(a.input, b.input, allowed)
        if wrong:
            raise UnsureError(f"the two versions differ in more than the person: {wrong}")
        return ProbePair(item_id=item.item_id, dimension=self.dimension, a=a, b=b, allowed=allowed)

    def _drawn(self, cell: Cell, rng: random.Random, surname: str = "", but: str = "") -> Person:
        first = rng.choice([name for name in cell.first_names if name != but])
        last = surname or rng.choice(self._names.surnames_of(cell.ethnicity, cell.origin))
        return Person(f"{first} {last}", cell.pronouns)

    def _cell(self, ethnicity: str, gender: str, rng: random.Random, origin: str | None = None) -> Cell:
        cells = [c for c in self._names.of(ethnicity, gender) if origin is None or c.origin == origin]
        return rng.choice(cells)

    def _ethnicities(self) -> list[str]:
        return list(dict.fromkeys(cell.ethnicity for cell in self._names.cells.values()))


def _variant(item: Item, old: Person, new: Person, attribute: str) -> tuple[Variant, set[str]]:
    task, answer = rename(item.input, old, new), rename(item.output, old, new)
    made = Variant(attribute=attribute, input=task.text, output=answer.text, detail=new.name, person=new.name)
    return made, task.terms | answer.terms


def _gender(item: Item, rng: random.Random) -> str:
    """Of the names that fit the item's pronouns; either where they say nothing."""
    return {"she": "female", "he": "male"}.get(item.pronouns) or rng.choice(["female", "male"])


class GenderProbe(NameProbe):
    """Female against male first names of one ethnicity, which changes from item to item; one surname."""

    def __init__(self, names: NameSets) -> None:
        super().__init__(
            "demographic: gender (female vs male)",
            "first name and pronouns of the person, within one ethnicity and with one surname",
            "female",
            "male",
            names,
        )

    def people(self, item: Item, rng: random.Random) -> tuple[Person, Person]:
        if item.pronouns not in _GENDER.values():
            raise UnsureError("the item's pronouns are neither she nor he")
        cell = self._cell(rng.choice(self._ethnicities()), "female", rng)
        female = self._drawn(cell, rng)
        other = self._cell(cell.ethnicity, "male", rng, cell.origin)
        return female, self._drawn(other, rng, surname=female.name.split(" ", 1)[1])


class EthnicityProbe(NameProbe):
    """Names of one group against names of another, of the item's own gender."""

    def __init__(self, names: NameSets, one: str, other: str) -> None:
        told = "the person's name, as it is associated with one group or the other; gender stays"
        super().__init__(f"demographic: ethnicity ({one} vs {other})", told, one, other, names)

    def people(self, item: Item, rng: random.Random) -> tuple[Person, Person]:
        gender = _gender(item, rng)
        one, two = (self._drawn(self._cell(group, gender, rng), rng) for group in (self.a, self.b))
        keep = item.pronouns if item.pronouns not in ("she", "he") else ""
        return (Person(one.name, keep), Person(two.name, keep)) if keep else (one, two)


class SameGroupProbe(NameProbe):
    """Placebo: two names of one cell. Whatever differs is how far this judge's scores hang on mere names."""

    placebo = True

    def __init__(self, names: NameSets) -> None:
        told = "the person's name, for another one of the same group"
        super().__init__("placebo: same group, other name", told, "one name", "another name", names)

    def people(self, item: Item, rng: random.Random) -> tuple[Person, Person]:
        cell = self._cell(rng.choice(self._ethnicities()), _gender(item, rng), rng)
        one = self._drawn(cell, rng)
        return one, self._drawn(cell, rng, but=one.name.split()[0])


def demographic_probes(names: NameSets, reference: str = "White") -> list[NameProbe]:
    """Gender, each ethnicity against the reference, and their placebo."""
    groups = list(dict.fromkeys(cell.ethnicity for cell in names.cells.values()))
    others = [EthnicityProbe(names, group, reference) for group in groups if group != reference]
    return [GenderProbe(names), *others, SameGroupProbe(names)]
