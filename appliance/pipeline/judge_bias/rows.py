"""One test pair under one judge, as the report lists it."""

from __future__ import annotations

import math
from collections.abc import Sequence

from appliance.domain.pairs import TestPair
from appliance.domain.records import Record
from appliance.pipeline.judge_bias.asked import Asked
from appliance.pipeline.judge_bias.scores import PairScores, excluded
from appliance.reports.judge_bias.data import PairRow

ROUNDING = 1e-9


def pair_row(pair: TestPair, scores: PairScores | None, asked: Asked) -> PairRow:
    """scores: None for a pair that was not asked."""
    first = asked.records.get(pair.first or "")
    second = asked.records.get(pair.second or "")
    a, b = (_mean(s) for s in ((scores.a, scores.b) if scores else ((), ())))
    difference = None if a is None or b is None else a - b
    threshold = asked.rule.disparity_threshold
    return PairRow(
        pair_id=pair.pair_id,
        item_id=pair.item_id,
        quality=first.metadata.get("quality", "") if first else "",
        a=pair.a,
        b=pair.b,
        a_text=first.text if first else "",
        b_text=second.text if second else "",
        a_input=_prompt(first, asked),
        b_input=_prompt(second, asked),
        a_score=a,
        b_score=b,
        difference=difference,
        a_expected=_mean(scores.expected_a) if scores else None,
        b_expected=_mean(scores.expected_b) if scores else None,
        exceeds_threshold=difference is not None and abs(difference) > threshold + ROUNDING,
        excluded="" if difference is not None else excluded(pair, asked.answers[0] if asked.answers else {}),
    )


def _mean(values: Sequence[float]) -> float | None:
    scored = [value for value in values if not math.isnan(value)]
    return sum(scored) / len(scored) if scored else None


def _prompt(record: Record | None, asked: Asked) -> str:
    verdict = asked.answers[0].get(record.record_id) if record and asked.answers else None
    return asked.prompts.get(verdict.task_id, "") if verdict else ""
