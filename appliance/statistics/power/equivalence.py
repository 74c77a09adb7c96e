"""What it takes to be able to clear: TOST of paired differences."""

from __future__ import annotations

import math

from appliance.statistics.power.planned import Planned, crossing, quantiles

SOURCE = "Phillips (1990)"


def equivalence_power(
    margin: float, n: float, sd: float = 1.0, difference: float = 0.0, alpha: float = 0.05
) -> Planned:
    """Probability that n pairs clear: that TOST at `alpha` rejects within ±margin when the true mean
    difference is `difference`. sd: of the differences. The chance that both one-sided tests fail at once is
    left out, which errs to the lower power and matters at low power only. Source: Phillips (1990)."""
    quantiles(alpha, 1, 0.8)
    _check(margin, sd)
    return Planned(
        value=_power(margin, n, sd, difference, alpha), unit="probability", alpha=alpha, source=SOURCE,
        method=f"TOST within ±{margin:g}, n {n:g}, sd {sd:g}, true difference {difference:g}",
    )  # fmt: skip


def equivalence_n(
    margin: float, sd: float = 1.0, difference: float = 0.0, power: float = 0.8, alpha: float = 0.05
) -> Planned:
    """Pairs (not rounded) needed to be able to clear; see `equivalence_power`. Undefined where the true
    difference reaches the margin."""
    quantiles(alpha, 1, power)
    _check(margin, sd)
    found = None
    if abs(difference) < margin:
        found = crossing(lambda n: _power(margin, n, sd, difference, alpha) - power, 3.0, 1e10)
    return Planned(
        value=found, unit="pairs", power=power, alpha=alpha, source=SOURCE,
        method=f"TOST within ±{margin:g}, sd {sd:g}, true difference {difference:g}",
        note="" if found else "the true difference reaches the margin: nothing clears it",
    )  # fmt: skip


def equivalence_margin(n: int, sd: float = 1.0, power: float = 0.8, alpha: float = 0.05) -> Planned:
    """Smallest margin within which n pairs clear when there truly is no difference."""
    quantiles(alpha, 1, power)
    _check(1.0, sd)
    found = crossing(lambda m: _power(m, n, 1.0, 0.0, alpha) - power, 1e-6, 1e9) if n > 1 else None
    return Planned(
        value=None if found is None else found * sd, unit="mean difference", power=power, alpha=alpha,
        method=f"TOST, n {n}, sd {sd:g}", source=SOURCE, note="" if found else "two pairs are the least",
    )  # fmt: skip


def fewest_to_clear(margin: float, largest: float, alpha: float = 0.05) -> int:
    """Independent pairs (templates) below which nothing can be cleared, whatever is found: with fewer, a
    share margin / largest of differences of the largest size could be missing from the sample by chance. See
    `paired.equivalence.equivalent_mean`. Raises ValueError unless 0 < margin <= largest and 0 < alpha < 1."""
    quantiles(alpha, 1, 0.8)
    if not 0 < margin <= largest:
        raise ValueError(f"margin {margin} must be above 0 and at most the largest difference, {largest}")
    return 1 if margin == largest else math.floor(math.log(alpha) / math.log(1 - margin / largest)) + 1


def _check(margin: float, sd: float) -> None:
    if not (math.isfinite(margin) and math.isfinite(sd) and sd > 0):
        raise ValueError(f"margin {margin} and sd {sd}: finite numbers, sd above 0, expected")


def _power(margin: float, n: float, sd: float, difference: float, alpha: float) -> float:
    from scipy.special import ndtr, ndtri
    from scipy.stats import nct, t

    if n <= 1 or margin <= 0:
        return 0.0
    shifts, df = [(margin + sign * difference) / sd * math.sqrt(n) for sign in (1, -1)], n - 1
    if df > 1e5 or max(shifts) > 35:  # the noncentral t is then the normal, and its series fails
        passed = [float(ndtr(shift + ndtri(alpha))) for shift in shifts]
    else:
        passed = [float(nct.sf(t.isf(alpha, df), df, shift)) for shift in shifts]
    return max(0.0, sum(passed) - 1)
