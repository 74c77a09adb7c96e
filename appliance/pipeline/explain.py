"""How a finding came about: everything that the store holds about it, joined."""

from __future__ import annotations

import json
from typing import Any

from appliance.pipeline.kinds import build_report
from appliance.reports.data import RunReport
from appliance.reports.explanation import Explanation
from appliance.store.reader import Reader
from appliance.store.rows import prompt_of


def build_explanation(reader: Reader, finding_id: str) -> Explanation:
    """UnknownIdError when no finding, or more than one, begins with `finding_id`."""
    finding = reader.finding(finding_id)
    run_id, fingerprint, record_id = finding["run_id"], finding["fingerprint"], finding["record_id"]
    report = build_report(reader, run_id)
    assert isinstance(report, RunReport)  # only audits of records have findings
    judge = next(j for j in report.judges if j.fingerprint == fingerprint)
    record = next(r for r in report.records if r.record_id == record_id)
    verdict = reader.verdicts(run_id, fingerprint, finding["repeat"])[record_id]
    attempt = reader.attempt(verdict.task_id)
    links = [
        c
        for c in reader.cell_tasks(run_id, fingerprint)
        if (c["record_id"], c["repeat"]) == (record_id, finding["repeat"])
    ]
    return Explanation(
        run_id=run_id,
        judge=judge,
        judge_details=_details(reader, run_id, fingerprint),
        record=record,
        verdict=verdict,
        finding=next(f for f in verdict.findings if f.finding_id == finding["finding_id"]),
        attempts=tuple(
            {"attempt": c["attempt_no"], "task": c["task_id"], "failure": c["failure"]} for c in links
        ),
        prompt=prompt_of(attempt["messages"]),
        prompt_ids_sha256=attempt["ids_sha256"],
        prompt_name=report.prompt_name,
        prompt_file_sha256=report.prompt_hash,
        sampling=json.loads(attempt["sampling"]),
        reply=attempt["text"],
        finish_reason=attempt["finish_reason"],
        received=attempt["received"],
        notes=tuple(json.loads(attempt["notes"])),
    )


def _details(reader: Reader, run_id: str, fingerprint: str) -> dict[str, Any]:
    details: dict[str, Any] = next(
        j["details"] for j in reader.judges(run_id) if j["fingerprint"] == fingerprint
    )
    return details
