"""Calibration of measured confidence: published values, coverage, and edges."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from appliance.statistics.arrays import Array
from appliance.statistics.confidence.bins import places
from appliance.statistics.confidence.brier import brier
from appliance.statistics.confidence.expected import expected_scores
from appliance.statistics.confidence.reliability import reliability

NAN = float("nan")
STATED = np.array([0.55, 0.65, 0.75, 0.85, 0.95])


# Expected score


def test_the_expected_score_of_the_reference_is_normalised() -> None:
    found, mass = expected_scores([[0.05, 0.1, 0.2, 0.4, 0.15]], [1, 2, 3, 4, 5])
    assert found[0] == pytest.approx(3.5556, abs=1e-4)
    assert mass[0] == pytest.approx(0.9)
    assert found[0] * mass[0] == pytest.approx(3.2)


def test_a_record_without_probabilities_or_with_too_little_mass_is_unscored() -> None:
    rows = [[0.0, 0.0], [NAN, 0.5], [0.02, 0.01], [0.5, 0.5]]
    found, mass = expected_scores(rows, [1, 5], least_mass=0.1)
    assert np.isnan(found[:3]).all()
    assert (found[3], mass[2]) == (3.0, pytest.approx(0.03))


@pytest.mark.parametrize(
    ("rows", "match"),
    [([[0.9, 0.9]], "position 0"), ([[0.5, -0.1]], "negative"), ([[1.0]], "shape"), ([0.5], "shape")],
)
def test_what_is_no_probability_is_refused(rows: Any, match: str) -> None:
    with pytest.raises(ValueError, match=match):
        expected_scores(rows, [1, 5])


@given(st.lists(st.floats(0.01, 1), min_size=5, max_size=5), st.floats(0.1, 1))
def test_the_expected_score_lies_on_the_scale_and_mass_does_not_matter(
    weights: list[float], mass: float
) -> None:
    p = np.array([weights]) / sum(weights)
    found = expected_scores(p, range(1, 6))[0][0]
    assert 1 <= found <= 5
    assert expected_scores(mass * p, range(1, 6))[0][0] == pytest.approx(found)


# Brier


def test_the_published_brier_score() -> None:
    assert brier([0.1, 0.9, 0.8, 0.3], [0, 1, 1, 0]).score.value == pytest.approx(0.0375, abs=1e-9)


def test_as_scikit_learns_definition_and_its_terms_add_up() -> None:
    rng = np.random.default_rng(0)
    p = rng.random(300)
    y = (rng.random(300) < p).astype(float)
    for binning in ("width", "mass"):
        found = brier(p, y, binning=binning)  # type: ignore[arg-type]
        assert found.score.value == pytest.approx(np.mean((p - y) ** 2))
        terms = found.reliability - found.resolution + found.uncertainty + found.within  # type: ignore[operator]
        assert terms == pytest.approx(found.score.value)


def test_with_one_value_a_bin_it_is_murphys_decomposition() -> None:
    p = np.repeat([0.1, 0.5, 0.9], 20)
    y = np.concatenate([np.repeat([1, 0], [k, 20 - k]) for k in (4, 10, 17)]).astype(float)
    found = brier(p, y)
    seen, mean = np.array([0.2, 0.5, 0.85]), 31 / 60
    assert found.within == pytest.approx(0, abs=1e-12)
    assert found.reliability == pytest.approx(np.mean((np.array([0.1, 0.5, 0.9]) - seen) ** 2))
    assert found.resolution == pytest.approx(np.mean((seen - mean) ** 2))
    assert found.uncertainty == pytest.approx(mean * (1 - mean))


def test_a_judge_that_knows_nothing_resolves_nothing_and_a_perfect_one_all() -> None:
    y = np.array([0.0, 1, 1, 0, 1])
    ignorant, perfect = brier(np.full(5, 0.6), y), brier(y, y)
    assert (ignorant.resolution, ignorant.reliability) == (pytest.approx(0), pytest.approx(0))
    assert (perfect.score.value, perfect.score.low) == (0.0, None)
    assert "alike" in perfect.score.note
    assert perfect.resolution == pytest.approx(perfect.uncertainty)


@pytest.mark.parametrize("n", [50, 200])
def test_the_interval_of_the_brier_score_holds_the_truth(n: int) -> None:
    rng = np.random.default_rng(1)
    truth, held = float(np.mean(STATED * (1 - STATED))), []
    for _ in range(250):
        p = rng.choice(STATED, n)
        score = brier(p, rng.random(n) < p).score
        held.append(score.low is not None and score.high is not None and score.low <= truth <= score.high)
    assert np.mean(held) >= 0.91


def test_items_of_one_record_do_not_narrow_the_interval() -> None:
    rng = np.random.default_rng(1)
    p = rng.choice(STATED, 40)
    y = (rng.random(40) < p).astype(float)
    single = brier(p, y).score
    copied = brier(np.repeat(p, 10), np.repeat(y, 10), clusters=np.repeat(range(40), 10)).score
    assert (copied.low, copied.high) == pytest.approx((single.low, single.high), rel=2e-3)
    ece, ece_copied = (
        reliability(p, y, draws=199).ece,
        reliability(np.repeat(p, 10), np.repeat(y, 10), clusters=np.repeat(range(40), 10), draws=199).ece,
    )
    assert ece_copied.value == pytest.approx(ece.value)
    assert ece_copied.high == pytest.approx(ece.high, abs=0.05)


# Reliability


def test_the_published_calibration_errors_of_torchmetrics() -> None:
    found = reliability([0.25, 0.25, 0.55, 0.75, 0.75], [0, 0, 1, 1, 1], bins=2)
    assert found.ece.value == pytest.approx(0.29, abs=1e-6)
    assert found.max_error.value == pytest.approx(0.316667, abs=1e-6)


def test_the_table_holds_each_bins_rate_with_wilsons_interval() -> None:
    found = reliability([0.1] * 29 + [0.95] * 10 + [NAN], [1.0] + [0.0] * 28 + [1.0] * 10 + [1.0])
    low, high = found.bins
    assert (low.confidence, low.observed.value, low.observed.n) == (pytest.approx(0.1), 1 / 29, 29)
    assert (low.observed.low, low.observed.high) == pytest.approx((0.0061, 0.1718), abs=5e-5)
    assert (high.low, high.high, high.observed.value) == (0.95, 0.95, 1.0)
    assert found.ece.n_unscored == 1


def test_bins_of_equal_width_close_on_the_left_and_hold_1() -> None:
    p = np.array([0, 0.0999, 0.1, 0.3, 0.6, 0.7, 1.0])
    assert places(p, 10, "width").tolist() == [0, 0, 1, 3, 6, 7, 9]
    assert places(np.array([0.29, 0.57]), 100, "width").tolist() == [29, 57]  # 0.29 * 100 < 29


def test_bins_of_equal_mass_keep_equal_values_together() -> None:
    p = np.array([0.2, 0.9, 0.9, 0.9, 0.9, 0.95, 0.99, 0.99])
    found = places(p, 4, "mass")
    assert len(set(found[1:5])) == 1
    assert (np.diff(found) >= 0).all()
    even = places(np.random.default_rng(0).random(400), 8, "mass")
    assert np.bincount(even).tolist() == [50] * 8


def drawn(rng: Any, n: int, shift: Array) -> tuple[Array, Array]:
    which = rng.integers(0, 5, n)
    return STATED[which], (rng.random(n) < (STATED - shift)[which]).astype(float)


@pytest.mark.parametrize("n", [50, 300])
@pytest.mark.parametrize(
    "shift",
    [
        np.zeros(5),
        np.full(5, 0.15),
        np.array([0.2, 0.1, 0, 0, 0]),
        np.array([0.03, -0.03, 0.03, -0.03, 0.03]),
    ],
)
def test_the_interval_of_ece_holds_the_truth_a_calibrated_judge_included(n: int, shift: Array) -> None:
    rng = np.random.default_rng(1)
    truth, held, top = float(np.abs(shift).mean()), [], []
    for seed in range(250):
        found = reliability(*drawn(rng, n, shift), draws=199, seed=seed)
        assert found.ece.low is not None and found.ece.high is not None and found.max_error.low is not None
        held.append(found.ece.low - 1e-9 <= truth <= found.ece.high)
        top.append(found.max_error.low - 1e-9 <= np.abs(shift).max())
    assert np.mean(held) >= 0.93
    assert np.mean(top) >= 0.93


def test_a_calibrated_judge_is_called_miscalibrated_in_five_percent() -> None:
    rng = np.random.default_rng(2)
    p = [reliability(*drawn(rng, 100, np.zeros(5)), draws=199, seed=i).calibrated.p for i in range(400)]
    assert np.mean([one is not None and one <= 0.05 for one in p]) == pytest.approx(0.05, abs=0.03)


def test_an_overconfident_judge_is_found_and_by_how_much() -> None:
    found = reliability(*drawn(np.random.default_rng(0), 400, np.full(5, 0.15)))
    assert found.calibrated.p is not None and found.calibrated.p < 0.01
    assert found.overconfidence.low is not None and found.overconfidence.high is not None
    assert 0 < found.overconfidence.low < 0.15 < found.overconfidence.high


def test_a_calibrated_judge_has_an_ece_above_0_and_chance_says_how_much() -> None:
    rng = np.random.default_rng(0)
    eces = [reliability(*drawn(rng, 100, np.zeros(5)), draws=99).ece.value for _ in range(200)]
    found = reliability(*drawn(rng, 100, np.zeros(5)))
    assert found.ece_by_chance is not None
    assert found.ece_by_chance[0] == pytest.approx(np.mean(eces), abs=0.01)  # type: ignore[arg-type]
    assert found.ece_by_chance[0] > 0.05
    assert "biased upwards" in found.ece.note


@pytest.mark.parametrize("p", [[], [NAN, 0.5]])
def test_nothing_scored_has_no_calibration(p: list[float]) -> None:
    found = reliability(p, [1.0, NAN][: len(p)])
    assert (found.bins, found.ece.value, found.calibrated.p, found.ece_by_chance) == ((), None, None, None)
    assert found.ece.n_unscored == len(p)
    assert brier(p, [1.0, NAN][: len(p)]).score.value is None


def test_one_record_is_a_table_of_one_bin() -> None:
    found = reliability([0.7], [1.0], draws=99)
    assert (found.ece.value, len(found.bins)) == (pytest.approx(0.3), 1)
    assert (found.ece.low, brier([0.7], [1.0]).score.low) == (0.0, None)


def test_certain_and_right_is_no_test_and_certain_and_wrong_is_found() -> None:
    assert reliability([0.0, 1.0], [0, 1]).calibrated.p is None
    wrong = reliability([1.0] * 20, [1.0] * 19 + [0.0], draws=199).calibrated
    assert wrong.p == pytest.approx(1 / 200)


@settings(max_examples=25, deadline=None)
@given(st.permutations(range(30)))
def test_the_order_of_records_does_not_matter_to_calibration(order: list[int]) -> None:
    rng = np.random.default_rng(0)
    p, y = drawn(rng, 30, np.zeros(5))
    one, other = reliability(p, y, draws=99), reliability(p[order], y[order], draws=99)
    assert other.ece.low == pytest.approx(one.ece.low)
    assert (other.calibrated.p, other.bins) == (one.calibrated.p, one.bins)
    assert brier(p[order], y[order]).score.low == pytest.approx(brier(p, y).score.low)


@settings(max_examples=25, deadline=None)
@given(st.lists(st.tuples(st.floats(0.01, 0.99), st.booleans()), min_size=1, max_size=30))
def test_calling_yes_no_turns_the_table_round(rows: list[tuple[float, bool]]) -> None:
    p, y = np.array([a for a, _ in rows]), np.array([float(b) for _, b in rows])
    one, other = brier(p, y).score.value, brier(1 - p, 1 - y).score.value
    assert other == pytest.approx(one)


@pytest.mark.parametrize(
    ("p", "y", "match"),
    [([1.2], [1], "p: 1.2"), ([0.5], [2], "y: 2"), ([0.5, 0.5], [1], "one length"), ([0.5], [1], "bins")],
)
def test_nonsense_is_refused(p: Any, y: Any, match: str) -> None:
    with pytest.raises(ValueError, match=match):
        reliability(p, y, bins=0 if match == "bins" else 10)


def test_an_unknown_binning_is_refused() -> None:
    with pytest.raises(ValueError, match="width or mass"):
        reliability([0.5], [1], binning="depth")  # type: ignore[arg-type]
