"""Inputs that once came out as clear, or hid what was there; each was found by trying to break the rules."""

from __future__ import annotations

import math

import numpy as np
import pytest

from appliance.domain.outcomes import Hypothesis
from appliance.statistics.arrays import clusters
from appliance.statistics.divergence.differential import differential, hypotheses
from appliance.statistics.equivalence import tost
from appliance.statistics.intersections.cells import verdicts
from appliance.statistics.intersections.compound import compound_audit
from appliance.statistics.intersections.pooling import pooled_rates
from appliance.statistics.judging.robustness import robustness
from appliance.statistics.outcome import decide
from appliance.statistics.paired.analysis import analyse
from appliance.statistics.paired.pairs import from_long, make_pairs
from appliance.statistics.power.equivalence import equivalence_n
from appliance.statistics.power.means import paired_n
from appliance.statistics.power.planned import detectable_ratio

ITEMS = np.repeat(np.arange(100), 10)


def outcomes(*family: Hypothesis) -> list[str]:
    return [decision.outcome for decision in decide("a family", family).decisions]


@pytest.mark.parametrize(("kept", "expected"), [(10, "clear"), (1, "inconclusive")])
def test_a_unit_that_lost_its_repeats_on_one_side_is_not_cleared(kept: int, expected: str) -> None:
    y = np.zeros((100, 10))
    y[:, kept:] = np.nan
    pairs = make_pairs(np.zeros(1000), y.ravel(), unit=ITEMS)
    assert (pairs.n, pairs.n_unscored) == (100, 0)
    assert pairs.unscored_share == pytest.approx(1 - kept / 10)
    assert outcomes(analyse(pairs).hypothesis("names", 0.5, 20, largest=4)) == [expected]


@pytest.mark.parametrize(("every", "expected"), [(1, "clear"), (10, "inconclusive")])
def test_nor_is_a_judge_whose_perturbed_answers_were_lost(every: int, expected: str) -> None:
    perturbed = ["a" if i % every == 0 else None for i in range(1000)]
    found = robustness(["a"] * 1000, ["a"] * 1000, perturbed, item=ITEMS)
    assert outcomes(found.hypothesis("names", 0.1, 20)) == [expected]


def test_rows_of_the_other_side_are_no_lost_values() -> None:
    score = [3.0, 3.0, 4.0, 4.0, np.nan]
    pairs = from_long(score, [True, False, True, False, True], ["a", "a", "b", "b", "b"])
    assert pairs.unscored_share == pytest.approx(1 / 3)
    assert pairs.n_values_unscored == 1


def test_a_group_is_not_cleared_against_a_rest_that_was_half_lost() -> None:
    differences = np.random.default_rng(0).normal(0, 0.1, 400)
    differences[200:300] = np.nan
    groups = ["a"] * 200 + ["b"] * 200
    found = differential(differences, groups, ["a", "b"])
    assert outcomes(*hypotheses(found, 0.2, 20)) == ["inconclusive", "inconclusive"]
    whole = differential(np.where(np.isnan(differences), 0.0, differences), groups, ["a", "b"])
    assert outcomes(*hypotheses(whole, 0.2, 20)) == ["clear", "clear"]


@pytest.mark.parametrize("templates", [12, 50, 60])
def test_a_judge_that_does_the_same_in_every_template_has_its_hidden_compound(templates: int) -> None:
    a, b = (np.tile(each, templates) for each in ([0, 0, 1, 1], [0, 1, 0, 1]))
    levels, template = {"a": ["x", "y"], "b": ["u", "w"]}, np.repeat(np.arange(templates), 4)
    identity = {"a": np.repeat(a, 10), "b": np.repeat(b, 10)}
    audit = compound_audit(
        verdicts(
            identity, np.repeat(a != b, 10).astype(float), levels=levels, template=np.repeat(template, 10)
        )
    )
    assert [entry.hidden_compound for entry in audit.ledger] == [False, True, True, False]
    assert audit.ledger[1].excess_p == pytest.approx(2.0 ** (1 - templates), rel=1e-6)
    silent = compound_audit(verdicts(identity, np.zeros(len(identity["a"])), levels=levels))
    assert not any(entry.hidden_compound for entry in silent.ledger)


def test_an_equivalence_test_that_lost_its_inputs_is_refused() -> None:
    found = analyse(make_pairs([1.0, 2, 3, 2] * 50, [1.0, 2, 2, 3] * 50)).hypothesis("h", 0.5, 20)
    assert outcomes(found) == ["clear"]
    again = Hypothesis.model_validate_json(found.model_dump_json())
    with pytest.raises(ValueError, match="its margin is not known"):
        outcomes(again)
    other = found.model_copy(update={"equivalence": tost(0.0, 0.01, None, 0.9, n=200)})
    with pytest.raises(ValueError, match=r"0\.9 was tested"):
        outcomes(other)


@pytest.mark.parametrize("nobody", [None, math.nan])
def test_a_unit_of_no_cluster_is_refused(nobody: float | None) -> None:
    with pytest.raises(ValueError, match="position 1 has none"):
        clusters(["a", nobody, "b"], 3)
    with pytest.raises(ValueError, match="unit: the unit at position 0"):
        make_pairs([1.0, 2.0], [1.0, 2.0], unit=[nobody, "a"])


def test_planning_answers_or_says_why_not() -> None:
    with pytest.raises(ValueError, match="finite"):
        paired_n(math.nan)
    with pytest.raises(ValueError, match="sd above 0"):
        equivalence_n(0.1, sd=0)
    assert "billion" in paired_n(1e-5).note


@pytest.mark.parametrize(("level", "df"), [(5e-8, 1), (5e-6, 1), (1e-7, 2), (0.001, 4)])
def test_the_smallest_detectable_effect_holds_at_levels_that_large_families_ask_for(
    level: float, df: int
) -> None:
    from scipy import stats

    rng, shift = np.random.default_rng(1), detectable_ratio(level, 0.8, df)
    t = (rng.normal(size=200_000) + shift) / np.sqrt(rng.chisquare(df, 200_000) / df)
    assert np.mean(t > stats.t.isf(level / 2, df)) == pytest.approx(0.8, abs=0.005)


def test_a_pooled_rate_stays_a_rate() -> None:
    found = pooled_rates([0, 10, 1], [100, 100, 100], centre=[-0.05, 0.1, 0.02])
    assert all(0 <= (e.low or 0) <= (e.value or 0) <= (e.high or 0) <= 1 for e in found)
