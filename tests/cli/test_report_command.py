from __future__ import annotations

import csv
import io
import json
import os
import stat
from pathlib import Path

import pytest
from projects import Project, rows


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


@pytest.fixture
def done(project: Project) -> Project:
    project.records(rows(4))
    project.config()
    kept = os.umask(0)
    project.ok("run", "audit.toml")
    os.umask(kept)
    return project


def test_what_holds_audited_text_is_private_whatever_the_umask(done: Project) -> None:
    assert mode(done.store) == 0o600
    assert [mode(path) for path in (done.folder / "reports").iterdir()] == [0o600]
    done.write("r.html", "old and open to all").chmod(0o644)
    done.ok("report", "-o", "r.html")
    assert mode(done.folder / "r.html") == 0o600
    assert "old and open" not in (done.folder / "r.html").read_text("utf-8")


def test_the_files_beside_an_open_store_are_private_too(project: Project) -> None:
    from appliance.store.database import open_for_writing

    kept = os.umask(0)
    database = open_for_writing(project.store)
    database.conn.execute("INSERT INTO events (run_id, time, kind, detail) VALUES (NULL, '', '', '')")
    os.umask(kept)
    assert {path.name: mode(path) for path in project.folder.iterdir()} == {
        "audit.sqlite": 0o600,
        "audit.sqlite-wal": 0o600,
        "audit.sqlite-shm": 0o600,
    }
    database.close()


def test_the_ending_names_the_format_and_the_option_overrides_it(done: Project) -> None:
    assert done.ok("report", "-o", "r.csv") == f"{done.folder / 'r.csv'}\n"
    assert (done.folder / "r.csv").read_text("utf-8").startswith("run_id,record_id,")
    done.ok("report", "-o", "r.txt", "--format", "json")
    assert json.loads((done.folder / "r.txt").read_text("utf-8"))["schema"] == "run-report/1"


def test_a_file_and_standard_output_hold_the_same_bytes(done: Project) -> None:
    done.ok("report", "-o", "r.csv")
    out, _ = done.spawn("report", "--format", "csv").communicate()
    assert out == (done.folder / "r.csv").read_bytes()


def test_a_run_that_is_not_complete_can_be_reported_and_says_so(project: Project) -> None:
    project.records(rows(6))
    project.config("dies", "silent")
    assert project.invoke("run", "audit.toml").exit_code == 3
    whole = json.loads(project.ok("report", "--format", "json"))
    assert whole["complete"] is False
    assert whole["divergence"] is None
    assert "INCOMPLETE" in whole["headline"]
    assert "not complete" in project.ok("report", "--format", "md")
    assert "not complete" in project.ok("divergence")
    table = list(csv.DictReader(io.StringIO(project.ok("report", "--format", "csv"))))
    assert sum(row["status"] == "unscored" for row in table) == 9
    assert len(table) == 12
    severities = dict(project.sql("SELECT audit_severity, count(*) FROM audit_results GROUP BY 1"))
    assert severities["UNSCORED"] == 9


def test_a_report_needs_neither_records_nor_prompts_nor_models(
    done: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = done.ok("report", "--format", "json")
    (done.folder / "records.csv").unlink()
    (done.folder / "audit.toml").unlink()
    monkeypatch.setenv("APPLIANCE_HOME", "/nowhere")
    assert done.ok("report", "--format", "json") == before


def test_reading_leaves_the_store_as_it_was(done: Project) -> None:
    before = done.store.read_bytes()
    for command in (["report"], ["divergence"], ["runs", "list"], ["runs", "show"]):
        done.ok(*command)
    assert done.store.read_bytes() == before
    assert sorted(path.name for path in done.folder.glob("audit.sqlite*")) == [
        "audit.sqlite",
        "audit.sqlite.lock",
    ]
