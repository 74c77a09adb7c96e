"""`appliance signoff`: a person stands for the findings and the test design of a judge-bias audit."""

from __future__ import annotations

from pathlib import Path

import click

from appliance.cli.stores import RUN, STORE


@click.command()
@RUN
@STORE
@click.option("--by", required=True, help="Who signs: your name or role.")
@click.option("--reason", required=True, help="What you looked at, and why it stands.")
@click.option("--withdraw", is_flag=True, help="Take an earlier signature back; the reason says why.")
@click.option("--yes", is_flag=True, help="Do not show the findings and ask first.")
def signoff(run_id: str, store: Path, by: str, reason: str, withdraw: bool, yes: bool) -> None:
    """Sign the findings and the test design of RUN. Recorded with your name, the reason, the time, and a hash
    of the report that you saw."""
    from appliance.cli.stores import reading, store_path
    from appliance.errors import ConfigError
    from appliance.pipeline.judge_bias.signature import sign
    from appliance.pipeline.kinds import build_report
    from appliance.reports import write

    path = store_path(store)
    with reading(path) as reader:
        report = build_report(reader, run_id)
    if not yes:
        click.echo(write(report, "terminal"))
        question = "Withdraw the signature?" if withdraw else "Sign these findings and pairs?"
        if not click.confirm(question):
            raise ConfigError("nothing was signed", "Answer y, or give --yes.")
    click.echo(sign(path, report, by.strip(), reason.strip(), withdraw))
