"""The report as one HTML file that needs nothing else: no script, no font, no network."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from appliance.reports import reading, words
from appliance.reports.data import RunReport
from appliance.reports.html_view import view
from appliance.reports.standing import MEANING

if TYPE_CHECKING:
    from jinja2 import Environment

_POLICY = "default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"


def to_html(report: RunReport) -> str:
    """One self-contained page. Data is escaped everywhere; the policy lets only our own style sheet in."""
    return page("report.html", ("style.css",), view=view(report), report=report, standing_meaning=MEANING)


def page(template: str, sheets: Sequence[str], **values: Any) -> str:
    """A template of ours with its style sheets, as one page under a policy that lets nothing else in."""
    environment = _environment()
    css = "\n".join(environment.get_template(sheet).render() for sheet in sheets)
    digest = base64.b64encode(hashlib.sha256(css.encode()).digest()).decode()
    policy = _POLICY.format(digest=digest)
    from markupsafe import Markup

    # Our own sheets, not data: escaping would break them.
    shown = environment.get_template(template).render(css=Markup(css), policy=policy, **values)
    return words.encodable(shown)


def _environment() -> Environment:
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader("appliance.reports"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.globals.update(w=words, reading=reading)
    environment.filters["pretty"] = _pretty
    return environment


def _pretty(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, indent=2, default=str)
