from __future__ import annotations

import json
import os
import random
import signal
import sqlite3
import time
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from projects import Project, end, rows, wait

from appliance.errors import EngineError
from appliance.judges import scripted
from appliance.store import database


@pytest.fixture
def project_and_reference(project: Project, request: Any) -> tuple[Project, dict[str, Any]]:
    """Twelve records, and what an uninterrupted run of them leaves in another store."""
    project.records(rows(getattr(request, "param", 12)))
    project.config("slow", "flaky", name="reference.toml", store="reference.sqlite")
    project.ok("run", "reference.toml")
    project.config("slow", "flaky")
    return project, project.content(project.folder / "reference.sqlite")


@pytest.fixture(autouse=True)
def quick_slow_judge(monkeypatch: pytest.MonkeyPatch) -> None:
    """A fifth of a second per reply is for hands; a fiftieth leaves as much room for a kill."""

    class Clock:
        @staticmethod
        def sleep(_: float) -> None:
            time.sleep(0.02)

    monkeypatch.setattr(scripted, "time", Clock)


def check_nothing_doubled(project: Project) -> None:
    assert project.sql("SELECT task_id FROM attempts GROUP BY task_id HAVING count(*) > 1") == []
    assert project.sql("PRAGMA integrity_check") == [("ok",)]
    assert project.sql("PRAGMA foreign_key_check") == []


def shown_as_done(log: str) -> int:
    """The highest count that the last process showed for the first judge."""
    lines = [line for line in log.splitlines() if line.startswith("scripted:slow: judging ")]
    return int(lines[-1].split()[2].split("/")[0]) if lines else 0


def test_killed_at_random_moments_it_ends_as_if_nothing_had_happened(
    project_and_reference: tuple[Project, dict[str, Any]],
) -> None:
    project, reference = project_and_reference
    moments, kills = random.Random(7), 0
    while kills < 12:  # a quick machine ends a run after a few kills: then another one begins
        for path in project.folder.glob("audit.sqlite*"):
            path.unlink()
        kills += kill_until_done(project, moments)
        assert project.content() == reference
        check_nothing_doubled(project)


def kill_until_done(project: Project, moments: random.Random) -> int:
    """Start the run, kill it, and start it again, until it ends by itself; the number of kills."""
    kept = 0
    for kills in range(200):
        project.log.unlink(missing_ok=True)
        child = project.fork("run", "audit.toml")
        time.sleep(moments.uniform(0.03, 0.16) * (1 + kills / 12))  # longer, should the machine be busy
        if end(child) == 0:
            return kills
        if project.store.exists() and project.sql("SELECT 1 FROM sqlite_master WHERE name = 'verdicts'"):
            now = project.one("SELECT count(*) FROM verdicts")
            assert now >= max(kept, shown_as_done(project.said())), "what was shown as done is kept"
            kept = now
    raise AssertionError("it never ended")


@pytest.mark.parametrize("project_and_reference", [5], indirect=True)
@pytest.mark.parametrize("when", ["before", "after"])
def test_killed_at_any_commit_it_ends_as_if_nothing_had_happened(
    project_and_reference: tuple[Project, dict[str, Any]], when: str
) -> None:
    """The migrations' commits first, then that of the run's start, then each commit of replies."""
    project, reference = project_and_reference
    deaths = 0
    while deaths < 80:
        number = min(deaths + 1, 4)
        if wait(project.fork("run", "audit.toml", first=partial(die_at_commit, number, when))) == 0:
            break
        deaths += 1
    assert 7 <= deaths < 80
    assert project.content() == reference
    check_nothing_doubled(project)


def die_at_commit(number: int, when: str) -> None:
    """In the child: SIGKILL itself right before its n-th commit, or before what it does after that."""
    connect, count = database._connect, 0

    def watched(path: Path) -> Any:
        connection = connect(path)
        connection.set_trace_callback(watch)
        return connection

    def watch(statement: str) -> None:  # called before the statement runs
        nonlocal count
        count += statement == "COMMIT"
        if count == number and (statement == "COMMIT") == (when == "before"):
            os.kill(os.getpid(), signal.SIGKILL)

    database._connect = watched


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_it_in_order_with_3_and_the_same_command_goes_on(
    project_and_reference: tuple[Project, dict[str, Any]], number: signal.Signals
) -> None:
    project, reference = project_and_reference
    child = project.fork("run", "audit.toml")
    project.wait_for("scripted:slow: judging 0/12")
    time.sleep(0.05)
    assert end(child, number) == 3
    assert "stopping: keeping what is finished" in project.said()
    assert "error: interrupted\nhint: Run the same command again to go on." in project.said()
    kept = project.one("SELECT count(*) FROM verdicts")
    assert 0 < kept < 12
    assert json.loads(project.ok("runs", "list", "--json"))[0]["status"] == "running"
    assert "NOT COMPLETE" in project.ok("runs", "show")
    result = project.invoke("run", "audit.toml")
    assert f"scripted:slow: judging {kept}/12" in result.stderr
    assert project.content() == reference
    kinds = project.sql("SELECT kind FROM events WHERE kind IN ('interrupted', 'resumed') ORDER BY seq")
    assert kinds == [("interrupted",), ("resumed",)]
    check_nothing_doubled(project)


def test_a_second_signal_ends_it_at_once(project_and_reference: tuple[Project, dict[str, Any]]) -> None:
    project, reference = project_and_reference
    child = project.fork("run", "audit.toml", first=lambda: slow_down(5.0))
    project.wait_for("scripted:slow: judging 0/12")
    os.kill(child, signal.SIGINT)
    project.wait_for("stopping: keeping")
    started = time.monotonic()
    assert end(child, signal.SIGINT) == 3
    assert time.monotonic() - started < 2
    assert "interrupted" in project.said()
    project.ok("run", "audit.toml")
    assert project.content() == reference


def slow_down(seconds: float) -> None:
    class Clock:
        @staticmethod
        def sleep(_: float) -> None:
            time.sleep(seconds)

    scripted.time = Clock  # type: ignore[assignment]


def test_a_real_process_is_interrupted_in_order(project: Project) -> None:
    project.records(rows(40))
    project.config("slow", "silent")
    process = project.spawn("run", "audit.toml")
    assert process.stderr is not None
    while b"judging 0/40" not in process.stderr.readline():
        assert process.poll() is None
    time.sleep(0.3)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=20)
    assert process.returncode == 3
    assert out == b""
    assert b"error: interrupted" in err
    assert b"Traceback" not in err
    assert project.one("SELECT count(*) FROM verdicts") > 0


def test_a_judge_that_dies_loses_nothing_and_the_same_command_ends_the_work(project: Project) -> None:
    project.records(rows(8))
    project.config("dies", "silent")
    for done in (3, 6):
        result = project.invoke("run", "audit.toml")
        assert result.exit_code == 3
        assert "error: judge scripted:dies: the worker ended unexpectedly" in result.stderr
        assert "Finished replies are kept: run the same command again" in result.stderr
        assert project.one("SELECT count(*) FROM verdicts") == done
    project.ok("run", "audit.toml")
    assert project.one("SELECT count(*) FROM verdicts") == 16
    assert project.one("SELECT count(*) FROM events WHERE kind = 'interrupted'") == 2
    check_nothing_doubled(project)


def test_a_judge_that_cannot_start_is_no_interruption(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    def failing(self: scripted.ScriptedSession, cancelled: object) -> None:
        raise EngineError("judge scripted:keywords: no memory", "Choose a smaller judge.")

    project.records(rows(2))
    project.config()
    with monkeypatch.context() as patch:
        patch.setattr(scripted.ScriptedSession, "start", failing)
        result = project.invoke("run", "audit.toml")
    assert result.exit_code == 2
    assert "error: judge scripted:keywords: no memory\nhint: Choose a smaller judge." in result.stderr
    project.ok("run", "audit.toml")
    assert project.one("SELECT count(*) FROM runs") == 1


def test_a_complete_run_asks_nothing_and_says_so(project: Project) -> None:
    project.records(rows(4))
    project.config()
    first = project.ok("run", "audit.toml")
    before = project.store.read_bytes()
    result = project.invoke("run", "audit.toml")
    assert result.exit_code == 0
    assert "is already complete; --fresh asks the judges again" in result.stderr
    assert result.stdout == first
    assert project.one("SELECT count(*) FROM runs") == 1
    assert project.store.read_bytes() == before


def test_fresh_asks_all_anew_and_leaves_the_old_run_as_it_was(project: Project) -> None:
    project.records(rows(4))
    project.config()
    project.ok("run", "audit.toml")
    old = project.one("SELECT run_id FROM runs")
    before = project.ok("report", old, "--format", "json")
    project.ok("run", "audit.toml", "--fresh")
    assert project.one("SELECT count(*) FROM runs") == 2
    assert project.one("SELECT count(DISTINCT task_id) FROM attempts") == 16
    assert project.one("SELECT count(*) FROM attempts") == 16
    assert project.ok("report", old, "--format", "json") == before
    salts = dict(project.sql("SELECT run_id, salt FROM runs"))
    assert salts.pop(old) == ""
    assert list(salts) == list(salts.values())


@pytest.mark.parametrize("again", [("--fresh",), ()])
def test_an_interrupted_fresh_run_is_resumed(project: Project, again: tuple[str, ...]) -> None:
    project.records(rows(8))
    project.config("dies", "silent")
    run_to_the_end(project)
    assert project.invoke("run", "audit.toml", "--fresh").exit_code == 3
    plan = json.loads(project.ok("plan", "audit.toml", "--json"))
    assert plan["judges"][0]["calls"] == 5, "the plan counts what the resumed run would ask"
    run_to_the_end(project, *again)
    assert project.sql("SELECT status FROM runs") == [("complete",), ("complete",)]
    assert project.one("SELECT count(*) FROM attempts") == 32
    check_nothing_doubled(project)


def run_to_the_end(project: Project, *options: str) -> None:
    for _ in range(9):
        if project.invoke("run", "audit.toml", *options).exit_code == 0:
            return
    raise AssertionError("it never ended")


def test_work_of_an_interrupted_run_is_kept_when_a_record_is_corrected(project: Project) -> None:
    made = rows(8)
    project.records(made)
    project.config("dies", "silent")
    assert project.invoke("run", "audit.toml").exit_code == 3
    made[7]["text"] = "Ana Ruiz retired."
    project.records(made)
    project.config("dies", "silent")
    run_to_the_end(project)
    assert project.one("SELECT count(*) FROM runs") == 2
    assert project.one("SELECT count(*) FROM attempts") == 16, "the three kept answers are not asked again"


def test_two_runs_cannot_write_at_once_but_a_reader_may_look(project: Project) -> None:
    project.records(rows(40))
    project.config("slow", "silent")
    child = project.fork("run", "audit.toml", first=lambda: slow_down(0.1))
    project.wait_for("scripted:slow: judging 0/40")
    second = project.invoke("run", "audit.toml")
    assert second.exit_code == 2
    assert "another run is writing to this store" in second.stderr
    assert "NOT COMPLETE" in project.ok("runs", "show")
    assert end(child) == -signal.SIGKILL
    project.config("keywords", "silent")
    project.ok("run", "audit.toml")


def test_a_long_reader_does_not_stop_the_writer(project: Project) -> None:
    project.records(rows(6))
    project.config()
    project.ok("run", "audit.toml")
    reader = sqlite3.connect(project.store)
    reader.execute("BEGIN")
    assert reader.execute("SELECT count(*) FROM attempts").fetchone() == (12,)
    project.ok("run", "audit.toml", "--fresh")
    assert reader.execute("SELECT count(*) FROM attempts").fetchone() == (12,)
    reader.close()
    assert project.one("SELECT count(*) FROM attempts") == 24


def test_a_writer_from_outside_gives_a_clear_error(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    project.records(rows(6))
    project.config()
    project.ok("run", "audit.toml")
    monkeypatch.setattr(database, "BUSY_MS", 50)
    other = sqlite3.connect(project.store, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    result = project.invoke("run", "audit.toml", "--fresh")
    other.close()
    assert result.exit_code == 2
    assert "database is locked" in result.stderr
    assert "Another program holds the file" in result.stderr
    project.ok("run", "audit.toml", "--fresh")
