"""When a single-axis audit passes, what incomplete data do, and how often a hidden compound is named."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from appliance.statistics.intersections.cells import Verdicts, verdicts
from appliance.statistics.intersections.compound import CompoundAudit, compound_audit
from appliance.statistics.intersections.disparity import disparity_map
from appliance.statistics.intersections.fairness import epsilon, epsilon_by_dimensions, subgroup_unfairness
from appliance.statistics.intersections.measures import MapRules
from appliance.statistics.intersections.placebo import against_placebos, net_of_placebos, noise_floor
from appliance.statistics.intersections.pooling import pooled_rates
from appliance.statistics.proportions import clustered_rate


def exact(flagged: dict[str, tuple[int, int]], unscored: dict[str, int] | None = None) -> Verdicts:
    """One dimension: level -> (flagged, scored), and the unscored beside them."""
    missing = unscored or {}
    rows = [
        (level, flag)
        for level, (k, n) in flagged.items()
        for flag in [1.0] * k + [0.0] * (n - k) + [np.nan] * missing.get(level, 0)
    ]
    return verdicts({"a": [level for level, _ in rows]}, [flag for _, flag in rows])


def crossed(rates: Any, n: int, seed: int, templates: int = 0) -> Verdicts:
    """n verdicts a cell, spread evenly over the templates, which differ by 10 points."""
    p, rng = np.asarray(rates), np.random.default_rng(seed)
    places = np.indices(p.shape).reshape(p.ndim, -1)
    template = np.tile(np.arange(n) % max(templates, 1), p.size)
    shift = rng.normal(0, 0.1, max(templates, 1))[template] if templates else 0.0
    chance = np.clip(np.repeat(p.ravel(), n) + shift, 0, 1)
    return verdicts(
        {f"d{axis}": np.repeat(places[axis], n).astype(str) for axis in range(p.ndim)},
        (rng.random(len(chance)) < chance).astype(float),
        template=template if templates else None,
    )


def axis(v: Verdicts, **rules: Any) -> Any:
    return compound_audit(v, MapRules(**rules)).axes[0]


def hidden(audits: list[CompoundAudit]) -> float:
    return float(np.mean([any(entry.hidden_compound for entry in audit.ledger) for audit in audits]))


def test_four_fifths_alone_pass_an_audit_and_clear_nothing() -> None:
    found = axis(exact({"x": (30, 100), "y": (40, 100)}))  # ratio 0.857, neither flagged nor equivalent
    assert (found.outcome, found.passes) == ("inconclusive", True)
    assert found.lowest_ratio == pytest.approx(0.6 / 0.7) and "0.86" in found.reason
    shown = axis(exact({"x": (300, 1000), "y": (310, 1000)}))
    assert (shown.outcome, shown.passes) == ("clear", True)


def test_a_ratio_under_four_fifths_passes_nothing_and_flags_only_what_is_shown() -> None:
    open_one = axis(exact({"x": (20, 60), "y": (29, 60)}))  # ratio 0.775, p 0.095
    assert (open_one.outcome, open_one.passes) == ("inconclusive", False)
    shown = axis(exact({"x": (60, 200), "y": (110, 200)}))
    assert (shown.outcome, shown.passes) == ("flagged", False)


def test_an_axis_with_much_unscored_does_not_pass() -> None:
    counts = {"x": (30, 100), "y": (33, 100)}
    assert axis(exact(counts, {"x": 5})).passes
    found = axis(exact(counts, {"x": 20}))
    assert (found.outcome, found.passes) == ("inconclusive", False)
    assert "Too much is unscored to pass x, y" in found.reason
    assert axis(exact(counts, {"x": 20}), max_unscored=0.2).passes
    v = crossed([[0.3, 0.5], [0.5, 0.3]], 400, 0)
    gaps = v.severity.copy()
    gaps[::5] = np.nan
    audit = compound_audit(Verdicts(v.dimensions, v.levels, v.cell, gaps, None, 1))
    assert not any(entry.hidden_compound for entry in audit.ledger)
    assert audit.omnibus["d0×d1"].n_unscored == 320


def test_an_axis_whose_difference_cannot_be_measured_does_not_pass() -> None:
    """Two templates, one for each level: a level and its template are the same thing."""
    flags = [1.0] * 30 + [0.0] * 70 + [1.0] * 31 + [0.0] * 69
    v = verdicts({"a": ["x"] * 100 + ["y"] * 100}, flags, template=[0] * 100 + [1] * 100)
    assert not axis(v).passes


def test_the_published_small_category_is_inconclusive_not_flagged() -> None:
    """New York City's example, impact ratio 0.789: selected are those who are not flagged."""
    chosen = {"White men": (215, 412), "Black men": (95, 226), "Native American women": (7, 17)}
    v = exact({name: (n - k, n) for name, (k, n) in chosen.items()})
    cells = {c.group["a"]: c for c in disparity_map(v, MapRules(min_n=10)).cells.groups}
    small = cells["Native American women"]
    assert small.impact_ratio.value == pytest.approx(0.789, abs=5e-4)
    assert (small.impact_ratio.low, small.impact_ratio.high) == pytest.approx((0.44, 1.40), abs=5e-3)
    assert small.decision.outcome == "inconclusive"
    assert disparity_map(v).cells.groups[1].decision.outcome == "insufficient data"


def test_rates_of_each_severity_are_as_wide_as_their_templates_make_them() -> None:
    severity = np.repeat([0.0, 2.0, 1.0, 0.0, 2.0, 0.0, 1.0, 0.0, 0.0, 2.0], 12)
    template = np.repeat(np.arange(10), 12)
    v = verdicts({"a": np.tile(["x", "y"], 60)}, severity, template=template, top=2)
    x = disparity_map(v).cells.groups[0]
    for each, rate in enumerate(x.severities):
        alone = clustered_rate(severity[::2] == each, template[::2])
        assert (rate.value, rate.low, rate.high) == (alone.value, alone.low, alone.high)
    assert sum(rate.value or 0 for rate in x.severities) == pytest.approx(1)


def test_an_absent_identity_is_no_level_and_an_absent_template_shares_nothing() -> None:
    for absent in (None, float("nan")):
        with pytest.raises(ValueError, match="row 1 has no level"):
            verdicts({"a": ["x", absent, "y"]}, [1, 0, 1])
        v = verdicts({"a": ["x", "y", "x", "y"]}, [1, 0, 1, 0], template=["t", absent, absent, "t"])
        assert v.template is not None and v.template.tolist() == [0, 1, 2, 0]
    for rows in (["x", "x"], np.array([0, 1])):
        with pytest.raises(ValueError, match="twice"):
            verdicts({"a": rows}, [1, 0], levels={"a": ["x", "x"]})


def test_epsilon_of_equal_groups_reaches_down_to_parity() -> None:
    """Percentiles of resamples alone would exclude 0 in every one of these."""
    rng = np.random.default_rng(0)
    for groups, n, p in ((4, 50, 0.3), (12, 100, 0.1)):
        k = rng.binomial(n, p, (150, groups))
        found = [epsilon(np.stack([each, n - each], axis=1)) for each in k]
        assert 0.91 <= np.mean([each.low == 0 for each in found]) <= 0.985


@pytest.mark.parametrize("n", [50, 200])
def test_epsilon_of_unequal_groups_is_covered_and_shown(n: int) -> None:
    rng, p = np.random.default_rng(1), np.array([0.2, 0.3, 0.3, 0.5])
    k = rng.binomial(n, p, (200, 4))
    found = [epsilon(np.stack([each, n - each], axis=1)) for each in k]
    assert np.mean([(e.low or 0) <= np.log(2.5) <= (e.high or 0) for e in found]) >= 0.93
    assert np.mean([(e.low or 0) > 0 for e in found]) > (0.99 if n == 200 else 0.5)
    assert "equal groups of these sizes show" in found[0].note


def test_an_outcome_that_no_group_has_is_no_disparity() -> None:
    assert epsilon([[6, 0, 14], [7, 0, 13]], 0).value == pytest.approx(epsilon([[6, 14], [7, 13]], 0).value)
    assert epsilon([[6, 0, 14], [7, 1, 13]], 0).value is None


def test_epsilon_of_three_outcomes_does_not_depend_on_their_order() -> None:
    table = np.array([[31, 6, 40], [24, 36, 30], [12, 21, 9]])
    one, two = epsilon(table), epsilon(table[::-1, [2, 0, 1]])
    assert (one.value, one.low, one.high, one.note) == (two.value, two.low, two.high, two.note)


def test_epsilon_without_smoothing_has_no_interval_where_resamples_are_infinite() -> None:
    found = epsilon([[1, 1000]] * 20, 0)
    assert found.value == 0 and found.low is None and "2000 of 2000 resamples" in found.note
    rarely = epsilon([[5, 20], [9, 16]], 0)
    assert rarely.low is not None and "resamples, left out" in rarely.note
    for wrong in (-1.0, float("nan")):
        with pytest.raises(ValueError, match="concentration"):
            epsilon([[1, 2], [2, 1]], wrong)
    with pytest.raises(ValueError, match="counts"):
        epsilon([[1, float("inf")], [2, 1]])


def test_what_was_not_scored_stays_beside_every_number() -> None:
    assert epsilon([[1, 2], [2, 1]], n_unscored=4).n_unscored == 4
    by = epsilon_by_dimensions([[[1, 2], [2, 1]], [[1, 2], [2, 1]]], ["a", "b"], n_unscored=3)
    assert {each.n_unscored for each in by.values()} == {3}
    assert [u.n_unscored for u in subgroup_unfairness([1, 2, 0], [4, 4, 0], [5, 0, 2])] == [5, 0, 2]
    assert [e.n_unscored for e in pooled_rates([1, 2, 3], [9, 9, 9], n_unscored=[0, 1, 2])] == [0, 1, 2]
    assert [e.n_unscored for e in pooled_rates([1, 2], [9, 9], n_unscored=7)] == [7, 7]


SIGN = np.array([1, -1])


@pytest.mark.parametrize(
    ("first", "size", "templates"), [([1, 1, 1], 0.1, 0), ([1, -1, 0], 0.15, 0), ([1, -1, 0], 0.15, 40)]
)
def test_an_interaction_of_two_or_three_dimensions_is_found(first: Any, size: float, templates: int) -> None:
    """3 by 2 by 2, 200 a cell, no single axis moves: found in 100% of 150 sets."""
    p = 0.4 + size * np.multiply.outer(np.array(first), np.multiply.outer(SIGN, SIGN))
    assert hidden([compound_audit(crossed(p, 200, seed, templates)) for seed in range(30)]) >= 0.9


@pytest.mark.parametrize("templates", [0, 40])
@pytest.mark.parametrize("steps", [(0.0, 0.0), (0.03, 0.04), (0.1, 0.1)])
def test_three_dimensions_that_only_add_up_hide_nothing(steps: tuple[float, float], templates: int) -> None:
    """Measured over 150 to 250 sets each: 0 to 0.7% are named."""
    first = 0.3 + steps[0] * np.arange(3)
    p = first[:, None, None] + steps[1] * np.add.outer(np.arange(2), np.arange(2))[None]
    audits = [compound_audit(crossed(p, 120, s, templates), MapRules(margin=0.05)) for s in range(40)]
    assert hidden(audits) <= 0.05


def test_an_effect_or_level_that_is_none_is_refused_beside_placebos() -> None:
    placebo = np.linspace(-0.1, 0.1, 39)
    for use in (against_placebos, net_of_placebos):
        with pytest.raises(ValueError, match="effect: nan"):
            use(float("nan"), placebo)
    with pytest.raises(ValueError, match="level"):
        noise_floor(placebo, 1.0)
