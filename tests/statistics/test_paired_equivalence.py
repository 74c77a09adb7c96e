"""What is decided on from pairs."""

from __future__ import annotations

import numpy as np
import pytest
from paired_data import MOVIE, of, p

from appliance.statistics.equivalence import equivalence_without_variation, tost
from appliance.statistics.outcome import decide
from appliance.statistics.paired.analysis import analyse
from appliance.statistics.paired.equivalence import shape
from appliance.statistics.paired.net import net_share


def test_a_judge_that_never_changes_is_clear_after_enough_pairs_only() -> None:
    for n, outcome in ((30, "inconclusive"), (200, "clear")):
        hypothesis = analyse(of(np.zeros(n))).hypothesis("position", 0.2, 20, largest=4)
        assert decide("judge bias", [hypothesis]).decisions[0].outcome == outcome
    assert equivalence_without_variation(0.0, 4, 0.2, n=200).p == pytest.approx(0.95**200)
    assert equivalence_without_variation(0.5, 4, 0.2, n=200).p is None


def test_hardly_any_variation_is_no_better_evidence_than_none() -> None:
    """One pair up and one down among 30: t would call that equivalent, and none at all inconclusive."""
    d = np.array([1.0, -1.0] + [0.0] * 28)
    unbounded, bounded = (analyse(of(d)).hypothesis("x", 0.2, 20, largest) for largest in (None, 4))
    assert unbounded.equivalence is not None and p(unbounded.equivalence) < 0.001
    assert bounded.equivalence is not None
    assert p(bounded.equivalence) == pytest.approx(0.95**30)
    with pytest.raises(ValueError, match="largest"):
        analyse(of(d)).hypothesis("x", 5, 20, largest=4)


def test_skewed_differences_need_more_to_be_equivalent_than_symmetric_ones() -> None:
    symmetric = of(np.repeat([-1.0, 0.0, 1.0], [30, 240, 30]))
    found = analyse(symmetric).hypothesis("x", 0.1, 20).equivalence
    plain = tost(0, (60 / 299 / 300) ** 0.5, 299, 0.1, n=300)
    assert found is not None and p(found) == pytest.approx(p(plain))
    skewed = of(np.repeat([0.0, 4.0], [95, 5]))
    one = analyse(skewed)
    told = one.hypothesis("x", 0.4, 20).equivalence
    assert told is not None and one.mean.se is not None
    assert p(told) > 2 * p(tost(0.2, one.mean.se, 99, 0.4, n=100))


def test_the_net_share_of_nothing_is_undefined_and_impossible_counts_are_refused() -> None:
    assert net_share(0, 0, 0, n_unscored=3).value is None
    with pytest.raises(ValueError, match="of 3 units"):
        net_share(2, 2, 3)


def test_the_shape_of_a_mean_is_its_skewness_and_its_clusters() -> None:
    from scipy import stats

    d = np.random.default_rng(2).exponential(1, 60)
    found = shape(of(d))
    assert (found.clusters, found.df) == (60, 59)
    assert found.skewness == pytest.approx(stats.skew(d) / 60**0.5)
    copies = shape(of(np.repeat(d, 5), np.repeat(np.arange(60), 5)))
    assert copies.clusters == 60
    assert copies.skewness == pytest.approx(found.skewness)


def test_a_hypothesis_carries_the_numbers_that_it_is_decided_on() -> None:
    found = analyse(MOVIE)
    hypothesis = found.hypothesis("film", 0.5, 20)
    assert (hypothesis.n, hypothesis.test.df, hypothesis.test.p) == (10, 9, found.permutation.p)
    assert hypothesis.effect == found.mean
    assert decide("f", [hypothesis]).decisions[0].outcome == "insufficient data"
