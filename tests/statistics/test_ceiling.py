"""How far people agree among themselves."""

from __future__ import annotations

import numpy as np
import pytest
from statsmodels.stats.inter_rater import cohens_kappa

from appliance.statistics.agreement.ceiling import light_kappa


def three(n: int = 120, seed: int = 0) -> np.ndarray:  # type: ignore[type-arg]
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 3, (n, 1))
    return np.where(rng.random((n, 3)) < 0.8, truth, rng.integers(0, 3, (n, 3)))


def pair(ratings: np.ndarray, i: int, j: int) -> float:  # type: ignore[type-arg]
    table = np.zeros((3, 3))
    for a, b in ratings[:, [i, j]]:
        if not (np.isnan(a) or np.isnan(b)):
            table[int(a), int(b)] += 1
    return float(cohens_kappa(table).kappa)


def test_it_is_the_mean_over_pairs_each_on_its_common_items() -> None:
    ratings = three().astype(float)
    ratings[:40, 2] = np.nan
    ratings[40:50, 0] = np.nan
    found = light_kappa(ratings, range(3))
    assert found.value == pytest.approx(np.mean([pair(ratings, i, j) for i, j in ((0, 1), (0, 2), (1, 2))]))
    assert found.low < found.value < found.high  # type: ignore[operator]
    assert (found.n, found.n_unscored) == (120, 0)


def test_two_raters_are_plain_kappa_whatever_their_order() -> None:
    ratings = three()[:, :2]
    assert light_kappa(ratings, range(3)).value == pytest.approx(pair(ratings.astype(float), 0, 1))
    shuffled = np.random.default_rng(1).permutation(ratings[:, ::-1])
    assert light_kappa(shuffled, range(3)).value == pytest.approx(light_kappa(ratings, range(3)).value)


def test_copies_within_clusters_do_not_narrow_the_interval() -> None:
    ratings = three(40)
    once = light_kappa(ratings, range(3))
    copied = light_kappa(np.repeat(ratings, 5, axis=0), range(3), clusters_of=np.repeat(np.arange(40), 5))
    assert (copied.low, copied.high) == pytest.approx((once.low, once.high))


def test_a_pair_without_a_kappa_is_left_out_and_named() -> None:
    ratings = [[0, 0, None], [1, 1, None], [1, 0, None], [0, 0, None]] * 5
    found = light_kappa(ratings, range(2))
    assert found.value == pytest.approx(light_kappa([row[:2] for row in ratings], range(2)).value)
    assert "2 of 3 pairs" in found.note


def test_undefined() -> None:
    for ratings, words, n, unscored in (
        ([], "no item", 0, 0),
        ([(0, None)], "no item", 0, 1),
        ([(0, 0), (0, 0)], "one label", 2, 0),
    ):
        found = light_kappa(ratings, range(2))
        assert (found.value, found.low, found.n, found.n_unscored) == (None, None, n, unscored)
        assert words in found.note
