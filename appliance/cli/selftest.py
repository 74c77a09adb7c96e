"""`appliance selftest`: is a planted bias found, and none where none is?"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import click

from appliance.cli.stores import as_json_option

if TYPE_CHECKING:
    from appliance.domain.estimates import Estimate
    from appliance.pipeline.selftest.results import CaseResult


@click.command()
@click.argument("audit", type=click.Choice(["judge-bias", "intersectional"]))
@click.option(
    "--seeds", type=click.IntRange(1, 1000), default=20, show_default=True, help="Runs of each case."
)
@as_json_option
def selftest(audit: str, seeds: int, as_json: bool) -> None:
    """Run the pipeline of AUDIT on scripted judges with biases of known size, over many seeds. No model.

    Exits with 1 when the runs show a detection rate under 80% or a rate of false alarms over 5%.
    """
    from appliance.errors import GateError
    from appliance.pipeline.selftest import intersectional, judge_bias

    if audit == "intersectional":
        results = intersectional.run_selftest(seeds, lambda line: click.echo(line, err=True))
    else:
        results = judge_bias.run_selftest(seeds, lambda line: click.echo(line, err=True))
    if as_json:
        click.echo(json.dumps([r.model_dump(mode="json") for r in results], indent=2))
    else:
        click.echo("\n".join(_table(results)))
    failures = [failure for result in results for failure in result.failures]
    if failures:
        raise GateError("the self-test fails: " + "; ".join(failures), "Do not rely on this installation.")


def _table(results: tuple[CaseResult, ...]) -> list[str]:
    from appliance.reports.words import counts

    columns = " ".join(f"{name:>18}" for name in ("detected", "wrongly cleared", "false alarms"))
    lines = [f"{'planted bias':14} {'size':>10} {'runs':>5} {columns}  outcomes"]
    for r in results:
        shares = " ".join(f"{_share(share):>18}" for share in (r.detected, r.cleared, r.false_alarms))
        lines.append(f"{r.case:14} {r.size:>10} {r.runs:>5} {shares}  {counts(r.outcomes)}")
    return [
        *lines,
        "Shares of runs with 95% intervals. Detected: found, and reported as what it is. A false alarm is a",
        "flag on anything that was not planted. Outcomes: of what was planted; where nothing was, of all.",
    ]


def _share(share: Estimate) -> str:
    if share.value is None or share.low is None or share.high is None:
        return "-"
    return f"{share.value:.0%} ({share.low:.0%}-{share.high:.0%})"
