"""What may not be concluded from intersections: false clears, rows that are not independent, order."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binom, norm

from appliance.statistics.intersections.cells import Verdicts, verdicts
from appliance.statistics.intersections.compound import compound_audit
from appliance.statistics.intersections.contrast import between, over_templates
from appliance.statistics.intersections.disparity import disparity_map
from appliance.statistics.intersections.excess import excess
from appliance.statistics.intersections.fairness import epsilon, epsilon_by_dimensions
from appliance.statistics.intersections.grids import distinct, excess_weights
from appliance.statistics.intersections.interaction import interaction_contrasts, two_by_two
from appliance.statistics.intersections.measures import MapRules
from appliance.statistics.intersections.omnibus import no_excess, no_interaction
from appliance.statistics.intersections.placebo import net_of_placebos
from appliance.statistics.intersections.pooling import pooled_rates
from appliance.statistics.intersections.templates import Sides, template_counts
from appliance.statistics.proportions import (
    clustered_rate,
    compare_rates,
    equivalent_rates,
    rate_difference,
)
from appliance.statistics.ratios import clustered_risk_ratio, risk_ratio


def factorial(rates: Any, templates: int, per: int = 1, seed: int = 0) -> Verdicts:
    """Every template has `per` verdicts of every cell."""
    p = np.asarray(rates)
    rng = np.random.default_rng(seed)
    cell = np.tile(np.repeat(np.arange(p.size), per), templates)
    template = np.repeat(np.arange(templates), p.size * per)
    flags = (rng.random(len(cell)) < p.ravel()[cell]).astype(float)
    places = np.indices(p.shape).reshape(p.ndim, -1)
    return verdicts(
        {f"d{axis}": places[axis][cell].astype(str) for axis in range(p.ndim)}, flags, template=template
    )


@pytest.mark.parametrize(
    ("n", "p0", "margin"), [(50, 0.02, 0.1), (200, 0.02, 0.05), (50, 0.1, 0.1), (200, 0.3, 0.1)]
)
def test_a_group_at_the_margin_is_cleared_in_five_per_cent(n: int, p0: float, margin: float) -> None:
    """Exactly, over every outcome of the group; the reference is large. TOST with the sample's own variance
    clears 13% in the first case."""
    p = p0 + margin
    cleared = sum(
        binom.pmf(k, n, p)
        for k in range(n + 1)
        if (equivalent_rates(k, n, round(20_000 * p0), 20_000, margin).p or 0) < 0.05
    )
    assert cleared < 0.06


def _by_search(difference: float) -> float:
    """z of 60 in 200 against 70 in 220, the most likely rates found by looking at every one. (statsmodels'
    closed form finds others, less likely: 2.9926 for 2.9532.)"""
    p0 = np.linspace(max(0, -difference), min(1, 1 - difference), 2_000_002)[1:-1]
    p = p0 + difference
    likely = 60 * np.log(p) + 140 * np.log(1 - p) + 70 * np.log(p0) + 150 * np.log(1 - p0)
    best = int(likely.argmax())
    variance = p[best] * (1 - p[best]) / 200 + p0[best] * (1 - p0[best]) / 220
    return float((60 / 200 - 70 / 220 - difference) / variance**0.5)


def test_the_score_tost_is_the_published_statistic_and_swaps_with_its_sides() -> None:
    ours = equivalent_rates(60, 200, 70, 220, 0.15)
    assert ours.p == pytest.approx(norm.sf(min(_by_search(-0.15), -_by_search(0.15))), rel=1e-5)
    assert equivalent_rates(70, 220, 60, 200, 0.15).p == pytest.approx(ours.p)
    assert (equivalent_rates(0, 50, 0, 500, 0.1).p or 1) < 0.05 < (equivalent_rates(0, 9, 0, 9, 0.1).p or 0)
    assert equivalent_rates(0, 0, 1, 9, 0.1).p is None
    with pytest.raises(ValueError, match="margin"):
        equivalent_rates(1, 2, 1, 2, 1.5)


@pytest.mark.parametrize(
    ("n", "n0", "p", "p0"),
    [(17, 412, 0.4, 0.52), (50, 50, 0.95, 0.98), (50, 500, 0.05, 0.1), (200, 2000, 0.98, 0.99)],
)
def test_ratios_of_few_events_cover(n: int, n0: int, p: float, p0: float) -> None:
    """Katz' interval alone covers 0.945, 0.915, 0.885 and 0.904."""
    rng = np.random.default_rng(1)
    found = [
        risk_ratio(int(k), n, int(k0), n0)
        for k, k0 in zip(rng.binomial(n, p, 800), rng.binomial(n0, p0, 800), strict=True)
    ]
    held = [e.low <= p / p0 <= e.high for e in found if e.low is not None and e.high is not None]
    assert len(held) > 780 and np.mean(held) > 0.93


def test_equal_and_complete_rates_claim_no_certainty() -> None:
    found = risk_ratio(30, 30, 30, 30)
    assert found.value == 1 and (found.low or 1) < 0.95 and (found.high or 1) > 1.05


def test_a_ratio_over_templates_is_wider_where_rows_are_copies() -> None:
    rng = np.random.default_rng(0)
    n = np.full(30, 10.0)
    k, k0 = 10.0 * (rng.random(30) < 0.5), 10.0 * (rng.random(30) < 0.4)
    copies = clustered_risk_ratio(k, n, k0, n)
    single = risk_ratio(int(k.sum() / 10), 30, int(k0.sum() / 10), 30)
    rows = risk_ratio(int(k.sum()), 300, int(k0.sum()), 300)
    assert copies.value == rows.value == pytest.approx(single.value)
    assert (copies.high or 0) > 1.3 * (rows.high or 0)
    assert copies.se == pytest.approx(single.se, rel=0.1)
    one = clustered_risk_ratio(k[:1] + 3, n[:1] + 3, k0[:1] + 3, n[:1] + 3)
    assert one.low is None and one.note


def test_a_rate_of_one_cluster_has_no_interval_and_a_rate_of_0_counts_clusters() -> None:
    one = clustered_rate([1, 0, 1], np.zeros(3, dtype=np.int64))
    assert one.value == pytest.approx(2 / 3) and one.low is None and "one cluster" in one.note
    none = clustered_rate(np.zeros(100), np.repeat(np.arange(10), 10))
    assert none.high == pytest.approx(0.2775, abs=1e-3) and none.low == 0  # Wilson, 0 of 10


def test_boschloo_is_scipys_and_stronger_than_fisher() -> None:
    from scipy.stats import boschloo_exact

    ours = compare_rates(7, 12, 1, 10, method="boschloo").p
    assert ours == pytest.approx(boschloo_exact([[7, 1], [5, 9]]).pvalue)
    assert (ours or 1) < (compare_rates(7, 12, 1, 10, method="fisher").p or 0)


def test_few_templates_are_not_many_rows() -> None:
    """Three templates of 200 verdicts a cell: a shift that one template makes is no shift of all."""
    k = np.array([[60.0, 80.0], [60.0, 60.0], [60.0, 60.0]])
    sides = Sides(k[:, 1], np.full(3, 200.0), k[:, 0], np.full(3, 200.0))
    assert (over_templates(sides, 0.1, 0).test.p or 0) > 0.3
    two = Sides(*(each[:1] for each in sides))
    assert over_templates(two, 0.1, 0).effect.value is None


def test_rare_flags_invent_no_difference_within_templates() -> None:
    """One verdict a cell, 12 cells, 50 templates, 5% flagged: t alone rejects 14%."""
    rng, wrong, held = np.random.default_rng(3), 0, 0
    for _ in range(250):
        k = (rng.random((50, 12)) < 0.05).astype(float)
        found = over_templates(Sides(k[:, 0], np.ones(50), k[:, 1:].sum(axis=1), np.full(50, 11.0)), 0.1, 0)
        wrong += (found.test.p or 1) < 0.05
        held += (found.effect.low or -1) <= 0 <= (found.effect.high or 1)
    assert wrong <= 15 and held >= 235


def test_an_error_of_zero_by_coincidence_is_no_proof() -> None:
    """Two templates that happen to agree to the last verdict."""
    sides = Sides(np.array([6.0, 6.0]), np.full(2, 20.0), np.array([5.0, 5.0]), np.full(2, 20.0))
    found = over_templates(sides, 0.1, 0)
    assert found.effect.value == pytest.approx(0.05) and found.effect.low is None
    assert (found.test.p or 0) > 0.05 and found.equivalence is None
    many = Sides(np.array([60.0, 60.0]), np.full(2, 200.0), np.array([50.0, 50.0]), np.full(2, 200.0))
    assert 0.05 < (over_templates(many, 0.1, 0).test.p or 0) < 0.2  # 0.11 by rows


def test_the_difference_within_templates_is_the_plain_one_where_each_has_every_cell() -> None:
    v = factorial([[0.2, 0.3], [0.4, 0.7]], 60, 2)
    rates = v.by_severity[:, 1] / 120
    for cell, shown in enumerate(disparity_map(v).cells.groups):
        assert shown.difference.value == pytest.approx(rates[cell] - np.delete(rates, cell).mean())
        assert "within templates" in shown.difference.method


def test_templates_make_nothing_surer_than_independent_rows() -> None:
    alike = np.array([3.0] * 10 + [0.0] * 10), np.array([10.0] * 10 + [0.0] * 10)
    found = between(Sides(*alike, alike[0][::-1] * 2, alike[1][::-1]), 0.1, 0)
    assert found.effect.se == pytest.approx(rate_difference(30, 100, 60, 100).se)
    v = factorial(np.full((3, 2, 2), 0.05), 60)
    k, n = v.by_severity[:, 1].reshape(3, 2, 2), np.full((3, 2, 2), 60)
    over, rows = (excess(k, n, t).cells for t in (template_counts(v, v.severity > 0), None))
    assert all((a.se or 0) >= (b.se or 1) for (a, _), (b, _) in zip(over, rows, strict=True))


def test_rare_flags_within_templates_are_cleared_no_sooner_than_by_rows() -> None:
    """One verdict a cell, 50 templates, 11% against 1%: t and exchange alone clear 8% at a margin of 10."""
    rng, cleared = np.random.default_rng(5), 0
    for _ in range(600):
        k, rest = (rng.random(50) < 0.11).astype(float), rng.binomial(3, 0.01, 50).astype(float)
        found = over_templates(Sides(k, np.ones(50), rest, np.full(50, 3.0)), 0.1, 0)
        cleared += found.equivalence is not None and (found.equivalence.p or 0) < 0.05
    assert cleared / 600 < 0.055


def test_a_lucky_few_set_no_standard() -> None:
    flags = [1.0] * 30 + [0.0] * 70 + [1.0] * 40 + [0.0] * 60 + [0.0] * 10
    found = disparity_map(verdicts({"a": ["x"] * 100 + ["y"] * 100 + ["z"] * 10}, flags)).margin("a")
    assert found.reference == {"a": "x"}
    assert found.groups[1].impact_ratio.value == pytest.approx(0.6 / 0.7)


def test_where_nothing_varies_many_templates_show_equivalence_and_few_do_not() -> None:
    for templates, shown in ((50, True), (10, False)):
        nothing = np.zeros(templates)
        found = over_templates(Sides(nothing, nothing + 2, nothing, nothing + 9), 0.1, 0)
        assert found.test.p is None and found.test.note and found.equivalence is not None
        assert ((found.equivalence.p or 1) < 0.05) is shown


def test_templates_of_one_side_only_count_as_clusters() -> None:
    rng = np.random.default_rng(4)
    wrong = held = 0
    for _ in range(400):
        p = np.clip(0.3 + rng.normal(0, 0.15, 40), 0, 1)
        k, own = rng.binomial(10, p).astype(float), (np.arange(40) < 10).astype(float)
        found = over_templates(Sides(k * own, 10 * own, k * (1 - own), 10 * (1 - own)), 0.1, 0)
        assert "cluster-robust" in found.effect.method and found.test.df == 9
        wrong += (found.test.p or 1) < 0.05
        held += (found.effect.low or 0) <= 0 <= (found.effect.high or 0)
    assert wrong / 400 < 0.08 and held / 400 > 0.92
    assert between(Sides(*np.array([[3.0, 0], [9, 0], [0, 4], [0, 9]])), 0.1, 0).effect.value is None


def test_the_excess_within_templates_keeps_its_level_and_covers() -> None:
    rng, p = np.random.default_rng(6), np.array([0.2, 0.25, 0.3, 0.35])
    rejected = held = 0
    for seed in range(300):
        level = rng.normal(0, 0.1, 40)
        v = factorial(np.zeros((2, 2)), 40, 3, seed)
        chance = np.clip(p[v.cell] + level[v.template], 0, 1)
        flags = (rng.random(len(chance)) < chance).astype(float)
        w = Verdicts(v.dimensions, v.levels, v.cell, flags, v.template, 1)
        k = w.by_severity[:, 1].reshape(2, 2)
        one, test = excess(k, np.full((2, 2), 120), template_counts(w, flags > 0)).cells[0]
        rejected += (test.p or 1) < 0.05
        held += (one.low or 0) <= 0 <= (one.high or 0)
    assert 0.02 <= rejected / 300 <= 0.085 and held + rejected == 300


@pytest.mark.parametrize("p", [0.05, 0.3])
def test_many_small_cells_invent_no_interaction(p: float) -> None:
    """48 cells of 60: the larger of two variances; either alone invents one in up to 25%."""
    from appliance.statistics.multiplicity import holm

    rng, n = np.random.default_rng(8), np.full((4, 4, 3), 60)
    found = [min(q for q in holm([t.p for _, t in excess(rng.binomial(n, p), n).cells]) if q is not None)
             for _ in range(250)]  # fmt: skip
    assert np.mean(np.array(found) < 0.05) < 0.075


def test_hotelling_of_one_contrast_is_the_square_of_t() -> None:
    from scipy.stats import ttest_1samp

    x = np.random.default_rng(0).normal(0.2, 1, 25)
    each = x[:, None] * np.array([0.25, -0.25, -0.25, 0.25])
    found = no_excess(each.mean(axis=0), np.cov(each, rowvar=False) / 25, 25, 100)
    assert found.p == pytest.approx(ttest_1samp(x, 0).pvalue) and found.df == 1
    assert no_excess(np.zeros(4), np.zeros((4, 4)), 25, 100).p is None


def test_hotelling_of_several_is_that_of_statsmodels() -> None:
    from statsmodels.stats.multivariate import test_mvmean as hotelling

    x = np.random.default_rng(3).normal(0.2, 1, (30, 4))
    found = no_excess(x.mean(axis=0), np.cov(x, rowvar=False) / 30, 30, 120)
    assert found.p == pytest.approx(hotelling(x, np.zeros(4)).pvalue)
    assert no_excess(x[:5].mean(axis=0), np.cov(x[:5], rowvar=False) / 5, 5, 20).p is None


@pytest.mark.parametrize("p", [0.02, 0.3])
def test_g2_is_that_of_a_logistic_model(p: float) -> None:
    import statsmodels.api as sm

    rng = np.random.default_rng(0)
    n = rng.integers(20, 60, (3, 2, 2))
    k = rng.binomial(n, p)
    places = np.indices(n.shape).reshape(3, -1)
    dummies = [(places[0] == 1), (places[0] == 2), (places[1] == 1), (places[2] == 1)]
    design = sm.add_constant(np.array(dummies).T.astype(float))
    fit = sm.GLM(np.stack([k.ravel(), (n - k).ravel()], axis=1), design, family=sm.families.Binomial()).fit()
    assert no_interaction(k, n).statistic == pytest.approx(fit.deviance, rel=1e-6)


def test_contrasts_of_any_dimensions_and_levels() -> None:
    n = np.full((3, 2, 2), 500)
    rates = np.full(n.shape, 0.2)
    rates[2, 1, 1] = 0.3
    k = np.round(n * rates)
    third = interaction_contrasts(k, n)
    assert [c.levels for c in third] == [(1, 1, 1), (2, 1, 1)]
    assert [c.additive.value for c in third] == pytest.approx([0.0, 0.1])
    assert third[1].log_ratio.value == pytest.approx(np.log(1.5))
    pairs = interaction_contrasts(k, n, axes=(0, 1))
    assert [c.additive.value for c in pairs] == pytest.approx([0.0, 0.05])  # averaged over the third
    turned = interaction_contrasts(k, n, axes=(0, 1), reference=(2, 0))
    assert [c.additive.value for c in turned] == pytest.approx([-0.05, -0.05])
    for wrong in ({"axes": (0,)}, {"axes": (0, 3)}, {"reference": (0, 5, 0)}):
        with pytest.raises(ValueError, match=r"axes|reference"):
            interaction_contrasts(k, n, **wrong)
    assert two_by_two(k[:2, :, 0], n[:2, :, 0]) == interaction_contrasts(k[:2, :, 0], n[:2, :, 0])[0]


def test_the_same_contrast_is_tested_once() -> None:
    assert len(set(distinct(excess_weights((2, 2))).tolist())) == 1
    assert len(set(distinct(excess_weights((2, 3))).tolist())) == 3
    assert len(set(distinct(excess_weights((3, 3))).tolist())) == 9
    v = factorial([[0.3, 0.5], [0.5, 0.3]], 100)
    ledger = compound_audit(v).ledger
    k, n = v.by_severity[:, 1].reshape(2, 2), np.full((2, 2), 100)
    each = [b.excess_p for b in ledger]
    assert len(set(each)) == 1
    assert each[0] == excess(k, n, template_counts(v, v.severity > 0)).cells[0][1].p


def test_a_group_that_is_flagged_less_is_not_harmed() -> None:
    ledger = compound_audit(factorial([[0.3, 0.5], [0.5, 0.3]], 400)).ledger
    assert ledger[0].outcome == "flagged" and ledger[0].reason == "flagged to its advantage."
    assert not ledger[0].hidden_compound


def test_two_attributes_are_found_where_they_meet_whatever_the_third() -> None:
    p = np.array([[[0.3] * 3, [0.5] * 3], [[0.5] * 3, [0.3] * 3]])
    v = factorial(p, 150)
    audit = compound_audit(v, MapRules(margin=0.09))
    hidden = [b for b in audit.ledger if b.hidden_compound]
    assert {tuple(b.group.items()) for b in hidden} >= {
        (("d0", "0"), ("d1", "1")),
        (("d0", "1"), ("d1", "0")),
    }
    assert set(audit.omnibus) == {"d0×d1", "d0×d2", "d1×d2", "d0×d1×d2"}
    within = [b for b in audit.ledger if b.group == {"d0": "0", "d1": "1", "d2": "0"}]
    assert within[0].contains == ({"d0": "0", "d1": "1"},)
    assert audit.disparity.margin("d1", "d0").dimensions == ("d0", "d1")
    with pytest.raises(ValueError, match="no part"):
        audit.disparity.margin("d9")


def test_an_axis_that_cannot_conclude_is_named_and_small_levels_can_be_left_out() -> None:
    rng = np.random.default_rng(0)
    first = np.concatenate([rng.integers(0, 2, 4000), np.full(30, 2)])
    second = rng.integers(0, 2, 4030)
    flags = (rng.random(4030) < np.where(first == second, 0.3, 0.5)).astype(float)
    v = verdicts({"a": first, "b": second}, flags, levels={"a": ["x", "y", "z"], "b": ["u", "w"]})
    strict = compound_audit(v, MapRules(margin=0.08))
    assert strict.axes[0].outcome == "insufficient data" and "z" in strict.axes[0].reason
    assert not any(b.hidden_compound for b in strict.ledger)
    assert any("the audit of a cannot conclude" in b.reason for b in strict.ledger)
    audit = compound_audit(v, MapRules(margin=0.08, left_out_under=0.02))
    assert audit.axes[0].outcome == "clear" and audit.axes[0].left_out == ("z",)
    assert any(b.hidden_compound and b.passed_by == ("a", "b") for b in audit.ledger)
    small = audit.disparity.margin("a").groups[2]
    assert small.impact_ratio.value is None and "left out: 0.7%" in small.impact_ratio.note


def test_the_reference_is_declared_or_the_group_treated_best() -> None:
    v = factorial([[0.3, 0.5], [0.2, 0.6]], 200)
    best = disparity_map(v)
    assert best.cells.reference == {"d0": "1", "d1": "0"}
    declared = disparity_map(v, MapRules(reference={"d0": "0", "d1": "1"}))
    assert declared.cells.reference == {"d0": "0", "d1": "1"}
    assert declared.cells.groups[1].impact_ratio.value == 1
    assert (declared.cells.groups[3].rest_ratio.value or 0) > 1.3
    with pytest.raises(ValueError, match="reference"):
        disparity_map(v, MapRules(reference={"d0": "7"}))


def test_epsilon_of_a_subset_is_at_most_that_of_the_whole() -> None:
    table = np.array([[[81, 6], [192, 71]], [[234, 36], [55, 25]]], dtype=float)
    found = epsilon_by_dimensions(table, ["gender", "race"], 0)
    assert found["gender",].value == pytest.approx(0.2329, abs=1e-4)
    assert found["race",].value == pytest.approx(0.8667, abs=1e-4)
    assert found["gender", "race"].value == pytest.approx(1.5110, abs=1e-4)
    assert list(found)[-1] == ("gender", "race")


@settings(max_examples=20, deadline=None)
@given(st.permutations(range(4)), st.booleans())
def test_epsilon_does_not_depend_on_the_order_of_groups_or_outcomes(order: Any, swap: bool) -> None:
    table = np.array([[81, 6], [234, 36], [192, 71], [55, 25]])
    turned = table[list(order)][:, ::-1] if swap else table[list(order)]
    one, two = epsilon(table), epsilon(turned)
    assert (one.value, one.low, one.high) == pytest.approx((two.value, two.low, two.high))


@settings(max_examples=10, deadline=None)
@given(st.permutations(range(3)), st.booleans(), st.integers(0, 9))
def test_with_templates_too_no_order_matters(first: Any, swap: bool, seed: int) -> None:
    rng = np.random.default_rng(1)
    a, b, template = np.tile(np.arange(3), 40), np.tile(np.repeat([0, 1], 3), 20), np.repeat(np.arange(20), 6)
    flags = (rng.random(120) < 0.1 + 0.1 * (a == 1)).astype(float)
    flags[[5, 50]] = np.nan
    rows = np.random.default_rng(seed).permutation(120)
    names, rules = [f"l{i}" for i in range(3)], MapRules(min_n=20)
    one = compound_audit(
        verdicts({"a": a, "b": b}, flags, levels={"a": names, "b": ["s", "t"]}, template=template), rules
    )
    levels = {"a": [names[i] for i in first], "b": ["s", "t"]}
    turned = {"a": np.argsort(np.array(first))[a][rows], "b": b[rows]}
    keys = ["b", "a"] if swap else ["a", "b"]
    two = compound_audit(
        verdicts(
            {key: turned[key] for key in keys}, flags[rows], levels=levels, template=(99 - template)[rows]
        ),
        rules,
    )

    def said(audit: Any) -> Any:
        return {
            frozenset(e.group.items()): (
                e.outcome,
                e.reason,
                pytest.approx(e.excess_p),
                pytest.approx(e.predicted),
            )
            for e in audit.ledger
        }

    def tested(audit: Any) -> Any:
        return {
            frozenset(c.group.items()): pytest.approx(c.decision.hypothesis.test.p)
            for c in audit.disparity.cells.groups
        }

    assert said(one) == said(two) and tested(one) == tested(two)


def test_nothing_at_all_and_one_verdict_are_defined() -> None:
    for rows in (0, 1):
        v = verdicts(
            {"a": ["x"] * rows, "b": ["u"] * rows}, [1.0] * rows, levels={"a": ["x", "y"], "b": ["u", "w"]}
        )
        audit = compound_audit(v)
        assert {b.outcome for b in audit.ledger} == {"insufficient data"}
        assert all(axis.outcome == "insufficient data" for axis in audit.axes)
    unscored = factorial(np.full((2, 2), 0.3), 60)
    blank = Verdicts(
        unscored.dimensions, unscored.levels, unscored.cell, np.full(240, np.nan), unscored.template, 1
    )
    assert [c.n_unscored for c in disparity_map(blank).cells.groups] == [60] * 4


def test_what_stands_out_of_its_placebos_is_named_net() -> None:
    placebo = np.linspace(-0.1, 0.1, 39)
    assert net_of_placebos(-0.25, placebo).value == pytest.approx(0.15, abs=0.01)
    assert net_of_placebos(0.25, placebo[:10]).value is None


def test_pooled_intervals_cover_nearly_what_they_say() -> None:
    rng, held = np.random.default_rng(2), []
    for _ in range(120):
        truth = np.clip(rng.normal(0.3, 0.08, 20), 0.01, 0.99)
        n = rng.integers(5, 60, 20)
        found = pooled_rates(rng.binomial(n, truth), n)
        held += [e.low <= t <= e.high for e, t in zip(found, truth, strict=True)]
    assert 0.905 < np.mean(held) < 0.97  # 0.89 without the share of not knowing the spread


def test_the_gerrymanders_cells_have_a_ratio_of_three_fifths_and_its_margins_one() -> None:
    assert risk_ratio(60, 200, 100, 200).value == pytest.approx(0.6)
    assert risk_ratio(160, 400, 160, 400).value == 1


def test_differences_of_rates_keep_an_error_where_nothing_happened() -> None:
    assert (rate_difference(0, 50, 0, 50).se or 0) > 0
