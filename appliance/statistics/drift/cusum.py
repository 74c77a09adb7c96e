"""Has a judge that is asked the same frozen set again and again begun to answer differently?"""

from __future__ import annotations

import math
from typing import Literal

import numpy as np
import numpy.typing as npt
from pydantic import Field

from appliance.domain.base import Frozen
from appliance.domain.estimates import Measured
from appliance.statistics.arrays import Array, kept, scores

SOURCE = "Page (1954); tabular form: Montgomery (2013), section 9.1; self-starting: Hawkins (1987)"
STATES = 201  # of the Markov chain; run lengths are then right to three digits
SETTLED = 200


class Baseline(Frozen):
    """mean and sd of one value a run (the mean score of the frozen set) over n runs known to be in order."""

    mean: float = Field(allow_inf_nan=False)
    sd: float = Field(gt=0, allow_inf_nan=False)
    n: int = Field(ge=2)


class Alarm(Frozen):
    """at: position in the values given. side: "up" if they rose above the baseline's mean."""

    at: int
    side: Literal["up", "down"]


class Cusum(Measured):
    """up, down: both sums after each value, in standard deviations; an unscored one leaves them as they
    were. alarms: each time that a sum passes h. false_alarm_every: mean number of
    runs to a false alarm, of a known baseline. reaction: the same after a shift of one standard deviation."""

    up: tuple[float, ...]
    down: tuple[float, ...]
    alarms: tuple[Alarm, ...]
    false_alarm_every: float
    reaction: float

    @property
    def first_alarm(self) -> int | None:
        return self.alarms[0].at if self.alarms else None


def baseline(values: npt.ArrayLike) -> Baseline:
    """Mean and standard deviation of runs in order, NaN left out. Raises ValueError for fewer than two
    scored values and for values that do not vary: nothing would then be a standard deviation away."""
    found = scores(values, "values")
    found = found[~np.isnan(found)]
    if len(found) < 2 or not np.ptp(found) > 0:
        raise ValueError(f"values: {len(found)} scored, at least two that differ are needed for a baseline")
    return Baseline(mean=float(found.mean()), sd=float(found.std(ddof=1)), n=len(found))


def cusum(
    values: npt.ArrayLike,
    reference: Baseline,
    *,
    k: float = 0.5,
    h: float = 5.0,
    reset: bool = False,
    self_starting: bool = True,
) -> Cusum:
    """Two-sided tabular CUSUM of one value a run: C⁺ = max(0, C⁺ + z - k), C⁻ = max(0, C⁻ - z - k), alarm
    above h, with z in standard deviations of the baseline.

    k: half of the smallest shift that matters; h: the limit. k .5, h 5 raise a false alarm every 465 runs
    and find a shift of one standard deviation after 10; h 4: every 168, after 8. reset: both sums go back to
    0 after an alarm.

    self_starting: z is the normal score of each value's t against the baseline and all values before it, so
    that the stated rate of false alarms holds for a baseline of few runs, at the price of slower and fewer
    true ones. Without, the baseline's mean and standard deviation are taken for the true ones: with 10 runs
    44% of the next 50 runs then hold a false alarm, with 30 24%, where 10% are stated.
    Raises ValueError for k below 0 and h not above 0.
    Sources: Page (1954), Montgomery (2013); self-starting: Hawkins (1987).
    """
    found = scores(values, "values")
    z = _self_starting(found, reference) if self_starting else (found - reference.mean) / reference.sd
    up, down, alarms = _paths(z, k, h, reset)
    lacking = int(np.isnan(found).sum())
    few = f"a baseline of {reference.n} runs taken for certain: false alarms are more frequent than stated"
    kind = "self-starting" if self_starting else "tabular"
    return Cusum(
        up=tuple(up), down=tuple(down), alarms=tuple(alarms), false_alarm_every=run_length(k, h),
        reaction=run_length(k, h, 1.0), n=len(found) - lacking, n_unscored=lacking,
        method=f"two-sided {kind} CUSUM, k {k:g}, h {h:g}", source=SOURCE,
        note=few if reference.n < SETTLED and not self_starting else "",
        inputs=kept(values=found, baseline=reference, k=k, h=h),
    )  # fmt: skip


def _self_starting(values: Array, reference: Baseline) -> Array:
    """Independent standard normal scores where nothing has changed, whatever the baseline's size."""
    from scipy.special import ndtri, stdtr

    mean, n = reference.mean, reference.n
    squares = (n - 1) * reference.sd**2
    z = np.full(len(values), np.nan)
    for at in np.flatnonzero(~np.isnan(values)).tolist():
        away = values[at] - mean
        t = away / math.sqrt(squares / (n - 1) * (1 + 1 / n))
        # In the tail that is small, where the other would round to 1.
        z[at] = math.copysign(float(ndtri(max(stdtr(n - 1, -abs(t)), 1e-300))), t)
        n += 1
        mean += away / n
        squares += away**2 * (n - 1) / n
    return z


def run_length(k: float, h: float, shift: float = 0.0) -> float:
    """Mean number of values until a two-sided CUSUM alarms, of independent normal values whose mean lies
    `shift` standard deviations off. Raises ValueError for k below 0 and h not above 0.
    Source: Brook and Evans (1972), Markov chain; both sides: Van Dobben de Bruyn (1968)."""
    if not (k >= 0 and 0 < h < math.inf):
        raise ValueError(f"k {k} must not be below 0, and h {h} must be above 0")
    return 1 / (1 / _one_sided(k, h, shift) + 1 / _one_sided(k, h, -shift))


def _one_sided(k: float, h: float, shift: float) -> float:
    from scipy.special import ndtr

    width = 2 * h / (2 * STATES - 1)  # state 0 is half as wide: a sum at 0 stays there
    to = np.arange(STATES) * width
    edges = np.concatenate([[-np.inf], to + width / 2])
    moves = np.diff(ndtr(edges[None, :] - to[:, None] + k - shift), axis=1)
    return float(np.linalg.solve(np.eye(STATES) - moves, np.ones(STATES))[0])


def _paths(z: Array, k: float, h: float, reset: bool) -> tuple[list[float], list[float], list[Alarm]]:
    up, down, alarms = [], [], []
    above = below = 0.0
    for at, value in enumerate(z.tolist()):
        if not math.isnan(value):
            was_above, was_below = above > h, below > h
            above, below = max(0.0, above + value - k), max(0.0, below - value - k)
            if above > h and not was_above:
                alarms.append(Alarm(at=at, side="up"))
            if below > h and not was_below:
                alarms.append(Alarm(at=at, side="down"))
        up.append(above)
        down.append(below)
        if reset and (above > h or below > h):
            above = below = 0.0
    return up, down, alarms
