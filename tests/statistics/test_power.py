"""Power and sample size: published values, what no design can show, and how the functions hang together."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from appliance.statistics.power.agreement import kappa_n, kappa_power
from appliance.statistics.power.equivalence import equivalence_margin, equivalence_n, equivalence_power
from appliance.statistics.power.grid import grid
from appliance.statistics.power.means import (
    design_effect,
    paired_mde,
    paired_n,
    paired_power,
    repeated_mde,
    repeated_n,
)
from appliance.statistics.power.planned import Planned, detectable_ratio
from appliance.statistics.power.preference import (
    preference_mde,
    preference_n,
    preference_n_normal,
    preference_power,
)
from appliance.statistics.power.proportions import (
    detectable,
    half_widths,
    interaction_mde,
    interaction_n,
    rate_difference_mde,
    rate_difference_n,
    rate_difference_power,
    rate_half_width,
    rate_n,
)
from appliance.statistics.power.tables import table_mde, table_n, table_power


def value(planned: Planned) -> float:
    assert planned.value is not None, planned.note
    return planned.value


def test_the_paired_t_test_as_rs_pwr_has_it() -> None:
    assert value(paired_power(0.2, 20)) == pytest.approx(0.1359563, abs=1e-6)
    assert value(paired_n(0.5)) == pytest.approx(33.37, abs=0.01)
    assert value(paired_power(value(paired_mde(50)), 50)) == pytest.approx(0.8, abs=1e-6)
    assert value(paired_power(0.0, 30)) == pytest.approx(0.05, abs=1e-9)
    assert value(paired_mde(34, sd=3)) == pytest.approx(3 * value(paired_mde(34)))


@pytest.mark.parametrize(("d", "tests"), [(0.2, 1), (0.5, 1), (0.9, 4), (0.03, 20)])
def test_the_paired_t_test_as_statsmodels_has_it(d: float, tests: int) -> None:
    from statsmodels.stats.power import TTestPower

    known = TTestPower().solve_power(d, None, 0.05 / tests, 0.8)
    assert value(paired_n(d, tests=tests)) == pytest.approx(known, rel=1e-4)
    assert value(paired_power(d, 40, tests=tests)) == pytest.approx(
        TTestPower().power(d, 40, 0.05 / tests), abs=1e-6
    )


def test_repeats_as_miller_has_them() -> None:
    assert value(repeated_n(0.03, 1 / 9)) == pytest.approx(969, abs=0.5)
    assert value(repeated_mde(198, 1 / 9, 1 / 6, 1)) == pytest.approx(0.1327, abs=5e-5)
    assert value(repeated_mde(198, 1 / 9, 1 / 6, 10)) == pytest.approx(0.0757, abs=5e-5)
    n = round(value(repeated_n(0.05, 0.2, 0.3, 4)))
    assert value(repeated_mde(n, 0.2, 0.3, 4)) == pytest.approx(0.05, rel=1e-3)


def test_fifty_a_cell_is_a_reporting_floor_and_no_power() -> None:
    assert value(rate_half_width(50)) == pytest.approx(0.13, abs=5e-3)
    assert value(rate_difference_mde(50, 50)) == pytest.approx(0.28, abs=5e-3)
    assert value(interaction_mde([50] * 4)) == pytest.approx(0.40, abs=5e-3)
    assert value(interaction_n(value(interaction_mde([50] * 4)))) == pytest.approx(50)


def test_half_the_length_of_wilsons_interval_as_statsmodels_has_it() -> None:
    from statsmodels.stats.proportion import proportion_confint

    for k, n, level in ((25, 50, 0.95), (6, 60, 0.95), (1, 8, 0.9)):
        low, high = proportion_confint(k, n, 1 - level, "wilson")
        assert value(rate_half_width(n, k / n, level)) == pytest.approx((high - low) / 2)


def test_the_textbooks_number_of_pairs_is_too_few_for_the_exact_test() -> None:
    assert value(preference_n_normal(0.10, 0.20)) == pytest.approx(149, abs=0.5)
    assert value(preference_power(149, 0.10, 0.20)) == pytest.approx(0.74, abs=5e-3)
    assert value(preference_n(0.10, 0.20)) == 168


@pytest.mark.parametrize(
    ("fairness", "discordant", "tests"),
    [(0.1, 0.2, 1), (0.3, 0.3, 1), (0.5, 0.5, 40), (0.3, 1.0, 1), (-0.2, 0.6, 3)],
)
def test_from_the_number_of_pairs_on_power_stays(fairness: float, discordant: float, tests: int) -> None:
    n = int(value(preference_n(fairness, discordant, tests=tests)))
    powers = [value(preference_power(m, fairness, discordant, tests=tests)) for m in range(n - 1, 3 * n)]
    assert powers[0] < 0.8 <= min(powers[1:])
    least = value(preference_mde(n, discordant, tests=tests))
    assert value(preference_power(n, least, discordant, tests=tests)) == pytest.approx(0.8, abs=1e-6)


def test_tables_as_statsmodels_has_them() -> None:
    from statsmodels.stats.power import GofChisquarePower

    known = GofChisquarePower()
    assert value(table_power(0.3, 100, 3)) == pytest.approx(known.power(0.3, 100, 0.05, n_bins=4))
    assert value(table_n(0.3, 3)) == pytest.approx(known.solve_power(0.3, None, 0.05, 0.8, n_bins=4))
    assert value(table_power(value(table_mde(77, 5)), 77, 5)) == pytest.approx(0.8, abs=1e-6)
    assert value(table_power(0.0, 100, 3)) == 0.05


def test_rates_by_number_and_by_power_agree() -> None:
    n = value(rate_difference_n(0.2, 0.35))
    assert value(rate_difference_power(0.2, 0.35, n, n)) == pytest.approx(0.8, abs=1e-6)
    assert value(rate_difference_power(0.35, 0.2, n, n)) == pytest.approx(0.8, abs=1e-6)
    assert value(rate_difference_power(0.3, 0.3, 80, 40)) == pytest.approx(0.05)
    assert value(rate_difference_power(0.3, 0.5, 0, 40)) == 0
    assert value(rate_difference_power(0.0, 0.0, 40, 40)) == 0
    assert value(rate_difference_power(0.0, 1.0, 40, 40)) == pytest.approx(1)


def test_equivalence_by_number_margin_and_power_agree() -> None:
    n = value(equivalence_n(0.3, sd=1.2, difference=0.1))
    assert value(equivalence_power(0.3, n, 1.2, 0.1)) == pytest.approx(0.8, abs=1e-6)
    assert value(equivalence_power(0.3, n, 1.2, -0.1)) == pytest.approx(0.8, abs=1e-6)
    assert value(equivalence_power(value(equivalence_margin(60)), 60)) == pytest.approx(0.8, abs=1e-6)
    assert value(equivalence_margin(60, sd=2)) == pytest.approx(2 * value(equivalence_margin(60)))
    assert value(equivalence_n(0.001)) == pytest.approx((1.6449 + 1.2816) ** 2 * 1e6, rel=1e-3)


def test_a_hundred_golden_labels_admit_only_a_judge_far_above_what_is_required() -> None:
    assert value(kappa_n([0.5, 0.5])) == pytest.approx(363, abs=1)
    assert value(kappa_n([0.5, 0.5], kappa=0.9)) < 100 < value(kappa_n([0.8, 0.2], kappa=0.9))
    assert value(kappa_power(363, [0.5, 0.5])) == pytest.approx(0.8, abs=5e-3)
    assert value(kappa_power(30, [0.5, 0.5], kappa=1.0)) == 1.0
    assert kappa_n([0.5, 0.5], kappa=0.7).value is None


def test_what_nothing_can_show_is_undefined_with_a_reason() -> None:
    for found in (
        paired_n(0), paired_mde(1), repeated_n(0, 1), repeated_mde(0, 1), preference_n(0, 0.2),
        preference_n_normal(0, 0.2), preference_mde(100, 0.0), preference_mde(4, 1.0),
        rate_difference_n(0.3, 0.3), rate_n(0.2, 0.2), interaction_n(0), interaction_mde([50, 0]),
        interaction_mde([]), rate_difference_mde(3, 3), rate_half_width(0), equivalence_n(0),
        equivalence_n(0.2, difference=0.2), equivalence_margin(1), table_n(0, 3), table_mde(0, 3),
    ):  # fmt: skip
        assert found.value is None and found.note
    for wrong in (
        lambda: paired_n(0.5, power=1.0),
        lambda: paired_power(0.5, 30, alpha=0.0),
        lambda: repeated_n(0.1, 1.0, 1.0, repeats=0),
        lambda: preference_n(0.3, 0.2),
        lambda: preference_power(10, 0.3, 0.2),
        lambda: design_effect(0, 0.1),
        lambda: rate_n(1.2, 0.5),
        lambda: detectable([3, -1]),
        lambda: table_n(0.3, 3, power=0.01),
        lambda: kappa_n([1.0, 0.0]),
        lambda: kappa_n([0.5, 0.4]),
    ):
        with pytest.raises(ValueError):
            wrong()


def test_more_tests_in_a_family_need_more() -> None:
    assert value(paired_n(0.5, tests=10)) > 1.5 * value(paired_n(0.5))
    assert value(rate_difference_mde(50, 50, tests=48)) > 0.36
    assert value(preference_n(0.1, 0.2, tests=10)) > 1.5 * value(preference_n(0.1, 0.2))
    assert detectable_ratio(0.005, 0.8, 9) > detectable_ratio(0.05, 0.8, 9) > detectable_ratio(0.05, 0.8)
    assert detectable_ratio(0.05, 0.8) == pytest.approx(2.801585, abs=1e-6)


def test_clusters_and_repeats_cost() -> None:
    assert design_effect(10, 0.1) == pytest.approx(1.9)
    assert design_effect(1, 0.9) == 1


def test_a_grid_of_thousands_of_cells_is_planned_at_once() -> None:
    sizes = np.full((20, 20, 10), 50)
    found = grid(sizes)
    assert {each.shape for each in found} == {sizes.shape}
    assert found.difference.min() > 0.28 and found.interaction.min() > 0.28
    assert found.half_width == pytest.approx(value(rate_half_width(50)))
    assert found.difference == pytest.approx(detectable(sizes))
    assert np.isnan(detectable([0, 40])).all() and np.isnan(half_widths([0])).all()
    assert detectable([50, 50], tests=1) == pytest.approx([0.28, 0.28], abs=2e-3)
    assert np.isnan(grid([[5, 0], [5, 5]]).interaction).all() and np.isnan(grid([5, 5]).interaction).all()
    assert grid(np.zeros((0, 2))).difference.size == 0


def test_the_interaction_of_a_cell_is_its_rate_less_the_sum_of_its_axes_effects() -> None:
    """Weights by taking unit tables apart into means, one cell after another."""
    sizes = np.random.default_rng(1).integers(20, 90, (3, 4, 2)).astype(float)
    variance = np.zeros(sizes.shape)
    for place in product(*map(range, sizes.shape)):
        unit = np.zeros(sizes.shape)
        unit[place] = 1
        margins = [unit.mean(axis=tuple({0, 1, 2} - {a}), keepdims=True) for a in range(3)]
        excess = unit - (sum(margins) - 2 * unit.mean())
        variance += excess**2 * 0.25 / sizes[place]
    assert grid(sizes, tests=1).interaction == pytest.approx(2.801585 * np.sqrt(variance), rel=1e-6)
    four = grid([[50, 50], [50, 50]], tests=1).interaction
    assert four * 4 == pytest.approx(np.full((2, 2), value(interaction_mde([50] * 4))))
