"""The null distributions of paired tests: exact with ties and zeros, in any unit, at any size."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from paired_data import SLEEP, of, p

from appliance.statistics.paired import tests as paired_tests
from appliance.statistics.paired.analysis import analyse
from appliance.statistics.paired.pairs import make_pairs
from appliance.statistics.paired.signflip import flip_test


def test_pratt_is_exact_with_zeros_where_scipy_is_not() -> None:
    assert paired_tests.wilcoxon(SLEEP, "pratt", "exact").p == pytest.approx(0.00390625, abs=1e-12)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.integers(-4, 4), min_size=1, max_size=9))
def test_exact_tests_agree_with_counting_every_sign(differences: list[int]) -> None:
    d = np.array(differences, dtype=float)
    signs = np.array(list(itertools.product([1, -1], repeat=len(d))))
    expected = np.mean(np.abs(signs @ np.abs(d)) >= abs(d.sum()) - 1e-9)
    assert flip_test(d).p == pytest.approx(expected)
    assert paired_tests.sign_flip(of(d), mid_p=False).p == pytest.approx(expected)
    beyond = np.mean(np.abs(signs @ np.abs(d)) > abs(d.sum()) + 1e-9)
    half = (expected + beyond) / 2 if d.any() else 1.0
    assert paired_tests.sign_flip(of(d)).p == pytest.approx(half)
    plus, minus, ranks = paired_tests.signed_ranks(d, "pratt")
    reached = np.abs(signs @ ranks) >= abs(plus - minus) - 1e-9
    assert paired_tests.wilcoxon(of(d)).p == pytest.approx(np.mean(reached))


@settings(max_examples=40, deadline=None)
@given(st.lists(st.tuples(st.integers(-4, 4), st.integers(0, 5)), min_size=1, max_size=20))
def test_tests_of_clusters_agree_with_flipping_whole_clusters(rows: list[tuple[int, int]]) -> None:
    d, cluster = np.array([r[0] for r in rows], dtype=float), np.array([r[1] for r in rows])
    flips = np.array(list(itertools.product([1, -1], repeat=6)))[:, cluster]
    pairs = of(d, cluster)
    ranks = paired_tests.signed_ranks(d, "pratt")[2]
    for values, found in (
        (d, paired_tests.sign_flip(pairs, mid_p=False)),
        (np.sign(d) * ranks, paired_tests.wilcoxon(pairs)),
        (np.sign(d), paired_tests.sign_test(pairs) if pairs.clustered else None),
    ):
        expected = np.mean(np.abs(flips @ values) >= abs(values.sum()) - 1e-9)
        assert found is None or found.p == pytest.approx(expected)


def test_the_null_is_exact_for_many_scores_and_says_so_only_then() -> None:
    """Convolution against scipy's exact distribution, and against the normal one where only that exists."""
    from scipy import stats

    rng = np.random.default_rng(8)
    continuous = rng.normal(0.1, 1, 500)
    ours = paired_tests.wilcoxon(of(continuous))
    assert ours.method.endswith("exact")
    assert ours.p == pytest.approx(stats.wilcoxon(continuous, method="exact").pvalue, rel=1e-9)
    tied = np.round(rng.normal(0.15, 1, 450), 1)
    found = paired_tests.wilcoxon(of(tied))
    assert found.method.endswith("exact")
    assert found.p == pytest.approx(p(paired_tests.wilcoxon(of(tied), method="asymptotic")), rel=0.1)
    for n, tolerance in ((10_000, 0.02), (100_000, 0.005)):
        d = rng.choice([-2, -1, 0, 1, 2], n, p=[0.05, 0.2, 0.49, 0.21, 0.05]) / 3
        flipped = flip_test(d)
        assert flipped.how == "exact"
        normal = 2 * stats.norm.sf(abs(d.sum()) / np.sqrt((d**2).sum()))
        assert flipped.mid_p == pytest.approx(normal, rel=tolerance)


def test_means_of_repeats_that_are_equal_on_paper_are_equal() -> None:
    pairs = make_pairs([7 / 3, 4 / 3, 5 / 3], [2, 1, 4 / 3])
    assert len(set(pairs.differences.tolist())) == 1
    assert of([1 / 3, 1 / 3, 1 / 3, -1.0], ["a"] * 4).cluster_sums.tolist() == [0.0]
    rounded = np.array([1 / 3 - 3e-13, 1 - 1e-12, -2 / 3 + 2e-13, 4 / 3, 5 / 3 - 1e-12] * 5)
    assert flip_test(rounded) == flip_test(np.array([1, 3, -2, 4, 5] * 5, dtype=float))


def test_the_smallest_chances_are_right_and_never_zero() -> None:
    assert flip_test(np.ones(50)).p == pytest.approx(2 * 0.5**50, rel=1e-9)
    assert flip_test(np.full(300, 0.7)).p == flip_test(np.ones(1_000_000)).p == 1e-25


def test_a_small_p_is_drawn_ten_times_as_often() -> None:
    rng = np.random.default_rng(4)
    assert flip_test(rng.normal(0, 1, 60)).how == "9,999 random draws"
    clear = flip_test(rng.normal(1, 1, 60))
    assert clear.how == "99,990 random draws" and clear.p < 2e-5


@pytest.mark.parametrize("unit", [1e-9, 1 / 3, np.pi, 77.7, 1e9])
def test_any_unit_of_measurement_gives_the_same_exact_test(unit: float) -> None:
    d = np.array([1, 2, -1, 0, 0, 3, 1, 4, -2, 1, 1, 0, 2, 2, -1, 3, 1, 1, 2, -3, 1], dtype=float)
    one, two = analyse(of(d)), analyse(of(d * unit))
    assert two.permutation.method == one.permutation.method and "exact" in one.permutation.method
    for name in ("permutation", "pratt", "sign", "t"):
        assert p(getattr(two, name)) == pytest.approx(p(getattr(one, name)), rel=1e-9)
    for name in ("d_z", "d_av", "rank_biserial", "net"):
        first, second = getattr(one, name), getattr(two, name)
        assert (second.value, second.low) == pytest.approx((first.value, first.low))


def test_random_draws_stay_near_the_exact_value() -> None:
    rng = np.random.default_rng(1)
    values = rng.normal(0.3, 1, 40)
    drawn = flip_test(values)
    assert "random draws" in drawn.how and drawn.p > 0
    grid = flip_test(np.round(values, 2))
    assert grid.how == "exact"
    assert drawn.p == pytest.approx(grid.p, abs=0.02)


def test_continuous_pairs_agree_with_scipys_exact_test() -> None:
    from scipy import stats

    d = np.random.default_rng(3).normal(0.4, 1, 30)
    assert paired_tests.wilcoxon(of(d)).p == pytest.approx(stats.wilcoxon(d, method="exact").pvalue)
