"""The whole report as JSON, and back."""

from __future__ import annotations

import json
import re
from typing import Any

from appliance.reports.data import RunReport
from appliance.reports.standing import level_of, notice

SCHEMA = "run-report/1"

_SURROGATE = re.compile("[\ud800-\udfff]")


def to_json(report: RunReport) -> str:
    """Everything in the report, each scorecard's keys in the document's order; equal reports, equal bytes.

    Added to the report's own fields: `schema`, `standing_notice`, and `judge_standing` beside every
    verdict and group row, so that no verdict is quoted without it. NaN and infinity are refused
    (ValueError): an undefined number is null.
    """
    data = report.model_dump()
    data.update(schema=SCHEMA, standing_notice=notice(report).title)
    for row in _judged(data):
        row["judge_standing"] = level_of(report, row["judge"])
    text = json.dumps(data, ensure_ascii=False, allow_nan=False, indent=2, default=str)
    return _SURROGATE.sub(lambda found: f"\\u{ord(found[0]):04x}", text) + "\n"


def from_json(text: str) -> RunReport:
    """The report that `to_json` wrote. ValueError when it is another schema."""
    data = json.loads(text)
    if not isinstance(data, dict) or data.pop("schema", None) != SCHEMA:
        raise ValueError(f"not a {SCHEMA} document")
    data.pop("standing_notice", None)
    for row in _judged(data):
        row.pop("judge_standing", None)
    return RunReport.model_validate(data)


def _judged(data: dict[str, Any]) -> list[dict[str, Any]]:
    """Every object of the dump that says something on behalf of a judge."""
    return [*data["groups"], *(verdict for record in data["records"] for verdict in record["verdicts"])]


def summary_json(report: RunReport) -> dict[str, Any]:
    """The report without its records: what a pipeline decides on."""
    return report.model_dump(mode="json", exclude={"records", "config"}) | {"schema": "run-summary/1"}
