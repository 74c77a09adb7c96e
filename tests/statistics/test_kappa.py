"""Agreement against published values, and where it is not defined."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from appliance.statistics.agreement.kappa import agreement, kappa
from appliance.statistics.arrays import Array

ANX_U = [3, 6, 4, 6, 2, 4, 2, 4, 3, 3, 2, 3, 3, 3, 2, 2, 1, 3, 3, 4]
ANX_V = [2, 1, 4, 4, 3, 2, 1, 6, 1, 1, 1, 2, 3, 3, 1, 1, 3, 3, 2, 2]


def one(table: Any) -> Array:
    """A table as one cluster."""
    return np.asarray([table], dtype=float)


def items(first: list[int], second: list[int], labels: list[int]) -> Array:
    """Each item a cluster of its own."""
    found = np.zeros((len(first), len(labels), len(labels)))
    for item, (a, b) in enumerate(zip(first, second, strict=True)):
        found[item, labels.index(a), labels.index(b)] = 1
    return found


def spread(table: list[list[int]]) -> Array:
    """A table's items, each a cluster of its own."""
    q = len(table)
    cells = [(i, j) for i in range(q) for j in range(q) for _ in range(table[i][j])]
    return items([i for i, _ in cells], [j for _, j in cells], list(range(q)))


def value(confusions: Array, weights: Any = "none") -> float:
    found = kappa(confusions, weights=weights).value
    assert found is not None
    return found


def test_the_published_kappa_of_sas() -> None:
    table = [[0, 4, 1], [0, 8, 0], [0, 1, 5]]
    assert value(one(table)) == pytest.approx(0.4842, abs=1e-4)
    assert value(one(table), "linear") == pytest.approx(0.4701, abs=1e-4)


@pytest.mark.parametrize("interval", ["score", "bootstrap"])
def test_the_interval_is_near_the_published_analytic_one(interval: Any) -> None:
    """SAS: .2137 to .7547 for 19 items. Two ways to an interval of so few items may differ by a tenth."""
    found = kappa(spread([[0, 4, 1], [0, 8, 0], [0, 1, 5]]), interval=interval)
    assert found.low == pytest.approx(0.2137, abs=0.1)
    assert found.high == pytest.approx(0.7547, abs=0.1)
    assert found.n == 19


def test_the_published_standard_errors() -> None:
    """SAS, and irrCAC's table of two abstractors."""
    assert kappa(spread([[0, 4, 1], [0, 8, 0], [0, 1, 5]])).se == pytest.approx(0.1380, abs=5e-5)
    found = kappa(spread([[13, 0, 0], [0, 20, 7], [0, 4, 56]]))
    assert found.value == pytest.approx(0.7964094, abs=1e-7)
    assert found.se == pytest.approx(0.05891072, abs=1e-8)


def test_the_published_weighted_kappa_of_irr_depends_on_the_full_list_of_labels() -> None:
    seen, full = [1, 2, 3, 4, 6], [1, 2, 3, 4, 5, 6]
    assert value(items(ANX_U, ANX_V, seen), "quadratic") == pytest.approx(0.2520325, abs=1e-6)
    assert value(items(ANX_U, ANX_V, full), "quadratic") == pytest.approx(0.2297980, abs=1e-6)
    for labels in (seen, full):
        assert value(items(ANX_U, ANX_V, labels)) == pytest.approx(-0.0062893, abs=1e-6)


@pytest.mark.parametrize(
    ("table", "published"), [([[80, 10], [5, 5]], 0.3182), ([[118, 5], [2, 0]], -0.0234)]
)
def test_the_kappa_paradox(table: list[list[int]], published: float) -> None:
    """Plain agreement of 85% and 94%, and hardly any kappa."""
    assert value(one(table)) == pytest.approx(published, abs=1e-4)
    shown = agreement(one(table)).value
    assert shown is not None and shown >= 0.85


def test_as_the_reference_library_has_it() -> None:
    from statsmodels.stats.inter_rater import cohens_kappa

    table = np.array([[20, 10, 5], [3, 30, 15], [0, 5, 40]])
    expected = cohens_kappa(table)
    found = kappa(spread(table.tolist()))
    assert found.value == pytest.approx(expected.kappa)
    assert found.low == pytest.approx(expected.kappa_low, abs=0.03)
    assert found.high == pytest.approx(expected.kappa_upp, abs=0.03)
    for ours, theirs in (("none", None), ("linear", "linear"), ("quadratic", "fc")):
        expected = cohens_kappa(table, wt=theirs)
        found = kappa(spread(table.tolist()), weights=ours)  # type: ignore[arg-type]
        assert found.value == pytest.approx(expected.kappa, abs=1e-12)
        assert found.se == pytest.approx(expected.std_kappa, rel=1e-7)


def test_the_plain_interval_is_wilsons() -> None:
    found = agreement(spread([[60, 10], [5, 25]]))
    assert (found.low, found.high) == pytest.approx(wilson(85, 100), abs=1e-9)
    assert found.se == pytest.approx((0.85 * 0.15 / 100) ** 0.5)


def wilson(successes: int, n: int) -> tuple[float, float]:
    from statsmodels.stats.proportion import proportion_confint

    low, high = proportion_confint(successes, n, method="wilson")
    return float(low), float(high)


def test_weights_that_do_not_exist_are_refused() -> None:
    with pytest.raises(KeyError):
        kappa(one([[1, 1], [1, 1]]), weights="cubic")  # type: ignore[arg-type]


@pytest.mark.parametrize("weights", ["none", "linear", "quadratic"])
@pytest.mark.parametrize("count", [1, 7, 100_000])
def test_one_label_throughout_is_complete_agreement_and_no_kappa(weights: Any, count: int) -> None:
    found = kappa(one([[0, 0, 0], [0, count, 0], [0, 0, 0]]), weights=weights)
    assert (found.value, found.low, found.high) == (None, None, None)
    assert "kappa is undefined" in found.note
    assert agreement(one([[0, 0], [0, count]])).value == 1.0


def test_a_single_label_in_the_list_is_the_same() -> None:
    assert kappa(one([[5]])).value is None
    assert kappa(one([[5]]), weights="quadratic").value is None


def test_perfect_agreement_on_two_labels_is_one() -> None:
    assert value(one([[4, 0], [0, 6]])) == pytest.approx(1.0)
    assert value(one([[0, 4], [6, 0]])) < 0


@pytest.mark.parametrize("confusions", [np.zeros((0, 3, 3)), np.zeros((4, 3, 3))])
def test_nothing_scored_is_undefined_with_its_count(confusions: Array) -> None:
    for found in (kappa(confusions, n_unscored=9), agreement(confusions, n_unscored=9)):
        assert (found.value, found.low, found.high) == (None, None, None)
        assert found.n_unscored == 9
        assert "no record was scored" in found.note


def test_a_single_cluster_has_a_value_and_no_interval() -> None:
    for found in (kappa(one([[4, 1], [1, 4]])), agreement(one([[4, 1], [1, 4]]))):
        assert found.value is not None
        assert (found.low, found.high, found.n) == (None, None, 1)
        assert "fewer than two clusters" in found.note


@settings(max_examples=40, deadline=None)
@given(
    st.lists(st.lists(st.integers(0, 9), min_size=4, max_size=4), min_size=4, max_size=4),
    st.permutations(range(4)),
)
def test_the_order_of_labels_does_not_matter_to_plain_kappa(table: list[list[int]], order: list[int]) -> None:
    straight, turned = np.array(table), np.array(table)[np.ix_(order, order)]
    first, second = kappa(one(straight)).value, kappa(one(turned)).value
    assert (first is None) == (second is None)
    if first is not None:
        assert first == pytest.approx(second, abs=1e-9)
        assert first <= 1


def test_the_order_of_labels_does_matter_to_weighted_kappa() -> None:
    table = np.array([[5, 3, 0], [0, 5, 1], [2, 0, 5]])
    order = [1, 0, 2]
    assert value(one(table), "quadratic") != pytest.approx(
        value(one(table[np.ix_(order, order)]), "quadratic")
    )


def test_swapping_the_raters_changes_nothing() -> None:
    table = np.array([[5, 3, 0], [0, 5, 1], [2, 0, 5]])
    for weights in ("none", "linear", "quadratic"):
        assert value(one(table), weights) == pytest.approx(value(one(table.T), weights))


def width(found: Any) -> float:
    return float(found.high - found.low)


def test_copies_within_a_cluster_do_not_narrow_the_interval() -> None:
    single = spread([[20, 10], [5, 25]])
    copied = single * 50
    for statistic in (kappa, agreement):
        found, expected = statistic(copied), statistic(single)
        assert found.value == pytest.approx(expected.value)
        assert found.low == pytest.approx(expected.low, abs=0.01)
        assert found.high == pytest.approx(expected.high, abs=0.01)
        assert width(found) >= width(expected)  # Student's t for the normal
        assert found.se == pytest.approx(expected.se * (60 / 59) ** 0.5)
        drawn, same = (statistic(each, interval="bootstrap") for each in (copied, single))
        assert (drawn.low, drawn.high) == pytest.approx((same.low, same.high))
    as_if_independent = kappa(np.repeat(single, 50, axis=0))
    assert width(as_if_independent) < width(kappa(single)) / 5


def test_clusters_of_like_items_have_a_wider_interval_than_independent_items() -> None:
    table = [[20, 10], [5, 25]]
    clusters = np.array(
        [[[5, 0], [0, 0]]] * 4 + [[[0, 5], [0, 0]]] * 2 + [[[0, 0], [5, 0]]] + [[[0, 0], [0, 5]]] * 5,
        dtype=float,
    )
    assert clusters.sum(axis=0).tolist() == table
    assert kappa(clusters).value == pytest.approx(value(spread(table)))
    assert width(kappa(clusters)) > 1.5 * width(kappa(spread(table)))


def test_the_interval_is_repeatable_and_its_seed_matters_little() -> None:
    data = spread([[20, 10], [5, 25]])
    assert kappa(data, seed=3) == kappa(data, seed=3)
    assert kappa(data, seed=3).low == pytest.approx(kappa(data, seed=4).low, abs=0.03)


def test_records_of_many_sentences_weigh_more_than_records_of_few() -> None:
    """Agreement is over items: 9 of 10 sentences, not the mean of 1/1 and 8/9."""
    data = np.array([[[1, 0], [0, 0]], [[4, 1], [0, 4]]], dtype=float)
    assert agreement(data).value == pytest.approx(0.9)
    assert agreement(data).n == 2


def test_records_that_are_all_alike_claim_no_certainty() -> None:
    """Complete agreement of 30 records leaves room for a disagreement in the next."""
    tables = np.tile(np.array([[[1.0, 0.0], [0.0, 0.0]]]), (30, 1, 1))
    found = agreement(tables)
    assert (found.value, found.high) == (1.0, 1.0)
    assert found.low == pytest.approx(wilson(30, 30)[0], abs=1e-9)
    bootstrapped = agreement(tables, interval="bootstrap")
    assert (bootstrapped.value, bootstrapped.low, bootstrapped.high) == (1.0, None, None)
    assert "alike" in bootstrapped.note


def test_complete_agreement_has_a_lower_bound_that_rises_with_the_number_of_records() -> None:
    lows = []
    for n in (10, 25, 100, 1000):
        found = kappa(spread([[n, 0], [0, n]]))
        assert (found.value, found.high, found.note) == (1.0, 1.0, "")
        assert found.low is not None
        lows.append(found.low)
    assert lows == sorted(lows)
    assert lows[0] < 0.75 < 0.9 < lows[2] < lows[3] < 1


def test_unanimous_records_of_many_items_count_as_records() -> None:
    """Nothing shows that the ten sentences of a record are more than copies of one."""
    by_record = np.array([[[10.0, 0], [0, 0]]] * 10 + [[[0.0, 0], [0, 10]]] * 10)
    assert kappa(by_record).low == pytest.approx(kappa(by_record / 10).low, abs=0.05)
    assert kappa(by_record).low < kappa(spread([[100, 0], [0, 100]])).low - 0.1


def test_complete_disagreement_is_bounded_below() -> None:
    found = kappa(spread([[0, 10], [10, 0]]))
    assert found.value == pytest.approx(-1)
    assert found.low == pytest.approx(-1)
    assert found.high is not None and -1 < found.high < 0


@settings(max_examples=40, deadline=None)
@given(
    st.lists(st.lists(st.integers(0, 6), min_size=3, max_size=3), min_size=3, max_size=3),
    st.permutations(range(3)),
    st.sampled_from(["none", "linear", "quadratic"]),
)
def test_interval_and_value_agree_and_do_not_depend_on_order(
    table: list[list[int]], order: list[int], weights: Any
) -> None:
    data = spread(table)
    found = kappa(data, weights=weights)
    if found.value is None or found.low is None or found.high is None:
        return
    assert -1 - 1e-9 <= found.low <= found.value <= found.high <= 1 + 1e-9
    shuffled = np.random.default_rng(1).permutation(data)
    assert kappa(shuffled, weights=weights) == found
    swapped = kappa(data.transpose(0, 2, 1), weights=weights)
    same = [kappa(data[:, order][:, :, order])] if weights == "none" else []
    for other in (swapped, *same):
        assert (other.low, other.high) == pytest.approx((found.low, found.high), abs=1e-6)


def test_tables_that_are_none_are_refused() -> None:
    for wrong in (np.ones((3, 2, 3)), np.full((2, 2, 2), -1.0), np.full((2, 2, 2), np.nan)):
        with pytest.raises(ValueError, match="confusions"):
            kappa(wrong)
