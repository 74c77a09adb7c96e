"""Which records people must look at, each with its reasons. Nothing is decided without them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from appliance.domain.records import SkippedRecord
from appliance.domain.verdicts import Divergence, Verdict

GRAVE = ("HIGH", "CRITICAL")  # severities that people always see
SURE = 0.8  # a flag with less confidence than this goes to people (competence document, gate a)


def review_reasons(
    divergences: Mapping[str, Divergence],
    verdicts: Sequence[Mapping[str, Verdict]],
    skipped: Sequence[SkippedRecord],
    wavering: Sequence[Mapping[str, str]] = (),
) -> dict[str, tuple[str, ...]]:
    """record_id -> reasons, for every record that has any, in input order. wavering: of each judge,
    record_id -> how it contradicts itself there."""
    unread = [s for s in skipped if not s.set_aside]
    found: dict[str, list[str]] = {s.record_id: [f"not judged: {s.reason}"] for s in unread}
    for record_id, divergence in divergences.items():
        own = [reason for by_record in verdicts for reason in _of_verdict(by_record[record_id])]
        own += [
            f"{by_record[record_id].judge} does not repeat itself: {noise[record_id]}"
            for by_record, noise in zip(verdicts, wavering, strict=False)
            if record_id in noise
        ]
        reasons = own + [f"judges diverge: {reason}" for reason in divergence.reasons]
        if reasons:
            found[record_id] = reasons
    return {record_id: tuple(reasons) for record_id, reasons in found.items()}


def _of_verdict(verdict: Verdict) -> list[str]:
    if verdict.status == "unscored":
        return [f"unscored by {verdict.judge}: {verdict.reason}"]
    found = []
    if (verdict.severity or "").upper() in GRAVE:
        found.append(f"{verdict.judge} flags it as {verdict.severity}")
    lowest = min(
        (c for c in (verdict.stated_confidence, verdict.measured_confidence) if c is not None), default=None
    )
    if verdict.flag and (lowest is None or lowest < SURE):
        sure = "unknown confidence" if lowest is None else f"confidence {lowest:.2f}, under {SURE}"
        found.append(f"flagged by {verdict.judge} with {sure}")
    return found
