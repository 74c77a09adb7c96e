"""Records on which a judge does not repeat itself: what it says of them once is chance in part."""

from __future__ import annotations

from collections import defaultdict

from appliance.domain.verdicts import Verdict
from appliance.statistics.judging.score_stability import ScoreStability, score_stability
from appliance.store.reader import Reader


def noisy(reader: Reader, run_id: str, fingerprint: str, limit: float) -> dict[str, str]:
    """record_id -> why its verdict is noise in part; empty without repeats. limit: standard deviation of the
    scores of one record above which it is."""
    answers = answers_of(reader, run_id, fingerprint)
    found = {}
    for record_id, verdicts in answers.items():
        flags = {v.flag for v in verdicts if v.flag is not None}
        if len(flags) > 1:
            flagged = sum(bool(v.flag) for v in verdicts)
            found[record_id] = f"flags it in {flagged} of {len(verdicts)} answers"
    for item in stability(answers, limit).noisy if answers else ():
        found.setdefault(item, f"its scores vary between answers (standard deviation over {limit:g})")
    return found


def stability(answers: dict[str, list[Verdict]], limit: float) -> ScoreStability:
    """Of the scores of all answers to each record."""
    scores = [v.score for verdicts in answers.values() for v in verdicts]
    items = [record_id for record_id, verdicts in answers.items() for _ in verdicts]
    return score_stability([float("nan") if s is None else s for s in scores], items, limit=limit)


def answers_of(reader: Reader, run_id: str, fingerprint: str) -> dict[str, list[Verdict]]:
    """record_id -> every answer of this judge, the first one too; empty where it answered only once."""
    repeats = reader.repeats(run_id, fingerprint)
    found: dict[str, list[Verdict]] = defaultdict(list)
    for repeat in repeats if len(repeats) > 1 else ():
        for record_id, verdict in reader.verdicts(run_id, fingerprint, repeat).items():
            found[record_id].append(verdict)
    return found
