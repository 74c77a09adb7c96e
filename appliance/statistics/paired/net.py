"""Shares of opposite signs: how often one side wins, less how often the other does."""

from __future__ import annotations

from appliance.domain.estimates import EffectSize, Interpretation
from appliance.statistics.arrays import kept, undefined_effect

NET_SOURCE = "Cliff (1993); interval: Bonett and Price (2012)"
# Romano et al. (2006), for Cliff's delta, which this is for pairs.
NET_BOUNDS = (0.147, 0.33, 0.474)


def interpret(size: float, bounds: tuple[float, float, float]) -> Interpretation:
    """The field's word for an absolute effect; each bound belongs to the larger word."""
    words: tuple[Interpretation, ...] = ("negligible", "small", "medium", "large")
    return words[sum(abs(size) >= bound for bound in bounds)]


def net_share(plus: int, minus: int, n: int, n_unscored: int = 0, level: float = 0.95) -> EffectSize:
    """(plus - minus) / n of n independent units, of which n - plus - minus are even.

    It is a difference of paired proportions; its interval is the adjusted Wald interval, which holds for few
    units and few discordant ones, where the plain one is too short. se is the plain one,
    sqrt(((plus + minus)/n - value²)/n). Undefined without units. Raises ValueError for impossible counts.
    Source: Bonett and Price (2012).
    """
    if min(plus, minus) < 0 or plus + minus > n:
        raise ValueError(f"plus {plus} and minus {minus} of {n} units")
    method = f"net difference, {level:.0%} adjusted Wald interval"
    inputs = kept(plus=plus, minus=minus, n=n)
    if n == 0:
        return undefined_effect(method, "nothing was scored", 0, n_unscored, NET_SOURCE, inputs)
    from scipy.stats import norm

    value = (plus - minus) / n
    se = max((plus + minus) / n - value**2, 0.0) ** 0.5 / n**0.5
    up, down = (plus + 1) / (n + 2), (minus + 1) / (n + 2)
    half = norm.ppf((1 + level) / 2) * ((up + down - (up - down) ** 2) / (n + 2)) ** 0.5
    return EffectSize(
        value=value,
        low=max(-1.0, float(up - down - half)),
        high=min(1.0, float(up - down + half)),
        level=level,
        se=se,
        interpretation=interpret(value, NET_BOUNDS),
        n=n,
        n_unscored=n_unscored,
        method=method,
        source=NET_SOURCE,
        inputs=inputs,
    )
