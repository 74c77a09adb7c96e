"""Error rates and coverage on scores of 1 to 5 with heavy ties, where textbook formulas are least at home."""

from __future__ import annotations

import numpy as np
import pytest

from appliance.statistics.arrays import Array
from appliance.statistics.paired.effects import cohen_d, net_difference, rank_biserial
from appliance.statistics.paired.equivalence import equivalent_mean, shape
from appliance.statistics.paired.hodges_lehmann import hodges_lehmann
from appliance.statistics.paired.intervals import mean_difference
from appliance.statistics.paired.pairs import Pairs, make_pairs
from appliance.statistics.paired.tests import sign_flip, sign_test, signed_ranks, t_test, wilcoxon

SHARES = np.array([0.05, 0.15, 0.3, 0.35, 0.15])  # of the scores 1..5
REPEATS = 2000  # binomial error of a rate of 5%: 0.5 points


def scored_pairs(rng: np.random.Generator, n: int, shift: float = 0.0) -> tuple[Array, Array]:
    """Half of the pairs tie; `shift` is the probability that x is raised by one step."""
    x = rng.choice(5, n, p=SHARES) + 1.0
    y = np.where(rng.random(n) < 0.5, x, rng.choice(5, n, p=SHARES) + 1.0)
    return np.minimum(x + (rng.random(n) < shift), 5), y


def expected_shift(shift: float) -> float:
    return float(shift * (1 - SHARES[4]))


@pytest.mark.parametrize("n", [20, 50, 200])
def test_tests_at_five_percent_reject_five_percent_under_the_null(n: int) -> None:
    rng = np.random.default_rng(n)
    rejected = {"flip": 0, "t": 0, "pratt": 0, "sign": 0}
    for _ in range(REPEATS):
        pairs = make_pairs(*scored_pairs(rng, n))
        for name, test in (("flip", sign_flip), ("t", t_test), ("pratt", wilcoxon), ("sign", sign_test)):
            found = test(pairs).p
            rejected[name] += found is not None and found < 0.05
    rates = {name: count / REPEATS for name, count in rejected.items()}
    for name in ("flip", "t"):
        assert 0.03 <= rates[name] <= 0.07, rates
    # Exact, and of few steps when half of the pairs tie, hence conservative: measured 1.9% and 1.6% at 20.
    assert 0.01 <= rates["pratt"] <= 0.06 and 0.01 <= rates["sign"] <= 0.06, rates


@pytest.mark.parametrize("n", [20, 50, 200])
def test_intervals_cover_what_they_say(n: int) -> None:
    rng = np.random.default_rng(100 + n)
    truth, net = expected_shift(0.3), _net_truth(0.3)
    covered = {"t": 0, "bca": 0, "net": 0}
    repeats = 1200
    for _ in range(repeats):
        pairs = make_pairs(*scored_pairs(rng, n, 0.3))
        mean, share = mean_difference(pairs), net_difference(pairs)
        covered["t"] += _holds(mean, truth)
        covered["net"] += _holds(share, net)
        if n <= 50:
            boot = mean_difference(pairs, method="expanded bca", resamples=1000)
            covered["bca"] += _holds(boot, truth)
    rates = {name: count / repeats for name, count in covered.items()}
    assert 0.93 <= rates["t"] <= 0.97, rates
    assert 0.93 <= rates["net"] <= 0.975, rates
    if n <= 50:  # measured 0.92 at 20, which is why the t interval is the one that is reported
        assert 0.90 <= rates["bca"] <= 0.97, rates


@pytest.mark.parametrize(
    "sizes",
    [[10] * 20, [4] * 50, [5] * 8, [1, 1, 2, 2, 3, 4, 6, 10, 20, 40], [1] * 15 + [5, 10, 20, 30, 40]],
    ids=["20 of 10", "50 of 4", "8 of 5", "10 unequal", "20 unequal"],
)
def test_clustered_intervals_and_tests_hold_where_plain_ones_fail(sizes: list[int]) -> None:
    rng = np.random.default_rng(len(sizes))
    template = np.repeat(np.arange(len(sizes)), sizes)
    names = ("mean", "plain", "d_z", "d_av", "net", "flip")
    found, repeats = dict.fromkeys(names, 0), 1000
    for _ in range(repeats):
        effect = rng.choice([-1.0, 0.0, 1.0], len(sizes), p=[0.25, 0.5, 0.25])[template]
        own = rng.choice([-1.0, 0.0, 1.0], len(template), p=[0.25, 0.5, 0.25])
        d = np.where(rng.random(len(own)) < 0.7, effect, own)
        pairs = make_pairs(d, np.zeros(len(d)), cluster=template)
        found["mean"] += _holds(mean_difference(pairs), 0.0)
        found["plain"] += _holds(mean_difference(make_pairs(d, np.zeros(len(d)))), 0.0)
        found["d_z"] += _holds(cohen_d(pairs), 0.0)
        found["d_av"] += _holds(cohen_d(pairs, "av"), 0.0)
        found["net"] += _holds(net_difference(pairs), 0.0)
        found["flip"] += (sign_flip(pairs).p or 0) < 0.05
    rates = {name: count / repeats for name, count in found.items()}
    for name in ("mean", "d_z", "d_av"):
        assert 0.93 <= rates[name] <= 0.975, rates
    assert rates["net"] >= 0.93, rates
    assert 0.03 <= rates["flip"] <= 0.07, rates
    assert rates["plain"] < 0.85, rates


@pytest.mark.parametrize("n", [20, 50, 200])
def test_intervals_of_effect_sizes_hold_on_tied_scores(n: int) -> None:
    rng = np.random.default_rng(300 + n)
    big = make_pairs(*scored_pairs(rng, 400_000, 0.3))
    plus, minus, _ = signed_ranks(big.differences, "wilcox")
    truth = {
        "d_z": big.differences.mean() / big.differences.std(),
        "d_av": big.differences.mean() / np.sqrt((big.x.var() + big.y.var()) / 2),
        "rank": (plus - minus) / (plus + minus),
    }
    covered, defined, repeats = dict.fromkeys(truth, 0), dict.fromkeys(truth, 0), 1000
    for _ in range(repeats):
        pairs = make_pairs(*scored_pairs(rng, n, 0.3))
        for name, one in (
            ("d_z", cohen_d(pairs)), ("d_av", cohen_d(pairs, "av")), ("rank", rank_biserial(pairs))
        ):  # fmt: skip
            defined[name] += one.low is not None
            covered[name] += _holds(one, truth[name])
    rates = {name: covered[name] / defined[name] for name in truth}
    assert 0.93 <= rates["d_z"] <= 0.98 and 0.93 <= rates["d_av"] <= 0.98, rates
    assert 0.94 <= rates["rank"] <= 0.995, rates  # the wide side, at 20 most of all
    assert min(defined.values()) > 0.95 * repeats


@pytest.mark.parametrize("n", [30, 100, 200])
@pytest.mark.parametrize("rare", [1.0, 2.0, 4.0])
def test_a_mean_at_the_margin_is_seldom_called_equivalent_however_it_arises(n: int, rare: float) -> None:
    """A mean of 0.2 from a few large differences, which t alone clears in 6–14% of samples."""
    rng, cleared, repeats = np.random.default_rng(n), 0, 1500
    share = 0.2 / rare
    for _ in range(repeats):
        d = rng.choice([0.0, rare], n, p=[1 - share, share])
        pairs = make_pairs(d, np.zeros(n))
        test = equivalent_mean(mean_difference(pairs), shape(pairs), 0.2, 4)
        cleared += test.p is not None and test.p < 0.05
    assert cleared / repeats <= 0.065


def test_equivalence_keeps_its_power_where_nothing_is_wrong() -> None:
    rng, cleared = np.random.default_rng(1), 0
    for _ in range(500):
        pairs = make_pairs(rng.choice([-1.0, 0.0, 1.0], 100, p=[0.1, 0.8, 0.1]), np.zeros(100))
        cleared += (equivalent_mean(mean_difference(pairs), shape(pairs), 0.2, 4).p or 1) < 0.05
    assert cleared / 500 > 0.9


def test_the_signed_rank_interval_by_clusters_covers() -> None:
    rng, covered, repeats = np.random.default_rng(12), 0, 600
    template = np.repeat(np.arange(20), 6)
    for _ in range(repeats):
        d = 0.7 * rng.standard_normal(20)[template] + 0.7 * rng.standard_normal(120) + 1
        covered += _holds(hodges_lehmann(make_pairs(d, np.zeros(120), cluster=template)), 1.0)
    assert 0.93 <= covered / repeats <= 0.98


def test_the_interval_of_d_holds_for_normal_differences() -> None:
    rng, covered, repeats = np.random.default_rng(9), 0, 600
    for _ in range(repeats):
        covered += _holds(cohen_d(make_pairs(rng.normal(0.4, 1, 25), np.zeros(25))), 0.4)
    assert 0.93 <= covered / repeats <= 0.97


def test_the_signed_rank_interval_is_exact_for_continuous_pairs() -> None:
    rng, covered, repeats = np.random.default_rng(11), 0, 1500
    for _ in range(repeats):
        covered += _holds(hodges_lehmann(make_pairs(rng.standard_t(3, 20) + 1, np.zeros(20))), 1.0)
    assert 0.935 <= covered / repeats <= 0.97


def _net_truth(shift: float) -> float:
    """P(x > y) - P(x < y) of `scored_pairs`, by counting."""
    total = 0.0
    for a, chance in enumerate(SHARES):
        for raised, weight in ((min(a + 1, 4), shift), (a, 1 - shift)):
            total += chance * weight * 0.5 * float(raised > a)
            total += chance * weight * 0.5 * float((SHARES * np.sign(raised - np.arange(5))).sum())
    return total


def _holds(found: object, truth: float) -> bool:
    low, high = getattr(found, "low"), getattr(found, "high")  # noqa: B009
    return low is not None and high is not None and bool(low <= truth <= high)


def test_the_truth_of_the_net_difference_is_right() -> None:
    x, y = scored_pairs(np.random.default_rng(0), 400_000, 0.3)
    pairs: Pairs = make_pairs(x, y)
    assert np.sign(pairs.differences).mean() == pytest.approx(_net_truth(0.3), abs=0.005)
    assert pairs.differences.mean() == pytest.approx(expected_shift(0.3), abs=0.01)
