"""Judge metrics: winners are mapped back, noise is taken off, and planted bias is found."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from appliance.statistics.judging.position import accuracy, accuracy_in_both, position_bias
from appliance.statistics.judging.preference import (
    attack_success,
    length_preference,
    length_slope,
    self_preference,
)
from appliance.statistics.judging.robustness import robustness
from appliance.statistics.judging.stability import label_stability, score_stability
from appliance.statistics.judging.winners import Shown, Winner, map_back
from appliance.statistics.outcome import decide
from appliance.statistics.paired.net import net_share

A, B, TIE = Winner.A, Winner.B, Winner.TIE
winners = st.lists(
    st.tuples(st.sampled_from(list(Winner)), st.sampled_from(list(Winner))), min_size=1, max_size=40
)
SWAP = {A: B, B: A, TIE: TIE}


def test_displayed_choices_are_mapped_back_and_nothing_else_is_counted() -> None:
    shown = [Shown.FIRST, Shown.SECOND, Shown.TIE, None]
    assert map_back(shown, False) == (A, B, TIE, None)
    assert map_back(shown, True) == (B, A, TIE, None)
    assert map_back(shown, [True, False, True, False]) == (B, B, TIE, None)
    with pytest.raises(TypeError, match="Shown"):
        map_back([Winner.A], False)  # type: ignore[list-item]
    with pytest.raises(ValueError, match="given for"):
        map_back(shown, [True])


def test_drift_to_each_side_is_told_apart() -> None:
    always_first = position_bias(map_back([Shown.FIRST] * 9, False), map_back([Shown.FIRST] * 9, True))
    assert (always_first.consistent, always_first.primacy, always_first.recency) == (0, 9, 0)
    assert always_first.fairness.value == -1
    half = position_bias([A, TIE, B, TIE, None], [TIE, B, TIE, A, A])
    assert (half.primacy, half.recency, half.consistency.n_unscored) == (2, 2, 1)
    assert half.fairness.value == 0


@settings(max_examples=60, deadline=None)
@given(winners)
def test_swapping_items_changes_nothing_and_reversing_orders_turns_the_sign(pairs: Any) -> None:
    first, second = zip(*pairs, strict=True)
    found = position_bias(first, second)
    renamed = position_bias([SWAP[w] for w in second], [SWAP[w] for w in first])
    assert renamed.consistency.value == found.consistency.value
    assert renamed.fairness.value == found.fairness.value
    turned = position_bias(second, first)
    assert turned.fairness.value == pytest.approx(-(found.fairness.value or 0))
    assert found.consistent + found.primacy + found.recency == len(pairs)


def test_a_judge_that_never_drifts_is_clear_and_one_that_does_is_flagged() -> None:
    steady, mixed = [A, B] * 200, [A] * 100 + [B] * 300
    found = position_bias(steady, steady)
    assert found.test.p == 1 and "no pair changes" in found.test.note
    drifting = position_bias(mixed, [B] * 400)
    decisions = decide(
        "position", [found.hypothesis("steady", 0.1, 50), drifting.hypothesis("drifts", 0.1, 50)]
    )
    assert [d.outcome for d in decisions.decisions] == ["clear", "flagged"]
    nothing = position_bias([None], [A])
    assert nothing.fairness.value is None and nothing.test.p is None


@pytest.mark.parametrize("n", [50, 150, 500])
@pytest.mark.parametrize(("discordant", "lean"), [(0.2, 0.0), (0.2, 0.1), (0.5, 0.2)])
def test_the_interval_of_preference_fairness_covers(n: int, discordant: float, lean: float) -> None:
    rng, held, rejected, repeats = np.random.default_rng(n), 0, 0, 3000
    chances = [(discordant + lean) / 2, (discordant - lean) / 2, 1 - discordant]
    from scipy.stats import binomtest

    for plus, minus, _ in rng.multinomial(n, chances, repeats).tolist():
        found = net_share(plus, minus, n)
        held += found.low <= lean <= found.high  # type: ignore[operator]
        rejected += plus + minus > 0 and binomtest(plus, plus + minus).pvalue < 0.05
    assert 0.93 <= held / repeats <= 0.975
    if lean == 0:
        assert rejected / repeats <= 0.05


def test_accuracy_needs_a_label_and_a_winner() -> None:
    assert accuracy([A, B, None, TIE], [A, A, A, B]).value == pytest.approx(1 / 3)
    assert accuracy([A, B, None, TIE], [A, A, A, B]).n_unscored == 1
    both = accuracy_in_both([A, B, TIE], [A, A, TIE], [A, TIE, TIE])
    assert both.value == pytest.approx(2 / 3)


def test_calms_rates_and_their_difference_on_the_same_items() -> None:
    original, repeat, perturbed = list("aabbb"), list("aabbc"), list("abcbb")
    found = robustness(original, repeat, perturbed)
    assert (found.robustness.value, found.consistency.value) == (0.6, 0.8)
    assert found.impact.value == pytest.approx(-0.2)
    assert found.flip_net.value == pytest.approx(0.2)
    assert found.flip_net.low == pytest.approx(-(found.impact.high or 0))
    assert found.test.p == 1.0  # two against one
    turned = robustness(original, repeat, perturbed, should_change=True)
    assert turned.robustness.value == pytest.approx(0.4)
    assert robustness([3.0, 4.0], [3.2, 4.0], [4.0, 4.1], tolerance=0.25).consistency.value == 1


def test_repeats_are_averaged_by_item_and_unscored_answers_counted() -> None:
    found = robustness(list("aaaa"), ["a", "b", "a", None], list("abba"), item=["x", "x", "y", "z"])
    assert (found.impact.n, found.impact.n_unscored) == (2, 1)
    assert found.impact.value == pytest.approx(((0.5 - 0.5) + (0 - 1)) / 2)
    copied = robustness(list("ab" * 30), list("ab" * 30), list("aa" * 30), item=["x", "y"] * 30)
    assert copied.impact.n == 2


def test_noise_alone_is_not_called_bias_and_planted_bias_is_found() -> None:
    rng, alarms, found = np.random.default_rng(7), 0, 0
    for _ in range(300):
        original = rng.integers(0, 2, 150)
        noisy = [np.where(rng.random(150) < 0.15, 1 - original, original) for _ in range(2)]
        alarms += (robustness(original, noisy[0], noisy[1]).test.p or 1) < 0.05
        swayed = np.where(rng.random(150) < 0.25, 1, noisy[1])
        found += (robustness(original, noisy[0], swayed).test.p or 1) < 0.05
    assert alarms / 300 <= 0.07
    assert found / 300 > 0.4


def test_the_interval_of_the_net_flip_rate_covers() -> None:
    rng, held, repeats = np.random.default_rng(8), 0, 800
    for _ in range(repeats):
        base = np.zeros(120, dtype=int)
        repeat, perturbed = (rng.random((2, 120)) < [[0.1], [0.3]]).astype(int)
        net = robustness(base, repeat, perturbed).flip_net
        held += net.low <= 0.2 <= net.high  # type: ignore[operator]
    assert 0.93 <= held / repeats <= 0.975


def test_stability_of_labels_and_scores() -> None:
    found = label_stability(["a", "a", "b", "c", "c", None, "d"], ["x", "x", "x", "y", "y", "z", "w"], 0.8)
    assert found.by_item == {"x": pytest.approx(2 / 3), "y": 1.0}
    assert found.noisy == ("x",) and found.n_single == 2
    scores = score_stability([1, 3, 4, 4, 5, np.nan], ["x", "x", "y", "y", "z", "z"], 0.5)
    assert scores.within_sd.value == pytest.approx(1.0)
    assert scores.noisy == ("x",) and scores.n_single == 1
    assert label_stability([], []).modal_share.value is None
    assert score_stability([2, 2], ["x", "x"]).share_between.value is None


def test_the_share_between_items_is_the_intraclass_correlation() -> None:
    from appliance.statistics.agreement.icc import icc

    table = np.array([[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6], [10, 5, 6, 9], [6, 2, 4, 7]])
    found = score_stability(table.ravel(), np.repeat(np.arange(6), 4)).share_between
    known = icc(table.astype(float), 1)
    assert found.value == pytest.approx(0.17, abs=5e-3)  # Shrout and Fleiss (1979)
    assert (found.value, found.low, found.high) == pytest.approx((known.value, known.low, known.high))


def test_an_attack_counts_only_what_it_could_move() -> None:
    control = [B, B, B, A, TIE, None, B]
    attacked = [A, B, TIE, A, A, A, None]
    repeat = [B, B, A, B, TIE, A, B]
    found = attack_success(control, attacked, repeat)
    assert (found.success.value, found.success.n, found.success.n_unscored) == (3 / 4, 4, 2)
    assert (found.noise.value, found.noise.n) == (1 / 5, 5)
    assert found.net.value == pytest.approx(3 / 4 - 1 / 5)


def test_self_preference_is_a_difference_of_two_conditions() -> None:
    found, test = self_preference([1, 1, 1, 0, 1, 0, np.nan], [1, 1, 0, 0, 0, 0, 1])
    assert found.value == pytest.approx(1 - 2 / 4)
    assert found.n_unscored == 1 and test.p is not None


def test_length_effects_are_found_and_undefined_where_nothing_varies() -> None:
    rng = np.random.default_rng(3)
    length = rng.normal(0, 100, 300)
    slope, test = length_slope(0.01 * length + rng.normal(0, 1, 300), length, np.repeat(np.arange(60), 5))
    assert slope.value == pytest.approx(0.01, abs=0.003) and (test.p or 1) < 1e-6
    prefers = (rng.random(300) < 1 / (1 + np.exp(-length / 100))).astype(float)
    odds, test = length_preference(prefers, length)
    assert (odds.low or 0) < 1.0 < (odds.high or 0) and (test.p or 1) < 1e-6
    assert length_slope([1, 2, 3], [5, 5, 5])[0].value is None
    assert length_preference([1, 0] * 3, [1, 2] * 3)[1].p is None
    separated = length_preference([0.0] * 20 + [1.0] * 20, np.arange(40))[0]
    assert separated.value is None and "separates" in separated.note
