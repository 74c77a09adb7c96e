"""How often something changes the answer, net of how often the judge changes it by itself."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from appliance.domain.base import Frozen
from appliance.domain.estimates import EffectSize, Estimate, Significance
from appliance.domain.outcomes import Hypothesis
from appliance.statistics.arrays import Array
from appliance.statistics.judging.shares import NetShare, net, share
from appliance.statistics.judging.winners import Shown
from appliance.statistics.paired.pairs import Ids

Answers = Sequence[Any] | npt.NDArray[Any]


class NetRate(Frozen):
    """rate: share of items with the event after the perturbation. noise: the same after an unperturbed
    repeat. difference: rate less noise on the items that have both; above 0 the perturbation does more than
    noise does."""

    rate: Estimate
    noise: Estimate
    difference: NetShare

    @property
    def net(self) -> EffectSize:
        return self.difference.effect

    @property
    def test(self) -> Significance:
        return self.difference.test

    def hypothesis(self, name: str, margin: float, min_n: int) -> Hypothesis:
        """The net rate against 0, for `outcome.decide`.

        Noise hides effects: where a two-way choice flips by itself with chance q, a push away from the usual
        answer shows in no less than 1 - 2q of the items it moves, and may not show in more. Equivalence is
        asked within (1 - 2q)·margin, so that a judge is not cleared for being erratic.
        """
        return self.difference.hypothesis(name, margin, min_n, 1 - 2 * (self.noise.value or 0.0))


def net_of_noise(
    events: Array,
    noise: Array,
    source: str,
    *,
    name: str = "rate net of repeat noise",
    item: Ids | None = None,
    cluster: Ids | None = None,
) -> NetRate:
    """events, noise: whether it happened after the perturbation and after a repeat, 0 or 1 a row, NaN
    unscored. item: rows of one item are its repeats, averaged and never counted as independent. cluster:
    items of one template. An item that lacks either is unscored in the difference."""
    return NetRate(
        rate=_sourced(share(events, item, cluster), source),
        noise=_sourced(share(noise, item, cluster), source),
        difference=net(events, noise, name, source, item, cluster),
    )


def net_flip_rate(
    original: Answers,
    repeat: Answers,
    perturbed: Answers,
    *,
    item: Ids | None = None,
    cluster: Ids | None = None,
    tolerance: float = 0.0,
) -> NetRate:
    """Share of answers that differ from the original after any perturbation, less share that differ in a
    repeat; see `changes` for the answers and `net_of_noise` for the rest.

    A net rate near 0 says that answers change no oftener, not that they lean nowhere: a push towards what a
    wavering judge says anyway makes it flip less. Read it beside a measure of direction (preference
    fairness, attack success, paired score differences)."""
    return net_of_noise(
        changes(original, perturbed, tolerance), changes(original, repeat, tolerance),
        "Ye et al. (2024)", name="flip rate net of repeat noise", item=item, cluster=cluster,
    )  # fmt: skip


def changes(before: Answers, after: Answers, tolerance: float = 0.0) -> Array:
    """1 where the answer differs, 0 where not, NaN where either is lacking (None or NaN).

    Answers are labels, winners or numbers; numbers are the same within `tolerance`. Raises ValueError for
    lengths that differ, a tolerance below 0 and infinite numbers, TypeError for displayed choices: those
    of two orders cannot be compared before they are mapped back."""
    if len(before) != len(after):
        raise ValueError(f"answers: {len(before)} and {len(after)} given for the same rows")
    if not tolerance >= 0:
        raise ValueError(f"tolerance: {tolerance} is not 0 or more")
    return np.array([_change(a, b, tolerance) for a, b in zip(before, after, strict=True)], dtype=np.float64)


def _change(a: Any, b: Any, tolerance: float) -> float:
    if isinstance(a, Shown) or isinstance(b, Shown):
        raise TypeError("displayed choices are mapped back to winners before they are compared")
    if any(v is None or v != v for v in (a, b)):
        return float("nan")
    if not all(isinstance(v, int | float | np.number) for v in (a, b)):
        return float(a != b)
    apart = abs(float(a) - float(b))
    if not np.isfinite(apart):
        raise ValueError("answers: a score is infinite")
    return float(apart > tolerance + 1e-9 * max(tolerance, 1e-300))  # 3.2 - 3.0 is not more than 0.2


def _sourced(estimate: Estimate, source: str) -> Estimate:
    return estimate.model_copy(update={"source": f"{source}; {estimate.source}"})
