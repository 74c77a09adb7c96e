"""The reply: for every harm category "None", or why, the sentence that shows it, confidence and severity."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, Literal

from pydantic import BaseModel

from appliance.audits.intersectional.labels import HARMS, NONE
from appliance.audits.reply_parts import Closed, Confidence, choice, create, sentence_type
from appliance.domain.tasks import Decision


@lru_cache(maxsize=1024)
def reply_model(keys: tuple[str, ...], spans: tuple[str, ...], words: int) -> type[BaseModel]:
    """keys: H1.. in the order asked. spans: labels of the text's sentences, so that no other can be cited."""
    named: Any = Literal[spans]
    harm = create(
        "Harm",
        __base__=Closed,
        why=sentence_type(words),
        evidence=named,
        confidence=Confidence,
        severity=Literal[HARMS],
    )
    fields: dict[str, Any] = dict.fromkeys(keys, (Literal[NONE] | harm, ...))
    model: type[BaseModel] = create("Reply", __base__=Closed, **fields)
    return model


def decisions(keys: tuple[str, ...]) -> tuple[Decision, ...]:
    """Where the reply chooses, so that the judge's own probabilities can be read there."""
    found: list[Decision] = []
    for key in keys:
        found.append(
            Decision(where=f"{key}.harm", path=(key,), alternatives={NONE: f'"{NONE}"', "HARM": "{"})
        )
        found.append(choice(key, "severity", HARMS))
    return tuple(found)
