"""A scripted judge with biases of known size, so that an audit can be shown to find what is there and nothing
else. `scripted:planted:FILE` names a JSON file of the form of `Planted`.

Its score of an answer is `base` and the sum of the effects whose pattern the answer matches, with normal
noise, rounded up or down by chance so that the mean is exact. All chance comes from a hash of the question
and `seed`: the same question gets the same answer, as from a greedy model.
"""

from __future__ import annotations

import hashlib
import json
import re
from pathlib import Path
from statistics import NormalDist
from typing import Any

from pydantic import Field, ValidationError

from appliance.domain.base import Frozen
from appliance.domain.tasks import Task
from appliance.errors import ModelError

PREFIX = "planted:"
_SENTENCE = re.compile(r"^(S\d+): (.*)$", re.MULTILINE)


class Effect(Frozen):
    """pattern: regular expression, searched in the answer. add: points of the scale."""

    pattern: str
    add: float


class Saying(Frozen):
    """What a scripted model under audit adds to its response with probability `rate` where its task
    matches."""

    pattern: str
    text: str
    rate: float = Field(default=1.0, ge=0, le=1)


class Harm(Frozen):
    """What a scripted judge of harm finds with probability `rate` in the first sentence that matches."""

    pattern: str
    severity: str = "Medium"
    rate: float = Field(default=1.0, ge=0, le=1)


class Planted(Frozen):
    """noise: standard deviation, in points. first: points that the first shown of two answers gains.
    failing: share of questions that never get a usable reply. says: as a model under audit. harms: as a judge
    of harm. seed: of all chance."""

    base: float = 3.0
    noise: float = Field(default=0.7, ge=0)
    effects: tuple[Effect, ...] = ()
    first: float = 0.0
    failing: float = Field(default=0.0, ge=0, le=1)
    says: tuple[Saying, ...] = ()
    harms: tuple[Harm, ...] = ()
    seed: int = 0


def load_planted(path: str) -> Planted:
    """ModelError names the file and what is wrong in it."""
    try:
        return Planted.model_validate_json(Path(path).read_text(encoding="utf-8"))
    except (OSError, ValidationError, UnicodeDecodeError) as error:
        raise ModelError(f"{path}: not a planted judge: {error}", "See `appliance selftest`.") from None


def respond(planted: Planted, task: Task) -> str:
    """Free text of a scripted model under audit: the task itself, and what it says to such a task."""
    asked = "".join(s.text for s in task.question.messages[-1].segments)
    said = [
        saying.text
        for number, saying in enumerate(planted.says)
        if re.search(saying.pattern, asked) and _chance(planted, task, f"saying {number}") < saying.rate
    ]
    return " ".join([asked, *said])


def decide(planted: Planted, task: Task) -> dict[str, Any] | None:
    """The reply; None for a question that it fails at."""
    schema = task.question.reply_schema["properties"]
    if all("anyOf" in node for node in schema.values()):
        return _harms(planted, task, list(schema))
    field, values = next((k, v["enum"]) for k, v in schema.items() if "enum" in v)
    shown = [s.text for s in task.question.messages[-1].segments if not s.trusted]
    if _uniform([planted.seed, shown[:2]]) < planted.failing:  # a repair adds more
        return None
    if all(isinstance(value, int) for value in values):
        return {field: _score(planted, task, shown[-1], values)}
    lead = _worth(planted, task, shown[-2], "a") + planted.first - _worth(planted, task, shown[-1], "b")
    return {field: values[0] if lead > 0 else values[1]}


def _harms(planted: Planted, task: Task, keys: list[str]) -> dict[str, Any]:
    """The first category gets the harm; the others get none."""
    shown = "".join(s.text for s in task.question.messages[-1].segments)
    found: dict[str, Any] = dict.fromkeys(keys, "None")
    for number, harm in enumerate(planted.harms):
        line = next((m for m in _SENTENCE.finditer(shown) if re.search(harm.pattern, m[2])), None)
        if line is not None and _chance(planted, task, f"harm {number}") < harm.rate:
            found[keys[0]] = {
                "why": "A planted harm stands there.",
                "evidence": line[1],
                "confidence": 0.9,
                "severity": harm.severity,
            }
            break
    return found


def _score(planted: Planted, task: Task, answer: str, values: list[int]) -> int:
    worth = _worth(planted, task, answer, "a")
    rounded = int(worth // 1) + (_chance(planted, task, "rounding") < worth % 1)
    return min(max(rounded, min(values)), max(values))


def _worth(planted: Planted, task: Task, answer: str, which: str) -> float:
    gains = sum(effect.add for effect in planted.effects if re.search(effect.pattern, answer))
    chance = min(max(_chance(planted, task, f"noise {which}"), 1e-9), 1 - 1e-9)
    return planted.base + gains + planted.noise * NormalDist().inv_cdf(chance)


def _chance(planted: Planted, task: Task, what: str) -> float:
    """Uniform in 0..1; the same for the same question, repeat and purpose."""
    words = [
        planted.seed,
        what,
        task.sampling.seed,
        [s.text for m in task.question.messages for s in m.segments],
    ]
    return _uniform(words)


def _uniform(words: Any) -> float:
    return int.from_bytes(hashlib.sha256(json.dumps(words).encode()).digest()[:8], "big") / 2**64
