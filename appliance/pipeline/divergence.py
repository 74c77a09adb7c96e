"""The two judges side by side: per record by the configured rule, and over the run."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from appliance.audits.interface import LabelScheme
from appliance.config import DivergenceConfig
from appliance.domain.verdicts import Divergence, Verdict
from appliance.reports.data import RunDivergence
from appliance.statistics.agreement.kappa import agreement, kappa
from appliance.statistics.arrays import Array

Pairs = Sequence[tuple[Verdict, Verdict]]


def compare(scheme: LabelScheme, first: Verdict, second: Verdict, rule: DivergenceConfig) -> Divergence:
    """One record. Where a verdict is missing nothing can be compared: all measures are None, and the
    record is divergent, since one judge has no other to check it."""
    if first.status == "unscored" or second.status == "unscored":
        which = " and ".join(v.judge for v in (first, second) if v.status == "unscored")
        return _divergence(first.record_id, {}, (f"cannot be compared: unscored by {which}",))
    measures = _measures(scheme, first, second)
    return _divergence(first.record_id, measures, tuple(_reasons(first, second, measures, rule)))


def _divergence(record_id: str, measures: dict[str, float | None], reasons: tuple[str, ...]) -> Divergence:
    steps, flags = measures.get("severity_steps"), measures.get("flag_disagreement")
    return Divergence(
        record_id=record_id,
        score_difference=measures.get("score_difference"),
        flag_disagreement=None if flags is None else bool(flags),
        label_agreement=measures.get("label_agreement"),
        severity_steps=None if steps is None else int(steps),
        evidence_overlap=measures.get("evidence_overlap"),
        divergent=bool(reasons),
        reasons=reasons,
    )


def _measures(scheme: LabelScheme, first: Verdict, second: Verdict) -> dict[str, float | None]:
    scores = (first.score, second.score)
    both = [s for s in scores if s is not None]
    shared = [label == second.labels[span] for span, label in first.labels.items()]
    flagged = [{span for span, label in v.labels.items() if label in scheme.flags} for v in (first, second)]
    union = flagged[0] | flagged[1]
    return {
        "score_difference": round(abs(both[0] - both[1]), 6) if len(both) == 2 else None,
        "flag_disagreement": first.flag != second.flag,
        "label_agreement": sum(shared) / len(shared) if shared else None,
        "severity_steps": abs(_level(scheme, first) - _level(scheme, second)),
        "evidence_overlap": len(flagged[0] & flagged[1]) / len(union) if union else 1.0,
    }


def _level(scheme: LabelScheme, verdict: Verdict) -> int:
    """0 for no finding, then the audit's severities in order."""
    return scheme.severities.index(verdict.severity) + 1 if verdict.severity else 0


def _reasons(
    first: Verdict, second: Verdict, measures: dict[str, float | None], rule: DivergenceConfig
) -> list[str]:
    found = []
    score, steps = measures["score_difference"], measures["severity_steps"]
    labels, overlap = measures["label_agreement"], measures["evidence_overlap"]
    if rule.flag_disagreement and measures["flag_disagreement"]:
        found.append(f"only {(first if first.flag else second).judge} flags this record")
    if score is not None and score > rule.score_difference:
        found.append(f"scores differ by {score:.2f}")
    if score is None and (first.score is None) != (second.score is None):
        found.append(f"only {(second if first.score is None else first).judge} finds competence statements")
    if steps is not None and steps >= rule.severity_steps:
        found.append(f"severities are {int(steps)} steps apart")
    if labels is not None and labels < rule.label_agreement:
        found.append(f"the same label for only {labels:.0%} of sentences")
    if overlap is not None and overlap < rule.evidence_overlap and first.flag and second.flag:
        found.append(f"flagged sentences overlap by only {overlap:.0%}")
    return found


def over_run(scheme: LabelScheme, pairs: Pairs, n_records: int, n_divergent: int) -> RunDivergence:
    """Agreement over all records scored by both. The rest counts as unscored in every estimate."""
    scored = [(a, b) for a, b in pairs if a.status == b.status == "scored"]
    missing = n_records - len(scored)
    flags = _confusions([[(int(bool(a.flag)), int(bool(b.flag)))] for a, b in scored], 2)
    labels = _confusions(
        [
            [(scheme.labels.index(x), scheme.labels.index(b.labels[s])) for s, x in a.labels.items()]
            for a, b in scored
        ],
        len(scheme.labels),
    )
    severities = _confusions(
        [[(_level(scheme, a), _level(scheme, b))] for a, b in scored], 1 + len(scheme.severities)
    )
    table = flags.sum(axis=0)
    return RunDivergence(
        n_records=n_records,
        n_compared=len(scored),
        n_divergent=n_divergent,
        flag_agreement=agreement(flags, missing),
        flag_kappa=kappa(flags, missing),
        label_agreement=agreement(labels, missing),
        label_kappa=kappa(labels, missing),
        severity_kappa=kappa(severities, missing, weights="quadratic"),
        both_flagged=int(table[1, 1]),
        only_first=int(table[1, 0]),
        only_second=int(table[0, 1]),
        neither=int(table[0, 0]),
    )


def _confusions(cells: list[list[tuple[int, int]]], q: int) -> Array:
    tables = np.zeros((len(cells), q, q))
    for number, pairs in enumerate(cells):
        for i, j in pairs:
            tables[number, i, j] += 1
    return tables
