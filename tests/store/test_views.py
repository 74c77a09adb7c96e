from __future__ import annotations

import json

import pytest
from projects import Project, rows


@pytest.fixture
def done(project: Project) -> Project:
    made = rows(6)
    made[5]["text"] = ""
    for number in (0, 1):
        made[number]["identity.age"] = "60"
    project.records(made)
    project.config("keywords", "broken")
    assert project.invoke("run", "audit.toml").exit_code == 3
    return project


def test_audit_results_has_the_documents_columns(done: Project) -> None:
    names = [name for (name,) in done.sql("SELECT name FROM pragma_table_info('audit_results')")]
    wanted = ["input_id", "intersectional_labels", "audit_severity", "finding_categories", "timestamp"]
    assert [name for name in names if name in wanted] == wanted


def test_audit_results_has_a_row_for_every_row_of_the_input_and_every_judge(done: Project) -> None:
    found = done.sql(
        "SELECT input_id, intersectional_labels, audit_severity, finding_categories FROM audit_results "
        "WHERE judge = 'scripted:keywords' ORDER BY input_id"
    )
    severity = done.one("SELECT severity FROM findings WHERE record_id = 'r0'")
    kind = done.one("SELECT category FROM findings WHERE record_id = 'r0'")
    assert found == [
        ("r0", "age=60, gender=woman", severity, kind),
        ("r1", "age=60, gender=man", "None", None),
        ("r2", "gender=woman", "None", None),
        ("r3", "gender=man", severity, kind),
        ("r4", "gender=woman", "None", None),
        ("r5", None, "UNSCORED", None),
    ]
    broken = done.sql(
        "SELECT DISTINCT audit_severity, finding_categories FROM audit_results WHERE judge LIKE '%broken'"
    )
    assert broken == [("UNSCORED", None)]
    assert done.one("SELECT min(timestamp GLOB '20??-??-??T??:??:??*') FROM audit_results") == 1


def test_disparity_map_counts_each_row_once(done: Project) -> None:
    found = done.sql("SELECT * FROM disparity_map WHERE judge = 'scripted:keywords' ORDER BY 3")
    high = done.one("SELECT count(*) FROM verdicts WHERE severity = 'HIGH'")
    counts = [row[2:6] for row in found]
    assert counts == [
        (None, 1, 1, 0),
        ("age=60, gender=man", 1, 0, 0),
        ("age=60, gender=woman", 1, 0, 1),
        ("gender=man", 1, 0, 1),
        ("gender=woman", 2, 0, 0),
    ]
    assert sum(row[6] for row in found) == high
    assert done.one("SELECT sum(n) FROM disparity_map") == 12
    assert done.one("SELECT sum(n_unscored) FROM disparity_map") == 7


def test_each_run_has_its_own_rows(done: Project) -> None:
    assert done.invoke("run", "audit.toml", "--fresh").exit_code == 3
    counts = done.sql("SELECT run_id, count(*) FROM audit_results GROUP BY run_id")
    assert [count for _, count in counts] == [12, 12]
    assert done.one("SELECT count(*) FROM (SELECT DISTINCT run_id FROM disparity_map)") == 2


def test_review_queue_shows_text_and_reasons(done: Project) -> None:
    found = done.sql("SELECT record_id, reasons, status, text FROM review_queue ORDER BY record_id")
    assert [row[0] for row in found] == [f"r{n}" for n in range(6)]
    assert {row[2] for row in found} == {"open"}
    assert json.loads(found[5][1]) == ["not judged: empty text"]
    assert found[0][3].startswith("Ana Ruiz seems")
    assert any(reason.startswith("judges diverge: cannot be compared") for reason in json.loads(found[0][1]))


def test_divergence_of_an_unscored_record_is_unknown_and_not_none(done: Project) -> None:
    found = done.sql("SELECT score_difference, flag_disagreement, label_agreement, divergent FROM divergence")
    assert set(found) == {(None, None, None, 1)}


def test_audit_log_leads_from_record_to_score_excerpts_and_confidence(done: Project) -> None:
    score, excerpts, stated, measured = done.sql(
        "SELECT score, evidence_excerpts, stated_confidence, measured_confidence FROM audit_log "
        "WHERE record_id = 'r0' AND judge = 'scripted:keywords'"
    )[0]
    excerpt = json.loads(excerpts)[0]
    text = done.one("SELECT text FROM records WHERE record_id = 'r0'")
    assert text[excerpt["start"] : excerpt["end"]] == excerpt["excerpt"]
    assert -1 <= score <= 1
    assert 0 <= stated <= 1
    assert 0 <= measured <= 1
    log = done.sql("SELECT status, score, evidence_excerpts FROM audit_log WHERE judge = 'scripted:broken'")
    assert set(log) == {("unscored", None, None)}
