from __future__ import annotations

import json

import pytest
from projects import HEDGED, Project, rows


@pytest.fixture
def finding(project: Project) -> str:
    project.records(rows(2))
    project.config("keywords", "loud")
    project.ok("run", "audit.toml")
    return str(project.one("SELECT finding_id FROM findings WHERE record_id = 'r0' AND span = 'S1'"))


def test_it_shows_all_that_led_to_the_finding(project: Project, finding: str) -> None:
    text = project.ok("explain", finding[:8], "--prompt")
    sentence = HEDGED.split(". ")[0] + "."
    for part in (
        f"Finding {finding}:",
        "Record r0 (records.csv, line 2)",
        f"“{sentence}”",
        "probabilities at S1.claim: CLAIM 0.90",
        "Attempt 1: passed all checks",
        "temperature 0.0, seed 1",
        "Prompt competence/v1, file SHA-256",
        "[system]\nYou are a careful fairness auditor",
        f"S1: {sentence}",
        "REPLY\n{",
    ):
        assert part in text
    assert "Audit the text below" not in project.ok("explain", finding)


def test_its_evidence_is_the_records_own_slice(project: Project, finding: str) -> None:
    found = json.loads(project.ok("explain", finding, "--json"))
    item, record = found["finding"], found["record"]
    assert record[item["source"]][item["start"] : item["end"]] == item["excerpt"]
    assert json.loads(found["reply"])["S1"]["verdict"] == item["category"]


def test_the_newest_run_that_holds_it_is_shown(project: Project, finding: str) -> None:
    project.config("keywords", "loud", more="[divergence]\nscore_difference = 1.0")
    project.ok("run", "audit.toml")
    newest = json.loads(project.ok("runs", "list", "--json"))[0]["run_id"]
    assert json.loads(project.ok("explain", finding, "--json"))["run_id"] == newest


def test_what_the_other_judge_said_is_beside_it(project: Project, finding: str) -> None:
    assert "Other judge on this record: scripted:" in project.ok("explain", finding)
