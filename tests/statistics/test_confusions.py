"""Pairs of labels become tables, and nothing gets lost on the way."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from appliance.statistics.agreement.kappa import kappa
from appliance.statistics.agreement.tables import Confusions, confusions, from_tables

FIRST = ["a", "b", None, "a", "c", "b"]
SECOND = ["a", "a", "b", "a", None, "b"]


def dense(found: Confusions) -> list[list[float]]:
    rows = found.pairs.members.toarray()
    return sorted(rows.repeat(found.pairs.counts, axis=0).tolist())


def test_pairs_are_counted_and_the_unscored_apart() -> None:
    found = confusions(FIRST, SECOND, ["a", "b", "c"])
    assert found.table.tolist() == [[2, 0, 0], [1, 1, 0], [0, 0, 0]]
    assert (found.n_unscored, found.pairs.n_clusters) == (2, 4)


def test_nan_is_unscored_as_none_is() -> None:
    found = confusions(np.array([1.0, np.nan, 2.0]), np.array([1.0, 1.0, np.nan]), [1, 2])
    assert found.table.tolist() == [[1, 0], [0, 0]]
    assert found.n_unscored == 2


def test_clusters_stay_together_and_an_empty_one_drops_out() -> None:
    found = confusions(FIRST, SECOND, ["a", "b", "c"], clusters=["x", "x", "z", "y", "z", "x"])
    assert dense(found) == [[1, 0, 0, 0, 0, 0, 0, 0, 0], [1, 0, 0, 1, 1, 0, 0, 0, 0]]
    assert found.pairs.n_clusters == 2


def test_tables_and_pairs_give_the_same() -> None:
    rng = np.random.default_rng(2)
    first, second, cluster = rng.integers(0, 3, (3, 300)) * np.array([[1], [1], [30]])
    cluster = cluster + rng.integers(0, 25, 300)
    tables = np.zeros((85, 3, 3))
    np.add.at(tables, (cluster, first, second), 1)
    assert dense(confusions(first, second, range(3), cluster)) == dense(from_tables(tables))
    for interval in ("score", "bootstrap"):
        ours = kappa(confusions(first, second, range(3), cluster), interval=interval)  # type: ignore[arg-type]
        theirs = kappa(tables, interval=interval)  # type: ignore[arg-type]
        assert ours.value == pytest.approx(theirs.value)
        assert (ours.low, ours.high) == pytest.approx((theirs.low, theirs.high), abs=0.01)
        assert (ours.n, ours.se) == (theirs.n, pytest.approx(theirs.se))


@given(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 2), st.integers(0, 3)), min_size=4), st.randoms())
def test_the_order_of_items_and_clusters_changes_nothing(items: list[tuple[int, int, int]], random) -> None:  # type: ignore[no-untyped-def]
    shuffled = random.sample(items, len(items))
    estimates = []
    for each in (items, shuffled):
        found = confusions([i[0] for i in each], [i[1] for i in each], [0, 1, 2], [i[2] for i in each])
        estimates += [(kappa(found), kappa(found, interval="bootstrap"))]
    assert estimates[0] == estimates[1]


def test_what_does_not_fit_is_refused_in_words() -> None:
    with pytest.raises(ValueError, match="second: 'd' at position 1 is not in the list"):
        confusions(["a", "b"], ["a", "d"], ["a", "b"])
    with pytest.raises(ValueError, match="first 1, second 2"):
        confusions(["a"], ["a", "b"], ["a", "b"])
    with pytest.raises(ValueError, match="clusters: 1 given for 2 units"):
        confusions(["a", "a"], ["a", "b"], ["a", "b"], clusters=["x"])
    with pytest.raises(ValueError, match="twice"):
        confusions(["a"], ["a"], ["a", "a"])


def test_nothing_at_all_is_an_empty_table() -> None:
    for found in (confusions([], [], ["a", "b"]), confusions([None], ["a"], ["a", "b"])):
        assert found.table.tolist() == [[0, 0], [0, 0]]
        assert kappa(found).value is None
        assert kappa(found).n_unscored == found.n_unscored
