"""The disparity map as rows, for spreadsheets and scripts: one a judge and group, every margin included."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator

from appliance.reports.csv_report import Cell, cell
from appliance.reports.intersectional.data import IntersectionalReport, JudgeMap
from appliance.statistics.intersections.disparity import GroupMeasures

FIGURES = [
    *("n", "n_unscored", "flag_rate", "flag_rate_low", "flag_rate_high", "difference", "difference_low"),
    *("difference_high", "p_adjusted", "impact_ratio", "mean_severity", "outcome", "reason"),
]


def to_csv(report: IntersectionalReport) -> str:
    """RFC 4180 as `appliance.reports.csv_report.to_csv` writes it. A dimension that a margin does not have is
    empty; an undefined figure is empty, never 0. The responses themselves are in the JSON report."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\r\n")
    dimensions = list(report.dimensions)
    writer.writerow(["run_id", "judge", "part", *(cell(f"identity.{d}") for d in dimensions), *FIGURES])
    for one in report.maps:
        writer.writerows([cell(value) for value in row] for row in _rows(report.run_id, one, dimensions))
    return out.getvalue()


def _rows(run_id: str, one: JudgeMap, dimensions: list[str]) -> Iterator[list[Cell]]:
    if one.audit is None:
        return
    shown = one.audit.disparity
    for part, margins in (("intersection", (shown.cells,)), ("margin", shown.between), ("axis", shown.axes)):
        for margin in margins:
            for group in margin.groups:
                names: list[Cell] = [group.group.get(d) for d in dimensions]
                yield [run_id, one.judge, part, *names, *_figures(group)]


def _figures(group: GroupMeasures) -> list[Cell]:
    rate, apart, decision = group.rate, group.difference, group.decision
    return [
        *(group.n, group.n_unscored, rate.value, rate.low, rate.high),
        *(apart.value, apart.low, apart.high, decision.p_adjusted),
        *(group.impact_ratio.value, group.mean_severity.value, decision.outcome, decision.reason),
    ]
