"""The judge without a model keeps every promise of a judge but sense."""

from __future__ import annotations

import json
from typing import Any

import pytest

from appliance.audits.competence.reply import decisions, reply_model
from appliance.domain.tasks import Message, Question, Reply, Sampling, Segment, Task, make_task
from appliance.errors import EngineError, ModelError
from appliance.judges import scripted
from appliance.judges.grammar import reply_schema
from appliance.judges.scripted import ScriptedSession

from .matchers import BACKENDS, accepts
from .tokenizers_for_tests import byte_tokenizer

BYTES = byte_tokenizer()
MODEL = reply_model(2, 1, ("gender", "在线"), 8)
TEXT = "C1: She cut costs.\n\nThe text:\nS1: She leads the team.\nS2: She is surprisingly technical."


def task(temperature: float = 0.0, backend: str = "guidance") -> Task:
    question = Question(
        messages=(Message(role="user", segments=(Segment(text=TEXT, trusted=False),)),),
        reply_schema=reply_schema(MODEL, backend),
        decisions=decisions(2, 1),
    )
    return make_task("print", question, Sampling(temperature=temperature, seed=1))


def answer(name: str, temperature: float = 0.0) -> Reply:
    session = ScriptedSession(scripted.PREFIX + name)
    session.start(lambda: False)
    session.submit(task(temperature))
    (found,) = session.receive(0)
    session.close()
    return found


def flags(found: Reply) -> set[str]:
    return {
        k for k, v in json.loads(found.text).items() if isinstance(v, dict) and v["verdict"] != "SUPPORTED"
    }


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("name", ["keywords", "silent", "loud", "slow"])
def test_replies_keep_to_the_grammar_of_both_back_ends(name: str, backend: str) -> None:
    session = ScriptedSession(name)
    session.submit(task(backend=backend))
    text = session.receive(0)[0].text
    MODEL.model_validate_json(text)
    spelt = text.replace('"confidence":1.0', '"confidence":1')
    assert accepts(backend, BYTES, reply_schema(MODEL, backend), spelt)


def test_what_each_one_flags() -> None:
    assert flags(answer("keywords")) == {"S2"}
    assert flags(answer("silent")) == set()
    assert flags(answer("loud")) == {"S1", "S2", "C1"}


def test_broken_never_keeps_to_the_schema_and_flaky_does_when_warmer() -> None:
    for temperature in (0.0, 0.2, 0.4):
        with pytest.raises(ValueError):
            json.loads(answer("broken", temperature).text)
    with pytest.raises(ValueError):
        json.loads(answer("flaky").text)
    assert flags(answer("flaky", 0.2)) == {"S2"}


def test_dies_after_three_replies() -> None:
    session = ScriptedSession("dies")
    for _ in range(4):
        session.submit(task())
    for _ in range(3):
        assert len(session.receive(0)) == 1
    with pytest.raises(EngineError, match="ended unexpectedly"):
        session.receive(0)


def test_distributions_are_of_the_decisions_that_were_made_and_add_up() -> None:
    found = answer("keywords").distributions
    assert [d.where for d in found] == ["S1.claim", "S2.claim", "S2.verdict", "S2.severity", "C1.fact"]
    for each in found:
        assert sum(each.probabilities.values()) == pytest.approx(1)
        assert each.probabilities[each.chosen] == max(each.probabilities.values())
    chosen = {d.where: d.chosen for d in found}
    reply: dict[str, Any] = json.loads(answer("keywords").text)
    assert chosen["S1.claim"] == "NO_CLAIM" and chosen["S2.claim"] == "CLAIM"
    assert chosen["S2.verdict"] == reply["S2"]["verdict"]
    assert chosen["S2.severity"] == reply["S2"]["severity"]


def test_a_broken_reply_has_no_distributions() -> None:
    assert answer("broken").distributions == ()


def test_the_same_question_has_the_same_answer() -> None:
    assert answer("keywords") == answer("keywords")


def test_tasks_are_answered_in_order_and_closing_forgets_the_rest() -> None:
    session = ScriptedSession("keywords")
    first, second = task(0.0), task(0.2)
    session.submit(first)
    session.submit(second)
    assert [session.receive(0)[0].task_id for _ in range(2)] == [first.task_id, second.task_id]
    assert session.receive(0) == []
    session.submit(first)
    session.close()
    assert session.receive(0) == []


def test_every_report_can_tell_that_no_model_answered() -> None:
    ready = ScriptedSession("keywords").start(lambda: False)
    assert (ready.engine, ready.device) == ("scripted", "none")
    assert "for tests only" in scripted.TITLE


def test_a_name_that_does_not_exist_is_refused() -> None:
    for name in scripted.NAMES:
        scripted.check_name(scripted.PREFIX + name)
    with pytest.raises(ModelError, match="scripted:lound") as error:
        scripted.check_name("scripted:lound")
    assert "Did you mean 'scripted:loud'?" in error.value.hint
