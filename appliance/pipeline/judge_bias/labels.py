"""How often a judge picks the answer that people call better, where the file of its scores says which."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from appliance.domain.estimates import Estimate
from appliance.domain.pairs import TestPair
from appliance.domain.verdicts import Verdict
from appliance.pipeline.judge_bias.asked import Asked
from appliance.pipeline.judge_bias.design import POSITION
from appliance.pipeline.judge_bias.scores import winners
from appliance.statistics.judging.accuracy import accuracy, accuracy_in_both, accuracy_over_orders
from appliance.statistics.judging.winners import Winner

_LABELS = {"1": Winner.A, "2": Winner.B}


def against_labels(pairs: Sequence[TestPair], asked: Asked) -> dict[str, Estimate]:
    """Accuracy as given, swapped, over both orders, and in both at once; empty without labels."""
    labelled = [(p, _LABELS.get(_label(p, asked))) for p in pairs if p.dimension == POSITION]
    if not asked.pairwise or not any(label for _, label in labelled):
        return {}
    first, second = winners([pair for pair, _ in labelled], asked.answers[0])
    labels = [label for _, label in labelled]
    return {
        "right as given": accuracy(first, labels),
        "right when swapped": accuracy(second, labels),
        "right over both orders": accuracy_over_orders(first, second, labels),
        "right in both orders": accuracy_in_both(first, second, labels),
    }


def own_pairs(pairs: Sequence[TestPair], recorded: bool, held: Mapping[str, Verdict]) -> list[TestPair]:
    """Of recorded scores those pairs that the file has of this judge; all pairs of a judge that was asked."""
    if not recorded:
        return list(pairs)
    items = {record_id.rsplit(" | ", 1)[0] for record_id in held}
    return [pair for pair in pairs if pair.item_id in items]


def _label(pair: TestPair, asked: Asked) -> str:
    record = asked.records.get(pair.first or "")
    return record.metadata.get("label", "") if record else ""
