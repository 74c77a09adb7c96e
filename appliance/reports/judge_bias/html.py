"""The audit of a judge as one HTML file that needs nothing else: no script, no font, no network."""

from __future__ import annotations

from appliance.reports.html import page
from appliance.reports.judge_bias.data import JudgeBiasReport
from appliance.reports.judge_bias.summary import left, points
from appliance.reports.judge_bias.view import view


def to_html(report: JudgeBiasReport) -> str:
    """One self-contained page. Data is escaped everywhere; the policy lets only our own style sheets in."""
    return page(
        "judge_bias/report.html",
        ("style.css", "judge_bias/style.css"),
        report=report,
        targets=view(report),
        points=points,
        left=left,
    )
