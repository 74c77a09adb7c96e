"""`appliance report`: a run's report in a format of choice."""

from __future__ import annotations

from pathlib import Path

import click

from appliance.cli.stores import RUN, STORE, reading
from appliance.cli.terminal import visible


@click.command()
@RUN
@STORE
@click.option("-o", "--output", type=click.Path(path_type=Path), help="File to write; default: stdout.")
@click.option(
    "--format", "kind", type=click.Choice(["html", "json", "csv", "md"]), help="Default: by -o, else md."
)
def report(run_id: str, store: Path, output: Path | None, kind: str | None) -> None:
    """Write the report of RUN (an id, the beginning of one, or 'latest')."""
    from appliance.cli.files import write_private
    from appliance.pipeline.kinds import build_report
    from appliance.reports import FORMATS, write

    kind = kind or (output.suffix.lstrip(".").lower() if output else "md")
    if kind not in FORMATS:
        raise click.UsageError(
            f"the ending of {output} is not a report format: html, json, csv or md; or give --format"
        )
    with reading(store) as reader:
        text = write(build_report(reader, run_id), kind)
    if output is None:
        # Only Markdown is for reading on a terminal; the others are data, as they are.
        text = visible(text) if kind == "md" else text
        click.echo(text, nl=not text.endswith("\n"))
    else:
        write_private(output, text)
        click.echo(str(output.resolve()))
