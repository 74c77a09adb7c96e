"""Paired differences against published values, and where they are not defined."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from paired_data import MOVIE, SLEEP, of

from appliance.statistics.paired import tests as paired_tests
from appliance.statistics.paired.analysis import analyse
from appliance.statistics.paired.effects import cohen_d, hedges_correction, rank_biserial
from appliance.statistics.paired.hodges_lehmann import hodges_lehmann
from appliance.statistics.paired.intervals import mean_difference


def test_sleep_as_r_has_it() -> None:
    found = paired_tests.t_test(SLEEP)
    assert found.statistic == pytest.approx(-4.06213, abs=1e-5)
    assert found.p == pytest.approx(0.00283289, abs=1e-8)
    assert cohen_d(SLEEP).value == pytest.approx(-1.28456, abs=1e-5)
    corrected = paired_tests.wilcoxon(SLEEP, "wilcox", "asymptotic", correction=True)
    assert corrected.p == pytest.approx(0.0090907, abs=1e-6)
    assert paired_tests.wilcoxon(SLEEP, "wilcox").p == pytest.approx(0.00390625, abs=1e-9)
    assert hodges_lehmann(SLEEP).value == pytest.approx(-1.3, abs=1e-9)


def test_the_example_of_scipy() -> None:
    pairs = of([6, 8, 14, 16, 23, 24, 28, 29, 41, -48, 49, 56, 60, -67, 75])
    found = paired_tests.wilcoxon(pairs)
    assert found.statistic == 24
    assert found.p == pytest.approx(0.041259765625, abs=1e-9)
    assert rank_biserial(pairs).value == pytest.approx(0.6, abs=1e-9)


@pytest.mark.parametrize(
    ("zeros", "statistic", "expected"),
    [("pratt", 423, 0.00317246), ("zsplit", 441, 0.00321453), ("wilcox", 327, 0.00641346)],
)
def test_the_three_ways_with_zeros(zeros: Any, statistic: float, expected: float) -> None:
    pairs = of(np.repeat(np.arange(-4, 5), [1, 4, 16, 15, 8, 4, 5, 1, 2]))
    found = paired_tests.wilcoxon(pairs, zeros, "asymptotic")
    assert found.statistic == statistic
    assert found.p == pytest.approx(expected, abs=1e-7)


def test_movie_as_lakens_has_it() -> None:
    assert paired_tests.t_test(MOVIE).statistic == pytest.approx(4.74342, abs=1e-4)
    assert cohen_d(MOVIE).value == pytest.approx(1.5, abs=1e-4)
    assert cohen_d(MOVIE, "av").value == pytest.approx(1.1259, abs=1e-4)
    assert hedges_correction(9) == pytest.approx(0.913875, abs=1e-6)


def test_the_bca_interval_of_r() -> None:
    sample = [10, 12, 12.5, 12.5, 13.9, 15, 21, 22, 23, 34, 50, 81, 89, 121, 134, 213]
    found = mean_difference(of(sample), method="bca", resamples=100_000)
    assert found.low == pytest.approx(32.31, rel=0.005)
    assert found.high == pytest.approx(91.43, rel=0.005)


@pytest.mark.parametrize("differences", [[], [1.0], [0.0, 0.0, 0.0], [2.0, 2.0, 2.0, 2.0]])
def test_degenerate_pairs_are_undefined_with_a_reason_and_never_nan(differences: list[float]) -> None:
    found = analyse(of(np.array(differences)))
    for name in type(found).model_fields:
        result = getattr(found, name)
        if name in ("shape", "unscored_share"):
            continue
        value = result.p if hasattr(result, "p") else result.value
        assert value is None or np.isfinite(value)
        assert value is not None or result.note


@pytest.mark.parametrize("differences", [[0] * 8, [2] * 8, [1, -1] * 4, [1, 3, 0, 4, 4, 0, 3, 1], [1, 0] * 4])
def test_clusters_that_do_not_vary_claim_no_certainty(differences: list[int]) -> None:
    found = analyse(of(differences, ["a", "a", "a", "a", "b", "b", "b", "b"]))
    for name in ("mean", "mean_bca", "hodges_lehmann", "d_z", "d_av", "rank_biserial", "net"):
        result = getattr(found, name)
        assert result.low is None or result.low < result.high, name
        assert result.low is not None or result.note, name
    assert analyse(of([2.0] * 10)).hodges_lehmann.low is None


def test_differences_that_do_not_vary_have_no_t_and_keep_their_permutation() -> None:
    found = analyse(of([2.0] * 6))
    assert found.t.p is None and "do not vary" in found.t.note
    assert found.mean.value == 2 and found.mean.low is None
    assert found.permutation.p == pytest.approx(1 / 2**6)
    assert found.mean_bca.low is None
