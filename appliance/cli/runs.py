"""`appliance runs`: what a store holds."""

from __future__ import annotations

import json
from pathlib import Path

import click

from appliance.cli.stores import RUN, STORE, as_json_option, reading


@click.group()
def runs() -> None:
    """List the runs of a store, show one, or compare two."""


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


@runs.command("compare")
@click.argument("before", metavar="BEFORE")
@click.argument("after", metavar="AFTER", default="latest")
@STORE
@as_json_option
def compare_command(before: str, after: str, store: Path, as_json: bool) -> None:
    """Compare two runs: judge-bias runs before and after a mitigation, prompt or model; or a sighted and a
    blind intersectional run of the same responses, which shows the judges' own share."""
    from appliance.pipeline.intersectional.own_share import AUDIT, own_share
    from appliance.pipeline.judge_bias.comparison import compare_runs
    from appliance.reports.intersectional.own_share import own_share_text
    from appliance.reports.judge_bias.comparison import comparison_text

    with reading(store) as reader:
        if reader.run(before)["audit"] == AUDIT:
            shares = own_share(reader, before, after)
            told, text = [one.model_dump(mode="json") for one in shares], own_share_text(shares)
        else:
            found = compare_runs(reader, before, after)
            told, text = [one.model_dump(mode="json") for one in found], comparison_text(found)
    click.echo(json.dumps(told, indent=2, ensure_ascii=False) if as_json else text)


@runs.command("prior")
@RUN
@STORE
def prior_command(run_id: str, store: Path) -> None:
    """Print the last audit of each judge before RUN as JSON; null for a first audit."""
    from appliance.pipeline.judge_bias.drift import fetch_prior_audit_results

    with reading(store) as reader:
        names = [judge["name"] for judge in reader.judges(reader.run(run_id)["run_id"])]
        found = {name: fetch_prior_audit_results(reader, run_id, name) for name in names}
    click.echo(json.dumps(found, indent=2, ensure_ascii=False))
