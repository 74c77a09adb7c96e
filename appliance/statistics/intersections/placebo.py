"""The noise floor: what sham attributes and same-group pairs already show."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from appliance.domain.estimates import Estimate, Significance
from appliance.statistics import arrays
from appliance.statistics.arrays import kept, undefined, untestable

PLACEBO_SOURCE = "Abadie et al. (2010)"


def noise_floor(placebo: npt.ArrayLike, level: float = 0.95) -> Estimate:
    """The absolute effect that a share `level` of placebos stays at or under: the ⌈(N + 1)·level⌉-th
    smallest. Undefined for so few placebos that this is beyond the largest (fewer than 19 for 95%). Raises
    ValueError for a level outside 0..1."""
    if not 0 < level < 1:
        raise ValueError(f"level: {level} is not between 0 and 1")
    effects = arrays.scores(placebo, "placebo")
    sizes = np.sort(np.abs(effects[~np.isnan(effects)]))
    method, n = f"noise floor, {level:.0%} of placebos", len(sizes)
    missing, inputs = len(effects) - n, kept(placebo=effects)
    place = math.ceil(round((n + 1) * level, 9))
    if place > n:
        need = math.ceil(round(level / (1 - level), 9))
        note = f"{n} placebos; {need} are needed at this level"
        return undefined(method, note, n, missing, PLACEBO_SOURCE, inputs)
    return Estimate(
        value=float(sizes[place - 1]), low=None, high=None, n=n, n_unscored=missing, method=method,
        source=PLACEBO_SOURCE, inputs=inputs,
    )  # fmt: skip


def against_placebos(effect: float, placebo: npt.ArrayLike, alpha: float = 0.05) -> Significance:
    """Rank of |effect| among placebos that share its design: p = (1 + #{|placebo| >= |effect|}) / (1 + N).
    Undefined where even the largest effect could not reach alpha (N < 19 at 5%). Raises ValueError for an
    effect that is not finite. Source: Abadie et al. (2010), as a permutation test."""
    _check(effect)
    effects = arrays.scores(placebo, "placebo")
    sizes = np.abs(effects[~np.isnan(effects)])
    n, missing, inputs = len(sizes), int(np.isnan(effects).sum()), kept(effect=effect, placebo=effects)
    method = f"rank among {n} placebos"
    if 1 / (1 + n) > alpha + 1e-12:
        note = f"{n} placebos; {math.ceil(round(1 / alpha, 9)) - 1} are needed at {alpha:.0%}"
        return untestable(method, note, n, missing, PLACEBO_SOURCE, inputs)
    reached = int((sizes >= abs(effect) * (1 - 1e-12)).sum())
    return Significance(
        statistic=abs(effect), p=(1 + reached) / (1 + n), n=n, n_unscored=missing, method=method,
        source=PLACEBO_SOURCE, inputs=inputs,
    )  # fmt: skip


def net_of_placebos(effect: float, placebo: npt.ArrayLike, level: float = 0.95) -> Estimate:
    """|effect| less the noise floor: by how much it stands out, 0 or below where it does not. Undefined where
    the floor is. Raises ValueError as those two. Source: Abadie et al. (2010)."""
    _check(effect)
    floor = noise_floor(placebo, level)
    if floor.value is None:
        return floor.model_copy(update={"method": f"net of the {floor.method}"})
    return floor.model_copy(
        update={"value": abs(effect) - floor.value, "method": f"net of the {floor.method}"}
    )


def _check(effect: float) -> None:
    if not math.isfinite(effect):
        raise ValueError(f"effect: {effect} is not finite")
