"""Two judge-bias runs side by side: before and after a mitigation, or an earlier and a later judge."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from appliance.config import DecisionConfig
from appliance.domain.estimates import Estimate
from appliance.errors import ConfigError
from appliance.pipeline.judge_bias.drift import attribution, changed_components, comparable, components
from appliance.pipeline.judge_bias.reporting import build_judge_bias_report
from appliance.reports.judge_bias.data import (
    Comparison,
    DimensionChange,
    DimensionResult,
    JudgeBiasReport,
    TargetResult,
)
from appliance.statistics.outcome import decide
from appliance.statistics.paired.analysis import PairedAnalysis, analyse
from appliance.statistics.paired.pairs import make_pairs
from appliance.store.reader import Reader

AUDIT = "judge-bias"


def compare_runs(reader: Reader, before: str, after: str) -> tuple[Comparison, ...]:
    """Every judge that both runs have, by name. UnknownIdError for an unknown run; ConfigError for runs of
    another audit, of another mode or scale, or without a judge in common."""
    rows = [reader.run(before), reader.run(after)]
    for row in rows:
        if row["audit"] != AUDIT:
            raise ConfigError(f"run {row['run_id']} is no {AUDIT} audit", "Only these can be compared.")
    if not comparable(*rows):
        raise ConfigError("the two runs have another mode or scale", "Compare runs of one kind of score.")
    one, two = (build_judge_bias_report(reader, row["run_id"]) for row in rows)
    held = {target.judge: target for target in one.targets}
    found = [(held[target.judge], target) for target in two.targets if target.judge in held]
    if not found:
        raise ConfigError("the two runs have no judge in common", "Compare runs of one judge, by its name.")
    tasks = {r.metadata["item_id"]: r.template_id for row in rows for r in reader.records(row["run_id"])}
    changed = [
        changed_components(components(rows[0], was.details), components(rows[1], now.details))
        for was, now in found
    ]
    return tuple(
        _compared(one, two, was, now, tasks, what) for (was, now), what in zip(found, changed, strict=True)
    )


def _compared(
    one: JudgeBiasReport,
    two: JudgeBiasReport,
    was: TargetResult,
    now: TargetResult,
    tasks: Mapping[str, str],
    judge_changed: tuple[str, ...],
) -> Comparison:
    rule = DecisionConfig(**two.config["decision"])
    before = {d.dimension: d for d in was.dimensions}
    after = {d.dimension: d for d in now.dimensions}
    names = list(dict.fromkeys([*before, *after]))
    analyses = {n: a for n in names if (a := _change(before.get(n), after.get(n), tasks, rule)) is not None}
    span = two.scale[1] - two.scale[0]
    decisions = decide(
        f"changes of all dimensions of {now.judge} between the two runs",
        [a.hypothesis(n, two.margin, rule.min_complete_pairs, span) for n, a in analyses.items()],
        alpha=rule.significance_threshold,
    ).decisions
    decided = {d.hypothesis.name: d for d in decisions}
    changed = (*judge_changed, *_shown(one, two))
    return Comparison(
        judge=now.judge,
        before_run=one.run_id,
        after_run=two.run_id,
        changed=changed,
        attribution=attribution(changed),
        margin=two.margin,
        dimensions=tuple(
            DimensionChange(
                dimension=name,
                before=_mean(before.get(name)),
                after=_mean(after.get(name)),
                change=analyses[name].mean if name in analyses else None,
                decision=decided.get(name),
            )
            for name in names
        ),
    )


def _shown(one: JudgeBiasReport, two: JudgeBiasReport) -> tuple[str, ...]:
    """What differs beside the judge."""
    if _items(one) != _items(two):
        return ("items",)
    return ("probes",) if one.config["probes"] != two.config["probes"] else ()


def _items(report: JudgeBiasReport) -> set[str]:
    return {row.item_id for t in report.targets for d in t.dimensions for row in d.pairs}


def _mean(result: DimensionResult | None) -> Estimate | None:
    return result.mean if result is not None else None


def _change(
    before: DimensionResult | None,
    after: DimensionResult | None,
    tasks: Mapping[str, str],
    rule: DecisionConfig,
) -> PairedAnalysis | None:
    """None where fewer pairs than needed were scored in both."""
    if before is None or after is None:
        return None
    first: dict[str, Any] = {row.pair_id: row for row in before.pairs}
    both = [(first[row.pair_id], row) for row in after.pairs if row.pair_id in first]
    asked = [(was, now) for was, now in both if was.a_text and now.a_text]
    pairs = make_pairs(
        np.array([_difference(now) for _, now in asked], dtype=float),
        np.array([_difference(was) for was, _ in asked], dtype=float),
        cluster=[tasks[now.item_id] for _, now in asked],
    )
    return analyse(pairs) if pairs.n >= rule.min_complete_pairs else None


def _difference(row: Any) -> float:
    return float("nan") if row.difference is None else row.difference
