"""The scorecard is the document's, to the letter, and says nothing that the labels do not."""

from __future__ import annotations

from typing import Any

import pytest

from appliance.domain.verdicts import Verdict

from .asking import QUIET, compact, flagged, record, supported, verdict

# The structure of the document's OUTPUT SCHEMA, copied key by key.
DOCUMENT: dict[str, Any] = {
    "audit_summary": {
        "total_competence_statements": 0,
        "flagged_instances": 0,
        "overall_severity": "",
        "primary_bias_pattern": "",
    },
    "flagged_instances": [
        {
            "id": "",
            "extracted_statement": "",
            "bias_type": "",
            "identity_dimensions_implicated": [""],
            "evidence_gap": "",
            "severity": "",
            "counterfactual_note": "",
        }
    ],
    "unflagged_instances": [{"id": "", "extracted_statement": "", "why_benign": ""}],
    "recommendations": [""],
}
HARNESS = {
    "competence_attribution_score": 0.0,
    "bias_flag": False,
    "evidence_excerpts": [{}],
    "identity_dimension": [""],
    "confidence": 0.0,
}
OURS = {"record_id": ""}


def shape(value: Any) -> Any:
    """Keys and types alone; a list is shaped like its first member."""
    if isinstance(value, dict):
        return {key: shape(part) for key, part in value.items()}
    if isinstance(value, list):
        return [shape(value[0])] if value else []
    return type(value).__name__


def flagged_verdict() -> Verdict:
    return verdict(
        {**QUIET, "S2": flagged(), "C1": flagged("OMISSION", "HIGH", dimensions=["age", "gender"])}
    )


def test_the_result_has_the_keys_of_the_document_and_of_its_harness() -> None:
    result = flagged_verdict().result
    assert list(result) == [*DOCUMENT, *OURS, *HARNESS]
    assert shape({k: result[k] for k in DOCUMENT}) == shape(DOCUMENT)
    assert {k: type(result[k]) for k in HARNESS} == {k: type(v) for k, v in HARNESS.items()}


def test_the_values_of_a_flagged_record() -> None:
    result = flagged_verdict().result
    assert result["audit_summary"] == {
        "total_competence_statements": 3,
        "flagged_instances": 2,
        "overall_severity": "HIGH",
        "primary_bias_pattern": "DOWNGRADE in 1 of 3 competence statements, implicating gender.",
    }
    downgrade = result["flagged_instances"][0]
    assert downgrade["extracted_statement"] == "She is surprisingly technical."
    assert (downgrade["bias_type"], downgrade["severity"]) == ("DOWNGRADE", "MEDIUM")
    assert downgrade["identity_dimensions_implicated"] == ["gender"]
    assert downgrade["evidence_gap"] == "The surprise doubts her skill."
    assert downgrade["counterfactual_note"] == "He is technical, they would say."
    assert result["unflagged_instances"] == [
        {"id": "S1", "extracted_statement": "Maria leads the team.", "why_benign": "Her results carry this."}
    ]
    assert result["bias_flag"] is True
    assert result["identity_dimension"] == ["age", "gender"]
    assert result["confidence"] == 0.7


def test_counts_agree_with_the_lists() -> None:
    for found in (flagged_verdict(), verdict(QUIET), verdict({**QUIET, "S1": flagged("UPGRADE", "LOW")})):
        summary = found.result["audit_summary"]
        assert summary["flagged_instances"] == len(found.result["flagged_instances"]) == len(found.findings)
        assert summary["total_competence_statements"] == len(found.result["flagged_instances"]) + len(
            found.result["unflagged_instances"]
        )
        assert found.result["bias_flag"] == found.flag == bool(found.findings)
        assert len(found.result["evidence_excerpts"]) == len(found.findings)


def test_no_pattern_is_said_in_both_places() -> None:
    summary = verdict(QUIET).result["audit_summary"]
    assert summary["overall_severity"] == "No pattern detected"
    assert summary["primary_bias_pattern"] == "No pattern detected"
    assert verdict(QUIET).result["flagged_instances"] == []
    assert verdict(QUIET).severity is None


def test_a_text_without_competence_statements_is_explained() -> None:
    found = verdict({**QUIET, "S1": "NO_CLAIM"})
    assert found.result["audit_summary"]["total_competence_statements"] == 0
    (explained,) = found.result["recommendations"]
    assert "No competence statement was found" in explained and "all 3 sentences" in explained
    assert found.score is None and found.bias_score is None, "undefined, not zero"
    assert found.result["competence_attribution_score"] is None
    assert found.status == "scored" and found.flag is False


def test_an_omission_cites_the_context_and_quotes_nothing_from_the_text() -> None:
    found = verdict({**QUIET, "C1": flagged("OMISSION")})
    (instance,) = found.result["flagged_instances"]
    assert instance["extracted_statement"] == ""
    assert instance["evidence_gap"].startswith("The context says: “Maria cut costs by 12%.”")
    assert instance["evidence_gap"].endswith("The surprise doubts her skill.")
    assert found.result["evidence_excerpts"] == [
        {"span": "C1", "source": "context", "start": 0, "end": 23, "excerpt": "Maria cut costs by 12%."}
    ]


def test_without_context_the_scorecard_says_that_omissions_were_not_assessed() -> None:
    answers = {k: v for k, v in QUIET.items() if not k.startswith("C")}
    for blank in ("", " \n\t"):
        (said,) = verdict(answers, record(context=blank)).result["recommendations"]
        assert said.startswith("Omissions were not assessed")
    assert verdict(QUIET).result["recommendations"] == []


def test_without_context_and_statements_both_are_said() -> None:
    answers = {"S1": "NO_CLAIM", "S2": "NO_CLAIM", "S3": "NO_CLAIM", "confidence": 0.1}
    assert len(verdict(answers, record(context="")).result["recommendations"]) == 2


def test_every_finding_sends_a_person_to_its_sentence() -> None:
    found = flagged_verdict().result["recommendations"]
    assert [said.split(" (")[0] for said in found] == [
        "Have a person read S2",
        "Have a person read C1",
    ]


def test_the_leading_pattern_is_the_most_frequent_kind() -> None:
    answers = {
        **QUIET,
        "S1": flagged("UPGRADE"),
        "S2": flagged("DOWNGRADE"),
        "S3": flagged("UPGRADE", dimensions=["age"]),
    }
    pattern = verdict(answers).result["audit_summary"]["primary_bias_pattern"]
    assert pattern == "UPGRADE in 2 of 3 competence statements, implicating age, gender."


def test_a_dimension_named_twice_is_listed_once() -> None:
    found = verdict({**QUIET, "S2": flagged(dimensions=["gender", "gender"])})
    assert found.findings[0].dimensions == ("gender",)


def test_finding_ids_differ_within_a_record_and_are_stable() -> None:
    first, again = flagged_verdict(), flagged_verdict()
    ids = [f.finding_id for f in first.findings]
    assert len(set(ids)) == 2
    assert ids == [f.finding_id for f in again.findings]


UNUSUAL = {
    "emoji": "👩🏽‍🔬 She leads 👍🏿. She is “technical”.",
    "curly quotes": "“She’s brilliant,” they said. She isn’t ‘technical’.",
    "no-break spaces": "She\u00a0leads\u202fa team. She is\u00a0good.",
    "combining marks": "Zoe\u0308 leads. Jose\u0301 is\u0301 good.",
    "ligatures": "Her work is eﬃcient. She ﬁnds faults.",
    "CRLF": "She leads.\r\nShe is good.\r\n",
    "right to left": "היא מובילה את הצוות. She is \u202egood\u202c.",
    "zero width": "She\u200b leads. She is\u200d good.",
    "escapes": 'She wrote C:\\new\\u12 "well". She is good.',
    "line breaks inside": "She\nleads the team. She\tis good.",
}


@pytest.mark.parametrize("text", UNUSUAL.values(), ids=UNUSUAL)
def test_excerpts_are_verbatim_slices_with_their_offsets(text: str) -> None:
    of = record(text, text)
    answers = {
        "S1": flagged(),
        "S2": flagged("UPGRADE"),
        "C1": flagged("OMISSION"),
        "C2": flagged("OMISSION"),
        "confidence": 0.5,
    }
    found = verdict(answers, of)
    assert len(found.findings) == 4
    for finding in found.findings:
        whole = of.text if finding.source == "text" else of.context
        assert whole[finding.start : finding.end] == finding.excerpt != ""
    for cited, finding in zip(found.result["evidence_excerpts"], found.findings, strict=True):
        assert cited["excerpt"] == finding.excerpt
        assert (cited["start"], cited["end"]) == (finding.start, finding.end)
    assert found.result["flagged_instances"][0]["extracted_statement"] == found.findings[0].excerpt
    assert compact(found.result)


def test_reasons_are_the_judges_and_stay_as_they_are() -> None:
    why = "Twelve tickets, 40% more, carry this."
    assert verdict({**QUIET, "S1": supported(why)}).result["unflagged_instances"][0]["why_benign"] == why
