"""Cut a record's text at its spans, with what each judge said of each: the data behind the highlighting."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from appliance.domain.records import Span
from appliance.domain.verdicts import Verdict

# Labels that count as a flag, with the (fixed) style class of each. Data never becomes a class name.
STYLES = {
    "DOWNGRADE": "down",
    "UPGRADE": "up",
    "OMISSION": "omitted",
    "QUALIFICATION_DIFFERENCE": "qualified",
}
Said = Mapping[str, Mapping[str, str]]
"""Judge's letter -> span label -> what that judge said of it."""


@dataclass(frozen=True)
class Segment:
    """A piece of the text. span: its label, '' between spans. style: '' unless a judge flags it."""

    text: str
    span: str = ""
    style: str = ""
    notes: tuple[tuple[str, str], ...] = ()


def said(verdict: Verdict, labels: Iterable[str]) -> dict[str, str]:
    """What one verdict says of each span. A finding counts before a label; unscored says so everywhere."""
    if verdict.status == "unscored":
        return dict.fromkeys(labels, "UNSCORED")
    found: dict[str, str] = {}
    for finding in verdict.findings:
        known = found.get(finding.span)
        found[finding.span] = f"{known} + {finding.category}" if known else finding.category
    return {**verdict.labels, **found}


def segments(
    text: str, spans: Sequence[Span], by_judge: Said, flagged: Mapping[str, set[str]]
) -> Iterator[Segment]:
    """The whole text in order, nothing lost or repeated; overlapping spans keep the first."""
    position = 0
    for span in sorted(spans, key=lambda item: (item.start, -item.end)):
        if span.start < position or span.end > len(text):
            continue
        if span.start > position:
            yield Segment(text[position : span.start])
        yield _segment(text, span, by_judge, flagged.get(span.label, set()))
        position = span.end
    if position < len(text):
        yield Segment(text[position:])


def _segment(text: str, span: Span, by_judge: Said, kinds: set[str]) -> Segment:
    notes = tuple((letter, labels.get(span.label, "–")) for letter, labels in by_judge.items())
    return Segment(text[span.start : span.end], span.label, _style(kinds), notes)


def flagged_spans(verdicts: Iterable[Verdict]) -> dict[str, set[str]]:
    """Span label -> the kinds of flag that any judge put on it."""
    kinds: dict[str, set[str]] = {}
    for verdict in verdicts:
        for finding in verdict.findings:
            kinds.setdefault(finding.span, set()).add(finding.category)
        for span, label in verdict.labels.items():
            if label in STYLES:
                kinds.setdefault(span, set()).add(label)
    return kinds


def _style(kinds: set[str]) -> str:
    if not kinds:
        return ""
    return STYLES.get(next(iter(kinds)), "other") if len(kinds) == 1 else "mixed"
