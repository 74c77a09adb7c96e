"""A short summary in Markdown. Audited text is never markup: every piece of data is escaped."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from appliance.reports import rows
from appliance.reports.data import JudgeSummary, RunReport
from appliance.reports.reading import agreement_rows, measure
from appliance.reports.standing import Tag, notice, tags
from appliance.reports.words import counts, encodable, missing, rate, rate_range, share, signed

UNFINISHED = "Records without a verdict are unscored, and unscored is never clean."

_SPECIAL = re.compile(r"[\\`*_{}\[\]~|#]")
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")
_LINE_START = re.compile(r"^([-+=]|\d+[.)](?=\s|$))")
_ENTITIES = {"&": "&amp;", "<": "&lt;", ">": "&gt;", "@": "&#64;"}


def escape(text: str) -> str:
    """Data as one line of literal text: no markup, no table cell, no link, no mention can come of it, and
    control characters are named, since such a file is also read in a terminal."""
    line = _CONTROL.sub(lambda m: f"<U+{ord(m[0]):04X}>", " ".join(encodable(text).split()))
    line = _LINE_START.sub(lambda m: m[0][:-1] + "\\" + m[0][-1], _SPECIAL.sub(r"\\\g<0>", line))
    line = "".join(_ENTITIES.get(c, c) for c in line)
    return line.replace("://", "&#58;//").replace("www.", "www&#46;")


def to_markdown(report: RunReport) -> str:
    """Headline, standing, numbers, disagreement, groups, review list."""
    parts = (_top, _judges, _divergence, _groups, _review, _foot)
    return "\n".join(line for part in parts for line in (*part(report), ""))


def table(head: Iterable[str], body: Iterable[Iterable[str]]) -> Iterator[str]:
    columns = list(head)
    yield f"| {' | '.join(columns)} |"
    yield "|" + " --- |" * len(columns)
    for row in body:
        yield f"| {' | '.join(row)} |"


def _tag(tag: Tag) -> str:
    return f"{tag.letter} · {escape(tag.name)} **{tag.level.upper()}**"


def _top(report: RunReport) -> Iterator[str]:
    said = notice(report)
    yield f"# {escape(report.audit.capitalize())} audit, run {escape(report.run_id)}"
    yield f"\n{escape(report.headline)}\n"
    yield f"> **{escape(said.title)}** {escape(said.meaning)}\n>\n> **What to do:** {escape(said.todo)}"
    if not report.complete:
        yield f"\n**This run is not complete.** {UNFINISHED}"
    yield ""
    for judge, tag in _pairs(report):
        yield f"- {_tag(tag)}: {escape('; '.join(judge.standing.reasons) or 'no reason recorded')}"


def _pairs(report: RunReport) -> Iterator[tuple[JudgeSummary, Tag]]:
    return zip(report.judges, tags(report).values(), strict=True)


def _judges(report: RunReport) -> Iterator[str]:
    yield "## What was found\n"
    head = ("Judge and standing", "Scored", "Unscored, with reasons", "Flagged")
    yield from table(head, (_judge_row(judge, tag) for judge, tag in _pairs(report)))
    yield "\nUnscored is never clean. A record without a flag has only not been flagged by that judge."


def _judge_row(judge: JudgeSummary, tag: Tag) -> tuple[str, ...]:
    why = f" ({escape(counts(judge.unscored_reasons))})" if judge.unscored_reasons else ""
    scored = share(judge.n_scored, judge.n_scored + judge.n_unscored, "no records")
    flagged = share(judge.n_flagged, judge.n_scored, "nothing scored")
    return _tag(tag), scored, f"{judge.n_unscored}{why}", flagged


def _divergence(report: RunReport) -> Iterator[str]:
    yield "## Where the judges disagree\n"
    d = report.divergence
    if d is None:
        yield "Two judges are needed to compare; this report has no comparison."
        return
    first, second = (_tag(tag) for tag in list(tags(report).values())[:2])
    head = ("", f"{second}: flagged", f"{second}: nothing flagged")
    flagged = (f"{first}: flagged", str(d.both_flagged), str(d.only_first))
    yield from table(head, (flagged, (f"{first}: nothing flagged", str(d.only_second), str(d.neither))))
    yield f"\nScored by both: {d.n_compared} of {d.n_records} records. Divergent: {d.n_divergent}.\n"
    for name, value, kind, reading in agreement_rows(d):
        yield f"- {name}: {escape(measure(value, kind, reading))}"


def _groups(report: RunReport) -> Iterator[str]:
    if not report.groups:
        return
    yield "## Groups\n"
    yield "Descriptive only: no difference between groups was tested, so nothing here is shown to be equal.\n"
    known = tags(report)
    head = ("Dimension", "Group", "Judge and standing", "Flagged", "95% interval", "Mean score", "Unscored")
    body = (
        (
            escape(g.dimension),
            escape(g.value),
            _tag(known[g.judge]) if g.judge in known else f"{escape(g.judge)} **UNPROVEN**",
            escape(rate(g.flag_rate)),
            escape(rate_range(g.flag_rate)),
            signed(g.mean_score, "no score"),
            str(g.flag_rate.n_unscored),
        )
        for g in report.groups
    )
    yield from table(head, body)


def _review(report: RunReport) -> Iterator[str]:
    reasons = rows.review_reasons(report)
    yield f"## For people to review ({len(reasons)})\n"
    for record_id, why in reasons.items():
        yield f"- **{escape(record_id)}**: {escape('; '.join(why))}"
    if not reasons:
        yield "No record was routed to people by the rules of this run."
    for row in report.skipped:
        where = f"**{escape(row.record_id)}** ({escape(row.place)})"
        what = "Set aside" if row.set_aside else "Skipped, so unscored"
        yield f"- {what}: {where}: {escape(row.reason)}"


def _foot(report: RunReport) -> Iterator[str]:
    yield "## Provenance\n"
    prompt = f"{report.prompt_name} {report.prompt_hash[:16]}"
    yield f"- Version {escape(report.version)}, prompt {escape(prompt)}"
    for judge, tag in _pairs(report):
        yield f"- {_tag(tag)}: fingerprint {escape(judge.fingerprint) or missing('not recorded')}"
    for caveat in report.caveats:
        yield f"- {escape(caveat)}"
