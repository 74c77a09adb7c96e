"""`appliance explain`: how one finding came about."""

from __future__ import annotations

from pathlib import Path

import click

from appliance.cli.stores import STORE, as_json_option, reading
from appliance.cli.terminal import visible


@click.command()
@click.argument("finding_id", metavar="FINDING")
@STORE
@as_json_option
@click.option("--prompt", "with_prompt", is_flag=True, help="Show the whole prompt and the raw reply too.")
def explain(finding_id: str, store: Path, as_json: bool, with_prompt: bool) -> None:
    """Show evidence, judge, prompt, reply, attempts and checks behind FINDING (an id or its beginning)."""
    from appliance.pipeline.explain import build_explanation
    from appliance.reports.explanation import explanation_json, explanation_text

    with reading(store) as reader:
        explanation = build_explanation(reader, finding_id)
    shown = visible(explanation_text(explanation, with_prompt))
    click.echo(explanation_json(explanation) if as_json else shown)
