"""The run in about twenty-five lines, for a terminal."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator

from appliance.reports import rows
from appliance.reports.data import JudgeSummary, RunReport
from appliance.reports.reading import agreement_rows, measure
from appliance.reports.standing import Tag, notice, tags
from appliance.reports.words import counts, inline, percent, plural, share

_WIDTH = 92


def to_terminal(report: RunReport) -> str:
    """Plain text without colour. Control characters in data are made visible, never sent on."""
    lines = [
        *_top(report),
        "",
        *_standing(report),
        "",
        *_judges(report),
        "",
        *_agreement(report),
        "",
        *_people(report),
    ]
    return "\n".join(lines) + "\n"


def _wrap(text: str, indent: str = "", hang: str = "  ") -> list[str]:
    return textwrap.wrap(
        inline(text), _WIDTH, initial_indent=indent, subsequent_indent=indent + hang, break_on_hyphens=False
    )


def _top(report: RunReport) -> Iterator[str]:
    state = "complete" if report.complete else "NOT COMPLETE: unjudged records are unscored"
    yield from _wrap(f"{report.audit} audit · run {report.run_id} · {state}")
    yield from _wrap(report.headline, hang="")


def _standing(report: RunReport) -> Iterator[str]:
    said = notice(report)
    yield from _wrap(said.title if said.level == "fit" else f"WARNING: {said.title}")
    for judge, tag in zip(report.judges, tags(report).values(), strict=True):
        reasons = "; ".join(judge.standing.reasons) or "no reason recorded"
        yield from _wrap(f"{tag.plain}: {reasons}", "  ")


def _judges(report: RunReport) -> Iterator[str]:
    for judge, tag in zip(report.judges, tags(report).values(), strict=True):
        yield from _wrap(_judge_line(judge, tag))
    yield "Unscored is never clean; a record without a flag has only not been flagged by that judge."


def _judge_line(judge: JudgeSummary, tag: Tag) -> str:
    total = judge.n_scored + judge.n_unscored
    why = f" ({counts(judge.unscored_reasons)})" if judge.unscored_reasons else ""
    flagged = share(judge.n_flagged, judge.n_scored, "nothing scored")
    return (
        f"{tag.letter} [{tag.level.upper()}] scored {judge.n_scored} of {total}, "
        f"unscored {judge.n_unscored}{why}, flagged {flagged}"
    )


def _agreement(report: RunReport) -> Iterator[str]:
    d = report.divergence
    if d is None:
        yield "Agreement: – (two judges are needed to compare)"
        return
    yield from _wrap(f"Compared: {plural(d.n_compared, 'record')} scored by both, {d.n_divergent} divergent")
    for name, value, kind, reading in agreement_rows(d)[:2]:
        yield from _wrap(f"{name}: {measure(value, kind, reading)}")
    if d.n_compared:
        yield from _wrap(
            f"Flagged by both {d.both_flagged}, by one only {d.only_first + d.only_second}, "
            f"by neither {d.neither} ({percent(d.neither / d.n_compared)})"
        )


def _people(report: RunReport) -> Iterator[str]:
    yield f"For people to review: {plural(len(rows.review_reasons(report)), 'record')}"
    lost = [row for row in report.skipped if not row.set_aside]
    if lost:
        yield f"Skipped, so unscored by every judge: {plural(len(lost), 'row')}"
