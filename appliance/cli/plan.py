"""`appliance plan`: what a run will cost and what it cannot show, before anything runs."""

from __future__ import annotations

import json
from pathlib import Path

import click

from appliance.cli.stores import as_json_option
from appliance.cli.terminal import visible


@click.command()
@click.argument("config", type=click.Path(path_type=Path))
@as_json_option
def plan(config: Path, as_json: bool) -> None:
    """Count the calls and tokens of CONFIG, and name records and groups that cannot be concluded."""
    from appliance.config import load_config, project_root
    from appliance.pipeline.intersectional.collect import needs_responses
    from appliance.pipeline.intersectional.planning import GridPlan, grid_plan_text, plan_grid
    from appliance.pipeline.plan import Plan, make_plan
    from appliance.pipeline.plan_text import plan_text
    from appliance.pipeline.prepare import prepare

    settings = load_config(config)
    made: GridPlan | Plan
    if needs_responses(settings):
        made = plan_grid(settings, project_root())
        text = grid_plan_text(made)
    else:
        made = make_plan(prepare(settings, project_root()))
        text = plan_text(made)
    click.echo(json.dumps(made.model_dump(mode="json"), indent=2) if as_json else visible(text))
