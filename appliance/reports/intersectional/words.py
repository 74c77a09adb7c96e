"""One wording of groups and outcomes for every format."""

from __future__ import annotations

from collections.abc import Mapping

from appliance.reports.intersectional.data import IntersectionalReport, JudgeMap
from appliance.reports.words import percent
from appliance.statistics.intersections.disparity import GroupMeasures

# Told apart without colour.
MARKS = {"flagged": "!", "clear": "✓", "inconclusive": "?", "insufficient data": "…"}


def group_name(group: Mapping[str, str]) -> str:
    """The intersection label."""
    return " × ".join(group.values())


def rate_text(cell: GroupMeasures) -> str:
    """'12% (3% to 33%)', or why there is none."""
    e = cell.rate
    if e.value is None:
        return f"– ({e.note or 'nothing scored'})"
    if e.low is None or e.high is None:
        return f"{percent(e.value)} ({e.note or 'no interval'})"
    return f"{percent(e.value)} ({percent(e.low)} to {percent(e.high)})"


def difference_text(cell: GroupMeasures) -> str:
    """In percentage points against all others."""
    e = cell.difference
    if e.value is None:
        return f"– ({e.note or 'undefined'})"
    told = f"{100 * e.value:+.0f}"
    return told if e.low is None or e.high is None else f"{told} ({100 * e.low:+.0f} to {100 * e.high:+.0f})"


def counts_of(report: IntersectionalReport) -> str:
    """What became of the responses, in one line."""
    total = sum(cell.responses for cell in report.cells)
    cut = sum(cell.cut for cell in report.cells)
    parts = [f"{total} responses of {report.target}"]
    parts += [f"{report.n_failed} could not be had"] if report.n_failed else []
    parts += [f"{report.n_set_aside} set aside (no identity signal)"] if report.n_set_aside else []
    parts += [f"{cut} cut at the token limit"] if cut else []
    return "; ".join(parts)


def hidden(one: JudgeMap) -> list[str]:
    """Names of the hidden compounds of a map."""
    ledger = one.audit.ledger if one.audit else ()
    return [group_name(entry.group) for entry in ledger if entry.hidden_compound]
