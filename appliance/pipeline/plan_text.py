"""A plan in words."""

from __future__ import annotations

from appliance.pipeline.plan import SMALL_GROUP, DimensionPlan, JudgePlan, Plan


def plan_text(plan: Plan) -> str:
    """The plan in words, for a terminal."""
    lines = [f"{plan.records} records to judge, {len(plan.skipped)} rows that cannot be"]
    lines += [f"  not judged: {row}" for row in plan.skipped]
    lines += [f"REFUSED by [bias_gate]: {why}" for why in plan.refused]
    for judge in plan.judges:
        lines += _judge_lines(judge)
    for dimension in plan.dimensions:
        lines += _dimension_lines(dimension)
    if plan.small_groups:
        groups = ", ".join(f"{group} ({n})" for group, n in plan.small_groups.items())
        lines.append(f"Too small to conclude on (fewer than {SMALL_GROUP} records): {groups}")
    shown = [f"{group}: {_points(least)}" for group, least in plan.detectable.items() if least is not None]
    if shown:
        lines.append("Smallest difference of flag rates from the rest that can be shown (80% power):")
        lines += [f"  {line}" for line in shown]
    return "\n".join(lines)


def _dimension_lines(planned: DimensionPlan) -> list[str]:
    shows = (
        "" if planned.detectable is None else f", show a mean difference of {planned.detectable:.2f} points"
    )
    of = " for a standard deviation of 1" if shows else ""
    lines = [f"{planned.dimension}: {planned.pairs} pairs of {planned.tasks} tasks{shows}{of}"]
    if 0 < planned.tasks < planned.tasks_to_clear:
        lines.append(f"  cannot come out as clear: that takes {planned.tasks_to_clear} tasks or more")
    return lines + [f"  {n} not asked: {reason}" for reason, n in planned.unbuilt.items()]


def _points(difference: float) -> str:
    return f"{100 * difference:.0f} points" if difference < 1 else "none, whatever the records say"


def _judge_lines(judge: JudgePlan) -> list[str]:
    none = "answered already, or equal to another record"
    lines = [f"{judge.judge}: {judge.calls} calls to make, {judge.answered} records need none ({none})"]
    if judge.prompt_tokens is not None:
        each = f" ({judge.prompt_tokens / judge.calls:.0f} each)" if judge.calls else ""
        lines.append(
            f"  prompt tokens: {judge.prompt_tokens}{each}; longest reply: {judge.longest_reply_tokens}"
        )
    time = (
        "unknown until this judge has run here" if judge.seconds is None else f"about {judge.seconds:.0f} s"
    )
    lines.append(f"  time, without loading: {time}")
    if judge.does_not_fit:
        lines.append(f"  do not fit its context and will be UNSCORED: {', '.join(judge.does_not_fit)}")
    return lines
