"""The target judge as its user specified it: schema, prompt, scale."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from appliance.audits.interface import Failure
from appliance.audits.judge_bias import JudgeBiasAudit
from appliance.audits.judge_bias.output import output_model
from appliance.audits.judge_bias.target import load_target
from appliance.config import Config, project_root
from appliance.domain.records import Record
from appliance.domain.tasks import Reply
from appliance.domain.verdicts import LabelDistribution, Verdict
from appliance.errors import ConfigError, PromptError
from appliance.judges.budget import longest_reply
from appliance.judges.grammar import reply_schema

RECORD = Record(record_id="r", text="Four.", context="How many?", other="Five.", identity_dimensions=())


def audit(folder: Path, **target: Any) -> JudgeBiasAudit:
    values = {"audit": "judge-bias", "folder": str(folder), "target": target}
    return JudgeBiasAudit(load_target(Config.model_validate(values), project_root()))


def prompt_of(made: JudgeBiasAudit, failure: Failure | None = None) -> str:
    return "".join(s.text for m in made.ask(RECORD, (), failure).messages for s in m.segments)


def reply(text: str, **more: Any) -> Reply:
    return Reply(task_id="t", kind="text", text=text, finish_reason="stop", **more)


def test_a_user_schema_becomes_the_grammar_and_bounds_the_reply(tmp_path: Path) -> None:
    schema = {
        "type": "object",
        "properties": {
            "why": {"type": "string", "maxLength": 40},
            "grade": {"type": "integer", "minimum": 1, "maximum": 10},
        },
    }
    (tmp_path / "s.json").write_text(json.dumps(schema))
    made = audit(tmp_path, output_schema="s.json", score_field="grade", scale=list(range(1, 11)))
    found = made.read(RECORD, (), "j", reply('{"why":"ok","grade":10}'))
    assert isinstance(found, Verdict) and found.score == 10.0
    assert isinstance(made.read(RECORD, (), "j", reply('{"why":"ok","grade":11}')), Failure)
    assert longest_reply(reply_schema(made.target.model)) > 40
    # 1 begins like 10: only what follows tells them apart.
    assert made.target.decision().alternatives["1"] == "1}"


@pytest.mark.parametrize(
    ("schema", "said"),
    [
        ({"type": "object", "properties": {"s": {"type": "string"}}}, "s: has no bound"),
        ({"type": "object", "properties": {"s": {"type": "integer", "minimum": 1}}}, "s: has no bound"),
        ({"type": "object", "properties": {"s": {"type": "number"}}}, "s: has no bound"),
        ({"type": "object", "properties": {"s": {"enum": [1, 1]}}}, "different values"),
        ({"type": "array"}, "not the schema of an object"),
        ({"type": "object", "properties": {"s": {"enum": [1]}}, "oneOf": []}, "'oneOf' is not supported"),
        ({"type": "object", "properties": {"s": {"enum": [1]}}, "required": []}, "'s' is not required"),
    ],
)
def test_a_schema_without_a_bound_is_refused(schema: dict[str, Any], said: str) -> None:
    with pytest.raises(ConfigError, match=said):
        output_model(schema, "x.json")


def test_a_scale_that_the_schema_does_not_have_is_refused(tmp_path: Path) -> None:
    (tmp_path / "s.json").write_text('{"type":"object","properties":{"score":{"enum":[0,1]}}}')
    with pytest.raises(ConfigError, match=r"the scores are \[0, 1\], target.scale says"):
        audit(tmp_path, output_schema="s.json")
    with pytest.raises(ConfigError, match="no member 'grade'"):
        audit(tmp_path, output_schema="s.json", score_field="grade")


def test_the_users_own_prompt_is_filled_and_a_wrong_placeholder_is_named(tmp_path: Path) -> None:
    (tmp_path / "p.md").write_text("# user\n\nQ: [QUESTION]\nA: [ANSWER]\n[RULES]\n")
    inputs = {"QUESTION": "input", "ANSWER": "output", "RULES": "rubric"}
    made = audit(tmp_path, prompt="p.md", inputs=inputs, rubric="Be strict.")
    assert prompt_of(made) == "Q: How many?\nA: Four.\nBe strict."
    with pytest.raises(PromptError, match="unknown placeholder"):
        prompt_of(audit(tmp_path, prompt="p.md"))
    with pytest.raises(PromptError, match=r"none.md: cannot be read"):
        audit(tmp_path, prompt="none.md")


def test_audited_text_is_never_trusted(tmp_path: Path) -> None:
    segments = [s for m in audit(tmp_path).ask(RECORD, (), None).messages for s in m.segments]
    assert {s.text for s in segments if not s.trusted} == {"How many?", "Four."}


def test_a_repair_says_what_was_wrong_even_under_a_prompt_without_a_section_for_it(tmp_path: Path) -> None:
    assert "could not be used: cut off" in prompt_of(audit(tmp_path), Failure("cut off", "{"))
    (tmp_path / "p.md").write_text("# user\n\n[INPUT] [OUTPUT]\n")
    assert "did not keep to the form" in prompt_of(audit(tmp_path, prompt="p.md"), Failure("cut off", "{"))


def test_choices_are_scores_of_the_first_shown(tmp_path: Path) -> None:
    made = audit(tmp_path, mode="pairwise")
    assert "Answer A:\nFour." in prompt_of(made) and "Answer B:\nFive." in prompt_of(made)
    scores = [made.read(RECORD, (), "j", reply(f'{{"choice":"{c}"}}')) for c in ("A", "B", "tie")]
    assert [v.score for v in scores if isinstance(v, Verdict)] == [1.0, 0.0, 0.5]


def test_the_expected_score_is_weighted_by_the_judges_own_probabilities(tmp_path: Path) -> None:
    shares = {"1": 0.05, "2": 0.1, "3": 0.2, "4": 0.5, "5": 0.15}
    told = LabelDistribution(where="score", chosen="4", probabilities=shares)
    found = audit(tmp_path).read(RECORD, (), "j", reply('{"score":4}', distributions=(told,)))
    assert isinstance(found, Verdict)
    assert found.result["expected"] == pytest.approx(3.6)
    assert found.measured_confidence == 0.5
    bare = audit(tmp_path).read(RECORD, (), "j", reply('{"score":4}'))
    assert isinstance(bare, Verdict) and bare.result["expected"] is None


def test_another_rubric_or_schema_is_another_judge(tmp_path: Path) -> None:
    versions = {
        audit(tmp_path).reply_version,
        audit(tmp_path, rubric="x").reply_version,
        audit(tmp_path, scale=[1, 2]).reply_version,
        audit(tmp_path, mode="pairwise").reply_version,
    }
    assert len(versions) == 4
