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


class Effect(Frozen):
    """pattern: regular expression, searched in the answer. add: points of the scale."""

    pattern: str
    add: float


class Planted(Frozen):
    """noise: standard deviation, in points. first: points that the first shown of two answers gains.
    failing: share of questions that never get a usable reply. seed: of all chance."""

    base: float = 3.0
    noise: float = Field(default=0.7, ge=0)
    effects: tuple[Effect, ...] = ()
    first: float = 0.0
    failing: float = Field(default=0.0, ge=0, le=1)
    seed: int = 0


def load_planted(path: str) -> Planted:
    """ModelError names the file and what is wrong in it."""
    try:
        return Planted.model_validate_json(Path(path).read_text(encoding="utf-8"))
    except (OSError, ValidationError, UnicodeDecodeError) as error:
        raise ModelError(f"{path}: not a planted judge: {error}", "See `appliance selftest`.") from None


def decide(planted: Planted, task: Task) -> dict[str, Any] | None:
    """The reply; None for a question that it fails at."""
    schema = task.question.reply_schema["properties"]
    field, values = next((k, v["enum"]) for k, v in schema.items() if "enum" in v)
    shown = [s.text for s in task.question.messages[-1].segments if not s.trusted]
    if _uniform([planted.seed, shown[:2]]) < planted.failing:  # a repair adds more
        return None
    if all(isinstance(value, int) for value in values):
        return {field: _score(planted, task, shown[-1], values)}
    lead = _worth(planted, task, shown[-2], "a") + planted.first - _worth(planted, task, shown[-1], "b")
    return {field: values[0] if lead > 0 else values[1]}


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
