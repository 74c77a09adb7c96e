"""Intraclass correlations against Shrout and Fleiss, and where they are not defined."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from appliance.statistics.agreement.icc import icc

# Shrout and Fleiss (1979), table 2: six targets, four judges.
TARGETS = [[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6], [10, 5, 6, 9], [6, 2, 4, 7]]


@pytest.mark.parametrize(
    ("model", "average", "value", "low", "high"),
    [  # values: the paper; intervals: psych::ICC in R
        (1, False, 0.17, -0.133, 0.72),
        (2, False, 0.29, 0.019, 0.76),
        (3, False, 0.71, 0.342, 0.95),
        (1, True, 0.44, -0.884, 0.91),
        (2, True, 0.62, 0.071, 0.93),
        (3, True, 0.91, 0.676, 0.99),
    ],
)
def test_the_published_table(model: Any, average: bool, value: float, low: float, high: float) -> None:
    found = icc(TARGETS, model, average)
    assert found.value == pytest.approx(value, abs=0.005)
    assert found.low == pytest.approx(low, abs=6e-4)
    assert found.high == pytest.approx(high, abs=0.006)
    assert (found.n, found.n_unscored) == (6, 0)


def test_an_item_that_lacks_a_score_is_left_out_and_counted() -> None:
    gaps = [*TARGETS, [7, np.nan, 3, 3], [np.nan] * 4]
    found, complete = icc(gaps), icc(TARGETS)
    assert (found.value, found.low, found.high) == (complete.value, complete.low, complete.high)
    assert (found.n, found.n_unscored) == (6, 2)


def test_the_components_of_variance_are_recovered() -> None:
    """2,000 items of variance 4, 6 raters' levels of .5 and error of 1."""
    rng = np.random.default_rng(0)
    levels = np.array([-1, -0.6, -0.2, 0.2, 0.6, 1]) * np.sqrt(0.5 / 0.56)
    scores = 2 * rng.normal(size=(2000, 1)) + levels + rng.normal(size=(2000, 6))
    assert icc(scores, 2).value == pytest.approx(4 / 5.5, abs=0.02)
    assert icc(scores, 3).value == pytest.approx(4 / 5, abs=0.02)
    assert icc(scores, 3, average=True).value == pytest.approx(4 / (4 + 1 / 6), abs=0.01)


@pytest.mark.parametrize("model", [1, 3])
def test_coverage(model: Any) -> None:
    rng = np.random.default_rng(1)
    hits = []
    for _ in range(800):
        found = icc(rng.normal(size=(12, 1)) + rng.normal(size=(12, 3)), model)
        assert found.low is not None and found.high is not None
        hits.append(found.low <= 0.5 <= found.high)
    assert 0.93 <= np.mean(hits) <= 0.97


def test_coverage_of_absolute_agreement_with_random_raters() -> None:
    """Satterthwaite's degrees of freedom make it approximate."""
    rng = np.random.default_rng(2)
    hits = []
    for _ in range(800):
        scores = rng.normal(size=(20, 1)) + 0.5 * rng.normal(size=(1, 5)) + rng.normal(size=(20, 5))
        found = icc(scores, 2)
        assert found.low is not None and found.high is not None
        hits.append(found.low <= 1 / 2.25 <= found.high)
    assert 0.92 <= np.mean(hits) <= 0.98


@pytest.mark.parametrize(
    ("ratings", "n", "unscored"),
    [
        (np.zeros((0, 3)), 0, 0),
        ([[1.0, 2.0]], 1, 0),
        ([[1.0], [2.0]], 2, 0),
        ([[1.0, np.nan], [np.nan, 2.0]], 0, 2),
        (np.full((5, 3), 0.1), 5, 0),
    ],
)
def test_undefined(ratings: Any, n: int, unscored: int) -> None:
    for model in (1, 2, 3):
        for average in (False, True):
            found = icc(ratings, model, average)  # type: ignore[arg-type]
            assert (found.value, found.low, found.high) == (None, None, None)
            assert (found.n, found.n_unscored) == (n, unscored)
            assert found.note


def test_raters_who_never_disagree() -> None:
    same = np.column_stack([[0.1, 0.2, 0.7]] * 3)
    for model in (1, 2, 3):
        found = icc(same, model)  # type: ignore[arg-type]
        assert (found.value, found.low, found.high) == (1.0, None, None)
        assert "never disagree" in found.note


def test_items_that_do_not_differ() -> None:
    """Model 1 has all variance within items: -1/(k - 1); the mean of raters has no reliability at all."""
    alike = [[1.0, 2.0, 3.0], [2.0, 3.0, 1.0], [3.0, 1.0, 2.0]]
    assert icc(alike, 1).value == pytest.approx(-0.5)
    assert icc(alike, 1).low == pytest.approx(-0.5)
    assert icc(alike, 1, average=True).value is None


@settings(max_examples=30, deadline=None)
@given(
    st.lists(st.lists(st.integers(0, 9), min_size=3, max_size=3), min_size=3, max_size=8),
    st.permutations(range(3)),
    st.floats(0.1, 50),
    st.floats(-20, 20),
)
def test_order_of_raters_and_items_unit_and_origin(
    rows: list[list[int]], order: list[int], unit: float, origin: float
) -> None:
    scores = np.array(rows, dtype=float)
    for model in (1, 2, 3):
        found = icc(scores, model)  # type: ignore[arg-type]
        for other in (scores[:, order], scores[::-1], scores * unit + origin):
            again = icc(other, model)  # type: ignore[arg-type]
            assert (again.value is None) == (found.value is None)
            if found.value is not None:
                assert again.value == pytest.approx(found.value, abs=1e-8)
            if found.low is not None and again.low is not None:
                assert again.low == pytest.approx(found.low, abs=1e-6)


def test_items_that_differ_less_than_raters_disagree_have_a_value_and_maybe_no_interval() -> None:
    found = icc([[0, 0, 1], [0, 0, 1], [0, 1, 0]], 2)
    assert found.value is not None and found.value < 0
    assert found.low is None and "degrees of freedom" in found.note


def test_what_does_not_fit_is_refused() -> None:
    with pytest.raises(ValueError, match="shape"):
        icc([1, 2, 3])
    with pytest.raises(ValueError, match="item 1 by rater 0 is infinite"):
        icc([[1, 2], [np.inf, 2]])
    with pytest.raises(ValueError, match="model"):
        icc(TARGETS, 4)  # type: ignore[arg-type]
