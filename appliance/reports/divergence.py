"""The two judges' disagreement, for a terminal or a program."""

from __future__ import annotations

import json

from appliance.domain.estimates import Estimate
from appliance.domain.verdicts import Divergence
from appliance.reports.data import RecordReport, RunReport
from appliance.reports.standing import standing_lines


def divergence_json(report: RunReport) -> str:
    """Run-level agreement, every record's divergence, and each judge's standing, as JSON."""
    run = report.divergence
    return json.dumps(
        {
            "run_id": report.run_id,
            "judges": [j.standing.model_dump(mode="json") for j in report.judges],
            "run": run.model_dump(mode="json") if run else None,
            "records": [r.divergence.model_dump(mode="json") for r in report.records if r.divergence],
        },
        indent=2,
        ensure_ascii=False,
        allow_nan=False,
    )


def divergence_text(report: RunReport, everything: bool = False) -> str:
    """The same in words; `everything` lists records without divergence too."""
    lines = [f"Run {report.run_id}", *standing_lines(report)]
    run = report.divergence
    if run is None:
        return "\n".join([*lines, "The run is not complete: there is nothing to compare yet."])
    lines += [
        f"{run.n_compared} of {run.n_records} records scored by both; {run.n_divergent} diverge",
        f"flag:     both {run.both_flagged}, only {report.judges[0].name} {run.only_first}, "
        f"only {report.judges[1].name} {run.only_second}, neither {run.neither}",
        f"          agreement {_words(run.flag_agreement)}; kappa {_words(run.flag_kappa)}",
        f"labels:   agreement {_words(run.label_agreement)}; kappa {_words(run.label_kappa)}",
        f"severity: quadratic kappa {_words(run.severity_kappa)}",
        "",
        f"{'record':14} {'score':>6} {'labels':>7} {'overlap':>8} {'steps':>6}  why",
    ]
    shown = [r for r in report.records if r.divergence and (everything or r.divergence.divergent)]
    return "\n".join([*lines, *(_row(r, r.divergence) for r in shown if r.divergence)])


def _row(record: RecordReport, found: Divergence) -> str:
    return (
        f"{record.record_id:14} {_number(found.score_difference):>6} {_percent(found.label_agreement):>7} "
        f"{_percent(found.evidence_overlap):>8} {_steps(found.severity_steps):>6}  "
        f"{'; '.join(found.reasons) or '–'}"
    )


def _words(estimate: Estimate) -> str:
    if estimate.value is None:
        return f"undefined ({estimate.note})"
    interval = "" if estimate.low is None else f" [{estimate.low:.2f}, {estimate.high:.2f}]"
    return f"{estimate.value:.2f}{interval}"


def _number(value: float | None) -> str:
    return "–" if value is None else f"{value:.2f}"


def _percent(value: float | None) -> str:
    return "–" if value is None else f"{value:.0%}"


def _steps(value: int | None) -> str:
    return "–" if value is None else str(value)
