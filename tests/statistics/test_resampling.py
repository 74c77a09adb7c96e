"""The bootstrap gives the same however the clusters are written down."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import csr_array

from appliance.statistics.arrays import Array
from appliance.statistics.resampling import FEW_PATTERNS, bootstrap


def mean(sums: Array) -> Array:
    return np.asarray(sums[:, 0] / sums[:, 1])


def parts(n: int, values: int) -> Array:
    rng = np.random.default_rng(0)
    return np.column_stack([rng.integers(0, values, n), np.ones(n)])


def test_the_published_bca_interval() -> None:
    """R's boot package: 32.31 to 91.43, within one percent, the Monte Carlo error of both."""
    data = np.array([10, 12, 12.5, 12.5, 13.9, 15, 21, 22, 23, 34, 50, 81, 89, 121, 134, 213])
    found = bootstrap(np.column_stack([data, np.ones(16)]), mean, method="bca", resamples=100_000)
    assert (found.low, found.high) == pytest.approx((32.31, 91.43), rel=0.01)


@pytest.mark.parametrize("values", [5, 3 * FEW_PATTERNS])
@pytest.mark.parametrize("method", ["percentile", "bca"])
def test_counted_rows_give_what_the_clusters_give(values: int, method: str) -> None:
    data = parts(3 * FEW_PATTERNS, values)
    rows, counts = np.unique(data, axis=0, return_counts=True)
    assert (len(rows) > FEW_PATTERNS) == (values > FEW_PATTERNS)
    plain = bootstrap(data, mean, method=method, resamples=200)  # type: ignore[arg-type]
    assert bootstrap(rows, mean, counts=counts, method=method, resamples=200) == plain  # type: ignore[arg-type]
    assert bootstrap(np.random.default_rng(1).permutation(data), mean, method=method, resamples=200) == plain  # type: ignore[arg-type]


@pytest.mark.parametrize("values", [5, 3 * FEW_PATTERNS])
def test_sparse_rows_give_what_dense_ones_give(values: int) -> None:
    rows, counts = np.unique(parts(3 * FEW_PATTERNS, values), axis=0, return_counts=True)
    dense = bootstrap(rows, mean, counts=counts, resamples=200)
    sparse = bootstrap(csr_array(rows), mean, counts=counts, resamples=200)
    assert (sparse.low, sparse.high) == pytest.approx((dense.low, dense.high))


def test_no_clusters_and_one() -> None:
    for data in (np.zeros((0, 2)), np.zeros((0, 3, 3)), np.ones((1, 2))):
        assert bootstrap(data, mean).low is None


def test_clusters_are_drawn_by_how_many_there_are() -> None:
    """6,000 different values and one that 20,000 clusters share: the mean of all, not that of the rows."""
    rows = np.column_stack([np.append(np.arange(6000.0), 30_000.0), np.ones(6001)])
    counts = np.append(np.ones(6000, dtype=np.int64), 20_000)
    each = np.repeat(rows[:, 0], counts)
    found = bootstrap(rows, mean, counts=counts, resamples=1000)
    half = 1.96 * each.std() / len(each) ** 0.5
    assert (found.low, found.high) == pytest.approx((each.mean() - half, each.mean() + half), abs=half / 6)
