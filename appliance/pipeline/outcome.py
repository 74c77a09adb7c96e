"""What a finished run means for the exit code."""

from __future__ import annotations

from appliance.errors import GateError, IncompleteError
from appliance.reports.data import RunReport


def check_complete(report: RunReport, max_unscored: float) -> None:
    """IncompleteError when more records than allowed lack a verdict of either judge. Skipped rows count."""
    missing = len(report.skipped) + sum(
        any(v.status == "unscored" for v in record.verdicts) for record in report.records
    )
    total = report.n_records + len(report.skipped)
    if total and missing / total > max_unscored:
        raise IncompleteError(
            f"{missing} of {total} records were not scored by both judges "
            f"(limits.max_unscored allows {max_unscored:.0%})",
            "The report gives each reason; correct the records, or take a judge with a longer context.",
        )


def check_gate(report: RunReport) -> None:
    """GateError unless nothing waits for a person and both judges are fit."""
    unfit = [j.name for j in report.judges if j.standing.level != "fit"]
    problems = []
    if report.review:
        problems.append(f"{len(report.review)} records wait for a person")
    if unfit:
        problems.append(f"not shown to be fit as judge: {', '.join(unfit)}")
    if problems:
        raise GateError("the gate does not pass: " + "; ".join(problems), "The report lists the reasons.")
