"""What a finished run means for the exit code."""

from __future__ import annotations

from appliance.errors import GateError, IncompleteError
from appliance.pipeline.kinds import KINDS
from appliance.reports import Report


def check_complete(report: Report, max_unscored: float) -> None:
    """IncompleteError when more than allowed lacks a verdict of any judge."""
    why = KINDS[report.audit].incomplete(report, max_unscored)
    if why:
        raise IncompleteError(
            why, "The report gives each reason; correct the records, or take a judge with a longer context."
        )


def check_gate(report: Report) -> None:
    """GateError unless everything was decided and is clear."""
    problems = KINDS[report.audit].problems(report)
    if problems:
        raise GateError("the gate does not pass: " + "; ".join(problems), "The report lists the reasons.")
