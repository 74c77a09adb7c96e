"""Bins of probabilities."""

from __future__ import annotations

from typing import Literal

import numpy as np

from appliance.statistics.arrays import Array, Codes

Binning = Literal["width", "mass"]


def places(p: Array, bins: int, binning: Binning) -> Codes:
    """Bin 0..bins-1 of each probability. "width": [i/bins, (i+1)/bins), 1 in the last. "mass": about equally
    many in each, equal probabilities always together. Raises ValueError for fewer than one bin or another
    binning."""
    if bins < 1:
        raise ValueError(f"bins: {bins} is fewer than one")
    if binning == "width":
        # 0.3 of 10 bins is bin 3, though 0.3 * 10 can fall short of 3 by rounding.
        return np.minimum(np.floor(p * bins + 1e-9).astype(np.int64), bins - 1)
    if binning != "mass":
        raise ValueError(f"binning: width or mass expected, found {binning!r}")
    _, which, counts = np.unique(p, return_inverse=True, return_counts=True)
    middle = (np.cumsum(counts) - counts / 2) / max(len(p), 1)
    return np.minimum((middle * bins).astype(np.int64), bins - 1)[which]
