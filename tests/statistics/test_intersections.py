"""Intersections against published values; planted effects are named as what they are."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from appliance.statistics.intersections.cells import Verdicts, verdicts
from appliance.statistics.intersections.compound import compound_audit
from appliance.statistics.intersections.disparity import disparity_map
from appliance.statistics.intersections.excess import excess
from appliance.statistics.intersections.fairness import epsilon, subgroup_unfairness
from appliance.statistics.intersections.interaction import two_by_two
from appliance.statistics.intersections.measures import MapRules
from appliance.statistics.intersections.omnibus import no_interaction
from appliance.statistics.intersections.placebo import against_placebos, noise_floor
from appliance.statistics.intersections.pooling import pooled_rates

CROSSED = np.array([[60, 100], [100, 60]]), np.full((2, 2), 200)


def with_rest(k: int, n: int) -> list[int]:
    return [k, n - k]


def grid(rates: Any, n: int, seed: int = 0, templates: int = 0) -> Verdicts:
    """n verdicts a cell, drawn with the cell's rate; with templates, n verdicts of each template a cell."""
    p = np.asarray(rates)
    rng = np.random.default_rng(seed)
    places = np.indices(p.shape).reshape(p.ndim, -1)
    per_cell = n * max(templates, 1)
    identity = {f"d{axis}": np.repeat(places[axis], per_cell).astype(str) for axis in range(p.ndim)}
    template = np.tile(np.repeat(np.arange(max(templates, 1)), n), p.size)
    level = rng.normal(0, 0.1, max(templates, 1))[template] if templates else 0.0
    chance = np.clip(np.repeat(p.ravel(), per_cell) + level, 0, 1)
    flags = (rng.random(len(chance)) < chance).astype(float)
    return verdicts(identity, flags, template=template if templates else None)


def test_differential_fairness_of_the_published_example() -> None:
    g1r1, g2r1, g1r2, g2r2 = (81, 87), (234, 270), (192, 263), (55, 80)
    cells = [with_rest(*each) for each in (g1r1, g2r1, g1r2, g2r2)]
    assert epsilon(cells, 0).value == pytest.approx(1.5110, abs=1e-4)
    gender = [with_rest(81 + 192, 87 + 263), with_rest(234 + 55, 270 + 80)]
    race = [with_rest(81 + 234, 87 + 270), with_rest(192 + 55, 263 + 80)]
    assert epsilon(gender, 0).value == pytest.approx(0.2329, abs=1e-4)
    assert epsilon(race, 0).value == pytest.approx(0.8667, abs=1e-4)


def test_the_gerrymander_passes_every_margin_and_fails_every_measure_of_cells() -> None:
    found = two_by_two(*CROSSED)
    assert found.additive.value == pytest.approx(-0.4, abs=1e-9)
    assert found.additive.se == pytest.approx(0.067823, abs=1e-6)
    g2 = no_interaction(*CROSSED)
    assert (g2.statistic, g2.df) == (pytest.approx(33.6095, abs=1e-4), 1)
    cells = [with_rest(60, 200), with_rest(100, 200), with_rest(100, 200), with_rest(60, 200)]
    assert epsilon(cells, 0).value == pytest.approx(0.510826, abs=1e-6)
    assert epsilon([with_rest(160, 400)] * 2, 0).value == 0
    assert [u.value for u in subgroup_unfairness([60, 100, 100, 60], [200] * 4)] == pytest.approx([0.025] * 4)
    assert [e.value for e, _ in excess(*CROSSED).cells] == pytest.approx([-0.1, 0.1, 0.1, -0.1])


def test_gender_shades() -> None:
    """Error rates of one system: darker female, darker male, lighter female, lighter male."""
    errors = np.array([[3, 71], [120, 347]])  # [lighter, darker] x [male, female], per 1,000
    found = two_by_two(errors, np.full((2, 2), 1000))
    assert found.additive.value == pytest.approx(0.159, abs=5e-4)
    assert found.log_ratio.value == pytest.approx(np.log(0.347 * 0.003 / (0.120 * 0.071)))


def test_smoothing_makes_a_group_without_an_event_finite_and_an_empty_group_is_named() -> None:
    assert epsilon([[0, 20], [5, 15]], 0).value is None
    found = epsilon([[0, 20], [5, 15], [0, 0]])
    assert found.value == pytest.approx(np.log(5.5 / 0.5)) and "groups 2" in found.note
    assert epsilon([[3, 4]]).value is None


def test_two_by_two_with_nothing_in_a_cell_is_undefined() -> None:
    events, full, gap = [[1, 2], [0, 3]], [[5, 5], [5, 5]], [[5, 5], [0, 5]]
    for found in (two_by_two(events, gap), two_by_two(events, full)):
        assert found.log_ratio.value is None and found.log_ratio.note
    assert all(e.value is None and "1 cells are empty" in e.note for e, _ in excess(events, gap).cells)
    assert no_interaction(events, gap).p is None
    assert no_interaction([[0, 0], [0, 0]], full).p is None


def test_sparse_tables_take_draws_and_keep_their_level() -> None:
    found = no_interaction([[1, 0], [2, 1]], [[8, 9], [9, 8]])
    assert "draws" in found.method and (found.p or 0) > 0.2


def test_three_dimensions_have_tests_of_each_order() -> None:
    rng = np.random.default_rng(2)
    n = np.full((3, 2, 2), 400)
    p = np.full(n.shape, 0.3)
    p[0, 0, 0] += 0.25
    k = rng.binomial(n, p)
    assert (no_interaction(k, n, 1).df, no_interaction(k, n, 2).df) == (7, 2)
    assert (no_interaction(k, n, 1).p or 1) < 1e-4
    shown = excess(k, n).cells
    assert int(np.argmax([e.value or 0 for e, _ in shown])) == 0
    with pytest.raises(ValueError, match="order"):
        no_interaction(k, n, 3)


def test_the_intervals_of_contrasts_cover() -> None:
    rng, p = np.random.default_rng(4), np.array([[0.2, 0.35], [0.3, 0.5]])
    for n in (50, 200):
        held = {"contrast": 0, "excess": 0}
        for _ in range(800):
            k = rng.binomial(n, p)
            one, each = two_by_two(k, np.full((2, 2), n)).additive, excess(k, np.full((2, 2), n)).cells[3][0]
            held["contrast"] += (one.low or 0) <= 0.05 <= (one.high or 0)
            held["excess"] += (each.low or 0) <= 0.0125 <= (each.high or 0)
        assert all(0.93 <= count / 800 <= 0.975 for count in held.values()), held


def test_a_planted_pure_interaction_is_a_hidden_compound() -> None:
    for rates, n in (([[0.3, 0.5], [0.5, 0.3]], 200),):
        found = [compound_audit(grid(rates, n, seed)) for seed in range(40)]
        hidden = sum(any(b.hidden_compound for b in audit.ledger) for audit in found)
        assert hidden >= 34
    ledger = compound_audit(grid([[0.3, 0.5], [0.5, 0.3]], 400)).ledger
    assert [b.hidden_compound for b in ledger] == [False, True, True, False]
    assert ledger[1].passed_by == ("d0", "d1") and ledger[1].predicted == pytest.approx(0.4, abs=0.05)


def test_it_is_found_in_three_dimensions_and_within_templates() -> None:
    p = np.full((3, 2, 2), 0.3)
    p[0] = [[0.5, 0.2], [0.2, 0.5]]
    for templates in (0, 40):
        v = grid(p, 400 if not templates else 10, templates=templates)
        audit = compound_audit(v, MapRules(margin=0.08))
        hidden = {tuple(b.group.values()) for b in audit.ledger if b.hidden_compound}
        assert {("0", "0", "0"), ("0", "1", "1")} & hidden
        assert audit.disparity.templates == (templates or None)


@pytest.mark.parametrize(
    "rates", [[[0.3, 0.3], [0.3, 0.3]], [[0.2, 0.27], [0.27, 0.34]], [[0.2, 0.4], [0.4, 0.6]]]
)
def test_additive_effects_and_nothing_are_never_called_hidden(rates: Any) -> None:
    found = [compound_audit(grid(rates, 200, seed)) for seed in range(120)]
    assert sum(any(b.hidden_compound for b in audit.ledger) for audit in found) <= 6


def test_a_template_that_lacks_a_cell_is_left_out_of_the_excess_and_nothing_becomes_nan() -> None:
    rng = np.random.default_rng(0)
    a, b = (np.tile(np.repeat(each, 10), 40) for each in ([0, 0, 1, 1], [0, 1, 0, 1]))
    template = np.repeat(np.arange(40), 40)
    flags = (rng.random(1600) < np.where(a == b, 0.3, 0.5)).astype(float)
    levels = {"a": ["x", "y"], "b": ["u", "w"]}
    keep = ~((template == 0) & (a == 1) & (b == 1))
    whole, one_short = (
        compound_audit(verdicts({"a": a[k], "b": b[k]}, flags[k], levels=levels, template=template[k]))
        for k in (np.full(1600, True), keep)
    )
    assert one_short.ledger[3].excess.value == pytest.approx(whole.ledger[3].excess.value, abs=0.01)
    assert one_short.ledger[3].excess.value != whole.ledger[3].excess.value
    assert [entry.hidden_compound for entry in one_short.ledger] == [False, True, True, False]


@pytest.mark.parametrize("flag_from", [0, 2])
def test_a_flag_that_no_severity_reaches_is_refused_and_clears_nothing(flag_from: int) -> None:
    with pytest.raises(ValueError, match="flag_from"):
        disparity_map(grid(np.full((2, 2), 0.3), 60), MapRules(flag_from=flag_from))


def test_what_an_axis_finds_itself_is_not_hidden() -> None:
    """A strong first axis, and an interaction on top of it."""
    audit = compound_audit(grid([[0.1, 0.1], [0.35, 0.75]], 400))
    worst = audit.ledger[3]
    assert worst.outcome == "flagged" and (worst.excess_p or 1) < 0.05
    assert "d0" in worst.failed_by and not worst.hidden_compound
    assert "finds it already" in worst.reason


def test_an_axis_with_too_few_verdicts_does_not_pass() -> None:
    audit = compound_audit(grid([[0.3, 0.5], [0.5, 0.3]], 20))
    assert all(b.outcome == "insufficient data" for b in audit.ledger)
    assert not any(b.hidden_compound for b in audit.ledger)
    thin = compound_audit(grid([[0.3, 0.5], [0.5, 0.3]], 200), MapRules(min_n=500))
    assert all(b.open_on == ("d0", "d1") for b in thin.ledger)


def test_unscored_verdicts_are_counted_in_their_cell_and_forbid_clearing_it() -> None:
    v = grid(np.full((2, 2), 0.3), 4000)
    clear = disparity_map(v)
    assert {c.decision.outcome for c in clear.cells.groups} == {"clear"}
    flags = v.severity.copy()
    flags[:400] = np.nan
    names = {
        d: np.array(levels)[v.margin([d])[v.cell]] for d, levels in zip(v.dimensions, v.levels, strict=True)
    }
    shown = disparity_map(verdicts(names, flags))
    assert (shown.cells.groups[0].n, shown.cells.groups[0].n_unscored) == (3600, 400)
    assert shown.cells.groups[0].decision.outcome == "inconclusive"
    assert "unscored" in shown.cells.groups[0].decision.reason


def test_empty_cells_are_kept_and_named() -> None:
    v = verdicts({"a": ["x", "y"] * 60, "b": ["u", "w"] * 60}, [0.0, 1.0] * 60)
    cells = {tuple(c.group.values()): c for c in disparity_map(v).cells.groups}
    assert cells["x", "w"].n == 0 and cells["x", "w"].rate.value is None
    assert cells["x", "w"].decision.outcome == "insufficient data"


def test_what_does_not_fit_is_refused() -> None:
    with pytest.raises(ValueError, match="whole numbers of 0"):
        verdicts({"a": ["x"]}, [2.0])
    with pytest.raises(ValueError, match="not in the list"):
        verdicts({"a": ["z"]}, [1.0], levels={"a": ["x", "y"]})
    with pytest.raises(ValueError, match="one length"):
        verdicts({"a": ["x", "y"]}, [1.0])


@settings(max_examples=15, deadline=None)
@given(st.permutations(range(3)), st.permutations(range(2)), st.booleans())
def test_the_order_of_levels_rows_and_dimensions_does_not_matter(first: Any, second: Any, swap: bool) -> None:
    rng = np.random.default_rng(8)
    a, b = rng.integers(0, 3, 600), rng.integers(0, 2, 600)
    flags = (rng.random(600) < 0.2 + 0.1 * a).astype(float)
    levels = {"a": ["p", "q", "r"], "b": ["s", "t"]}
    order = rng.permutation(600)
    one = disparity_map(verdicts({"a": a, "b": b}, flags, levels=levels))
    turned = {
        "a": np.argsort(np.array(first))[a][order],
        "b": np.argsort(np.array(second))[b][order],
    }
    names = {"a": [levels["a"][i] for i in first], "b": [levels["b"][i] for i in second]}
    keys = ["b", "a"] if swap else ["a", "b"]
    two = disparity_map(verdicts({k: turned[k] for k in keys}, flags[order], levels=names))
    plain = {frozenset(c.group.items()): (c.rate, c.difference, c.decision.outcome) for c in one.cells.groups}
    assert plain == {
        frozenset(c.group.items()): (c.rate, c.difference, c.decision.outcome) for c in two.cells.groups
    }


def test_pooling_brings_small_cells_nearer_to_the_truth() -> None:
    rng, raw, drawn = np.random.default_rng(6), 0.0, 0.0
    for _ in range(150):
        truth = np.clip(rng.normal(0.3, 0.08, 20), 0.02, 0.98)
        n = rng.integers(5, 60, 20)
        k = rng.binomial(n, truth)
        pooled = np.array([e.value for e in pooled_rates(k, n)])
        raw += float(((k / n - truth) ** 2).sum())
        drawn += float(((pooled - truth) ** 2).sum())
    assert drawn < 0.7 * raw


def test_cells_that_spread_by_chance_only_are_drawn_to_the_centre() -> None:
    found = pooled_rates([3, 3, 3, 3], [10, 10, 10, 10])
    assert [e.value for e in found] == pytest.approx([0.3] * 4)
    large = pooled_rates([3000, 5000, 4000, 0], [10_000, 10_000, 10_000, 0])
    assert [e.value for e in large[:3]] == pytest.approx([0.3, 0.5, 0.4], abs=1e-3)
    assert "no unit" in large[3].note
    assert all(e.value is None for e in pooled_rates([1, 2], [9, 9]))


def test_an_effect_must_exceed_its_placebos() -> None:
    placebo = np.linspace(-0.1, 0.1, 39)
    assert against_placebos(0.2, placebo).p == pytest.approx(1 / 40)
    assert against_placebos(0.0, placebo).p == 1
    assert noise_floor(placebo).value == pytest.approx(0.0947, abs=0.006)
    few = against_placebos(0.2, placebo[:18])
    assert few.p is None and "19 are needed" in few.note
    assert noise_floor(placebo[:18]).value is None
    assert noise_floor(placebo[:19]).value is not None
    assert against_placebos(0.2, [*placebo, np.nan]).n_unscored == 1
