"""What may be said of one hypothesis: four outcomes, never two."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from appliance.domain.base import Frozen
from appliance.domain.estimates import Estimate, Significance

Outcome = Literal["flagged", "clear", "inconclusive", "insufficient data"]


class Hypothesis(Frozen):
    """One question of a family, measured and not yet decided.

    effect: on a scale where 0 is "no difference" (a difference, a log ratio, an interaction contrast).
    margin: on the same scale, the smallest absolute effect that matters, fixed beforehand by the owner.
    test: two-sided test of effect = 0. equivalence: TOST of |effect| < margin, None where it cannot be made.
    n: units scored in the smaller group (or pairs); min_n: fewer are insufficient data. unscored_share: of
    the group in which most is unscored; None where that is not known, and all unscored units are then taken
    to belong to the smaller group. reach: how far the effect could move if everything was unscored (4 for
    paired scores of 1 to 5, 2 for a difference of two rates); None where the scale has no bounds.
    """

    name: str
    effect: Estimate
    margin: float = Field(gt=0, allow_inf_nan=False)
    test: Significance
    equivalence: Significance | None
    n: int = Field(ge=0)
    min_n: int = Field(ge=1)
    unscored_share: float | None = Field(default=None, ge=0, le=1)
    reach: float | None = Field(default=None, gt=0)


class Decision(Frozen):
    """The outcome of one hypothesis and what it rests on.

    p_adjusted: Holm within the family. mde: smallest absolute effect on the hypothesis' scale that this
    design detects with the wanted power at the family's strictest level; None without a standard error.
    reason: one sentence for people, written from the numbers.
    """

    hypothesis: Hypothesis
    outcome: Outcome
    p_adjusted: float | None
    mde: float | None
    reason: str


class FamilyDecision(Frozen):
    """Every hypothesis of one declared family, decided together.

    family: what was declared to belong together, in words. alpha: family-wise error rate.
    """

    family: str
    alpha: float
    adjustment: str
    decisions: tuple[Decision, ...]
