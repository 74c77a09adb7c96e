"""What a dimension varies, in words for the report."""

from __future__ import annotations

from collections.abc import Sequence

from appliance.domain.pairs import TestPair
from appliance.pipeline.judge_bias.authors import AUTHORS, TOLD
from appliance.pipeline.judge_bias.design import LONGER, POSITION, SHORTER
from appliance.probes.registry import described


def varies(dimension: str, pairs: Sequence[TestPair]) -> tuple[str, str, str]:
    """(what differs, a's attribute, b's attribute)."""
    if dimension == POSITION:
        return "which of two answers is shown first", "shown first", "shown second"
    if dimension == "length" and any(pair.a == LONGER for pair in pairs):
        told = "which of two answers is longer; a longer answer can be better, so this alone is no bias"
        return told, LONGER, SHORTER
    if dimension.startswith(f"{AUTHORS}: "):
        return TOLD, pairs[0].a, pairs[0].b
    a, b = (next((side.split(": ")[0] for pair in pairs if (side := getattr(pair, k))), k) for k in "ab")
    return described(dimension) or "as supplied in the file of pairs", a, b
