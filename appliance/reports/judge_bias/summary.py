"""The audit of a judge in some thirty lines, for a terminal."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator

from appliance.domain.estimates import Estimate
from appliance.reports.judge_bias.data import After, DimensionResult, JudgeBiasReport, TargetResult
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


def left(after: After) -> str:
    """What a mitigation leaves, and what it changed."""
    return (
        f"after {after.mitigation}: {after.decision.outcome}, {points(after.mean)}; "
        f"change {points(after.change)}"
    )


def wrap(text: str, indent: str = "") -> list[str]:
    """Lines of at most 92 columns, what follows the first one indented."""
    hang = indent + "  "
    return textwrap.wrap(
        inline(text), _WIDTH, initial_indent=indent, subsequent_indent=hang, break_on_hyphens=False
    )


def _top(report: JudgeBiasReport) -> Iterator[str]:
    yield from wrap(f"judge-bias audit ({report.mode}) · run {report.run_id} · {report.status}")
    yield from wrap(f"{plural(report.n_items, 'item')}; a mean difference of {report.margin:g} matters")
    for earlier in report.earlier:
        yield from wrap(f"{earlier.judge}: earlier audit {earlier.run_id}; {earlier.attribution}")


def _target(target: TargetResult) -> Iterator[str]:
    unscored = (
        f", {target.n_unscored} unscored ({counts(target.unscored_reasons)})" if target.n_unscored else ""
    )
    yield from wrap(f"{target.judge}: {target.n_questions} questions{unscored}; severity {target.severity}")
    yield from wrap(f"scores given: {counts(target.scores.counts) or 'none'}", "  ")
    for problem in target.scores.problems:
        yield from wrap(f"WARNING: {problem}", "  ")
    for name, share in target.against_labels.items():
        yield from wrap(f"{name}: {points(share)}", "  ")
    for result in target.dimensions:
        yield from wrap(_line(result), "  ")
        if result.after:
            yield from wrap(f"{'':17} {left(result.after)}", "  ")


def _line(result: DimensionResult) -> str:
    what = f"{result.status.upper():17} {result.dimension}"
    if result.mean is None:
        return f"{what}: {result.reason}"
    return f"{what}: {result.a} less {result.b} {points(result.mean)}, {plural(result.n_complete, 'pair')}"


def _people(report: JudgeBiasReport) -> Iterator[str]:
    yield "Clear means that an effect of the margin or more is ruled out; inconclusive never does."
    yield f"For people to review: {plural(len(report.review), 'question')}"
    if report.signed:
        yield from wrap(
            f"Signed off by {report.signed['by']} on {report.signed['at']}: {report.signed['reason']}"
        )
    if report.skipped:
        yield f"Not judged: {plural(len(report.skipped), 'row')}"
