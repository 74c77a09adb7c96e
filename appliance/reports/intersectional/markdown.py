"""The intersectional audit in Markdown: the run's own report, then each map."""

from __future__ import annotations

from collections.abc import Iterator

from appliance.reports.intersectional.data import IntersectionalReport, JudgeMap
from appliance.reports.intersectional.words import counts_of, difference_text, group_name, rate_text
from appliance.reports.markdown import escape, table
from appliance.reports.markdown import to_markdown as run_markdown
from appliance.reports.words import number
from appliance.statistics.intersections.disparity import GroupMeasures


def to_markdown(report: IntersectionalReport) -> str:
    """Everything that a run's report says, and the disparity maps with their ledgers."""
    lines = [run_markdown(report), f"{escape(counts_of(report))}.", ""]
    for one in report.maps:
        lines += [*_map(one, report), ""]
    return "\n".join(lines)


def _map(one: JudgeMap, report: IntersectionalReport) -> Iterator[str]:
    yield f"## Disparity map by {escape(one.judge)}\n"
    if one.audit is None:
        yield escape(one.reason)
        return
    yield f"Flagged: severity {report.flag_from} or more. A difference of {report.margin:g} matters.\n"
    head = ("Intersection", "Outcome", "n", "Unscored", "Flag rate (95%)", "To the rest", "Impact ratio")
    yield from table(head, (_row(cell) for cell in one.audit.disparity.cells.groups))
    yield ""
    for axis in one.audit.axes:
        yield f"- {escape(axis.dimension)} alone: **{axis.outcome}**; {escape(axis.reason)}"
    for entry in one.audit.ledger:
        mark = "**hidden compound** " if entry.hidden_compound else ""
        yield f"- {mark}{escape(group_name(entry.group))}: {escape(entry.reason)}"


def _row(cell: GroupMeasures) -> tuple[str, ...]:
    return (
        escape(group_name(cell.group)),
        f"**{cell.decision.outcome}**",
        str(cell.n),
        str(cell.n_unscored),
        escape(rate_text(cell)),
        escape(difference_text(cell)),
        escape(number(cell.impact_ratio.value, cell.impact_ratio.note)),
    )
