"""Tests of paired differences. None of them gates on another: which one is primary is fixed beforehand."""

from __future__ import annotations

from typing import Literal

import numpy as np

from appliance.domain.estimates import Significance
from appliance.statistics.arrays import Array, untestable
from appliance.statistics.paired.pairs import Pairs
from appliance.statistics.paired.signflip import DRAWS, flip_test, positive_sums

Zeros = Literal["pratt", "wilcox", "zsplit"]
WilcoxonMethod = Literal["auto", "exact", "asymptotic"]
EXACT_UP_TO = 500  # pairs; the exact distribution then takes a tenth of a second
ALL_ZERO = "all differences are zero"


def sign_flip(pairs: Pairs, seed: int = 0, draws: int = DRAWS, mid_p: bool = True) -> Significance:
    """Permutation test of the mean difference: signs of whole clusters are flipped. The primary test for
    scores of few levels: right with ties and zeros, exact on a grid of scores at any n.

    mid_p: count half of what equals the observed mean. Scores have few possible means, and the plain p then
    rejects far too seldom (1.8% of nulls at 5%, for 20 pairs half of which tie; mid-p: see the tests), which
    hides real effects. statistic: the mean difference. Undefined without pairs; p = 1 where all are zero.
    Sources: Fisher (1935); mid-p: Lancaster (1961); draws counted as in Phipson and Smyth (2010).
    """
    name, source = "sign-flip permutation of the mean", "Fisher (1935)"
    if not pairs.n:
        return _nothing(name, source, pairs)
    found = flip_test(pairs.cluster_sums, seed, draws)
    unit = f" over {len(pairs.cluster_sums)} clusters" if pairs.clustered else ""
    note = ALL_ZERO if not pairs.differences.any() else ""
    mean, p = float(pairs.differences.mean()), found.mid_p if mid_p else found.p
    how = f"{found.how}, mid-p" if mid_p else found.how
    return _made(f"{name}{unit}, {how}", source, pairs, mean, p, note=note)


def t_test(pairs: Pairs) -> Significance:
    """Paired t-test; with clusters, the mean over its cluster-robust standard error, t with k - 1 degrees.
    Undefined where differences do not vary: t would be infinite, and a permutation test says more.
    Source: Student (1908); clusters: Liang and Zeger (1986)."""
    name, source = "paired t-test", "Student (1908)"
    if pairs.clustered:
        name, source = "paired t-test, cluster-robust", "Liang and Zeger (1986)"
    if pairs.n < 2 or len(pairs.cluster_sums) < 2:
        return untestable(
            name, "fewer than two clusters of pairs", pairs.n, pairs.n_unscored, source, pairs.inputs
        )
    mean, se, df = mean_and_error(pairs)
    if not se > 0:
        return untestable(
            name, "the differences do not vary", pairs.n, pairs.n_unscored, source, pairs.inputs
        )
    from scipy import stats

    return _made(name, source, pairs, mean / se, float(2 * stats.t.sf(abs(mean / se), df)), df=df)


def mean_and_error(pairs: Pairs) -> tuple[float, float, int]:
    """Mean difference, its standard error sqrt(k/(k-1) · Σ_c (Σ e)²) / n, and k - 1 degrees of freedom.
    With one pair a cluster this is the usual s/√n."""
    k, n = len(pairs.cluster_sums), pairs.n
    mean = float(pairs.differences.mean())
    sizes = np.bincount(pairs.cluster, minlength=k)
    residuals = pairs.cluster_sums - sizes * mean
    scale = max(float(np.abs(pairs.differences).max()), 1e-300)
    spread = float((residuals**2).sum())
    # Rounding leaves 1e-17 where nothing varies, which would make t astronomical.
    spread = 0.0 if spread < (1e-12 * scale * n) ** 2 else spread
    return mean, float(np.sqrt(k / (k - 1) * spread) / n), k - 1


def sign_test(pairs: Pairs, seed: int = 0) -> Significance:
    """Exact sign test, zeros left out; with clusters, the signs of whole clusters are flipped together.
    statistic: number of positive differences. p = 1 where all are zero. Source: Dixon and Mood (1946)."""
    name, source = "sign test, exact", "Dixon and Mood (1946)"
    if not pairs.n:
        return _nothing(name, source, pairs)
    signs = np.sign(pairs.differences)
    positive = int((signs > 0).sum())
    if pairs.clustered:
        found = flip_test(np.bincount(pairs.cluster, signs).astype(np.float64), seed)
        return _made(f"sign test by clusters, {found.how}", source, pairs, positive, found.p)
    from scipy.stats import binomtest

    scored = int(np.abs(signs).sum())
    p = float(binomtest(positive, scored).pvalue) if scored else 1.0
    return _made(name, source, pairs, positive, p, note="" if scored else ALL_ZERO)


def wilcoxon(
    pairs: Pairs, zeros: Zeros = "pratt", method: WilcoxonMethod = "auto", correction: bool = False
) -> Significance:
    """Wilcoxon's signed-rank test of independent pairs; clusters are refused with a note.

    zeros: "pratt" ranks them and drops their ranks, "wilcox" drops them before ranking, "zsplit" gives half
    of their ranks to each side. method: "exact" is the distribution given the ranks found, ties and zeros
    included (splitting zeros does not change it); "asymptotic" the normal one of scipy, `correction` for
    continuity; "auto" exact up to 500 pairs. statistic: the smaller rank sum.
    Sources: Wilcoxon (1945), Pratt (1959).
    """
    name, source = f"Wilcoxon signed-rank ({zeros})", "Wilcoxon (1945), Pratt (1959)"
    if pairs.clustered:
        note = "pairs of one cluster are not independent; see the sign-flip test"
        return untestable(name, note, pairs.n, pairs.n_unscored, source, pairs.inputs)
    if not pairs.n:
        return _nothing(name, source, pairs)
    if not pairs.differences.any():
        return _made(f"{name}, exact", source, pairs, 0.0, 1.0, note=ALL_ZERO)
    plus, minus, ranks = signed_ranks(pairs.differences, zeros)
    if method == "asymptotic" or (method == "auto" and pairs.n > EXACT_UP_TO):
        from scipy import stats

        found = stats.wilcoxon(
            pairs.differences, zero_method=zeros, correction=correction, method="asymptotic"
        )
        return _made(f"{name}, asymptotic", source, pairs, min(plus, minus), float(found.pvalue))
    p = flip_test(np.sign(pairs.differences[pairs.differences != 0]) * ranks).p
    return _made(f"{name}, exact", source, pairs, min(plus, minus), p)


def signed_ranks(differences: Array, zeros: Zeros) -> tuple[float, float, Array]:
    """Positive and negative rank sums, and the mid-ranks of the differences that are not zero."""
    from scipy.stats import rankdata

    used = differences[differences != 0] if zeros == "wilcox" else differences
    ranks = rankdata(np.abs(used))
    split = float(ranks[used == 0].sum()) / 2 if zeros == "zsplit" else 0.0
    plus, minus = float(ranks[used > 0].sum()) + split, float(ranks[used < 0].sum()) + split
    return plus, minus, ranks[used != 0]


def normality(pairs: Pairs) -> Significance:
    """Shapiro–Wilk on the differences, reported because documents ask for it. It decides nothing: on scores
    of few levels it rejects at every useful n. Source: Shapiro and Wilk (1965)."""
    name, source = "Shapiro–Wilk", "Shapiro and Wilk (1965)"
    if pairs.n < 3 or np.ptp(pairs.differences) == 0:
        note = "fewer than three pairs" if pairs.n < 3 else "the differences do not vary"
        return untestable(name, note, pairs.n, pairs.n_unscored, source, pairs.inputs)
    from scipy.stats import shapiro

    used = pairs.differences[:5000]  # the test's own limit
    found = shapiro(used)
    note = "of the first 5,000 pairs" if pairs.n > len(used) else ""
    return _made(name, source, pairs, float(found.statistic), float(found.pvalue), note=note)


def _nothing(name: str, source: str, pairs: Pairs) -> Significance:
    return untestable(name, "no complete pair", 0, pairs.n_unscored, source, pairs.inputs)


def _made(
    method: str,
    source: str,
    pairs: Pairs,
    statistic: float,
    p: float,
    df: float | None = None,
    note: str = "",
) -> Significance:
    return Significance(
        statistic=statistic, p=min(p, 1.0), df=df, n=pairs.n, n_unscored=pairs.n_unscored, method=method,
        source=source, note=note, inputs=pairs.inputs,
    )  # fmt: skip


def walsh_rank_bound(n: int, level: float) -> int:
    """k such that the k-th smallest and k-th largest Walsh average bound the median at `level` or more.
    0 where n is too small. Source: Bauer (1972)."""
    if n > EXACT_UP_TO:
        from scipy.stats import norm

        middle, spread = n * (n + 1) / 4, np.sqrt(n * (n + 1) * (2 * n + 1) / 24)
        return int(middle - norm.ppf((1 + level) / 2) * spread)
    below = np.cumsum(positive_sums(np.arange(1, n + 1, dtype=np.float64)))
    return int(np.searchsorted(below, (1 - level) / 2, side="right"))
