"""Conformal thresholds: the promised rate by simulation, the edges of small n, ties, and groups."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from appliance.statistics.arrays import Array
from appliance.statistics.divergence.conformal import (
    conformal_p,
    differences,
    divergent,
    threshold,
    thresholds_by_group,
)

NAN = float("nan")


def exceedance(n: int, alpha: float, draw: object, repeats: int = 4000, seed: int = 1) -> float:
    """How often a new ordinary record is above the threshold of n calibration records."""
    rng = np.random.default_rng(seed)
    values: Array = draw(rng, (repeats, n + 1))  # type: ignore[operator]
    above = [divergent(row[:1], threshold(row[1:], alpha))[0] for row in values]
    return float(np.mean(above))


def test_the_threshold_is_the_value_of_the_formula() -> None:
    found = threshold(range(1, 100), alpha=0.05)  # ceil(100 * 0.95) = 95th of 99
    assert (found.value, found.rank, found.n) == (95.0, 95, 99)
    assert found.share_above == pytest.approx(4 / 99)
    assert found.least_alpha == pytest.approx(0.01)


@pytest.mark.parametrize(
    ("n", "alpha", "rank"), [(19, 0.05, 19), (9, 0.1, 9), (24, 0.44, 14), (39, 0.05, 38)]
)
def test_rounding_errors_do_not_take_the_next_rank(n: int, alpha: float, rank: int) -> None:
    assert threshold(range(n), alpha).rank == rank


def test_too_few_records_give_no_threshold_and_call_nothing_ordinary() -> None:
    found = threshold(range(18), alpha=0.05)
    assert found.value is None
    assert "needs 19" in found.note
    assert np.isnan(divergent([0.0, 100.0], found)).all()
    assert threshold(range(19), alpha=0.05).value == 18.0


@pytest.mark.parametrize("calibration", [[], [NAN, NAN]])
def test_nothing_scored_gives_no_threshold(calibration: list[float]) -> None:
    found = threshold(calibration)
    assert (found.value, found.n, found.n_unscored) == (None, 0, len(calibration))


def test_unscored_records_are_left_out_and_stay_unsaid() -> None:
    found = threshold([NAN, *range(19)], alpha=0.1)
    assert (found.n, found.n_unscored) == (19, 1)
    assert divergent([NAN, 18.5, 1.0], found).tolist()[1:] == [1.0, 0.0]
    assert math.isnan(divergent([NAN], found)[0])


def test_differences_are_absolute_and_unscored_if_either_judge_is() -> None:
    found = differences([1, 4, NAN, None], [3, 1, 2, 2])  # type: ignore[list-item]
    assert found.tolist()[:2] == [2.0, 3.0]
    assert np.isnan(found[2:]).all()


@pytest.mark.parametrize("n", [19, 20, 57, 200])
def test_the_rate_of_ordinary_records_above_is_what_is_promised(n: int) -> None:
    """Without ties it is 1 - rank / (n + 1) exactly, alpha or a little less."""
    found = exceedance(n, 0.05, lambda rng, shape: rng.exponential(size=shape))
    assert found == pytest.approx(1 - math.ceil(round((n + 1) * 0.95, 9)) / (n + 1), abs=0.011)


def test_ties_of_discrete_scores_make_it_conservative_never_lax() -> None:
    shares = [0.6, 0.25, 0.1, 0.04, 0.01]
    found = exceedance(100, 0.1, lambda rng, shape: rng.choice(5, size=shape, p=shares).astype(float))
    assert found < 0.1  # 5% lie above 2, 15% above 1: the promise cannot be met exactly
    assert found > 0.03


def test_all_alike_is_a_threshold_that_any_difference_exceeds() -> None:
    found = threshold([0.0] * 40)
    assert (found.value, found.share_above) == (0.0, 0.0)
    assert divergent([0.0, 1.0], found).tolist() == [0.0, 1.0]


def test_differences_that_are_equal_on_paper_tie() -> None:
    found = threshold(differences([0.7] * 40, [0.4] * 40))
    assert divergent(differences([0.3, 0.9], [0.0, 0.6]), found).tolist() == [0.0, 0.0]


def test_the_promise_holds_within_each_group_where_a_pooled_threshold_breaks_it() -> None:
    rng = np.random.default_rng(3)
    scale = np.where(np.arange(120) < 60, 1.0, 3.0)
    groups = ["a"] * 60 + ["b"] * 60
    own: dict[str, list[float]] = {"a": [], "b": []}
    pooled: dict[str, list[float]] = {"a": [], "b": []}
    for _ in range(1500):
        found = thresholds_by_group(rng.exponential(scale), groups, ["a", "b"], alpha=0.1)
        for one, spread in zip(found.groups, (1.0, 3.0), strict=True):
            new = rng.exponential(spread, 4)
            own[one.group] += divergent(new, one.used).tolist()
            pooled[one.group] += divergent(new, found.pooled).tolist()
    for group in ("a", "b"):
        assert np.mean(own[group]) == pytest.approx(0.1, abs=0.015)
    assert np.mean(pooled["b"]) > 0.15
    assert np.mean(pooled["a"]) < 0.05


def test_a_group_with_too_few_records_falls_back_and_says_so() -> None:
    found = thresholds_by_group(range(45), ["a"] * 40 + ["b"] * 5, ["a", "b", "c"])
    a, b, c = found.groups
    assert (a.fallback, a.used) == ("", a.own)
    for one in (b, c):
        assert one.own.value is None
        assert one.used == found.pooled
        assert "promises nothing for this group" in one.fallback
    assert "0 calibration records" in c.fallback


def test_the_coverage_of_one_threshold_is_the_beta_distribution() -> None:
    rng = np.random.default_rng(0)
    found = threshold(rng.random(100), 0.1)
    shares = [threshold(rng.random(100), 0.1).value for _ in range(2000)]  # of uniform differences
    assert found.coverage_low == pytest.approx(np.quantile(shares, 0.025), abs=0.01)
    assert found.coverage_high == pytest.approx(np.quantile(shares, 0.975), abs=0.01)


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.integers(0, 8), min_size=1, max_size=60),
    st.lists(st.integers(0, 9), min_size=1, max_size=10),
    st.sampled_from([0.05, 0.1, 0.2, 0.5]),
)
def test_a_record_is_divergent_exactly_where_its_conformal_p_is_at_most_alpha(
    calibration: list[int], new: list[int], alpha: float
) -> None:
    limit, p = threshold(calibration, alpha), conformal_p(new, calibration)
    if limit.value is None:
        assert (p > alpha).all()
    else:
        assert (divergent(new, limit) == (p <= alpha + 1e-9)).all()


@settings(max_examples=30, deadline=None)
@given(st.permutations(range(30)), st.floats(0.5, 20))
def test_neither_order_nor_unit_matters(order: list[int], unit: float) -> None:
    values = np.arange(30.0)
    found = threshold(unit * values[order], 0.1)
    assert found.value == pytest.approx(unit * (threshold(values, 0.1).value or 0))


@pytest.mark.parametrize("alpha", [0, 1, -0.1])
def test_an_impossible_alpha_is_refused(alpha: float) -> None:
    with pytest.raises(ValueError, match="alpha"):
        threshold([1.0], alpha)


def test_a_negative_difference_and_an_unknown_group_are_refused() -> None:
    with pytest.raises(ValueError, match="calibration: the difference at position 1 is negative"):
        threshold([1.0, -1.0])
    with pytest.raises(ValueError, match="groups: 'z'"):
        thresholds_by_group([1.0], ["z"], ["a"])
