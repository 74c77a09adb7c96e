"""What a judge said of one record, after the checks."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from appliance.domain.base import Frozen
from appliance.domain.records import SpanSource

Status = Literal["scored", "unscored"]


class LabelDistribution(Frozen):
    """The judge's own probabilities at one decision of its reply (natural probabilities, sum 1 ± 1e-3).

    where: the decision, e.g. "S3.claim" or "S3.verdict".
    unresolved: mass (before normalisation) on tokens that do not yet tell the labels apart.
    """

    where: str
    chosen: str
    probabilities: dict[str, float]
    unresolved: float = 0.0


class Finding(Frozen):
    """One flagged item with its verbatim evidence.

    `excerpt` equals source[start:end] exactly. For an omission the excerpt is the context's sentence
    that the text leaves out (source "context"); see `appliance.audits.competence.scorecard`.
    """

    finding_id: str
    category: str
    severity: str
    span: str
    source: SpanSource
    start: int
    end: int
    excerpt: str
    rationale: str
    counterfactual: str = ""
    dimensions: tuple[str, ...] = ()


class Verdict(Frozen):
    """A judge's checked answer on one record; unscored with a reason when there is none.

    score: the audit's signed score in [-1, 1]; None where it is undefined (never 0 for "unknown").
    flag: None exactly when the verdict is unscored.
    labels: label per span, e.g. {"S1": "SUPPORTED", "S2": "DOWNGRADE"}.
    result: the full document schema plus harness keys, as exported.
    repeat: 0 for the answer that counts, 1.. for those that measure how far the judge repeats itself.
    """

    record_id: str
    judge: str
    status: Status
    reason: str = ""
    score: float | None = None
    bias_score: float | None = None
    flag: bool | None = None
    severity: str | None = None
    stated_confidence: float | None = None
    measured_confidence: float | None = None
    labels: dict[str, str] = Field(default_factory=dict)
    findings: tuple[Finding, ...] = ()
    distributions: tuple[LabelDistribution, ...] = ()
    result: dict[str, Any] = Field(default_factory=dict)
    task_id: str = ""
    attempts: int = 0
    repeat: int = 0


class Divergence(Frozen):
    """Two judges on one record. Fields are None where either verdict is unscored or undefined.

    score_difference: |score A - score B|, 0 to 2.
    label_agreement: share of spans with the same label. evidence_overlap: Jaccard index of flagged spans
    (1 when neither flags any). severity_steps: distance on none < LOW < MEDIUM < HIGH.
    """

    record_id: str
    score_difference: float | None
    flag_disagreement: bool | None
    label_agreement: float | None
    severity_steps: int | None
    evidence_overlap: float | None
    divergent: bool
    reasons: tuple[str, ...]
