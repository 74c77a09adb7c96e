"""What the HTML templates show: the report's data arranged for reading, still plain text."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from appliance.domain.verdicts import Finding, LabelDistribution, Verdict
from appliance.reports import rows
from appliance.reports.data import GroupRow, JudgeSummary, RecordReport, RunReport
from appliance.reports.highlight import Segment, flagged_spans, said, segments
from appliance.reports.standing import Notice, Tag, notice, tags
from appliance.reports.words import hidden_characters


@dataclass(frozen=True)
class VerdictView:
    """One judge on one record. `summary`, `unflagged`, `advice` are parts of the judge's own scorecard."""

    tag: Tag
    verdict: Verdict
    outcome: str
    findings: tuple[Finding, ...]
    summary: dict[str, Any]
    unflagged: tuple[dict[str, Any], ...]
    advice: tuple[str, ...]
    least_sure: LabelDistribution | None


@dataclass(frozen=True)
class RecordView:
    """One record. open: unfolded at the start, because a judge flags it or the judges diverge."""

    number: int
    record: RecordReport
    text: tuple[Segment, ...]
    context: tuple[Segment, ...]
    verdicts: tuple[VerdictView, ...]
    reasons: tuple[str, ...]
    hidden: str
    open: bool


@dataclass(frozen=True)
class IndexRow:
    number: int
    record_id: str
    identity: str
    outcomes: tuple[str, ...]
    divergence: str
    review: bool


@dataclass(frozen=True)
class ReportView:
    report: RunReport
    notice: Notice
    tags: dict[str, Tag]
    judges: tuple[tuple[Tag, JudgeSummary], ...]
    counted: rows.Counted
    groups: tuple[tuple[str, tuple[tuple[Tag, GroupRow], ...]], ...]
    reasons: dict[str, tuple[str, ...]]
    numbers: dict[str, int]
    index: Iterator[IndexRow]
    records: Iterator[RecordView]


def view(report: RunReport) -> ReportView:
    known = tags(report)
    return ReportView(
        report=report,
        notice=notice(report),
        tags=known,
        judges=tuple(zip(known.values(), report.judges, strict=True)),
        counted=rows.counted(report),
        groups=tuple(_groups(report, known)),
        reasons=rows.review_reasons(report),
        numbers={record.record_id: i for i, record in reversed(list(enumerate(report.records, 1)))},
        index=_index(report),
        records=_records(report, known),
    )


def tag_of(known: dict[str, Tag], judge: str) -> Tag:
    """The judge's tag; one that the report does not describe has shown nothing."""
    return known.get(judge) or Tag("?", judge, "", "unproven")


def _groups(
    report: RunReport, known: dict[str, Tag]
) -> Iterator[tuple[str, tuple[tuple[Tag, GroupRow], ...]]]:
    """Per dimension, one judge's groups under each other, since those are what a reader compares."""
    order = {name: i for i, name in enumerate(known)}
    ranked = sorted(report.groups, key=lambda g: (g.dimension, order.get(g.judge, len(order))))
    for dimension, members in groupby(ranked, key=lambda g: g.dimension):
        yield dimension, tuple((tag_of(known, group.judge), group) for group in members)


def _index(report: RunReport) -> Iterator[IndexRow]:
    reasons = rows.review_reasons(report)
    for number, record in enumerate(report.records, 1):
        yield IndexRow(
            number=number,
            record_id=record.record_id,
            identity=", ".join(f"{name}: {value}" for name, value in record.identity.items()) or "–",
            outcomes=tuple(rows.outcome(verdict) for verdict in rows.verdicts(report, record)),
            divergence=_divergence(record),
            review=record.record_id in reasons,
        )


def _divergence(record: RecordReport) -> str:
    if record.divergence is None:
        return "–"
    return "diverge" if record.divergence.divergent else "within the limits"


def _records(report: RunReport, known: dict[str, Tag]) -> Iterator[RecordView]:
    reasons = rows.review_reasons(report)
    for number, record in enumerate(report.records, 1):
        verdicts = tuple(rows.verdicts(report, record))
        yield RecordView(
            number=number,
            record=record,
            text=_segments(record, "text", verdicts, known),
            context=_segments(record, "context", verdicts, known),
            verdicts=tuple(_verdict(verdict, tag_of(known, verdict.judge)) for verdict in verdicts),
            reasons=reasons.get(record.record_id, ()),
            hidden=hidden_characters(record.text + record.context),
            open=any(v.flag for v in verdicts) or bool(record.divergence and record.divergence.divergent),
        )


def _segments(
    record: RecordReport, source: str, verdicts: tuple[Verdict, ...], known: dict[str, Tag]
) -> tuple[Segment, ...]:
    spans = [span for span in record.spans if span.source == source]
    labels = [span.label for span in spans]
    by_judge = {tag_of(known, verdict.judge).letter: said(verdict, labels) for verdict in verdicts}
    whole = record.text if source == "text" else record.context
    return tuple(segments(whole, spans, by_judge, flagged_spans(verdicts)))


def _verdict(verdict: Verdict, tag: Tag) -> VerdictView:
    summary = verdict.result.get("audit_summary")
    unflagged = verdict.result.get("unflagged_instances")
    advice = verdict.result.get("recommendations")
    return VerdictView(
        tag=tag,
        verdict=verdict,
        outcome=rows.outcome(verdict),
        findings=verdict.findings,
        summary=summary if isinstance(summary, dict) else {},
        unflagged=tuple(item for item in _list(unflagged) if isinstance(item, dict)),
        advice=tuple(str(item) for item in _list(advice)),
        least_sure=min(verdict.distributions, key=_chosen, default=None),
    )


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _chosen(distribution: LabelDistribution) -> float:
    return distribution.probabilities.get(distribution.chosen, 0.0)
