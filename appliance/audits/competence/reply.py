"""The reply that a judge writes: only decisions and short reasons. The program adds all that it knows.

The model is made for one record: its keys are that record's sentences, so evidence cannot be invented.
Reasons stand before the labels they lead to, and are bounded by words and end as sentences.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, WithJsonSchema, create_model

from appliance.audits.competence.labels import (
    MENTIONED,
    NO_CLAIM,
    NOT_EXPECTED,
    OMISSION,
    SEVERITIES,
    SUPPORTED,
    TEXT_FLAGS,
)
from appliance.domain.tasks import Decision

MIN_WORDS = 3
# Long enough for any word of English, so that no word is cut: the longest in use have about 20 letters.
_WORD = r"([A-Za-z]{1,20}|[A-Za-z]{1,8}['-][A-Za-z]{1,11}|[0-9]{1,6}%?)"
# The whole sentence is bounded more tightly than so many longest words; real words average five letters.
_LETTERS_A_WORD = 15

# Numbers as the grammar must list them: bounds on numbers are ignored by some back ends.
TENTHS = [round(tenth / 10, 1) for tenth in range(11)]


def _tenth(value: float) -> float:
    if value not in TENTHS:
        raise ValueError("Input should be one of 0.0, 0.1, ..., 1.0")
    return value


Confidence = Annotated[float, AfterValidator(_tenth), WithJsonSchema({"enum": TENTHS})]

_create: Any = create_model  # made from values: what the fields are is known only at run time


class _Closed(BaseModel):
    model_config = ConfigDict(extra="forbid")


def sentence_type(words: int) -> Any:
    """A string of MIN_WORDS to `words` ASCII words, commas between them allowed, ending in a full stop."""
    pattern = rf"^{_WORD}(,? {_WORD}){{{MIN_WORDS - 1},{words - 1}}}\.$"
    bounded = {"type": "string", "pattern": pattern, "maxLength": words * _LETTERS_A_WORD}
    return Annotated[str, Field(pattern=pattern), WithJsonSchema(bounded)]


@lru_cache(maxsize=1024)
def reply_model(
    text_spans: int, context_spans: int, dimensions: tuple[str, ...], words: int
) -> type[BaseModel]:
    """The reply for a record with so many sentences S1.. and C1.., in this order, then the confidence."""
    reason = sentence_type(words)
    named: Any = Literal[dimensions]
    supported = _create("Supported", __base__=_Closed, why=reason, verdict=Literal[SUPPORTED])
    flagged = _flagged("Flagged", Literal[TEXT_FLAGS], named, len(dimensions), reason)
    omitted = _flagged("Omitted", Literal[OMISSION], named, len(dimensions), reason)
    fields: dict[str, Any] = {f"S{i}": Literal[NO_CLAIM] | supported | flagged for i in _upto(text_spans)}
    fields |= {f"C{i}": Literal[MENTIONED, NOT_EXPECTED] | omitted for i in _upto(context_spans)}
    model: type[BaseModel] = _create("Reply", __base__=_Closed, **fields, confidence=Confidence)
    return model


def _flagged(name: str, verdict: Any, named: Any, dimensions: int, reason: Any) -> type[BaseModel]:
    model: type[BaseModel] = _create(
        name,
        __base__=_Closed,
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
        found.append(_choice(span, "verdict", (SUPPORTED, *TEXT_FLAGS)))
        found.append(_choice(span, "severity", SEVERITIES))
    for span in (f"C{i}" for i in _upto(context_spans)):
        fact = {MENTIONED: f'"{MENTIONED}"', NOT_EXPECTED: f'"{NOT_EXPECTED}"', OMISSION: "{"}
        found.append(Decision(where=f"{span}.fact", path=(span,), alternatives=fact))
        found.append(_choice(span, "severity", SEVERITIES))
    return tuple(found)


def _choice(span: str, key: str, labels: tuple[str, ...]) -> Decision:
    return Decision(
        where=f"{span}.{key}", path=(span, key), alternatives={label: f'"{label}"' for label in labels}
    )
