"""`appliance scan`: one output judged on the fly, JSON in and out."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import click


@click.command()
@click.argument("config", type=click.Path(path_type=Path))
@click.option("--no-sandbox", is_flag=True, help="Run the judges without network isolation.")
def scan(config: Path, no_sandbox: bool) -> None:
    """Judge one record with the judges of CONFIG: a JSON object with text and identity on standard input, the
    verdicts on standard output. Exits with 1 when people must look before the output is used."""
    from appliance.cli.progress import ProgressLines
    from appliance.config import load_config
    from appliance.errors import GateError, InputError
    from appliance.pipeline.scan import scan as scan_record

    settings = load_config(config)
    try:
        record = json.load(sys.stdin)
        if not isinstance(record, dict):
            raise ValueError("not an object")
    except ValueError as error:
        raise InputError(f"standard input is no JSON object: {error}", 'Send {"text": ..., ...}.') from None
    progress = ProgressLines()
    try:
        found = scan_record(settings, record, progress, isolated=not no_sandbox)
    finally:
        progress.close()
    click.echo(json.dumps(found, indent=2, ensure_ascii=False))
    if found["people_must_look"]:
        raise GateError("people must look: " + "; ".join(found["reasons"]), "See reasons in the output.")
