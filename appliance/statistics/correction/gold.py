"""What the gold-corrected rates share: the result, its groups, and the scale that a value cannot leave."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from appliance.domain.base import Frozen
from appliance.domain.estimates import Estimate

Scale = tuple[float, float]


class GroupRate(Frozen):
    """judged: by the judge alone, for comparison; corrected: by the gold labels, or refused with a reason.
    A group whose gold is too thin is not corrected by another group's: a judge that errs more on one group
    is what an audit looks for, and pooled gold would write that error into the result."""

    group: str
    judged: Estimate
    corrected: Estimate


def clipped(
    value: float,
    centre: float,
    half: float,
    scale: Scale,
    *,
    se: float,
    level: float,
    n: int,
    n_unscored: int,
    method: str,
    source: str,
    inputs: Mapping[str, Any],
    note: str = "",
) -> Estimate:
    """The estimate within its scale; a value outside, which sampling error alone can make, is moved to the
    end and named. The interval always holds the value."""
    low, high = scale
    inside = min(max(value, low), high)
    moved = f"{value:.4g} lies outside {low:g}..{high:g} and was moved to the end" if inside != value else ""
    return Estimate(
        value=inside,
        low=max(low, min(inside, centre - half)),
        high=min(high, max(inside, centre + half)),
        level=level,
        se=se,
        n=n,
        n_unscored=n_unscored,
        method=method,
        source=source,
        note="; ".join(text for text in (note, moved) if text),
        inputs=inputs,
    )
