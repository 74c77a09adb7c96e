"""Repetition: how stable a judge is when nothing changes, and how sure we are of it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from appliance.statistics.agreement.icc import icc
from appliance.statistics.judging.flips import net_flip_rate
from appliance.statistics.judging.score_stability import score_stability
from appliance.statistics.judging.stability import label_stability
from appliance.statistics.judging.winners import Winner

SHROUT = np.array([[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6], [10, 5, 6, 9], [6, 2, 4, 7]])
repeated = st.lists(
    st.tuples(st.integers(0, 5), st.sampled_from(["a", "b", "c", None])), min_size=1, max_size=30
)


def test_each_item_says_how_often_it_repeats_itself() -> None:
    found = label_stability(["a", "a", "b", "c", "c", None, "d"], ["x", "x", "x", "y", "y", "z", "w"])
    x, y = found.items
    assert (x.item, x.n, x.modal_share, x.agreement) == ("x", 3, pytest.approx(2 / 3), pytest.approx(1 / 3))
    assert x.entropy == pytest.approx(0.918296, abs=1e-6)  # of (2/3, 1/3), bits
    assert (y.modal_share, y.agreement, y.entropy) == (1, 1, 0)
    assert found.noisy == ("x",) and found.n_single == found.agreement.n_unscored == 2
    assert found.agreement.value == pytest.approx(2 / 3) and found.modal_share.value == pytest.approx(5 / 6)


def test_agreement_of_two_repeats_is_the_consistency_of_one_repeat() -> None:
    rng = np.random.default_rng(0)
    answers = rng.integers(0, 2, (2, 300))
    stable = label_stability(answers.T.ravel().tolist(), np.repeat(np.arange(300), 2))
    flips = net_flip_rate(answers[0], answers[1], answers[0])
    assert stable.agreement.value == pytest.approx(1 - (flips.noise.value or 0))
    assert stable.agreement.low == pytest.approx(1 - (flips.noise.high or 0))


def test_agreement_does_not_depend_on_how_often_a_judge_was_asked_and_the_modal_share_does() -> None:
    rng = np.random.default_rng(1)
    found = [
        label_stability((rng.random(6000 * m) < 0.7).tolist(), np.repeat(np.arange(6000), m)) for m in (2, 10)
    ]
    assert [f.agreement.value for f in found] == pytest.approx([0.58, 0.58], abs=0.012)
    assert (found[0].modal_share.value or 0) - (found[1].modal_share.value or 0) > 0.05


@settings(max_examples=50, deadline=None)
@given(repeated, st.permutations(range(30)))
def test_neither_order_nor_names_nor_labels_change_stability(rows: Any, order: Any) -> None:
    items, answers = [i for i, _ in rows], [a for _, a in rows]
    found = label_stability(answers, items)
    places = [i for i in order if i < len(rows)]
    turned = label_stability([answers[i] for i in places], [items[i] for i in places])
    renamed = label_stability(
        [{"a": 3, "b": 1, "c": 2, None: float("nan")}[a] for a in answers], [f"item {i}" for i in items]
    )
    for other in (turned, renamed):
        assert other.agreement.value == pytest.approx(found.agreement.value)
        assert other.modal_share.value == pytest.approx(found.modal_share.value)
        assert other.entropy == pytest.approx(found.entropy)
        assert (len(other.noisy), other.n_single) == (len(found.noisy), found.n_single)


def test_items_that_print_alike_are_not_one_item() -> None:
    found = label_stability(["a", "a", "b", "b"], [1, 1, "1", "1"])
    assert [i.modal_share for i in found.items] == [1, 1]


def test_winners_can_be_repeated_and_templates_stay_together() -> None:
    answers = [Winner.A, Winner.A, Winner.B, Winner.A] * 40
    items = np.repeat(np.arange(80), 2)
    free = label_stability(answers, items)
    bound = label_stability(answers, items, cluster=np.repeat(["s", "t", "u", "v"], 40))
    assert bound.agreement.value == free.agreement.value == 0.5
    copies = label_stability(answers, items, cluster=np.tile(np.repeat(["s", "t"], 2), 40))
    assert (copies.agreement.high or 0) - (copies.agreement.low or 0) > 0.5
    with pytest.raises(ValueError, match="two clusters"):
        label_stability(["a", "a"], ["x", "x"], cluster=["s", "t"])
    with pytest.raises(ValueError, match="limit"):
        label_stability([], [], limit=2)


def test_noisy_items_are_named_worst_first() -> None:
    answers, items = list("abaabccc"), [*"xx", *"yyy", *"zzz"]
    assert label_stability([*"ab", *"aab", *"ccc"], items).noisy == ("x", "y")
    assert score_stability([1, 2, 1, 1, 4, 3, 3, 3], items).noisy == ("y", "x")
    assert label_stability(answers, items, limit=0).noisy == ()
    with pytest.raises(ValueError, match="limit"):
        score_stability([1], ["x"], limit=-1)


def test_nothing_repeated_is_undefined() -> None:
    empty = label_stability([], [])
    assert empty.agreement.value is None and empty.entropy is None and empty.agreement.note
    scores = score_stability([], [])
    assert scores.within_sd.value is None and scores.share_between.value is None
    single = score_stability([1, 2, np.nan], ["x", "y", "y"])
    assert single.within_sd.value is None and single.n_single == 2
    one = score_stability([1, 2], ["x", "x"])
    assert one.within_sd.value == pytest.approx(0.5**0.5) and one.within_sd.low is None
    assert one.share_between.value is None and one.between_sd is None
    same = score_stability([0.1] * 6, list("xxyyzz"))
    assert same.within_sd.value == 0 and same.within_sd.low is None and "no interval" in same.within_sd.note
    assert same.share_between.value is None and same.share_between.note == "every score is the same"
    steady = score_stability([1, 1, 2, 2, 4, 4], list("xxyyzz"))
    assert (steady.share_between.value, steady.share_between.low) == (1, None)


def test_scores_of_one_item_and_the_noisy_ones() -> None:
    found = score_stability([1, 3, 4, 4, 5, np.nan], ["x", "x", "y", "y", "z", "z"])
    x, y = found.items
    assert (x.item, x.n, x.mean, x.sd) == ("x", 2, 2.0, pytest.approx(2**0.5)) and y.sd == 0
    assert found.within_sd.value == pytest.approx(1.0)
    assert found.noisy == ("x",) and found.n_single == 1


def test_the_share_between_items_is_the_intraclass_correlation() -> None:
    found = score_stability(SHROUT.ravel(), np.repeat(np.arange(6), 4))
    assert found.share_between.value == pytest.approx(0.17, abs=5e-3)  # Shrout and Fleiss (1979), ICC(1)
    assert found.share_between.value == pytest.approx(icc(SHROUT.astype(float), 1).value)
    assert found.within_sd.value == pytest.approx(np.sqrt(SHROUT.var(axis=1, ddof=1).mean()))
    within, between = (found.within_sd.value or 0) ** 2, (found.between_sd or 0) ** 2
    assert between / (between + within) == pytest.approx(found.share_between.value)


def test_unequal_repeats_follow_the_one_way_analysis_of_variance() -> None:
    from statsmodels.api import OLS

    rng = np.random.default_rng(4)
    item = np.repeat(np.arange(12), rng.integers(2, 6, 12))
    score = rng.normal(0, 1, 12)[item] + rng.normal(0, 0.7, len(item))
    fit = OLS(score, np.eye(12)[item]).fit()  # one mean an item
    within = float(fit.mse_resid)
    ratio = float(fit.compare_f_test(OLS(score, np.ones(len(item))).fit())[0])
    sizes = np.bincount(item)
    typical = (len(item) - (sizes**2).sum() / len(item)) / 11
    found = score_stability(score, item)
    assert found.within_sd.value == pytest.approx(within**0.5)
    assert found.share_between.value == pytest.approx((ratio - 1) / (ratio - 1 + typical))


@example([(0, 1), (0, 1), (1, 1), (1, 2), (2, 1), (2, 2)], 0.001)  # without item 0 nothing lies between
@settings(max_examples=40, deadline=None)
@given(
    st.lists(st.tuples(st.integers(0, 4), st.integers(1, 5)), min_size=4, max_size=24), st.floats(1e-3, 1e3)
)
def test_units_move_only_the_noise_and_shifts_move_nothing(rows: Any, unit: float) -> None:
    items, scores = [i for i, _ in rows], np.array([s for _, s in rows], dtype=float)
    found, scaled = score_stability(scores, items), score_stability(scores * unit + 7 * unit, items)
    for name in ("value", "low", "high"):
        ours, theirs = getattr(found.within_sd, name), getattr(scaled.within_sd, name)
        assert (ours is None) == (theirs is None)
        if ours is not None:
            assert theirs == pytest.approx(ours * unit, rel=1e-6, abs=1e-9 * unit)
        ours, theirs = getattr(found.share_between, name), getattr(scaled.share_between, name)
        assert theirs == (None if ours is None else pytest.approx(ours, rel=1e-6, abs=1e-6))


@pytest.mark.parametrize(("wavering", "repeats"), [(0.3, 2), (0.3, 4), (1.0, 3)])
def test_intervals_cover_where_some_items_waver_and_most_do_not(wavering: float, repeats: int) -> None:
    rng = np.random.default_rng(0)

    def draw(k: int) -> np.ndarray[Any, Any]:
        base = rng.choice([1, 2, 3, 4, 5], (k, 1), p=[0.1, 0.2, 0.3, 0.3, 0.1])
        steps = rng.choice([-1, 0, 1], (k, repeats), p=[0.25, 0.5, 0.25])
        return np.clip(base + np.where(rng.random((k, 1)) < wavering, steps, 0), 1, 5).astype(float)

    many = draw(400_000)
    within = float(many.var(axis=1, ddof=1).mean())
    between = float(many.mean(axis=1).var()) - within / repeats
    item, held, told = np.repeat(np.arange(60), repeats), np.zeros(2), 0
    for _ in range(1000):
        found = score_stability(draw(60).ravel(), item)
        sd, part = found.within_sd, found.share_between
        if sd.low is None or sd.high is None or part.low is None or part.high is None:
            continue  # one item alone wavered
        told += 1
        held += (sd.low <= within**0.5 <= sd.high, part.low <= between / (between + within) <= part.high)
    assert told >= 990
    assert ((held / told >= 0.92) & (held / told <= 0.98)).all()
