"""`appliance doctor`: whether this machine can run an audit."""

from __future__ import annotations

import json

import click


@click.command()
@click.option("--full", is_flag=True, help="Hash all weights instead of comparing their sizes.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON for a program.")
@click.pass_context
def doctor(context: click.Context, full: bool, as_json: bool) -> None:
    """Check engine, devices, memory, isolation, store and models. Exits with 2 when a check fails."""
    from appliance.config import project_root
    from appliance.pipeline.doctor import run_checks

    checks = []
    for check in run_checks(project_root(), full=full):
        checks.append(check)
        if not as_json:
            click.echo(f"{check.status:4}  {check.name:12}  {check.detail}")
            if check.remedy and check.status != "ok":
                click.echo(f"      {'':12}  -> {check.remedy}")
    if as_json:
        click.echo(json.dumps([check.model_dump() for check in checks], indent=2, ensure_ascii=False))
    if any(check.status == "fail" for check in checks):
        context.exit(2)
