"""A difference of two groups in units of their spread."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from appliance.domain.estimates import EffectSize, Estimate
from appliance.statistics.arrays import scores, undefined_effect
from appliance.statistics.paired.effects import COHEN_BOUNDS
from appliance.statistics.paired.net import interpret

SOURCE = "Cohen (1988)"


def cohen_d_of_groups(effect: Estimate, group: npt.ArrayLike, rest: npt.ArrayLike) -> EffectSize:
    """The difference `effect` over the pooled standard deviation of the two groups' scores, NaN unscored. Its
    interval is that of the difference over the same standard deviation, whose own error is left out.
    Undefined where the difference is, with fewer than two scores in either group, and where nothing varies.
    Source: Cohen (1988)."""
    a, b = (v[~np.isnan(v)] for v in (scores(group, "group"), scores(rest, "rest")))
    method = "Cohen's d, pooled standard deviation"
    few = min(len(a), len(b)) < 2
    sd = 0.0 if few else math.sqrt(float((a.var() * len(a) + b.var() * len(b)) / (len(a) + len(b) - 2)))
    if effect.value is None or not sd > 0:
        note = effect.note if effect.value is None else "too few scores" if few else "no score varies"
        note = note or "no difference was measured"
        return undefined_effect(method, note, effect.n, effect.n_unscored, SOURCE)
    bounds = [None if bound is None else bound / sd for bound in (effect.low, effect.high)]
    value = effect.value / sd
    return EffectSize(
        value=value, low=bounds[0], high=bounds[1], level=effect.level, method=method, source=SOURCE,
        interpretation=interpret(value, COHEN_BOUNDS), note=effect.note, n=effect.n,
        n_unscored=effect.n_unscored,
    )  # fmt: skip
