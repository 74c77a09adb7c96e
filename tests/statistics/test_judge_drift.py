"""Drift of a judge: published run lengths and values, false alarms by simulation, and edges."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from appliance.statistics.arrays import Array
from appliance.statistics.drift.alignment import alignment, alignment_drift, alignments
from appliance.statistics.drift.cusum import Baseline, baseline, cusum, run_length
from appliance.statistics.drift.psi import stability

NAN = float("nan")
# Montgomery (2013), table 9.1: mean 10, standard deviation 1, shifted by 1 from the 21st value on.
MONTGOMERY = [
    9.45, 7.99, 9.29, 11.66, 12.16, 10.18, 8.04, 11.46, 9.20, 10.34, 9.03, 11.47, 10.51, 9.40, 10.08, 9.37,
    10.62, 10.31, 8.52, 10.84, 10.90, 9.33, 12.29, 11.50, 10.60, 11.08, 10.38, 11.62, 11.31, 10.52,
]  # fmt: skip
KNOWN = Baseline(mean=10, sd=1, n=1000)
LABELS = [1, 2, 3, 4]


# CUSUM


def test_the_published_run_lengths() -> None:
    """Montgomery (2013), table 9.3."""
    shifts = [0, 0.25, 0.5, 0.75, 1, 1.5, 2, 2.5, 3, 4]
    published = {
        4: [168, 74.2, 26.6, 13.3, 8.38, 4.75, 3.34, 2.62, 2.19, 1.71],
        5: [465, 139, 38.0, 17.0, 10.4, 5.75, 4.01, 3.11, 2.57, 2.01],
    }
    for h, lengths in published.items():
        assert [run_length(0.5, h, shift) for shift in shifts] == pytest.approx(lengths, rel=4e-3)


def test_the_published_paths_and_alarm() -> None:
    """Montgomery (2013), table 9.2: 5.28 at the 29th value is the first above 5."""
    found = cusum(MONTGOMERY, KNOWN, self_starting=False)
    assert found.up[28:] == pytest.approx([5.28, 5.30], abs=1e-9)
    assert (found.first_alarm, found.alarms[0].side) == (28, "up")
    assert found.false_alarm_every == pytest.approx(465, rel=2e-3)
    assert found.reaction == pytest.approx(10.4, rel=3e-3)


def test_turned_values_alarm_on_the_other_side() -> None:
    for start in (False, True):
        one = cusum(MONTGOMERY, KNOWN, self_starting=start)
        other = cusum([20 - v for v in MONTGOMERY], KNOWN, self_starting=start)
        assert other.down == pytest.approx(one.up)
        assert [(a.at, a.side) for a in other.alarms] == [(a.at, "down") for a in one.alarms]


def test_a_reset_begins_anew_after_each_alarm() -> None:
    found = cusum([16.0] * 3, KNOWN, self_starting=False, reset=True)
    assert found.up == pytest.approx([5.5] * 3)
    assert [alarm.at for alarm in found.alarms] == [0, 1, 2]
    without = cusum([16.0] * 3, KNOWN, self_starting=False)
    assert [alarm.at for alarm in without.alarms] == [0]


def test_exactly_at_the_limit_is_no_alarm() -> None:
    assert cusum([15.5], KNOWN, self_starting=False).first_alarm is None


def test_unscored_runs_change_nothing() -> None:
    for start in (False, True):
        plain = cusum(MONTGOMERY, KNOWN, self_starting=start)
        holes = cusum([MONTGOMERY[0], NAN, *MONTGOMERY[1:]], KNOWN, self_starting=start)
        assert (holes.n, holes.n_unscored) == (30, 1)
        assert holes.up[0] == holes.up[1]
        assert holes.up[2:] == pytest.approx(plain.up[1:])
    assert cusum([], KNOWN).first_alarm is None


def test_self_starting_is_the_plain_one_for_a_large_baseline() -> None:
    large = Baseline(mean=10, sd=1, n=10_000_000)
    plain = cusum(MONTGOMERY, large, self_starting=False)
    assert cusum(MONTGOMERY, large).up == pytest.approx(plain.up, abs=1e-3)


def test_the_first_self_starting_score_is_the_normal_score_of_its_t() -> None:
    """Hawkins (1987): the value less the mean of those before it, over s·sqrt(1 + 1/n)."""
    before = np.array([3.0, 5.0, 4.0, 6.0])
    t = (8 - before.mean()) / (before.std(ddof=1) * (1 + 1 / 4) ** 0.5)
    found = cusum([8.0], baseline(before), k=0.0)
    assert found.up[0] == pytest.approx(stats.norm.ppf(stats.t.cdf(t, 3)))
    again = cusum([8.0, 8.0], baseline(before), k=0.0)
    alone = cusum([8.0], baseline([*before, 8.0]), k=0.0)
    assert again.up[1] - again.up[0] == pytest.approx(alone.up[0])


@pytest.mark.parametrize("runs", [5, 30])
def test_false_alarms_are_as_frequent_as_stated_whatever_the_baseline(runs: int) -> None:
    """1 - exp(-50/465) of 50 runs; binomial error of 600 repeats: 1.2 points."""
    rng = np.random.default_rng(0)
    alarmed = [
        cusum(rng.normal(3, 2, 50), baseline(rng.normal(3, 2, runs))).first_alarm is not None
        for _ in range(600)
    ]
    assert np.mean(alarmed) == pytest.approx(1 - np.exp(-50 / 465), abs=0.04)


def test_a_small_baseline_taken_for_certain_is_named() -> None:
    few = Baseline(mean=0, sd=1, n=10)
    assert "more frequent" in cusum([0.0], few, self_starting=False).note
    assert cusum([0.0], few).note == ""


@pytest.mark.parametrize("values", [[], [1.0], [2.0, 2.0, NAN]])
def test_a_baseline_needs_values_that_vary(values: list[float]) -> None:
    with pytest.raises(ValueError, match="at least two that differ"):
        baseline(values)


def test_a_shift_is_found_and_its_unit_does_not_matter() -> None:
    rng = np.random.default_rng(1)
    before, after = rng.normal(0, 1, 30), rng.normal(2, 1, 20)
    one = cusum(after, baseline(before))
    other = cusum(7 + 100 * after, baseline(7 + 100 * before))
    assert one.first_alarm is not None and one.first_alarm < 10
    assert other.up == pytest.approx(one.up)


@pytest.mark.parametrize(("k", "h"), [(-1, 5), (0.5, 0), (0.5, float("inf"))])
def test_impossible_settings_of_a_cusum_are_refused(k: float, h: float) -> None:
    with pytest.raises(ValueError, match="must"):
        cusum([1.0], KNOWN, k=k, h=h)


# PSI


def runs(e: list[int], a: list[int]) -> tuple[list[int], list[int]]:
    return np.repeat(LABELS, e).tolist(), np.repeat(LABELS, a).tolist()


def test_the_psi_of_the_reference() -> None:
    found = stability(*runs([10, 20, 30, 40], [20, 20, 30, 30]), LABELS)
    assert found.index.value == pytest.approx(0.098083, abs=1e-6)
    assert found.smoothed == ()


def test_its_chance_is_the_published_multiple_of_chi_square() -> None:
    """Yurdakul and Naranjo (2020): (1/n + 1/m) χ² of q - 1."""
    found = stability(*runs([100, 200, 300, 400], [50, 100, 150, 200]), LABELS)
    scale = 1 / 1000 + 1 / 500
    assert found.by_chance is not None
    assert found.by_chance[0] == pytest.approx(3 * scale, rel=0.05)
    assert found.by_chance[1] == pytest.approx(scale * stats.chi2.ppf(0.95, 3), rel=0.05)


def test_an_empty_label_enters_as_half_a_record_and_is_named() -> None:
    found = stability(*runs([10, 10, 0, 0], [10, 8, 2, 0]), LABELS)
    e, a = np.array([10, 10, 0.5]) / 20.5, np.array([10, 8, 2]) / 20
    assert found.index.value == pytest.approx(float(((a - e) * np.log(a / e)).sum()))
    assert found.smoothed == ("3",)


def psi_p(rng: Any, paired: bool) -> float:
    first = rng.choice(4, 80, p=[0.6, 0.25, 0.1, 0.05])
    other = rng.choice(4, 80 if paired else 50, p=[0.6, 0.25, 0.1, 0.05])
    second = np.where(rng.random(80) < 0.8, first, other) if paired else other
    p = stability(first.tolist(), second.tolist(), [0, 1, 2, 3], paired=paired, draws=199).test.p
    assert p is not None
    return p


@pytest.mark.parametrize("paired", [False, True])
def test_no_shift_is_called_one_in_five_percent(paired: bool) -> None:
    rng = np.random.default_rng(4)
    assert np.mean([psi_p(rng, paired) <= 0.05 for _ in range(400)]) == pytest.approx(0.045, abs=0.03)


def test_pairing_finds_a_shift_that_independent_runs_hide() -> None:
    first = np.repeat([1, 2, 3], [50, 30, 20])
    second = np.where(np.arange(100) % 6 == 0, np.minimum(first + 1, 3), first)
    alone, paired = (stability(first, second, [1, 2, 3], paired=p) for p in (False, True))
    assert alone.index.value == pytest.approx(paired.index.value)
    assert alone.test.p is not None and alone.test.p > 0.1
    assert paired.test.p is not None and paired.test.p < 0.05


@settings(max_examples=25, deadline=None)
@given(st.permutations(range(40)), st.permutations(range(4)))
def test_order_of_records_and_names_of_labels_do_not_matter_to_psi(
    order: list[int], names: list[int]
) -> None:
    e, a = np.repeat(range(4), [10, 10, 15, 5]), np.repeat(range(4), [15, 5, 10, 10])
    one = stability(e, a, range(4), draws=99)
    shuffled = stability(e[order], a[order], range(4), draws=99)
    renamed = stability(np.array(names)[e], np.array(names)[a], names, draws=99)
    assert shuffled == one == renamed


def test_swapping_the_runs_keeps_psi() -> None:
    e, a = runs([10, 20, 30, 40], [20, 20, 30, 30])
    one, other = stability(e, a, LABELS), stability(a, e, LABELS)
    assert other.index.value == pytest.approx(one.index.value)
    assert other.test.p == pytest.approx(one.test.p, abs=0.02)


@pytest.mark.parametrize("paired", [False, True])
def test_a_run_of_nothing_is_undefined_and_one_label_no_test(paired: bool) -> None:
    nothing = stability([None, None], [None, 1], LABELS, paired=paired)
    assert (nothing.index.value, nothing.test.p, nothing.by_chance) == (None, None, None)
    assert nothing.index.n_unscored == (2 if paired else 3)
    alike = stability([2, 2], [2, 2], LABELS, paired=paired)
    assert (alike.index.value, alike.index.low, alike.test.p) == (0.0, None, None)
    assert "only one label" in alike.test.note


def test_unscored_records_leave_a_pair_out_of_both_runs() -> None:
    found = stability([1, 2, None, 3], [1, None, 2, 3], LABELS, paired=True)
    assert (found.index.n, found.index.n_unscored, found.index.value) == (2, 2, 0.0)
    with pytest.raises(ValueError, match="one length"):
        stability([1], [1, 2], LABELS, paired=True)
    with pytest.raises(ValueError, match="not in the list"):
        stability([1], [9], LABELS)


# Alignment


def test_alignments_are_the_weights_of_kappa() -> None:
    scale = ["none", "low", "medium", "high", "severe"]
    human, judge = ["none", "low", "none", None, "high"], ["none", "medium", "severe", "low", None]
    assert alignments(human, judge, scale)[:3].tolist() == [1.0, 0.75, 0.0]  # type: ignore[arg-type]
    assert alignments(human, judge, scale, "quadratic")[1] == pytest.approx(1 - 1 / 16)  # type: ignore[arg-type]
    assert np.isnan(alignments(human, judge, scale)[3:]).all()  # type: ignore[arg-type]


def test_graded_alignment_has_the_t_interval_and_its_drop_welchs() -> None:
    rng = np.random.default_rng(0)
    first, second = rng.choice([0.25, 0.5, 0.75, 1], 60), rng.choice([0.25, 0.5, 0.75, 1], 50)
    found = alignment_drift(first, second)
    low, high = stats.t.interval(0.95, 59, first.mean(), stats.sem(first))
    assert (found.baseline.low, found.baseline.high) == pytest.approx((low, high))
    expected = stats.ttest_ind(first, second, equal_var=False)
    interval = expected.confidence_interval()
    assert (found.drop.low, found.drop.high) == pytest.approx((interval.low, interval.high))
    assert found.decision.hypothesis.test.p == pytest.approx(expected.pvalue)


def test_the_drop_of_the_same_records_is_the_paired_t() -> None:
    rng = np.random.default_rng(0)
    first = rng.choice([0.25, 0.5, 0.75, 1], 60)
    second = np.clip(first - rng.choice([-0.25, 0, 0.25, 0.25], 60), 0, 1)
    found, expected = alignment_drift(first, second, paired=True), stats.ttest_rel(first, second)
    assert found.drop.low == pytest.approx(expected.confidence_interval().low)
    assert found.decision.hypothesis.test.p == pytest.approx(expected.pvalue)


def test_plain_agreement_has_the_intervals_of_agresti_and_caffo() -> None:
    found = alignment_drift([1.0] * 45 + [0.0] * 5, [1.0] * 30 + [0.0] * 20)
    p1, p2 = 46 / 52, 31 / 52
    half = stats.norm.ppf(0.975) * (p1 * (1 - p1) / 52 + p2 * (1 - p2) / 52) ** 0.5
    assert (found.drop.low, found.drop.high) == pytest.approx((p1 - p2 - half, p1 - p2 + half))


@pytest.mark.parametrize(
    ("current", "alarm", "outcome"),
    [
        ([1.0] * 70 + [0.0] * 30, True, "flagged"),  # 95% before, 70% now
        ([1.0] * 83 + [0.0] * 17, True, "flagged"),
        ([1.0] * 95 + [0.0] * 5, False, "clear"),
        ([1.0] * 90 + [0.0] * 10, False, "inconclusive"),
        ([1.0] * 8 + [0.0] * 2, True, "insufficient data"),
    ],
)
def test_alarm_and_what_is_shown_are_two_things(current: list[float], alarm: bool, outcome: str) -> None:
    found = alignment_drift([1.0] * 95 + [0.0] * 5, current)
    assert (found.alarm, found.decision.outcome) == (alarm, outcome)


def test_exactly_ten_points_raise_no_alarm() -> None:
    assert alignment_drift([1.0] * 90 + [0.0] * 10, [1.0] * 80 + [0.0] * 20).alarm is False
    assert alignment_drift([1.0] * 90 + [0.0] * 10, [1.0] * 79 + [0.0] * 21).alarm is True


@pytest.mark.parametrize("paired", [False, True])
def test_complete_agreement_in_both_runs_is_clear_and_not_certain(paired: bool) -> None:
    found = alignment_drift([1.0] * 50, [1.0] * 50, paired=paired)
    assert (found.drop.value, found.decision.outcome) == (0.0, "clear")
    assert found.drop.low is not None and -0.08 < found.drop.low < -0.02
    assert found.baseline.low is not None and found.baseline.low < 0.95


def test_a_run_of_nothing_gives_no_alarm_and_no_number() -> None:
    found = alignment_drift([NAN, NAN], [1.0, 0.5])
    assert (found.alarm, found.drop.value, found.decision.outcome) == (None, None, "insufficient data")
    assert alignment([]).value is None
    assert found.baseline.n_unscored == 2


def drawn(rng: Any, shares: list[float], n: int) -> Array:
    return rng.choice(np.linspace(1, 0, len(shares)), n, p=shares)  # type: ignore[no-any-return]


@pytest.mark.parametrize("n", [30, 100])
@pytest.mark.parametrize(
    ("before", "after"),
    [
        ([0.6, 0.3, 0.08, 0.02], [0.6, 0.3, 0.08, 0.02]),
        ([0.95, 0.05], [0.8, 0.2]),
        ([0.98, 0.02], [0.98, 0.02]),
    ],
)
def test_the_interval_of_the_drop_holds_the_truth(n: int, before: list[float], after: list[float]) -> None:
    rng = np.random.default_rng(2)
    grid = np.linspace(1, 0, len(before))
    truth, held = float(np.dot(before, grid) - np.dot(after, grid)), []
    for _ in range(400):
        drop = alignment_drift(drawn(rng, before, n), drawn(rng, after, n)).drop
        held.append(drop.low is not None and drop.high is not None and drop.low <= truth <= drop.high)
    assert np.mean(held) >= 0.93


def test_a_drop_of_the_limit_is_cleared_in_five_percent_at_most() -> None:
    rng = np.random.default_rng(0)
    outcomes = [
        alignment_drift(drawn(rng, [0.95, 0.05], 60), drawn(rng, [0.85, 0.15], 60)).decision.outcome
        for _ in range(400)
    ]
    assert outcomes.count("clear") / 400 <= 0.075


def test_swapping_the_runs_flips_the_drop() -> None:
    first, second = [1.0, 0.5, 0.75, 1.0] * 10, [0.5, 0.5, 0.75, 0.25] * 10
    one, other = alignment_drift(first, second).drop, alignment_drift(second, first).drop
    assert (other.value, other.low) == pytest.approx((-(one.value or 0), -(one.high or 0)))


def test_alignments_outside_their_range_are_refused() -> None:
    with pytest.raises(ValueError, match="current: the alignment at position 1"):
        alignment_drift([1.0], [0.5, 1.5])
    with pytest.raises(ValueError, match="one length"):
        alignment_drift([1.0], [0.5, 0.5], paired=True)
