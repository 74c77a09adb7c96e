"""What a decoded reply must keep to beyond its schema."""

from __future__ import annotations

import re
from typing import Any

from appliance.domain.records import Record, Span

COPIED_WORDS = 5  # a reason of at least so many words that stands in the prompt as it is was copied


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
