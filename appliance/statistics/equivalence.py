"""Equivalence: showing that an effect is smaller than what matters."""

from __future__ import annotations

import math

from scipy.special import ndtr, stdtr

from appliance.domain.estimates import Significance
from appliance.statistics.arrays import kept, untestable

TOST_SOURCE = "Schuirmann (1987)"


def tost(
    effect: float | None,
    se: float | None,
    df: float | None,
    margin: float,
    *,
    n: int,
    n_unscored: int = 0,
    unit: str = "",
) -> Significance:
    """Two one-sided tests of |effect| < margin; p is the larger of the two one-sided p.

    effect, se, margin: on one scale on which 0 is "no difference". df: of the t distribution, None for the
    normal. p < 0.05 exactly when the 90% interval effect ± t·se lies inside ±margin. `statistic` is the one
    of the larger p, signed as effect -/+ margin over se. Undefined without a standard error above 0:
    measurements that do not vary show no precision. Raises ValueError for a margin or df that is not above 0
    and for an effect, se or margin that is not finite.
    Source: Schuirmann (1987).
    """
    for name, value in (("margin", margin), ("df", df)):
        if value is not None and not value > 0:
            raise ValueError(f"{name}: {value} is not above 0")
    for name, value in (("effect", effect), ("se", se), ("margin", margin)):
        if value is not None and not math.isfinite(value):
            raise ValueError(f"{name}: {value} is not finite")
    method = f"TOST within ±{margin:g}{f' {unit}' if unit else ''} ({'normal' if df is None else 't'})"
    inputs = kept(effect=effect, se=se, df=df, margin=margin)
    if effect is None or se is None or not se > 0:
        note = "no effect was measured" if effect is None else "no standard error: precision is unknown"
        return untestable(method, note, n, n_unscored, TOST_SOURCE, inputs)
    above, below = (effect + margin) / se, (effect - margin) / se
    # effect <= -margin is rejected by a large `above`, effect >= margin by a small `below`.
    p_above, p_below = (float(ndtr(q) if df is None else stdtr(df, q)) for q in (-above, below))
    return Significance(
        statistic=above if p_above > p_below else below,
        p=max(p_above, p_below),
        df=df,
        alternative="less",
        n=n,
        n_unscored=n_unscored,
        method=method,
        source=TOST_SOURCE,
        inputs=inputs,
    )


def equivalence_without_variation(
    value: float, largest: float, margin: float, *, n: int, n_unscored: int = 0
) -> Significance:
    """Test of |mean| < margin where all n independent differences were equal to `value`, so that no standard
    error exists. A judge that never changes its answer in 200 pairs has shown something; TOST cannot say it.

    largest: the largest absolute difference that the scale allows (4 on a scale of 1 to 5). If the mean were
    margin or more away from 0, a share of at least (margin - |value|) / (largest - |value|) of differences
    would lie elsewhere; p = (1 - share)^n bounds the chance to see none of them. Undefined, with a note,
    where |value| reaches the margin or nothing was scored. Raises ValueError unless 0 < margin <= largest.
    Source: the exact binomial bound of no event in n (Clopper and Pearson 1934).
    """
    if not 0 < margin <= largest:
        raise ValueError(f"margin {margin} must be above 0 and at most the largest difference, {largest}")
    method = f"exact bound within ±{margin:g}, differences of at most {largest:g}"
    source = "Clopper and Pearson (1934)"
    inputs = kept(value=value, largest=largest, margin=margin)
    if not n or abs(value) >= margin:
        note = "all differences reach the margin" if n else "nothing was scored"
        return untestable(method, note, n, n_unscored, source, inputs)
    share = (margin - abs(value)) / (largest - abs(value))
    return Significance(
        statistic=share,
        p=(1 - share) ** n,
        alternative="less",
        n=n,
        n_unscored=n_unscored,
        method=method,
        source=source,
        inputs=inputs,
    )
