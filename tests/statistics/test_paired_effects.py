"""Effect sizes of pairs, their errors and their words."""

from __future__ import annotations

import numpy as np
import pytest
from paired_data import MOVIE, of

from appliance.statistics.paired import tests as paired_tests
from appliance.statistics.paired.effects import cohen_d, net_difference, rank_biserial
from appliance.statistics.paired.hodges_lehmann import hodges_lehmann, walsh_bound
from appliance.statistics.paired.net import interpret
from appliance.statistics.paired.pairs import make_pairs


def test_ties_make_the_rank_correlation_look_large() -> None:
    pairs = of(np.repeat([-1, 0, 1, 2], [4, 30, 12, 4]))
    found = [paired_tests.wilcoxon(pairs, z, "asymptotic").p for z in ("wilcox", "pratt", "zsplit")]
    assert found == pytest.approx([0.004715, 0.005812, 0.012432], abs=1e-5)
    assert paired_tests.sign_test(pairs).p == pytest.approx(0.011818, abs=1e-5)
    assert rank_biserial(pairs).value == pytest.approx(0.676, abs=1e-3)
    assert rank_biserial(pairs).interpretation == "large"
    assert net_difference(pairs).value == pytest.approx(0.24, abs=1e-9)
    assert net_difference(pairs).interpretation == "small"


def test_hodges_lehmann_is_the_median_of_all_averages_however_many() -> None:
    rng = np.random.default_rng(2)
    for d in (rng.normal(0.3, 1, 51), rng.integers(-3, 4, 40) / 3, np.array([1.0, 2.0]), np.full(5, 0.1)):
        rows, columns = np.triu_indices(len(d))
        walsh = np.sort((d[rows] + d[columns]) / 2)
        found = hodges_lehmann(of(d))
        assert found.value == pytest.approx(np.median(walsh), abs=1e-12)
        if found.low is not None and found.high is not None:
            assert np.abs(walsh - found.low).min() < 1e-12 and np.abs(walsh - found.high).min() < 1e-12
    many = hodges_lehmann(of(rng.normal(0.3, 1, 20_000)))
    assert many.value == pytest.approx(0.3, abs=0.03)
    assert many.low is not None and many.low < 0.3 < (many.high or 0)


@pytest.mark.parametrize(
    ("n", "level", "bound"), [(5, 0.95, 0), (5, 0.9375, 1), (10, 0.95, 9), (20, 0.95, 53)]
)
def test_the_bounds_of_the_signed_rank_interval_are_those_of_tables(n: int, level: float, bound: int) -> None:
    """Tabulated critical values are T <= 8 and T <= 52 for 10 and 20 pairs."""
    assert walsh_bound(n, level) == bound


def test_the_error_of_d_av_is_that_of_leaving_out_each_pair() -> None:
    rng = np.random.default_rng(3)
    y = rng.normal(0, 1, 120)
    x = 0.6 * y + rng.normal(2, 1.2, 120)
    others = [np.delete(np.arange(120), i) for i in range(120)]
    values = np.array([cohen_d(make_pairs(x[rest], y[rest]), "av").value for rest in others], dtype=float)
    expected = float(np.sqrt(119 / 120 * ((values - values.mean()) ** 2).sum()))
    assert cohen_d(make_pairs(x, y), "av").se == pytest.approx(expected, rel=0.03)


def test_the_error_of_the_rank_correlation_is_that_of_leaving_out_each_pair() -> None:
    d = np.random.default_rng(5).integers(-2, 4, 150).astype(float)
    values = np.array([rank_biserial(of(np.delete(d, i))).value for i in range(150)], dtype=float)
    expected = float(np.sqrt(149 / 150 * ((values - values.mean()) ** 2).sum()))
    assert rank_biserial(of(d)).se == pytest.approx(expected, rel=0.03)


def test_the_rank_interval_holds_all_shifts_that_the_exact_test_does_not_reject() -> None:
    from scipy import stats

    d = np.random.default_rng(6).normal(0.2, 1, 25)
    found = hodges_lehmann(of(d))
    for bound, outwards in ((found.low, -1), (found.high, 1)):
        assert bound is not None
        assert stats.wilcoxon(d - bound + outwards * 1e-6, method="exact").pvalue > 0.05
        assert stats.wilcoxon(d - bound - outwards * 1e-6, method="exact").pvalue <= 0.05


def test_the_bounds_of_d_are_the_tails_of_the_noncentral_t() -> None:
    from scipy.stats import nct

    found = cohen_d(MOVIE)
    assert found.low is not None and found.high is not None
    t = paired_tests.t_test(MOVIE).statistic
    tails = [nct.sf(t, 9, found.low * 10**0.5), nct.cdf(t, 9, found.high * 10**0.5)]
    assert tails == pytest.approx([0.025, 0.025], abs=1e-6)
    huge = cohen_d(of([1.0, 1.0, 1.0, 1.000001]))
    assert huge.value is not None and huge.low is not None and huge.high is not None
    assert 0.2 * huge.value < huge.low < 0.7 * huge.value and 1.5 * huge.value < huge.high < 2 * huge.value


def test_differences_far_apart_in_size_are_described_without_overflow() -> None:
    d = np.random.default_rng(0).normal(1.5, 1, 10_000)
    found = cohen_d(of(d))
    assert found.low is not None and found.high is not None
    assert 1.4 < found.low < 1.5 < found.high < 1.6
    normal = paired_tests.normality(of(d))
    assert "5,000" in normal.note and normal == paired_tests.normality(of(d[::-1]))


def test_a_word_belongs_to_a_bound_that_rounding_has_missed() -> None:
    assert interpret(0.8 - 1e-16, (0.2, 0.5, 0.8)) == "large"
    words = [interpret(-size, (0.2, 0.5, 0.8)) for size in (0.19, 0.2, 0.5, 0.79)]
    assert words == ["negligible", "small", "medium", "medium"]
