"""The planted judges, and the self-test that rests on them."""

from __future__ import annotations

import json
from statistics import mean

import pytest
from projects import Project

from appliance.domain.tasks import Message, Question, Sampling, Segment, Task, make_task
from appliance.errors import ModelError
from appliance.judges.planted import Effect, Planted, decide, load_planted
from appliance.pipeline.selftest import intersectional
from appliance.pipeline.selftest.judge_bias import LENGTH, cases, run_selftest
from appliance.pipeline.selftest.results import CaseResult
from appliance.statistics.proportions import rate

SCALE = {"properties": {"score": {"enum": [1, 2, 3, 4, 5]}}}
CHOICE = {"properties": {"choice": {"enum": ["A", "B"]}}}


def task(*shown: str, schema: dict[str, object] = SCALE, seed: int = 1) -> Task:
    segments = tuple(Segment(text=text, trusted=False) for text in shown)
    question = Question(
        messages=(Message(role="user", segments=segments),), reply_schema=schema, decisions=()
    )
    return make_task("f" * 64, question, Sampling(temperature=0.0, seed=seed), "")


def scores(planted: Planted, word: str) -> list[int]:
    return [(decide(planted, task(f"Q{n}", f"Answer {n} {word}")) or {})["score"] for n in range(2000)]


def test_a_planted_effect_has_its_size_and_the_same_question_its_answer() -> None:
    planted = Planted(effects=(Effect(pattern="really", add=0.6),), noise=0.5)
    plain, more = scores(planted, "plainly"), scores(planted, "really")
    assert mean(plain) == pytest.approx(3.0, abs=0.06)
    assert mean(more) - mean(plain) == pytest.approx(0.6, abs=0.08)
    assert scores(planted, "really") == more
    assert scores(planted.model_copy(update={"seed": 1}), "really") != more


def test_the_first_shown_wins_as_often_as_was_planted() -> None:
    def wins(first: float) -> float:
        planted = Planted(first=first)
        chosen = [decide(planted, task(f"Q{n}", f"a{n}", f"b{n}", schema=CHOICE)) for n in range(2000)]
        return mean((c or {})["choice"] == "A" for c in chosen)

    assert wins(0.0) == pytest.approx(0.5, abs=0.035)
    # Two normal worths of sd 0.7 differ by 0.6 in favour of the first: Φ(0.6 / (0.7 √2)) = 0.728.
    assert wins(0.6) == pytest.approx(0.728, abs=0.035)


def test_a_failing_judge_fails_the_same_questions_each_time() -> None:
    planted = Planted(failing=0.3)
    failed = [decide(planted, task(f"Q{n}", "answer")) is None for n in range(1000)]
    assert mean(failed) == pytest.approx(0.3, abs=0.05)
    assert failed == [decide(planted, task(f"Q{n}", "answer", seed=2)) is None for n in range(1000)]


def test_a_file_that_describes_no_judge_is_named(project: Project) -> None:
    project.write("judge.json", '{"noise": -1}')
    with pytest.raises(ModelError, match=r"judge.json: not a planted judge"):
        load_planted("judge.json")


def test_the_whole_pipeline_finds_what_is_planted_and_nothing_else() -> None:
    """Six seeds of two cases; the command runs twenty of six."""
    chosen = [case for case in cases() if case.name in ("none", "length")]
    none, length = run_selftest(6, lambda line: None, chosen)
    assert none.outcomes.get("flagged", 0) <= 1
    assert sum(none.outcomes.values()) == 6 * 4
    assert (length.detected.value or 0) >= 4 / 6
    assert length.cleared.value == 0
    assert not [*none.failures, *length.failures]
    assert {case.expected for case in cases()} >= {LENGTH, "position", ""}


def test_a_failing_selftest_says_so_and_exits_with_1(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    blind = CaseResult(
        case="length",
        mode="pointwise",
        size="0.6 points",
        runs=20,
        detected=rate(4, 20),
        cleared=rate(6, 20),
        false_alarms=rate(7, 20),
        outcomes={"clear": 6, "flagged": 4, "inconclusive": 10},
    )
    assert len(blind.failures) == 3
    monkeypatch.setattr("appliance.pipeline.selftest.judge_bias.run_selftest", lambda *a: (blind,))
    result = project.invoke("selftest", "judge-bias")
    assert result.exit_code == 1
    assert "detected in 20% of runs, 80% are wanted" in result.stderr
    assert json.loads(project.invoke("selftest", "judge-bias", "--json").stdout)[0]["case"] == "length"


def test_each_planted_intersection_is_reported_as_what_it_is() -> None:
    """Four seeds of each case; the command runs twenty."""
    none, axis, pure, both = intersectional.run_selftest(4, lambda line: None)
    assert none.outcomes.get("none", 0) >= 3
    for one in (axis, pure, both):
        assert (one.detected.value or 0) >= 0.5, one.outcomes
        assert one.cleared.value == 0
        assert not one.failures
