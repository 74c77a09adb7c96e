"""Gold-corrected rates: published values, coverage by simulation, and when they are refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.proportion import proportion_confint

from appliance.domain.estimates import Estimate
from appliance.statistics.arrays import Array
from appliance.statistics.bounded import spread
from appliance.statistics.correction.contrasts import (
    corrected_difference,
    corrected_disparity,
    corrected_ratio,
)
from appliance.statistics.correction.ppi import ppi_by_group, ppi_mean, tunings
from appliance.statistics.correction.rogan_gladen import rogan_gladen, rogan_gladen_by_group, youden
from appliance.statistics.outcome import decide

NAN = float("nan")


def holds(found: Estimate, truth: float) -> bool:
    assert found.low is not None and found.high is not None
    return found.low - 1e-12 <= truth <= found.high + 1e-12


def audited(
    rng: Any, rate: float, sensitivity: float, specificity: float, m: int, n: int
) -> tuple[Array, Array]:
    """m flags of the judge, the first n with gold."""
    true = (rng.random(m) < rate).astype(float)
    judged = np.where(true == 1, rng.random(m) < sensitivity, rng.random(m) >= specificity).astype(float)
    return judged, np.where(np.arange(m) < n, true, NAN)


# PPI


def test_without_the_judge_it_is_the_classical_mean_of_the_gold() -> None:
    rng = np.random.default_rng(0)
    gold = np.concatenate([rng.integers(1, 6, 60).astype(float), np.full(300, NAN)])
    found = ppi_mean(rng.integers(1, 6, 360), gold, scale=(1, 5), power_tuning=0.0)
    own = gold[:60]
    low, high = stats.t.interval(0.95, 59, own.mean(), stats.sem(own))
    assert found.value == pytest.approx(own.mean())
    assert (found.low, found.high, found.se) == pytest.approx((low, high, stats.sem(own)))
    assert found.n == 60


def test_without_the_judge_a_rate_has_the_agresti_coull_interval() -> None:
    """Plus four: z² of statsmodels' interval rounded to 4."""
    judged, gold = audited(np.random.default_rng(0), 0.2, 0.9, 0.9, 500, 80)
    found = ppi_mean(judged, gold, power_tuning=0.0)
    flagged = int(np.nansum(gold))
    low, high = proportion_confint(flagged, 80, method="agresti_coull")
    assert found.value == flagged / 80
    assert (found.low, found.high) == pytest.approx((low, high), abs=2e-3)


def test_the_value_is_the_formula_of_the_paper_for_a_given_lambda() -> None:
    judged, gold = audited(np.random.default_rng(1), 0.3, 0.8, 0.9, 400, 50)
    f, y, rest = judged[:50], gold[:50], judged[50:]
    found = ppi_mean(judged, gold, power_tuning=0.7)
    assert found.value == pytest.approx(0.7 * rest.mean() + (y - 0.7 * f).mean())
    variance = 0.7**2 * judged.var() / 350 + np.var(y - 0.7 * f, ddof=1) / 50
    assert found.se == pytest.approx(variance**0.5, rel=0.05)


def test_lambda_is_the_papers_from_the_other_gold_records() -> None:
    judged, gold = audited(np.random.default_rng(2), 0.3, 0.8, 0.9, 400, 50)
    f, y, rest = judged[:50], gold[:50], judged[50:]
    found = tunings(f, y, rest)
    others = np.arange(50) != 7
    expected = np.cov(y[others], f[others])[0, 1] / ((1 + 50 / 350) * judged.var())
    assert found[7] == pytest.approx(expected)
    everything = np.cov(y, f)[0, 1] / ((1 + 50 / 350) * judged.var())
    assert found.mean() == pytest.approx(everything, rel=0.01)


def test_lambda_stays_between_0_and_1() -> None:
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 40).astype(float)
    assert (tunings(1 - y, y, rng.integers(0, 2, 200).astype(float)) == 0).all()
    assert (tunings(y / 10, y, rng.integers(0, 2, 200) / 10) == 1).all()


def test_a_perfect_judge_narrows_and_a_useless_one_does_no_harm() -> None:
    rng = np.random.default_rng(0)
    width = {}
    for name, (se, sp) in {"perfect": (1.0, 1.0), "useless": (0.5, 0.5)}.items():
        judged, gold = audited(rng, 0.4, se, sp, 2200, 200)
        found, alone = ppi_mean(judged, gold), ppi_mean(judged, gold, power_tuning=0.0)
        width[name] = (found.high - found.low) / (alone.high - alone.low)  # type: ignore[operator]
    assert width["perfect"] < 0.5
    assert 0.97 < width["useless"] < 1.05


def coverage(draw: Any, truth: float, scale: tuple[float, float] = (0.0, 1.0), repeats: int = 600) -> float:
    rng = np.random.default_rng(11)
    return float(np.mean([holds(ppi_mean(*draw(rng), scale=scale), truth) for _ in range(repeats)]))


@pytest.mark.parametrize("n", [50, 100, 200])
@pytest.mark.parametrize(
    ("rate", "se", "sp"), [(0.02, 0.9, 0.95), (0.1, 0.6, 0.6), (0.1, 0.9, 0.95), (0.4, 0.8, 0.9)]
)
def test_the_interval_of_a_rate_holds_the_truth_rare_flags_included(
    n: int, rate: float, se: float, sp: float
) -> None:
    """Binomial error of 600 repeats: 0.9 points. The plain interval held a rate of 2% in 61% at n = 50."""
    assert coverage(lambda rng: audited(rng, rate, se, sp, 2000 + n, n), rate) >= 0.93


@pytest.mark.parametrize("n", [50, 200])
@pytest.mark.parametrize(
    "shares", [[0.1, 0.2, 0.4, 0.2, 0.1], [0.8, 0.1, 0.05, 0.03, 0.02], [0.95, 0.02, 0.01, 0.01, 0.01]]
)
def test_the_interval_of_a_mean_score_holds_the_truth(n: int, shares: list[float]) -> None:
    def draw(rng: Any) -> tuple[Array, Array]:
        y = rng.choice(5, 1000 + n, p=shares) + 1.0
        noisy = np.clip(np.round(y + 0.5 + 0.7 * rng.standard_normal(len(y))), 1, 5)
        return np.where(rng.random(len(y)) < 0.4, y, noisy), np.where(np.arange(len(y)) < n, y, NAN)

    assert coverage(draw, float(np.dot(shares, range(1, 6))), (1, 5)) >= 0.925


def test_ordinary_settings_are_not_wider_than_need_be() -> None:
    assert coverage(lambda rng: audited(rng, 0.4, 0.8, 0.9, 2100, 100), 0.4) <= 0.975


def test_it_is_unbiased_where_one_lambda_for_all_is_not() -> None:
    """Skewed scores, n = 50: a third of a standard error, as published."""
    rng = np.random.default_rng(5)
    shares = np.array([0.8, 0.1, 0.05, 0.03, 0.02])
    values, single = [], []
    for _ in range(1500):
        y = rng.choice(5, 1050, p=shares) + 1.0
        f = np.where(rng.random(1050) < 0.5, y, np.clip(np.round(y + 0.7 * rng.standard_normal(1050)), 1, 5))
        values.append(ppi_mean(f, np.where(np.arange(1050) < 50, y, NAN), scale=(1, 5)).value)
        one = np.clip(np.cov(y[:50], f[:50])[0, 1] / ((1 + 50 / 1000) * f.var()), 0, 1)
        single.append(one * f[50:].mean() + (y[:50] - one * f[:50]).mean())
    truth, spread_of = float(shares @ np.arange(1, 6)), float(np.std(values))
    assert abs(np.mean(values) - truth) < 0.1 * spread_of  # error of the mean: 0.026
    assert np.mean(single) - truth < -0.25 * spread_of


@pytest.mark.parametrize(("n", "refused"), [(19, True), (20, False), (0, True)])
def test_thin_gold_is_refused_with_a_reason(n: int, refused: bool) -> None:
    judged, gold = audited(np.random.default_rng(0), 0.3, 0.9, 0.9, 400, n)
    found = ppi_mean(judged, gold)
    assert (found.value is None) == refused
    assert found.note == (f"refused: {n} gold records, 20 are needed" if refused else "")


def test_gold_of_one_kind_only_claims_no_certainty() -> None:
    found = ppi_mean([0.0] * 500, [0.0] * 50 + [NAN] * 450)
    assert (found.value, found.low) == (0.0, 0.0)
    assert found.high is not None and 0.05 < found.high < 0.12


def test_nothing_scored_is_undefined() -> None:
    for judged in ([], [NAN, NAN]):
        found = ppi_mean(judged, judged)
        assert (found.value, found.n_unscored) == (None, len(judged))
        assert "nothing was scored" in found.note


def test_records_that_the_judge_left_unscored_are_counted_and_left_out() -> None:
    judged, gold = audited(np.random.default_rng(0), 0.3, 0.9, 0.9, 400, 60)
    holes = judged.copy()
    holes[[0, 100, 200]] = NAN
    found, expected = (
        ppi_mean(holes, gold),
        ppi_mean(np.delete(judged, [0, 100, 200]), np.delete(gold, [0, 100, 200])),
    )
    assert found.value == pytest.approx(expected.value)
    assert (found.n, found.n_unscored) == (59, 3)


def test_all_labelled_is_the_plain_mean() -> None:
    judged, gold = audited(np.random.default_rng(0), 0.3, 0.9, 0.9, 60, 60)
    assert ppi_mean(judged, gold).value == pytest.approx(gold.mean())


def test_gold_sampled_by_strata_is_weighted_back() -> None:
    """Flagged records were labelled eight times as often; without strata their rate passes for all."""
    rng = np.random.default_rng(0)
    plain, stratified = [], []
    for _ in range(150):
        judged, true = audited(rng, 0.1, 0.7, 0.9, 3000, 3000)
        picked = rng.random(3000) < np.where(judged == 1, 0.4, 0.05)
        gold = np.where(picked, true, NAN)
        plain.append(holds(ppi_mean(judged, gold, power_tuning=0.0), 0.1))
        stratified.append(holds(ppi_mean(judged, gold, strata=judged), 0.1))
    assert np.mean(plain) < 0.1
    assert np.mean(stratified) >= 0.9


def test_strata_have_the_textbook_standard_error() -> None:
    rng = np.random.default_rng(0)
    strata = np.repeat(["small", "large"], [100, 300])
    gold = np.where(np.arange(400) % 4 == 0, rng.integers(1, 6, 400), np.nan)
    found = ppi_mean(np.ones(400), gold, scale=(1, 5), strata=strata, power_tuning=0.0)
    parts = [gold[(strata == name) & ~np.isnan(gold)] for name in ("small", "large")]
    assert found.value == pytest.approx(0.25 * parts[0].mean() + 0.75 * parts[1].mean())
    assert found.se == pytest.approx(np.hypot(0.25 * stats.sem(parts[0]), 0.75 * stats.sem(parts[1])))


def test_each_group_is_corrected_by_its_own_gold_or_not_at_all() -> None:
    rng = np.random.default_rng(0)
    parts = [
        audited(rng, 0.2, 0.95, 0.95, 1500, 100),
        audited(rng, 0.2, 0.95, 0.7, 1500, 100),
        audited(rng, 0.2, 0.9, 0.9, 50, 5),
    ]
    judged, gold = (np.concatenate(columns) for columns in zip(*parts, strict=True))
    groups = ["a"] * 1500 + ["b"] * 1500 + ["c"] * 50
    a, b, c, d = ppi_by_group(judged, gold, groups, ["a", "b", "c", "d"])
    assert b.judged.value is not None and b.judged.value > 0.38
    assert holds(a.corrected, 0.2) and holds(b.corrected, 0.2)
    assert c.corrected.value is None and "5 gold records" in c.corrected.note
    assert d.corrected.value is None and d.judged.value is None
    assert corrected_difference(a.corrected, c.corrected).value is None


@settings(max_examples=30, deadline=None)
@given(st.permutations(range(80)))
def test_the_order_of_records_does_not_matter_to_ppi(order: list[int]) -> None:
    judged, gold = audited(np.random.default_rng(3), 0.3, 0.8, 0.8, 80, 30)
    one, other = ppi_mean(judged, gold), ppi_mean(judged[order], gold[order])
    assert (other.value, other.low, other.high) == pytest.approx((one.value, one.low, one.high))


def test_the_scale_may_be_any_and_can_be_turned_round() -> None:
    judged, gold = audited(np.random.default_rng(3), 0.3, 0.8, 0.8, 400, 60)
    one = ppi_mean(judged, gold)
    wide, turned = ppi_mean(1 + 4 * judged, 1 + 4 * gold, scale=(1, 5)), ppi_mean(1 - judged, 1 - gold)
    assert wide.low == pytest.approx(1 + 4 * one.low)  # type: ignore[operator]
    assert turned.low == pytest.approx(1 - one.high)  # type: ignore[operator]


@pytest.mark.parametrize(
    ("judged", "gold", "match"),
    [
        ([2.0], [1.0], "judged: the value at position 0"),
        ([1.0], [-1.0], "gold"),
        ([1.0], [1.0, 0.0], "one length"),
    ],
)
def test_values_outside_the_scale_and_odd_lengths_are_refused(judged: Any, gold: Any, match: str) -> None:
    with pytest.raises(ValueError, match=match):
        ppi_mean(judged, gold)


def test_other_nonsense_is_refused() -> None:
    with pytest.raises(ValueError, match="power_tuning"):
        ppi_mean([1.0], [1.0], power_tuning=2)
    with pytest.raises(ValueError, match="scale"):
        ppi_mean([1.0], [1.0], scale=(1, 1))


def test_padding_gives_way_to_t_where_values_are_graded_and_even() -> None:
    ends = np.array([0.0, 0.0, 1.0, 1.0])
    even = np.tile([0.25, 0.5, 0.75], 10)
    assert spread(even, ends, two_valued=False).df == 29
    assert spread(np.array([0.0] * 29 + [1.0]), ends, two_valued=False).padded
    assert spread(np.zeros(30), ends, two_valued=False).se > 0


# Rogan–Gladen


def test_the_published_example_of_lee() -> None:
    found = rogan_gladen(400, 1000, 140, 200, 180, 200)
    assert found.value == pytest.approx(0.166667, abs=1e-6)
    assert found.low == pytest.approx(0.05635, abs=1e-5)
    assert found.high == pytest.approx(0.26273, abs=1e-5)


def test_youdens_interval_is_newcombes() -> None:
    """Newcombe (1998), table II, method 10: 56/70 - 48/80 is .0524 to .3339."""
    found = youden(32, 80, 56, 70)
    assert found.value == pytest.approx(0.2)
    assert (found.low, found.high) == pytest.approx((0.0524, 0.3339), abs=5e-5)


def test_a_perfect_judge_is_not_corrected() -> None:
    found = rogan_gladen(300, 1000, 500, 500, 500, 500)
    assert found.value == pytest.approx(0.3)


@pytest.mark.parametrize(("flagged", "end"), [(50, 0.0), (950, 1.0)])
def test_a_value_outside_is_moved_to_the_end_and_named(flagged: int, end: float) -> None:
    found = rogan_gladen(flagged, 1000, 160, 200, 160, 200)
    assert found.value == end
    assert "outside 0..1" in found.note
    assert holds(found, end)


@pytest.mark.parametrize(
    ("gold", "why"),
    [
        ((50, 100, 50, 100), "tell its flags from chance"),  # J = 0
        ((20, 100, 30, 100), "tell its flags from chance"),  # worse than chance
        ((62, 100, 55, 100), "tell its flags from chance"),  # J = .17, its interval to .03
        ((19, 19, 90, 100), "19 gold records are negative"),
        ((90, 100, 0, 0), "0 gold records are positive"),
    ],
)
def test_it_is_refused_where_the_gold_cannot_carry_it(gold: tuple[int, int, int, int], why: str) -> None:
    found = rogan_gladen(400, 1000, *gold)
    assert found.value is None and why in found.note


def test_no_audited_record_is_undefined() -> None:
    assert "nothing was scored" in rogan_gladen(0, 0, 90, 100, 90, 100, n_unscored=3).note


@pytest.mark.parametrize("counts", [(5, 4, 9, 10, 9, 10), (1, 4, 11, 10, 9, 10), (-1, 4, 9, 10, 9, 10)])
def test_impossible_counts_of_flags_are_refused(counts: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match="of"):
        rogan_gladen(*counts)


def corrected(rng: Any, rate: float, se: float, sp: float, m: int, n: int = 1000) -> Estimate:
    flagged = int(rng.binomial(n, rate * se + (1 - rate) * (1 - sp)))
    return rogan_gladen(flagged, n, int(rng.binomial(m, sp)), m, int(rng.binomial(m, se)), m)


@pytest.mark.parametrize("m", [20, 50, 200])
@pytest.mark.parametrize(
    ("rate", "se", "sp"), [(0.02, 0.9, 0.95), (0.3, 0.8, 0.8), (0.1, 0.9, 0.7), (0.6, 0.7, 0.9)]
)
def test_the_interval_of_a_corrected_rate_holds_the_truth(m: int, rate: float, se: float, sp: float) -> None:
    """Binomial error of 800 repeats: 0.8 points."""
    rng = np.random.default_rng(7)
    found = [corrected(rng, rate, se, sp, m) for _ in range(800)]
    reported = [one for one in found if one.value is not None]
    assert len(reported) > 600
    assert np.mean([holds(one, rate) for one in reported]) >= 0.93


def test_a_judge_near_chance_is_refused_and_hardly_ever_reported_wrong() -> None:
    rng = np.random.default_rng(7)
    found = [corrected(rng, 0.2, 0.55, 0.55, 100) for _ in range(800)]
    reported = [one for one in found if one.value is not None]
    assert len(reported) / 800 < 0.08
    assert sum(not holds(one, 0.2) for one in reported) / 800 < 0.05


def test_a_judge_that_errs_more_on_one_group_is_corrected_by_group() -> None:
    """The true rates are equal; the judge's differ by 20 points."""
    rng = np.random.default_rng(0)
    data = {g: audited(rng, 0.3, 0.9, sp, 4400, 400) for g, sp in (("a", 0.95), ("b", 0.65))}
    flags = np.concatenate([judged[400:] for judged, _ in data.values()])
    gold_flags = np.concatenate([judged[:400] for judged, _ in data.values()])
    truth = np.concatenate([gold[:400] for _, gold in data.values()])
    a, b = rogan_gladen_by_group(
        flags, np.repeat(["a", "b"], 4000), gold_flags, truth, np.repeat(["a", "b"], 400), ["a", "b"]
    )
    assert b.judged.value - a.judged.value > 0.15  # type: ignore[operator]
    assert holds(a.corrected, 0.3) and holds(b.corrected, 0.3)
    assert holds(corrected_difference(a.corrected, b.corrected), 0)
    assert holds(corrected_ratio(a.corrected, b.corrected), 1)


def test_unscored_flags_are_counted_and_a_group_without_records_is_undefined() -> None:
    gold_flags, truth = [1.0] * 30 + [0.0] * 30 + [NAN], [1.0] * 30 + [0.0] * 30 + [1.0]
    a, b = rogan_gladen_by_group([1, 0, NAN], ["a"] * 3, gold_flags, truth, ["a"] * 61, ["a", "b"])
    assert (a.corrected.n, a.corrected.n_unscored, a.corrected.value) == (2, 1, pytest.approx(0.5))
    assert b.corrected.value is None and b.judged.value is None
    with pytest.raises(ValueError, match="flags: 2 at position 0"):
        rogan_gladen_by_group([2], ["a"], [1], [1], ["a"], ["a"])


# Contrasts


def estimate(value: float, low: float, high: float, **more: Any) -> Estimate:
    return Estimate(value=value, low=low, high=high, n=100, method="given", **more)


def test_the_difference_of_two_wilson_intervals_is_newcombes() -> None:
    """Newcombe (1998): 56/70 - 48/80, hybrid score .0524 to .3339."""
    bounds = [proportion_confint(k, n, method="wilson") for k, n in ((56, 70), (48, 80))]
    first, second = (estimate(k / n, *b) for (k, n), b in zip(((56, 70), (48, 80)), bounds, strict=True))
    found = corrected_difference(first, second)
    assert (found.low, found.high) == pytest.approx((0.0524, 0.3339), abs=5e-5)


def test_the_ratio_turns_round_with_its_rates() -> None:
    first, second = estimate(0.2, 0.15, 0.27), estimate(0.3, 0.22, 0.4)
    one, other = corrected_ratio(first, second), corrected_ratio(second, first)
    assert (other.value, other.low, other.high) == pytest.approx((1 / one.value, 1 / one.high, 1 / one.low))  # type: ignore[operator]


def test_swapping_the_groups_flips_the_difference() -> None:
    first, second = estimate(0.2, 0.15, 0.27), estimate(0.3, 0.22, 0.4)
    one, other = corrected_difference(first, second), corrected_difference(second, first)
    assert (other.value, other.low, other.high) == pytest.approx((-one.value, -one.high, -one.low))  # type: ignore[operator]


def test_a_ratio_has_no_upper_bound_where_the_second_rate_may_be_0() -> None:
    found = corrected_ratio(estimate(0.2, 0.15, 0.27), estimate(0.05, 0.0, 0.1))
    assert (found.value, found.high) == (pytest.approx(4), None)
    assert "no upper bound" in found.note and found.low is not None and found.low > 1
    nothing = corrected_ratio(estimate(0.2, 0.15, 0.27), estimate(0.0, 0.0, 0.1))
    assert nothing.value is None and "second rate is 0" in nothing.note
    zero = corrected_ratio(estimate(0.0, 0.0, 0.1), estimate(0.2, 0.1, 0.3))
    assert (zero.value, zero.low, zero.high) == (0.0, 0.0, pytest.approx(1.0))


def test_rates_of_two_levels_are_not_compared() -> None:
    with pytest.raises(ValueError, match="one level"):
        corrected_difference(estimate(0.2, 0.1, 0.3), estimate(0.2, 0.1, 0.3, level=0.9))


def test_intervals_of_differences_and_ratios_hold_the_truth() -> None:
    rng = np.random.default_rng(3)
    difference, ratio = [], []
    for _ in range(600):
        first, second = corrected(rng, 0.3, 0.9, 0.9, 50), corrected(rng, 0.2, 0.8, 0.9, 50)
        difference.append(holds(corrected_difference(first, second), 0.1))
        found = corrected_ratio(first, second)
        if found.low is not None:  # undefined where the second rate came out as 0
            ratio.append(found.low <= 1.5 and (found.high is None or found.high >= 1.5))  # type: ignore[operator]
    assert np.mean(difference) >= 0.93
    assert np.mean(ratio) >= 0.93


def test_a_corrected_disparity_can_be_decided() -> None:
    """p < 0.05 exactly where the interval excludes 0."""
    first, second = estimate(0.30, 0.26, 0.35), estimate(0.2, 0.16, 0.25)
    hypotheses = [
        corrected_disparity("apart", first, second, margin=0.05, min_n=50),
        corrected_disparity("equal", first, first, margin=0.2, min_n=50),
        corrected_disparity("refused", first, rogan_gladen(1, 9, 0, 0, 0, 0), margin=0.1, min_n=5),
    ]
    assert [one.outcome for one in decide("rates", hypotheses).decisions] == [
        "flagged",
        "clear",
        "inconclusive",
    ]
    touching = corrected_disparity(
        "t", estimate(0.1, 0.1 - 0.06, 0.2), estimate(0.02, 0.0, 0.1), margin=0.05, min_n=5
    )
    assert touching.effect.low is not None and touching.test.p is not None
    assert (touching.effect.low > 0) == (touching.test.p < 0.05)
    skewed = corrected_disparity(
        "s", estimate(0.1, 0.08, 0.4), estimate(0.02, 0.0, 0.03), margin=0.05, min_n=5
    )
    assert skewed.effect.low is not None and skewed.effect.low > 0
    assert skewed.test.p is not None and skewed.test.p < 0.05
    assert skewed.equivalence is not None and skewed.equivalence.p is not None
    assert skewed.equivalence.p > 0.5
