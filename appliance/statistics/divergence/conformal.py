"""Which records' judges differ more than they do on records known to be ordinary.

A conformal threshold makes one promise, for any distribution of differences: a record that is exchangeable
with the calibration records exceeds it with a probability of at most alpha. It says nothing about records
that are not like them, and nothing about which judge is wrong.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from appliance.domain.base import Frozen
from appliance.domain.estimates import Measured
from appliance.statistics.arrays import Array, codes, kept, same_length, scores

SOURCE = "Vovk, Gammerman and Shafer (2005)"
METHOD = "split conformal threshold of |s1 - s2|"
# Differences of scores such as 0.7 - 0.4 and 0.3 are equal on paper and must tie.
TIE = 1e-9


class Threshold(Measured):
    """value: the difference above which a record is divergent, None where n is too small for alpha: then
    no difference, however large, could be told from an ordinary one, and none may be called ordinary.

    rank: value is the rank-th smallest of n calibration differences. least_alpha: the smallest alpha that n
    allows, 1/(n + 1). coverage_low, coverage_high: 95% range of the share of ordinary records that this one
    threshold leaves alone, over calibration sets (Beta(rank, n + 1 - rank), differences without ties; ties
    raise it). share_above: share of the calibration records above value.
    """

    value: float | None
    alpha: float
    rank: int
    least_alpha: float
    coverage_low: float | None
    coverage_high: float | None
    share_above: float | None


class GroupThreshold(Frozen):
    """own: from the group's own calibration records. used: `own`, or the pooled one with `fallback` saying
    why; the promise then holds over all groups together, not for this one."""

    group: str
    own: Threshold
    used: Threshold
    fallback: str


class GroupThresholds(Frozen):
    """A threshold for each group and the pooled one. A group with a higher threshold of its own is one on
    whose ordinary records the judges differ more: that is a finding (see `differential`), which thresholds
    by group would hide if they were the only ones looked at."""

    pooled: Threshold
    groups: tuple[GroupThreshold, ...]


def differences(first: npt.ArrayLike, second: npt.ArrayLike) -> Array:
    """|s1 - s2| of each record, NaN where either judge left it unscored."""
    s1, s2 = scores(first, "first"), scores(second, "second")
    same_length(first=s1, second=s2)
    found: Array = np.abs(s1 - s2)
    return found


def threshold(calibration: npt.ArrayLike, alpha: float = 0.05) -> Threshold:
    """The ceil((n + 1)(1 - alpha))-th smallest calibration difference.

    calibration: absolute differences of records that are ordinary and like those to be judged, shape (m,);
    NaN is unscored. Discrete scores tie; only differences strictly above the threshold count as divergent,
    so the rate on ordinary records is then below alpha, often far below (`share_above`): no record is
    referred to people by the toss of a coin. Without a value, with a note, where n + 1 < 1/alpha.
    Raises ValueError for a negative difference or alpha outside 0..1.
    Source: Vovk, Gammerman and Shafer (2005).
    """
    if not 0 < alpha < 1:
        raise ValueError(f"alpha: {alpha} is not between 0 and 1")
    measured = _checked(calibration, "calibration")
    scored = np.sort(measured[~np.isnan(measured)])
    n = len(scored)
    rank = math.ceil(round((n + 1) * (1 - alpha), 9))  # rounding error would take the next one
    enough = rank <= n
    low, high = _coverage(rank, n) if enough else (None, None)
    value = float(scored[rank - 1]) if enough else None
    return Threshold(
        value=value, alpha=alpha, rank=rank, least_alpha=1 / (n + 1), coverage_low=low, coverage_high=high,
        share_above=None if value is None else float(np.mean(scored > value + TIE)), n=n,
        n_unscored=len(measured) - n, method=METHOD, source=SOURCE,
        note="" if enough else _too_few(n, alpha), inputs=kept(calibration=measured, alpha=alpha),
    )  # fmt: skip


def thresholds_by_group(
    calibration: npt.ArrayLike,
    groups: Sequence[Hashable] | npt.NDArray[Any],
    labels: Sequence[Hashable],
    alpha: float = 0.05,
) -> GroupThresholds:
    """A threshold from each group's own calibration records, so that the promise holds within each group.

    groups: of each calibration record, shape (m,). labels: every group that will be judged; one without
    enough calibration records falls back on the pooled threshold and says so. Raises ValueError as
    `threshold`, and for a group that is not listed. Source: Vovk et al. (2005), Mondrian conformal.
    """
    measured, of = _checked(calibration, "calibration"), codes(groups, labels, "groups")
    same_length(calibration=measured, groups=of)
    pooled = threshold(measured, alpha)
    return GroupThresholds(
        pooled=pooled,
        groups=tuple(_of_group(str(g), measured[of == i], pooled) for i, g in enumerate(labels)),
    )


def divergent(measured: npt.ArrayLike, limit: Threshold) -> Array:
    """1 where a record's difference is above the threshold, 0 where it is not, NaN where that cannot be
    said: an unscored record, or a threshold without a value."""
    found = _checked(measured, "measured")
    if limit.value is None:
        return np.full(len(found), np.nan)
    above: Array = np.where(np.isnan(found), np.nan, (found > limit.value + TIE).astype(float))
    return above


def conformal_p(measured: npt.ArrayLike, calibration: npt.ArrayLike) -> Array:
    """(1 + calibration differences of at least this one) / (n + 1), NaN for an unscored record: p <= alpha
    exactly where `divergent` at alpha is 1. For ranking records and for a false discovery rate over them.
    Source: Vovk et al. (2005); false discovery rate: Bates et al. (2023)."""
    found, known = _checked(measured, "measured"), _checked(calibration, "calibration")
    known = np.sort(known[~np.isnan(known)])
    reached = len(known) - np.searchsorted(known, found - TIE, side="left")
    p: Array = np.where(np.isnan(found), np.nan, (1 + reached) / (len(known) + 1))
    return p


def _checked(values: npt.ArrayLike, name: str) -> Array:
    found = scores(values, name)
    if (found < 0).any():
        raise ValueError(f"{name}: the difference at position {int((found < 0).argmax())} is negative")
    return found


def _coverage(rank: int, n: int) -> tuple[float, float]:
    from scipy.special import betaincinv

    return float(betaincinv(rank, n + 1 - rank, 0.025)), float(betaincinv(rank, n + 1 - rank, 0.975))


def _too_few(n: int, alpha: float) -> str:
    needed = math.ceil(round(1 / alpha, 9)) - 1
    return f"{n} calibration records: a threshold at {alpha:g} needs {needed}, so nothing is called ordinary"


def _of_group(group: str, measured: Array, pooled: Threshold) -> GroupThreshold:
    own = threshold(measured, pooled.alpha)
    if own.value is not None:
        return GroupThreshold(group=group, own=own, used=own, fallback="")
    promise = "the pooled threshold is used, which promises nothing for this group alone"
    return GroupThreshold(group=group, own=own, used=pooled, fallback=f"{own.note}; {promise}")
