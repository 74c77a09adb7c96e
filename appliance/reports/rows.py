"""Records and verdicts as rows that every writer shares: a missing verdict is unscored, never absent."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from appliance.domain.verdicts import Verdict
from appliance.reports.data import RecordReport, RunReport

NOT_JUDGED = "no verdict of this judge in the report"
NOTHING_FLAGGED = "nothing flagged by this judge"


@dataclass(frozen=True)
class Counted:
    """Records that both of the first two judges flagged, and those that any judge flagged."""

    any_flagged: int
    any_unscored: int


def verdicts(report: RunReport, record: RecordReport) -> Iterator[Verdict]:
    """One verdict per judge of the run, in the run's order."""
    given = {verdict.judge: verdict for verdict in record.verdicts}
    for judge in report.judges:
        yield given.pop(judge.name, unscored(record.record_id, judge.name, NOT_JUDGED))
    yield from given.values()


def unscored(record_id: str, judge: str, reason: str) -> Verdict:
    return Verdict(record_id=record_id, judge=judge, status="unscored", reason=reason)


def review_reasons(report: RunReport) -> dict[str, tuple[str, ...]]:
    """record_id -> why people must look at it."""
    reasons: dict[str, tuple[str, ...]] = {}
    for item in report.review:
        known = reasons.get(item.record_id, ())
        reasons[item.record_id] = tuple(dict.fromkeys((*known, *item.reasons)))
    return reasons


def counted(report: RunReport) -> Counted:
    said = [tuple(verdicts(report, record)) for record in report.records]
    return Counted(
        any_flagged=sum(any(v.flag for v in row) for row in said),
        any_unscored=sum(any(v.status == "unscored" for v in row) for row in said),
    )


def outcome(verdict: Verdict) -> str:
    """The verdict in a few words. Unscored is never clean."""
    if verdict.status == "unscored" or verdict.flag is None:
        return f"UNSCORED: {verdict.reason or 'no reason recorded'}"
    if not verdict.flag:
        return NOTHING_FLAGGED
    return f"flagged ({verdict.severity})" if verdict.severity else "flagged"


def categories(verdict: Verdict) -> tuple[str, ...]:
    """Kinds of its findings, each once, in order."""
    return tuple(dict.fromkeys(finding.category for finding in verdict.findings))


def dimension_text(verdict: Verdict) -> str:
    """The harness key identity_dimension, which may be one name or several."""
    value: Any = verdict.result.get("identity_dimension")
    if isinstance(value, (list, tuple)):
        return ", ".join(str(item) for item in value)
    return "" if value is None else str(value)
