"""The command line: one thin file per command, imported only when it is used."""

from __future__ import annotations

import errno
import importlib
import os
import sys
from typing import Any

import click

from appliance import __version__
from appliance.errors import ApplianceError

# name -> (module:attribute, one line for --help). Kept here so that --help imports no command.
COMMANDS = {
    "models": ("appliance.cli.models:models", "List, fetch, import and check judge models."),
    "doctor": ("appliance.cli.doctor:doctor", "Check whether this machine can run an audit."),
    "init": ("appliance.cli.init:init", "Write an annotated configuration."),
    "plan": ("appliance.cli.plan:plan", "Calls, tokens and time of a run, before anything runs."),
    "variants": ("appliance.cli.variants:variants", "Write the tasks of an intersectional grid."),
    "run": ("appliance.cli.run:run", "Audit the records with both judges; resumes by itself."),
    "runs": ("appliance.cli.runs:runs", "List, show or compare the runs of a store."),
    "report": ("appliance.cli.report:report", "Write a run's report as html, json, csv or md."),
    "divergence": ("appliance.cli.divergence:divergence", "Show where and how much the judges disagree."),
    "scan": ("appliance.cli.scan:scan", "Judge one output on the fly, JSON in and out."),
    "selftest": ("appliance.cli.selftest:selftest", "Audit scripted judges with planted biases."),
    "signoff": ("appliance.cli.signoff:signoff", "Sign the findings of a judge-bias audit as a person."),
    "explain": ("appliance.cli.explain:explain", "Show how one finding came about."),
}


class LazyGroup(click.Group):
    """Commands by name, without importing them for the list. Errors of the appliance become messages."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        module, attribute = COMMANDS[cmd_name][0].split(":")
        command: click.Command = getattr(importlib.import_module(module), attribute)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, text) for name, (_, text) in COMMANDS.items()])

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except ApplianceError as error:
            _say("error", error.message)
            if error.hint:
                _say("hint", error.hint)
            ctx.exit(error.exit_code)
        except (click.ClickException, click.exceptions.Exit, click.Abort):
            raise
        except OSError as error:
            if error.errno == errno.EPIPE:  # the reader has gone, as `| head` does
                _drop_output()
                ctx.exit(2)
            _say("error", f"{error.filename or 'standard output'}: {error.strerror}")
            _drop_output()
            ctx.exit(2)
        except KeyboardInterrupt:
            click.echo("interrupted", err=True)
            ctx.exit(3)
        except Exception as error:
            if ctx.params.get("debug"):
                raise
            _say("error", f"a fault of the appliance: {_where(error)}")
            _say("hint", "`appliance --debug …` shows more, audited text included; please report it.")
            ctx.exit(2)


def _drop_output() -> None:
    """What standard output still holds could not be written; Python's own try at exit would change the
    exit code."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)


def _where(error: Exception) -> str:
    """Kind and place of an unexpected error. Not its words: they may quote audited text."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    place = f" at {trace.tb_frame.f_code.co_filename}:{trace.tb_lineno}" if trace else ""
    return f"{type(error).__name__}{place}"


def _say(kind: str, text: str) -> None:
    """A message can quote a file name or a record, so it is not sent to the terminal as it is."""
    from appliance.cli.terminal import visible

    click.echo(f"{kind}: {visible(text)}", err=True)


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="appliance")
@click.option("--debug", is_flag=True, help="Show tracebacks; they can quote audited text.")
def main(debug: bool) -> None:
    """Audit text for bias with two open-weight judges on your own machine.

    Exit codes: 0 done, 1 gate failed, 2 could not run, 3 incomplete.
    """
    # Audited text can be in any script; a terminal that cannot show a character must not stop a report.
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="backslashreplace")
