"""One group against the rest within blocks, and what chance alone would make of it.

A block is a template (all variants of one record) or a stratum. The contrast within blocks is the
coefficient of the group's indicator in a regression with one intercept a block: templates on which the
judges differ anyway, and which happen to hold more of one group, do not pass for an effect of that group.
With every group once in every template it is mean(d | group) - mean(d | rest).
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from appliance.statistics.arrays import Array, Codes, Mask, clusters
from appliance.statistics.paired.pairs import Ids


class Contrast(NamedTuple):
    """value, se, df: None where undefined. blocks: those that hold both the group and others (if records are
    independent, two of each); n_group, n_rest: records in them."""

    value: float | None
    se: float | None
    df: float | None
    blocks: int
    n_group: int
    n_rest: int


@dataclass(frozen=True, eq=False)
class Layout:
    """Records sorted by block, group and value, so that draws do not depend on the order of records.

    values: shape (n,). group, block: shape (n,), block 0..b-1 ascending. whole: blocks are sampled as wholes
    (templates), otherwise records are independent within strata.
    """

    values: Array
    group: Codes
    block: Codes
    whole: bool

    @cached_property
    def starts(self) -> Codes:
        return np.flatnonzero(np.diff(self.block, prepend=-1))

    @cached_property
    def sizes(self) -> Array:
        return np.bincount(self.block).astype(float)

    @cached_property
    def centred(self) -> Array:
        means = np.add.reduceat(self.values, self.starts) / self.sizes
        found: Array = self.values - means[self.block]
        found[np.abs(found) < 1e-12 * max(float(np.abs(self.values).max()), 1e-300)] = 0.0
        return found

    @cached_property
    def groups_in_block(self) -> Codes:
        """How many groups each block holds."""
        return np.bincount(np.unique(np.stack([self.block, self.group]), axis=1)[0])

    def alone(self, g: int) -> int:
        """Blocks in which every record is of group g."""
        return int((self.groups_in_block[np.unique(self.block[self.group == g])] == 1).sum())

    def marginal(self, g: int) -> float | None:
        """Mean of group g less mean of the rest, whatever the blocks."""
        own, rest = self.values[self.group == g], self.values[self.group != g]
        return float(own.mean() - rest.mean()) if len(own) and len(rest) else None


def layout(values: Array, group: Codes, block: Codes, whole: bool) -> Layout:
    """Sort the records; `group` and `block` must not depend on their order."""
    order = np.lexsort((values, group, block))
    return Layout(values[order], group[order], np.unique(block[order], return_inverse=True)[1], whole)


def contrast(data: Layout, g: int) -> Contrast:
    """Group g against the rest with its standard error: over templates, cluster-robust with k - 1 degrees
    of freedom; over independent records, Welch's within strata with Satterthwaite's degrees of freedom."""
    members = (data.group == g)[np.newaxis].astype(float)
    inside = np.add.reduceat(members[0], data.starts)
    used = used_blocks(data, inside)
    blocks, n_group = int(used.sum()), int(inside[used].sum())
    n_rest = int(data.sizes[used].sum()) - n_group
    if not blocks:
        return Contrast(None, None, None, 0, n_group, n_rest)
    value, variance, df = contrasts(data, members, inside, used)
    se = None if math.isnan(variance[0]) else math.sqrt(variance[0])
    return Contrast(float(value[0]), se, None if se is None else df, blocks, n_group, n_rest)


def ranked(ids: Ids) -> Codes:
    """Numbers of ids in the order of their names, whatever the order of records."""
    names = list(dict.fromkeys(ids.tolist() if isinstance(ids, np.ndarray) else ids))
    return by_name(names)[clusters(ids, len(ids))]


def by_name(labels: Sequence[Hashable]) -> Codes:
    """Place of each label among all of them sorted by name."""
    order = sorted(range(len(labels)), key=lambda i: (type(labels[i]).__name__, str(labels[i])))
    places = np.empty(len(labels), dtype=np.int64)
    places[order] = np.arange(len(labels))
    return places


def used_blocks(data: Layout, inside: Array) -> Mask:
    """Blocks that tell something of a group with `inside` members in each."""
    least = 1 if data.whole else 2
    found: Mask = (inside >= least) & (data.sizes - inside >= least)
    return found


def contrasts(data: Layout, members: Array, inside: Array, used: Mask) -> tuple[Array, Array, float]:
    """Contrast and its variance for each row of `members` (r, n), and degrees of freedom of the first."""
    sums = np.add.reduceat(members * data.centred, data.starts, axis=1)[:, used]
    a, b = inside[used], data.sizes[used] - inside[used]
    weights = a * b / (a + b)
    value = _cleaned(sums.sum(axis=1) / weights.sum(), data)
    if data.whole:
        k = len(weights)
        apart = _cleaned(sums - value[:, None] * weights, data)
        scale = k / (k - 1) if k > 1 else np.nan
        return value, scale * (apart**2).sum(axis=1) / weights.sum() ** 2, k - 1
    squares = np.add.reduceat(data.centred**2, data.starts)[used]
    own = np.add.reduceat(members * data.centred**2, data.starts, axis=1)[:, used]
    share = (weights / weights.sum()) ** 2
    group = share * _positive(own - sums**2 / a, squares) / (a * (a - 1))
    rest = share * _positive(squares - own - sums**2 / b, squares) / (b * (b - 1))
    variance = (group + rest).sum(axis=1)
    return value, variance, _satterthwaite(group[0], rest[0], a, b)


def _satterthwaite(group: Array, rest: Array, a: Array, b: Array) -> float:
    below = float((group**2 / (a - 1)).sum() + (rest**2 / (b - 1)).sum())
    return float((group + rest).sum() ** 2 / below) if below > 0 else float((a + b - 2).sum())


def _cleaned(values: Array, data: Layout) -> Array:
    """Rounding errors of sums that are 0 on paper, which studentising would blow up."""
    least = 1e-11 * max(float(np.abs(data.centred).max()), 1e-300)
    found: Array = np.where(np.abs(values) < least, 0, values)
    return found


def _positive(squares: Array, whole: Array) -> Array:
    found: Array = np.where(squares < 1e-11 * np.maximum(whole, 1e-300), 0.0, squares)
    return found
