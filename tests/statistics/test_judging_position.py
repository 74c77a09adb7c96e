"""Position bias: winners are mapped back first, drift is told apart from noise."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binomtest

from appliance.statistics.judging.accuracy import accuracy, accuracy_in_both, accuracy_over_orders
from appliance.statistics.judging.position import drifts, position_bias, position_flips
from appliance.statistics.judging.winners import Shown, Winner, map_back
from appliance.statistics.outcome import decide
from appliance.statistics.proportions import rate

A, B, TIE = Winner
SWAP = {A: B, B: A, TIE: TIE, None: None}
both_orders = st.lists(
    st.tuples(st.sampled_from([*Winner, None]), st.sampled_from([*Winner, None])), min_size=1, max_size=40
)


def columns(pairs: Any) -> tuple[list[Any], list[Any]]:
    return [a for a, _ in pairs], [b for _, b in pairs]


def test_displayed_choices_are_mapped_back() -> None:
    shown = [Shown.FIRST, Shown.SECOND, Shown.TIE, None]
    assert map_back(shown, False) == (A, B, TIE, None)
    assert map_back(shown, True) == (B, A, TIE, None)
    assert map_back(shown, [True, False, True, False]) == (B, B, TIE, None)
    assert map_back(shown[:2], np.array([True, True])) == (B, A)
    with pytest.raises(TypeError, match="Shown"):
        map_back([Winner.A], False)  # type: ignore[list-item]
    with pytest.raises(ValueError, match="given for"):
        map_back(shown, [True])


@pytest.mark.parametrize("wrong", [Shown.FIRST, Shown.TIE, "A", 0, 1, float("nan")])
def test_nothing_but_winners_can_be_counted(wrong: Any) -> None:
    for count in (
        lambda: position_bias([wrong], [A]),
        lambda: position_bias([A], [wrong]),
        lambda: position_flips([A], [wrong], [A]),
        lambda: accuracy([wrong], [A]),
        lambda: accuracy_in_both([A], [wrong], [A]),
    ):
        with pytest.raises(TypeError, match="position 0"):
            count()


def test_displayed_and_real_answers_never_compare_equal() -> None:
    both: list[object] = [*Shown, *Winner]
    assert len(set(both)) == 6 and Shown.TIE not in list[object](Winner)


def test_every_pair_of_displayed_answers_falls_on_its_side() -> None:
    """The reference's lists, in displayed labels: A the first shown, B the second, C a tie."""
    shown = {"A": Shown.FIRST, "B": Shown.SECOND, "C": Shown.TIE}
    sides = {-1.0: "AA AC CA", 1.0: "BB BC CB", 0.0: "AB BA CC"}
    for side, cells in sides.items():
        for first, second in cells.split():
            found = drifts(map_back([shown[first]], False), map_back([shown[second]], True))
            assert found.tolist() == [side], first + second


def test_drift_and_consistency_are_counted_and_unscored_pairs_named() -> None:
    half = position_bias([A, TIE, B, TIE, None, A], [TIE, B, TIE, A, A, A])
    assert (half.consistent, half.primacy, half.recency) == (1, 2, 2)
    assert half.consistency == rate(1, 5, 1).model_copy(update={"source": half.consistency.source})
    assert (half.fairness.value, half.fairness.n, half.fairness.n_unscored) == (0, 5, 1)
    assert half.table == ((1, 0, 1), (0, 0, 1), (1, 1, 0))
    always_first = position_bias(map_back([Shown.FIRST] * 9, False), map_back([Shown.FIRST] * 9, True))
    assert (always_first.primacy, always_first.fairness.value) == (9, -1)


@settings(max_examples=60, deadline=None)
@given(both_orders)
def test_renaming_the_items_changes_nothing_and_reversing_the_orders_turns_the_sign(pairs: Any) -> None:
    first, second = columns(pairs)
    found = position_bias(first, second)
    # The other item is called A: what was shown as given is now shown swapped.
    renamed = position_bias([SWAP[w] for w in second], [SWAP[w] for w in first])
    for ours, theirs in ((found, renamed), (found, position_bias(first[::-1], second[::-1]))):
        assert theirs.consistency.value == ours.consistency.value
        assert (theirs.primacy, theirs.recency) == (ours.primacy, ours.recency)
        assert theirs.fairness == ours.fairness and theirs.test.p == ours.test.p
    turned = position_bias(second, first)
    assert (turned.primacy, turned.recency) == (found.recency, found.primacy)
    if found.fairness.value is not None:
        assert turned.fairness.value == -found.fairness.value
        assert turned.fairness.low == pytest.approx(-(found.fairness.high or 0), abs=1e-12)


@settings(max_examples=40, deadline=None)
@given(both_orders)
def test_the_test_is_the_exact_binomial_of_recency_against_primacy(pairs: Any) -> None:
    found = position_bias(*columns(pairs))
    if found.recency + found.primacy:
        p = binomtest(found.recency, found.recency + found.primacy).pvalue
        assert found.test.p == pytest.approx(p)
    else:
        assert found.test.p is None and found.test.note
    assert found.consistent + found.primacy + found.recency == found.consistency.n


@settings(max_examples=40, deadline=None)
@given(both_orders, st.integers(2, 4))
def test_repeating_every_answer_adds_no_evidence(pairs: Any, times: int) -> None:
    first, second = columns(pairs)
    names = list(range(len(pairs)))
    once = position_bias(first, second)
    often = position_bias(first * times, second * times, item=names * times)
    assert often.consistency.model_dump() == once.consistency.model_dump()
    assert (often.fairness, often.test) == (once.fairness, once.test)
    clustered = position_bias(first * times, second * times, cluster=names * times)
    assert often.kappa.n == clustered.kappa.n == once.kappa.n <= len(pairs)
    if once.fairness.value is not None:
        assert clustered.fairness.value == pytest.approx(once.fairness.value)


def test_nothing_scored_is_undefined_and_never_zero() -> None:
    for found in (position_bias([], []), position_bias([None, A], [A, None])):
        assert found.fairness.value is found.test.p is found.consistency.value is found.kappa.value is None
        assert found.fairness.note and found.test.note
        assert found.hypothesis("x", 0.1, 1).equivalence.p is None  # type: ignore[union-attr]
    with pytest.raises(ValueError, match="one length"):
        position_bias([A], [A, B])


def test_a_judge_that_never_drifts_is_clear_and_one_that_does_is_flagged() -> None:
    steady, mixed = [A, B] * 100, [A] * 50 + [B] * 150
    found = [
        position_bias(steady, steady),
        position_bias(mixed, [B] * 200),
        position_bias([A] * 20, [A] * 20),
    ]
    asked = [f.hypothesis(n, 0.1, 20) for f, n in zip(found, ("steady", "drifts", "few"), strict=True)]
    outcomes = [d.outcome for d in decide("position", asked).decisions]
    assert outcomes == ["clear", "flagged", "inconclusive"]


def noisy_judge(
    rng: np.random.Generator, n: int, noise: float, lean: float = 0.0
) -> tuple[list[Winner], list[Winner], list[Winner]]:
    """As given, swapped, as given again: errors of its own, and of some items always the first shown."""
    truth = rng.integers(0, 2, n)
    answers = [np.where(rng.random(n) < noise, 1 - truth, truth) for _ in range(3)]
    leans, shown_first = rng.random(n) < lean, [0, 1, 0]
    a, b, c = (
        [Winner.A if x == 0 else Winner.B for x in np.where(leans, first, y)]
        for y, first in zip(answers, shown_first, strict=True)
    )
    return a, b, c


def test_a_judge_of_pure_noise_is_not_called_biased_by_position_and_a_leaning_one_is() -> None:
    rng, repeats = np.random.default_rng(5), 400
    flips, fairness, found, found_by_side = 0, 0, 0, 0
    for _ in range(repeats):
        first, second, again = noisy_judge(rng, 120, 0.2)
        flips += (position_flips(first, second, again).test.p or 1) < 0.05
        fairness += (position_bias(first, second).test.p or 1) < 0.05
    for _ in range(100):
        first, second, again = noisy_judge(rng, 120, 0.05, lean=0.3)
        net = position_flips(first, second, again)
        found += (net.test.p or 1) < 0.05 and (net.net.low or 0) > 0
        found_by_side += (position_bias(first, second).fairness.high or 0) < 0
    assert flips / repeats <= 0.07 and fairness / repeats <= 0.07
    assert found / 100 > 0.8 and found_by_side / 100 > 0.8


def test_flips_between_orders_are_taken_net_of_flips_in_a_repeat() -> None:
    found = position_flips([A, A, B, B, TIE, A], [B, A, A, B, TIE, None], [A, B, B, B, TIE, A])
    assert found.rate.value == pytest.approx(2 / 5)
    assert found.noise.value == pytest.approx(1 / 6)
    assert (found.net.value, found.net.n, found.net.n_unscored) == (pytest.approx(1 / 5), 5, 1)


def test_accuracy_needs_a_label_and_a_winner_and_a_tie_is_no_hit() -> None:
    found = accuracy([A, B, None, TIE, A], [A, A, A, B, None])
    assert (found.value, found.n, found.n_unscored) == (pytest.approx(1 / 3), 3, 2)
    assert accuracy_in_both([A, B, TIE, A], [A, A, TIE, None], [A, TIE, TIE, A]).value == pytest.approx(2 / 3)
    assert accuracy_in_both([A, B, A, A], [B, A, A, A], [A, A, A, None]).value == pytest.approx(1 / 3)
    over = accuracy_over_orders([A, B], [A, A], [A, A])
    assert (over.value, over.n) == (0.75, 4)
    assert accuracy([], []).value is None


def test_both_answers_of_a_pair_count_as_one_where_they_agree() -> None:
    winners, labels = [A] * 30 + [B] * 20, [A] * 50
    twice, once = accuracy_over_orders(winners, winners, labels), accuracy(winners, labels)
    width = [(e.high or 0) - (e.low or 0) for e in (twice, once)]
    assert width[0] == pytest.approx(width[1], rel=0.06)  # not 1/√2 of it
