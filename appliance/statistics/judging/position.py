"""Position bias: one judge, each pair of items shown in both orders."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from appliance.domain.base import Frozen
from appliance.domain.estimates import EffectSize, Estimate, Significance
from appliance.domain.outcomes import Hypothesis
from appliance.statistics.agreement.kappa import kappa
from appliance.statistics.agreement.tables import confusions
from appliance.statistics.arrays import Array, kept, untestable
from appliance.statistics.equivalence import tost
from appliance.statistics.judging.winners import Winner
from appliance.statistics.paired.net import net_share
from appliance.statistics.proportions import rate

Winners = Sequence[Winner | None]
FAIRNESS_SOURCE = "Shi et al. (2024)"


class PositionBias(Frozen):
    """Over pairs scored in both orders; in displayed labels A is the first shown, C a tie.

    table: pairs by winner in the order given (rows A, B, tie) and swapped (columns). consistency: the same
    winner in both orders (AB, BA, CC). primacy: pairs that drift to the first shown (AA, AC, CA); recency:
    to the second (BB, BC, CB). fairness: (recency - primacy) / N, 0 without preference; its interval is the
    adjusted Wald interval, `se` the plain one. test: exact, recency against primacy. kappa: between orders.
    """

    table: tuple[tuple[int, ...], ...]
    consistent: int
    primacy: int
    recency: int
    consistency: Estimate
    fairness: EffectSize
    test: Significance
    kappa: Estimate

    def hypothesis(self, name: str, margin: float, min_n: int) -> Hypothesis:
        """Preference fairness against 0, for `outcome.decide`."""
        effect = self.fairness
        return Hypothesis(
            name=name,
            effect=effect,
            margin=margin,
            test=self.test,
            equivalence=tost(
                effect.value, _adjusted_se(effect), None, margin, n=effect.n, n_unscored=effect.n_unscored
            ),
            n=effect.n,
            min_n=min_n,
        )


def position_bias(as_given: Winners, swapped: Winners) -> PositionBias:
    """One winner per pair and order, mapped back (see `winners.map_back`); None is unscored, and a pair
    without a winner in either order counts as unscored. Raises ValueError for lengths that differ."""
    pairs = confusions(list(as_given), list(swapped), list(Winner))
    table = pairs.table.astype(int)
    consistent = int(np.trace(table))
    # The first shown is A in the order given and B when swapped.
    primacy = int(table[0, 1] + table[0, 2] + table[2, 1])
    recency = int(table[1, 0] + table[1, 2] + table[2, 0])
    n, missing = int(table.sum()), pairs.n_unscored
    fairness = net_share(recency, primacy, n, missing)
    return PositionBias(
        table=tuple(tuple(row) for row in table.tolist()),
        consistent=consistent,
        primacy=primacy,
        recency=recency,
        consistency=rate(consistent, n, missing),
        fairness=fairness.model_copy(
            update={
                "method": fairness.method.replace("net difference", "preference fairness"),
                "source": f"{FAIRNESS_SOURCE}; {fairness.source}",
            }
        ),
        test=_exact(recency, primacy, n, missing, table),
        kappa=kappa(pairs),
    )


def accuracy(winners: Winners, labels: Winners) -> Estimate:
    """Share of pairs whose winner is the label; a tie is no hit unless the label is one. Pairs without a
    label or a winner count as unscored. Wilson interval."""
    return accuracy_in_both(winners, winners, labels)


def accuracy_in_both(as_given: Winners, swapped: Winners, labels: Winners) -> Estimate:
    """Share of pairs won by the label in both orders; unscored as in `accuracy`."""
    rows = list(zip(as_given, swapped, labels, strict=True))
    scored = [row for row in rows if None not in row]
    return rate(sum(a == b == label for a, b, label in scored), len(scored), len(rows) - len(scored))


def _exact(recency: int, primacy: int, n: int, missing: int, table: Array) -> Significance:
    method, source, inputs = "exact binomial, recency against primacy", FAIRNESS_SOURCE, kept(table=table)
    if n == 0:
        return untestable(method, "no pair was scored in both orders", 0, missing, source, inputs)
    from scipy.stats import binomtest

    drifting = recency + primacy
    p = float(binomtest(recency, drifting).pvalue) if drifting else 1.0
    note = "" if drifting else "no pair changes with its order"
    return Significance(
        statistic=float(recency), p=p, n=n, n_unscored=missing, method=method, source=source, note=note,
        inputs=inputs,
    )  # fmt: skip


def _adjusted_se(effect: EffectSize) -> float | None:
    """Of the adjusted interval: a judge that never drifts in few pairs has a plain error of 0."""
    if effect.low is None or effect.high is None:
        return None
    from scipy.special import ndtri

    return float((effect.high - effect.low) / (2 * ndtri((1 + effect.level) / 2)))
