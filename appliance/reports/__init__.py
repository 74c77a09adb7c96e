"""Report data and its writers. Importing this package is cheap: each writer is loaded when it is called."""

from __future__ import annotations

from importlib import import_module
from typing import Any, Protocol


class Report(Protocol):
    """What every report has, whatever its audit found."""

    @property
    def run_id(self) -> str: ...

    @property
    def audit(self) -> str: ...


FORMATS = ("html", "json", "csv", "md")

# Type of report -> form -> module and function. Every writer is pure: the whole report in, one text out,
# always valid UTF-8; "terminal" is the summary for people, "summary" the same for programs, as a dict.
_WRITERS = {
    "RunReport": {
        "html": "html:to_html",
        "json": "json_report:to_json",
        "csv": "csv_report:to_csv",
        "md": "markdown:to_markdown",
        "terminal": "summary:to_terminal",
        "summary": "json_report:summary_json",
    },
    "IntersectionalReport": {
        "html": "intersectional.html:to_html",
        "json": "intersectional.json_report:to_json",
        "csv": "intersectional.csv_report:to_csv",
        "md": "intersectional.markdown:to_markdown",
        "terminal": "intersectional.summary:to_terminal",
        "summary": "intersectional.json_report:summary_json",
    },
    "JudgeBiasReport": {
        "html": "judge_bias.html:to_html",
        "json": "judge_bias.json_report:to_json",
        "csv": "judge_bias.csv_report:to_csv",
        "md": "judge_bias.markdown:to_markdown",
        "terminal": "judge_bias.summary:to_terminal",
        "summary": "judge_bias.json_report:summary_json",
    },
}


def write(report: Report, form: str) -> str:
    """The whole report as one text; form: one of FORMATS, or "terminal"."""
    text: str = _writer(report, form)(report)
    return text


def summary_of(report: Report) -> dict[str, Any]:
    """What a program decides on."""
    values: dict[str, Any] = _writer(report, "summary")(report)
    return values


def _writer(report: Report, form: str) -> Any:
    module, function = _WRITERS[type(report).__name__][form].split(":")
    return getattr(import_module(f"appliance.reports.{module}"), function)
