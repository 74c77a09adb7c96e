"""Simulated power of the very tests that are planned, at the number of units that the plan asks for."""

from __future__ import annotations

import math

import numpy as np
import pytest

from appliance.statistics.agreement.kappa import kappa
from appliance.statistics.equivalence import tost
from appliance.statistics.power.agreement import kappa_n
from appliance.statistics.power.equivalence import equivalence_margin, equivalence_n
from appliance.statistics.power.grid import grid
from appliance.statistics.power.means import design_effect, paired_mde, paired_n, repeated_n
from appliance.statistics.power.planned import Planned
from appliance.statistics.power.preference import preference_n
from appliance.statistics.power.proportions import (
    interaction_n,
    rate_difference_mde,
    rate_difference_n,
    rate_n,
)
from appliance.statistics.power.tables import table_n
from appliance.statistics.proportions import compare_rates

# Binomial standard error of a simulated 80% at 20,000 and at 2,500 draws: 0.3 and 0.8 points.
DRAWS = 20_000


def units(planned: Planned) -> int:
    assert planned.value is not None
    return math.ceil(planned.value)


def test_paired_differences() -> None:
    from scipy.stats import ttest_1samp

    rng, n = np.random.default_rng(1), units(paired_n(0.5, tests=5))
    shown = ttest_1samp(rng.normal(0.5, 1, (DRAWS, n)), 0, axis=1).pvalue < 0.05 / 5
    assert shown.mean() == pytest.approx(0.8, abs=0.015)
    least = paired_mde(8, sd=3, tests=20).value or 0
    shown = ttest_1samp(rng.normal(least, 3, (DRAWS, 8)), 0, axis=1).pvalue < 0.05 / 20
    assert shown.mean() == pytest.approx(0.8, abs=0.01)


def test_repeats_of_every_item() -> None:
    rng, repeats, between, within = np.random.default_rng(2), 4, 0.04, 0.15
    n = units(repeated_n(0.08, between, within, repeats))
    items = rng.normal(0.08, math.sqrt(between), (3000, n))
    sides = rng.normal(0, math.sqrt(within), (2, 3000, n, repeats)).mean(axis=3)
    d = items + sides[0] - sides[1]
    shown = np.abs(d.mean(axis=1)) / (d.std(axis=1, ddof=1) / math.sqrt(n)) > 1.959964
    assert shown.mean() == pytest.approx(0.8, abs=0.02)


def test_units_in_clusters() -> None:
    from scipy.stats import ttest_1samp

    rng, size, icc = np.random.default_rng(3), 5, 0.3
    clusters = math.ceil((paired_n(0.2).value or 0) * design_effect(size, icc) / size)
    shared = rng.normal(0, math.sqrt(icc), (4000, clusters))
    means = shared + rng.normal(0.2, math.sqrt(1 - icc), (4000, clusters, size)).mean(axis=2)
    assert (ttest_1samp(means, 0, axis=1).pvalue < 0.05).mean() == pytest.approx(0.8, abs=0.02)


def test_the_exact_test_of_preference() -> None:
    from scipy.stats import binomtest

    rng, n = np.random.default_rng(4), units(preference_n(0.10, 0.20))
    hits = [
        plus + minus > 0 and binomtest(plus, plus + minus).pvalue < 0.05
        for plus, minus, _ in rng.multinomial(n, [0.15, 0.05, 0.8], 2500).tolist()
    ]
    assert np.mean(hits) == pytest.approx(0.8, abs=0.02)


def test_one_rate_against_a_fixed_one() -> None:
    from scipy.stats import binom
    from statsmodels.stats.proportion import proportion_confint

    n = units(rate_n(0.22, 0.15))
    k = np.arange(n + 1)
    low, high = proportion_confint(k, n, method="wilson")
    assert binom.pmf(k, n, 0.22)[(low > 0.15) | (high < 0.15)].sum() == pytest.approx(0.8, abs=0.02)


def test_two_rates() -> None:
    rng, n = np.random.default_rng(5), units(rate_difference_n(0.2, 0.35))
    draws = zip(rng.binomial(n, 0.2, 2500).tolist(), rng.binomial(n, 0.35, 2500).tolist(), strict=True)
    assert np.mean([(compare_rates(a, n, b, n).p or 1) < 0.05 for a, b in draws]) == pytest.approx(
        0.8, abs=0.02
    )
    half = (rate_difference_mde(150, 300).value or 0) / 2
    k, k0 = rng.binomial(150, 0.5 + half, DRAWS), rng.binomial(300, 0.5 - half, DRAWS)
    pooled = (k + k0) / 450
    z = (k / 150 - k0 / 300) / np.sqrt(pooled * (1 - pooled) * (1 / 150 + 1 / 300))
    assert (np.abs(z) > 1.959964).mean() == pytest.approx(0.8, abs=0.02)


def test_an_interaction_of_four_cells() -> None:
    rng, n = np.random.default_rng(6), units(interaction_n(0.2))
    signs = np.array([1, -1, -1, 1])
    rates = rng.binomial(n, 0.5 + signs * 0.05, (DRAWS, 4)) / n
    z = rates @ signs / np.sqrt((rates * (1 - rates) / n).sum(axis=1))
    assert (np.abs(z) > 1.959964).mean() == pytest.approx(0.8, abs=0.015)


def test_the_excess_of_one_cell_of_a_grid() -> None:
    rng, sizes = np.random.default_rng(7), np.full((3, 4), 120)
    least = grid(sizes, tests=1).interaction[0, 0]
    truth = np.full(sizes.shape, 0.5)
    truth[0, 0] += least / ((1 - 1 / 3) * (1 - 1 / 4))  # what it adds to its axes is not excess
    rates = rng.binomial(sizes, truth, (DRAWS, 3, 4)) / sizes
    by_row, by_column, mean = rates[:, 0].mean(axis=1), rates[:, :, 0].mean(axis=1), rates.mean(axis=(1, 2))
    z = (rates[:, 0, 0] - by_row - by_column + mean) * 2.801585 / least
    assert (np.abs(z) > 1.959964).mean() == pytest.approx(0.8, abs=0.015)


@pytest.mark.parametrize("difference", [0.0, 0.1])
def test_being_able_to_clear(difference: float) -> None:
    rng, n = np.random.default_rng(8), units(equivalence_n(0.3, difference=difference))
    d = rng.normal(difference, 1, (2500, n))
    errors = d.std(axis=1, ddof=1) / np.sqrt(n)
    cleared = [
        (tost(m, s, n - 1, 0.3, n=n).p or 1) < 0.05
        for m, s in zip(d.mean(axis=1).tolist(), errors.tolist(), strict=True)
    ]
    assert np.mean(cleared) == pytest.approx(0.8, abs=0.02)


def test_the_smallest_margin_that_few_pairs_clear() -> None:
    rng, n = np.random.default_rng(9), 8
    margin = equivalence_margin(n, sd=2).value or 0
    d = rng.normal(0, 2, (DRAWS, n))
    reach = np.abs(d.mean(axis=1)) + 1.894579 * d.std(axis=1, ddof=1) / math.sqrt(n)  # t, 7 df, 95%
    assert (reach < margin).mean() == pytest.approx(0.8, abs=0.015)


def test_tables() -> None:
    rng, n = np.random.default_rng(10), units(table_n(0.3, 3))
    null, truth = np.full(4, 0.25), np.array([0.3561, 0.25, 0.25, 0.1439])
    assert math.sqrt(((truth - null) ** 2 / null).sum()) == pytest.approx(0.3, abs=1e-3)
    seen = rng.multinomial(n, truth, DRAWS)
    x2 = ((seen - n * null) ** 2 / (n * null)).sum(axis=1)
    assert (x2 > 7.814728).mean() == pytest.approx(0.8, abs=0.015)


@pytest.mark.parametrize(("shares", "truth"), [((0.5, 0.5), 0.8), ((0.9, 0.1), 0.9)])
def test_admitting_a_judge(shares: tuple[float, float], truth: float) -> None:
    """The normal approximation of a lower bound on a lattice: within some points, see `kappa_n`."""
    rng, n = np.random.default_rng(11), units(kappa_n(shares, truth))
    p = np.array(shares)
    table = truth * np.diag(p) + (1 - truth) * np.outer(p, p)
    admitted = 0
    for cells in rng.multinomial(n, table.ravel(), 500):
        each = np.eye(4)[np.repeat(np.arange(4), cells)].reshape(n, 2, 2)
        admitted += (kappa(each).low or 0) >= 0.7
    assert admitted / 500 == pytest.approx(0.8, abs=0.05)
