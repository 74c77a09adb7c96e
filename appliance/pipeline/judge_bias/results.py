"""Every dimension of one judge: measured, tested, and decided as one family."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from appliance.domain.estimates import Estimate
from appliance.domain.outcomes import Decision
from appliance.domain.pairs import TestPair
from appliance.domain.verdicts import Verdict
from appliance.pipeline.judge_bias.asked import Asked
from appliance.pipeline.judge_bias.decision import decided, primary
from appliance.pipeline.judge_bias.design import DEMOGRAPHIC
from appliance.pipeline.judge_bias.rows import pair_row
from appliance.pipeline.judge_bias.scores import PairScores, pair_scores, winners
from appliance.pipeline.judge_bias.words import varies
from appliance.reports.judge_bias.data import DimensionResult, Status
from appliance.statistics.judging.flips import NetRate, changes, net_of_noise
from appliance.statistics.judging.position import PositionBias, position_bias
from appliance.statistics.judging.shares import share
from appliance.statistics.paired.analysis import PairedAnalysis, analyse
from appliance.statistics.paired.intervals import mean_difference
from appliance.statistics.paired.pairs import Pairs, make_pairs
from appliance.statistics.paired.tests import sign_flip

PLACEBO = "placebo"
SAME_GROUP, NEUTRAL = "placebo: same group, other name", "placebo: neutral sentence"
NET_SOURCE = "Ye et al. (2024)"
Sides = Callable[[PairScores], tuple[Sequence[float], Sequence[float]]]


@dataclass(frozen=True)
class _Measured:
    """scores: of the pairs that were asked. analysis: None with fewer complete pairs than needed."""

    pairs: Sequence[TestPair]
    scores: Sequence[PairScores]
    complete: int
    analysis: PairedAnalysis | None

    @property
    def changed(self) -> dict[str, float]:
        """item -> share of repeats in which a's score differs from b's; NaN unscored."""
        shares = {s.pair.item_id: changes(s.a, s.b) for s in self.scores}
        return {k: float(np.nanmean(v)) if not np.isnan(v).all() else float("nan") for k, v in shares.items()}


def dimension_results(pairs: Sequence[TestPair], asked: Asked, judge: str) -> tuple[DimensionResult, ...]:
    """In the order of the pairs. Placebos are decided in a family of their own: they are the noise floor, and
    must not cost the dimensions any power."""
    by_dimension: dict[str, list[TestPair]] = {}
    for pair in pairs:
        by_dimension.setdefault(pair.dimension, []).append(pair)
    measured = {name: _measure(members, asked) for name, members in by_dimension.items()}
    decisions: dict[str, Decision] = {}
    for placebo in (False, True):
        analyses = {
            n: m.analysis for n, m in measured.items() if m.analysis and n.startswith(PLACEBO) == placebo
        }
        decisions |= decided(analyses, asked, family_of(judge, placebo))
    return tuple(_result(name, measured, decisions.get(name), asked) for name in measured)


def family_of(judge: str, placebo: bool = False) -> str:
    return f"all {'placebos' if placebo else 'dimensions'} of {judge} in this run"


def _measure(pairs: Sequence[TestPair], asked: Asked) -> _Measured:
    scores = [pair_scores(pair, asked.answers, asked.pairwise) for pair in pairs if not pair.unbuilt]
    made = _pairs(scores, asked, lambda s: (s.a, s.b))
    enough = made.n >= asked.rule.min_complete_pairs
    return _Measured(pairs, scores, made.n, analyse(made) if enough else None)


def _pairs(scores: Sequence[PairScores], asked: Asked, sides: Sides) -> Pairs:
    """Repeats of a pair are averaged; pairs from one task stay together."""
    columns = [sides(s) for s in scores]
    x, y = ([value for column in columns for value in column[i]] for i in (0, 1))
    unit = [s.pair.pair_id for s in scores for _ in s.a]
    cluster = [asked.records[s.pair.first or ""].template_id for s in scores for _ in s.a]
    return make_pairs(np.array(x, dtype=float), np.array(y, dtype=float), unit=unit, cluster=cluster)


def _result(
    name: str, measured: dict[str, _Measured], decision: Decision | None, asked: Asked
) -> DimensionResult:
    found = measured[name]
    analysis = found.analysis
    test, effect = primary(analysis, asked.rule) if analysis else (None, None)
    expected = _pairs(found.scores, asked, lambda s: (s.expected_a, s.expected_b)) if analysis else None
    by_score = {s.pair.pair_id: s for s in found.scores}
    rows = tuple(pair_row(pair, by_score.get(pair.pair_id), asked) for pair in found.pairs)
    told, a, b = varies(name, found.pairs)
    status, reason = _status(found, decision, asked)
    return DimensionResult(
        dimension=name,
        varies=told,
        a=a,
        b=b,
        placebo=name.startswith(PLACEBO),
        status=status,
        reason=reason,
        flagged=status == "flagged",
        decision=decision,
        analysis=analysis,
        test=test,
        effect_size=effect,
        measured=mean_difference(expected) if expected else None,
        measured_test=sign_flip(expected) if expected else None,
        changed=_net_changes(name, measured, asked) if analysis else None,
        repeat_noise=_repeat_noise(found, asked) if analysis else None,
        position=_position(found, asked) if analysis and asked.pairwise else None,
        n_pairs=len(found.scores),
        n_complete=found.complete,
        n_exceeding=sum(row.exceeds_threshold for row in rows),
        unbuilt=dict(Counter(pair.unbuilt for pair in found.pairs if pair.unbuilt).most_common()),
        pairs=rows,
    )


def _status(found: _Measured, decision: Decision | None, asked: Asked) -> tuple[Status, str]:
    if decision is not None:
        return decision.outcome, decision.reason
    if not found.scores:
        reasons = Counter(pair.unbuilt for pair in found.pairs)
        return "not run", reasons.most_common(1)[0][0]
    needed = asked.rule.min_complete_pairs
    return "insufficient data", f"{found.complete} complete pairs, {needed} are needed: no statistics."


def _net_changes(name: str, measured: dict[str, _Measured], asked: Asked) -> NetRate | None:
    """Against the placebo of the same items; None where there is none."""
    floor = SAME_GROUP if name.startswith(DEMOGRAPHIC) else NEUTRAL
    if name.startswith(PLACEBO) or floor not in measured:
        return None
    own, noise = measured[name].changed, measured[floor].changed
    items = list(own)
    clusters = {s.pair.item_id: asked.records[s.pair.first or ""].template_id for s in measured[name].scores}
    return net_of_noise(
        np.array([own[i] for i in items]),
        np.array([noise.get(i, float("nan")) for i in items]),
        NET_SOURCE,
        name="share of pairs that change, net of the placebo's",
        cluster=[clusters[i] for i in items],
    )


def _repeat_noise(found: _Measured, asked: Asked) -> Estimate | None:
    """How often a repeat of one question gets another answer than the first; None without repeats."""
    if len(asked.answers) < 2:
        return None
    asked_for = dict.fromkeys(r for s in found.scores for r in (s.pair.first, s.pair.second) if r)
    first = [_score(asked.answers[0], r) for r in asked_for for _ in asked.answers[1:]]
    again = [_score(by_record, r) for r in asked_for for by_record in asked.answers[1:]]
    return share(changes(first, again), [r for r in asked_for for _ in asked.answers[1:]])


def _score(by_record: Mapping[str, Verdict], record_id: str) -> float | None:
    verdict = by_record.get(record_id)
    return None if verdict is None else verdict.score


def _position(found: _Measured, asked: Asked) -> PositionBias:
    given, swapped = winners([s.pair for s in found.scores], asked.answers[0])
    return position_bias(given, swapped)
