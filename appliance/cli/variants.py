"""`appliance variants`: the tasks of a grid, to be answered elsewhere."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import click


@click.command()
@click.argument("config", type=click.Path(path_type=Path))
@click.option("-o", "--output", type=click.Path(path_type=Path), help="A CSV file; else standard output.")
def variants(config: Path, output: Path | None) -> None:
    """Write every variant of the grid of CONFIG: its id, the task, and its identity. Answer the tasks with
    any model, and give the responses (variant_id, response) under model.responses."""
    from appliance.cli.files import write_private
    from appliance.config import load_config
    from appliance.pipeline.intersectional.variants import load_grid
    from appliance.reports.csv_report import cell

    grid = load_grid(load_config(config))
    out = io.StringIO()
    writer = csv.writer(out)
    dimensions = list(grid.dimensions)
    writer.writerow(["variant_id", "task", "template_id", *(f"identity.{d}" for d in dimensions)])
    for v in grid.variants():
        row = [v.variant_id, v.text, v.template_id, *(v.profile[d] for d in dimensions)]
        writer.writerow([cell(value) for value in row])
    if output is None:
        click.echo(out.getvalue(), nl=False)
        return
    write_private(output, out.getvalue())
    click.echo(f"{len(grid)} variants: {output}", err=True)
