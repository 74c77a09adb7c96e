"""Error rates and coverage on scores of 1 to 5 with heavy ties, where textbook formulas are least at home."""

from __future__ import annotations

import numpy as np
import pytest

from appliance.statistics.arrays import Array
from appliance.statistics.paired.effects import cohen_d, net_difference
from appliance.statistics.paired.intervals import hodges_lehmann, mean_difference
from appliance.statistics.paired.pairs import Pairs, make_pairs
from appliance.statistics.paired.tests import sign_flip, sign_test, t_test, wilcoxon

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
    covered = {"t": 0, "bca": 0, "net": 0, "median": 0}
    repeats = 1200
    for _ in range(repeats):
        pairs = make_pairs(*scored_pairs(rng, n, 0.3))
        mean, share = mean_difference(pairs), net_difference(pairs)
        covered["t"] += _holds(mean, truth)
        covered["net"] += _holds(share, net)
        if n <= 50:
            covered["bca"] += _holds(mean_difference(pairs, method="bca", resamples=1000), truth)
    rates = {name: count / repeats for name, count in covered.items()}
    assert 0.93 <= rates["t"] <= 0.97, rates
    assert 0.93 <= rates["net"] <= 0.975, rates
    if n <= 50:  # measured 0.90 at 20, which is why the t interval is the one that is reported
        assert 0.88 <= rates["bca"] <= 0.97, rates


@pytest.mark.parametrize(("clusters", "size"), [(20, 10), (50, 4)])
def test_clustered_intervals_and_tests_hold_where_plain_ones_fail(clusters: int, size: int) -> None:
    rng = np.random.default_rng(clusters)
    template = np.repeat(np.arange(clusters), size)
    covered, plain, rejected, repeats = 0, 0, 0, 1500
    for _ in range(repeats):
        effect = rng.choice([-1.0, 0.0, 1.0], clusters, p=[0.25, 0.5, 0.25])[template]
        d = effect + rng.choice([-1.0, 0.0, 1.0], len(template), p=[0.25, 0.5, 0.25])
        pairs = make_pairs(d, np.zeros(len(d)), cluster=template)
        covered += _holds(mean_difference(pairs), 0.0)
        plain += _holds(mean_difference(make_pairs(d, np.zeros(len(d)))), 0.0)
        rejected += (sign_flip(pairs).p or 0) < 0.05
    assert 0.93 <= covered / repeats <= 0.97
    assert 0.03 <= rejected / repeats <= 0.07
    assert plain / repeats < 0.85


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
