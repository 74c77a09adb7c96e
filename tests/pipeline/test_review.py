from __future__ import annotations

import pytest

from appliance.domain.records import SkippedRecord
from appliance.domain.verdicts import Divergence, Verdict
from appliance.pipeline.review import review_reasons


def divergence(record_id: str, *reasons: str) -> Divergence:
    return Divergence(
        record_id=record_id,
        score_difference=None,
        flag_disagreement=None,
        label_agreement=None,
        severity_steps=None,
        evidence_overlap=None,
        divergent=bool(reasons),
        reasons=reasons,
    )


def reasons_of(**verdict: object) -> tuple[str, ...]:
    made = Verdict.model_validate({"record_id": "r", "judge": "j", "status": "scored", **verdict})
    return review_reasons({"r": divergence("r")}, [{"r": made}], []).get("r", ())


@pytest.mark.parametrize(("stated", "measured", "sent"), [
    (0.8, 0.8, False),
    (0.79, 0.9, True),
    (0.9, 0.79, True),
    (0.9, None, False),
    (None, None, True),
])  # fmt: skip
def test_a_flag_without_confidence_goes_to_people(
    stated: float | None, measured: float | None, sent: bool
) -> None:
    found = reasons_of(flag=True, severity="LOW", stated_confidence=stated, measured_confidence=measured)
    assert bool(found) is sent


def test_no_flag_needs_no_confidence_but_high_severity_always_goes_to_people() -> None:
    assert reasons_of(flag=False, stated_confidence=0.1) == ()
    assert reasons_of(flag=True, severity="HIGH", stated_confidence=1.0) == ("j flags it as HIGH",)


def test_unscored_skipped_and_divergent_records_go_to_people() -> None:
    bad = Verdict(record_id="a", judge="j", status="unscored", reason="too long")
    good = Verdict(record_id="b", judge="j", status="scored", flag=False)
    fine = good.model_copy(update={"record_id": "c"})
    found = review_reasons(
        {"a": divergence("a"), "b": divergence("b", "scores differ"), "c": divergence("c")},
        [{"a": bad, "b": good, "c": fine}],
        [SkippedRecord(record_id="s", place="line 9", reason="empty text")],
    )
    assert found == {
        "s": ("not judged: empty text",),
        "a": ("unscored by j: too long",),
        "b": ("judges diverge: scores differ",),
    }
