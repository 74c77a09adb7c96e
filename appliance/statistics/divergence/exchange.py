"""What chance alone would make of a contrast within blocks: identities exchanged among a block's records."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from appliance.statistics.arrays import Array, Codes, Mask
from appliance.statistics.divergence.within import Layout, contrasts, used_blocks

ENUMERATED = 10_000  # arrangements up to which a test is exact
DRAWS = 9_999
CELLS = 2_000_000  # records times draws held at once


class Chance(NamedTuple):
    """statistics: sorted, the observed one among them, of every arrangement or of the draws; `how` says
    which. observed: contrast over its standard error, or the contrast where it has none."""

    observed: float
    statistics: Array
    how: str

    @property
    def p(self) -> float:
        """Two-sided, each side counted by itself: chance is not symmetric where few records differ."""
        slack = 1e-9 * abs(self.observed) if math.isfinite(self.observed) else 0.0  # ties up to rounding
        above = len(self.statistics) - np.searchsorted(self.statistics, self.observed - slack, side="left")
        below = np.searchsorted(self.statistics, self.observed + slack, side="right")
        return min(1.0, 2 * float(min(above, below)) / len(self.statistics))

    def critical(self, level: float) -> tuple[float, float]:
        """Lower and upper values between which p stays at 1 - level or more, infinite where there are too
        few arrangements to reject."""
        out = int((1 - level) / 2 * len(self.statistics) + 1e-9)
        if not out:
            return -math.inf, math.inf
        return min(0.0, float(self.statistics[out])), max(0.0, float(self.statistics[-out - 1]))


def chances(data: Layout, wanted: Sequence[int], draws: int, seed: int) -> dict[int, Chance]:
    """For each group wanted, its contrast when identities are exchanged within blocks, over its own
    standard error where it has one: the error rate then holds for the mean even where the group's
    differences vary more than the rest's. The observed arrangement counts among the draws.
    Sources: Fisher (1935); studentised: Janssen (1997); draws: Phipson and Smyth (2010)."""
    found, drawn = {}, {}
    for g in wanted:
        test = _Test(data, g)
        if arrangements(data.sizes[test.used], test.inside[test.used]) <= ENUMERATED:
            every = test.statistics(_every(data, test.inside, test.used))
            found[g] = Chance(test.observed, np.sort(every), "exact")
        else:
            drawn[g] = test
    kept: dict[int, list[Array]] = {g: [np.array([test.observed])] for g, test in drawn.items()}
    for labels in permuted(data, draws, seed) if drawn else ():
        for g, test in drawn.items():
            kept[g].append(test.statistics((labels == g).astype(float)))
    how = f"{draws:,} random draws"
    return found | {g: Chance(drawn[g].observed, np.sort(np.concatenate(kept[g])), how) for g in drawn}


class _Test:
    """The statistic of one group, observed and rearranged."""

    def __init__(self, data: Layout, g: int) -> None:
        members = (data.group == g)[np.newaxis].astype(float)
        self.data, self.inside = data, np.add.reduceat(members[0], data.starts)
        self.used = used_blocks(data, self.inside)
        self.observed = float(self.statistics(members)[0])

    def statistics(self, members: Array) -> Array:
        """Contrast over its standard error, or the plain contrast where there is none, for each row."""
        value, variance, _ = contrasts(self.data, members, self.inside, self.used)
        if np.isnan(variance).any():
            return value
        with np.errstate(divide="ignore", invalid="ignore"):
            found: Array = np.where(value == 0, 0.0, value / np.sqrt(variance))
        return found


def permuted(data: Layout, draws: int, seed: int) -> Iterator[Codes]:
    """Groups exchanged within blocks at random, chunks of shape (r, n), `draws` rows in all."""
    rng = np.random.default_rng(seed)
    chunk = max(1, min(draws, CELLS // len(data.values)))
    places = [
        data.starts[data.sizes == size][:, None] + np.arange(int(size)) for size in np.unique(data.sizes)
    ]
    for start in range(0, draws, chunk):
        count = min(chunk, draws - start)
        labels = np.empty((count, len(data.values)), dtype=data.group.dtype)
        for place in places:
            labels[:, place] = rng.permuted(np.broadcast_to(data.group[place], (count, *place.shape)), axis=2)
        yield labels


def arrangements(sizes: Array, inside: Array) -> int:
    """Ways to choose the group's members within every block; stops counting above `ENUMERATED`."""
    ways = 1
    for size, members in zip(sizes.astype(int).tolist(), inside.astype(int).tolist(), strict=True):
        ways *= math.comb(size, members)
        if ways > ENUMERATED:
            break
    return ways


def _every(data: Layout, inside: Array, used: Mask) -> Array:
    """Every arrangement of the group's members, shape (ways, n); blocks that are not used stay empty."""
    choices = [
        [tuple(start + place for place in chosen) for chosen in itertools.combinations(range(size), members)]
        for start, size, members in zip(
            data.starts[used].tolist(), data.sizes[used].astype(int).tolist(),
            inside[used].astype(int).tolist(), strict=True,
        )
    ]  # fmt: skip
    ways = list(itertools.product(*choices))
    found = np.zeros((len(ways), len(data.values)))
    for row, way in enumerate(ways):
        found[row, list(itertools.chain.from_iterable(way))] = 1.0
    return found
