"""The Cartesian product of identity values over task templates, one variant at a time: a grid of a million
variants takes no more memory than one of ten."""

from __future__ import annotations

import math
import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product

from appliance.domain.grids import GridVariant, Template
from appliance.domain.pairs import Pronouns
from appliance.errors import ConfigError, InputError
from appliance.probes.identities import Value
from appliance.probes.names import NameSets
from appliance.probes.verify import differs_only_in
from appliance.probes.wording import KNOWN, NAMES, PLACEHOLDER, filled, signalled_by, words_of

Profile = dict[str, str]
_GENDERS: dict[str, Pronouns] = {"female": "she", "male": "he"}


@dataclass(frozen=True)
class Grid:
    """dimensions: name -> value -> its words, in the order of the configuration. per_cell: variants of one
    profile and template, each with a name of its own. templates_per_profile: how many templates each profile
    gets, 0 for all; each template then serves as many profiles as any other. max_profiles: how many profiles
    are drawn, 0 for all; every value is then in equally many (one more or less)."""

    dimensions: Mapping[str, Mapping[str, Value]]
    templates: Sequence[Template]
    names: NameSets
    per_cell: int = 1
    templates_per_profile: int = 0
    max_profiles: int = 0
    seed: int = 1

    @property
    def n_profiles(self) -> int:
        every = math.prod(len(values) for values in self.dimensions.values())
        return min(every, self.max_profiles) if self.max_profiles else every

    @property
    def n_templates(self) -> int:
        """Of each profile."""
        return min(self.templates_per_profile or len(self.templates), len(self.templates))

    def __len__(self) -> int:
        return self.n_profiles * self.n_templates * self.per_cell

    def profiles(self) -> Iterator[Profile]:
        """In the order of the product, or as drawn."""
        if self.n_profiles < math.prod(len(values) for values in self.dimensions.values()):
            yield from self._drawn()
            return
        for values in product(*self.dimensions.values()):
            yield dict(zip(self.dimensions, values, strict=True))

    def variants(self) -> Iterator[GridVariant]:
        """Every variant, in a fixed order."""
        order = list(self.templates)
        random.Random(f"{self.seed}:templates").shuffle(order)
        for at, profile in enumerate(self.profiles()):
            own = [order[(at * self.n_templates + k) % len(order)] for k in range(self.n_templates)]
            for template in own:
                for number in range(1, self.per_cell + 1):
                    yield self.variant(template, profile, number)

    def variant(self, template: Template, profile: Profile, number: int) -> GridVariant:
        values = [self.dimensions[name][value] for name, value in profile.items()]
        name, pronouns = self._person(template, values, number)
        text, terms = filled(template.text, words_of(values, name, pronouns))
        label = label_of(profile)
        named = bool(_placeholders(template) & NAMES)
        return GridVariant(
            variant_id=f"{template.template_id} | {label} | {number}",
            template_id=template.template_id,
            profile=profile,
            label=label,
            number=number,
            text=text,
            name=name if named else "",
            signals={
                dimension: _signals(value, name if named else "")
                for dimension, value in zip(profile, values, strict=True)
            },
            terms=terms,
        )

    def check(self) -> None:
        """Every template, once for each value: its placeholders are known, it signals every dimension, and
        two variants differ in identity terms alone. InputError and ConfigError name the template."""
        for template in self.templates:
            _check_placeholders(template)
            self._check_signals(template)
            self._check_difference(template)

    def _check_signals(self, template: Template) -> None:
        placeholders = _placeholders(template)
        for dimension, values in self.dimensions.items():
            silent = [name for name, value in values.items() if not signalled_by(value, placeholders)]
            if silent:
                raise ConfigError(
                    f"{template.place or template.template_id}: the template does not signal {dimension} "
                    f"({', '.join(silent)})",
                    "Add [NAME], [DESCRIPTION], [CUES] or pronouns such as [THEY], whichever the value has.",
                )

    def _check_difference(self, template: Template) -> None:
        base = {name: next(iter(values)) for name, values in self.dimensions.items()}
        first = self.variant(template, base, 1)
        for dimension, values in self.dimensions.items():
            for value in values:
                other = self.variant(template, {**base, dimension: value}, 1)
                wrong = differs_only_in(first.text, other.text, (*first.terms, *other.terms))
                if wrong:
                    raise ConfigError(
                        f"{template.place or template.template_id}: with {dimension} = {value} more than "
                        f"identity changes: {wrong}",
                        "Put the words that change into placeholders.",
                    )

    def _person(self, template: Template, values: Sequence[Value], number: int) -> tuple[str, Pronouns]:
        """The same for all profiles of one block (template and number) wherever a value does not say
        otherwise: only identity terms change."""
        block = f"{self.seed}:{template.template_id}:{number}"
        draw = random.Random(block)
        ethnicities = list(dict.fromkeys(cell.ethnicity for cell in self.names.cells.values()))
        anyone = draw.choice(ethnicities), draw.choice(["female", "male"])
        ethnicity = next((v.name_ethnicity for v in values if v.name_ethnicity), anyone[0])
        gender = next((v.name_gender for v in values if v.name_gender), anyone[1])
        pronouns = next((v.pronouns for v in values if v.pronouns), _GENDERS[gender])
        cells = self.names.of(ethnicity, gender)
        if not cells:
            raise ConfigError(
                f"no names for {ethnicity}, {gender}", "Add them to probes.name_sets, or change the value."
            )
        origin = random.Random(f"{block}:{ethnicity}").choice([cell.origin for cell in cells])
        cell = next(cell for cell in cells if cell.origin == origin)
        first = random.Random(f"{block}:{ethnicity}:{gender}").choice(cell.first_names)
        last = random.Random(f"{block}:{ethnicity}:{origin}").choice(
            self.names.surnames_of(ethnicity, origin)
        )
        return f"{first} {last}", pronouns

    def _drawn(self) -> Iterator[Profile]:
        """Balanced columns, shuffled apart; a profile that was drawn already swaps a value with a later
        one."""
        rng, n = random.Random(f"{self.seed}:profiles"), self.n_profiles
        columns: list[list[str]] = []
        for values in self.dimensions.values():
            column = [value for _ in range(-(-n // len(values))) for value in values][:n]
            rng.shuffle(column)
            columns.append(column)
        seen: set[tuple[str, ...]] = set()
        for at in range(n):
            for _ in range(1000):
                row = tuple(column[at] for column in columns)
                if row not in seen:
                    break
                column = rng.choice(columns)
                other = rng.randrange(at, n)
                column[at], column[other] = column[other], column[at]
            seen.add(row)
            yield dict(zip(self.dimensions, row, strict=True))


def label_of(profile: Mapping[str, str]) -> str:
    """The intersection label: the values in the order of the dimensions."""
    return " × ".join(profile.values())


def _placeholders(template: Template) -> frozenset[str]:
    return frozenset(found.upper() for found in PLACEHOLDER.findall(template.text))


def _check_placeholders(template: Template) -> None:
    unknown = sorted(_placeholders(template) - KNOWN)
    if unknown:
        raise InputError(
            f"{template.place or template.template_id}: unknown placeholder [{unknown[0]}]",
            f"Known: {', '.join(f'[{name}]' for name in sorted(KNOWN))}.",
        )


def _signals(value: Value, name: str) -> tuple[str, ...]:
    """Words by which a response can show this value."""
    parts = name.split() if value.named else []
    nouns = [value.noun] if value.noun else []
    adjectives = [value.adjective] if value.adjective else []
    forms = {"she": ("she", "her", "hers", "herself"), "he": ("he", "him", "his", "himself")}
    pronouns = forms.get(value.pronouns, ())
    return (*([name] if parts else []), *parts, *nouns, *adjectives, *value.cue_words, *pronouns)
