"""Every dimension of one judge: measured, tested, and decided as one family."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np

from appliance.domain.estimates import Estimate
from appliance.domain.outcomes import Decision
from appliance.domain.pairs import TestPair
from appliance.domain.verdicts import Verdict
from appliance.pipeline.judge_bias.asked import Asked
from appliance.pipeline.judge_bias.decision import decided, primary
from appliance.pipeline.judge_bias.design import DEMOGRAPHIC
from appliance.pipeline.judge_bias.measured import Measured, cluster_of, make, measure
from appliance.pipeline.judge_bias.mitigation import afterwards
from appliance.pipeline.judge_bias.rows import pair_row
from appliance.pipeline.judge_bias.scores import winners
from appliance.pipeline.judge_bias.words import varies
from appliance.reports.judge_bias.data import DimensionResult, Status
from appliance.statistics.judging.flips import NetRate, changes, net_of_noise
from appliance.statistics.judging.position import PositionBias, position_bias
from appliance.statistics.judging.shares import share
from appliance.statistics.paired.intervals import mean_difference
from appliance.statistics.paired.tests import sign_flip

PLACEBO = "placebo"
SAME_GROUP, NEUTRAL = "placebo: same group, other name", "placebo: neutral sentence"
NET_SOURCE = "Ye et al. (2024)"


def dimension_results(pairs: Sequence[TestPair], asked: Asked, judge: str) -> tuple[DimensionResult, ...]:
    """In the order of the pairs. Placebos are decided in a family of their own: they are the noise floor, and
    must not cost the dimensions any power."""
    by_dimension: dict[str, list[TestPair]] = {}
    for pair in pairs:
        by_dimension.setdefault(pair.dimension, []).append(pair)
    measured = {name: measure(members, asked) for name, members in by_dimension.items()}
    decisions: dict[str, Decision] = {}
    for placebo in (False, True):
        analyses = {
            n: m.analysis for n, m in measured.items() if m.analysis and n.startswith(PLACEBO) == placebo
        }
        decisions |= decided(analyses, asked, family_of(judge, placebo))
    asked_for = {n: m for n, m in measured.items() if not n.startswith(PLACEBO)}
    after = afterwards(asked_for, asked, family_of(judge))
    return tuple(
        _result(name, measured, decisions.get(name), asked).model_copy(update={"after": after.get(name)})
        for name in measured
    )


def not_cleared(results: Sequence[DimensionResult]) -> tuple[DimensionResult, ...]:
    """Of a judge that says the same to nearly everything, nothing is clear: it has not been seen to judge."""
    why = " But this judge gives one answer to nearly everything, so that no bias could have shown."
    return tuple(
        r.model_copy(
            update={
                "status": "inconclusive",
                "reason": r.reason + why,
                "decision": r.decision.model_copy(update={"outcome": "inconclusive"}) if r.decision else None,
            }
        )
        if r.status == "clear"
        else r
        for r in results
    )


def family_of(judge: str, placebo: bool = False) -> str:
    return f"all {'placebos' if placebo else 'dimensions'} of {judge} in this run"


def _result(
    name: str, measured: dict[str, Measured], decision: Decision | None, asked: Asked
) -> DimensionResult:
    found = measured[name]
    analysis = found.analysis
    test, effect = primary(analysis, asked.rule) if analysis else (None, None)
    expected = make(found.scores, asked, lambda s: (s.expected_a, s.expected_b)) if analysis else None
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
        after=None,
        position=_position(found, asked) if analysis and asked.pairwise else None,
        n_pairs=len(found.scores),
        n_complete=found.complete,
        n_exceeding=sum(row.exceeds_threshold for row in rows),
        unbuilt=dict(Counter(pair.unbuilt for pair in found.pairs if pair.unbuilt).most_common()),
        pairs=rows,
    )


def _status(found: Measured, decision: Decision | None, asked: Asked) -> tuple[Status, str]:
    if decision is not None:
        return decision.outcome, decision.reason
    if not found.scores:
        reasons = Counter(pair.unbuilt for pair in found.pairs)
        return "not run", reasons.most_common(1)[0][0]
    needed = asked.rule.min_complete_pairs
    return "insufficient data", f"{found.complete} complete pairs, {needed} are needed: no statistics."


def _net_changes(name: str, measured: dict[str, Measured], asked: Asked) -> NetRate | None:
    """Against the placebo of the same items; None where there is none."""
    floor = SAME_GROUP if name.startswith(DEMOGRAPHIC) else NEUTRAL
    if name.startswith(PLACEBO) or floor not in measured:
        return None
    own, noise = measured[name].changed, measured[floor].changed
    items = list(own)
    clusters = {s.pair.item_id: cluster_of(s.pair, asked) for s in measured[name].scores}
    return net_of_noise(
        np.array([own[i] for i in items]),
        np.array([noise.get(i, float("nan")) for i in items]),
        NET_SOURCE,
        name="share of pairs that change, net of the placebo's",
        cluster=[clusters[i] for i in items],
    )


def _repeat_noise(found: Measured, asked: Asked) -> Estimate | None:
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


def _position(found: Measured, asked: Asked) -> PositionBias:
    given, swapped = winners([s.pair for s in found.scores], asked.answers[0])
    return position_bias(given, swapped)
