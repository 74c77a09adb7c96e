"""Rates of one group, their ratios and their differences."""

from __future__ import annotations

from appliance.domain.estimates import Estimate
from appliance.statistics.arrays import kept, undefined

WILSON = "Wilson 95% interval"
WILSON_SOURCE = "Wilson (1927)"


def rate(successes: int, n: int, n_unscored: int = 0) -> Estimate:
    """A proportion with its Wilson 95% interval; undefined at n = 0. Raises ValueError unless
    0 <= successes <= n.

    Source: Wilson (1927), through statsmodels' proportion_confint.
    """
    if not 0 <= successes <= n:
        raise ValueError(f"{successes} successes of {n}")
    inputs = kept(successes=successes, n=n)
    if n == 0:
        return undefined(WILSON, "nothing was scored", 0, n_unscored, WILSON_SOURCE, inputs)
    from statsmodels.stats.proportion import proportion_confint

    low, high = proportion_confint(successes, n, method="wilson")
    return Estimate(
        value=successes / n,
        low=0.0 if successes == 0 else float(low),  # exact at the ends, where rounding would leave 1e-17
        high=1.0 if successes == n else float(high),
        n=n,
        n_unscored=n_unscored,
        method=WILSON,
        source=WILSON_SOURCE,
        inputs=inputs,
    )
