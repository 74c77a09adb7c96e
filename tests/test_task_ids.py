"""What a task's id covers beyond what the pipeline's tests show by running."""

from __future__ import annotations

from typing import Any

import pytest

from appliance.config import Config
from appliance.domain.tasks import Question, Sampling, make_task
from appliance.errors import ConfigError
from appliance.pipeline import prepare
from appliance.pipeline.judges import JudgeSpec


def task_id(schema: dict[str, Any]) -> str:
    question = Question(messages=(), reply_schema=schema, decisions=())
    return make_task("judge", question, Sampling(temperature=0, seed=1)).task_id


def test_the_order_of_the_replys_keys_makes_another_question() -> None:
    why, verdict = ("why", {"type": "string"}), ("verdict", {"enum": ["A"]})
    first, second = ({"properties": dict(pair)} for pair in ((why, verdict), (verdict, why)))
    assert first == second
    assert task_id(first) != task_id(second)
    assert task_id(first) == task_id({"properties": dict((why, verdict))})


def test_two_names_for_one_model_are_not_two_judges(monkeypatch: pytest.MonkeyPatch) -> None:
    def same(root: object, name: str, *rest: object) -> JudgeSpec:
        return JudgeSpec(name, name, "", name, {"weights": "equal"}, lambda isolated: None)  # type: ignore[arg-type,return-value]

    monkeypatch.setattr(prepare, "judge_spec", same)
    config = Config.model_validate(
        {"audit": "competence", "input": {"path": "x.csv"}, "judges": {"a": "one", "b": "two"}}
    )
    with pytest.raises(ConfigError, match="the same model"):
        prepare._judges(config, None, None, 2)  # type: ignore[arg-type]
