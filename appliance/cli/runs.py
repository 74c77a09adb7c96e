"""`appliance runs`: what a store holds."""

from __future__ import annotations

import json
from pathlib import Path

import click

from appliance.cli.stores import RUN, STORE, as_json_option, reading


@click.group()
def runs() -> None:
    """List the runs of a store, or show one."""


@runs.command("list")
@STORE
@as_json_option
def list_command(store: Path, as_json: bool) -> None:
    """List all runs, newest first."""
    with reading(store) as reader:
        found = reader.runs()
    shown = [{key: run[key] for key in ("run_id", "audit", "status", "created", "finished")} for run in found]
    if as_json:
        click.echo(json.dumps(shown, indent=2))
    for run in [] if as_json else shown:
        click.echo(f"{run['run_id']}  {run['audit']}  {run['status']:9} {run['created']}")


@runs.command("show")
@RUN
@STORE
@as_json_option
def show_command(run_id: str, store: Path, as_json: bool) -> None:
    """Show the summary of RUN (an id, the beginning of one, or 'latest')."""
    from appliance.pipeline.kinds import build_report
    from appliance.reports import summary_of, write

    with reading(store) as reader:
        report = build_report(reader, run_id)
    shown = (
        json.dumps(summary_of(report), indent=2, ensure_ascii=False) if as_json else write(report, "terminal")
    )
    click.echo(shown)
