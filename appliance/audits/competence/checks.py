"""Checks after decoding. The grammar should make most of them impossible to fail; they run all the same,
because a constraint that silently went missing is the failure that others met most."""

from __future__ import annotations

import json
import re
from typing import Any

from pydantic import BaseModel, ValidationError

from appliance.domain.records import Record, Span
from appliance.domain.tasks import Reply

COPIED_WORDS = 5  # a reason of at least so many words that stands in the prompt as it is was copied


def parse(model: type[BaseModel], reply: Reply) -> dict[str, Any] | str:
    """The reply as plain data, or in words why it cannot be used."""
    if reply.finish_reason != "stop":
        return f"the reply was cut off (finish reason '{reply.finish_reason}')"
    try:
        answers = model.model_validate_json(reply.text, strict=True).model_dump()
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"][:2])
        return f"the reply does not keep to its schema at '{place}': {first['msg']}"
    if json.loads(reply.text, object_pairs_hook=list) != _pairs(answers):
        return "the reply's keys are not in the order asked, once each"
    return answers


def _pairs(value: Any) -> Any:
    """Objects as lists of their members, so that a comparison sees their order."""
    return [(k, _pairs(v)) for k, v in value.items()] if isinstance(value, dict) else value


def wrong_spans(record: Record, spans: tuple[Span, ...]) -> str:
    """Empty when every span is verbatim where it says it is."""
    sources = {"text": record.text, "context": record.context}
    bad = [s.label for s in spans if sources[s.source][s.start : s.end] != s.text]
    return f"the evidence of {', '.join(bad)} is not verbatim" if bad else ""


def copied_reason(answers: dict[str, Any], instructions: str) -> str:
    """Empty when no reason merely repeats a stretch of the prompt's own words."""
    known = _plain(instructions)
    for span, answer in answers.items():
        for key in ("why", "otherwise"):
            reason = answer.get(key, "") if isinstance(answer, dict) else ""
            if len(reason.split()) >= COPIED_WORDS and _plain(reason) in known:
                return f"the reason at {span} ('{key}') is copied from the instructions"
    return ""


def _plain(text: str) -> str:
    """Its words alone, with a blank at both ends so that only whole words are found in it."""
    words = re.findall(r"[a-z0-9'-]+", text.lower())
    return f" {' '.join(words)} "
