"""The audit of a judge in some thirty lines, for a terminal."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator

from appliance.domain.estimates import Estimate
from appliance.reports.judge_bias.data import DimensionResult, JudgeBiasReport, TargetResult
from appliance.reports.words import counts, inline, plural, signed

_WIDTH = 92


def to_terminal(report: JudgeBiasReport) -> str:
    """Plain text without colour. Control characters in data are made visible, never sent on."""
    lines = [*_top(report)]
    for target in report.targets:
        lines += ["", *_target(target)]
    return "\n".join([*lines, "", *_people(report)]) + "\n"


def points(estimate: Estimate | None, reason: str = "no statistics") -> str:
    """A mean difference with its interval: '+0.42 (+0.10 to +0.70)'."""
    if estimate is None or estimate.value is None:
        return signed(None, reason if estimate is None else estimate.note)
    if estimate.low is None or estimate.high is None:
        return f"{signed(estimate.value)} ({estimate.note or 'no interval'})"
    return f"{signed(estimate.value)} ({signed(estimate.low)} to {signed(estimate.high)})"


def mean(result: DimensionResult) -> Estimate | None:
    return result.analysis.mean if result.analysis else None


def _wrap(text: str, indent: str = "") -> list[str]:
    hang = indent + "  "
    return textwrap.wrap(
        inline(text), _WIDTH, initial_indent=indent, subsequent_indent=hang, break_on_hyphens=False
    )


def _top(report: JudgeBiasReport) -> Iterator[str]:
    yield from _wrap(f"judge-bias audit ({report.mode}) · run {report.run_id} · {report.status}")
    yield from _wrap(f"{plural(report.n_items, 'item')}; a mean difference of {report.margin:g} matters")
    for earlier in report.earlier:
        yield from _wrap(f"{earlier.judge}: earlier audit {earlier.run_id}; {earlier.attribution}")


def _target(target: TargetResult) -> Iterator[str]:
    unscored = (
        f", {target.n_unscored} unscored ({counts(target.unscored_reasons)})" if target.n_unscored else ""
    )
    yield from _wrap(f"{target.judge}: {target.n_questions} questions{unscored}; severity {target.severity}")
    yield from _wrap(f"scores given: {counts(target.scores.counts) or 'none'}", "  ")
    for problem in target.scores.problems:
        yield from _wrap(f"WARNING: {problem}", "  ")
    for name, share in target.against_labels.items():
        yield from _wrap(f"{name}: {points(share)}", "  ")
    for result in target.dimensions:
        yield from _wrap(_line(result), "  ")


def _line(result: DimensionResult) -> str:
    what = f"{result.status.upper():17} {result.dimension}"
    if result.analysis is None:
        return f"{what}: {result.reason}"
    return f"{what}: {result.a} less {result.b} {points(mean(result))}, {plural(result.n_complete, 'pair')}"


def _people(report: JudgeBiasReport) -> Iterator[str]:
    yield "Clear means that an effect of the margin or more is ruled out; inconclusive never does."
    yield f"For people to review: {plural(len(report.review), 'question')}"
    if report.skipped:
        yield f"Not judged: {plural(len(report.skipped), 'row')}"
