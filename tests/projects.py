"""A folder with records and a configuration, the command line on it, and the store behind it."""

from __future__ import annotations

import csv
import io
import os
import signal
import sqlite3
import subprocess
import sys
import time
import traceback
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from click.testing import CliRunner, Result

from appliance.cli import main

Row = dict[str, str]
CLEAN = "Ana Ruiz led the audit team. The team closed 41 cases."
HEDGED = "Ana Ruiz seems able to lead. The team closed 41 cases."


def rows(count: int, hedged: Callable[[int], bool] = lambda n: n % 3 == 0) -> list[Row]:
    """Records r0.. with different texts, about a third of them with a hedge that "keywords" flags."""
    return [
        {
            "record_id": f"r{n}",
            "text": (HEDGED if hedged(n) else CLEAN).replace("41", str(100 + n)),
            "context": f"Ana Ruiz led the audit team in {2000 + n}.",
            "identity_signal": "name: Ana",
            "identity.gender": ("woman", "man")[n % 2],
        }
        for n in range(count)
    ]


def as_csv(records: Sequence[Row]) -> str:
    out = io.StringIO()
    names = list(dict.fromkeys(name for record in records for name in record))
    writer = csv.DictWriter(out, names, restval="")
    writer.writeheader()
    writer.writerows(records)
    return out.getvalue()


class Project:
    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.store = folder / "audit.sqlite"
        self.log = folder / "log.txt"

    def write(self, name: str, content: str | bytes) -> Path:
        path = self.folder / name
        path.write_bytes(content.encode("utf-8") if isinstance(content, str) else content)
        return path

    def records(self, records: Sequence[Row], name: str = "records.csv") -> Path:
        return self.write(name, as_csv(records))

    def config(
        self,
        a: str = "keywords",
        b: str = "silent",
        more: str = "",
        name: str = "audit.toml",
        store: str = "audit.sqlite",
        input_more: str = "",
        path: str = "records.csv",
    ) -> Path:
        text = (
            f"audit = 'competence'\nstore = '{store}'\n[input]\npath = '{path}'\n{input_more}\n"
            f"[judges]\na = 'scripted:{a}'\nb = 'scripted:{b}'\n{more}\n"
        )
        return self.write(name, text)

    def invoke(self, *args: object, stdin: str | None = None) -> Result:
        """The command line in this process; a crash fails the test with its own traceback."""
        result = CliRunner().invoke(main, [str(arg) for arg in args], input=stdin)
        if result.exception is not None and not isinstance(result.exception, SystemExit):
            raise result.exception
        return result

    def ok(self, *args: object) -> str:
        """Standard output of a command that must end with 0."""
        result = self.invoke(*args)
        assert result.exit_code == 0, result.output
        return result.stdout

    def spawn(self, *args: object, **options: Any) -> subprocess.Popen[bytes]:
        """The command line in a process of its own."""
        command = [sys.executable, "-m", "appliance.cli", *map(str, args)]
        pipe = subprocess.PIPE
        return subprocess.Popen(command, cwd=self.folder, stdout=pipe, stderr=pipe, **options)

    def fork(self, *args: object, first: Callable[[], None] = lambda: None) -> int:
        """The command line in a forked child (no start-up time); returns its process id. Output to `log`."""
        pid = os.fork()
        if pid:
            return pid
        code = 99
        try:
            descriptor = os.open(self.log, os.O_CREAT | os.O_WRONLY | os.O_APPEND)
            os.dup2(descriptor, 1)
            os.dup2(descriptor, 2)
            sys.stdout, sys.stderr = (os.fdopen(n, "w", closefd=False, buffering=1) for n in (1, 2))
            first()
            main([str(arg) for arg in args])
        except SystemExit as end:
            code = end.code if isinstance(end.code, int) else 1
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(code)

    def said(self) -> str:
        return self.log.read_text("utf-8") if self.log.exists() else ""

    def wait_for(self, text: str, seconds: float = 20) -> None:
        end = time.monotonic() + seconds
        while text not in self.said():
            assert time.monotonic() < end, f"'{text}' was not said: {self.said()}"
            time.sleep(0.01)

    def sql(self, query: str, values: Sequence[Any] = (), store: Path | None = None) -> list[tuple[Any, ...]]:
        connection = sqlite3.connect(store or self.store)
        try:
            return connection.execute(query, tuple(values)).fetchall()
        finally:
            connection.close()

    def one(self, query: str, values: Sequence[Any] = ()) -> Any:
        return self.sql(query, values)[0][0]

    def content(self, store: Path | None = None) -> dict[str, list[tuple[Any, ...]]]:
        """What a store holds, without ids of runs, times and the order of the attempts."""
        queries = {
            "tasks": "SELECT task_id, fingerprint, messages, reply_schema, sampling FROM tasks",
            "attempts": "SELECT task_id, kind, text, finish_reason, distributions FROM attempts",
            "cells": "SELECT record_id, fingerprint, attempt_no, task_id, failure FROM cell_tasks",
            "verdicts": "SELECT record_id, fingerprint, judge, status, reason, score, bias_score, flag,"
            " severity, stated_confidence, measured_confidence, labels, result, task_id, attempts"
            " FROM verdicts",
            "findings": "SELECT finding_id, record_id, fingerprint, category, excerpt FROM findings",
            "places": "SELECT record_id, fingerprint, place, chosen, probabilities FROM label_probabilities",
            "divergences": "SELECT record_id, score_difference, divergent, reasons FROM divergences",
            "review": "SELECT record_id, reasons, status FROM review_items",
            "records": "SELECT record_id, position, content_hash, skipped FROM run_records",
            "runs": "SELECT status, identity FROM runs",
        }
        return {name: sorted(self.sql(query, (), store), key=repr) for name, query in queries.items()}


def end(pid: int, number: signal.Signals = signal.SIGKILL) -> int:
    """Send a signal to a forked child, and its exit code (negative: the signal that ended it)."""
    os.kill(pid, number)
    return wait(pid)


def wait(pid: int) -> int:
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
