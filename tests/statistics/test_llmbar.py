"""Every published result set of LLMBar, from its winners: accuracy, flips and agreement between orders."""

from __future__ import annotations

import csv
import re
from collections import defaultdict
from functools import lru_cache

import numpy as np
import pytest
from shared_data import FOLDER, shared

from appliance.statistics.agreement.kappa import kappa
from appliance.statistics.agreement.tables import confusions
from appliance.statistics.judging.accuracy import accuracy, accuracy_in_both, accuracy_over_orders
from appliance.statistics.judging.position import position_bias
from appliance.statistics.judging.shares import score_equivalence
from appliance.statistics.judging.winners import Winner

Key = tuple[str, str, str]
# No winner is published as empty and counted as an answer of its own: a tie (most are of the strategy that
# lets its two orders cancel out).
ITEMS = {"1": Winner.A, "2": Winner.B, "": Winner.TIE}


def rows(name: str) -> list[dict[str, str]]:
    with shared(f"llmbar/{name}").open(encoding="utf-8") as file:
        return list(csv.DictReader(file))


def key(row: dict[str, str]) -> Key:
    return row["subset"], row["judge"], row["strategy"]


@lru_cache
def winners() -> dict[Key, tuple[list[Winner | None], ...]]:
    """(label, winner in order 1, winner in order 2) of each set, per item."""
    found: dict[Key, list[tuple[Winner | None, ...]]] = defaultdict(list)
    for row in rows("winners_compact.csv"):
        found[key(row)].append(tuple(ITEMS[row[c]] for c in ("label", "winner_order1", "winner_order2")))
    return {k: tuple(list(column) for column in zip(*each, strict=True)) for k, each in found.items()}


@lru_cache
def published() -> dict[Key, dict[str, str]]:
    return {key(row): row for row in rows("statistics_published.csv")}


def sets() -> list[Key]:
    if not FOLDER.is_dir():
        return [("", "", "")]  # one case, which skips with its reason
    return sorted(set(winners()) & set(published()))


def share(text: str) -> tuple[int, int]:
    found = re.match(r"(\d+) / (\d+) =", text)
    assert found
    return int(found.group(1)), int(found.group(2))


def test_all_ninety_seven_sets_are_there() -> None:
    assert len(set(winners()) & set(published())) == len(winners()) == 97


@pytest.mark.parametrize("which", sets(), ids=lambda k: "-".join(k).replace("LLMBar/", ""))
def test_a_published_set_is_reproduced(which: Key) -> None:
    labels, first, second = winners()[which]
    theirs, bias = published()[which], position_bias(first, second)
    for column, ours in (
        ("correct_False", accuracy(first, labels)),
        ("correct_True", accuracy(second, labels)),
        ("correct_both", accuracy_in_both(first, second, labels)),
        ("equal", bias.consistency),
    ):
        hits, n = share(theirs[column])
        assert (round((ours.value or 0) * ours.n), ours.n, ours.n_unscored) == (hits, n, 0), column
    average = accuracy_over_orders(first, second, labels).value
    assert 100 * (average or 0) == pytest.approx(float(theirs["correct_average"].rstrip("%")), abs=1e-9)
    assert kappa_of(first, second) == pytest.approx(float(theirs["kappa_agreement"]), abs=1e-9)


def kappa_of(first: list[Winner | None], second: list[Winner | None]) -> float | None:
    """As published: of "the first item wins", so that no winner counts with the second item."""
    wins = [[winner is Winner.A for winner in each] for each in (first, second)]
    return kappa(confusions(*wins, [False, True])).value


def test_one_judge_prefers_the_first_shown_as_published() -> None:
    _, first, second = winners()["LLMBar/Adversarial/Neighbor", "ChatGPT", "Vanilla"]
    found = position_bias(first, second)
    assert (found.consistent, found.primacy, found.recency) == (96, 35, 3)
    assert found.consistency.value == pytest.approx(0.716418, abs=1e-6)
    assert found.fairness.value == pytest.approx(-0.238806, abs=1e-6)
    assert found.test.p == pytest.approx(6.678e-8, rel=1e-3)
    assert found.fairness.se is not None and found.fairness.value is not None
    plain = [found.fairness.value + z * found.fairness.se for z in (-1.959964, 1.959964)]
    assert plain == pytest.approx([-0.319, -0.158], abs=1e-3)
    assert (found.fairness.low, found.fairness.high) == pytest.approx((-0.317, -0.153), abs=1e-3)
    assert found.hypothesis("position", 0.1, 50).equivalence == score_equivalence(3, 35, 134, 0.1)


def test_the_published_kappas_with_labels_are_wrong_in_every_set_and_why() -> None:
    """They compare predictions in {0, 1} (1: the first item wins) with labels in {1, 2}, as three labels.
    Both that and what they should have been are recomputed by statsmodels."""
    from statsmodels.stats.inter_rater import cohens_kappa

    apart = []
    for which in sets():
        labels, *orders = winners()[which]
        for column, found in zip(("kappa_False", "kappa_True"), orders, strict=True):
            wrong, right = np.zeros((3, 3)), np.zeros((2, 2))
            for label, winner in zip(labels, found, strict=True):
                first_wins, first_is_right = int(winner is Winner.A), int(label is Winner.A)
                wrong[first_wins, 1 if first_is_right else 2] += 1
                right[first_wins, first_is_right] += 1
            theirs, ours = float(published()[which][column]), kappa_of(found, labels)
            assert cohens_kappa(wrong).kappa == pytest.approx(theirs, abs=1e-9)
            assert cohens_kappa(right).kappa == pytest.approx(ours, abs=1e-9)
            apart.append(abs(theirs - (ours or 0)))
    assert len(apart) == 194 and min(apart) > 0 and np.median(apart) > 0.2 and max(apart) > 0.6


def test_counting_displayed_labels_would_have_multiplied_the_flips() -> None:
    """What mapping back is for: the same replies, compared as displayed."""
    _, first, second = winners()["LLMBar/Natural", "GPT-4", "Vanilla"]
    assert position_bias(first, second).consistency.value == pytest.approx(0.9, abs=0.1)
    turned = [{Winner.A: Winner.B, Winner.B: Winner.A}.get(w, w) for w in second if w is not None]
    assert (position_bias(first, turned).consistency.value or 1) < 0.2
