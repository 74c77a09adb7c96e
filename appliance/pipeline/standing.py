"""How far a judge can be believed, said from its own results in this run.

fit is reached only through calibration against people's labels (at least 50, lower bound of kappa at least
0.7); a run by itself can only show that a judge is unfit, or leave it unproven.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping

import numpy as np

from appliance.domain.estimates import Estimate
from appliance.domain.records import IntendedLabel
from appliance.domain.verdicts import Verdict
from appliance.reports.data import JudgeStanding
from appliance.statistics.agreement.kappa import kappa

REQUIRED_KAPPA = 0.7
DEGENERATE_SHARE = 0.95
MIN_RECORDS = 8  # fewer cannot show that a judge always says the same
MIN_LABELS = 20
MIN_REASONS = 20
_SENTENCE, _CONTEXT = re.compile(r"S\d+"), re.compile(r"C\d+")
SAME_REASONS = 0.25  # different reasons per finding, at most, of a judge that repeats itself


def standing(
    judge: str, verdicts: Mapping[str, Verdict], labels: Mapping[str, IntendedLabel]
) -> JudgeStanding:
    """verdicts, labels: by record_id; labels may be empty."""
    scored = [v for v in verdicts.values() if v.status == "scored"]
    reasons = _failures_to_answer(list(verdicts.values())) + _sameness(scored)
    measured = _against_labels(verdicts, labels) if labels else None
    if measured is not None:
        reasons += _misses(measured)
    if reasons:
        return _made(judge, "unfit", reasons, measured)
    reason = "it has not been calibrated against labels made by people (50 or more)"
    return _made(judge, "unproven", [reason], measured)


def _made(judge: str, level: str, reasons: list[str], measured: Estimate | None) -> JudgeStanding:
    return JudgeStanding.model_validate(
        {"judge": judge, "level": level, "reasons": reasons, "agreement_with_labels": measured}
    )


def _failures_to_answer(verdicts: list[Verdict]) -> list[str]:
    unscored = sum(v.status == "unscored" for v in verdicts)
    if verdicts and unscored * 2 >= len(verdicts):
        return [f"it left {unscored} of {len(verdicts)} records unscored"]
    return []


def _sameness(scored: list[Verdict]) -> list[str]:
    """A judge that says the same of every text keeps the format and ignores the text."""
    if len(scored) < MIN_RECORDS:
        return []
    found = []
    flagged = sum(bool(v.flag) for v in scored)
    if max(flagged, len(scored) - flagged) >= DEGENERATE_SHARE * len(scored):
        what = "flags" if flagged * 2 > len(scored) else "flags nothing in"
        count = max(flagged, len(scored) - flagged)
        found.append(f"it {what} {count} of {len(scored)} records, whatever they say")
    asked = [(s, label) for v in scored for s, label in v.labels.items() if not _CONTEXT.fullmatch(s)]
    counts = Counter(label for _, label in asked)
    if not counts:  # verdicts given earlier come without labels
        return found
    label, most = counts.most_common(1)[0]
    if most >= DEGENERATE_SHARE * counts.total():
        what = "sentences" if _SENTENCE.fullmatch(asked[0][0]) else "questions"
        found.append(f"it answers {label} for {most} of {counts.total()} {what}")
    return found + _same_reasons(scored)


def _same_reasons(scored: list[Verdict]) -> list[str]:
    reasons = [finding.rationale for v in scored for finding in v.findings]
    if len(reasons) < MIN_REASONS or len(set(reasons)) > SAME_REASONS * len(reasons):
        return []
    return [f"it gives only {len(set(reasons))} different reasons for {len(reasons)} findings"]


def _against_labels(verdicts: Mapping[str, Verdict], labels: Mapping[str, IntendedLabel]) -> Estimate:
    """Kappa of the bias flag against the labels that came with the records."""
    pairs = [(labels[k].bias_flag, v.flag) for k, v in verdicts.items() if k in labels and v.flag is not None]
    tables = np.zeros((len(pairs), 2, 2))
    for number, (intended, flag) in enumerate(pairs):
        tables[number, int(intended), int(bool(flag))] = 1
    return kappa(tables, n_unscored=len(labels) - len(pairs))


def _misses(measured: Estimate) -> list[str]:
    if measured.n < MIN_LABELS or measured.value is None:
        return []
    lower = measured.value if measured.low is None else measured.low
    if lower >= REQUIRED_KAPPA:
        return []
    interval = "" if measured.low is None else f" (95% interval {measured.low:.2f} to {measured.high:.2f})"
    return [
        f"the kappa of its flags with the intended labels is {measured.value:.2f}{interval}; "
        f"its lower bound must reach {REQUIRED_KAPPA}"
    ]
