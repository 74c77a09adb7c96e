from __future__ import annotations

from collections.abc import Sequence

import pytest
from projects import HEDGED, Project, rows

from appliance.domain.tasks import Reply, Task
from appliance.judges.scripted import ScriptedSession


def test_an_answer_that_is_not_committed_yet_is_not_asked_for_again(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two equal records out of step: the engine fails at the first attempt of the second one in the same
    moment in which the retry of the first one is answered."""

    def receive(self: ScriptedSession, timeout: float) -> Sequence[Reply]:
        self.capacity = 2
        found = [self._answer(task) for task in self._waiting]
        self._waiting.clear()
        return found

    def answer(self: ScriptedSession, task: Task) -> Reply:
        if task.sampling.temperature == 0:
            return Reply(task_id=task.task_id, kind="engine_error", detail="out of luck")
        return real(self, task)

    real = ScriptedSession._answer
    monkeypatch.setattr(ScriptedSession, "capacity", 1)
    monkeypatch.setattr(ScriptedSession, "receive", receive)
    monkeypatch.setattr(ScriptedSession, "_answer", answer)
    same = {"text": HEDGED, "identity_dimensions": "gender"}
    project.records([{"record_id": "one", **same}, {"record_id": "two", **same}])
    project.config()
    project.ok("run", "audit.toml")
    answered = "SELECT count(*), count(DISTINCT task_id) FROM attempts WHERE kind = 'text'"
    assert project.sql(answered) == [(2, 2)]
    assert project.sql("SELECT DISTINCT status, attempts FROM verdicts") == [("scored", 2)]


def test_progress_never_counts_what_is_not_committed(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    from appliance.cli import progress

    seen: list[tuple[int, int]] = []

    class Watching(progress.ProgressLines):
        def __call__(self, judge: str, done: int, total: int, note: str) -> None:
            if judge and note == "judging":
                kept = project.one("SELECT count(*) FROM verdicts WHERE judge = ?", [judge])
                seen.append((done, kept))

    monkeypatch.setattr(progress, "ProgressLines", Watching)
    project.records(rows(5))
    project.config("flaky", "keywords")
    project.ok("run", "audit.toml")
    assert len(seen) > 10
    assert all(done <= kept for done, kept in seen)
    assert seen[-1] == (5, 5)
