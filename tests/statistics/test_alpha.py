"""Krippendorff's alpha against its author and the reference library, and where it is not defined."""

from __future__ import annotations

from typing import Any

import krippendorff
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from appliance.statistics.agreement.alpha import alpha

N = None
FOUR_RATERS = [
    [1, 2, 3, 3, 2, 1, 4, 1, 2, N, N, N],
    [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, N, 3],
    [N, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, N],
    [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, N],
]
ITEMS = list(zip(*FOUR_RATERS, strict=True))
LABELS = [1, 2, 3, 4, 5]
METRICS = ["nominal", "ordinal", "interval", "ratio"]


@pytest.mark.parametrize(
    ("metric", "published"),
    [("nominal", 0.7434), ("ordinal", 0.8154), ("interval", 0.8491), ("ratio", 0.7974)],
)
def test_the_published_values(metric: Any, published: float) -> None:
    found = alpha(ITEMS, LABELS, metric)
    assert found.value == pytest.approx(published, abs=1e-4)
    assert (found.n, found.n_unscored) == (11, 1)
    assert found.low is not None and found.high is not None and found.se is not None
    assert found.low < published < found.high < 1


def test_the_published_value_of_two_abstractors() -> None:
    """irrCAC, cont3x3abstractors."""
    table = [[13, 0, 0], [0, 20, 7], [0, 4, 56]]
    pairs = [(i, j) for i in range(3) for j in range(3) for _ in range(table[i][j])]
    assert alpha(pairs, range(3), "nominal").value == pytest.approx(0.7972585, abs=1e-7)


@pytest.mark.parametrize("metric", METRICS)
def test_as_the_reference_library_has_it(metric: Any) -> None:
    rng = np.random.default_rng(4)
    for raters, items, q in ((2, 30, 2), (3, 25, 4), (5, 60, 7)):
        truth = rng.integers(0, q, items)
        ratings = np.where(
            rng.random((items, raters)) < 0.6, truth[:, np.newaxis], rng.integers(0, q, (items, raters))
        )
        gaps = np.where(rng.random((items, raters)) < 0.3, np.nan, ratings.astype(float))
        expected = krippendorff.alpha(gaps.T, level_of_measurement=metric)
        assert alpha(gaps, range(q), metric).value == pytest.approx(expected, abs=1e-12)


def test_a_hundred_different_scores() -> None:
    rng = np.random.default_rng(5)
    first = rng.integers(0, 101, 300)
    ratings = np.column_stack([first, np.clip(first + rng.integers(-15, 16, 300), 0, 100)])
    for metric in ("ordinal", "interval"):
        found = alpha(ratings, range(101), metric)  # type: ignore[arg-type]
        expected = krippendorff.alpha(ratings.T.astype(float), level_of_measurement=metric)
        assert found.value == pytest.approx(expected, abs=1e-12)
        assert found.low is not None and found.low < expected


@pytest.mark.parametrize("metric", METRICS)
def test_the_two_intervals_agree_for_many_items(metric: Any) -> None:
    rng = np.random.default_rng(6)
    truth = rng.integers(1, 6, 800)
    ratings = np.where(rng.random((800, 3)) < 0.8, truth[:, np.newaxis], rng.integers(1, 6, (800, 3)))
    score, boot = (alpha(ratings, LABELS, metric, interval=name) for name in ("score", "bootstrap"))  # type: ignore[arg-type]
    assert (score.low, score.high) == pytest.approx((boot.low, boot.high), abs=0.01)
    assert score.se == pytest.approx((score.high - score.low) / 3.92, rel=0.05)  # type: ignore[operator]


def test_coverage_with_three_raters_and_gaps() -> None:
    """600 samples of 25 items, every fifth rating missing; the bootstrap covers the truth in about 84%."""
    rng, hits = np.random.default_rng(7), []
    for _ in range(300):
        truth, own = rng.choice(2, p=[0.7, 0.3], size=25), rng.choice(2, p=[0.7, 0.3], size=(25, 3))
        ratings = np.where(rng.random((25, 3)) < 0.8**0.5, truth[:, np.newaxis], own).astype(float)
        found = alpha(np.where(rng.random((25, 3)) < 0.2, np.nan, ratings), [0, 1], "nominal")
        if found.low is not None and found.high is not None:
            hits.append(found.low <= 0.8 <= found.high)
    assert len(hits) > 290
    assert np.mean(hits) >= 0.92


@pytest.mark.parametrize(
    ("ratings", "n", "unscored", "words"),
    [
        ([], 0, 0, "no item has two"),
        ([(1, None), (None, None)], 0, 2, "no item has two"),
        ([(2, 2), (2, 2)], 2, 0, "one and the same"),
        ([(2, 2), (1, None)], 1, 1, "one and the same"),
    ],
)
def test_undefined(ratings: Any, n: int, unscored: int, words: str) -> None:
    for metric in METRICS:
        found = alpha(ratings, LABELS, metric)  # type: ignore[arg-type]
        assert (found.value, found.low, found.n, found.n_unscored) == (None, None, n, unscored)
        assert words in found.note


def test_an_unused_label_changes_nothing() -> None:
    for metric in METRICS:
        wide = alpha(ITEMS, [0, 1, 2, 3, 4, 5, 6, 7], metric)  # type: ignore[arg-type]
        assert wide.value == pytest.approx(alpha(ITEMS, LABELS, metric).value)  # type: ignore[arg-type]


@settings(max_examples=25, deadline=None)
@given(
    st.lists(st.tuples(*[st.sampled_from([1, 2, 3, None])] * 3), min_size=3, max_size=12),
    st.permutations([1, 2, 3]),
    st.sampled_from(METRICS),
    st.randoms(),
)
def test_order_and_units(items: Any, order: list[int], metric: Any, random: Any) -> None:
    found = alpha(items, [1, 2, 3], metric)
    shuffled = random.sample(items, len(items))
    assert alpha(shuffled, [1, 2, 3], metric) == found
    scaled = [[None if v is None else v * 7 for v in item] for item in items]
    others = [alpha(scaled, [7, 14, 21], metric), alpha([item[::-1] for item in items], [1, 2, 3], metric)]
    if metric == "nominal":
        others.append(alpha(items, order, metric))
    if metric in ("ordinal", "interval"):
        others.append(alpha(items, [3, 2, 1], metric))
    for other in others:
        assert (other.value is None) == (found.value is None)
        if found.value is not None:
            assert other.value == pytest.approx(found.value, abs=1e-9)
        if found.low is not None:
            assert (other.low, other.high) == pytest.approx((found.low, found.high), abs=1e-5)


def test_labels_that_do_not_suit_the_metric_are_refused() -> None:
    with pytest.raises(ValueError, match="numbers expected"):
        alpha([("a", "b")], ["a", "b"], "interval")
    with pytest.raises(ValueError, match="not negative"):
        alpha([(-1, 1)], [-1, 1], "ratio")
    with pytest.raises(ValueError, match="metric"):
        alpha([(0, 1)], [0, 1], "cardinal")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="at most 512"):
        alpha([(0, 1)], range(600), "interval")
