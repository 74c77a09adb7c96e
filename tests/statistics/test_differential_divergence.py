"""Divergence by group: agreement with textbook tests, error rates, and what would confound it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from appliance.statistics.arrays import Array
from appliance.statistics.divergence.differential import Differential, differential, hypotheses
from appliance.statistics.divergence.missing import missingness
from appliance.statistics.divergence.systematic import systematic
from appliance.statistics.outcome import decide

NAN = float("nan")
LABELS = ["a", "b", "c", "d"]


def factorial(templates: int, groups: int) -> tuple[list[int], list[str]]:
    """Every group once in every template."""
    return [t for t in range(templates) for _ in range(groups)], LABELS[:groups] * templates


def measured(seed: int = 0, templates: int = 12) -> tuple[Array, list[int], list[str]]:
    t, g = factorial(templates, 4)
    rng = np.random.default_rng(seed)
    return rng.integers(-2, 3, len(t)) + rng.normal(0, 3, templates).round()[t], t, g


def group(found: Differential, name: str) -> Any:
    return next(one for one in found.groups if one.group == name)


def test_in_a_full_factorial_the_contrast_is_the_difference_of_means_of_the_reference() -> None:
    d, t, g = measured()
    found = differential(d, g, LABELS, templates=t, draws=99)
    for one in found.groups:
        own = np.array(g) == one.group
        assert one.effect.value == pytest.approx(d[own].mean() - d[~own].mean())
        assert one.marginal == pytest.approx(one.effect.value)


def test_over_templates_it_is_the_one_sample_t_of_the_contrast_of_each_template() -> None:
    d, t, g = measured()
    table = d.reshape(-1, 4)
    each = table[:, 1] - table[:, [0, 2, 3]].mean(axis=1)
    expected = stats.ttest_1samp(each, 0)
    one = group(differential(d, g, LABELS, templates=t, draws=99), "b")
    assert one.effect.se == pytest.approx(stats.sem(each))
    assert one.test.statistic == pytest.approx(expected.statistic)
    assert one.test.df == 11
    low, high = expected.confidence_interval()
    assert one.effect.low <= low + 1e-9 and high - 1e-9 <= one.effect.high


def test_of_independent_records_it_is_welchs_t() -> None:
    rng = np.random.default_rng(2)
    d, g = rng.normal(0, np.repeat([1, 3], [15, 40])), ["a"] * 15 + ["b"] * 40
    expected = stats.ttest_ind(d[:15], d[15:], equal_var=False)
    one = group(differential(d, g, ["a", "b"], draws=999), "a")
    assert one.test.statistic == pytest.approx(expected.statistic)
    assert one.test.df == pytest.approx(expected.df)
    assert one.test.p == pytest.approx(expected.pvalue, abs=0.05)


def test_within_strata_it_is_the_coefficient_of_a_regression_with_one_intercept_a_stratum() -> None:
    import statsmodels.api as sm

    rng = np.random.default_rng(4)
    strata = rng.integers(0, 3, 120)
    member = rng.random(120) < np.array([0.2, 0.5, 0.7])[strata]
    d = rng.normal(0, 1, 120) + 2 * strata + 0.4 * member
    expected = sm.OLS(d, np.column_stack([member, np.eye(3)[strata]])).fit().params[0]
    one = group(differential(d, np.where(member, "a", "b"), ["a", "b"], strata=strata, draws=99), "a")
    assert one.effect.value == pytest.approx(expected)


def test_templates_that_the_judges_differ_on_do_not_pass_for_an_effect_of_a_group() -> None:
    """Group a is asked about mostly where the judges differ by 3 anyway."""
    t = np.repeat(np.arange(30), 4)
    g = np.where(np.arange(120) % 4 < np.where(t < 15, 3, 1), "a", "b")
    d = np.where(t < 15, 3.0, 0.0) + np.random.default_rng(0).choice([-0.5, 0.5], 120)
    one = group(differential(d, g, ["a", "b"], templates=t, draws=999), "a")
    assert one.marginal > 1
    assert abs(one.effect.value) < 0.35
    assert one.test.p > 0.05


def test_a_template_with_one_group_only_contributes_nothing_and_is_counted() -> None:
    d, t, g = measured()
    found = differential([*d, 50.0, 60.0], [*g, "a", "a"], LABELS, templates=[*t, 99, 99], draws=99)
    plain = differential(d, g, LABELS, templates=t, draws=99)
    assert (found.blocks, found.blocks_alone) == (13, 1)
    assert group(found, "a").blocks_alone == 1
    assert group(found, "a").effect.value == pytest.approx(group(plain, "a").effect.value)
    assert group(found, "a").effect.n == 12


def test_few_arrangements_are_all_listed() -> None:
    """Four templates of two: 16 arrangements, and the observed one is the most extreme on its side."""
    found = differential(
        [3, 0, 2, 0, 4, 0, 1, 0], ["a", "b"] * 4, ["a", "b"], templates=[1, 1, 2, 2, 3, 3, 4, 4]
    )
    one = group(found, "a")
    assert one.test.p == pytest.approx(2 / 16)
    assert "exact" in one.test.method
    assert (one.effect.low, one.effect.high) == (None, None)
    assert "too few arrangements" in one.effect.note


def test_exact_and_drawn_agree() -> None:
    d, t, g = measured(seed=5, templates=4)
    exact = group(differential(d, g, LABELS, templates=t), "a")
    assert "exact" in exact.test.method
    table = d.reshape(-1, 4)
    rng = np.random.default_rng(1)
    picks = rng.integers(0, 4, (40_000, 4))
    own = table[np.arange(4), picks]
    each = own - (table.sum(axis=1) - own) / 3
    with np.errstate(divide="ignore", invalid="ignore"):
        drawn = each.mean(axis=1) / (each.std(axis=1, ddof=1) / 2)
    seen = exact.test.statistic
    by_chance = 2 * min(np.mean(drawn >= seen - 1e-9), np.mean(drawn <= seen + 1e-9))
    by_t = 2 * stats.t.sf(abs(seen), 3)
    assert exact.test.p == pytest.approx(max(min(1, by_chance), by_t), abs=0.015)


def test_absolute_finds_that_judges_disagree_more_where_signed_sees_no_direction() -> None:
    t, g = factorial(40, 2)
    rng = np.random.default_rng(0)
    d = np.where(np.array(g) == "a", 2, 0) * rng.choice([-1.0, 1.0], 80)
    assert group(differential(d, g, LABELS[:2], templates=t, draws=999), "a").test.p > 0.05
    absolute = differential(d, g, LABELS[:2], templates=t, draws=999, measure="absolute")
    assert group(absolute, "a").test.p <= 0.002
    assert group(absolute, "a").effect.value == pytest.approx(2)


def rejections(draw: Any, templates: int, repeats: int = 400, measure: Any = "signed") -> tuple[float, float]:
    """Share of p <= 0.05 for group a, and of intervals that hold 0."""
    t, g = factorial(templates, 4)
    rng = np.random.default_rng(7)
    low = held = 0
    for seed in range(repeats):
        one = group(
            differential(
                draw(rng, np.array(g)), g, LABELS, templates=t, draws=199, seed=seed, measure=measure
            ),
            "a",
        )
        low += one.test.p is not None and one.test.p <= 0.05
        held += one.effect.low is None or one.effect.low <= 0 <= one.effect.high
    return low / repeats, held / repeats


@pytest.mark.parametrize("templates", [8, 20])
def test_chance_is_called_a_difference_in_five_percent_even_if_one_group_varies_more(templates: int) -> None:
    """Binomial error of 400 repeats: 1.1 points. Exchange of means alone calls 12–25%."""
    rate, held = rejections(lambda rng, g: rng.normal(0, np.where(g == "a", 3, 1)), templates)
    assert 0.02 <= rate <= 0.085
    assert held >= 0.92


def test_few_records_that_differ_at_all_are_no_finding() -> None:
    """5% of the records differ. The t interval alone held 0 in only 90% of such runs (70% of 8 groups)."""
    rate, held = rejections(lambda rng, g: (rng.random(len(g)) < 0.05).astype(float), 20)
    assert rate <= 0.06
    assert held >= 0.94


def test_a_real_difference_is_found() -> None:
    rate, _ = rejections(lambda rng, g: rng.normal(np.where(g == "a", 1.0, 0), 1), 20, repeats=100)
    assert rate >= 0.9


def test_a_difference_of_the_margin_is_cleared_in_five_percent_at_most() -> None:
    """12% of the group's records differ and 2% of the rest; the margin is that difference. With the plain
    standard error 11% of such runs would be cleared."""
    t, g = [t for t in range(50) for _ in range(8)], [*range(8)] * 50
    rng, own = np.random.default_rng(0), np.array(g) == 0
    cleared = 0
    for seed in range(250):
        d = (rng.random(400) < np.where(own, 0.12, 0.02)).astype(float)
        found = hypotheses(differential(d, g, range(8), templates=t, draws=199, seed=seed), 0.1, 20)
        equivalence = found[0].equivalence
        cleared += equivalence is not None and equivalence.p is not None and equivalence.p < 0.05
    assert cleared / 250 <= 0.075


def test_hypotheses_go_through_decide() -> None:
    t, g = factorial(60, 4)
    d = np.random.default_rng(0).normal(np.where(np.array(g) == "a", 1.0, 0), 0.3)
    family = decide(
        "signed divergence", hypotheses(differential(d, g, LABELS, templates=t, draws=999), 0.5, 50)
    )
    assert [one.outcome for one in family.decisions] == ["flagged", "clear", "clear", "clear"]
    short = hypotheses(differential(d[:80], g[:80], LABELS, templates=t[:80], draws=99), 0.5, 50)
    assert {one.outcome for one in decide("few", short).decisions} == {"insufficient data"}


@pytest.mark.parametrize("d", [[], [NAN, NAN], [1.0, 1.0], [1.0, NAN]])
def test_where_nothing_can_be_compared_there_is_a_reason_and_no_number(d: list[float]) -> None:
    found = differential(d, ["a", "b"][: len(d)], ["a", "b", "c"], draws=99)
    for one in found.groups:
        assert (one.effect.value, one.test.p, one.p_adjusted) == (None, None, None)
        assert one.effect.note and one.test.note
    assert found.n_unscored == int(np.isnan(d).sum())


def test_no_variation_is_no_test() -> None:
    t, g = factorial(10, 2)
    one = group(differential([2.0] * 20, g, LABELS[:2], templates=t), "a")
    assert (one.effect.value, one.effect.low, one.test.p) == (0.0, None, None)
    assert "nothing varies" in one.test.note
    assert (
        decide("none", hypotheses(differential([2.0] * 20, g, LABELS[:2], templates=t), 1, 5))
        .decisions[0]
        .outcome
        == "inconclusive"
    )


def test_one_template_has_a_value_and_no_interval() -> None:
    one = group(differential([1, 2, 4, 6, 3, 3], list("aabbbb"), ["a", "b"], templates=[1] * 6), "a")
    assert one.effect.value == pytest.approx(-2.5)
    assert (one.effect.low, one.effect.se) == (None, None)
    assert one.test.p == pytest.approx(2 * 1 / 15)


def test_unscored_records_are_counted_with_their_group() -> None:
    d, t, g = measured()
    d[[0, 4, 1]] = NAN
    found = differential(d, g, LABELS, templates=t, draws=99)
    assert found.n_unscored == 3
    assert (group(found, "a").effect.n, group(found, "a").effect.n_unscored) == (10, 2)


def test_templates_together_with_strata_are_refused() -> None:
    with pytest.raises(ValueError, match="only one"):
        differential([1.0], ["a"], ["a"], templates=[1], strata=[1])
    with pytest.raises(ValueError, match="groups: 'z'"):
        differential([1.0], ["z"], ["a"])


@settings(max_examples=25, deadline=None)
@given(st.permutations(range(48)), st.permutations(LABELS), st.sampled_from([0.5, 4.0]))
def test_order_of_records_and_groups_names_of_templates_and_unit_change_nothing(
    order: list[int], labels: list[str], unit: float
) -> None:
    d, t, g = measured(seed=3)
    plain = differential(d, g, LABELS, templates=t, draws=199)
    turned = differential(
        unit * d[order], [g[i] for i in order], labels, templates=[t[i] for i in order], draws=199
    )
    for name in LABELS:
        one, other = group(plain, name), group(turned, name)
        assert other.effect.value == pytest.approx(unit * one.effect.value)
        assert other.effect.low == pytest.approx(unit * one.effect.low)
        assert other.test.p == one.test.p


def test_swapping_the_judges_flips_the_sign() -> None:
    d, t, g = measured(seed=3)
    one = group(differential(d, g, LABELS, templates=t, draws=1999), "b")
    other = group(differential(-d, g, LABELS, templates=t, draws=1999), "b")
    assert other.effect.value == pytest.approx(-one.effect.value)
    assert other.test.p == pytest.approx(one.test.p, abs=0.03)


# Missingness


def test_missingness_of_one_block_is_the_chi_square_of_its_table() -> None:
    """Mantel–Haenszel's form is Pearson's times (n - 1)/n."""
    counts = {"a": (6, 44), "b": (15, 35), "c": (4, 46)}
    missing = np.concatenate([np.repeat([True, False], pair) for pair in counts.values()])
    g = np.repeat(list(counts), 50)
    found = missingness(missing, g, ["a", "b", "c"])
    expected = stats.chi2_contingency(np.array(list(counts.values())), correction=False)
    assert found.overall.statistic == pytest.approx(expected.statistic * 149 / 150)
    assert found.overall.p == pytest.approx(expected.pvalue, abs=0.004)
    assert found.overall.df == 2
    assert [gap.rate.value for gap in found.gaps] == pytest.approx([0.12, 0.3, 0.08])


def test_missingness_over_strata_is_statsmodels_mantel_haenszel() -> None:
    from statsmodels.stats.contingency_tables import StratifiedTable

    rng = np.random.default_rng(0)
    strata = rng.integers(0, 3, 3000)
    g = np.where(rng.random(3000) < 0.4, "a", "b")
    missing = rng.random(3000) < 0.1 + 0.1 * strata + 0.02 * (g == "a")
    tables = [
        [[int((missing[s] & (g[s] == x)).sum()), int((~missing[s] & (g[s] == x)).sum())] for x in "ab"]
        for s in (strata == i for i in range(3))
    ]
    expected = StratifiedTable([np.array(table) for table in tables]).test_null_odds()
    found = missingness(missing, g, ["a", "b"], strata=strata)
    assert found.overall.statistic == pytest.approx(expected.statistic)
    assert found.overall.p == pytest.approx(expected.pvalue, abs=0.02)


def test_missingness_that_does_not_depend_on_identity_is_found_in_five_percent() -> None:
    t, g = factorial(30, 4)
    rng = np.random.default_rng(0)
    low = [
        missingness(rng.random(120) < 0.1, g, LABELS, templates=t, draws=199, seed=i).overall.p
        for i in range(300)
    ]
    assert np.mean([p is not None and p <= 0.05 for p in low]) <= 0.085


def test_missingness_that_does_is_found_and_the_group_named() -> None:
    t, g = factorial(40, 4)
    missing = np.random.default_rng(0).random(160) < np.where(np.array(g) == "c", 0.4, 0.05)
    found = missingness(missing, g, LABELS, templates=t, draws=1999)
    assert found.overall.p is not None and found.overall.p < 0.01
    adjusted = {one.group: one.p_adjusted for one in found.contrasts.groups}
    assert adjusted["c"] is not None and adjusted["c"] < 0.05


@pytest.mark.parametrize("missing", [[False] * 8, [True] * 8, []])
def test_all_or_none_unscored_is_no_test(missing: list[bool]) -> None:
    found = missingness(np.array(missing, dtype=bool), LABELS[: len(missing) // 2] * 2, LABELS)
    assert found.overall.p is None and found.overall.note
    assert (found.gaps[0].rate.value is None) == (not missing)


def test_missingness_takes_truth_values_only() -> None:
    with pytest.raises(ValueError, match="truth values"):
        missingness([0.0, 1.0], ["a", "b"], ["a", "b"])  # type: ignore[list-item]


# Systematic


def test_systematic_divergence_is_the_paired_t_and_the_permutation() -> None:
    rng = np.random.default_rng(0)
    first = rng.integers(1, 6, 40).astype(float)
    second = np.clip(first - rng.integers(0, 2, 40), 1, 5)
    found, expected = systematic(first, second), stats.ttest_rel(first, second)
    low, high = expected.confidence_interval()
    assert (found.difference.low, found.difference.high) == pytest.approx((low, high))
    assert found.test.df == 39
    assert found.size.value == pytest.approx(np.abs(first - second).mean())
    assert found.test.p is not None and found.test.p < 0.001


def test_swapping_the_judges_flips_systematic_divergence_and_keeps_its_size() -> None:
    first, second = [1, 2, 5, 4, NAN], [2, 4, 4, 1, 3]
    one, other = systematic(first, second), systematic(second, first)
    assert other.difference.value == pytest.approx(-(one.difference.value or 0))
    assert (other.size.value, other.test.p) == (one.size.value, one.test.p)
    assert one.difference.n_unscored == 1


def test_systematic_divergence_keeps_templates_together() -> None:
    first, second = np.repeat([1.0, 2, 3, 4], 25), np.repeat([1.0, 3, 3, 5], 25)
    by_record, by_template = systematic(first, second), systematic(first, second, np.repeat(range(4), 25))
    assert by_record.test.p is not None and by_record.test.p < 0.001
    assert by_template.test.p is not None and by_template.test.p > 0.1
    assert by_template.test.df == 3
    assert by_template.difference.se > 3 * by_record.difference.se  # type: ignore[operator]


def test_systematic_divergence_of_nothing_is_undefined() -> None:
    found = systematic([], [])
    assert (found.difference.value, found.size.value, found.test.p) == (None, None, None)
