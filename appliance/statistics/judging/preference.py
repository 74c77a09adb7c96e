"""What moves preferences: attacks, a judge's own text, and length."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from appliance.domain.base import Frozen
from appliance.domain.estimates import Estimate, Significance
from appliance.statistics import arrays
from appliance.statistics.arrays import kept, undefined, untestable
from appliance.statistics.judging.position import Winners
from appliance.statistics.judging.winners import Winner
from appliance.statistics.paired.pairs import Ids
from appliance.statistics.proportions import compare_rates, rate, rate_difference

ATTACK_SOURCE = "Chen et al. (2024)"
PANICKSSERY = "Panickssery, Bowman and Feng (2024)"


class AttackSuccess(Frozen):
    """success: share of items that the control judged against the attacked answer and the perturbed judging
    for it (or for a tie). noise: the same share in a repeat of the control. net: their difference."""

    success: Estimate
    noise: Estimate
    net: Estimate
    test: Significance


def attack_success(
    control: Winners, attacked: Winners, repeat: Winners, target: Winner = Winner.A
) -> AttackSuccess:
    """control, attacked, repeat: winners per item, None unscored. target: the item whose text was perturbed
    in `attacked`. Items that the control already gave to the target cannot be moved and are no denominator;
    ties can. Items lacking an answer count as unscored in the rate that needs it.
    Source: Chen et al. (2024)."""
    arrays.same_length(
        control=np.array(control, dtype=object), attacked=np.array(attacked, dtype=object),
        repeat=np.array(repeat, dtype=object),
    )  # fmt: skip
    moved, again = _moved(control, attacked, target), _moved(control, repeat, target)
    success, noise = (rate(sum(m), len(m), n) for m, n in (moved, again))
    counts = (sum(moved[0]), len(moved[0]), sum(again[0]), len(again[0]))
    return AttackSuccess(
        success=success.model_copy(update={"source": f"{ATTACK_SOURCE}; {success.source}"}),
        noise=noise,
        net=rate_difference(*counts, n_unscored=moved[1]),
        test=compare_rates(*counts, moved[1]),
    )


def _moved(control: Winners, after: Winners, target: Winner) -> tuple[list[bool], int]:
    """Whether each movable item moved towards the target, and how many could not be compared."""
    found, missing = [], 0
    rank = {target: 2, Winner.TIE: 1}
    for before, now in zip(control, after, strict=True):
        if before is None or now is None:
            missing += before is None or before is not target
        elif before is not target:
            found.append(rank.get(now, 0) > rank.get(before, 0))
    return found, missing


def self_preference(
    judge_prefers_own: npt.ArrayLike, people_prefer_own: npt.ArrayLike
) -> tuple[Estimate, Significance]:
    """P(judge prefers its own text | people do) less P(judge prefers its own | people do not), and its test.

    Equal opportunity would have the judge agree with people: what points to self-preference is the second
    rate, which `inputs` of the estimate hold. One row a pair, 1, 0 or NaN. Newcombe's interval.
    Source: Panickssery, Bowman and Feng (2024)."""
    judge, people = arrays.scores(judge_prefers_own, "judge"), arrays.scores(people_prefer_own, "people")
    arrays.same_length(judge=judge, people=people)
    both = ~(np.isnan(judge) | np.isnan(people))
    ours, theirs = judge[both] > 0.5, people[both] > 0.5
    counts = (
        int((ours & theirs).sum()), int(theirs.sum()), int((ours & ~theirs).sum()), int((~theirs).sum()),
    )  # fmt: skip
    missing = int((~both).sum())
    found = rate_difference(*counts, n_unscored=missing)
    return (
        found.model_copy(update={"source": f"{PANICKSSERY}; {found.source}"}),
        compare_rates(*counts, missing),
    )


def length_slope(
    score_difference: npt.ArrayLike,
    length_difference: npt.ArrayLike,
    cluster: Ids | None = None,
    level: float = 0.95,
) -> tuple[Estimate, Significance]:
    """Score difference per unit of length difference: least squares with cluster-robust errors, t with
    clusters - 2 degrees. Observational: longer answers can be better; only padded pairs isolate length.
    Undefined for fewer than three clusters and for lengths that do not vary.
    Source: Liang and Zeger (1986), through statsmodels."""
    y, x = (
        arrays.scores(score_difference, "score_difference"),
        arrays.scores(length_difference, "length_difference"),
    )
    arrays.same_length(score_difference=y, length_difference=x)
    both = ~(np.isnan(x) | np.isnan(y))
    groups = arrays.clusters(cluster, len(x))[both]
    x, y, missing = x[both], y[both], int((~both).sum())
    k = len(np.unique(groups))
    method, source = f"slope on length, {level:.0%} cluster-robust t", "Liang and Zeger (1986)"
    inputs = kept(score_difference=y, length_difference=x)
    if k < 3 or np.ptp(x) == 0 or np.ptp(y) == 0:
        note = "fewer than three clusters" if k < 3 else "lengths or scores do not vary"
        return (
            undefined(method, note, len(x), missing, source, inputs),
            untestable(method, note, len(x), missing, source, inputs),
        )
    import statsmodels.api as sm
    from scipy.stats import t

    fit = sm.OLS(y, sm.add_constant(x)).fit(cov_type="cluster", cov_kwds={"groups": groups})
    slope, se, df = float(fit.params[1]), float(fit.bse[1]), k - 2
    half = float(t.ppf((1 + level) / 2, df)) * se
    common = {"n": len(x), "n_unscored": missing, "method": method, "source": source, "inputs": inputs}
    return (
        Estimate(value=slope, low=slope - half, high=slope + half, level=level, se=se, **common),
        Significance(statistic=slope / se, p=float(2 * t.sf(abs(slope / se), df)), df=df, **common),
    )


def length_preference(
    prefers_first: npt.ArrayLike,
    length_difference: npt.ArrayLike,
    quality_difference: npt.ArrayLike | None = None,
    level: float = 0.95,
) -> tuple[Estimate, Significance]:
    """Log odds of preferring the first of a pair, per standard deviation of the length difference, with the
    difference in quality (people's, if known) held: logistic regression. prefers_first: 1, 0, NaN unscored
    (ties are left out by writing NaN). Undefined for fewer than ten pairs of either answer, and where length
    separates the answers completely. Source: Dubois et al. (2024), through statsmodels."""
    y, x = (
        arrays.scores(prefers_first, "prefers_first"),
        arrays.scores(length_difference, "length_difference"),
    )
    q = None if quality_difference is None else arrays.scores(quality_difference, "quality_difference")
    columns: Sequence[npt.NDArray[np.float64]] = [x] if q is None else [x, q]
    both = ~(np.isnan(y) | np.any([np.isnan(c) for c in columns], axis=0))
    missing, y = int((~both).sum()), y[both]
    method, source = f"log odds per SD of length, {level:.0%} Wald", "Dubois et al. (2024)"
    few, n = min(int(y.sum()), int((1 - y).sum())), len(y)
    inputs = kept(prefers_first=y, length_difference=x[both])
    note = (
        "fewer than ten pairs of either answer"
        if few < 10
        else "lengths do not vary"
        if np.ptp(x[both]) == 0
        else ""
    )
    fit = None if note else _logit(y, [c[both] for c in columns])
    if fit is None:
        note = note or "length separates the answers completely"
        told = (method, note, n, missing, source, inputs)
        return undefined(*told), untestable(*told)
    slope, se = fit
    from scipy.stats import norm

    half = float(norm.ppf((1 + level) / 2)) * se
    common = {"n": n, "n_unscored": missing, "method": method, "source": source, "inputs": inputs}
    return (
        Estimate(value=slope, low=slope - half, high=slope + half, level=level, se=se, **common),
        Significance(statistic=slope / se, p=float(2 * norm.sf(abs(slope / se))), **common),
    )


def _logit(
    y: npt.NDArray[np.float64], columns: Sequence[npt.NDArray[np.float64]]
) -> tuple[float, float] | None:
    import warnings

    import statsmodels.api as sm

    scaled = [(c - c.mean()) / (c.std() or 1.0) for c in columns]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        fit = sm.GLM(y, sm.add_constant(np.stack(scaled, axis=1)), family=sm.families.Binomial()).fit()
    slope, se = float(fit.params[1]), float(fit.bse[1])
    return (slope, se) if fit.converged and se < 50 else None  # errors explode under separation
