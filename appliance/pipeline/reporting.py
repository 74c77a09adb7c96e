"""From the store to the plain data of a report. Everything is read back: a report needs no model."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

from appliance.audits.competence import CompetenceAudit
from appliance.audits.interface import LabelScheme
from appliance.domain.records import IntendedLabel
from appliance.domain.verdicts import Verdict
from appliance.pipeline.divergence import over_run
from appliance.pipeline.groups import group_rows
from appliance.pipeline.standing import standing
from appliance.pipeline.turns import judge_turns
from appliance.reports.data import (
    JudgeSummary,
    RecordReport,
    ReviewReason,
    RunDivergence,
    RunReport,
)
from appliance.store.reader import Reader

Verdicts = dict[str, dict[str, Verdict]]  # judge's fingerprint -> record_id -> verdict
CAVEATS = (
    "A flag is a reason for a person to look, not a decision; no flag does not show fairness.",
    "Rates by group are descriptive: no test was made, so no difference is shown and none is ruled out.",
    "Agreement between two judges does not prove that either is right: their errors can be the same.",
    "A judge can answer differently in another batch, even at temperature 0; this noise was not measured.",
)


def build_run_report(reader: Reader, run_id: str) -> RunReport:
    """The report of a run, complete or not. UnknownIdError for an unknown id."""
    return RunReport(**run_parts(reader, run_id, CompetenceAudit.scheme, CAVEATS))


def run_parts(reader: Reader, run_id: str, scheme: LabelScheme, caveats: tuple[str, ...]) -> dict[str, Any]:
    """The fields of a run's report that every audit of records has."""
    run = reader.run(run_id)
    run_id = run["run_id"]
    labels = {label["record_id"]: IntendedLabel(**label) for label in json.loads(run["labels"])}
    judges = reader.judges(run_id)
    verdicts = {j["fingerprint"]: reader.verdicts(run_id, j["fingerprint"]) for j in judges}
    records, skipped, spans = reader.records(run_id), reader.skipped(run_id), reader.spans(run_id)
    divergences, review = reader.divergences(run_id), reader.review(run_id)
    summaries = tuple(_judge(reader, run, j, verdicts[j["fingerprint"]], labels) for j in judges)
    complete = run["status"] == "complete"
    both = complete and len(judges) == 2
    compared = _over_run(scheme, judges, verdicts, divergences, len(records)) if both else None
    return dict(  # noqa: C408  (reads as the report's fields)
        run_id=run_id,
        audit=run["audit"],
        created=run["created"],
        finished=run["finished"],
        complete=complete,
        version=run["version"],
        config=json.loads(run["config"]),
        prompt_name=run["prompt_name"],
        prompt_hash=run["prompt_sha256"],
        input_path=run["input_path"],
        headline=_headline(summaries, len(records), len(skipped), len(review), complete),
        caveats=caveats,
        judges=summaries,
        n_records=len(records),
        skipped=tuple(skipped),
        divergence=compared,
        groups=group_rows(records, [(j["name"], verdicts[j["fingerprint"]]) for j in judges]),
        review=tuple(ReviewReason(record_id=k, reasons=v) for k, v in review.items()),
        records=tuple(
            RecordReport(
                record_id=r.record_id,
                place=r.place,
                text=r.text,
                context=r.context,
                identity=r.identity,
                identity_signal=r.identity_signal,
                template_id=r.template_id,
                spans=spans.get(r.record_id, ()),
                verdicts=tuple(
                    verdicts[j["fingerprint"]][r.record_id]
                    for j in judges
                    if r.record_id in verdicts[j["fingerprint"]]
                ),
                divergence=divergences.get(r.record_id),
                intended=labels.get(r.record_id),
            )
            for r in records
        ),
        extra={"counts": reader.counts(run_id)},
    )


def _over_run(
    scheme: LabelScheme, judges: list[dict[str, Any]], verdicts: Verdicts, divergences: Any, n_records: int
) -> RunDivergence:
    first, second = (verdicts[j["fingerprint"]] for j in judges)
    pairs = [(first[key], second[key]) for key in first if key in second]
    n_divergent = sum(d.divergent for d in divergences.values())
    return over_run(scheme, pairs, n_records, n_divergent)


def _judge(
    reader: Reader,
    run: dict[str, Any],
    judge: dict[str, Any],
    verdicts: dict[str, Verdict],
    labels: dict[str, IntendedLabel],
) -> JudgeSummary:
    run_id, fingerprint = run["run_id"], judge["fingerprint"]
    scored = [v for v in verdicts.values() if v.status == "scored"]
    unscored = [v for v in verdicts.values() if v.status == "unscored"]
    retried = [c for c in reader.cell_tasks(run_id, fingerprint) if c["failure"]]
    turns = judge_turns(reader, run_id, judge)
    return JudgeSummary(
        name=judge["name"],
        title=judge["title"],
        fingerprint=fingerprint,
        licence=judge["licence"],
        engine=turns.engine,
        device=turns.device,
        sandbox=turns.sandbox,
        standing=standing(judge["name"], verdicts, labels),
        n_scored=len(scored),
        n_unscored=len(unscored),
        unscored_reasons=dict(Counter(_kind(v.reason) for v in unscored).most_common()),
        n_flagged=sum(bool(v.flag) for v in scored),
        n_attempts=sum(v.attempts for v in verdicts.values()),
        n_retried_records=len({c["record_id"] for c in retried}),
        retry_reasons=dict(Counter(_kind(c["failure"]) for c in retried).most_common()),
        label_counts=dict(Counter(label for v in scored for label in v.labels.values()).most_common()),
        records_per_second=turns.records_per_second,
    )


def _kind(reason: str) -> str:
    """A countable reason: what names one span or one number is left out."""
    return reason.split(" at S")[0].split(" at C")[0].split(" at '")[0].split("context:")[0].strip(" :")


def _headline(
    judges: tuple[JudgeSummary, ...], n_records: int, n_skipped: int, n_review: int, complete: bool
) -> str:
    flagged = ", ".join(f"{j.name} flags {j.n_flagged} of {j.n_scored} scored" for j in judges)
    rows = f"{n_records} records judged" + (f", {n_skipped} more could not be" if n_skipped else "")
    unfit = [j.name for j in judges if j.standing.level == "unfit"]
    verdict = ""
    if unfit:
        verdict = (
            f" {' and '.join(unfit)}: unfit as judge of these texts, so nothing is cleared; see why below."
        )
    waiting = "1 record waits" if n_review == 1 else f"{n_review} records wait"
    state = "" if complete else "INCOMPLETE: run the same command again to go on. "
    return f"{state}{rows}: {flagged}. {waiting} for a person.{verdict}"
