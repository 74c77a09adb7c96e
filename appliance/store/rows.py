"""Domain values to table rows and back. JSON columns hold canonical JSON; NaN cannot get in."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from appliance.domain.base import canonical_json
from appliance.domain.records import Record, Span
from appliance.domain.tasks import Reply, Task
from appliance.domain.verdicts import Divergence, Finding, LabelDistribution, Verdict

Row = dict[str, Any]


def now() -> str:
    """ISO 8601 in UTC with seconds."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def record_row(record: Record) -> Row:
    body = record.model_dump(exclude={"text", "context", "place"})
    return {
        "content_hash": record.content_hash,
        "record_id": record.record_id,
        "text": record.text,
        "context": record.context,
        "body": canonical_json(body),
    }


def record_of(row: Mapping[str, Any]) -> Record:
    """row: of `records` joined with `run_records` (for `place`)."""
    body = json.loads(row["body"])
    return Record(**body, text=row["text"], context=row["context"], place=row["place"])


def span_rows(record: Record, spans: tuple[Span, ...]) -> list[Row]:
    return [{"content_hash": record.content_hash, **span.model_dump()} for span in spans]


def task_row(task: Task) -> Row:
    question = task.question
    return {
        "task_id": task.task_id,
        "fingerprint": task.judge,
        "messages": canonical_json([m.model_dump(mode="json") for m in question.messages]),
        "reply_schema": json.dumps(question.reply_schema, ensure_ascii=False),  # the order of keys matters
        "sampling": canonical_json(task.sampling.model_dump()),
        "salt": task.salt,
        "created": now(),
    }


def attempt_row(run_id: str, reply: Reply) -> Row:
    row = reply.model_dump(mode="json", exclude={"notes", "distributions"})
    distributions = [d.model_dump(mode="json") for d in reply.distributions]
    return row | {
        "run_id": run_id,
        "received": now(),
        "notes": canonical_json(list(reply.notes)),
        "distributions": canonical_json(distributions),
    }


def reply_of(row: Mapping[str, Any]) -> Reply:
    values = {name: row[name] for name in Reply.model_fields if name not in ("notes", "distributions")}
    distributions = tuple(LabelDistribution(**d) for d in json.loads(row["distributions"]))
    return Reply(**values, notes=tuple(json.loads(row["notes"])), distributions=distributions)


def verdict_row(run_id: str, fingerprint: str, verdict: Verdict) -> Row:
    plain = verdict.model_dump(mode="json", exclude={"findings", "distributions", "labels", "result"})
    return plain | {
        "run_id": run_id,
        "fingerprint": fingerprint,
        "labels": json.dumps(verdict.labels),  # in the order of the sentences
        "result": json.dumps(verdict.result, ensure_ascii=False, allow_nan=False),
        "created": now(),
    }


def _of(run_id: str, fingerprint: str, verdict: Verdict) -> Row:
    """Which answer a row belongs to."""
    key = {"run_id": run_id, "record_id": verdict.record_id, "fingerprint": fingerprint}
    return key | {"repeat": verdict.repeat}


def finding_rows(run_id: str, fingerprint: str, verdict: Verdict) -> list[Row]:
    common = _of(run_id, fingerprint, verdict)
    return [
        common | f.model_dump(exclude={"dimensions"}) | {"dimensions": canonical_json(list(f.dimensions))}
        for f in verdict.findings
    ]


def probability_rows(run_id: str, fingerprint: str, verdict: Verdict) -> list[Row]:
    common = _of(run_id, fingerprint, verdict)
    return [
        common
        | {
            "place": d.where,
            "chosen": d.chosen,
            "probabilities": canonical_json(d.probabilities),
            "unresolved": d.unresolved,
        }
        for d in verdict.distributions
    ]


def prompt_of(messages: str) -> str:
    """The messages of a task as one text for people: [role], then its text."""
    parts = (
        f"[{message['role']}]\n" + "".join(segment["text"] for segment in message["segments"])
        for message in json.loads(messages)
    )
    return "\n\n".join(parts)


def verdict_of(
    row: Mapping[str, Any], findings: tuple[Finding, ...], distributions: tuple[LabelDistribution, ...]
) -> Verdict:
    plain = ("record_id", "judge", "status", "reason", "score", "bias_score", "severity")
    numbers = ("stated_confidence", "measured_confidence", "task_id", "attempts", "repeat")
    return Verdict(
        **{name: row[name] for name in (*plain, *numbers)},
        flag=None if row["flag"] is None else bool(row["flag"]),
        labels=json.loads(row["labels"]),
        result=json.loads(row["result"]),
        findings=findings,
        distributions=distributions,
    )


def finding_of(row: Mapping[str, Any]) -> Finding:
    values = {name: row[name] for name in Finding.model_fields if name != "dimensions"}
    return Finding(**values, dimensions=tuple(json.loads(row["dimensions"])))


def distribution_of(row: Mapping[str, Any]) -> LabelDistribution:
    return LabelDistribution(
        where=row["place"],
        chosen=row["chosen"],
        probabilities=json.loads(row["probabilities"]),
        unresolved=row["unresolved"],
    )


def divergence_row(run_id: str, divergence: Divergence) -> Row:
    row = divergence.model_dump(mode="json", exclude={"reasons"})
    return row | {"run_id": run_id, "reasons": canonical_json(list(divergence.reasons))}


def divergence_of(row: Mapping[str, Any]) -> Divergence:
    values = {name: row[name] for name in Divergence.model_fields if name != "reasons"}
    return Divergence(**values, reasons=tuple(json.loads(row["reasons"])))
