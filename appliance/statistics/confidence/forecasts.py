"""Stated or measured probabilities beside what turned out to be true, checked once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from appliance.statistics import arrays
from appliance.statistics.arrays import Array, Codes
from appliance.statistics.paired.pairs import Ids


@dataclass(frozen=True, eq=False)
class Forecasts:
    """p, y: shape (n,), y 0 or 1. cluster: 0..k-1."""

    p: Array
    y: Array
    cluster: Codes
    n_unscored: int

    @property
    def inputs(self) -> dict[str, Any]:
        return arrays.kept(p=self.p, y=self.y, cluster=self.cluster)


def forecasts(p: npt.ArrayLike, y: npt.ArrayLike, clusters: Ids | None = None) -> Forecasts:
    """p: probability that y is 1 (that the record is flagged, or that the judge is right). y: 1 or 0. NaN in
    either is unscored. clusters: items of one record carry one id. Raises ValueError for p outside 0..1 and
    y other than 0 and 1."""
    stated, true = arrays.scores(p, "p"), arrays.scores(y, "y")
    n = arrays.same_length(p=stated, y=true)
    outside = (stated < 0) | (stated > 1)
    if outside.any():
        raise ValueError(f"p: {stated[outside][0]:g} at position {int(outside.argmax())} is outside 0..1")
    odd = ~np.isnan(true) & (true != 0) & (true != 1)
    if odd.any():
        raise ValueError(f"y: {true[odd][0]:g} at position {int(odd.argmax())} is neither 0 nor 1")
    scored = ~(np.isnan(stated) | np.isnan(true))
    groups = arrays.clusters(clusters, n)[scored]
    groups = arrays.clusters(groups, len(groups))
    return Forecasts(stated[scored], true[scored], groups, int(n - scored.sum()))
