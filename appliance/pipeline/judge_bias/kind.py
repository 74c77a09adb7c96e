"""The judge-bias audit in a run."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from appliance.audits.interface import Audit
from appliance.audits.judge_bias import JudgeBiasAudit
from appliance.audits.judge_bias.target import load_target
from appliance.config import Config
from appliance.pipeline.judge_bias.material import judge_bias_material
from appliance.pipeline.judge_bias.reporting import build_judge_bias_report
from appliance.pipeline.material import Conclusion, Material
from appliance.reports.judge_bias.data import DimensionResult, JudgeBiasReport, TargetResult
from appliance.store.reader import Reader


class JudgeBiasKind:
    """See `appliance.pipeline.kinds.Kind`."""

    judges_needed = 1

    def audit(self, config: Config, root: Path) -> Audit:
        return JudgeBiasAudit(load_target(config, root))

    def material(self, config: Config) -> Material:
        return judge_bias_material(config)

    def conclude(self, config: Config, material: Material, reader: Reader, run_id: str) -> Conclusion:
        report = build_judge_bias_report(reader, run_id)
        events = tuple(("baseline", {"judge": t.judge, "means": _means(t)}) for t in report.targets)
        return Conclusion((), _review(reader, report), events + tuple(_alerts(report)))

    def report(self, reader: Reader, run_id: str) -> JudgeBiasReport:
        return build_judge_bias_report(reader, run_id)

    def incomplete(self, report: JudgeBiasReport, max_unscored: float) -> str:
        """A judge that fails three times at one question makes the run INCONCLUSIVE, however many it
        answered."""
        failing = [t for t in report.targets if t.inconclusive]
        if failing:
            told = ", ".join(f"{t.judge} ({t.n_unscored} of {t.n_questions})" for t in failing)
            return f"INCONCLUSIVE: questions that got no usable answer in three attempts: {told}"
        lacking = sum(t.n_unscored for t in report.targets)
        total = sum(t.n_questions for t in report.targets)
        if total and lacking / total > max_unscored:
            return (
                f"{lacking} of {total} questions got no score (limits.max_unscored allows {max_unscored:.0%})"
            )
        return ""

    def problems(self, report: JudgeBiasReport) -> list[str]:
        """Every dimension must be clear for every judge, after its mitigation where it has one; what needs a
        signature must have it."""
        found = [problem for target in report.targets for problem in target_problems(target)]
        if report.review:
            found.append(f"{len(report.review)} questions wait for a person")
        return found + unsigned(report)


def target_problems(target: TargetResult, dimensions: Sequence[str] = ()) -> list[str]:
    """Why this judge is not shown to be unbiased: dimensions that are not clear, and what its scores lack.
    dimensions: those that must be clear, by name or family; empty for all that were audited."""
    asked = [d for d in target.dimensions if not d.placebo]
    chosen = [d for d in asked if not dimensions or _named(d.dimension, dimensions)]
    open_ones = [f"{d.dimension} {_left(d)}" for d in chosen if _left(d) != "clear"]
    missing = [n for n in dimensions if not any(_named(d.dimension, [n]) for d in asked)]
    open_ones += [f"{name} not audited" for name in missing]
    found = [f"{target.judge}: not shown to be unbiased: {'; '.join(open_ones)}"] if open_ones else []
    return found + [f"{target.judge}: {problem}" for problem in target.scores.problems]


def unsigned(report: JudgeBiasReport) -> list[str]:
    """What high stakes demand before anything is done about a finding."""
    if not report.config["decision"]["high_stakes"] or report.signed:
        return []
    return ["high stakes: findings and test design are not signed off (`appliance signoff`)"]


def _named(dimension: str, names: Sequence[str]) -> bool:
    return any(dimension == name or dimension.startswith(f"{name}: ") for name in names)


def _left(result: DimensionResult) -> str:
    return result.after.decision.outcome if result.after else result.status


def _means(target: TargetResult) -> dict[str, float | None]:
    return {d.dimension: d.mean.value if d.mean else None for d in target.dimensions}


def _alerts(report: JudgeBiasReport) -> list[tuple[str, dict[str, Any]]]:
    return [
        ("alert", {"judge": t.judge, "what": "INCONCLUSIVE", "unscored": t.n_unscored, "of": t.n_questions})
        for t in report.targets
        if t.inconclusive
    ]


def _review(reader: Reader, report: JudgeBiasReport) -> dict[str, tuple[str, ...]]:
    """record_id -> why a person must look: no score, or a marked pair of a flagged dimension."""
    found: dict[str, list[str]] = defaultdict(list)
    for skipped in report.skipped:
        found[skipped.record_id].append(f"not judged: {skipped.reason}")
    for judge, target in zip(reader.judges(report.run_id), report.targets, strict=True):
        for record_id, verdict in reader.verdicts(report.run_id, judge["fingerprint"]).items():
            if verdict.status == "unscored":
                found[record_id].append(f"unscored by {target.judge}: {verdict.reason}")
        first = {pair.pair_id: pair.first for pair in reader.pairs(report.run_id)}
        for result in target.dimensions:
            for record_id, reason in _marked(target.judge, result, first):
                found[record_id].append(reason)
    return {record_id: tuple(reasons) for record_id, reasons in found.items()}


def _marked(judge: str, result: DimensionResult, first: dict[str, str | None]) -> list[tuple[str, str]]:
    if not result.flagged:
        return []
    return [
        (record_id, f"{judge}, {result.dimension} (flagged): {row.a} less {row.b} is {row.difference:+.2f}")
        for row in result.pairs
        if row.exceeds_threshold and (record_id := first[row.pair_id]) is not None
    ]
