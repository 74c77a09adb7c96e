"""Many tests at once: Holm over a confirmatory family, Benjamini–Hochberg for exploration.

A test without a p (None) stays None and still counts among the tests made: it was declared, and leaving it
out would make the others easier to pass.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np

from appliance.statistics.arrays import Array

HOLM_SOURCE = "Holm (1979)"
BH_SOURCE = "Benjamini and Hochberg (1995)"


def holm(p: Sequence[float | None]) -> tuple[float | None, ...]:
    """p-values adjusted by Holm's step-down rule, in the order given: p_adjusted < alpha for any keeps the
    family-wise error rate at alpha, whatever the dependence. Raises ValueError for p outside 0..1.
    Source: Holm (1979), through statsmodels."""
    return _adjusted(p, "holm")


def benjamini_hochberg(p: Sequence[float | None]) -> tuple[float | None, ...]:
    """q-values in the order given, monotone in p (cumulative minimum from the largest).
    Source: Benjamini and Hochberg (1995), through statsmodels."""
    return _adjusted(p, "fdr_bh")


def _adjusted(p: Sequence[float | None], method: Literal["holm", "fdr_bh"]) -> tuple[float | None, ...]:
    for place, value in enumerate(p):
        if value is not None and not 0 <= value <= 1:
            raise ValueError(f"p at position {place} is {value}, outside 0..1")
    if not p:
        return ()
    from statsmodels.stats.multitest import multipletests

    # An undefined p enters as 1: the least that a test can show.
    filled = np.array([1.0 if value is None else value for value in p])
    adjusted: Array = multipletests(filled, method=method)[1]
    return tuple(None if value is None else float(q) for value, q in zip(p, adjusted, strict=True))
