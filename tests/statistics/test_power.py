"""Power and sample size: published values, and simulations of the very tests that are planned."""

from __future__ import annotations

import numpy as np
import pytest

from appliance.statistics.equivalence import tost
from appliance.statistics.paired.net import net_share
from appliance.statistics.power.means import (
    design_effect,
    equivalence_n,
    paired_mde,
    paired_n,
    paired_power,
    repeated_mde,
    repeated_n,
)
from appliance.statistics.power.proportions import (
    detectable,
    interaction_mde,
    preference_n,
    preference_power,
    rate_difference_mde,
    rate_difference_n,
    rate_half_width,
    table_power,
)
from appliance.statistics.proportions import compare_rates


def test_the_paired_t_test_as_rs_pwr_has_it() -> None:
    assert paired_power(0.2, 20).value == pytest.approx(0.1359563, abs=1e-6)
    assert paired_n(0.5).value == pytest.approx(33.37, abs=0.01)
    assert paired_mde(34).value == pytest.approx(0.495, abs=5e-3)
    assert paired_power(paired_mde(50).value or 0, 50).value == pytest.approx(0.8, abs=1e-6)
    assert paired_power(0.0, 30).value == pytest.approx(0.05, abs=1e-9)


def test_repeats_as_miller_has_them() -> None:
    assert repeated_n(0.03, 1 / 9).value == pytest.approx(969, abs=0.5)
    assert repeated_mde(198, 1 / 9, 1 / 6, 1).value == pytest.approx(0.1327, abs=5e-5)
    assert repeated_mde(198, 1 / 9, 1 / 6, 10).value == pytest.approx(0.0757, abs=5e-5)


def test_fifty_a_cell_is_a_reporting_floor_and_no_power() -> None:
    assert rate_half_width(50).value == pytest.approx(0.13, abs=5e-3)
    assert rate_difference_mde(50, 50).value == pytest.approx(0.28, abs=5e-3)
    assert interaction_mde([50] * 4).value == pytest.approx(0.40, abs=5e-3)
    assert preference_n(0.10, 0.20).value == pytest.approx(149, abs=0.5)


def test_what_nothing_can_show_is_undefined_with_a_reason() -> None:
    for found in (
        paired_n(0),
        paired_mde(1),
        repeated_n(0, 1),
        preference_n(0, 0.2),
        rate_difference_n(0.3, 0.3),
    ):
        assert found.value is None and found.note
    assert interaction_mde([50, 0]).value is None and rate_half_width(0).value is None
    assert equivalence_n(0).value is None
    for wrong in (
        lambda: paired_n(0.5, power=1.0),
        lambda: preference_n(0.3, 0.2),
        lambda: design_effect(0, 0.1),
    ):
        with pytest.raises(ValueError):
            wrong()


def test_more_tests_in_a_family_need_more() -> None:
    assert (paired_n(0.5, tests=10).value or 0) > 1.5 * (paired_n(0.5).value or 0)
    assert (rate_difference_mde(50, 50, tests=48).value or 0) > 0.36


def test_the_power_of_the_exact_preference_test_is_what_it_does() -> None:
    from scipy.stats import binomtest

    rng, n = np.random.default_rng(2), 160
    expected = preference_power(n, 0.10, 0.20).value
    hits = [
        plus + minus > 0 and binomtest(plus, plus + minus).pvalue < 0.05
        for plus, minus, _ in rng.multinomial(n, [0.15, 0.05, 0.8], 3000).tolist()
    ]
    assert np.mean(hits) == pytest.approx(expected, abs=0.02)
    assert net_share(24, 8, 160).value == pytest.approx(0.1)


def test_simulated_power_of_rates_is_the_planned_one() -> None:
    rng = np.random.default_rng(3)
    n = round(rate_difference_n(0.2, 0.35).value or 0)
    draws = zip(rng.binomial(n, 0.2, 2500).tolist(), rng.binomial(n, 0.35, 2500).tolist(), strict=True)
    assert np.mean([(compare_rates(a, n, b, n).p or 1) < 0.05 for a, b in draws]) == pytest.approx(
        0.8, abs=0.02
    )


def test_simulated_power_to_clear_is_the_planned_one() -> None:
    rng = np.random.default_rng(4)
    n = round(equivalence_n(0.3).value or 0)
    d = rng.normal(0, 1, (2500, n))
    se = d.std(axis=1, ddof=1) / np.sqrt(n)
    cleared = [(tost(m, s, n - 1, 0.3, n=n).p or 1) < 0.05 for m, s in zip(d.mean(axis=1), se, strict=True)]
    assert np.mean(cleared) == pytest.approx(0.8, abs=0.025)


def test_tables_and_clusters() -> None:
    from statsmodels.stats.power import GofChisquarePower

    known = GofChisquarePower().power(0.3, 100, 0.05, n_bins=4)
    assert table_power(0.3, 100, 3).value == pytest.approx(known)
    assert table_power(0.0, 100, 3).value == 0.05
    assert design_effect(10, 0.1) == pytest.approx(1.9)


def test_a_grid_of_thousands_of_cells_is_planned_at_once() -> None:
    sizes = np.full((20, 20, 10), 50)
    found = detectable(sizes)
    assert found.shape == sizes.shape and found.min() > 0.28
    assert np.isnan(detectable([0, 40])).all()
    assert detectable([50, 50], tests=1) == pytest.approx([0.28, 0.28], abs=2e-3)
