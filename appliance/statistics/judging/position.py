"""Position bias: one judge, each pair of items shown in both orders."""

from __future__ import annotations

import numpy as np

from appliance.domain.base import Frozen
from appliance.domain.estimates import EffectSize, Estimate, Significance
from appliance.domain.outcomes import Hypothesis
from appliance.statistics.agreement.kappa import kappa
from appliance.statistics.agreement.tables import confusions
from appliance.statistics.arrays import Array
from appliance.statistics.judging.flips import NetRate, changes, net_of_noise
from appliance.statistics.judging.shares import NetShare, net, share
from appliance.statistics.judging.winners import Winner, Winners, checked
from appliance.statistics.paired.pairs import Ids

FAIRNESS_SOURCE = "Shi et al. (2024)"


class PositionBias(Frozen):
    """Over pairs scored in both orders; in displayed labels A is the first shown, C a tie.

    table: answers by winner in the order given (rows A, B, tie) and swapped (columns). consistent: the same
    winner in both orders (AB, BA, CC). primacy: those that drift to the first shown (AA, AC, CA); recency:
    to the second (BB, BC, CB). All four count rows; what follows averages the repeats of a pair.
    consistency: share consistent. drift: preference fairness, (recency - primacy) / N, above 0 for the
    second shown, 0 without preference; its test is exact, recency against primacy. kappa: between orders.
    """

    table: tuple[tuple[int, ...], ...]
    consistent: int
    primacy: int
    recency: int
    consistency: Estimate
    drift: NetShare
    kappa: Estimate

    @property
    def fairness(self) -> EffectSize:
        return self.drift.effect

    @property
    def test(self) -> Significance:
        return self.drift.test

    def hypothesis(self, name: str, margin: float, min_n: int) -> Hypothesis:
        """Preference fairness against 0, for `outcome.decide`."""
        return self.drift.hypothesis(name, margin, min_n)


def position_bias(
    as_given: Winners, swapped: Winners, *, item: Ids | None = None, cluster: Ids | None = None
) -> PositionBias:
    """One winner per pair and order, mapped back (see `winners.map_back`); None is unscored, and a pair
    without a winner in either order counts as unscored. item: rows of one pair are its repeats, averaged.
    cluster: pairs of one template. Raises TypeError for anything but winners, ValueError for lengths that
    differ. Source: Shi et al. (2024)."""
    first, second = checked(as_given=as_given, swapped=swapped)
    tables = confusions(first, second, list(Winner), clusters=item if cluster is None else cluster)
    table = tables.table.astype(int)
    lean = drifts(first, second)
    return PositionBias(
        table=tuple(tuple(row) for row in table.tolist()),
        consistent=int((lean == 0).sum()),
        primacy=int((lean < 0).sum()),
        recency=int((lean > 0).sum()),
        consistency=share(_where(lean, lean == 0), item, cluster),
        drift=net(
            _where(lean, lean > 0),
            _where(lean, lean < 0),
            "preference fairness",
            FAIRNESS_SOURCE,
            item,
            cluster,
        ),
        kappa=kappa(tables),
    )


def drifts(as_given: Winners, swapped: Winners) -> Array:
    """1 for recency, -1 for primacy, 0 where the winner stays, NaN where either is unscored."""
    # The first shown is A in the order given and B when swapped.
    towards = {Winner.A: -1, Winner.TIE: 0, Winner.B: 1}
    found = [
        np.nan if a is None or b is None else float(np.sign(towards[a] - towards[b]))
        for a, b in zip(*checked(as_given=as_given, swapped=swapped), strict=True)
    ]
    return np.array(found, dtype=np.float64)


def position_flips(
    as_given: Winners,
    swapped: Winners,
    repeat: Winners,
    *,
    item: Ids | None = None,
    cluster: Ids | None = None,
) -> NetRate:
    """How often the order changes the winner, less how often a repeat in the order given does:
    (1 - PC) - (1 - CR). A judge of pure noise has 0. Sources: Shi et al. (2024), Ye et al. (2024)."""
    first, second, again = checked(as_given=as_given, swapped=swapped, repeat=repeat)
    return net_of_noise(
        changes(first, second), changes(first, again), f"{FAIRNESS_SOURCE}; Ye et al. (2024)",
        name="position flips net of repeat noise", item=item, cluster=cluster,
    )  # fmt: skip


def _where(lean: Array, condition: np.ndarray[tuple[int, ...], np.dtype[np.bool_]]) -> Array:
    return np.where(np.isnan(lean), np.nan, condition.astype(np.float64))
