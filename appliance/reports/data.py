"""Everything that a report shows, as plain data. Writers turn it into html, json, csv and markdown."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from appliance.domain.base import Frozen
from appliance.domain.estimates import Estimate
from appliance.domain.records import IntendedLabel, SkippedRecord, Span
from appliance.domain.verdicts import Divergence, Verdict

StandingLevel = Literal["unfit", "unproven", "fit"]


class JudgeStanding(Frozen):
    """How far this judge can be believed, from its own results. Shown wherever its verdicts are.

    agreement_with_labels: kappa of its flags with the intended labels that came with the records, if any.
    """

    judge: str
    level: StandingLevel
    reasons: tuple[str, ...]
    agreement_with_labels: Estimate | None = None


class JudgeSummary(Frozen):
    """One judge's part in the run. `label_counts`: over all spans of scored records."""

    name: str
    title: str
    fingerprint: str
    licence: str
    engine: str
    device: str
    sandbox: str
    standing: JudgeStanding
    n_scored: int
    n_unscored: int
    unscored_reasons: dict[str, int]
    n_flagged: int
    n_attempts: int
    n_retried_records: int
    retry_reasons: dict[str, int]
    label_counts: dict[str, int]
    records_per_second: float | None


class GroupRow(Frozen):
    """One group of one identity dimension under one judge. Descriptive: no difference is tested here."""

    dimension: str
    value: str
    judge: str
    flag_rate: Estimate
    mean_score: float | None


class RunDivergence(Frozen):
    """The two judges over the whole run. n_compared: records scored by both."""

    n_records: int
    n_compared: int
    n_divergent: int
    flag_agreement: Estimate
    flag_kappa: Estimate
    label_agreement: Estimate
    label_kappa: Estimate
    severity_kappa: Estimate
    both_flagged: int
    only_first: int
    only_second: int
    neither: int


class ReviewReason(Frozen):
    record_id: str
    reasons: tuple[str, ...]


class RecordReport(Frozen):
    """One record with everything said of it. `verdicts` is in the order of the run's judges."""

    record_id: str
    place: str
    text: str
    context: str
    identity: dict[str, str]
    identity_signal: str
    template_id: str
    spans: tuple[Span, ...]
    verdicts: tuple[Verdict, ...]
    divergence: Divergence | None
    intended: IntendedLabel | None = None


class RunReport(Frozen):
    """The whole report. `headline` is one or two sentences written from the numbers by the program."""

    run_id: str
    audit: str
    created: str
    finished: str | None
    complete: bool
    version: str
    config: dict[str, Any]
    prompt_name: str
    prompt_hash: str
    input_path: str
    headline: str
    caveats: tuple[str, ...]
    judges: tuple[JudgeSummary, ...]
    n_records: int
    skipped: tuple[SkippedRecord, ...]
    divergence: RunDivergence | None
    groups: tuple[GroupRow, ...]
    review: tuple[ReviewReason, ...]
    records: tuple[RecordReport, ...]
    extra: dict[str, Any] = Field(default_factory=dict)
