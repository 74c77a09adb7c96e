"""McNemar, Bowker, Stuart–Maxwell and the differences behind them, against published output."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from appliance.statistics.agreement.marginals import marginal_differences, odds_ratio, paired_difference
from appliance.statistics.agreement.symmetry import bowker, mcnemar, stuart_maxwell

THREE = [[20, 10, 5], [3, 30, 15], [0, 5, 40]]
TWO = [[23, 15], [19, 31]]
TABLES = st.lists(st.lists(st.integers(0, 8), min_size=3, max_size=3), min_size=3, max_size=3)


def test_the_published_mcnemar() -> None:
    assert mcnemar(TWO).p == pytest.approx(0.607591, abs=1e-6)
    assert mcnemar(TWO, "corrected").p == pytest.approx(0.606905, abs=1e-6)
    assert mcnemar(TWO, "uncorrected").statistic == pytest.approx(16 / 34)


def test_the_published_bowker_and_stuart_maxwell() -> None:
    symmetry, margins = bowker(THREE), stuart_maxwell(THREE)
    assert symmetry.statistic == pytest.approx(13.76923, abs=1e-5)
    assert (symmetry.df, symmetry.p) == (3, pytest.approx(0.0032367, abs=1e-7))
    assert margins.statistic == pytest.approx(13.764706, abs=1e-6)
    assert (margins.df, margins.p) == (2, pytest.approx(0.0010257, abs=1e-7))


def test_as_the_reference_library_has_them() -> None:
    from statsmodels.stats.contingency_tables import SquareTable

    rng = np.random.default_rng(0)
    for q in (2, 3, 5):
        table = rng.integers(1, 30, (q, q))
        library = SquareTable(table.astype(float), shift_zeros=False)
        for ours, theirs in (
            (bowker(table), library.symmetry()),
            (stuart_maxwell(table), library.homogeneity()),
        ):
            assert ours.statistic == pytest.approx(theirs.statistic)
            assert ours.p == pytest.approx(theirs.pvalue)
            assert ours.df == theirs.df


def test_with_two_labels_all_are_mcnemar() -> None:
    for found in (bowker(TWO), stuart_maxwell(TWO)):
        assert found.statistic == pytest.approx(16 / 34)
        assert (found.df, found.p) == (1, pytest.approx(mcnemar(TWO, "uncorrected").p))


def test_a_label_that_nobody_used_changes_nothing() -> None:
    padded = np.pad(THREE, (0, 1))
    padded[3, 3] = 7  # used, and never disputed
    for test in (bowker, stuart_maxwell):
        assert test(padded).statistic == pytest.approx(test(THREE).statistic)
        assert test(padded).df == test(THREE).df


def test_labels_in_two_sets_without_disagreement_between_them_add_up() -> None:
    both = np.zeros((4, 4))
    both[:2, :2], both[2:, 2:] = [[20, 3], [9, 3]], [[5, 2], [8, 9]]
    expected = 36 / 12 + 36 / 10
    for test in (bowker, stuart_maxwell):
        assert test(both).statistic == pytest.approx(expected)
        assert test(both).df == 2


@pytest.mark.parametrize("table", [np.zeros((2, 2)), [[5, 0], [0, 7]]])
def test_raters_who_never_disagree_cannot_be_tested(table: Any) -> None:
    for found in (mcnemar(table), mcnemar(table, "corrected"), bowker(table), stuart_maxwell(table)):
        assert (found.statistic, found.p) == (None, None)
        assert "never disagree" in found.note
        assert found.n == int(np.sum(table))


def test_few_disagreements_are_said_to_make_it_approximate() -> None:
    assert "5 disagreements" in bowker(THREE).note
    assert bowker(np.multiply(THREE, 2)).note == ""
    assert "approximate" in stuart_maxwell([[9, 2], [1, 9]]).note


@settings(max_examples=40, deadline=None)
@given(TABLES, st.permutations(range(3)))
def test_order_of_labels_and_swapping_the_raters(table: list[list[int]], order: list[int]) -> None:
    counts = np.array(table)
    for test in (bowker, stuart_maxwell):
        found = test(counts)
        for other in (test(counts.T), test(counts[np.ix_(order, order)])):
            assert (other.p, other.statistic, other.df) == (
                pytest.approx(found.p),
                pytest.approx(found.statistic, abs=1e-9),
                found.df,
            )
    there, back = marginal_differences(counts), marginal_differences(counts.T)
    for one, other in zip(there, back, strict=True):
        if one.difference.value is not None:
            assert other.difference.value == pytest.approx(-one.difference.value)
            assert other.difference.low == pytest.approx(-one.difference.high)  # type: ignore[operator]


def test_the_error_rate_of_bowker_and_stuart_maxwell() -> None:
    """4,000 symmetric tables of 200: 5% rejected (binomial error .35%)."""
    rng = np.random.default_rng(4)
    shares = np.array([[0.3, 0.08, 0.04], [0.08, 0.2, 0.06], [0.04, 0.06, 0.14]])
    tables = rng.multinomial(200, shares.ravel(), size=1500).reshape(-1, 3, 3)
    for test in (bowker, stuart_maxwell):
        rejected = np.mean([test(table).p < 0.05 for table in tables])  # type: ignore[operator]
        assert 0.035 <= rejected <= 0.065


def test_the_published_paired_interval() -> None:
    """Newcombe (1998), method 10, for 36, 12, 2, 0."""
    found = paired_difference([[36, 12], [2, 0]])
    assert found.value == pytest.approx(0.2)
    assert (found.low, found.high) == pytest.approx((0.0569, 0.3404), abs=5e-5)
    assert found.se == pytest.approx((14 / 50 - 0.04) ** 0.5 / 50**0.5)


def test_the_paired_interval_corrects_the_correlation_for_continuity() -> None:
    """40 and 34 of 64: Wilson .5025 to .7333 and .4107 to .6482; phi (30·20 - 10·4 - 32) / 989.5 = .5336."""
    found = paired_difference([[30, 10], [4, 20]])
    phi = (30 * 20 - 10 * 4 - 64 / 2) / (40 * 24 * 34 * 30) ** 0.5
    first, second, low1, high1, low2, high2 = 0.625, 0.53125, 0.502504, 0.733340, 0.410721, 0.648240
    down = ((first - low1) ** 2 - 2 * phi * (first - low1) * (high2 - second) + (high2 - second) ** 2) ** 0.5
    up = ((high1 - first) ** 2 - 2 * phi * (high1 - first) * (second - low2) + (second - low2) ** 2) ** 0.5
    assert phi == pytest.approx(0.5336, abs=1e-4)
    assert (found.low, found.high) == pytest.approx((6 / 64 - down, 6 / 64 + up), abs=1e-5)


@pytest.mark.parametrize("shares", [(0.6, 0.15, 0.05, 0.2), (0.85, 0.02, 0.08, 0.05), (0.3, 0.2, 0.2, 0.3)])
def test_coverage_of_the_paired_interval(shares: tuple[float, ...]) -> None:
    rng, truth, hits = np.random.default_rng(5), shares[1] - shares[2], 0
    tables, times = np.unique(rng.multinomial(40, shares, size=2000), axis=0, return_counts=True)
    for table, many in zip(tables, times, strict=True):
        found = paired_difference(table.reshape(2, 2))
        assert found.low is not None and found.high is not None
        hits += many * (found.low <= truth <= found.high)
    assert 0.93 <= hits / 2000 <= 0.985


def test_differences_of_all_labels_hold_together() -> None:
    found = marginal_differences(THREE)
    assert [each.difference.value for each in found] == pytest.approx([12 / 128, 3 / 128, -15 / 128])
    assert "Bonferroni over 3" in found[0].difference.method
    single = paired_difference([[20, 15], [3, 90]])
    wide = found[0].difference
    assert wide.value == single.value
    assert wide.low < single.low and wide.high > single.high  # type: ignore[operator]
    assert marginal_differences(TWO)[0].difference == paired_difference(TWO)


def test_paired_differences_at_the_ends() -> None:
    nothing, agreed, opposed = (
        paired_difference(t) for t in ([[0, 0], [0, 0]], [[5, 0], [0, 0]], [[0, 0], [10, 0]])
    )
    assert nothing.value is None and nothing.note
    assert agreed.value == 0 and agreed.low < -0.3 and agreed.high > 0.3  # type: ignore[operator]
    assert opposed.value == opposed.low == -1 and -1 < opposed.high < -0.5  # type: ignore[operator]


def test_the_ratio_of_disagreements() -> None:
    from scipy.stats import binomtest

    found, exact = odds_ratio(TWO), binomtest(15, 34).proportion_ci()
    assert found.value == pytest.approx(15 / 19)
    assert found.low == pytest.approx(exact.low / (1 - exact.low))
    assert found.high == pytest.approx(exact.high / (1 - exact.high))
    assert found.n == 34
    endless = odds_ratio([[1, 5], [0, 1]])
    assert (endless.value, endless.high) == (None, None)
    assert endless.low is not None and "infinite" in endless.note
    none = odds_ratio([[1, 0], [4, 1]])
    assert (none.value, none.low) == (0.0, 0.0)
    assert odds_ratio([[1, 0], [0, 1]]).value is None


@pytest.mark.parametrize(
    "table", [[[1, 2]], [1, 2], [[1.5, 1], [1, 1]], [[-1, 1], [1, 1]], [[np.nan, 1], [1, 1]]]
)
def test_what_is_no_table_is_refused(table: Any) -> None:
    for test in (mcnemar, bowker, stuart_maxwell, marginal_differences, odds_ratio):
        with pytest.raises(ValueError, match="table"):
            test(table)
    with pytest.raises(ValueError, match=r"\(2, 2\)"):
        mcnemar(THREE)
    with pytest.raises(ValueError, match="method"):
        mcnemar(TWO, "mid-p")  # type: ignore[arg-type]
