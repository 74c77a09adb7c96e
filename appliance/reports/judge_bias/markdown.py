"""The audit of a judge in Markdown. Data is never markup: every piece is escaped."""

from __future__ import annotations

from collections.abc import Iterator

from appliance.reports.judge_bias.data import DimensionResult, JudgeBiasReport, TargetResult
from appliance.reports.judge_bias.summary import left, points
from appliance.reports.markdown import escape, table
from appliance.reports.words import counts, missing, number


def to_markdown(report: JudgeBiasReport) -> str:
    """Headline, each judge's dimensions, remediation, earlier audits, review list, provenance."""
    parts = (_top, _targets, _side_by_side, _earlier, _review, _foot)
    return "\n".join(line for part in parts for line in (*part(report), ""))


def _top(report: JudgeBiasReport) -> Iterator[str]:
    yield f"# Judge-bias audit, run {escape(report.run_id)}"
    if report.status != "complete":
        yield f"\n**This run is {report.status}.** What has no score is in no statistic, and is never clean."
    yield f"\n{escape(report.headline)}"


def _targets(report: JudgeBiasReport) -> Iterator[str]:
    for target in report.targets:
        yield f"## {escape(target.judge)}\n"
        given = escape(counts(target.scores.counts)) or "none"
        yield f"Severity: **{target.severity}**. Scores given: {given}.\n"
        yield from (f"> **Warning:** {escape(problem)}.\n" for problem in target.scores.problems)
        head = ("Dimension", "Outcome", "a less b", "Mean difference (95%)", "Adjusted p", "Effect", "Pairs")
        yield from table(head, (_row(result) for result in target.dimensions))
        yield ""
        yield from _reasons(target)


def _row(result: DimensionResult) -> tuple[str, ...]:
    p = result.decision.p_adjusted if result.decision else None
    effect = result.effect_size
    size = missing("no statistics") if effect is None else number(effect.value, effect.note)
    word = f", {effect.interpretation}" if effect is not None and effect.interpretation else ""
    return (
        escape(result.dimension) + (" (placebo)" if result.placebo else ""),
        f"**{result.status}**",
        escape(f"{result.a} less {result.b}"),
        escape(points(result.mean)),
        number(p, "not tested", 3),
        escape(size + word),
        f"{result.n_complete} of {result.n_pairs}",
    )


def _reasons(target: TargetResult) -> Iterator[str]:
    for result in target.dimensions:
        after = f" {left(result.after)}." if result.after else ""
        yield f"- {escape(result.dimension)}: {escape(result.reason + after)}"
    for step in target.remediation:
        yield f"- **{step.priority}** {escape(step.dimension)}: {escape(step.recommended_action)}"


def _side_by_side(report: JudgeBiasReport) -> Iterator[str]:
    if report.side_by_side is None:
        return
    yield "## Side by side\n"
    agreement = escape(points(report.side_by_side.agreement))
    yield f"Agreement of the scores (quadratic weighted kappa): {agreement}\n"
    head = ("Dimension", *(escape(target.judge) for target in report.targets))
    outcomes = report.side_by_side.outcomes.items()
    yield from table(head, ((escape(name), *found) for name, found in outcomes))


def _earlier(report: JudgeBiasReport) -> Iterator[str]:
    for earlier in report.earlier:
        yield f"## {escape(earlier.judge)}: against its audit {escape(earlier.run_id)}\n"
        yield f"{escape(earlier.attribution)}.\n"
        rows = (
            (escape(name), number(then, "not measured"), number(now, "not measured"))
            for name, (then, now) in earlier.dimensions.items()
        )
        yield from table(("Dimension", "Then", "Now"), rows)


def _review(report: JudgeBiasReport) -> Iterator[str]:
    yield f"## For people to review ({len(report.review)})\n"
    for record_id, why in report.review.items():
        yield f"- **{escape(record_id)}**: {escape('; '.join(why))}"
    if report.signed:
        yield escape(
            f"Signed off by {report.signed['by']} on {report.signed['at']}: {report.signed['reason']}"
        )
    if not report.review:
        yield "No question was routed to people by the rules of this run."


def _foot(report: JudgeBiasReport) -> Iterator[str]:
    yield "## Provenance\n"
    yield f"- Version {escape(report.version)}, prompt {escape(report.prompt_name)} {report.prompt_hash[:16]}"
    yield from (f"- {escape(t.judge)}: fingerprint {t.fingerprint}" for t in report.targets)
    yield from (f"- {escape(caveat)}" for caveat in report.caveats)
