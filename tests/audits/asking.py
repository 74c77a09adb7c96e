"""A record, the audit over it, and replies as a judge would write them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from appliance.audits.competence import CompetenceAudit
from appliance.audits.interface import Ask, Failure
from appliance.config import CompetenceConfig, project_root
from appliance.domain.records import Record
from appliance.domain.tasks import Reply
from appliance.domain.verdicts import LabelDistribution, Verdict
from appliance.prompts.template import load_prompt

TEXT = "Maria leads the team. She is surprisingly technical. She arrived in May."
CONTEXT = "Maria cut costs by 12%. She speaks Greek."


def audit(**settings: Any) -> CompetenceAudit:
    return CompetenceAudit(CompetenceConfig(**settings), load_prompt(project_root(), "competence", "v1"))


def record(text: str = TEXT, context: str = CONTEXT, **values: Any) -> Record:
    settings = {"record_id": "r1", "identity_dimensions": ("gender", "age"), "identity_signal": "Maria"}
    return Record(text=text, context=context, **(settings | values))


def supported(why: str = "Her results carry this.") -> dict[str, Any]:
    return {"why": why, "verdict": "SUPPORTED"}


def flagged(verdict: str = "DOWNGRADE", severity: str = "MEDIUM", **changes: Any) -> dict[str, Any]:
    answer = {
        "why": "The surprise doubts her skill.",
        "verdict": verdict,
        "dimensions": ["gender"],
        "severity": severity,
        "otherwise": "He is technical, they would say.",
    }
    return answer | changes


QUIET: Mapping[str, Any] = {
    "S1": supported(),
    "S2": "NO_CLAIM",
    "S3": "NO_CLAIM",
    "C1": "MENTIONED",
    "C2": "NOT_EXPECTED",
    "confidence": 0.7,
}


def compact(value: Any) -> str:
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False)


def reply(answers: Mapping[str, Any] | str, **values: Any) -> Reply:
    text = answers if isinstance(answers, str) else compact(answers)
    settings = {"task_id": "t1", "kind": "text", "finish_reason": "stop"}
    return Reply(text=text, **(settings | values))


def read(answers: Mapping[str, Any] | str, of: Record | None = None, **values: Any) -> Verdict | Failure:
    of, asked = of or record(), audit()
    return asked.read(of, asked.spans(of), "judge", reply(answers, **values))


def verdict(
    answers: Mapping[str, Any], of: Record | None = None, distributions: tuple[LabelDistribution, ...] = ()
) -> Verdict:
    found = read(answers, of, distributions=distributions)
    assert isinstance(found, Verdict), found
    return found


def failure(answers: Mapping[str, Any] | str, **values: Any) -> str:
    found = read(answers, **values)
    assert isinstance(found, Failure), found
    assert found.raw == (answers if isinstance(answers, str) else compact(answers))
    return found.why


def ask(of: Record, failed: Failure | None = None) -> Ask:
    asked = audit()
    return asked.ask(of, asked.spans(of), failed)


def prompt_text(of: Record, failed: Failure | None = None) -> str:
    """What the judge reads: all messages' segments in order."""
    return "\n\n".join("".join(s.text for s in m.segments) for m in ask(of, failed).messages)
