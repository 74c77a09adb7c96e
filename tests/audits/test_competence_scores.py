"""Scores and measured confidence follow from labels and probabilities."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from appliance.audits.competence.labels import SEVERITIES, TEXT_FLAGS
from appliance.audits.competence.scoring import measured_confidence
from appliance.domain.verdicts import LabelDistribution

from .asking import QUIET, flagged, supported, verdict


def distribution(where: str, chosen: str, **probabilities: float) -> LabelDistribution:
    return LabelDistribution(where=where, chosen=chosen, probabilities=probabilities)


def claim(span: str, probability: float) -> LabelDistribution:
    return distribution(f"{span}.claim", "CLAIM", NO_CLAIM=1 - probability, CLAIM=probability)


def label(span: str, **flags: float) -> LabelDistribution:
    full = dict.fromkeys(("SUPPORTED", *TEXT_FLAGS), 0.0) | flags
    return distribution(f"{span}.verdict", max(full, key=full.__getitem__), **full)


def fact(span: str, omission: float) -> LabelDistribution:
    rest = (1 - omission) / 2
    return distribution(f"{span}.fact", "MENTIONED", MENTIONED=rest, NOT_EXPECTED=rest, OMISSION=omission)


@pytest.mark.parametrize(
    ("answer", "score", "bias"),
    [
        (flagged("DOWNGRADE", "HIGH"), -0.5, 0.5),
        (flagged("DOWNGRADE", "LOW"), -1 / 6, 1 / 6),
        (flagged("UPGRADE", "MEDIUM"), 1 / 3, 1 / 3),
        (flagged("QUALIFICATION_DIFFERENCE", "HIGH"), 0.0, 0.5),
        (supported(), 0.0, 0.0),
        ("NO_CLAIM", 0.0, 0.0),
    ],
)
def test_the_score_is_signed_by_direction_and_weighted_by_severity(
    answer: object, score: float, bias: float
) -> None:
    """Beside one supported statement."""
    found = verdict({**QUIET, "S2": answer})
    assert found.score == pytest.approx(score, abs=1e-6)
    assert found.bias_score == pytest.approx(bias, abs=1e-6)


def test_an_omission_lowers() -> None:
    assert verdict({**QUIET, "C1": flagged("OMISSION", "HIGH")}).score == pytest.approx(-0.5)


def test_the_bounds_are_reached() -> None:
    every = {
        "S1": flagged("UPGRADE", "HIGH"),
        "S2": flagged("UPGRADE", "HIGH"),
        "S3": flagged("UPGRADE", "HIGH"),
    }
    assert verdict({**QUIET, **every}).score == 1.0
    lowered = {k: flagged("DOWNGRADE", "HIGH") for k in every} | {"C1": flagged("OMISSION", "HIGH")}
    assert verdict({**QUIET, **lowered}).score == -1.0
    assert verdict({**QUIET, **lowered}).bias_score == 1.0


TEXT_ANSWER = st.one_of(
    st.just("NO_CLAIM"),
    st.just(supported()),
    st.builds(flagged, st.sampled_from(TEXT_FLAGS), st.sampled_from(SEVERITIES)),
)
FACT_ANSWER = st.one_of(
    st.sampled_from(["MENTIONED", "NOT_EXPECTED"]),
    st.builds(flagged, st.just("OMISSION"), st.sampled_from(SEVERITIES)),
)


@settings(max_examples=100, deadline=None)
@given(st.tuples(TEXT_ANSWER, TEXT_ANSWER, TEXT_ANSWER), st.tuples(FACT_ANSWER, FACT_ANSWER))
def test_scores_keep_to_their_bounds_and_are_none_only_without_statements(
    text: tuple[object, ...], facts: tuple[object, ...]
) -> None:
    answers = {f"S{i}": a for i, a in enumerate(text, 1)} | {f"C{i}": a for i, a in enumerate(facts, 1)}
    found = verdict({**answers, "confidence": 0.5})
    statements = sum(isinstance(a, dict) for a in (*text, *facts))
    assert (found.score is None) == (found.bias_score is None) == (statements == 0)
    if found.score is not None and found.bias_score is not None:
        assert -1 <= found.score <= 1 and 0 <= found.bias_score <= 1
        assert abs(found.score) <= found.bias_score + 1e-6
        assert (found.bias_score == 0) == (not found.findings)
    assert (found.severity is None) == (not found.findings)
    assert list(found.labels) == ["S1", "S2", "S3", "C1", "C2"]


def test_flagged_confidence_is_that_of_the_surest_flag() -> None:
    """S2: .9 x (.5 + .2) = .63; S3: .8 x .5 = .4."""
    labels = {"S1": "SUPPORTED", "S2": "DOWNGRADE", "S3": "UPGRADE"}
    found = measured_confidence(
        labels,
        (
            claim("S2", 0.9),
            label("S2", SUPPORTED=0.3, DOWNGRADE=0.5, UPGRADE=0.2),
            claim("S3", 0.8),
            label("S3", SUPPORTED=0.5, UPGRADE=0.5),
        ),
    )
    assert found == pytest.approx(0.63)


def test_unflagged_confidence_is_what_the_likeliest_flag_leaves() -> None:
    """S1: .9 x .1 = .09. S2, no claim, counts in full: .3. C1: .2."""
    labels = {"S1": "SUPPORTED", "S2": "NO_CLAIM", "C1": "MENTIONED"}
    given_all = (
        claim("S1", 0.9),
        label("S1", SUPPORTED=0.9, DOWNGRADE=0.1),
        claim("S2", 0.3),
        fact("C1", 0.2),
    )
    assert measured_confidence(labels, given_all) == pytest.approx(0.7)


def test_a_flagged_omission_counts_with_its_own_probability() -> None:
    assert measured_confidence({"S1": "NO_CLAIM", "C1": "OMISSION"}, (fact("C1", 0.6),)) == pytest.approx(0.6)


@pytest.mark.parametrize(
    ("labels", "known"),
    [
        ({"S1": "NO_CLAIM"}, ()),
        ({"S1": "NO_CLAIM", "S2": "NO_CLAIM"}, (claim("S1", 0.1),)),
        ({"S1": "NO_CLAIM", "C1": "MENTIONED"}, (claim("S1", 0.1),)),
        ({"S1": "DOWNGRADE"}, (label("S1", DOWNGRADE=1.0),)),
        ({"S1": "DOWNGRADE"}, (claim("S1", 0.9),)),
        ({"S1": "SUPPORTED"}, (claim("S1", 0.9),)),
        ({}, ()),
    ],
    ids=["none", "one of two", "no fact", "no claim", "no verdict, flagged", "no verdict", "no spans"],
)
def test_a_missing_distribution_leaves_confidence_unknown(
    labels: Mapping[str, str], known: tuple[LabelDistribution, ...]
) -> None:
    assert measured_confidence(labels, known) is None


def test_the_verdict_carries_both_confidences() -> None:
    known = (claim("S2", 0.9), label("S2", SUPPORTED=0.2, DOWNGRADE=0.8))
    found = verdict({**QUIET, "S2": flagged(), "confidence": 0.3}, distributions=known)
    assert found.stated_confidence == 0.3
    assert found.measured_confidence == pytest.approx(0.72)
    assert found.distributions == known
    assert verdict(QUIET).measured_confidence is None
