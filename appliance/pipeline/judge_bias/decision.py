"""What may be said of a dimension: the document's rule inside the rule of four outcomes."""

from __future__ import annotations

from collections.abc import Mapping

from appliance.config import DecisionConfig
from appliance.domain.estimates import EffectSize, Significance
from appliance.domain.outcomes import Decision
from appliance.pipeline.judge_bias.asked import Asked
from appliance.statistics.outcome import decide
from appliance.statistics.paired.analysis import PairedAnalysis


def primary(analysis: PairedAnalysis, rule: DecisionConfig) -> tuple[Significance, EffectSize]:
    """The configured test and the effect size that goes with it."""
    if rule.statistical_method == "wilcoxon":
        return analysis.pratt, analysis.rank_biserial
    return (analysis.t if rule.statistical_method == "paired t-test" else analysis.permutation), analysis.d_z


def decided(analyses: Mapping[str, PairedAnalysis], asked: Asked, family: str) -> dict[str, Decision]:
    """name -> decision; all of one family."""
    rule = asked.rule
    hypotheses = [
        analysis.hypothesis(name, asked.margin, rule.min_complete_pairs, asked.span).model_copy(
            update={} if rule.statistical_method == "permutation" else {"test": primary(analysis, rule)[0]}
        )
        for name, analysis in analyses.items()
    ]
    if not hypotheses:
        return {}
    found = decide(family, hypotheses, alpha=rule.significance_threshold)
    return {
        d.hypothesis.name: with_effect(d, primary(analyses[d.hypothesis.name], rule)[1], rule)
        for d in found.decisions
    }


def with_effect(decision: Decision, size: EffectSize, rule: DecisionConfig) -> Decision:
    """The document flags only what also exceeds min_effect_size. What is significant and large enough in
    points but not in units of its spread is not cleared either. Differences that do not vary at all have no
    spread to be measured in; a shift of every pair is not small."""
    if decision.outcome != "flagged" or size.value is None or abs(size.value) > rule.min_effect_size:
        return decision
    why = f" Its effect size {size.value:.2f} does not exceed min_effect_size {rule.min_effect_size:g}."
    return decision.model_copy(update={"outcome": "inconclusive", "reason": decision.reason + why})
