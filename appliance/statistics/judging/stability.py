"""Repetition: how often a judge repeats its answer when nothing changes."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from appliance.domain.base import Frozen
from appliance.domain.estimates import Estimate
from appliance.statistics.arrays import Codes, clusters
from appliance.statistics.judging.shares import share
from appliance.statistics.paired.pairs import Ids

PAIRS_SOURCE = "Fleiss (1971)"


class ItemLabels(Frozen):
    """n: scored repeats. modal_share: share of them that give the commonest answer. agreement: chance that
    two of them agree. entropy: in bits, 0 where all agree."""

    item: Any
    n: int
    modal_share: float
    agreement: float
    entropy: float


class LabelStability(Frozen):
    """agreement: mean over items of the chance that two repeats agree; the others depend on how often each
    item was asked, this does not; it is what an unperturbed repeat estimates (consistency rate).
    modal_share: mean share of the commonest answer, never below 1/repeats. entropy: mean over items, bits.
    items: with two scored repeats or more. noisy: those whose modal share is below the limit, least stable
    first. n_single: the items with fewer, which show nothing."""

    agreement: Estimate
    modal_share: Estimate
    entropy: float | None
    items: tuple[ItemLabels, ...]
    noisy: tuple[Any, ...]
    n_single: int


def label_stability(
    answers: Sequence[Any] | npt.NDArray[Any], item: Ids, *, cluster: Ids | None = None, limit: float = 0.8
) -> LabelStability:
    """answers: one a row, None or NaN unscored; item: its item; cluster: items of one template. Intervals
    are over items or clusters. Raises ValueError for lengths that differ, an item in two clusters and a limit
    outside 0..1. Source: Fleiss (1971)."""
    if not 0 <= limit <= 1:
        raise ValueError(f"limit: a share between 0 and 1 is expected, found {limit}")
    codes = clusters(item, len(answers), "item")
    names = item_names(item)
    grouped: list[list[Hashable]] = [[] for _ in names]
    for answer, code in zip(answers, codes.tolist(), strict=True):
        if answer is not None and answer == answer:
            grouped[code].append(answer)
    used = [i for i, each in enumerate(grouped) if len(each) > 1]
    found = tuple(_item(names[i], grouped[i]) for i in used)
    groups = clusters_of_items(cluster, codes, len(names))[used]
    single = len(names) - len(found)
    noisy = sorted((i for i in found if i.modal_share < limit), key=lambda i: (i.modal_share, str(i.item)))
    return LabelStability(
        agreement=_mean([i.agreement for i in found], groups, single, "agreement of two repeats"),
        modal_share=_mean([i.modal_share for i in found], groups, single, "share of the commonest answer"),
        entropy=float(np.mean(np.sort([i.entropy for i in found]))) if found else None,
        items=found,
        noisy=tuple(i.item for i in noisy),
        n_single=single,
    )


def item_names(item: Ids) -> list[Any]:
    """Each item once, in the order of `clusters`' numbers."""
    return list(dict.fromkeys(item.tolist() if isinstance(item, np.ndarray) else item))


def clusters_of_items(cluster: Ids | None, item: Codes, k: int) -> Codes:
    """The cluster number of each of k items, from that of each row. Raises ValueError for an item in two."""
    if cluster is None:
        return np.arange(k, dtype=np.int64)
    rows = clusters(cluster, len(item))
    found = np.zeros(k, dtype=np.int64)
    found[item] = rows
    if (found[item] != rows).any():
        at = int((found[item] != rows).argmax())
        raise ValueError(f"cluster: the item of row {at} is in two clusters")
    return found


def _item(name: Any, answers: list[Hashable]) -> ItemLabels:
    n, counts = len(answers), list(Counter(answers).values())
    return ItemLabels(
        item=name,
        n=n,
        modal_share=max(counts) / n,
        agreement=sum(c * (c - 1) for c in counts) / (n * (n - 1)),
        entropy=sum(c / n * math.log2(n / c) for c in sorted(counts)),
    )


def _mean(values: list[float], cluster: Codes, single: int, name: str) -> Estimate:
    found = share(np.array(values, dtype=np.float64), cluster=cluster)
    note = "no item has two scored repeats" if not values else found.note
    method = f"mean {name}: {found.method}"
    source = f"{PAIRS_SOURCE}; {found.source}"
    return found.model_copy(update={"n_unscored": single, "note": note, "method": method, "source": source})
