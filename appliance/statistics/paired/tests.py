"""Tests of paired differences. None of them gates on another: which one is primary is fixed beforehand."""

from __future__ import annotations

import math
from typing import Literal

import numpy as np
from scipy.special import stdtr

from appliance.domain.estimates import Significance
from appliance.statistics.arrays import Array, untestable
from appliance.statistics.paired.pairs import Pairs
from appliance.statistics.paired.signflip import DRAWS, flip_test

Zeros = Literal["pratt", "wilcox", "zsplit"]
WilcoxonMethod = Literal["auto", "exact", "asymptotic"]
MOST_SHAPIRO = 5_000
EXACT_UP_TO = 500  # pairs; the exact distribution then takes a third of a second
CLUSTER_SOURCE = "Bell and McCaffrey (2002)"
ALL_ZERO = "all differences are zero"


def sign_flip(pairs: Pairs, seed: int = 0, draws: int = DRAWS, mid_p: bool = True) -> Significance:
    """Permutation test of the mean difference: signs of whole clusters are flipped. The primary test for
    scores of few levels: right with ties and zeros, exact on a grid of scores; `signflip.flip_test` says when
    it is drawn.

    mid_p: count half of what equals the observed mean. Scores have few possible means, and the plain p then
    rejects far too seldom (1.8% of nulls at 5%, for 20 pairs half of which tie), which hides real effects.
    Mid-p does not guarantee the level, but keeps it where it was measured: 1–5 scores, 20 to 200 pairs, 20%
    or half of which tie, 4–6% at 5% and 0.3–0.7% at 0.5%; where nearly all tie, no test has power at 20.
    The null is that the two variants are exchangeable, so that differences are symmetric around 0: what an
    attribute that does not matter gives. An attribute that moves many scores a little one way and few a lot
    the other has an effect though its mean is 0, and is found more often than 5% (7.8% at 50 pairs where 20%
    lose 1 and 5% gain 4).
    statistic: the mean difference. Undefined without pairs; p = 1 where all are zero.
    Sources: Fisher (1935); mid-p: Lancaster (1961); draws counted as in Phipson and Smyth (2010).
    """
    name, source = "sign-flip permutation of the mean", "Fisher (1935)"
    if not pairs.n:
        return _nothing(name, source, pairs)
    found = flip_test(pairs.cluster_sums, seed, draws)
    unit = f" over {len(pairs.cluster_sizes)} clusters" if pairs.clustered else ""
    note = ALL_ZERO if not pairs.differences.any() else ""
    mean, p = float(pairs.differences.mean()), found.mid_p if mid_p else found.p
    how = f"{found.how}, mid-p" if mid_p else found.how
    return _made(f"{name}{unit}, {how}", source, pairs, mean, p, note=note)


def t_test(pairs: Pairs) -> Significance:
    """Paired t-test; with clusters, the mean over its cluster-robust standard error (`mean_and_error`).
    Undefined where differences do not vary: t would be infinite, and a permutation test says more.
    Sources: Student (1908); clusters: Bell and McCaffrey (2002)."""
    name, source = "paired t-test", "Student (1908)"
    if pairs.clustered:
        name, source = "paired t-test, cluster-robust", CLUSTER_SOURCE
    note = "fewer than two clusters of pairs" if len(pairs.cluster_sizes) < 2 else ""
    mean, se, df = (0.0, 0.0, 1.0) if note else mean_and_error(pairs)
    if not se > 0:
        note = note or "the differences do not vary"
        return untestable(name, note, pairs.n, pairs.n_unscored, source, pairs.inputs)
    return _made(name, source, pairs, mean / se, 2 * float(stdtr(df, -abs(mean / se))), df=df)


def mean_and_error(pairs: Pairs) -> tuple[float, float, float]:
    """Mean difference of at least two clusters, its standard error and degrees of freedom.

    One pair a cluster: s/√n and n - 1. Else each cluster's sum of residuals is taken over √(1 - its share of
    the pairs), CR2, and the degrees are Satterthwaite's for independent pairs: k - 1 for k clusters of one
    size, fewer where a few clusters hold most pairs. The usual k - 1 then covers 67–90% instead of 95%
    (measured, largest of 11–34 clusters with a fifth to two thirds of the pairs); this 94–99%.
    Sources: Bell and McCaffrey (2002), Imbens and Kolesár (2016).
    """
    n, sizes = pairs.n, pairs.cluster_sizes.astype(np.float64)
    mean = math.fsum(pairs.differences) / n
    left = 1 - sizes / n
    weighted = (pairs.cluster_sums - sizes * mean) ** 2 / left
    spread = math.fsum(weighted)
    scale = max(float(np.abs(pairs.differences).max()), 1e-300)
    # Rounding leaves 1e-17 where nothing varies, which would make t astronomical.
    spread = 0.0 if spread < (1e-12 * scale * n) ** 2 else spread
    off = sizes**2 / left
    below = math.fsum(sizes**2) + (math.fsum(off) ** 2 - math.fsum(off**2)) / n**2
    return mean, math.sqrt(spread) / n, n**2 / below if pairs.clustered else n - 1.0


def sign_test(pairs: Pairs, seed: int = 0) -> Significance:
    """Exact sign test, zeros left out; with clusters, the signs of whole clusters are flipped together.
    statistic: number of positive differences. p = 1 where all are zero. Source: Dixon and Mood (1946)."""
    name, source = "sign test, exact", "Dixon and Mood (1946)"
    if not pairs.n:
        return _nothing(name, source, pairs)
    signs = np.sign(pairs.differences)
    positive, decided = int((signs > 0).sum()), int(np.abs(signs).sum())
    note = "" if decided else ALL_ZERO
    if pairs.clustered:
        found = flip_test(pairs.by_cluster(signs), seed)
        name = f"sign test over {len(pairs.cluster_sizes)} clusters, {found.how}"
        return _made(name, source, pairs, positive, found.p, note=note)
    from scipy.stats import binomtest

    p = float(binomtest(positive, decided).pvalue) if decided else 1.0
    return _made(name, source, pairs, positive, p, note=note)


def wilcoxon(
    pairs: Pairs,
    zeros: Zeros = "pratt",
    method: WilcoxonMethod = "auto",
    correction: bool = False,
    seed: int = 0,
) -> Significance:
    """Wilcoxon's signed-rank test; with clusters, the signs of whole clusters are flipped together.

    zeros: "pratt" ranks them and drops their ranks, "wilcox" drops them before ranking, "zsplit" gives half
    of their ranks to each side. method: "exact" is the distribution given the ranks found, ties and zeros
    included (splitting zeros does not change it); "asymptotic" the normal one of scipy, for independent pairs
    only, `correction` for continuity; "auto" asymptotic above 500 independent pairs. statistic: the smaller
    rank sum. Undefined without pairs; p = 1 where all are zero. Raises ValueError for "asymptotic" with
    clusters. Sources: Wilcoxon (1945), Pratt (1959); clusters: Rosner, Glynn and Lee (2006).
    """
    name, source = f"Wilcoxon signed-rank ({zeros})", "Wilcoxon (1945), Pratt (1959)"
    if pairs.clustered:
        name = f"{name} over {len(pairs.cluster_sizes)} clusters"
        source = "Rosner, Glynn and Lee (2006)"
        if method == "asymptotic":
            raise ValueError('method: "asymptotic" is for independent pairs, and these come in clusters')
    if not pairs.n:
        return _nothing(name, source, pairs)
    if not pairs.differences.any():
        return _made(f"{name}, exact", source, pairs, 0.0, 1.0, note=ALL_ZERO)
    plus, minus, ranks = signed_ranks(pairs.differences, zeros)
    if method == "asymptotic" or (method == "auto" and pairs.n > EXACT_UP_TO and not pairs.clustered):
        from scipy import stats

        found = stats.wilcoxon(
            pairs.differences, zero_method=zeros, correction=correction, method="asymptotic"
        )
        return _made(f"{name}, asymptotic", source, pairs, min(plus, minus), float(found.pvalue))
    flipped = flip_test(pairs.by_cluster(np.sign(pairs.differences) * ranks), seed)
    return _made(f"{name}, {flipped.how}", source, pairs, min(plus, minus), flipped.p)


def signed_ranks(differences: Array, zeros: Zeros) -> tuple[float, float, Array]:
    """Positive and negative rank sums, and the mid-rank of each difference, 0 for zeros."""
    from scipy.stats import rankdata

    zero = differences == 0
    split = float(zero.sum() * (zero.sum() + 1)) / 4 if zeros == "zsplit" else 0.0
    below = 0 if zeros == "wilcox" else int(zero.sum())
    ranks = np.zeros(len(differences))
    ranks[~zero] = rankdata(np.abs(differences[~zero])) + below
    return float(ranks[differences > 0].sum()) + split, float(ranks[differences < 0].sum()) + split, ranks


def normality(pairs: Pairs) -> Significance:
    """Shapiro–Wilk on the differences, reported because documents ask for it. It decides nothing: on scores
    of few levels it rejects at every useful n. Source: Shapiro and Wilk (1965)."""
    name, source = "Shapiro–Wilk", "Shapiro and Wilk (1965)"
    if pairs.n < 3 or np.ptp(pairs.differences) == 0:
        note = "fewer than three pairs" if pairs.n < 3 else "the differences do not vary"
        return untestable(name, note, pairs.n, pairs.n_unscored, source, pairs.inputs)
    from scipy.stats import shapiro

    used, note = np.sort(pairs.differences), ""
    if pairs.n > MOST_SHAPIRO:
        used = np.random.default_rng(0).choice(used, MOST_SHAPIRO, replace=False)
        note = f"of {MOST_SHAPIRO:,} pairs drawn at random, the most that the test allows"
    found = shapiro(used)
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
