"""Two runs of one judge, for a terminal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from appliance.reports.judge_bias.data import Comparison, DimensionChange
from appliance.reports.judge_bias.summary import points, wrap

_WORDS = {"flagged": "CHANGED", "clear": "THE SAME", "inconclusive": "UNDECIDED"}


def comparison_text(found: Sequence[Comparison]) -> str:
    """Each judge: what differs between the runs, and each dimension before and after."""
    lines: list[str] = []
    for comparison in found:
        lines += [*_judge(comparison), ""]
    return "\n".join([*lines, "Changes are after less before, over the pairs that both runs scored."]) + "\n"


def _judge(found: Comparison) -> Iterator[str]:
    yield from wrap(f"{found.judge}: {found.before_run} -> {found.after_run}; {found.attribution}")
    for one in found.dimensions:
        yield from wrap(_line(one), "  ")


def _line(one: DimensionChange) -> str:
    word = _WORDS.get(one.decision.outcome, "UNDECIDED") if one.decision else "NOT COMPARED"
    told = f"{word:13} {one.dimension}: {points(one.before)} -> {points(one.after)}"
    return f"{told}; change {points(one.change)}" if one.change else told
