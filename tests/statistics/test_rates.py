"""Ratios and differences of rates against published values, and where they are not defined."""

from __future__ import annotations

import csv

import numpy as np
import pytest
from shared_data import shared

from appliance.statistics.intersections.cells import verdicts
from appliance.statistics.intersections.disparity import disparity_map
from appliance.statistics.proportions import (
    clustered_rate,
    compare_rates,
    rate,
    rate_difference,
)
from appliance.statistics.ratios import risk_ratio


def test_the_impact_ratios_of_new_york_citys_example() -> None:
    assert risk_ratio(555, 1181, 667, 1390).value == pytest.approx(0.979337, abs=5e-4)
    assert risk_ratio(215, 412, 215, 412).value == 1.0
    assert risk_ratio(95, 226, 215, 412).value == pytest.approx(0.806, abs=5e-4)
    smallest = risk_ratio(7, 17, 215, 412)
    assert smallest.value == pytest.approx(0.789, abs=5e-4)
    assert (smallest.low, smallest.high) == pytest.approx((0.44, 1.40), abs=5e-3)
    assert compare_rates(7, 17, 215, 412, method="fisher").p == pytest.approx(0.46, abs=5e-3)


def test_newcombes_example_of_a_difference() -> None:
    found = rate_difference(56, 70, 48, 80)  # Newcombe (1998), table II, method 10
    assert found.value == pytest.approx(0.2)
    assert (found.low, found.high) == pytest.approx((0.0524, 0.3339), abs=5e-5)


def test_tests_agree_with_scipy() -> None:
    from scipy import stats

    table = [[30, 70], [18, 82]]
    chi = stats.chi2_contingency(table, correction=False)
    found = compare_rates(30, 100, 18, 100)
    assert (found.statistic, found.p) == pytest.approx((chi.statistic, chi.pvalue))
    assert compare_rates(1, 9, 4, 9).p == pytest.approx(stats.fisher_exact([[1, 8], [4, 5]]).pvalue)
    assert "Fisher" in compare_rates(1, 9, 4, 9).method


def test_nothing_in_a_group_is_undefined_and_zero_events_are_bounded() -> None:
    for found in (risk_ratio(0, 0, 3, 9), rate_difference(3, 9, 0, 0), risk_ratio(3, 9, 0, 9)):
        assert found.value is None and found.note
    assert compare_rates(0, 0, 3, 9).p is None
    none = risk_ratio(0, 30, 5, 30)
    assert none.value == 0 and none.high is not None and 0.3 < none.high < 1.2
    assert compare_rates(0, 30, 0, 30).p == 1
    assert (rate_difference(0, 30, 0, 30).se or 0) > 0
    with pytest.raises(ValueError, match="of 3"):
        risk_ratio(4, 3, 1, 2)


def test_a_rate_of_clusters_is_wilsons_where_nothing_clusters_and_wider_where_copies_do() -> None:
    flags = np.array([1, 0, 0, 1, 0, 1, 0, 0, 0, 0] * 4)
    own = clustered_rate(flags, np.arange(40))
    assert own == rate(12, 40)
    copies = clustered_rate(np.repeat(flags, 5), np.repeat(np.arange(40), 5))
    assert copies.value == own.value
    assert copies.low == pytest.approx(own.low, abs=0.01) and copies.high == pytest.approx(own.high, abs=0.01)


@pytest.mark.parametrize("n", [50, 200])
@pytest.mark.parametrize(("p", "q"), [(0.2, 0.3), (0.5, 0.5), (0.1, 0.3)])
def test_intervals_cover_what_they_say(n: int, p: float, q: float) -> None:
    """Exactly, over all outcomes: the average over near rates, since counts make coverage jump."""
    from scipy.stats import binom

    found = {"rate": [], "difference": [], "ratio": []}
    for shift in (-0.02, -0.01, 0.0, 0.01, 0.02):
        a, b = p + shift, q + shift
        few = [k for k in range(n + 1) if binom.pmf(k, n, a) > 1e-5]
        rng = np.random.default_rng(3)
        draws = [
            (int(x), int(y)) for x, y in zip(rng.binomial(n, a, 300), rng.binomial(n, b, 300), strict=True)
        ]
        found["rate"].append(sum(binom.pmf(k, n, a) * _holds(rate(k, n), a) for k in few))
        found["difference"].append(np.mean([_holds(rate_difference(k, n, m, n), a - b) for k, m in draws]))
        found["ratio"].append(np.mean([_holds(risk_ratio(k, n, m, n), a / b) for k, m in draws]))
    means = {name: float(np.mean(values)) for name, values in found.items()}
    assert 0.93 <= means["rate"] <= 0.97, means
    assert 0.93 <= means["difference"] <= 0.98, means  # hybrid score: a little conservative
    assert 0.93 <= means["ratio"] <= 0.985, means  # conservative where few events are expected


def _holds(found: object, truth: float) -> bool:
    low, high = getattr(found, "low"), getattr(found, "high")  # noqa: B009
    return low is not None and low <= truth and (high is None or truth <= high)


def test_false_positive_rates_of_compas_are_the_published_ones() -> None:
    with shared("aequitas_compas/compas_for_aequitas.csv").open(encoding="utf-8") as file:
        rows = [r for r in csv.DictReader(file) if float(r["label_value"]) == 0]
    assert sum(1 for _ in rows) == 3963
    flagged = [float(r["score"]) for r in rows]
    shown = disparity_map(verdicts({"race": [r["race"] for r in rows]}, flagged))
    races = {g.group["race"]: g for g in shown.margin("race").groups}
    assert races["African-American"].rate.value == pytest.approx(0.4485, abs=5e-5)
    assert races["Hispanic"].rate.value == pytest.approx(0.2148, abs=5e-5)
    assert races["Caucasian"].rate.value == pytest.approx(0.23, abs=5e-3)
    ratio = (races["African-American"].rate.value or 0) / (races["Hispanic"].rate.value or 1)
    assert ratio == pytest.approx(2.087696, abs=5e-6)
    assert races["African-American"].decision.outcome == "flagged"
    for small in ("Native American", "Asian"):
        assert races[small].decision.outcome == "insufficient data"
