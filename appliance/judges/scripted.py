"""A judge without a model: the fake transport, shipped so that every path can be run and tested anywhere.

Its verdicts mean nothing and every report says so. `scripted:NAME` stands where a manifest's name would.
Names: "keywords" flags sentences with hedging words; "silent" flags nothing; "loud" flags everything;
"broken" never keeps to the schema; "flaky" does from the second attempt on; "slow" is "keywords" with a
fifth of a second a reply; "dies" ends after three replies. "planted:FILE" is a judge with biases of known
size, see `appliance.judges.planted`.
"""

from __future__ import annotations

import difflib
import json
import re
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from appliance.domain.tasks import Decision, Reply, Task
from appliance.domain.verdicts import LabelDistribution
from appliance.errors import EngineError, ModelError
from appliance.judges import planted
from appliance.judges.protocol import Ready

PREFIX = "scripted:"
NAMES = ("keywords", "silent", "loud", "broken", "flaky", "slow", "dies")
TITLE = "Scripted judge, no model: for tests only"
_HEDGES = re.compile(r"\b(seems?|surprisingly|despite|natural(ly)?|warm|helpful|still learning|may)\b", re.I)
_LINE = re.compile(r"^([SC]\d+): (.*)$", re.MULTILINE)
_CHOSEN = 0.9


def check_name(name: str) -> None:
    """ModelError for a scripted judge that does not exist: it would pass for another one."""
    known = [PREFIX + each for each in NAMES]
    if name.startswith(PREFIX + planted.PREFIX):
        planted.load_planted(_file(name))
    elif name not in known:
        near = difflib.get_close_matches(name, known, n=1)
        start = f"Did you mean '{near[0]}'? " if near else ""
        raise ModelError(f"no scripted judge named '{name}'", f"{start}Known: {', '.join(known)}.")


def script_details(name: str) -> dict[str, Any]:
    """What determines a scripted judge's answers, for its fingerprint."""
    if name.startswith(PREFIX + planted.PREFIX):
        return {
            "model": PREFIX + "planted",
            "planted": planted.load_planted(_file(name)).model_dump(mode="json"),
        }
    return {"model": name}


def _file(name: str) -> str:
    return name.removeprefix(PREFIX).removeprefix(planted.PREFIX)


class ScriptedSession:
    """See `JudgeSession`. Answers in the order asked, one reply a call."""

    capacity = 4
    sandbox = "scripted: no worker process"

    def __init__(self, name: str) -> None:
        self.name = name.removeprefix(PREFIX)
        self._waiting: deque[Task] = deque()
        self._answered = 0
        self._planted = planted.load_planted(_file(name)) if self.name.startswith(planted.PREFIX) else None

    def start(self, cancelled: Callable[[], bool]) -> Ready:
        return Ready(engine="scripted", device="none", interfaces=(), canary="none", load_seconds=0.0)

    def submit(self, task: Task) -> None:
        self._waiting.append(task)

    def receive(self, timeout: float) -> Sequence[Reply]:
        if self.name == "slow":
            time.sleep(0.2)
        if self.name == "dies" and self._answered == 3:
            raise EngineError("judge scripted:dies: the worker ended unexpectedly", "It is meant to.")
        if not self._waiting:
            return []
        self._answered += 1
        return [self._answer(self._waiting.popleft())]

    def close(self) -> None:
        self._waiting.clear()

    def _answer(self, task: Task) -> Reply:
        if task.question.free_tokens:
            asked = "".join(s.text for s in task.question.messages[-1].segments)
            text = asked if self._planted is None else planted.respond(self._planted, task)
            return Reply(task_id=task.task_id, kind="text", text=text, finish_reason="stop")
        decided = self._decide(task)
        text = "" if decided is None else json.dumps(decided, separators=(",", ":"), ensure_ascii=False)
        if self.name == "broken" or (self.name == "flaky" and task.sampling.temperature == 0):
            text = text[: len(text) // 2]
        return Reply(
            task_id=task.task_id,
            kind="text",
            text=text,
            finish_reason="stop",
            distributions=tuple(_distribution(d, text) for d in task.question.decisions if _made(d, text)),
        )

    def _decide(self, task: Task) -> dict[str, Any] | None:
        if self._planted is not None:
            return planted.decide(self._planted, task)
        schema = task.question.reply_schema
        user = "".join(s.text for s in task.question.messages[-1].segments)
        sentences = dict(_LINE.findall(user))
        return {
            key: self._member(node, schema, sentences.get(key, ""))
            for key, node in schema["properties"].items()
        }

    def _member(self, node: Mapping[str, Any], schema: Mapping[str, Any], sentence: str) -> Any:
        if "anyOf" not in node:
            return example(node, schema["$defs"])
        flags = self.name == "loud" or (self.name != "silent" and _HEDGES.search(sentence))
        return example(node["anyOf"][-1 if flags else 0], schema["$defs"])


def example(node: Mapping[str, Any], defs: Mapping[str, Any]) -> Any:
    """The first value that a part of a reply schema admits."""
    if "$ref" in node:
        return example(defs[node["$ref"].rsplit("/", 1)[1]], defs)
    if "const" in node:
        return node["const"]
    if "enum" in node:
        return node["enum"][-1]
    if node["type"] == "object":
        return {key: example(value, defs) for key, value in node["properties"].items()}
    if node["type"] == "array":
        return [example(node["items"], defs)]
    return "A scripted reason without any thought."


def _place(decision: Decision, text: str) -> Any:
    try:
        value = json.loads(text)
        for key in decision.path:
            value = value[key]
    except (ValueError, KeyError, TypeError):
        return None
    return value


def _made(decision: Decision, text: str) -> bool:
    return _place(decision, text) is not None


def _begins(value: str, start: str) -> bool:
    """`start` can end with the mark that follows the value."""
    return value.startswith(start) or value == start.rstrip(",}")


def _distribution(decision: Decision, text: str) -> LabelDistribution:
    begin = json.dumps(_place(decision, text), ensure_ascii=False)
    chosen = next(k for k, start in decision.alternatives.items() if _begins(begin, start))
    others = [k for k in decision.alternatives if k != chosen]
    rest = {k: (1 - _CHOSEN) / len(others) for k in others}
    return LabelDistribution(where=decision.where, chosen=chosen, probabilities={chosen: _CHOSEN, **rest})
