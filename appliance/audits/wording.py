"""How audited text stands in a prompt, so that it cannot look like a line of ours."""

from __future__ import annotations

from collections.abc import Sequence

from appliance.domain.records import Span


def numbered(spans: Sequence[Span], source: str) -> str:
    """One line a sentence; evidence is cut from the record itself and stays verbatim."""
    return "\n".join(f"{s.label}: {one_line(s.text)}" for s in spans if s.source == source)


def one_line(text: str) -> str:
    """With its white space folded, so that a sentence cannot start a line that looks like one of ours."""
    return " ".join(text.split())


def indented(text: str) -> str:
    """Whatever stands on lines of its own: none of them starts where ours do."""
    return "\n".join(f"  {line}" for line in text.splitlines())
