"""The intersectional audit as one HTML file that needs nothing else: no script, no font, no network."""

from __future__ import annotations

from appliance.reports.html import page
from appliance.reports.html_view import view
from appliance.reports.intersectional.data import IntersectionalReport
from appliance.reports.intersectional.view import map_views
from appliance.reports.intersectional.words import counts_of, difference_text, group_name, rate_text
from appliance.reports.standing import MEANING


def to_html(report: IntersectionalReport) -> str:
    """One self-contained page. Data is escaped everywhere; the policy lets only our own style sheets in."""
    return page(
        "intersectional/report.html",
        ("style.css", "intersectional/style.css"),
        report=report,
        view=view(report),
        maps=map_views(report),
        standing_meaning=MEANING,
        counts_of=counts_of,
        group_name=group_name,
        rate_text=rate_text,
        difference_text=difference_text,
    )
