"""Real judges through the real engine. Skipped, with the reason, where engine or weights are missing."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
JUDGES = ("smollm2-135m", "gemma3-270m")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    missing = [n for n in JUDGES if not (ROOT / f"models/weights/{n}/weights.lock.json").is_file()]
    reason = f"no weights of {', '.join(missing)} (appliance models provision)" if missing else ""
    reason = reason or ("" if find_spec("vllm") else "no engine is installed")
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.engine)
            if reason and not os.environ.get("CI"):  # in CI a missing engine is a failure, not a skip
                item.add_marker(pytest.mark.skip(reason=reason))


@dataclass
class Audit:
    """One configuration on disk, run through the command line as a user would."""

    folder: Path

    @property
    def store(self) -> Path:
        return self.folder / "audit.sqlite"

    def start(self, *options: str) -> subprocess.Popen[str]:
        command = [sys.executable, "-m", "appliance.cli", "run", str(self.folder / "audit.toml"), *options]
        return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=ROOT)

    def run(self, *options: str) -> tuple[int, str]:
        process = self.start(*options)
        out, err = process.communicate(timeout=900)
        return process.returncode, out + err

    def rows(self, sql: str) -> list[tuple[object, ...]]:
        if not self.store.exists():
            return []
        with sqlite3.connect(f"file:{self.store}?mode=ro", uri=True) as connection:
            try:
                return connection.execute(sql).fetchall()
            except sqlite3.OperationalError:  # the tables are not there yet
                return []

    def wait_for_attempts(self, count: int, process: subprocess.Popen[str]) -> None:
        """Until so many replies are committed, or the process ends."""
        while process.poll() is None:
            found = self.rows("SELECT count(*) FROM attempts")
            if found and int(str(found[0][0])) >= count:
                return
            time.sleep(0.05)


Make = Callable[..., Audit]


@pytest.fixture
def make_audit(tmp_path: Path) -> Make:
    def make(records: list[dict[str, object]], a: str, b: str, extra: str = "", name: str = "audit") -> Audit:
        folder = tmp_path / name
        folder.mkdir()
        lines = "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records)
        (folder / "records.jsonl").write_text(lines, encoding="utf-8")
        (folder / "audit.toml").write_text(
            'audit = "competence"\n[input]\npath = "records.jsonl"\n'
            f'[judges]\na = "{a}"\nb = "{b}"\n{extra}\n[limits]\nmax_unscored = 1.0\n',
            encoding="utf-8",
        )
        return Audit(folder)

    return make


def engine_processes() -> list[str]:
    """Command lines of all that a worker starts, by its module or by vLLM's own process names."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit() and entry.name != str(os.getpid()):
            try:
                line = (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
            except OSError:
                continue
            if "appliance.judges.worker" in line or "VLLM::" in line:
                found.append(line)
    return found


def kill(process: subprocess.Popen[str], how: signal.Signals = signal.SIGKILL) -> None:
    process.send_signal(how)
    process.communicate(timeout=60)
