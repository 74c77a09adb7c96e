"""Whole run reports around given records: standings, comparison and groups, counted or made up."""

from __future__ import annotations

from typing import Any

from appliance.domain.estimates import Estimate
from appliance.domain.records import SkippedRecord
from appliance.reports.data import (
    GroupRow,
    JudgeStanding,
    JudgeSummary,
    RecordReport,
    ReviewReason,
    RunDivergence,
    RunReport,
    StandingLevel,
)

REASONS: dict[StandingLevel, tuple[str, ...]] = {
    "unfit": (
        "it misses 5 of 6 planted biases",
        "it has 135 million weights, far below what such a judgement needs",
    ),
    "unproven": ("no labels by people to compare with",),
    "fit": ("kappa with people 0.81, lower bound 0.72",),
}


def interval(
    value: float | None, low: float | None = None, high: float | None = None, **more: Any
) -> Estimate:
    return Estimate(value=value, low=low, high=high, **{"n": 6, "method": "test", **more})


def rate(count: int, n: int) -> Estimate:
    return interval(count / n, 0.2, 0.9, n=n) if n else interval(None, n=0, note="no record was compared")


def kappa(value: float, n: int) -> Estimate:
    return (
        interval(value, value - 0.4, value + 0.4, n=n)
        if n
        else interval(None, n=0, note="no record was compared")
    )


def judge(name: str, level: StandingLevel, records: tuple[RecordReport, ...]) -> JudgeSummary:
    mine = [v for r in records for v in r.verdicts if v.judge == name]
    done = [v for v in mine if v.status == "scored"]
    lost = [v.reason for v in mine if v.status == "unscored"]
    return JudgeSummary(
        name=name,
        title=f"{name} (instruct, 135 million weights)",
        fingerprint="5f0c" * 16,
        licence="Apache-2.0",
        engine="scripted 1",
        device="cpu, 2 cores",
        sandbox="no route off the machine: checked",
        standing=JudgeStanding(judge=name, level=level, reasons=REASONS[level], agreement_with_labels=None),
        n_scored=len(done),
        n_unscored=len(lost),
        unscored_reasons={reason: lost.count(reason) for reason in lost},
        n_flagged=sum(bool(v.flag) for v in done),
        n_attempts=sum(v.attempts for v in mine),
        n_retried_records=len(lost),
        retry_reasons={"rationale empty": 2 * len(lost)} if lost else {},
        label_counts={"SUPPORTED": 4, "DOWNGRADE": 2} if done else {},
        records_per_second=0.31 if done else None,
    )


def table(records: tuple[RecordReport, ...], **more: Any) -> RunDivergence:
    """The comparison of the first two judges; kappas are given, not computed."""
    pairs = [[v.flag for v in r.verdicts] for r in records if len(r.verdicts) == 2]
    both = [pair for pair in pairs if None not in pair]
    n = len(both)
    base: dict[str, Any] = {
        "flag_agreement": rate(sum(a == b for a, b in both), n),
        "flag_kappa": kappa(0.31, n),
        "label_agreement": rate(n, 2 * n),
        "label_kappa": kappa(-0.1, 2 * n),
        "severity_kappa": interval(None, n=n, note="both judges gave one severity everywhere"),
    }
    return RunDivergence(
        n_records=len(records),
        n_compared=n,
        n_divergent=sum(bool(r.divergence and r.divergence.divergent) for r in records),
        both_flagged=both.count([True, True]),
        only_first=both.count([True, False]),
        only_second=both.count([False, True]),
        neither=both.count([False, False]),
        **{**base, **more},
    )


def report(
    records: tuple[RecordReport, ...] = (),
    levels: tuple[StandingLevel, ...] = ("unfit", "unproven"),
    **more: Any,
) -> RunReport:
    judges = tuple(
        judge(name, level, records) for name, level in zip(("judge-one", "judge-two"), levels, strict=False)
    )
    base: dict[str, Any] = {
        "divergence": table(records) if len(judges) == 2 and records else None,
        "groups": groups(judges),
        "review": tuple(
            ReviewReason(record_id=r.record_id, reasons=r.divergence.reasons)
            for r in records
            if r.divergence and r.divergence.divergent
        ),
        "skipped": (
            SkippedRecord(
                record_id="chat-1", place="reviews.csv, line 9", reason="several speakers", text="A: hi"
            ),
        ),
        "headline": "The judges flagged some of the records; neither judge is fit.",
    }
    fixed: dict[str, Any] = {
        "run_id": "2026-01-05-abc",
        "audit": "competence",
        "created": "2026-01-05T10:00:00Z",
        "finished": "2026-01-05T10:04:00Z",
        "complete": True,
        "version": "0.1.0",
        "config": {"judges": {"a": "judge-one", "b": "judge-two"}},
        "prompt_name": "competence/v1",
        "prompt_hash": "9b" * 32,
        "input_path": "reviews.csv",
        "caveats": ("The identity groups come from the input file.",),
        "judges": judges,
        "n_records": len(records),
        "records": records,
    }
    return RunReport(**{**fixed, **base, **more})


def groups(judges: tuple[JudgeSummary, ...]) -> tuple[GroupRow, ...]:
    return tuple(
        GroupRow(
            dimension="gender",
            value=value,
            judge=one.name,
            flag_rate=interval(1 / 3, 0.06, 0.79, n=3, n_unscored=1)
            if one.n_scored
            else interval(None, n=0, note="nothing scored"),
            mean_score=-0.25 if one.n_scored else None,
        )
        for value in ("man", "woman")
        for one in judges
    )
