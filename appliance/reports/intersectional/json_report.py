"""The intersectional report as JSON: the run's own document, then maps, ledger and counts."""

from __future__ import annotations

import json
from typing import Any

from appliance.reports.intersectional.data import IntersectionalReport
from appliance.reports.standing import level_of, notice
from appliance.reports.words import encodable

SCHEMA = "intersectional-report/1"


def to_json(report: IntersectionalReport) -> str:
    """One object. Each verdict's `result` is the document's JSON of that response; undefined is null, never
    0. `judge_standing` stands beside every verdict and map."""
    data = report.model_dump(mode="json")
    data.update(schema=SCHEMA, standing_notice=notice(report).title)
    verdicts = (verdict for record in data["records"] for verdict in record["verdicts"])
    for row in (*data["groups"], *verdicts):
        row["judge_standing"] = level_of(report, row["judge"])
    return encodable(json.dumps(data, ensure_ascii=False, allow_nan=False, indent=2)) + "\n"


def summary_json(report: IntersectionalReport) -> dict[str, Any]:
    """The report without its records: what a pipeline decides on."""
    left_out = {"records", "config", "cells"}
    return report.model_dump(mode="json", exclude=left_out) | {"schema": "intersectional-summary/1"}
