from __future__ import annotations

import json
from typing import Any

import pytest
from projects import HEDGED, Project, rows


def plan(project: Project) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(project.ok("plan", "audit.toml", "--json"))
    return found


def calls(project: Project) -> list[tuple[int, int]]:
    return [(judge["calls"], judge["answered"]) for judge in plan(project)["judges"]]


def test_it_counts_what_a_run_then_asks(project: Project) -> None:
    same = {"text": HEDGED, "context": "", "identity_signal": ""}
    made = [*rows(5), {"record_id": "x1", **same}, {"record_id": "x2", **same}]
    for record in made:
        record["identity_dimensions"] = "gender"
    project.records(made)
    project.config()
    assert calls(project) == [(6, 1), (6, 1)], "equal texts are asked once"
    project.ok("run", "audit.toml")
    assert project.one("SELECT count(*) FROM attempts") == 12
    assert calls(project) == [(0, 7), (0, 7)]


def test_kept_answers_are_not_counted_as_calls(project: Project) -> None:
    project.records(rows(8))
    project.config("dies", "silent")
    assert project.invoke("run", "audit.toml").exit_code == 3
    assert calls(project) == [(5, 3), (8, 0)]
    project.config("keywords", "silent")
    assert calls(project) == [(8, 0), (8, 0)], "another judge's answers are no use"


def test_a_failed_attempt_leaves_a_call_to_make(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    from appliance.errors import EngineError
    from appliance.judges.scripted import ScriptedSession

    project.records(rows(1))
    project.config("flaky", "silent")
    receive, told = ScriptedSession.receive, []

    def dying(self: ScriptedSession, timeout: float) -> object:
        told.append(1)
        if len(told) > 1:
            raise EngineError("gone", "")
        return receive(self, timeout)

    with monkeypatch.context() as patch:
        patch.setattr(ScriptedSession, "receive", dying)
        assert project.invoke("run", "audit.toml").exit_code == 3
    assert project.one("SELECT count(*) FROM attempts") == 1
    assert calls(project) == [(1, 0), (1, 0)]


def test_small_groups_and_skipped_rows_are_named(project: Project) -> None:
    made = rows(5)
    made[1]["text"] = ""
    project.records(made)
    project.config()
    found = plan(project)
    assert found["records"] == 4
    assert found["skipped"] == ["r1 (records.csv, line 3): empty text"]
    assert found["small_groups"] == {"gender = man": 1, "gender = woman": 3}
    text = project.ok("plan", "audit.toml")
    assert "not judged: r1 (records.csv, line 3): empty text" in text
    assert "fewer than 50 records): gender = man (1), gender = woman (3)" in text
    assert "gender = man: none, whatever the records say" in text


def test_the_smallest_difference_that_can_be_shown_is_said_beforehand(project: Project) -> None:
    project.records(
        [record | {"identity.gender": "woman" if i % 2 else "man"} for i, record in enumerate(rows(100))]
    )
    project.config()
    # Two groups of 50, a family of two: (2.241 + 0.842)·√(0.25·2/50).
    assert plan(project)["detectable"] == {"gender = man": 0.3083, "gender = woman": 0.3083}
    assert "gender = woman: 31 points" in project.ok("plan", "audit.toml")


def test_a_group_of_fifty_is_not_small(project: Project) -> None:
    project.records([record | {"identity.gender": "woman"} for record in rows(50)])
    project.config()
    found = plan(project)
    assert found["small_groups"] == {}
    assert found["detectable"] == {"gender = woman": None}


def test_time_is_unknown_until_the_judge_has_run_and_then_it_is_its_own_speed(project: Project) -> None:
    project.records(rows(6))
    project.config()
    assert "unknown until this judge has run here" in project.ok("plan", "audit.toml")
    project.ok("run", "audit.toml")
    project.records(rows(9))
    assert [judge["seconds"] for judge in plan(project)["judges"]] == [0, 0]


def test_it_writes_nothing(project: Project) -> None:
    project.records(rows(3))
    project.config(store="deeper/audit.sqlite")
    before = sorted(project.folder.rglob("*"))
    project.ok("plan", "audit.toml")
    assert sorted(project.folder.rglob("*")) == before
