"""Paired differences against published values, and where they are not defined."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from appliance.statistics.equivalence import equivalence_without_variation
from appliance.statistics.outcome import decide
from appliance.statistics.paired import tests as paired_tests
from appliance.statistics.paired.analysis import analyse
from appliance.statistics.paired.effects import cohen_d, hedges_correction, net_difference, rank_biserial
from appliance.statistics.paired.intervals import hodges_lehmann, mean_difference
from appliance.statistics.paired.net import net_share
from appliance.statistics.paired.pairs import Pairs, from_long, make_pairs
from appliance.statistics.paired.signflip import flip_test

SLEEP = make_pairs(
    [0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0, 2], [1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4]
)
MOVIE = make_pairs([9, 7, 8, 9, 8, 9, 9, 10, 9, 9], [9, 6, 7, 8, 7, 9, 8, 8, 8, 7])
scores = st.lists(st.tuples(st.integers(1, 5), st.integers(1, 5)), min_size=2, max_size=30)


def of(differences: Any, cluster: Any = None) -> Pairs:
    return make_pairs(differences, np.zeros(len(differences)), cluster=cluster)


def p(found: Any) -> float:
    assert found.p is not None
    return float(found.p)


def test_sleep_as_r_has_it() -> None:
    found = paired_tests.t_test(SLEEP)
    assert found.statistic == pytest.approx(-4.06213, abs=1e-5)
    assert found.p == pytest.approx(0.00283289, abs=1e-8)
    assert cohen_d(SLEEP).value == pytest.approx(-1.28456, abs=1e-5)
    corrected = paired_tests.wilcoxon(SLEEP, "wilcox", "asymptotic", correction=True)
    assert corrected.p == pytest.approx(0.0090907, abs=1e-6)
    assert paired_tests.wilcoxon(SLEEP, "wilcox").p == pytest.approx(0.00390625, abs=1e-9)
    assert hodges_lehmann(SLEEP).value == pytest.approx(-1.3, abs=1e-9)


def test_pratt_is_exact_with_zeros_where_scipy_is_not() -> None:
    assert paired_tests.wilcoxon(SLEEP, "pratt", "exact").p == pytest.approx(0.00390625, abs=1e-12)


def test_the_example_of_scipy() -> None:
    pairs = of([6, 8, 14, 16, 23, 24, 28, 29, 41, -48, 49, 56, 60, -67, 75])
    found = paired_tests.wilcoxon(pairs)
    assert found.statistic == 24
    assert found.p == pytest.approx(0.041259765625, abs=1e-9)
    assert rank_biserial(pairs).value == pytest.approx(0.6, abs=1e-9)


@pytest.mark.parametrize(
    ("zeros", "statistic", "expected"),
    [("pratt", 423, 0.00317246), ("zsplit", 441, 0.00321453), ("wilcox", 327, 0.00641346)],
)
def test_the_three_ways_with_zeros(zeros: Any, statistic: float, expected: float) -> None:
    pairs = of(np.repeat(np.arange(-4, 5), [1, 4, 16, 15, 8, 4, 5, 1, 2]))
    found = paired_tests.wilcoxon(pairs, zeros, "asymptotic")
    assert found.statistic == statistic
    assert found.p == pytest.approx(expected, abs=1e-7)


def test_ties_make_the_rank_correlation_look_large() -> None:
    pairs = of(np.repeat([-1, 0, 1, 2], [4, 30, 12, 4]))
    found = [paired_tests.wilcoxon(pairs, z, "asymptotic").p for z in ("wilcox", "pratt", "zsplit")]
    assert found == pytest.approx([0.004715, 0.005812, 0.012432], abs=1e-5)
    assert paired_tests.sign_test(pairs).p == pytest.approx(0.011818, abs=1e-5)
    assert rank_biserial(pairs).value == pytest.approx(0.676, abs=1e-3)
    assert rank_biserial(pairs).interpretation == "large"
    assert net_difference(pairs).value == pytest.approx(0.24, abs=1e-9)
    assert net_difference(pairs).interpretation == "small"


def test_movie_as_lakens_has_it() -> None:
    assert paired_tests.t_test(MOVIE).statistic == pytest.approx(4.74342, abs=1e-4)
    assert cohen_d(MOVIE).value == pytest.approx(1.5, abs=1e-4)
    assert cohen_d(MOVIE, "av").value == pytest.approx(1.1259, abs=1e-4)
    assert hedges_correction(9) == pytest.approx(0.913875, abs=1e-6)


def test_the_bca_interval_of_r() -> None:
    sample = [10, 12, 12.5, 12.5, 13.9, 15, 21, 22, 23, 34, 50, 81, 89, 121, 134, 213]
    found = mean_difference(of(sample), method="bca", resamples=100_000)
    assert found.low == pytest.approx(32.31, rel=0.005)
    assert found.high == pytest.approx(91.43, rel=0.005)


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
    reached = np.abs(signs[:, : len(ranks)] @ ranks) >= abs(plus - minus) - 1e-9
    assert paired_tests.wilcoxon(of(d)).p == pytest.approx(np.mean(reached) if len(ranks) else 1.0)


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


@settings(max_examples=40, deadline=None)
@given(scores)
def test_swapping_the_sides_changes_signs_only(rows: list[tuple[int, int]]) -> None:
    x, y = np.array(rows, dtype=float).T
    one, two = analyse(make_pairs(x, y)), analyse(make_pairs(y, x))
    for name in ("mean", "hodges_lehmann", "d_z", "d_av", "rank_biserial", "net"):
        first, second = getattr(one, name), getattr(two, name)
        assert (first.value is None) == (second.value is None)
        if first.value is not None:
            assert first.value == pytest.approx(-second.value)
    for name in ("permutation", "t", "pratt", "sign"):
        first, second = getattr(one, name).p, getattr(two, name).p
        assert first == second or first == pytest.approx(second)


@settings(max_examples=30, deadline=None)
@given(scores, st.randoms(use_true_random=False), st.sampled_from([0.1, 3.0, 20.0]))
def test_order_and_units_do_not_matter(rows: list[tuple[int, int]], random: Any, unit: float) -> None:
    shuffled = list(rows)
    random.shuffle(shuffled)
    one = analyse(make_pairs(*np.array(rows, dtype=float).T))
    two = analyse(make_pairs(*(unit * np.array(shuffled, dtype=float).T + 7)))
    for name in ("permutation", "t", "pratt", "sign"):
        first, second = getattr(one, name).p, getattr(two, name).p
        assert first == second or first == pytest.approx(second, rel=1e-6)
    for name in ("d_z", "rank_biserial", "net"):
        first, second = getattr(one, name).value, getattr(two, name).value
        assert first == second or first == pytest.approx(second, rel=1e-6)
    assert two.mean.value == pytest.approx(unit * float(one.mean.value or 0), abs=1e-9)


def test_repeats_are_averaged_and_narrow_nothing() -> None:
    x, y = [3, 4, 2, 5, 4, 3], [2, 4, 3, 4, 3, 3]
    once = analyse(make_pairs(x, y))
    often = make_pairs(x * 5, y * 5, unit=list(range(6)) * 5)
    assert often.n == 6
    assert analyse(often).mean == once.mean
    assert analyse(often).permutation == once.permutation
    clustered = analyse(make_pairs(x * 5, y * 5, cluster=list(range(6)) * 5))
    assert clustered.mean.se == pytest.approx(once.mean.se)
    assert clustered.permutation.p == pytest.approx(p(once.permutation))


def test_long_form_is_the_same_as_two_columns() -> None:
    long = from_long([3, 1, 4, np.nan, 5, 2], [True, False] * 3, ["a", "a", "b", "b", "c", "c"])
    assert long.differences.tolist() == [2, 3]
    assert (long.n_unscored, long.n_values_unscored) == (1, 1)


def test_a_unit_with_one_repeat_scored_is_complete_and_its_gaps_are_counted() -> None:
    pairs = make_pairs([3, np.nan, 4], [1, 2, np.nan], unit=["a", "a", "b"])
    assert pairs.differences.tolist() == [1.5]
    assert (pairs.n, pairs.n_unscored, pairs.n_values_unscored) == (1, 1, 2)


def test_what_does_not_fit_is_refused() -> None:
    with pytest.raises(ValueError, match="one length"):
        make_pairs([1, 2], [1])
    with pytest.raises(ValueError, match="position 1 is infinite"):
        make_pairs([1, np.inf], [1, 2])
    with pytest.raises(ValueError, match="is in two"):
        make_pairs([1, 2], [1, 2], unit=["a", "a"], cluster=["s", "t"])


@pytest.mark.parametrize("differences", [[], [1.0], [0.0, 0.0, 0.0], [2.0, 2.0, 2.0, 2.0]])
def test_degenerate_pairs_are_undefined_with_a_reason_and_never_nan(differences: list[float]) -> None:
    found = analyse(of(np.array(differences)))
    for name in type(found).model_fields:
        result = getattr(found, name)
        if name == "df" or result is None:
            continue
        value = result.p if hasattr(result, "p") else result.value
        assert value is None or np.isfinite(value)
        assert value is not None or result.note


def test_differences_that_do_not_vary_have_no_t_and_keep_their_permutation() -> None:
    found = analyse(of([2.0] * 6))
    assert found.t.p is None and "do not vary" in found.t.note
    assert found.mean.value == 2 and found.mean.low is None
    assert found.permutation.p == pytest.approx(1 / 2**6)
    assert found.mean_bca.low is None


def test_clusters_are_refused_by_the_rank_test_and_widen_the_interval() -> None:
    rng = np.random.default_rng(5)
    template = np.repeat(np.arange(20), 10)
    d = np.round(rng.normal(0, 1, 20)[template] + rng.normal(0, 0.5, 200))
    alone, together = analyse(of(d)), analyse(of(d, cluster=template))
    assert together.pratt.p is None and "not independent" in together.pratt.note
    assert (together.mean.se or 0) > 1.5 * (alone.mean.se or 1)
    assert p(together.permutation) > p(alone.permutation)


def test_a_judge_that_never_changes_is_clear_after_enough_pairs_only() -> None:
    for n, outcome in ((30, "inconclusive"), (200, "clear")):
        hypothesis = analyse(of(np.zeros(n))).hypothesis("position", 0.2, 20, largest=4)
        assert decide("judge bias", [hypothesis]).decisions[0].outcome == outcome
    assert equivalence_without_variation(0.0, 4, 0.2, n=200).p == pytest.approx(0.95**200)
    assert equivalence_without_variation(0.5, 4, 0.2, n=200).p is None


def test_the_net_share_of_nothing_is_undefined_and_impossible_counts_are_refused() -> None:
    assert net_share(0, 0, 0, n_unscored=3).value is None
    with pytest.raises(ValueError, match="of 3 units"):
        net_share(2, 2, 3)
