"""The scores of one dimension's pairs, as the statistics take them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from appliance.domain.pairs import TestPair
from appliance.pipeline.judge_bias.asked import Asked
from appliance.pipeline.judge_bias.scores import PairScores, pair_scores
from appliance.statistics.judging.flips import changes
from appliance.statistics.paired.analysis import PairedAnalysis, analyse
from appliance.statistics.paired.pairs import Pairs, make_pairs

Sides = Callable[[PairScores], tuple[Sequence[float], Sequence[float]]]


@dataclass(frozen=True)
class Measured:
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


def measure(pairs: Sequence[TestPair], asked: Asked) -> Measured:
    scores = [pair_scores(pair, asked.answers, asked.pairwise) for pair in pairs if not pair.unbuilt]
    made = make(scores, asked, lambda s: (s.a, s.b))
    enough = made.n >= asked.rule.min_complete_pairs
    return Measured(pairs, scores, made.n, analyse(made) if enough else None)


def make(scores: Sequence[PairScores], asked: Asked, sides: Sides) -> Pairs:
    """Repeats of a pair are averaged; pairs from one task stay together."""
    columns = [sides(s) for s in scores]
    x, y = ([value for column in columns for value in column[i]] for i in (0, 1))
    unit = [s.pair.pair_id for s in scores for _ in s.a]
    cluster = [cluster_of(s.pair, asked) for s in scores for _ in s.a]
    return make_pairs(np.array(x, dtype=float), np.array(y, dtype=float), unit=unit, cluster=cluster)


def cluster_of(pair: TestPair, asked: Asked) -> str:
    """The task that the pair's answers are to."""
    return asked.records[pair.first or ""].template_id
