"""The reply that a judge writes: only decisions and short reasons. The program adds all that it knows.

The model is made for one record: its keys are that record's sentences, so evidence cannot be invented.
Reasons stand before the labels they lead to, and are bounded by words and end as sentences.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Annotated, Any, Literal

from pydantic import BaseModel, Field

from appliance.audits.competence.labels import (
    MENTIONED,
    NO_CLAIM,
    NOT_EXPECTED,
    OMISSION,
    SEVERITIES,
    SUPPORTED,
    TEXT_FLAGS,
)
from appliance.audits.reply_parts import Closed, Confidence, choice, create, sentence_type
from appliance.domain.tasks import Decision


@lru_cache(maxsize=1024)
def reply_model(
    text_spans: int, context_spans: int, dimensions: tuple[str, ...], words: int
) -> type[BaseModel]:
    """The reply for a record with so many sentences S1.. and C1.., in this order, then the confidence."""
    reason = sentence_type(words)
    named: Any = Literal[dimensions]
    supported = create("Supported", __base__=Closed, why=reason, verdict=Literal[SUPPORTED])
    flagged = _flagged("Flagged", Literal[TEXT_FLAGS], named, len(dimensions), reason)
    omitted = _flagged("Omitted", Literal[OMISSION], named, len(dimensions), reason)
    fields: dict[str, Any] = {f"S{i}": Literal[NO_CLAIM] | supported | flagged for i in _upto(text_spans)}
    fields |= {f"C{i}": Literal[MENTIONED, NOT_EXPECTED] | omitted for i in _upto(context_spans)}
    model: type[BaseModel] = create("Reply", __base__=Closed, **fields, confidence=Confidence)
    return model


def _flagged(name: str, verdict: Any, named: Any, dimensions: int, reason: Any) -> type[BaseModel]:
    model: type[BaseModel] = create(
        name,
        __base__=Closed,
        why=reason,
        verdict=verdict,
        dimensions=Annotated[list[named], Field(min_length=1, max_length=dimensions)],
        severity=Literal[SEVERITIES],
        otherwise=reason,
    )
    return model


def _upto(count: int) -> range:
    return range(1, count + 1)


def decisions(text_spans: int, context_spans: int) -> tuple[Decision, ...]:
    """Where the reply chooses labels, so that the judge's own probabilities can be read there."""
    found: list[Decision] = []
    for span in (f"S{i}" for i in _upto(text_spans)):
        claim = {NO_CLAIM: f'"{NO_CLAIM}"', "CLAIM": "{"}
        found.append(Decision(where=f"{span}.claim", path=(span,), alternatives=claim))
        found.append(choice(span, "verdict", (SUPPORTED, *TEXT_FLAGS)))
        found.append(choice(span, "severity", SEVERITIES))
    for span in (f"C{i}" for i in _upto(context_spans)):
        fact = {MENTIONED: f'"{MENTIONED}"', NOT_EXPECTED: f'"{NOT_EXPECTED}"', OMISSION: "{"}
        found.append(Decision(where=f"{span}.fact", path=(span,), alternatives=fact))
        found.append(choice(span, "severity", SEVERITIES))
    return tuple(found)
