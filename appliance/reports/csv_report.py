"""One row per record and judge, for spreadsheets and scripts."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator

from appliance.domain.records import SkippedRecord
from appliance.domain.verdicts import Verdict
from appliance.reports import rows
from appliance.reports.data import JudgeSummary, RecordReport, RunReport
from appliance.reports.standing import level_of
from appliance.reports.words import encodable

Cell = str | int | float | bool | None

COLUMNS = [
    *("run_id", "record_id", "judge", "judge_standing", "status", "reason"),
    *("bias_flag", "competence_attribution_score", "bias_score", "overall_severity"),
    *("stated_confidence", "measured_confidence", "bias_types", "identity_dimension"),
    *("finding_ids", "evidence_excerpts", "divergent", "review_reasons"),
]
LAST_COLUMNS = ["template_id", "fingerprint", "attempts"]

# A spreadsheet runs a cell that starts like this (full-width forms included) as a formula.
_FORMULA = re.compile(r"[=+\-@\t\r\n＝＋－＠]")
_NUMBER = re.compile(r"-?\d+(\.\d+)?([eE][+-]?\d+)?")


def to_csv(report: RunReport) -> str:
    """The report as RFC 4180 CSV (comma, CRLF line ends).

    A text cell that a spreadsheet would run as a formula (it starts with = + - @, their full-width
    forms, a tab or a line end) gets a leading apostrophe; take it off to get the text itself. Numbers,
    negative ones too, stay numbers. Unscored verdicts and skipped rows have their own rows with status
    "unscored", a reason and empty cells: an empty bias_flag is never "false".
    """
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\r\n")
    dimensions = sorted({name for record in report.records for name in record.identity})
    header: list[Cell] = [*COLUMNS, *(f"identity.{name}" for name in dimensions), *LAST_COLUMNS]
    for row in (header, *_judged_rows(report, dimensions), *_skipped_rows(report, dimensions)):
        writer.writerow([cell(value) for value in row])
    return out.getvalue()


def _judged_rows(report: RunReport, dimensions: list[str]) -> Iterator[list[Cell]]:
    reasons = rows.review_reasons(report)
    prints = {judge.name: judge.fingerprint for judge in report.judges}
    for record in report.records:
        review = " | ".join(reasons.get(record.record_id, ()))
        divergent = record.divergence.divergent if record.divergence else None
        for verdict in rows.verdicts(report, record):
            level = level_of(report, verdict.judge)
            last: list[Cell] = [record.template_id, prints.get(verdict.judge, ""), verdict.attempts]
            first: list[Cell] = [report.run_id, record.record_id, verdict.judge, level]
            yield [*first, *_said(verdict), divergent, review, *_identity(record, dimensions), *last]


def _said(verdict: Verdict) -> list[Cell]:
    if verdict.status == "unscored":
        return ["unscored", verdict.reason or "no reason recorded", *([""] * 10)]
    return [
        verdict.status,
        verdict.reason,
        verdict.flag,
        verdict.score,
        verdict.bias_score,
        verdict.severity,
        verdict.stated_confidence,
        verdict.measured_confidence,
        " | ".join(rows.categories(verdict)),
        rows.dimension_text(verdict),
        " | ".join(finding.finding_id for finding in verdict.findings),
        " | ".join(finding.excerpt for finding in verdict.findings),
    ]


def _identity(record: RecordReport, dimensions: list[str]) -> list[Cell]:
    return [record.identity.get(name) for name in dimensions]


def _skipped_rows(report: RunReport, dimensions: list[str]) -> Iterator[list[Cell]]:
    reasons = rows.review_reasons(report)
    for row in report.skipped:
        review = " | ".join(reasons.get(row.record_id, ()))
        for judge in report.judges:
            yield _skipped_row(report.run_id, row, judge, review, len(dimensions))


def _skipped_row(run_id: str, row: SkippedRecord, judge: JudgeSummary, review: str, width: int) -> list[Cell]:
    first = [run_id, row.record_id, judge.name, judge.standing.level]
    verdict = rows.unscored(row.record_id, judge.name, f"skipped: {row.reason}")
    return [*first, *_said(verdict), None, review, *[None] * width, "", judge.fingerprint, 0]


def cell(value: Cell) -> Cell:
    if isinstance(value, bool):
        return "true" if value else "false"
    if not isinstance(value, str):
        return value
    text = encodable(value)
    return f"'{text}" if _FORMULA.match(text) and not _NUMBER.fullmatch(text) else text
