"""Who wrote it: answers of two models to one task that people find equally good. A judge that prefers its own
model's prefers itself."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from itertools import combinations

from appliance.domain.pairs import Item, ProbePair, Unbuilt, Variant

AUTHORS = "authorship"
TOLD = "which model wrote the answer; people find both equally good"


def author_pairs(items: Sequence[Item]) -> dict[str, list[tuple[Item, ProbePair | Unbuilt]]]:
    """dimension -> pairs, one for each two authors; empty where no item names its author. An answer whose
    quality people have not judged is in no pair, and says so."""
    by_task: dict[tuple[str, str], dict[str, Item]] = defaultdict(dict)
    for item in items:
        if item.author:
            by_task[item.input, item.quality].setdefault(item.author, item)
    found: dict[str, list[tuple[Item, ProbePair | Unbuilt]]] = defaultdict(list)
    for (_, quality), written in by_task.items():
        for one, other in combinations(sorted(written), 2):
            dimension = f"{AUTHORS}: {one} vs {other}"
            found[dimension].append(_pair(dimension, written[one], written[other], quality))
    return dict(found)


def _pair(dimension: str, one: Item, other: Item, quality: str) -> tuple[Item, ProbePair | Unbuilt]:
    if not quality:
        why = "people have not said whether the two answers are equally good (column quality)"
        return one, Unbuilt(item_id=one.item_id, dimension=dimension, reason=why)
    a, b = (
        Variant(attribute=i.author, input=i.input, output=i.output, person=i.person) for i in (one, other)
    )
    return one, ProbePair(item_id=one.item_id, dimension=dimension, a=a, b=b)
