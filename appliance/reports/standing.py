"""How far the judges can be believed, said the same way wherever their verdicts are shown."""

from __future__ import annotations

from dataclasses import dataclass

from appliance.reports.data import JudgeSummary, RunReport, StandingLevel
from appliance.reports.words import listed

MEANING: dict[StandingLevel, str] = {
    "unfit": "its answers cannot be relied on: neither a flag nor the absence of one says anything",
    "unproven": "nothing has been measured yet that shows whether its answers can be relied on",
    "fit": "it agreed well enough with people on labelled texts; still a screening aid, never a decision",
}

_TODO = (
    "Run again with a larger judge model, and let people label 50 to 100 of your own records to compare it "
    "with; this version has no command for that comparison yet, so it calls no judge fit. Until then use "
    "this report only to choose what people read, and decide nothing about a text, a person or a system "
    "from it."
)


@dataclass(frozen=True)
class Tag:
    """A judge as it is named everywhere: letter by the run's order, name, and always its standing."""

    letter: str
    name: str
    title: str
    level: str

    @property
    def plain(self) -> str:
        return f"{self.letter} · {self.name} [{self.level.upper()}]"


@dataclass(frozen=True)
class Notice:
    """The banner: `level` is the worst standing of the run's judges."""

    level: str
    title: str
    meaning: str
    todo: str


def tags(report: RunReport) -> dict[str, Tag]:
    """Judge name -> its tag, in the run's order."""
    return {judge.name: _tag(i, judge) for i, judge in enumerate(report.judges)}


def _tag(index: int, judge: JudgeSummary) -> Tag:
    return Tag(_letter(index), judge.name, judge.title, judge.standing.level)


def _letter(index: int) -> str:
    return chr(ord("A") + index) if index < 26 else f"J{index + 1}"


def level_of(report: RunReport, judge: str) -> str:
    """A judge that the report does not describe has shown nothing: unproven."""
    return next((j.standing.level for j in report.judges if j.name == judge), "unproven")


def notice(report: RunReport) -> Notice:
    """What a reader must know before any number."""
    unfit, unproven = _named(report, "unfit"), _named(report, "unproven")
    if unfit:
        return Notice("unfit", f"These verdicts are not evidence: {unfit}.", _unfit_meaning(unproven), _TODO)
    if unproven:
        return Notice("unproven", f"These verdicts are unproven: {unproven}.", _UNPROVEN_MEANING, _TODO)
    if not report.judges:
        return Notice("unproven", "No judge took part: there are no verdicts.", "", "")
    return Notice("fit", "Screening results, not final determinations.", _FIT_MEANING, _FIT_TODO)


def _named(report: RunReport, level: StandingLevel) -> str:
    found = [f"{tag.letter} ({tag.name})" for tag in tags(report).values() if tag.level == level]
    if not found:
        return ""
    noun = "judge" if len(found) == 1 else "judges"
    return f"{noun} {listed(found)} {'is' if len(found) == 1 else 'are'} {level}"


def _unfit_meaning(unproven: str) -> str:
    also = f" Besides, {unproven}." if unproven else ""
    return (
        "Unfit means that a judge's answers cannot be relied on. A flag from it does not show bias, "
        "a record that it does not flag has not been shown to be free of bias, and no number computed from "
        f"its answers says anything about the texts or the people in them.{also}"
    )


_UNPROVEN_MEANING = (
    "Unproven means that these judges have not been compared with enough texts labelled by people. "
    "Their flags may be wrong in either direction, and so may every number computed from them."
)
_FIT_MEANING = (
    "These judges agreed well enough with people on labelled texts. They still make mistakes: a flag is a "
    "question to a person, and an unflagged record has only not been flagged."
)
_FIT_TODO = "Have people read the records listed for review before anything is concluded."


def standing_lines(report: RunReport) -> list[str]:
    """One line a judge: its tag and why it stands so."""
    return [
        f"{tag.plain}: {'; '.join(judge.standing.reasons)}"
        for tag, judge in zip(tags(report).values(), report.judges, strict=True)
    ]
