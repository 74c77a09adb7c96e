"""The interval holds what it promises where the usual ones do not."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import stats

from appliance.statistics.agreement.estimation import gradient
from appliance.statistics.agreement.kappa import agreement, kappa, kappas, weight_matrix
from appliance.statistics.agreement.ratings import label_counts, rated, rated_population
from appliance.statistics.agreement.tables import confusions
from appliance.statistics.arrays import Array


def population(margins: list[float], value: float) -> Array:
    """Both raters draw the label alike, and a share `value` of items is told for certain."""
    m = np.array(margins)
    return value * np.diag(m) + (1 - value) * np.outer(m, m)


def misses(table: Array, n: int, samples: int, weights: Any = "none", interval: Any = "score") -> Array:
    """Shares of samples whose interval lies above the truth, and below."""
    rng, q = np.random.default_rng(11), len(table)
    truth = float(kappas(table[np.newaxis], weight_matrix(q, weights))[0])
    counts = rng.multinomial(n, table.ravel(), size=samples)
    different, times = np.unique(counts, axis=0, return_counts=True)
    found = []
    for row, many in zip(different, times, strict=True):
        cells = np.repeat(np.arange(q * q), row)
        estimate = kappa(confusions(cells // q, cells % q, range(q)), weights=weights, interval=interval)
        if estimate.value is not None:
            low = 2.0 if estimate.low is None else estimate.low
            high = -2.0 if estimate.high is None else estimate.high
            found.append((many * (low > truth), many * (high < truth), many))
    above, below, all_of_them = np.array(found).sum(axis=0)
    return np.array([above, below]) / all_of_them


@pytest.mark.parametrize(
    ("margins", "value", "n", "weights"),
    [
        ([0.5, 0.5], 0.4, 20, "none"),
        ([0.5, 0.5], 0.8, 20, "none"),
        ([0.85, 0.15], 0.8, 20, "none"),
        ([0.85, 0.15], 0.4, 50, "none"),
        ([0.7, 0.3], 0.8, 200, "none"),
        ([0.6, 0.2, 0.1, 0.06, 0.04], 0.8, 50, "none"),
        ([0.35, 0.3, 0.2, 0.1, 0.05], 0.6, 50, "quadratic"),
    ],
)
def test_coverage(margins: list[float], value: float, n: int, weights: Any) -> None:
    """95% of 600 samples within 2.5 points (binomial error .9), the bound that gates a judge above the truth
    in hardly more than 2.5%."""
    above, below = misses(population(margins, value), n, 600, weights)
    assert 0.925 <= 1 - above - below <= 0.99
    assert above <= 0.04


@pytest.mark.parametrize(
    "table",
    [
        [[0.75, 0.0], [0.06, 0.19]],  # the second rater only ever adds
        [[0.3, 0.1, 0.0], [0.0, 0.3, 0.1], [0.0, 0.0, 0.2]],  # always one step higher
    ],
)
@pytest.mark.parametrize("n", [20, 50])
def test_coverage_where_disagreement_is_not_by_chance(table: list[list[float]], n: int) -> None:
    above, below = misses(np.array(table), n, 600)
    assert 0.915 <= 1 - above - below <= 0.99
    assert above <= 0.04


def test_the_bootstrap_does_not_hold_there() -> None:
    """Why it is not the default: with frequent unanimity it claims too much, or nothing."""
    above, below = misses(population([0.85, 0.15], 0.8), 20, 400, interval="bootstrap")
    assert 1 - above - below < 0.8


@pytest.mark.parametrize(("together", "least"), [(0.0, 0.93), (1.0, 0.93)])
def test_coverage_with_clusters_of_five(together: float, least: float) -> None:
    """Items of a record err independently, or all alike."""
    rng, table = np.random.default_rng(3), population([0.7, 0.3], 0.6)
    hits = []
    for _ in range(500):
        own = rng.choice(4, p=table.ravel(), size=(30, 5))
        cells = np.where(rng.random((30, 1)) < together, own[:, :1], own).ravel()
        found = kappa(confusions(cells // 2, cells % 2, range(2), np.arange(150) // 5))
        assert found.low is not None and found.high is not None
        hits.append(found.low <= 0.6 <= found.high)
    assert np.mean(hits) >= least


def test_clusters_that_err_alike_take_a_wider_interval() -> None:
    apart = np.tile([[4.0, 1.0], [0.0, 4.0]], (20, 1, 1))
    alike = np.array([[[4.0, 5.0], [0.0, 0.0]]] * 4 + [[[4.75, 0.0], [0.0, 5.0]]] * 16)
    assert apart.sum() == pytest.approx(180) and alike.sum() == pytest.approx(192)
    first, second = kappa(np.round(apart)), kappa(np.round(alike))
    assert second.high - second.low > 1.5 * (first.high - first.low)  # type: ignore[operator]


def inflated_wilson(share: float, n: int, inflated: float) -> tuple[float, float]:
    """Both p at which (share - p)^2 = inflated * p (1 - p) / n."""
    roots = np.roots([1 + inflated / n, -2 * share - inflated / n, share**2])
    return float(min(roots)), float(max(roots))


def test_few_disagreements_cannot_show_that_they_come_alone() -> None:
    """20 records of 10 items, one disagreement: two thirds of the design effect are that of copies, 10, and
    one third is estimated. The quantile is Student's for 20 records."""
    tables = np.tile([[9.0, 0.0], [0.0, 1.0]], (20, 1, 1))
    tables[0] = [[8.0, 1.0], [0.0, 1.0]]
    found = agreement(tables)
    effects = np.array([10 * (1 - 0.995) - 1] + [10 * 0.005] * 19)
    estimated = (effects**2).sum() * 20 / 19 / (200 * 0.995 * 0.005)
    design_effect = estimated / 3 + 10 * 2 / 3
    low, high = inflated_wilson(0.995, 200, design_effect * stats.t.ppf(0.975, 19) ** 2)
    assert (found.low, found.high) == pytest.approx((low, high), abs=1e-8)


def test_clusters_never_narrow_the_interval() -> None:
    """One disagreement in every record is less spread than chance makes; that is no licence to be surer."""
    even = np.tile([[3.0, 1.0], [0.0, 1.0]], (40, 1, 1))
    found = agreement(even)
    low, high = inflated_wilson(0.8, 200, max(1.0, 2 / 42 * 5) * stats.t.ppf(0.975, 39) ** 2)
    assert (found.low, found.high) == pytest.approx((low, high), abs=1e-8)


def test_the_hypothetical_distributions_are_distributions() -> None:
    """Chance, disagreement and unanimity of items with one to three ratings keep the pooled labels."""
    codes = np.array([[0, 0, 1], [1, 1, 1], [2, 0, -1], [0, -1, -1], [0, 0, 0]])
    items, population = rated_population(rated(codes, None, at_least=1), 3, seed=0)
    for shares in (*population.down, population.up):
        assert shares.sum() == pytest.approx(1)
        assert (shares >= 0).all()
    pooled = label_counts(codes, 3).sum(axis=0) / 12
    for shares in (population.down[0], population.up):
        given_labels = shares @ label_counts(items, 3)
        assert given_labels / given_labels.sum() == pytest.approx(pooled)
    assert population.up[population.discordant].sum() == 0
    assert population.down[1][~population.discordant].sum() == 0


def test_chance_is_drawn_where_there_is_too_much_to_list() -> None:
    codes = np.random.default_rng(0).integers(0, 12, (50, 6))
    items, population = rated_population(rated(codes, None, at_least=1), 12, seed=0)
    shares = population.down[0]
    pooled = label_counts(codes, 12).sum(axis=0) / 300
    assert shares.sum() == pytest.approx(1)
    assert shares @ label_counts(items, 12) / 6 == pytest.approx(pooled, abs=0.01)


def test_the_gradient_is_that_of_the_statistic() -> None:
    squares = lambda sums: sums[:, 0] ** 2 / sums[:, 1]  # noqa: E731
    assert gradient(squares, np.array([3.0, 2.0])) == pytest.approx([3.0, -9 / 4], abs=1e-8)
