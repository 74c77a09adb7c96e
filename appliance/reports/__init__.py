"""Report data and its writers. Importing this package is cheap: each writer is loaded when it is called."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from appliance.reports.data import RunReport

Writer = Callable[["RunReport"], str]


def _lazy(module: str, function: str) -> Writer:
    def write(report: RunReport) -> str:
        writer: Writer = getattr(import_module(f"appliance.reports.{module}"), function)
        return writer(report)

    return write


WRITERS: dict[str, Writer] = {
    "html": _lazy("html", "to_html"),
    "json": _lazy("json_report", "to_json"),
    "csv": _lazy("csv_report", "to_csv"),
    "md": _lazy("markdown", "to_markdown"),
}
"""Format name -> writer. Every writer is pure: the whole report in, one text out, always valid UTF-8."""
