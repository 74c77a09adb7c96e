"""From items to the test pairs of every dimension, and the records that the target judge is shown."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from appliance.config import Config
from appliance.domain.base import digest
from appliance.domain.pairs import Item, ProbePair, TestPair, Unbuilt, Variant
from appliance.domain.records import Record
from appliance.probes.interface import Probe
from appliance.probes.redaction import redact

POSITION = "position"
GIVEN = "as given"
DEMOGRAPHIC = "demographic"
NAMES = "name redaction"
LONGER, SHORTER = "longer", "shorter"  # of two answers as they are, not padded


class Design:
    """Pairs and records, each once; built up dimension by dimension in the order asked."""

    def __init__(self, config: Config) -> None:
        self._config = config
        self._pairwise = config.target.mode == "pairwise"
        self._redacted = NAMES in config.target.mitigations
        self._records: dict[str, Record] = {}  # by content
        self.pairs: list[TestPair] = []

    def add_given(self, items: Sequence[Item]) -> None:
        """The answers as given, so that the use of the scale is known. Two answers are compared as pairs."""
        for item in [] if self._pairwise else items:
            task, output = (self._seen(text, item.person) for text in (item.input, item.output))
            self._shown(item, GIVEN, task, output, "")

    def add(self, dimension: str, built: Iterable[tuple[Item, ProbePair | Unbuilt]]) -> None:
        """All pairs of one dimension; too few of them are not asked at all, and each says so."""
        found = [(item, self._redact(item, pair)) for item, pair in built]
        count = sum(isinstance(pair, ProbePair) for _, pair in found)
        refused = self._too_few(dimension, count)
        for item, pair in found:
            self.pairs.append(self._pair(dimension, item, pair, refused))

    def records(self) -> tuple[Record, ...]:
        """In a seeded order: no dimension is asked first."""
        found = list(self._records.values())
        random.Random(self._config.probes.seed).shuffle(found)
        return tuple(found)

    def _redact(self, item: Item, pair: ProbePair | Unbuilt) -> ProbePair | Unbuilt:
        if not self._redacted or isinstance(pair, Unbuilt):
            return pair
        return pair.model_copy(update={k: self._unnamed(item, getattr(pair, k)) for k in ("a", "b")})

    def _unnamed(self, item: Item, variant: Variant) -> Variant:
        person = variant.person or item.person
        texts = {k: self._seen(getattr(variant, k), person) for k in ("input", "output")}
        return variant.model_copy(update=texts)

    def _seen(self, text: str, person: str) -> str:
        """As the judge's input pipeline lets it see it."""
        return redact(text, person) if self._redacted else text

    def _too_few(self, dimension: str, count: int) -> str:
        rule = self._config.decision
        least, of = rule.min_complete_pairs, "pairs"
        if dimension.startswith(DEMOGRAPHIC) and rule.min_subgroup > least:
            least, of = rule.min_subgroup, "pairs of a demographic group"
        return f"not asked: {count} {of} could be built, {least} are needed" if count < least else ""

    def _pair(self, dimension: str, item: Item, pair: ProbePair | Unbuilt, refused: str) -> TestPair:
        pair_id = digest([dimension, item.item_id])[:12]
        made = TestPair(pair_id=pair_id, dimension=dimension, item_id=item.item_id, first=None, second=None)
        if isinstance(pair, Unbuilt):
            return made.model_copy(update={"unbuilt": pair.reason})
        why = refused or self._unfit(pair)
        told = {"a": _told(pair.a), "b": _told(pair.b), "unbuilt": why}
        if why:
            return made.model_copy(update=told)
        first, second = self._shown_both(dimension, item, pair)
        return made.model_copy(update=told | {"first": first, "second": second})

    def _unfit(self, pair: ProbePair) -> str:
        if self._pairwise and pair.a.input != pair.b.input:
            return "the task itself would differ between the two answers that are compared"
        return ""

    def _shown_both(self, dimension: str, item: Item, pair: ProbePair) -> tuple[str, str]:
        a, b = pair.a, pair.b
        if self._pairwise:
            name = f"{dimension}, {{}} first"
            return (
                self._shown(item, name.format("a"), a.input, a.output, b.output),
                self._shown(item, name.format("b"), a.input, b.output, a.output),
            )
        return (
            self._shown(item, f"{dimension}: {a.attribute}", a.input, a.output, ""),
            self._shown(item, f"{dimension}: {b.attribute}", b.input, b.output, ""),
        )

    def _shown(self, item: Item, what: str, task: str, text: str, other: str) -> str:
        """The id of the record with this content; one question is never two records."""
        key = digest([item.item_id, task, text, other])
        if key not in self._records:
            self._records[key] = Record(
                record_id=f"{item.item_id} | {what}",
                text=text,
                context=task,
                other=other,
                identity_dimensions=(),
                template_id=digest(item.input)[:12],
                metadata={"item_id": item.item_id, "quality": item.quality, "what": what},
                place=item.place,
            )
        return self._records[key].record_id


def _told(variant: Variant) -> str:
    return f"{variant.attribute}: {variant.detail}" if variant.detail else variant.attribute


def build(probe: Probe, items: Sequence[Item], seed: int) -> list[tuple[Item, ProbePair | Unbuilt]]:
    """The choice of one item does not move that of another: each has a seed of its own."""
    return [
        (item, probe.build(item, random.Random(f"{seed}:{probe.dimension}:{item.item_id}"))) for item in items
    ]


def position_pairs(items: Sequence[Item]) -> list[tuple[Item, ProbePair | Unbuilt]]:
    """Different answers to one task, two by two: each is shown in both orders."""
    by_task: Mapping[str, list[Item]] = defaultdict(list)
    for item in items:
        by_task[item.input].append(item)
    found: list[tuple[Item, ProbePair | Unbuilt]] = []
    for answers in by_task.values():
        for one, two in zip(answers[::2], answers[1::2], strict=False):
            a, b = (
                Variant(attribute=i.quality or i.item_id, input=i.input, output=i.output) for i in (one, two)
            )
            found.append((one, ProbePair(item_id=one.item_id, dimension=POSITION, a=a, b=b)))
        if len(answers) % 2:
            alone = (
                "the only answer to its task" if len(answers) == 1 else "the last of an odd number of answers"
            )
            item = answers[-1]
            found.append((item, Unbuilt(item_id=item.item_id, dimension=POSITION, reason=alone)))
    return found


def chosen(items: Sequence[Item], count: int, seed: int) -> list[Item]:
    """At most `count` items in a seeded order: first one of each task, because answers to one task are no
    independent evidence, and good and bad ones in turn, so that both are in the test."""
    shuffled = sorted(items, key=lambda item: item.item_id)
    random.Random(seed).shuffle(shuffled)
    by_task: dict[str, list[Item]] = defaultdict(list)
    for item in shuffled:
        by_task[item.input].append(item)
    qualities = sorted({item.quality for item in items})
    rounds: list[tuple[int, Item]] = []
    for number, answers in enumerate(by_task.values()):
        wanted = qualities[number % len(qualities)]
        answers.sort(key=lambda item: item.quality != wanted)
        rounds += enumerate(answers)
    return [item for _, item in sorted(rounds, key=lambda pair: pair[0])][:count]


def partners(items: Sequence[Item], used: Sequence[Item]) -> list[Item]:
    """For each task of `used`, answers of the other qualities: whether the judge tells good from bad is asked
    of both answers to a task."""
    held = {(item.input, item.quality) for item in used}
    tasks = {item.input for item in used}
    found: list[Item] = []
    for item in items:
        if item.quality and item.input in tasks and (item.input, item.quality) not in held:
            held.add((item.input, item.quality))
            found.append(item)
    return found
