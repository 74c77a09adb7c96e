"""AC1 and AC2 against irrCAC, and where they are not defined."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from appliance.statistics.agreement.gwet import ac1, ac2
from appliance.statistics.agreement.kappa import kappa
from appliance.statistics.agreement.tables import confusions

N = None
# Krippendorff's example, which irrCAC ships as cac.raw4raters; one row per rater.
FOUR_RATERS = [
    [1, 2, 3, 3, 2, 1, 4, 1, 2, N, N, N],
    [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, N, 3],
    [N, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, N],
    [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, N],
]
ITEMS = list(zip(*FOUR_RATERS, strict=True))
LABELS = [1, 2, 3, 4, 5]


def pairs(table: list[list[int]]) -> list[tuple[int, int]]:
    q = len(table)
    return [(i, j) for i in range(q) for j in range(q) for _ in range(table[i][j])]


def test_the_published_values_of_four_raters_with_gaps() -> None:
    assert ac1(ITEMS, LABELS).value == pytest.approx(0.77544, abs=1e-5)
    assert ac2(ITEMS, LABELS).value == pytest.approx(0.9140, abs=1e-4)
    assert ac1(ITEMS, LABELS).n == 12


@pytest.mark.parametrize(
    ("table", "chance_corrected", "published"),
    [([[80, 10], [5, 5]], 0.3182, 0.8080), ([[118, 5], [2, 0]], -0.0234, 0.9408)],
)
def test_the_paradox_of_kappa_is_none_of_ac1(
    table: list[list[int]], chance_corrected: float, published: float
) -> None:
    given_pairs = pairs(table)
    assert ac1(given_pairs, [0, 1]).value == pytest.approx(published, abs=1e-4)
    tables = confusions([a for a, _ in given_pairs], [b for _, b in given_pairs], [0, 1])
    assert kappa(tables).value == pytest.approx(chance_corrected, abs=1e-4)


def test_the_published_value_and_standard_error_of_two_abstractors() -> None:
    """irrCAC, cont3x3abstractors: AC1 .8493305, standard error .04321747."""
    found = ac1(pairs([[13, 0, 0], [0, 20, 7], [0, 4, 56]]), range(3))
    assert found.value == pytest.approx(0.8493305, abs=1e-7)
    assert found.se == pytest.approx(0.04321747, abs=1e-8)
    assert found.low == pytest.approx(0.764, abs=0.03)
    assert found.high == pytest.approx(0.935, abs=0.03)


def test_the_two_intervals_agree_for_many_items() -> None:
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 4, 800)
    ratings = np.where(rng.random((800, 3)) < 0.75, truth[:, np.newaxis], rng.integers(0, 4, (800, 3)))
    for statistic in (ac1, ac2):
        score, boot = (statistic(ratings, range(4), interval=name) for name in ("score", "bootstrap"))
        assert (score.low, score.high) == pytest.approx((boot.low, boot.high), abs=0.008)


def test_an_unused_label_changes_the_value() -> None:
    assert ac1(ITEMS, LABELS).value != pytest.approx(ac1(ITEMS, [*LABELS, 6]).value)


def test_perfect_agreement_on_one_label_is_one_with_room_for_doubt() -> None:
    """Where kappa is undefined, AC1 is not."""
    found = ac1([(0, 0)] * 20, [0, 1])
    assert (found.value, found.high) == (1.0, 1.0)
    assert found.low is not None and 0.6 < found.low < 0.95


@pytest.mark.parametrize(
    ("ratings", "labels", "n", "unscored", "words"),
    [
        ([], [0, 1], 0, 0, "no item has two"),
        ([(None, None)], [0, 1], 0, 1, "no item has two"),
        ([(0, None), (1, float("nan"))], [0, 1], 2, 0, "no item has two"),
        ([(0, 0)], [0], 1, 0, "one label"),
    ],
)
def test_undefined(ratings: Any, labels: list[int], n: int, unscored: int, words: str) -> None:
    found = ac1(ratings, labels)
    assert (found.value, found.low, found.high, found.n, found.n_unscored) == (None, None, None, n, unscored)
    assert words in found.note


def test_one_item_has_a_value_and_no_interval() -> None:
    found = ac1([(0, 1, 0)], [0, 1])
    assert found.value is not None
    assert (found.low, found.high, found.se) == (None, None, None)
    assert "fewer than two" in found.note


def test_copies_of_items_within_clusters_do_not_narrow_the_interval() -> None:
    rng = np.random.default_rng(1)
    ratings = rng.integers(0, 2, (40, 2))
    once = ac1(ratings, [0, 1])
    copied = ac1(np.repeat(ratings, 10, axis=0), [0, 1], clusters=np.repeat(np.arange(40), 10))
    assert copied.value == pytest.approx(once.value)
    assert copied.low <= once.low and copied.high >= once.high  # type: ignore[operator]


@settings(max_examples=25, deadline=None)
@given(
    st.lists(st.tuples(*[st.sampled_from([0, 1, 2, None])] * 3), min_size=3, max_size=12),
    st.permutations(range(3)),
    st.randoms(),
)
def test_order_of_labels_raters_and_items(items: Any, order: list[int], random: Any) -> None:
    found = ac1(items, range(3))
    renamed = [[None if label is None else order[label] for label in item] for item in items]
    raters = [[item[r] for r in order] for item in items]
    shuffled = random.sample(items, len(items))
    for other in (ac1(renamed, range(3)), ac1(raters, range(3)), ac1(shuffled, range(3))):
        assert (other.value is None) == (found.value is None)
        if found.value is not None:
            assert other.value == pytest.approx(found.value)
        if found.low is not None:
            assert (other.low, other.high) == pytest.approx((found.low, found.high), abs=1e-6)
    assert ac1(shuffled, range(3)) == found


def test_what_does_not_fit_is_refused() -> None:
    with pytest.raises(ValueError, match="ratings: 7 at position 1"):
        ac1([(0, 7)], [0, 1])
    with pytest.raises(ValueError, match="ratings: 1 at item 1, 2 at item 0"):
        ac1([(0, 1), (0,)], [0, 1])
