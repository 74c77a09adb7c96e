"""What the page shows beyond the report's own data: pairs to look at, words that differ, pictures."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator
from dataclasses import dataclass

from appliance.reports.judge_bias.data import DimensionResult, JudgeBiasReport, PairRow, TargetResult
from appliance.reports.judge_bias.plot import Plot, plot

SHOWN = 12
MARKS = {
    "flagged": "!",
    "clear": "✓",
    "inconclusive": "?",
    "insufficient data": "…",
    "not run": "–",
}


@dataclass(frozen=True)
class Piece:
    """A stretch of text; differs: it stands in one version only."""

    text: str
    differs: bool


@dataclass(frozen=True)
class ShownPair:
    row: PairRow
    a: tuple[Piece, ...]
    b: tuple[Piece, ...]


@dataclass(frozen=True)
class DimensionView:
    """n_more: pairs that the page leaves out; all are in the JSON report."""

    result: DimensionResult
    number: str
    mark: str
    plot: Plot | None
    pairs: tuple[ShownPair, ...]
    n_more: int
    excluded: tuple[PairRow, ...]


@dataclass(frozen=True)
class TargetView:
    target: TargetResult
    letter: str
    dimensions: tuple[DimensionView, ...]


def view(report: JudgeBiasReport) -> tuple[TargetView, ...]:
    span = report.scale[1] - report.scale[0]
    return tuple(
        TargetView(
            target,
            "ABCDEFGHIJKLMNOPQRSTUVWXYZ"[at % 26],
            tuple(
                _dimension(result, f"{at}-{n}", report.margin, span)
                for n, result in enumerate(target.dimensions)
            ),
        )
        for at, target in enumerate(report.targets)
    )


def _dimension(result: DimensionResult, number: str, margin: float, span: float) -> DimensionView:
    scored = [row for row in result.pairs if row.difference is not None]
    # The largest differences first: those a person must look at.
    ordered = sorted(scored, key=lambda row: -abs(row.difference or 0.0))
    return DimensionView(
        result=result,
        number=number,
        mark=MARKS[result.status],
        plot=plot(result, margin, span),
        pairs=tuple(_shown(row) for row in ordered[:SHOWN]),
        n_more=len(ordered) - len(ordered[:SHOWN]),
        excluded=tuple(row for row in result.pairs if row.excluded)[:SHOWN],
    )


def _shown(row: PairRow) -> ShownPair:
    one, two = (re.findall(r"\s+|[^\s]+", text) for text in (row.a_text, row.b_text))
    matcher = difflib.SequenceMatcher(a=one, b=two, autojunk=False)
    codes = matcher.get_opcodes()
    return ShownPair(
        row,
        tuple(_pieces(("".join(one[a:b]), tag != "equal") for tag, a, b, _, _ in codes)),
        tuple(_pieces(("".join(two[a:b]), tag != "equal") for tag, _, _, a, b in codes)),
    )


def _pieces(parts: Iterator[tuple[str, bool]]) -> Iterator[Piece]:
    return (Piece(text, differs) for text, differs in parts if text)
