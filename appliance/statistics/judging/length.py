"""Does a judge pay for length? Only padded pairs of equal content isolate it; the rest is observational."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import numpy.typing as npt

from appliance.domain.base import Frozen
from appliance.domain.estimates import Estimate, Significance
from appliance.domain.outcomes import Hypothesis
from appliance.statistics import arrays, robust
from appliance.statistics.arrays import Array, Codes, kept, undefined, untestable
from appliance.statistics.equivalence import tost
from appliance.statistics.judging.shares import NetShare, net, share
from appliance.statistics.judging.winners import Winner, Winners, checked
from appliance.statistics.paired.pairs import Ids

FEWEST = 10  # answers of either kind for each column of a logistic regression (Peduzzi et al. 1996)
LEVEL = 0.95


class Verbosity(Frozen):
    """win_rate: share of decided pairs that the longer text wins. lean: pairs that it wins less those that it
    loses, as a share of pairs of unequal length, ties included; 0 without preference. n_equal: pairs of equal
    length, which say nothing."""

    win_rate: Estimate
    lean: NetShare
    n_equal: int

    def hypothesis(self, name: str, margin: float, min_n: int) -> Hypothesis:
        """The lean towards length against 0, for `outcome.decide`."""
        return self.lean.hypothesis(name, margin, min_n)


class Slope(Frozen):
    """What one unit of length is worth, and its test."""

    effect: Estimate
    test: Significance

    def hypothesis(self, name: str, margin: float, min_n: int) -> Hypothesis:
        """The slope against 0, for `outcome.decide`; the margin is on the slope's scale."""
        effect, df = self.effect, self.test.df
        return Hypothesis(
            name=name,
            effect=effect,
            margin=margin,
            test=self.test,
            equivalence=tost(effect.value, effect.se, df, margin, n=effect.n, n_unscored=effect.n_unscored),
            n=effect.n,
            min_n=min_n,
        )


def verbosity(
    winners: Winners, length_a: npt.ArrayLike, length_b: npt.ArrayLike, *, cluster: Ids | None = None
) -> Verbosity:
    """winners: per pair, None unscored; lengths of its two items, NaN unknown, in any unit. cluster: pairs
    of one template. Raises TypeError for anything but winners, ValueError for lengths that differ in number.
    Source: Zheng et al. (2023)."""
    found = checked(winners=winners)[0]
    longer = np.sign(arrays.scores(length_a, "length_a") - arrays.scores(length_b, "length_b"))
    side = np.array([np.nan if w is None else {Winner.A: 1, Winner.B: -1}.get(w, 0) for w in found])
    arrays.same_length(winners=side, lengths=longer)
    equal = longer == 0
    wins = (side * longer)[~equal]
    groups = None if cluster is None else arrays.clusters(cluster, len(side))[~equal]
    scored = ~np.isnan(wins)
    return Verbosity(
        win_rate=share(np.where(scored & (wins != 0), (wins > 0).astype(float), np.nan), cluster=groups),
        lean=net(
            np.where(scored, (wins > 0).astype(float), np.nan),
            np.where(scored, (wins < 0).astype(float), np.nan),
            "lean towards length", "Zheng et al. (2023)", cluster=groups,
        ),
        n_equal=int(equal.sum()),
    )  # fmt: skip


def length_slope(
    score_difference: npt.ArrayLike,
    length_difference: npt.ArrayLike,
    quality_difference: npt.ArrayLike | None = None,
    *,
    cluster: Ids | None = None,
) -> Slope:
    """Score difference per unit of length difference, with the difference in quality (people's, where known)
    held: least squares, CR2 errors and Satterthwaite's degrees of freedom (`robust.slope`): with few clusters
    or skewed lengths the usual sandwich rejects a true null in 9% to 23%. Without clusters each row is one.
    Longer answers can be better: without quality held this is no bias. Undefined for fewer clusters than
    columns and two, and where lengths or scores do not vary.
    Source: Bell and McCaffrey (2002)."""
    y, columns, groups, missing = _rows(score_difference, length_difference, quality_difference, cluster)
    k, method = len(np.unique(groups)), "score per unit of length, 95% cluster-robust t"
    told = _told(method, robust.SOURCE, y, columns, missing)
    few = k < columns.shape[1] + 2
    if few or np.ptp(y) == 0 or _degenerate(columns):
        return _undefined(
            "fewer clusters than columns and two" if few else "lengths or scores do not vary", told
        )
    return _slope(*robust.slope(y, columns, groups), told)


def length_preference(
    prefers_first: npt.ArrayLike,
    length_difference: npt.ArrayLike,
    quality_difference: npt.ArrayLike | None = None,
    *,
    cluster: Ids | None = None,
) -> Slope:
    """Log odds of preferring the first item of a pair per standard deviation of the length difference, with
    the difference in quality held: logistic regression, cluster-robust where clusters are given.
    prefers_first: 1, 0, NaN unscored (a tie is left out by writing NaN). Undefined for fewer than ten answers
    of either kind for each column, where lengths do not vary, and where they separate the answers completely.
    Raises ValueError for other values. Source: Dubois et al. (2024), through statsmodels."""
    y, columns, groups, missing = _rows(prefers_first, length_difference, quality_difference, cluster)
    if not np.isin(y, (0.0, 1.0)).all():
        raise ValueError("prefers_first: 1, 0 or NaN expected")
    told = _told("log odds per SD of length, 95% Wald", "Dubois et al. (2024)", y, columns, missing)
    needed = FEWEST * columns.shape[1]
    if min(int(y.sum()), int((1 - y).sum())) < needed:
        return _undefined(f"fewer than {needed} answers of either kind", told)
    if _degenerate(columns):
        return _undefined("lengths or quality do not vary", told)
    found = _logit(y, columns, None if cluster is None else groups)
    if found is None:
        return _undefined("length separates the answers completely", told)
    return _slope(*found, None if cluster is None else len(np.unique(groups)) - columns.shape[1] - 1, told)


def _rows(
    outcome: npt.ArrayLike, length: npt.ArrayLike, quality: npt.ArrayLike | None, cluster: Ids | None
) -> tuple[Array, Array, Codes, int]:
    y, x = arrays.scores(outcome, "outcome"), arrays.scores(length, "length_difference")
    held = [] if quality is None else [arrays.scores(quality, "quality_difference")]
    n = arrays.same_length(
        outcome=y, length_difference=x, **({"quality_difference": held[0]} if held else {})
    )
    columns = np.stack([x, *held], axis=1)
    used = ~(np.isnan(y) | np.isnan(columns).any(axis=1))
    return y[used], columns[used], arrays.clusters(cluster, n)[used], n - int(used.sum())


def _degenerate(columns: Array) -> bool:
    centred = columns - columns.mean(axis=0) if len(columns) else columns
    return len(columns) == 0 or int(np.linalg.matrix_rank(centred)) < columns.shape[1]


def _logit(y: Array, columns: Array, groups: Codes | None) -> tuple[float, float] | None:
    import statsmodels.api as sm

    scaled = (columns - columns.mean(axis=0)) / columns.std(axis=0, ddof=1)
    robust: dict[str, Any] = {} if groups is None else {"cov_type": "cluster", "cov_kwds": {"groups": groups}}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        fit = sm.GLM(y, sm.add_constant(scaled), family=sm.families.Binomial()).fit(**robust)
        rates = np.asarray(fit.fittedvalues)
    separated = bool((np.abs(rates - y) < 1e-4).all())
    slope, se = float(fit.params[1]), float(fit.bse[1])
    return (slope, se) if fit.converged and not separated and np.isfinite(se) else None


def _told(method: str, source: str, y: Array, columns: Array, missing: int) -> dict[str, Any]:
    inputs = kept(outcome=y, columns=columns)
    return {"n": len(y), "n_unscored": missing, "method": method, "source": source, "inputs": inputs}


def _undefined(note: str, told: dict[str, Any]) -> Slope:
    return Slope(effect=undefined(note=note, **told), test=untestable(note=note, **told))


def _slope(slope: float, se: float, df: float | None, told: dict[str, Any]) -> Slope:
    from scipy.special import ndtr, ndtri, stdtr, stdtrit

    tail = (1 + LEVEL) / 2
    if not se > 1e-12 * abs(slope):
        return _undefined("nothing varies around the fitted line", told)
    half = se * float(ndtri(tail) if df is None else stdtrit(df, tail))
    z = -abs(slope / se)
    return Slope(
        effect=Estimate(value=slope, low=slope - half, high=slope + half, level=LEVEL, se=se, **told),
        test=Significance(
            statistic=slope / se, p=float(2 * (ndtr(z) if df is None else stdtr(df, z))), df=df, **told
        ),
    )
