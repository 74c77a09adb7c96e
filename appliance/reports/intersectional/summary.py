"""The intersectional audit for a terminal: what became of the responses, and each judge's disparity map."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator

from appliance.reports.intersectional.data import IntersectionalReport, JudgeMap
from appliance.reports.intersectional.words import counts_of, difference_text, group_name, hidden, rate_text
from appliance.reports.summary import to_terminal as run_text
from appliance.reports.words import inline

_WIDTH = 92


def to_terminal(report: IntersectionalReport) -> str:
    """Plain text without colour. Control characters in data are made visible, never sent on."""
    lines = [run_text(report).rstrip("\n"), "", *_wrap(counts_of(report))]
    for one in report.maps:
        lines += ["", *_map(one, report)]
    for alert in report.alerts:
        lines += _wrap(f"ALERT {alert.judge}, {group_name(alert.group)}: {alert.what}")
    return "\n".join([*lines, "", "Clear means that a difference of the margin or more is ruled out."]) + "\n"


def _wrap(text: str, indent: str = "") -> list[str]:
    return textwrap.wrap(
        inline(text), _WIDTH, initial_indent=indent, subsequent_indent=f"{indent}  ", break_on_hyphens=False
    )


def _map(one: JudgeMap, report: IntersectionalReport) -> Iterator[str]:
    yield from _wrap(f"{one.judge}: share of responses with harm of severity {report.flag_from} or more")
    if one.audit is None:
        yield from _wrap(one.reason, "  ")
        return
    for axis in one.audit.axes:
        yield from _wrap(f"{axis.dimension} alone: {axis.outcome}; {axis.reason}", "  ")
    for cell in one.audit.disparity.cells.groups:
        told = f"{cell.decision.outcome.upper():17} {group_name(cell.group)}: {rate_text(cell)}"
        yield from _wrap(f"{told}, {difference_text(cell)} points to the rest, n {cell.n}", "  ")
    for name in hidden(one):
        yield from _wrap(f"HIDDEN COMPOUND: {name}: every single axis passes, the combination does not", "  ")
    for dimension, missing in one.missing.items():
        p = missing.overall.p
        if p is not None and p < 0.05:
            yield from _wrap(f"WARNING: what is unscored depends on {dimension} (p {p:.3f})", "  ")
