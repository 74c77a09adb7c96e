"""`appliance run`: the audit itself."""

from __future__ import annotations

import json
import shlex
import shutil
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from appliance.config import Config
    from appliance.reports import Report


@click.command()
@click.argument("config", type=click.Path(path_type=Path))
@click.option("--fresh", is_flag=True, help="Ask the judges anew, whatever they have answered before.")
@click.option("--gate", is_flag=True, help="Exit with 1 unless nothing waits for a person.")
@click.option("--json", "as_json", is_flag=True, help="Print the summary as JSON for a program.")
@click.option("--no-sandbox", is_flag=True, help="Run the judges without network isolation; recorded.")
@click.option("-o", "--output", type=click.Path(path_type=Path), help="Where to write the HTML report.")
def run(config: Path, fresh: bool, gate: bool, as_json: bool, no_sandbox: bool, output: Path | None) -> None:
    """Audit the records of CONFIG with both judges; an interrupted run goes on where it was."""
    from appliance.config import load_config, project_root
    from appliance.pipeline.outcome import check_complete, check_gate

    settings = load_config(config)
    if no_sandbox:
        click.echo("WARNING: the judges run WITHOUT network isolation (--no-sandbox).", err=True)
    report = _run(settings, project_root(), fresh, isolated=not no_sandbox)
    path = _write_report(report, settings, output)
    _say(report, path, config, as_json)
    check_complete(report, settings.limits.max_unscored)
    if gate:
        check_gate(report)


def _run(settings: Config, root: Path, fresh: bool, isolated: bool) -> Report:
    from appliance.cli.progress import ProgressLines
    from appliance.cli.stores import reading
    from appliance.cli.terminal import visible
    from appliance.pipeline.alerts import raise_alerts
    from appliance.pipeline.intersectional.collect import collect, needs_responses
    from appliance.pipeline.intersectional.recorded import execute_recorded_verdicts
    from appliance.pipeline.judge_bias.recorded import execute_recorded
    from appliance.pipeline.kinds import build_report
    from appliance.pipeline.prepare import prepare
    from appliance.pipeline.run import RunOptions, execute

    progress = ProgressLines()
    stopping = _stop_in_order()
    progress("", 0, 0, "checking records, prompt and models")
    try:
        if settings.scores.path:
            given = execute_recorded_verdicts if settings.audit == "intersectional" else execute_recorded
            run_id = given(settings)
        else:
            if needs_responses(settings):
                collect(settings, root, isolated, progress, stopping)
            prepared = prepare(settings, root)
            run_id = execute(prepared, RunOptions(fresh, isolated), progress, stopping)
    finally:
        progress.close()
    with reading(settings.resolve(settings.store)) as reader:
        raise_alerts(settings, reader, run_id, lambda line: click.echo(visible(line), err=True))
        return build_report(reader, run_id)


def _stop_in_order() -> Callable[[], bool]:
    """The first Ctrl-C (or TERM) lets the finished replies be committed; the second ends at once."""
    asked: list[int] = []

    def stop(number: int, frame: FrameType | None) -> None:
        if asked:
            raise KeyboardInterrupt
        asked.append(number)
        click.echo("\nstopping: keeping what is finished (again to end at once)", err=True)

    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, stop)
    return lambda: bool(asked)


def _write_report(report: Report, settings: Config, output: Path | None) -> Path:
    from appliance.cli.files import write_private
    from appliance.reports import write

    path = output or settings.resolve(settings.store).parent / "reports" / f"{report.run_id}.html"
    write_private(path, write(report, "html"))
    return path.resolve()


def _say(report: Report, path: Path, config: Path, as_json: bool) -> None:
    from appliance.reports import summary_of, write

    if as_json:
        click.echo(json.dumps(summary_of(report) | {"report": str(path)}, indent=2, ensure_ascii=False))
        return
    click.echo(write(report, "terminal"))
    click.echo(f"Report: {path}")
    more = [_program(), "divergence", report.run_id, "--store", str(config.resolve())]
    click.echo(f"More:   {shlex.join(more)}")


def _program() -> str:
    """How to call this program again from anywhere."""
    called = Path(sys.argv[0])
    return "appliance" if shutil.which("appliance") == str(called) else str(called.resolve())
