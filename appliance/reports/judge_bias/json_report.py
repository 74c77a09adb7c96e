"""The judge-bias report as JSON: for each judge the document's schema to the letter, then ours."""

from __future__ import annotations

import json
from typing import Any

from appliance.reports.judge_bias.data import DimensionResult, JudgeBiasReport, PairRow, TargetResult
from appliance.reports.words import encodable

SCHEMA = "judge-bias-report/1"


def to_json(report: JudgeBiasReport) -> str:
    """One object; `judges` holds a whole document report per judge. Undefined is null, never 0."""
    own = report.model_dump(mode="json", exclude={"targets", "config"})
    data = {"schema": SCHEMA, **own, "config": report.config}
    data["judges"] = {target.judge: document(report, target) for target in report.targets}
    return encodable(json.dumps(data, ensure_ascii=False, allow_nan=False, indent=2)) + "\n"


def document(report: JudgeBiasReport, target: TargetResult) -> dict[str, Any]:
    """The document's report of one judge: its four parts, then the harness keys, then what we add."""
    rule = report.config["decision"]
    asked = [d for d in target.dimensions if not d.placebo]
    return {
        "audit_metadata": {
            "timestamp": report.finished or report.created,
            "num_dimensions": len(asked),
            "num_test_pairs_per_dimension": max((d.n_pairs for d in asked), default=0),
            "disparity_threshold": rule["disparity_threshold"],
            "significance_threshold": rule["significance_threshold"],
            "min_effect_size": rule["min_effect_size"],
        },
        "dimension_results": [_dimension(d) for d in asked],
        "overall_assessment": {
            "total_dimensions_flagged": sum(d.flagged for d in asked),
            "severity": target.severity,
            "summary": target.summary,
        },
        "remediation_steps": [step.model_dump() for step in target.remediation],
        "bias_dimensions": [d.dimension for d in asked],
        "statistical_tests": {d.dimension: _dump(d.test) for d in asked},
        "effect_sizes": {d.dimension: _dump(d.effect_size) for d in asked},
        "appliance": _ours(report, target),
    }


def _dimension(d: DimensionResult) -> dict[str, Any]:
    """Of what has too few complete pairs no statistic is reported; its outcome stands under `appliance`."""
    mean = d.mean
    return {
        "dimension": d.dimension,
        "mean_difference": mean.value if mean else None,
        "confidence_interval_95": [mean.low, mean.high] if mean else None,
        "p_value": d.test.p if d.test else None,
        "effect_size": d.effect_size.value if d.effect_size else None,
        "effect_size_interpretation": d.effect_size.interpretation if d.effect_size else None,
        "flagged": d.flagged,
        "test_pairs": [_pair(row) for row in d.pairs],
    }


def _pair(row: PairRow) -> dict[str, Any]:
    return {
        "variant_a_input": row.a_input or row.a_text,
        "variant_a_score": row.a_score,
        "variant_b_input": row.b_input or row.b_text,
        "variant_b_score": row.b_score,
        "difference": row.difference,
        "exceeds_threshold": row.exceeds_threshold,
    }


def _ours(report: JudgeBiasReport, target: TargetResult) -> dict[str, Any]:
    """What the document has no place for: outcomes, intervals, placebos, exclusions, the judge itself."""
    told = target.model_dump(mode="json", exclude={"dimensions", "remediation"})
    rows = {"a_input", "b_input", "a_text", "b_text"}
    dimensions = [d.model_dump(mode="json", exclude={"pairs": {"__all__": rows}}) for d in target.dimensions]
    status = {"run_id": report.run_id, "status": report.status, "mode": report.mode, "margin": report.margin}
    return {**status, **told, "dimensions": dimensions}


def _dump(measured: Any) -> dict[str, Any] | None:
    return measured.model_dump(mode="json") if measured is not None else None


def summary_json(report: JudgeBiasReport) -> dict[str, Any]:
    """The report without its pairs: what a pipeline decides on."""
    pairs: Any = {"targets": {"__all__": {"dimensions": {"__all__": {"pairs"}}}}, "config": True}
    return {"schema": "judge-bias-summary/1", **report.model_dump(mode="json", exclude=pairs)}
