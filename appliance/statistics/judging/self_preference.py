"""Does a judge prefer its own text beyond what people find in it?"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from appliance.domain.base import Frozen
from appliance.domain.estimates import Estimate, Significance
from appliance.domain.outcomes import Hypothesis
from appliance.statistics import arrays
from appliance.statistics.arrays import Array, Codes, kept, undefined, untestable
from appliance.statistics.equivalence import tost
from appliance.statistics.judging.shares import share
from appliance.statistics.paired.pairs import Ids
from appliance.statistics.proportions import compare_rates, equivalent_rates, rate_difference

SELF_SOURCE = "Wataoka, Takahashi and Ri (2024)"


class SelfPreference(Frozen):
    """own: how often the judge prefers its own text where people do. other: how often it prefers the other
    text where people do. bias: own less other, 0 for a judge that is right (or wrong) as often about both
    (equal opportunity), above 0 for self-preference. discrimination: P(prefers own | people prefer it) -
    P(prefers own | people do not), 0 for a judge that sees no difference and 1 for one that agrees with
    people: how well it judges, not how partial it is. n_even: pairs that people find even, which say
    nothing here. clustered: whether pairs share templates."""

    own: Estimate
    other: Estimate
    bias: Estimate
    test: Significance
    discrimination: Estimate
    n_even: int
    clustered: bool

    def hypothesis(self, name: str, margin: float, min_n: int) -> Hypothesis:
        """The bias against 0, for `outcome.decide`; n is the smaller of the two groups."""
        return Hypothesis(
            name=name,
            effect=self.bias,
            margin=margin,
            test=self.test,
            equivalence=self._equivalence(margin),
            n=min(self.own.n, self.other.n),
            min_n=min_n,
            reach=2.0,
        )

    def _equivalence(self, margin: float) -> Significance:
        """The score test; with clusters also TOST with their t, whichever is less sure."""
        missing = self.bias.n_unscored
        own, other = (round((e.value or 0.0) * e.n) for e in (self.own, self.other))
        score = equivalent_rates(own, self.own.n, other, self.other.n, margin, missing)
        if not self.clustered:
            return score
        found = tost(self.bias.value, self.bias.se, self.test.df, margin, n=self.bias.n, n_unscored=missing)
        if found.p is None or score.p is None:
            return found
        return found.model_copy(update={"p": max(found.p, score.p)})


def self_preference(
    judge: npt.ArrayLike, people: npt.ArrayLike, *, cluster: Ids | None = None
) -> SelfPreference:
    """judge, people: a row a pair of the judge's own text and another: 1 prefers the judge's own, 0 the
    other, 0.5 a tie, NaN unscored. A tie of the judge's is no hit.

    Differences: Newcombe's interval, Pearson's or Fisher's test; with clusters the cluster-robust t.
    Undefined where people never prefer the one or the other. Raises ValueError for other values.
    Source: Wataoka, Takahashi and Ri (2024)."""
    ours, theirs = _preference(judge, "judge"), _preference(people, "people")
    n = arrays.same_length(judge=ours, people=theirs)
    groups = arrays.clusters(cluster, n)
    used = ~np.isnan(ours) & np.isin(theirs, (0.0, 1.0))
    even = theirs == 0.5
    missing = n - int((used | even).sum())
    mine = theirs[used] == 1
    agrees, prefers_own = (ours == theirs)[used], (ours == 1)[used]
    bias, test = _difference(agrees, mine, groups[used], missing)
    discrimination, _ = _difference(prefers_own, mine, groups[used], missing)
    return SelfPreference(
        own=share(agrees[mine].astype(float), cluster=groups[used][mine]),
        other=share(agrees[~mine].astype(float), cluster=groups[used][~mine]),
        bias=bias,
        test=test,
        discrimination=discrimination,
        n_even=int(even.sum()),
        clustered=_shared(groups[used]),
    )


def _shared(cluster: Codes) -> bool:
    return len(np.unique(cluster)) < len(cluster)


def _preference(values: npt.ArrayLike, name: str) -> Array:
    found = arrays.scores(values, name)
    wrong = ~np.isnan(found) & ~np.isin(found, (0.0, 0.5, 1.0))
    if wrong.any():
        at = int(wrong.argmax())
        raise ValueError(f"{name}: 1, 0.5, 0 or NaN expected, found {found[at]} at position {at}")
    return found


def _difference(
    hits: arrays.Mask, first: arrays.Mask, cluster: Codes, missing: int
) -> tuple[Estimate, Significance]:
    """Rate of hits in the first group less that in the rest."""
    k, n = int(hits[first].sum()), int(first.sum())
    k0, n0 = int(hits[~first].sum()), int((~first).sum())
    estimate, test = rate_difference(k, n, k0, n0, n_unscored=missing), compare_rates(k, n, k0, n0, missing)
    if _shared(cluster) and estimate.value is not None:
        return _clustered(hits.astype(float), first, cluster, estimate, missing)
    source = f"{SELF_SOURCE}; {estimate.source}"
    return estimate.model_copy(update={"source": source}), test


def _clustered(
    hits: Array, first: arrays.Mask, cluster: Codes, plain: Estimate, missing: int
) -> tuple[Estimate, Significance]:
    source, value = f"{SELF_SOURCE}; Liang and Zeger (1986)", plain.value or 0.0
    inputs = kept(hits=hits, first=first, cluster=cluster)
    method, tested = "difference of rates, 95% cluster-robust t", "cluster-robust t-test"
    codes = np.unique(cluster, return_inverse=True)[1]
    away = np.where(first, hits - hits[first].mean(), -(hits - hits[~first].mean()))
    sums = np.bincount(codes, away / np.where(first, first.sum(), (~first).sum()))
    df = len(sums) - 2
    se = 0.0 if df < 1 else math.sqrt(len(sums) / df * float(np.square(sums).sum()))
    if not se > 1e-12:
        note = "fewer than three clusters" if df < 1 else "nothing varies between clusters"
        return (
            undefined(method, note, len(hits), missing, source, inputs),
            untestable(tested, note, len(hits), missing, source, inputs),
        )
    from scipy.stats import t

    se = max(se, plain.se or 0.0)  # few clusters can look alike by chance
    half = float(t.ppf(0.975, df)) * se
    told = {"n": len(hits), "n_unscored": missing, "source": source, "inputs": inputs}
    return (
        Estimate(
            value=value,
            low=max(-1.0, value - half),
            high=min(1.0, value + half),
            se=se,
            method=method,
            **told,
        ),
        Significance(
            statistic=value / se, p=float(2 * t.sf(abs(value / se), df)), df=df, method=tested, **told
        ),
    )
