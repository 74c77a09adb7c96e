from __future__ import annotations

import csv
import io
import json
import re

import pytest
from projects import Project, rows

from appliance.domain.tasks import Reply, Task
from appliance.judges import scripted
from appliance.judges.scripted import ScriptedSession


def test_three_failures_are_all_kept_and_end_unscored(project: Project) -> None:
    project.records(rows(2))
    project.config("broken", "keywords")
    result = project.invoke("run", "audit.toml")
    assert result.exit_code == 3
    assert "2 of 2 records were not scored by both judges (limits.max_unscored allows 5%)" in result.stderr
    attempts = project.sql(
        "SELECT record_id, attempt_no, failure != '', json_extract(sampling, '$.temperature') "
        "FROM cell_tasks JOIN tasks USING (task_id) JOIN attempts USING (task_id) "
        "WHERE failure != '' ORDER BY 1, 2"
    )
    assert attempts == [(r, n, 1, t) for r in ("r0", "r1") for n, t in ((1, 0.0), (2, 0.2), (3, 0.4))]
    verdicts = project.sql(
        "SELECT status, reason, flag, score, attempts FROM verdicts WHERE judge LIKE '%broken'"
    )
    for status, reason, flag, score, count in verdicts:
        assert (status, flag, score, count) == ("unscored", None, None, 3)
        assert reason.startswith("3 attempts failed, the last: the reply does not keep to its schema")
    reasons = [json.loads(r) for (r,) in project.sql("SELECT reasons FROM review_queue")]
    assert len(reasons) == 2
    assert all(any(reason.startswith("unscored by scripted:broken") for reason in each) for each in reasons)


def test_unscored_is_never_clean_in_any_format(project: Project) -> None:
    project.records(rows(3, hedged=lambda n: False))
    project.config("broken", "silent")
    assert project.invoke("run", "audit.toml").exit_code == 3
    views = project.sql("SELECT judge, n, n_unscored, n_flagged FROM disparity_map ORDER BY 1")
    assert views == [("scripted:broken", 1, 1, 0), ("scripted:broken", 2, 2, 0), *views[2:]]
    severities = project.sql("SELECT DISTINCT judge, audit_severity FROM audit_results ORDER BY 1")
    assert severities == [("scripted:broken", "UNSCORED"), ("scripted:silent", "None")]
    table = list(csv.DictReader(io.StringIO(project.ok("report", "--format", "csv"))))
    broken = [row for row in table if row["judge"] == "scripted:broken"]
    assert {(row["status"], row["bias_flag"], row["overall_severity"]) for row in broken} == {
        ("unscored", "", "")
    }
    whole = json.loads(project.ok("report", "--format", "json"))
    flags = [v["flag"] for r in whole["records"] for v in r["verdicts"] if v["judge"] == "scripted:broken"]
    assert flags == [None] * 3
    groups = [g for g in whole["groups"] if g["judge"] == "scripted:broken"]
    assert all(g["flag_rate"]["value"] is None and g["flag_rate"]["n"] == 0 for g in groups)
    assert whole["divergence"]["n_compared"] == 0
    assert whole["divergence"]["flag_agreement"]["value"] is None
    assert all(r["divergence"]["divergent"] for r in whole["records"])
    markdown = project.ok("report", "--format", "md")
    assert re.search(r"scripted:broken \*\*UNFIT\*\* \| 0 of 3 \(0%\) \| 3 \(3 × ", markdown)
    assert "nothing scored" in markdown
    html = project.ok("report", "--format", "html")
    assert html.count("UNSCORED") >= 3
    assert "unscored 3 (3 ×" in " ".join(project.ok("runs", "show").split())
    assert "undefined" in project.ok("divergence")


def test_a_judge_that_keeps_to_the_schema_at_the_second_attempt_is_scored_and_the_retry_counted(
    project: Project,
) -> None:
    project.records(rows(3))
    project.config("flaky", "keywords")
    summary = json.loads(project.ok("run", "audit.toml", "--json"))
    flaky = summary["judges"][0]
    assert (flaky["n_scored"], flaky["n_attempts"], flaky["n_retried_records"]) == (3, 6, 3)
    assert sum(flaky["retry_reasons"].values()) == 3
    assert project.one("SELECT count(*) FROM attempts") == 9
    finding = project.one("SELECT finding_id FROM findings WHERE rationale != '' LIMIT 1")
    text = project.ok("explain", finding)
    assert "Attempt 1: the reply does not keep to its schema" in text
    assert "Attempt 2: passed all checks" in text
    assert "temperature 0.2" in text
    prompts = project.sql("SELECT messages FROM tasks JOIN cell_tasks USING (task_id) WHERE attempt_no = 2")
    assert all("What was wrong" in messages for (messages,) in prompts)


def test_one_bad_record_of_fifty_does_not_void_the_run(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    break_records(monkeypatch, "107 cases")
    project.records(rows(50))
    project.config()
    summary = json.loads(project.ok("run", "audit.toml", "--json"))
    assert [j["n_scored"] for j in summary["judges"]] == [49, 49]
    assert summary["divergence"]["n_compared"] == 49
    assert [r["record_id"] for r in summary["review"] if "unscored" in " ".join(r["reasons"])] == ["r7"]


def break_records(monkeypatch: pytest.MonkeyPatch, text: str, error: bool = False) -> None:
    """The scripted judges fail at records that hold `text`: cut replies, or an error of the engine."""
    answer = ScriptedSession._answer

    def failing(self: ScriptedSession, task: Task) -> Reply:
        reply = answer(self, task)
        if not any(text in s.text for m in task.question.messages for s in m.segments):
            return reply
        if error:
            return Reply(task_id=task.task_id, kind="engine_error", detail="out of luck")
        return reply.model_copy(update={"finish_reason": "length"})

    monkeypatch.setattr(ScriptedSession, "_answer", failing)


def test_a_cut_reply_is_reported_as_cut(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    break_records(monkeypatch, "cases")
    project.records(rows(1))
    project.config()
    assert project.invoke("run", "audit.toml").exit_code == 3
    reason = project.one("SELECT reason FROM verdicts")
    assert reason == "3 attempts failed, the last: the reply was cut off (finish reason 'length')"


def test_an_error_of_the_engine_is_kept_and_asked_again_by_the_next_run(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    project.records(rows(2))
    project.config()
    with monkeypatch.context() as patch:
        break_records(patch, "101 cases", error=True)
        assert project.invoke("run", "audit.toml").exit_code == 3
    assert project.one("SELECT count(*) FROM attempts WHERE kind = 'engine_error'") == 6
    assert project.one("SELECT count(*) FROM verdicts WHERE status = 'unscored'") == 2
    project.config(more="[divergence]\nscore_difference = 0.5")
    project.ok("run", "audit.toml")
    assert project.one("SELECT count(*) FROM attempts WHERE kind = 'text'") == 4


def test_what_resumes_after_an_engine_error_shows_the_outcome_that_counts(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Killed between a failed attempt and its retry: the first attempt is asked again, and then it works."""
    project.records(rows(1))
    project.config("keywords", "silent")
    with monkeypatch.context() as patch:
        break_records(patch, "cases", error=True)
        patch.setattr(scripted.ScriptedSession, "receive", once_then_die(scripted.ScriptedSession.receive))
        assert project.invoke("run", "audit.toml").exit_code == 3
    project.ok("run", "audit.toml")
    assert project.sql("SELECT attempt_no, failure FROM cell_tasks") == [(1, ""), (1, "")]
    text = project.ok("explain", project.one("SELECT finding_id FROM findings"), "--prompt")
    assert "Attempt 1: passed all checks" in text
    assert 'REPLY\n{"S1"' in text


def once_then_die(receive: object) -> object:
    calls = 0

    def limited(self: ScriptedSession, timeout: float) -> object:
        nonlocal calls
        calls += 1
        if calls > 1:
            raise scripted.EngineError("gone", "")
        return receive(self, timeout)  # type: ignore[operator]

    return limited


def test_equal_temperatures_still_ask_three_times(project: Project) -> None:
    project.records(rows(1))
    project.config("broken", "silent", more="[competence]\nretry_temperatures = [0.2, 0.2]")
    project.invoke("run", "audit.toml")
    assert project.one("SELECT count(*) FROM attempts") == 4, "three of the broken judge, one of the other"


def test_the_limit_decides_the_exit_code_and_skipped_rows_count(project: Project) -> None:
    made = rows(9)
    made[4]["text"] = " "
    project.records(made)
    project.config(more="[limits]\nmax_unscored = 0.1")
    result = project.invoke("run", "audit.toml")
    assert result.exit_code == 3
    assert "1 of 9 records" in result.stderr
    assert project.sql(
        "SELECT record_id, json_extract(reasons, '$[0]') FROM review_queue WHERE text IS NULL"
    ) == [("r4", "not judged: empty text")]
    assert (
        project.sql("SELECT audit_severity FROM audit_results WHERE input_id = 'r4'") == [("UNSCORED",)] * 2
    )
    project.config(more="[limits]\nmax_unscored = 0.2")
    project.ok("run", "audit.toml")
    assert project.one("SELECT count(*) FROM runs") == 1, "a limit is no reason to ask again"


def test_the_gate_stays_shut_for_judges_that_are_not_fit(project: Project) -> None:
    project.records(rows(3, hedged=lambda n: False))
    project.config()
    result = project.invoke("run", "audit.toml", "--gate")
    assert result.exit_code == 1
    assert "not shown to be fit as judge: scripted:keywords, scripted:silent" in result.stderr
