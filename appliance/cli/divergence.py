"""`appliance divergence`: where and how much the two judges disagree."""

from __future__ import annotations

from pathlib import Path

import click

from appliance.cli.stores import RUN, STORE, as_json_option, reading
from appliance.cli.terminal import visible


@click.command()
@RUN
@STORE
@as_json_option
@click.option("--all", "everything", is_flag=True, help="List records on which they do not diverge too.")
def divergence(run_id: str, store: Path, as_json: bool, everything: bool) -> None:
    """Show the agreement of the two judges in RUN, and the records on which they diverge."""
    from appliance.errors import ConfigError
    from appliance.pipeline.kinds import build_report
    from appliance.reports.data import RunReport
    from appliance.reports.divergence import divergence_json, divergence_text

    with reading(store) as reader:
        report = build_report(reader, run_id)
    if not isinstance(report, RunReport):
        raise ConfigError(
            f"run {report.run_id} is a {report.audit} audit: its judges are themselves what is audited",
            "Its report sets them side by side: `appliance runs show`.",
        )
    click.echo(divergence_json(report) if as_json else visible(divergence_text(report, everything)))
