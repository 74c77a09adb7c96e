"""Have the shares of the scores shifted between two runs?"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from appliance.domain.base import Frozen
from appliance.domain.estimates import Estimate, Significance
from appliance.statistics.arrays import Array, Codes, codes, kept, same_length, undefined, untestable
from appliance.statistics.resampling import bootstrap

SOURCE = "Siddiqi (2006); by chance: Yurdakul and Naranjo (2020)"
DRAWS = 9_999
HALF = 0.5


class Stability(Frozen):
    """index: PSI. test: of no shift. by_chance: mean and 95th percentile of PSI without a shift at these
    sizes: the usual limits of .1 and .25 mean little beside them. smoothed: labels that one of the runs
    lacked, entered as half a record."""

    index: Estimate
    test: Significance
    by_chance: tuple[float, float] | None
    smoothed: tuple[str, ...]


def stability(
    expected: Sequence[Hashable] | npt.NDArray[Any],
    actual: Sequence[Hashable] | npt.NDArray[Any],
    labels: Sequence[Hashable],
    *,
    paired: bool = False,
    draws: int = DRAWS,
    seed: int = 0,
) -> Stability:
    """Population stability index Σ(a - e) ln(a/e) over the labels' shares e of a baseline run and a of a
    later one.

    expected, actual: the label of each record, None where unscored. labels: the full list. paired: both
    runs judge the same records in the same order (a frozen set); records unscored in either are left out of
    both, and the two answers of a record are exchanged. Otherwise records are dealt to the two runs anew.
    An empty label would make PSI infinite: it enters as half a record, and one that both runs lack as
    nothing. PSI is biased upwards and its BCa interval cannot reach 0: for whether there is a shift read
    the test. Undefined, with a note, where a run has no scored record; no test where only one label occurs.
    Raises ValueError for a label that is not listed, and for different lengths if paired.
    Source: Siddiqi (2006); draws: Phipson and Smyth (2010).
    """
    e, a = codes(expected, labels, "expected"), codes(actual, labels, "actual")
    total = max(len(e), len(a)) if paired else len(e) + len(a)
    if paired:
        same_length(expected=e, actual=a)
        both = (e >= 0) & (a >= 0)
        e, a = e[both], a[both]
    e, a = e[e >= 0], a[a >= 0]
    n = len(e) if paired else len(e) + len(a)
    method = f"population stability index, {'paired' if paired else 'independent'} runs"
    inputs = kept(expected=e, actual=a)
    if not len(e) or not len(a):
        nothing = "a run has no scored record"
        return Stability(
            index=undefined(method, nothing, n, total - n, SOURCE, inputs),
            test=untestable(method, nothing, n, total - n, SOURCE, inputs), by_chance=None, smoothed=(),
        )  # fmt: skip
    q = len(labels)
    counts = np.stack([np.bincount(e, minlength=q), np.bincount(a, minlength=q)])
    parts = _parts(e, a, q, paired)
    drawn = _exchanged(e, a, q, draws, seed) if paired else _dealt(counts, draws, seed)
    bounds = bootstrap(parts, lambda sums: psi(sums[:, :q], sums[:, q:]), method="bca", seed=seed)
    value = float(psi(counts[:1], counts[1:])[0])
    lacking = (counts == 0).any(axis=0) & (counts > 0).any(axis=0)
    return Stability(
        index=Estimate(
            value=value, low=bounds.low, high=bounds.high, n=n, n_unscored=total - n,
            method=f"{method}, 95% BCa bootstrap", source=SOURCE, note=bounds.note, inputs=inputs,
        ),
        test=_test(method, value, drawn, bool((counts.sum(axis=0) > 0).sum() > 1), n, total - n, inputs),
        by_chance=(float(drawn.mean()), float(np.quantile(drawn, 0.95))),
        smoothed=tuple(str(label) for label, empty in zip(labels, lacking, strict=True) if empty),
    )  # fmt: skip


def psi(expected: Array | Codes, actual: Array | Codes) -> Array:
    """PSI of each row of counts, shape (r, q) and (r, q) -> (r,); NaN of nothing."""
    used = (expected + actual) > 0
    e = np.where(used & (expected == 0), HALF, expected)
    a = np.where(used & (actual == 0), HALF, actual)
    with np.errstate(divide="ignore", invalid="ignore"):
        e, a = e / e.sum(axis=1, keepdims=True), a / a.sum(axis=1, keepdims=True)
        found: Array = np.where(used, (a - e) * np.log(a / e), 0.0).sum(axis=1)
    found[~used.any(axis=1)] = np.nan
    return found


def _parts(e: Codes, a: Codes, q: int, paired: bool) -> Array:
    """What each record adds to the counts of both runs."""
    first, second = np.eye(q)[e], np.eye(q)[a]
    if paired:
        return np.concatenate([first, second], axis=1)
    none = [np.zeros_like(first), np.zeros_like(second)]
    return np.block([[first, none[0]], [none[1], second]])


def _dealt(counts: Codes, draws: int, seed: int) -> Array:
    """PSI when the records of both runs are dealt anew to runs of the same sizes."""
    pooled, size = counts.sum(axis=0), int(counts[0].sum())
    e = np.random.default_rng(seed).multivariate_hypergeometric(pooled, size, size=draws)
    return psi(e, pooled - e)


def _exchanged(e: Codes, a: Codes, q: int, draws: int, seed: int) -> Array:
    """PSI when each record's two answers change places by a coin; records of equal answers together."""
    table = np.bincount(e * q + a, minlength=q * q)
    kept_back = np.random.default_rng(seed).binomial(table, 0.5, size=(draws, q * q)).reshape(-1, q, q)
    moved = table.reshape(q, q) - kept_back
    first = kept_back.sum(axis=2) + moved.sum(axis=1)
    return psi(first, np.bincount(np.concatenate([e, a]), minlength=q) - first)


def _test(
    method: str, value: float, drawn: Array, varies: bool, n: int, n_unscored: int, inputs: dict[str, Any]
) -> Significance:
    name = f"{method}, exchange, {len(drawn):,} random draws"
    if not varies:
        return untestable(name, "only one label occurs", n, n_unscored, SOURCE, inputs)
    reached = int((drawn >= value * (1 - 1e-9) - 1e-12).sum())
    return Significance(
        statistic=value, p=(1 + reached) / (1 + len(drawn)), alternative="greater", n=n,
        n_unscored=n_unscored, method=name, source=SOURCE, inputs=inputs,
    )  # fmt: skip
