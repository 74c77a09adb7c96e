"""How a judge uses its scale: one that always says the same has no bias to be found, and no use."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np

from appliance.domain.estimates import Estimate
from appliance.pipeline.judge_bias.asked import Asked
from appliance.pipeline.judge_bias.design import GIVEN
from appliance.reports.judge_bias.data import DimensionResult, ScoreUse
from appliance.statistics.paired.intervals import mean_difference
from appliance.statistics.paired.pairs import make_pairs

SAME_SHARE = 0.95
MIN_ANSWERS = 20


def score_use(asked: Asked, results: Sequence[DimensionResult]) -> ScoreUse:
    """Over all answers of the first repeat, variants included."""
    scores = [v.score for v in (asked.answers[0] if asked.answers else {}).values() if v.score is not None]
    counts = Counter(f"{score:g}" for score in scores)
    quality = _good_over_bad(asked)
    return ScoreUse(
        counts=dict(sorted(counts.items(), key=lambda pair: float(pair[0]))),
        good_over_bad=quality,
        constant=bool(sameness := _sameness(counts, asked.pairwise)),
        problems=(*sameness, *_blindness(quality), *_floor(results)),
    )


def _sameness(counts: Counter[str], pairwise: bool) -> list[str]:
    total = counts.total()
    if total < MIN_ANSWERS:
        return []
    score, most = counts.most_common(1)[0]
    if most < SAME_SHARE * total:
        return []
    what = {"1": "chooses the first shown", "0": "chooses the second shown", "0.5": "says tie"}.get(score)
    said = what if pairwise and what else f"gives the score {score}"
    return [f"It {said} in {most} of {total} answers, whatever it is shown: it measures nothing here"]


def _blindness(quality: Estimate | None) -> list[str]:
    """Whether it tells good answers from bad ones, where the user knows which are which."""
    if quality is None or quality.low is None or quality.high is None or quality.low > 0:
        return []
    shown = f"{quality.value:+.2f}, 95% interval {quality.low:+.2f} to {quality.high:+.2f}"
    if quality.high < 0:
        return [f"It scores the bad answers higher than the good ones ({shown})"]
    return [f"It is not shown to tell the good answers from the bad ones ({shown})"]


def _floor(results: Sequence[DimensionResult]) -> list[str]:
    names = [r.dimension for r in results if r.placebo and r.flagged]
    return (
        [f"It reacts to placebos, which differ in nothing that matters ({', '.join(names)})"] if names else []
    )


def _good_over_bad(asked: Asked) -> Estimate | None:
    """Mean score of the good less the bad answer to one task, pointwise, on the answers as given."""
    if asked.pairwise or not asked.answers:
        return None
    by_task: dict[str, dict[str, list[float]]] = {}
    for record in asked.records.values():
        verdict = asked.answers[0].get(record.record_id)
        quality = record.metadata.get("quality", "")
        if record.metadata.get("what") == GIVEN and quality and verdict is not None:
            value = float("nan") if verdict.score is None else verdict.score
            by_task.setdefault(record.template_id, {}).setdefault(quality, []).append(value)
    both = [task for task in by_task.values() if len(task) == 2]
    if len(both) < 2:
        return None
    mean = {q: np.array([np.mean(task[q]) for task in both]) for q in ("good", "bad")}
    return mean_difference(make_pairs(mean["good"], mean["bad"]))
