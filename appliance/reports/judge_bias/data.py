"""Everything that the report of a judge-bias audit shows, as plain data."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from appliance.domain.base import Frozen
from appliance.domain.estimates import EffectSize, Estimate, Significance
from appliance.domain.outcomes import Decision, Outcome
from appliance.domain.records import SkippedRecord
from appliance.statistics.divergence.differential import GroupContrast
from appliance.statistics.judging.flips import NetRate
from appliance.statistics.judging.position import PositionBias
from appliance.statistics.paired.analysis import PairedAnalysis

Status = Outcome | Literal["not run"]
Level = Literal["low", "medium", "high", "critical"]
Severity = Literal["none", "low", "medium", "high", "critical"]


class PairRow(Frozen):
    """One test pair under one judge. a, b: attribute and, after a colon, what stands there.
    a_score, b_score: means over the scored repeats; pairwise, the share of the two orders that each wins.
    a_expected, b_expected: the same from the judge's own probabilities. excluded: why the pair is in no
    statistic, "" when it is. a_input, b_input: the prompts exactly as they were sent (pairwise: the order
    in which a, or b, stands first); "" for a pair that was not asked.
    a_text, b_text: the two versions of the answer. quality: the user's own judgement of the item."""

    pair_id: str
    item_id: str
    quality: str
    a: str
    b: str
    a_text: str
    b_text: str
    a_input: str
    b_input: str
    a_score: float | None
    b_score: float | None
    difference: float | None
    a_expected: float | None
    b_expected: float | None
    exceeds_threshold: bool
    excluded: str = ""


class After(Frozen):
    """A dimension after a mitigation that is worked out from the same answers. mean: difference that is left.
    change: mean difference after less before, over the same pairs, with its test. The decision belongs to a
    family of its own, all dimensions after mitigation."""

    mitigation: str
    mean: Estimate
    change: Estimate
    change_test: Significance
    decision: Decision


class DimensionResult(Frozen):
    """One dimension under one judge. varies: what differs, in words; differences are a - b.

    status: the outcome, or "not run" with its reason in `reason`; statistics are then None, and so they are
    with fewer complete pairs than needed. flagged: outcome "flagged", which needs p, the margin and
    min_effect_size. effect_size: Cohen's d_z, or the rank-biserial correlation with Wilcoxon's test.
    measured, measured_test: mean difference of the scores expected from the judge's own token
    probabilities; beside the decision, not part of it. changed: share of pairs whose scores differ, net of
    the same share in the placebo pairs of the same items. repeat_noise: share of answers that differ in a
    repeat of the same question. after: what a mitigation of the scores leaves of it. position: pairwise
    only, over this dimension's pairs.
    unbuilt: reason -> items for which no pair could be built. observed: instead of pairs, one group of scored
    outputs against the others; pairs are outputs then, and a group can differ in more than the attribute."""

    dimension: str
    varies: str
    a: str
    b: str
    placebo: bool
    status: Status
    reason: str
    flagged: bool
    decision: Decision | None
    analysis: PairedAnalysis | None
    test: Significance | None
    effect_size: EffectSize | None
    measured: Estimate | None
    measured_test: Significance | None
    changed: NetRate | None
    repeat_noise: Estimate | None
    after: After | None
    position: PositionBias | None
    n_pairs: int
    n_complete: int
    n_exceeding: int
    unbuilt: dict[str, int]
    pairs: tuple[PairRow, ...]
    observed: GroupContrast | None = None

    @property
    def mean(self) -> Estimate | None:
        """Mean difference a - b: of pairs, or of observed groups; None without statistics."""
        if self.analysis is not None:
            return self.analysis.mean
        return self.observed.effect if self.observed else None


class Remediation(Frozen):
    """Written by the program from the numbers; a person decides."""

    dimension: str
    finding: str
    recommended_action: str
    priority: Level


class ScoreUse(Frozen):
    """How the judge uses its scale on the answers as given: a judge that always says the same cannot be
    shown to be biased, and is of no use. good_over_bad: mean score of good less bad items, where both are
    known. constant: it gives one answer to nearly everything, so nothing of it can be cleared. problems: in
    words, why the audit of this judge says little; empty when it does not."""

    counts: dict[str, int]
    good_over_bad: Estimate | None
    constant: bool
    problems: tuple[str, ...]


class TargetResult(Frozen):
    """One judge under audit. against_labels: how often it picks what people call better, where that is known.
    family: what Holm's adjustment covers. inconclusive: replies that failed three times; then the run is
    INCONCLUSIVE. details: what its fingerprint hashes."""

    judge: str
    title: str
    fingerprint: str
    details: dict[str, Any]
    engine: str
    device: str
    sandbox: str
    family: str
    dimensions: tuple[DimensionResult, ...]
    scores: ScoreUse
    against_labels: dict[str, Estimate] = Field(default_factory=dict)
    severity: Severity
    summary: str
    remediation: tuple[Remediation, ...]
    n_questions: int
    n_unscored: int
    unscored_reasons: dict[str, int]
    inconclusive: bool
    records_per_second: float | None


class Earlier(Frozen):
    """The baseline of one judge: its last complete audit before this one in this store. changed: components
    of its fingerprint that differ. dimensions: dimension -> (mean difference then, now). attribution: what
    the change may be laid to, in words; where several components changed, that it cannot be told."""

    judge: str
    run_id: str
    created: str
    changed: tuple[str, ...]
    dimensions: dict[str, tuple[float | None, float | None]]
    attribution: str


class DimensionChange(Frozen):
    """One dimension in two runs. before, after: mean differences, over all pairs of each; None where it was
    not measured. change: mean over the pairs that both runs scored, after less before, and the decision on
    it: "flagged" means that a change of the margin is shown, and "clear" that there is none."""

    dimension: str
    before: Estimate | None
    after: Estimate | None
    change: Estimate | None
    decision: Decision | None


class Comparison(Frozen):
    """One judge in two runs. changed: what differs between them; attribution: what a difference may be laid
    to, in words."""

    judge: str
    before_run: str
    after_run: str
    changed: tuple[str, ...]
    attribution: str
    margin: float
    dimensions: tuple[DimensionChange, ...]


class SideBySide(Frozen):
    """Two judges on the same questions. agreement: quadratic weighted kappa of their scores over all of them.
    outcomes: dimension -> outcome of each, in the order of the judges."""

    agreement: Estimate
    outcomes: dict[str, tuple[str, ...]]


class JudgeBiasReport(Frozen):
    """status: "complete", "incomplete", or "INCONCLUSIVE" when a reply failed three times."""

    run_id: str
    audit: str
    created: str
    finished: str | None
    status: Literal["complete", "incomplete", "INCONCLUSIVE"]
    version: str
    config: dict[str, Any]
    prompt_name: str
    prompt_hash: str
    input_path: str
    mode: Literal["pointwise", "pairwise"]
    scale: tuple[float, float]
    margin: float
    headline: str
    caveats: tuple[str, ...]
    n_items: int
    skipped: tuple[SkippedRecord, ...]
    targets: tuple[TargetResult, ...]
    side_by_side: SideBySide | None
    earlier: tuple[Earlier, ...]
    review: dict[str, tuple[str, ...]] = Field(default_factory=dict)
    signed: dict[str, str] | None = None
