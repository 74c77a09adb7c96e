"""From verdicts to the two scores of every test pair: winners are mapped back before anything is counted."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from appliance.domain.pairs import TestPair
from appliance.domain.verdicts import Verdict
from appliance.pipeline.judge_bias.design import POSITION
from appliance.statistics.judging.winners import Shown, Winner, map_back

NAN = float("nan")
Answers = Sequence[Mapping[str, Verdict]]  # by repeat: record_id -> verdict
_SHOWN = {1.0: Shown.FIRST, 0.0: Shown.SECOND, 0.5: Shown.TIE}


@dataclass(frozen=True)
class PairScores:
    """One value a repeat, in step; NaN where the judge gave none. a, b: the scores; pairwise, the share of
    the two orders that each wins (position: that the first shown and the second shown win), NaN unless both
    orders were answered. expected_a, expected_b: the same from the judge's own probabilities."""

    pair: TestPair
    a: tuple[float, ...]
    b: tuple[float, ...]
    expected_a: tuple[float, ...]
    expected_b: tuple[float, ...]


def pair_scores(pair: TestPair, answers: Answers, pairwise: bool) -> PairScores:
    """Scores of a pair that was asked, over all repeats."""
    found = [(_of(pair.first, by_record), _of(pair.second, by_record)) for by_record in answers]
    both = _sides(pair) if pairwise else lambda first, second: (first, second)
    told = [both(_score(one), _score(two)) for one, two in found]
    expected = [both(_expected(one), _expected(two)) for one, two in found]
    return PairScores(pair, *_columns(told), *_columns(expected))


def winners(
    pairs: Sequence[TestPair], by_record: Mapping[str, Verdict]
) -> tuple[tuple[Winner | None, ...], tuple[Winner | None, ...]]:
    """Of pairs in both orders, as items: a first, and b first."""
    first = [_choice(_of(pair.first, by_record)) for pair in pairs]
    second = [_choice(_of(pair.second, by_record)) for pair in pairs]
    return map_back(first, False), map_back(second, True)


def excluded(pair: TestPair, by_record: Mapping[str, Verdict]) -> str:
    """Why a pair is in no statistic, by the answers that count; "" when it is."""
    if pair.unbuilt:
        return pair.unbuilt
    reasons = []
    for record_id in (pair.first, pair.second):
        verdict = _of(record_id, by_record)
        if verdict is None:
            reasons.append(f"{record_id}: not asked yet")
        elif verdict.score is None:
            reasons.append(f"{record_id}: {verdict.reason or 'no score'}")
    return "; ".join(dict.fromkeys(reasons))


def _of(record_id: str | None, by_record: Mapping[str, Verdict]) -> Verdict | None:
    return by_record.get(record_id) if record_id else None


def _score(verdict: Verdict | None) -> float:
    return NAN if verdict is None or verdict.score is None else verdict.score


def _expected(verdict: Verdict | None) -> float:
    value = verdict.result.get("expected") if verdict is not None else None
    return NAN if value is None else float(value)


def _choice(verdict: Verdict | None) -> Shown | None:
    return None if verdict is None or verdict.score is None else _SHOWN[verdict.score]


def _sides(pair: TestPair) -> Callable[[float, float], tuple[float, float]]:
    """What the first shown won in the two orders -> what a and b won over both."""

    def items(first: float, second: float) -> tuple[float, float]:
        a = (first + (1 - second)) / 2
        return a, 1 - a

    def places(first: float, second: float) -> tuple[float, float]:
        shown_first = (first + second) / 2
        return shown_first, 1 - shown_first

    return places if pair.dimension == POSITION else items


def _columns(told: Sequence[tuple[float, float]]) -> tuple[Any, Any]:
    return tuple(a for a, _ in told), tuple(b for _, b in told)
