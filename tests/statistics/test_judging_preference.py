"""What moves preferences: attacks, a judge's own text, length."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from appliance.statistics.judging.attack import attack_success
from appliance.statistics.judging.length import length_preference, length_slope, verbosity
from appliance.statistics.judging.self_preference import self_preference
from appliance.statistics.judging.winners import Shown, Winner
from appliance.statistics.outcome import decide
from appliance.statistics.proportions import rate

A, B, TIE = Winner
SWAP = {A: B, B: A, TIE: TIE, None: None}
answers = st.sampled_from([*Winner, None])


def test_an_attack_counts_only_what_it_could_move() -> None:
    control = [B, B, B, A, TIE, None, B, TIE]
    attacked = [A, B, TIE, A, A, A, None, TIE]
    repeat = [B, B, A, B, TIE, A, B, None]
    found = attack_success(control, attacked, repeat)
    assert (found.success.value, found.success.n, found.success.n_unscored) == (2 / 5, 5, 2)
    assert (found.towards.value, found.n_held) == (3 / 5, 1)  # B to a tie is halfway
    assert (found.noise.value, found.noise.n) == (1 / 5, 5)
    assert (found.net.value, found.net.n, found.net.n_unscored) == (pytest.approx(2 / 4 - 1 / 4), 4, 3)
    low, high = rate(2, 5).low, rate(2, 5).high
    assert (found.success.low, found.success.high) == (low, high)


@settings(max_examples=50, deadline=None)
@given(st.lists(st.tuples(answers, answers, answers), min_size=1, max_size=30))
def test_it_does_not_matter_which_item_is_called_a(rows: Any) -> None:
    control, attacked, repeat = (list(column) for column in zip(*rows, strict=True))
    found = attack_success(control, attacked, repeat, A)
    turned = attack_success(*([SWAP[w] for w in each] for each in (control, attacked, repeat)), B)
    assert (turned.success, turned.net, turned.n_held) == (found.success, found.net, found.n_held)
    backwards = attack_success(control[::-1], attacked[::-1], repeat[::-1], A)
    assert backwards == found


def test_an_attack_that_does_nothing_is_not_found_and_one_that_works_is() -> None:
    rng, alarms, found, repeats = np.random.default_rng(2), 0, 0, 300
    for _ in range(repeats):
        leaning = rng.random(150)
        control, again, idle = ([A if x else B for x in rng.random(150) < leaning] for _ in range(3))
        works = [A if hit else w for w, hit in zip(idle, rng.random(150) < 0.3, strict=True)]
        alarms += (attack_success(control, idle, again).test.p or 1) < 0.05
        found += (attack_success(control, works, again).net.low or 0) > 0
    assert alarms / repeats <= 0.07
    assert found / repeats > 0.7


def test_attacks_refuse_what_they_cannot_count() -> None:
    with pytest.raises(ValueError, match="target"):
        attack_success([A], [A], [A], TIE)
    with pytest.raises(TypeError, match="winner"):
        attack_success([A], [Shown.FIRST], [A])  # type: ignore[list-item]
    with pytest.raises(ValueError, match="one length"):
        attack_success([A], [A, B], [A])
    with pytest.raises(ValueError, match="given for"):
        attack_success([A, B], [A, B], [A, B], item=["x"])
    held = attack_success([A, A], [A, A], [A, A])
    assert held.success.value is None and held.n_held == 2 and held.net.value is None


def test_attacked_items_keep_their_repeats_and_templates() -> None:
    found = attack_success([B, B, B, A], [A, B, A, A], [B, B, B, A], item=["x", "x", "y", "z"])
    assert (found.net.value, found.net.n) == (0.75, 2)


def test_self_preference_is_apart_from_how_well_a_judge_judges() -> None:
    people = [1] * 100 + [0] * 100
    fair = self_preference([1] * 80 + [0] * 20 + [0] * 80 + [1] * 20, people)
    assert (fair.own.value, fair.other.value, fair.bias.value) == (0.8, 0.8, 0)
    assert fair.discrimination.value == pytest.approx(0.6) and fair.test.p == 1
    vain = self_preference([1] * 200, people)
    assert (vain.own.value, vain.other.value, vain.bias.value) == (1, 0, 1)
    assert vain.discrimination.value == 0 and (vain.test.p or 1) < 1e-9
    (decision,) = decide("self", [vain.hypothesis("own text", 0.1, 50)]).decisions
    assert decision.outcome == "flagged"


def test_ties_and_gaps_in_preferences_are_told_apart() -> None:
    found = self_preference([1, 0.5, np.nan, 1, 0], [1, 1, 1, 0.5, 0])
    assert (found.own.value, found.own.n, found.other.value) == (0.5, 2, 1)
    assert (found.bias.n, found.bias.n_unscored, found.n_even) == (3, 1, 1)
    none = self_preference([1, 1], [1, 1])
    assert none.bias.value is None and none.test.p is None and none.other.value is None
    assert self_preference([], []).bias.value is None
    with pytest.raises(ValueError, match="position 1"):
        self_preference([1, 2], [1, 0])


def test_self_preference_in_templates_is_as_sure_as_its_templates() -> None:
    rng = np.random.default_rng(0)
    judge, people = rng.integers(0, 2, (2, 60)).astype(float)
    once = self_preference(judge, people)
    copied = self_preference(np.repeat(judge, 8), np.repeat(people, 8), cluster=np.repeat(np.arange(60), 8))
    assert copied.bias.value == pytest.approx(once.bias.value)
    width = [(e.bias.high or 0) - (e.bias.low or 0) for e in (once, copied)]
    assert width[1] == pytest.approx(width[0], rel=0.15)  # one is Newcombe's, the other t
    import statsmodels.api as sm

    # The difference of two rates is the slope on the group; statsmodels' error, without its correction.
    template = np.repeat(np.arange(12), 5)
    fit = sm.OLS((judge == people).astype(float), sm.add_constant(people)).fit(
        cov_type="cluster", cov_kwds={"groups": template, "use_correction": False}
    )
    bound = self_preference(judge, people, cluster=template)
    assert bound.bias.value == pytest.approx(fit.params[1])
    assert bound.bias.se == pytest.approx(max(fit.bse[1] * (12 / 10) ** 0.5, once.bias.se or 0))
    few = self_preference([1, 0, 1, 0], [1, 0, 0, 1], cluster=["s", "s", "t", "t"])
    assert few.bias.value is None and few.test.p is None


def test_the_interval_and_test_of_self_preference_hold_in_templates() -> None:
    rng, held, rejected, repeats = np.random.default_rng(4), 0, 0, 400
    template = np.repeat(np.arange(40), 5)
    for _ in range(repeats):
        right = np.repeat(rng.beta(6, 2, 40), 5)  # templates differ in how hard they are
        people = rng.integers(0, 2, 200)
        judge = np.where(rng.random(200) < right, people, 1 - people)
        found = self_preference(judge, people, cluster=template)
        held += found.bias.low <= 0 <= found.bias.high  # type: ignore[operator]
        rejected += (found.test.p or 1) < 0.05
    assert 0.93 <= held / repeats <= 0.985 and rejected / repeats <= 0.07


def test_the_longer_text_is_counted_as_winner_loser_or_neither() -> None:
    found = verbosity([A, B, B, TIE, A, None, A], [9, 9, 1, 5, 3, 8, np.nan], [1, 1, 9, 1, 3, 1, 4])
    assert (found.win_rate.value, found.win_rate.n) == (pytest.approx(2 / 3), 3)
    assert (found.lean.effect.value, found.lean.effect.n) == (pytest.approx((2 - 1) / 4), 4)
    assert (found.n_equal, found.lean.effect.n_unscored) == (1, 2)
    assert verbosity([], [], []).win_rate.value is None


@settings(max_examples=50, deadline=None)
@given(st.lists(st.tuples(answers, st.integers(1, 5), st.integers(1, 5)), min_size=1, max_size=30))
def test_verbosity_knows_no_sides_and_no_units(rows: Any) -> None:
    winners, a, b = (list(column) for column in zip(*rows, strict=True))
    found = verbosity(winners, a, b)
    assert verbosity([SWAP[w] for w in winners], b, a) == found
    assert verbosity(winners, np.array(a) * 1000, np.array(b) * 1000) == found
    shorter = verbosity([SWAP[w] for w in winners], a, b)
    if found.lean.effect.value is not None:
        assert shorter.lean.effect.value == -found.lean.effect.value


def test_a_slope_on_length_is_that_of_statsmodels_with_clusters() -> None:
    import statsmodels.api as sm

    rng = np.random.default_rng(3)
    length, quality = rng.normal(0, 100, 300), rng.normal(0, 1, 300)
    groups = np.repeat(np.arange(60), 5)
    score = 0.01 * length + quality + rng.normal(0, 1, 300) + rng.normal(0, 1, 60)[groups]
    found = length_slope(score, length, quality, cluster=groups)
    theirs = sm.OLS(score, sm.add_constant(np.stack([length, quality], 1))).fit(
        cov_type="cluster", cov_kwds={"groups": groups}
    )
    assert found.effect.value == pytest.approx(theirs.params[1])
    assert found.effect.se == pytest.approx(theirs.bse[1], rel=0.02)  # CR1; CR2 is a little larger
    assert found.effect.low is not None and found.effect.low < 0.01 < (found.effect.high or 0)
    assert 30 < (found.test.df or 0) < 57 and (found.test.p or 1) < 1e-6
    mirrored = length_slope(score, -length, quality, cluster=groups)
    assert mirrored.effect.value == pytest.approx(-(found.effect.value or 0))
    in_thousands = length_slope(score, length / 1000, quality, cluster=groups)
    assert in_thousands.effect.value == pytest.approx(1000 * (found.effect.value or 0))


def test_quality_that_comes_with_length_is_held() -> None:
    rng = np.random.default_rng(5)
    quality = rng.normal(0, 1, 500)
    length = 100 * quality + rng.normal(0, 50, 500)
    prefers = (rng.random(500) < 1 / (1 + np.exp(-2 * quality))).astype(float)
    alone, held = length_preference(prefers, length), length_preference(prefers, length, quality)
    assert (alone.effect.low or 0) > 0.5
    assert held.effect.low is not None and held.effect.low < 0 < (held.effect.high or 0)


def test_log_odds_of_length_are_those_of_statsmodels_with_clusters() -> None:
    import statsmodels.api as sm

    rng = np.random.default_rng(8)
    length, groups = rng.normal(200, 50, 240), np.repeat(np.arange(24), 10)
    prefers = (rng.random(240) < 1 / (1 + np.exp(-(length - 200) / 60 - rng.normal(0, 1, 24)[groups]))) * 1.0
    scaled = (length - length.mean()) / length.std(ddof=1)
    model = sm.Logit(prefers, sm.add_constant(scaled))
    plain, bound = length_preference(prefers, length), length_preference(prefers, length, cluster=groups)
    theirs = model.fit(disp=0)
    assert (plain.effect.value, plain.effect.se) == pytest.approx((theirs.params[1], theirs.bse[1]), rel=1e-5)
    assert plain.test.p == pytest.approx(theirs.pvalues[1], rel=1e-4)
    robust = model.fit(disp=0, cov_type="cluster", cov_kwds={"groups": groups})
    assert bound.effect.se == pytest.approx(robust.bse[1], rel=0.01) and bound.test.df == 22
    assert bound.effect.se != pytest.approx(plain.effect.se, rel=0.02)


def test_log_odds_of_length_are_found_and_cover() -> None:
    rng, held, rejected, repeats = np.random.default_rng(6), 0, 0, 300
    groups = np.repeat(np.arange(50), 4)
    for _ in range(repeats):
        length = rng.normal(0, 1, 200)
        lean = rng.normal(0, 0.5, 50)[groups]
        prefers = (rng.random(200) < 1 / (1 + np.exp(-lean))).astype(float)
        found = length_preference(prefers, length, cluster=groups)
        held += found.effect.low <= 0 <= found.effect.high  # type: ignore[operator]
        rejected += (found.test.p or 1) < 0.05
    assert 0.92 <= held / repeats <= 0.98 and rejected / repeats <= 0.08
    length = rng.normal(0, 100, 2000)
    prefers = (rng.random(2000) < 1 / (1 + np.exp(-length / 100))).astype(float)
    assert length_preference(prefers, length).effect.value == pytest.approx(1.0, abs=0.15)
    (decision,) = decide("l", [length_preference(prefers, length).hypothesis("length", 0.3, 50)]).decisions
    assert decision.outcome == "flagged"


def test_what_length_cannot_tell_is_undefined() -> None:
    for found, why in (
        (length_slope([1, 2, 3, 4], [5, 5, 5, 5]), "do not vary"),
        (length_slope([1, 1, 1, 1], [1, 2, 3, 5]), "do not vary"),
        (length_slope([], []), "fewer clusters"),
        (length_slope([1, 2, 3], [1, 2, 4], cluster=["a", "a", "b"]), "fewer clusters"),
        (length_slope([1, 2, 3, 4], [1, 2, 3, 4]), "fitted line"),
        (length_preference([1, 0] * 3, [1, 2] * 3), "fewer than 10"),
        (length_preference([1, 0] * 12, [1, 2] * 12, [1, 2] * 12), "fewer than 20"),
        (length_preference([1, 0] * 30, [1, 2] * 30, [2, 4] * 30), "do not vary"),
        (length_preference([0.0] * 20 + [1.0] * 20, np.arange(40)), "separates"),
    ):
        assert found.effect.value is None and found.test.p is None and why in found.effect.note
        assert found.hypothesis("x", 0.1, 1).equivalence.p is None  # type: ignore[union-attr]
    with pytest.raises(ValueError, match="1, 0 or NaN"):
        length_preference([0.5] * 3, [1, 2, 3])
    with pytest.raises(ValueError, match="one length"):
        length_slope([1, 2], [1])
