"""What mitigations of the scores would have changed, worked out from the answers that were given.

Length normalisation and order randomisation need no further question: every pair was scored on both sides and
in both orders. What changes the question itself (name redaction) is asked, see `design`.
"""

from __future__ import annotations

import math
import random
from collections.abc import Mapping, Sequence

import numpy as np

from appliance.domain.estimates import Estimate, Significance
from appliance.domain.pairs import TestPair
from appliance.pipeline.judge_bias.asked import Asked
from appliance.pipeline.judge_bias.decision import decided
from appliance.pipeline.judge_bias.design import POSITION
from appliance.pipeline.judge_bias.measured import Measured, cluster_of, make
from appliance.pipeline.judge_bias.scores import PairScores
from appliance.reports.judge_bias.data import After
from appliance.statistics.paired.analysis import PairedAnalysis, analyse
from appliance.statistics.paired.intervals import mean_difference
from appliance.statistics.paired.tests import sign_flip

ORDER, LENGTH = "order randomisation", "length normalisation"
PADDED = "length"  # the dimension whose pairs differ in length alone
FOLDS = 2


def afterwards(measured: Mapping[str, Measured], asked: Asked, family: str) -> dict[str, After]:
    """dimension -> what is left of it. Only dimensions that were measured, and that a mitigation concerns."""
    shifts: dict[str, tuple[str, dict[str, float]]] = {}
    if LENGTH in asked.mitigations and not asked.pairwise and PADDED in measured:
        slopes = _slopes(measured[PADDED], asked)
        for name, found in measured.items():
            shifts[name] = LENGTH, {s.pair.pair_id: _excess(s, slopes, asked) for s in found.scores}
    if ORDER in asked.mitigations and asked.pairwise and POSITION in measured:
        drawn = {s.pair.pair_id: _swap(s, asked) for s in measured[POSITION].scores}
        shifts[POSITION] = ORDER, drawn
    analysed = {
        name: _analysed(measured[name], asked, shift)
        for name, (_, shift) in shifts.items()
        if measured[name].analysis is not None
    }
    decisions = decided({n: a for n, (a, _, _) in analysed.items()}, asked, f"{family}, after mitigation")
    return {
        name: After(
            mitigation=shifts[name][0],
            mean=analysis.mean,
            change=change,
            change_test=test,
            decision=decisions[name],
        )
        for name, (analysis, change, test) in analysed.items()
    }


def _analysed(
    found: Measured, asked: Asked, shift: Mapping[str, float]
) -> tuple[PairedAnalysis, Estimate, Significance]:
    """The differences less what the mitigation takes away, and the paired change itself."""

    def left(s: PairScores) -> tuple[Sequence[float], Sequence[float]]:
        return [a - shift[s.pair.pair_id] for a in s.a], s.b

    def change(s: PairScores) -> tuple[Sequence[float], Sequence[float]]:
        gone = [
            -shift[s.pair.pair_id] if not math.isnan(a + b) else math.nan
            for a, b in zip(s.a, s.b, strict=True)
        ]
        return gone, [0.0] * len(gone)

    changes = make(found.scores, asked, change)
    return analyse(make(found.scores, asked, left)), mean_difference(changes), sign_flip(changes)


# Length: what a word is worth is fitted on other tasks than it is taken from


def _slopes(padded: Measured, asked: Asked) -> list[float]:
    """Points per word, for each fold of tasks fitted on the others' padded pairs, through the origin: pairs
    of equal length differ in nothing."""
    rows = [(_fold(s, asked), _words(s.pair, asked), _difference(s)) for s in padded.scores]
    found = []
    for fold in range(FOLDS):
        used = [(w, d) for at, w, d in rows if at != fold and not math.isnan(d)]
        square = sum(w * w for w, _ in used)
        found.append(sum(w * d for w, d in used) / square if square else 0.0)
    return found


def _excess(s: PairScores, slopes: Sequence[float], asked: Asked) -> float:
    """Points of the difference that the lengths alone explain."""
    return slopes[_fold(s, asked)] * _words(s.pair, asked)


def _fold(s: PairScores, asked: Asked) -> int:
    return random.Random(cluster_of(s.pair, asked)).randrange(FOLDS)


def _words(pair: TestPair, asked: Asked) -> int:
    """Words of a less words of b."""
    a, b = (len(asked.records[r].text.split()) if r else 0 for r in (pair.first, pair.second))
    return a - b


def _difference(s: PairScores) -> float:
    both = np.array(s.a) - np.array(s.b)
    return float(np.nanmean(both)) if not np.isnan(both).all() else float("nan")


# Order: with a drawn order the place falls to the one as often as to the other


def _swap(s: PairScores, asked: Asked) -> float:
    """What drawing the order takes away: nothing where the given one is drawn, twice the advantage of the
    first place where the other is."""
    drawn_as_given = random.Random(f"order:{s.pair.pair_id}").random() < 0.5
    return 0.0 if drawn_as_given else 2 * _difference(s)
