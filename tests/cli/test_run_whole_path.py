from __future__ import annotations

import csv
import io
import json
import re
import subprocess
import sys
import unicodedata
from pathlib import Path

import pytest
from projects import CLEAN, HEDGED, Project, rows

SAMPLES = Path(__file__).parents[2] / "samples" / "competence"
NASTY = "Ana \x1b[31m seems\x1b[0m able \x9b1m\u202eto lead. \x07Bell. Tab\there. Ключ 漢字 🙂."


def controls(text: str) -> set[str]:
    return {c for c in text if c not in "\n\t" and unicodedata.category(c) in ("Cc", "Cf", "Cs")}


@pytest.fixture
def done(project: Project) -> Project:
    project.records(rows(6))
    project.config()
    project.ok("run", "audit.toml")
    return project


def test_the_sample_runs_from_start_to_report(project: Project) -> None:
    labels = f"labels = '{SAMPLES / 'labels.csv'}'"
    project.config(path=str(SAMPLES / "records.csv"), input_more=labels)
    summary = json.loads(project.ok("run", "audit.toml", "--json"))
    assert summary["complete"]
    assert [j["n_scored"] for j in summary["judges"]] == [32, 32]
    assert [j["standing"]["agreement_with_labels"]["n"] for j in summary["judges"]] == [32, 32]
    assert Path(summary["report"]).read_text("utf-8").lower().startswith("<!doctype html>")


@pytest.mark.parametrize("suffix", ["csv", "tsv", "jsonl", "json"])
def test_every_input_format_gives_the_same_verdicts(project: Project, suffix: str) -> None:
    made = rows(4)
    csv_text = project.records(made).read_text("utf-8")
    table = list(csv.reader(io.StringIO(csv_text)))
    plain = [{k: v for k, v in r.items() if k != "identity.gender"} for r in made]
    as_json = [p | {"identity": {"gender": r["identity.gender"]}} for p, r in zip(plain, made, strict=True)]
    text = {
        "csv": csv_text,
        "tsv": "".join("\t".join(cells) + "\n" for cells in table),
        "jsonl": "".join(json.dumps(item) + "\n" for item in as_json),
        "json": json.dumps(as_json),
    }[suffix]
    project.write(f"in.{suffix}", text)
    project.config(path=f"in.{suffix}")
    project.ok("run", "audit.toml")
    flags = project.sql("SELECT record_id, flag FROM verdicts WHERE judge = 'scripted:keywords' ORDER BY 1")
    assert flags == [("r0", 1), ("r1", 0), ("r2", 0), ("r3", 1)]
    assert (
        project.one("SELECT count(*) FROM records WHERE json_extract(body, '$.identity.gender') = 'woman'")
        == 2
    )


def test_data_goes_to_stdout_and_progress_to_stderr(project: Project) -> None:
    project.records(rows(3))
    project.config()
    result = project.invoke("run", "audit.toml", "--json")
    json.loads(result.stdout)
    assert "scripted:keywords: judging 3/3" in result.stderr
    assert "judging" not in result.stdout


def test_every_format_holds_every_record_and_judge(done: Project) -> None:
    for kind in ("html", "json", "csv", "md"):
        text = done.ok("report", "--format", kind)
        assert done.ok("report", "--format", kind) == text, "the same report twice"
        assert "scripted:keywords" in text
        assert "scripted:silent" in text
    as_json = json.loads(done.ok("report", "--format", "json"))
    assert [r["record_id"] for r in as_json["records"]] == [f"r{n}" for n in range(6)]
    table = list(csv.DictReader(io.StringIO(done.ok("report", "--format", "csv"))))
    assert {(r["record_id"], r["judge"]) for r in table} == {
        (f"r{n}", f"scripted:{name}") for n in range(6) for name in ("keywords", "silent")
    }
    assert done.ok("report", "-o", "x.JSON").strip().endswith("x.JSON")
    assert json.loads((done.folder / "x.JSON").read_text("utf-8")) == as_json


def test_what_is_for_programs_parses(done: Project) -> None:
    run_id = json.loads(done.ok("runs", "list", "--json"))[0]["run_id"]
    finding = done.one("SELECT finding_id FROM findings")
    assert json.loads(done.ok("runs", "show", run_id, "--json"))["run_id"] == run_id
    assert json.loads(done.ok("divergence", run_id[:-1], "--json"))["run"]["n_compared"] == 6
    assert json.loads(done.ok("explain", finding, "--json"))["finding"]["finding_id"] == finding
    assert json.loads(done.ok("plan", "audit.toml", "--json"))["records"] == 6


def test_words_for_people_agree_with_the_numbers(done: Project) -> None:
    assert "complete" in done.ok("runs", "list")
    assert "flagged 2 of 6" in done.ok("runs", "show")
    text = done.ok("divergence")
    assert re.search(r"^r0 .*only scripted:keywords flags this record", text, re.MULTILINE)
    assert not re.search(r"^r1 ", text, re.MULTILINE)
    assert re.search(r"^r1 ", done.ok("divergence", "--all"), re.MULTILINE)


def test_a_configuration_stands_for_its_store(done: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir("/")
    assert "complete" in done.ok("runs", "list", "--store", done.folder / "audit.toml")
    assert "6 records judged" in done.ok("report", "--store", done.store)


def test_audited_text_cannot_steer_the_terminal(project: Project) -> None:
    project.records([{"record_id": "r\x1b[2J1", "text": NASTY, "identity.gender": "wom\x1ban"}])
    project.config()
    result = project.invoke("run", "audit.toml")
    finding = project.one("SELECT finding_id FROM findings")
    shown = [result.stdout, result.stderr]
    shown += [project.ok("explain", finding, "--prompt"), project.ok("divergence", "--all")]
    shown += [project.ok("runs", "show"), project.ok("plan", "audit.toml"), project.ok("report")]
    for text in shown:
        assert controls(text) == set()
    assert "<U+001B>" in shown[2]
    excerpt = json.loads(project.ok("explain", finding, "--json"))["finding"]["excerpt"]
    assert excerpt == NASTY.split(". ")[0] + ".", "evidence stays verbatim"


@pytest.mark.parametrize("encoding", ["ascii", "latin-1:strict"])
def test_a_terminal_without_unicode_does_not_stop_anything(project: Project, encoding: str) -> None:
    project.records([{"record_id": "ключ", "text": NASTY, "identity.gender": "женщина"}])
    project.config()
    poor = {"PATH": "/usr/bin:/bin", "LC_ALL": "C", "PYTHONIOENCODING": encoding, "PYTHONUTF8": "0"}
    out, err = project.spawn("run", "audit.toml", env=poor).communicate()
    assert b"Traceback" not in err
    assert b"1 records judged" in out
    finding = project.one("SELECT finding_id FROM findings")
    process = project.spawn("explain", finding, "--prompt", env=poor)
    out, err = process.communicate()
    assert process.returncode == 0, err
    assert encoding == "ascii" or b"\\u043a" in out
    assert not any(byte < 32 and byte not in b"\n\t" for byte in out)


def test_a_full_standard_output_is_an_error_without_a_traceback(done: Project) -> None:
    command = [sys.executable, "-m", "appliance.cli", "runs", "show"]
    with Path("/dev/full").open("wb") as full:
        found = subprocess.run(command, cwd=done.folder, stdout=full, stderr=subprocess.PIPE, check=False)
    assert found.returncode == 2
    assert b"No space left" in found.stderr
    assert b"Traceback" not in found.stderr


def test_equal_questions_are_asked_once_and_each_record_keeps_its_own_ids(project: Project) -> None:
    same = {"text": HEDGED, "context": "Ana led.", "identity_signal": "name: Ana"}
    project.records(
        [
            {"record_id": "one", **same, "identity.gender": "woman"},
            {"record_id": "two", **same, "identity.gender": "man"},
            {"record_id": "three", **same, "text": CLEAN, "identity.gender": "man"},
        ]
    )
    project.config()
    project.ok("run", "audit.toml")
    assert project.one("SELECT count(*) FROM attempts") == 4, "two questions to each of two judges"
    found = project.sql("SELECT record_id, finding_id FROM findings ORDER BY record_id")
    assert [record_id for record_id, _ in found] == ["one", "two"]
    assert len({finding_id for _, finding_id in found}) == 2
    results = project.sql("SELECT record_id, json_extract(result, '$.record_id') FROM verdicts")
    assert all(record_id == inside for record_id, inside in results)
    assert len(results) == 6
