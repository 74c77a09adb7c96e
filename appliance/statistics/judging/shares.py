"""Shares of items and the net difference of two of them, whether each item was asked once or often.

Single answers of independent items are counts, with exact tests and score intervals. Repeats of an item are
averaged, templates kept whole; what is left are means in a known range.
"""

from __future__ import annotations

import math

import numpy as np

from appliance.domain.base import Frozen
from appliance.domain.estimates import EffectSize, Estimate, Significance
from appliance.domain.outcomes import Hypothesis
from appliance.statistics.agreement.symmetry import mcnemar
from appliance.statistics.arrays import Array, kept, untestable
from appliance.statistics.bounded import SOURCE as BOUNDED_SOURCE
from appliance.statistics.bounded import Spread, spread
from appliance.statistics.equivalence import equivalence_without_variation, tost
from appliance.statistics.paired.net import NET_BOUNDS, interpret, net_share
from appliance.statistics.paired.pairs import Ids, Pairs, make_pairs
from appliance.statistics.paired.tests import sign_flip
from appliance.statistics.proportions import clustered_rate

TANGO_SOURCE = "Tango (1998)"


class NetShare(Frozen):
    """plus less minus, as a share of items. counts: items with plus alone and with minus alone, None where
    repeats were averaged or items come in clusters. clusters: of items, each item one where they are
    independent. The test is two-sided, of plus = minus. unscored_share: see `Pairs`."""

    effect: EffectSize
    test: Significance
    counts: tuple[int, int] | None
    clusters: int
    unscored_share: float

    def hypothesis(self, name: str, margin: float, min_n: int, kept_share: float = 1.0) -> Hypothesis:
        """For `outcome.decide`. kept_share: the part of an effect that noise leaves visible; equivalence is
        asked within that part of the margin, and cannot be shown where none is left."""
        effect = self.effect
        return Hypothesis(
            name=name,
            effect=effect,
            margin=margin,
            test=self.test,
            equivalence=self._equivalence(margin, kept_share),
            n=effect.n,
            min_n=min_n,
            unscored_share=self.unscored_share,
            reach=1.0,
        )

    def _equivalence(self, margin: float, kept_share: float) -> Significance:
        effect, missing, visible = self.effect, self.effect.n_unscored, margin * kept_share
        inputs = kept(effect=effect.value, se=effect.se, margin=margin, kept_share=kept_share)
        if visible <= 0:
            note = "the judge changes its answers by itself too often for any effect to be ruled out"
            return untestable("equivalence", note, effect.n, missing, "", inputs)
        if self.counts is not None:
            found = score_equivalence(*self.counts, effect.n, visible, missing)
        else:
            found = self._equivalent_mean(visible)
        hidden = f"noise leaves {visible:.3g} of a margin of {margin:g} visible" if kept_share < 1 else ""
        note = "; ".join(filter(None, (found.note, hidden)))
        return found.model_copy(update={"note": note, "inputs": inputs})

    def _equivalent_mean(self, margin: float) -> Significance:
        """TOST, and never surer than the bound on differences so rare that no cluster shows one."""
        effect = self.effect
        found = tost(effect.value, effect.se, self.test.df, margin, n=effect.n, n_unscored=effect.n_unscored)
        if found.p is None or effect.value is None:
            return found
        rare = equivalence_without_variation(effect.value, 1.0, margin, n=self.clusters)
        return found.model_copy(update={"p": max(found.p, 1.0 if rare.p is None else rare.p)})


def share(events: Array, item: Ids | None = None, cluster: Ids | None = None) -> Estimate:
    """Share of items with the event. events: 0 or 1 a row, NaN unscored; rows of one item are averaged.
    Wilson's interval, with clusters its design effect; of averages, the interval of a mean in 0..1."""
    pairs = make_pairs(events, np.zeros(len(events)), unit=item, cluster=cluster)
    if np.isin(pairs.x, (0.0, 1.0)).all():
        return clustered_rate(pairs.x, pairs.cluster, pairs.n_unscored)
    found = _spread(pairs, [0.0, 0.0, 1.0, 1.0])
    half, alone = found.half(0.95), len(pairs.cluster_sums) < 2
    return Estimate(
        value=float(pairs.x.mean()),
        low=None if alone else max(0.0, found.centre - half),
        high=None if alone else min(1.0, found.centre + half),
        se=None if alone else found.se,
        note="fewer than two clusters: no interval" if alone else "",
        n=pairs.n,
        n_unscored=pairs.n_unscored,
        method="mean share of repeats, 95% interval",
        source=BOUNDED_SOURCE,
        inputs=pairs.inputs,
    )


def net(
    plus: Array, minus: Array, name: str, source: str, item: Ids | None = None, cluster: Ids | None = None
) -> NetShare:
    """Share of items with plus less share with minus, on items that have both, each 0 or 1 a row.

    Single answers: adjusted Wald interval and McNemar's exact test. Averaged repeats or clusters: t interval,
    with pseudo-observations where differences are few or skewed (`bounded`), and the sign-flip test.
    """
    pairs = make_pairs(plus, minus, unit=item, cluster=cluster)
    single = not pairs.clustered and bool(np.isin(pairs.differences, (-1.0, 0.0, 1.0)).all())
    return _of_counts(pairs, name, source) if single else _of_means(pairs, name, source)


def score_equivalence(plus: int, minus: int, n: int, margin: float, n_unscored: int = 0) -> Significance:
    """Two one-sided score tests of |plus - minus| / n < margin; p is the larger. Where the difference lies at
    the margin (.1 or .2) it clears at most 6% of samples of 30 or more; with the plain standard error up to
    18%, because few changes make that error small just when they make the difference small.
    Raises ValueError unless 0 < margin < 1. Source: Tango (1998)."""
    if not 0 < margin < 1:
        raise ValueError(f"margin: a share lies between 0 and 1, found {margin}")
    method, inputs = (
        f"score test of equivalence within ±{margin:g}",
        kept(plus=plus, minus=minus, n=n, margin=margin),
    )
    if n == 0:
        return untestable(method, "nothing was scored", 0, n_unscored, TANGO_SOURCE, inputs)
    from scipy.special import ndtr

    below, above = _tango(plus, minus, n, margin), -_tango(minus, plus, n, margin)
    statistic = max(below, -above)
    return Significance(
        statistic=statistic, p=float(ndtr(statistic)), alternative="less", n=n, n_unscored=n_unscored,
        method=method, source=TANGO_SOURCE, inputs=inputs,
    )  # fmt: skip


def _tango(plus: int, minus: int, n: int, margin: float) -> float:
    """Standardised plus - minus less its value at `margin`, with the variance that holds there."""
    b = -plus - minus + (2 * n - plus + minus) * margin
    c = -minus * margin * (1 - margin)
    fitted = (math.sqrt(b * b - 8 * n * c) - b) / (4 * n)  # share of minus, the difference being the margin
    return (plus - minus - n * margin) / math.sqrt(n * (2 * fitted + margin * (1 - margin)))


def _of_counts(pairs: Pairs, name: str, source: str) -> NetShare:
    plus, minus = int((pairs.differences > 0).sum()), int((pairs.differences < 0).sum())
    effect = net_share(plus, minus, pairs.n, pairs.n_unscored)
    same = pairs.n - plus - minus
    silent = "nothing was scored" if pairs.n == 0 else "no item has one without the other"
    told = {"n_unscored": pairs.n_unscored, "inputs": pairs.inputs, "note": "" if plus + minus else silent}
    return NetShare(
        effect=effect.model_copy(
            update={
                "method": effect.method.replace("net difference", name),
                "source": f"{source}; {effect.source}",
                "inputs": pairs.inputs,
            }
        ),
        test=mcnemar([[same, plus], [minus, 0]]).model_copy(update=told),
        counts=(plus, minus),
        clusters=pairs.n,
        unscored_share=pairs.unscored_share,
    )


def _of_means(pairs: Pairs, name: str, source: str) -> NetShare:
    method = f"{name}, 95% interval over clusters" if pairs.clustered else f"{name}, 95% interval over items"
    value = float(pairs.differences.mean())
    told = {
        "value": value, "interpretation": interpret(value, NET_BOUNDS), "n": pairs.n,
        "n_unscored": pairs.n_unscored, "method": method, "source": f"{source}; {BOUNDED_SOURCE}",
        "inputs": pairs.inputs,
    }  # fmt: skip
    if len(pairs.cluster_sums) < 2:
        alone = EffectSize(low=None, high=None, note="fewer than two clusters: no interval", **told)
        test = sign_flip(pairs)
        return NetShare(effect=alone, test=test, counts=None, clusters=1, unscored_share=pairs.unscored_share)
    found = _spread(pairs, [1.0, -1.0])
    half = found.half(0.95)
    effect = EffectSize(
        low=max(-1.0, found.centre - half), high=min(1.0, found.centre + half), se=found.se, **told
    )
    test = sign_flip(pairs).model_copy(update={"df": found.df})
    k = len(pairs.cluster_sums)
    return NetShare(effect=effect, test=test, counts=None, clusters=k, unscored_share=pairs.unscored_share)


def _spread(pairs: Pairs, ends: list[float]) -> Spread:
    """Of the mean over items, from the clusters' deviations: the cluster-robust error. With clusters always
    t: few of them do not know their spread, padded or not."""
    k, mean = len(pairs.cluster_sums), float(pairs.differences.mean())
    sizes = np.bincount(pairs.cluster, minlength=k)
    values = mean + (pairs.cluster_sums - sizes * mean) * k / pairs.n
    found = spread(np.round(values, 12), np.array(ends), two_valued=False)
    return found._replace(df=k - 1) if pairs.clustered else found
