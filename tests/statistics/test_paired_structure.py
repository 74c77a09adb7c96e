"""Sides, order, units, repeats and clusters of pairs."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from paired_data import of, p, scores

from appliance.statistics.paired import tests as paired_tests
from appliance.statistics.paired.analysis import analyse
from appliance.statistics.paired.pairs import from_long, make_pairs


@settings(max_examples=30, deadline=None)
@given(
    st.lists(st.tuples(st.integers(1, 5), st.integers(1, 5), st.integers(0, 3)), min_size=3, max_size=24),
    st.randoms(use_true_random=False),
)
def test_order_of_pairs_and_names_of_clusters_change_no_digit(
    rows: list[tuple[int, int, int]], random: Any
) -> None:
    shuffled = random.sample(rows, len(rows))
    one, two = (
        analyse(make_pairs([r[0] / 3 for r in each], [r[1] / 3 for r in each], cluster=[r[2] for r in each]))
        for each in (rows, shuffled)
    )
    assert one.unscored_share == two.unscored_share == 0
    for name in type(one).model_fields:
        if name == "unscored_share":
            continue
        first, second = getattr(one, name).model_dump(), getattr(two, name).model_dump()
        for field, value in first.items():
            number = isinstance(value, float)
            assert second[field] == (pytest.approx(value, rel=1e-9, abs=1e-11) if number else value), name


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
    assert (clustered.mean.low, clustered.mean.high) == pytest.approx((once.mean.low, once.mean.high))
    for name in ("permutation", "sign", "t"):
        assert p(getattr(clustered, name)) == pytest.approx(p(getattr(once, name)))


def test_long_form_is_the_same_as_two_columns() -> None:
    long = from_long([3, 1, 4, np.nan, 5, 2], [True, False] * 3, ["a", "a", "b", "b", "c", "c"])
    assert long.differences.tolist() == [2, 3]
    assert (long.n_unscored, long.n_values_unscored) == (1, 1)


def test_a_unit_with_one_repeat_scored_is_complete_and_its_gaps_are_counted() -> None:
    pairs = make_pairs([3, np.nan, 4], [1, 2, np.nan], unit=["a", "a", "b"])
    assert pairs.differences.tolist() == [1.5]
    assert (pairs.n, pairs.n_unscored, pairs.n_values_unscored) == (1, 1, 2)


def test_clusters_of_one_size_have_the_error_of_their_means() -> None:
    from scipy import stats

    d = np.random.default_rng(7).integers(-2, 3, 60).astype(float)
    means = d.reshape(12, 5).mean(axis=1)
    found = paired_tests.t_test(of(d, np.repeat(np.arange(12), 5)))
    expected = stats.ttest_1samp(means, 0)
    assert (found.statistic, found.p) == pytest.approx((expected.statistic, expected.pvalue))
    assert found.df == pytest.approx(11)


def test_unequal_clusters_lose_degrees_of_freedom_as_bell_and_mccaffrey_have_it() -> None:
    """From the matrices of the paper, for a regression on the constant alone."""
    sizes = np.array([1, 1, 2, 2, 3, 4, 6, 10, 20, 40])
    cluster, n = np.repeat(np.arange(10), sizes), int(sizes.sum())
    d = np.random.default_rng(1).normal(0, 1, n)
    hat = np.eye(n) - np.ones((n, n)) / n
    columns, residuals = [], hat @ d
    for c in range(10):
        rows = np.flatnonzero(cluster == c)
        block = np.eye(len(rows)) - np.ones((len(rows), len(rows))) / n
        values, vectors = np.linalg.eigh(block)
        adjusted = vectors @ np.diag(values**-0.5) @ vectors.T @ np.ones(len(rows)) / n
        columns.append(hat[:, rows] @ adjusted)
    g = np.array(columns)
    eigenvalues = np.linalg.eigvalsh(g @ g.T)
    _, se, df = paired_tests.mean_and_error(of(d, cluster))
    assert se**2 == pytest.approx(float(((g @ residuals) ** 2).sum()))
    assert df == pytest.approx(eigenvalues.sum() ** 2 / (eigenvalues**2).sum())


def test_what_does_not_fit_is_refused() -> None:
    with pytest.raises(ValueError, match="side: expected true or false, found 'F' at position 0"):
        from_long([1, 2], ["F", "M"], ["a", "a"])  # type: ignore[list-item]
    with pytest.raises(ValueError, match="independent pairs"):
        paired_tests.wilcoxon(of([1, 2], ["a", "a"]), method="asymptotic")
    with pytest.raises(ValueError, match="one length"):
        make_pairs([1, 2], [1])
    with pytest.raises(ValueError, match="position 1 is infinite"):
        make_pairs([1, np.inf], [1, 2])
    with pytest.raises(ValueError, match="is in two"):
        make_pairs([1, 2], [1, 2], unit=["a", "a"], cluster=["s", "t"])


def test_clusters_weaken_every_test_and_widen_the_interval() -> None:
    rng = np.random.default_rng(5)
    template = np.repeat(np.arange(20), 10)
    d = np.round(rng.normal(0, 1, 20)[template] + rng.normal(0, 0.5, 200))
    alone, together = analyse(of(d)), analyse(of(d, cluster=template))
    assert (together.mean.se or 0) > 1.5 * (alone.mean.se or 1)
    for name in ("permutation", "pratt", "sign", "t"):
        assert p(getattr(together, name)) > p(getattr(alone, name))
    for name in ("d_z", "d_av", "rank_biserial", "net", "hodges_lehmann"):
        wide, narrow = getattr(together, name), getattr(alone, name)
        assert wide.value == pytest.approx(narrow.value)
        assert wide.high - wide.low > 1.3 * (narrow.high - narrow.low)
