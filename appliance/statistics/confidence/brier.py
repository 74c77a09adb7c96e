"""How good probabilities are as a whole: the Brier score and what it is made of."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from appliance.domain.base import Frozen
from appliance.domain.estimates import Estimate
from appliance.statistics.arrays import Array, Codes, undefined
from appliance.statistics.confidence.bins import Binning, places
from appliance.statistics.confidence.forecasts import Forecasts, forecasts
from appliance.statistics.paired.pairs import Ids
from appliance.statistics.resampling import bootstrap, cluster_sums

SOURCE = "Brier (1950)"


class Brier(Frozen):
    """score = reliability - resolution + uncertainty + within, exactly; all None where nothing was scored.

    reliability: weighted squared gap between stated and observed in a bin, 0 for a calibrated judge.
    resolution: how far the bins' observed rates lie apart, 0 for a judge that knows nothing. uncertainty:
    ȳ(1 - ȳ), the score of always stating the mean. within: what binning leaves, 0 where every bin holds one
    value of p. Sources: Murphy (1973); within bins: Stephenson, Coelho and Jolliffe (2008).
    """

    score: Estimate
    reliability: float | None
    resolution: float | None
    uncertainty: float | None
    within: float | None


def brier(
    p: npt.ArrayLike,
    y: npt.ArrayLike,
    *,
    clusters: Ids | None = None,
    bins: int = 10,
    binning: Binning = "width",
    seed: int = 0,
) -> Brier:
    """Mean of (p - y)², 0 the best, and its decomposition over bins of p (see `reliability`).

    p, y, clusters: as `forecasts`. Raises ValueError as `forecasts`, and for fewer than one bin.
    """
    data = forecasts(p, y, clusters)
    score = _score(data, seed)
    if score.value is None:
        return Brier(score=score, reliability=None, resolution=None, uncertainty=None, within=None)
    reliability, resolution, within = _terms(data, places(data.p, bins, binning))
    mean = float(data.y.mean())
    return Brier(
        score=score, reliability=reliability, resolution=resolution, uncertainty=mean * (1 - mean),
        within=within,
    )  # fmt: skip


def _score(data: Forecasts, seed: int) -> Estimate:
    method, n = "Brier score, 95% BCa bootstrap over clusters", len(data.p)
    if not n:
        return undefined(method, "nothing was scored", 0, data.n_unscored, SOURCE, data.inputs)
    parts = np.stack([(data.p - data.y) ** 2, np.ones(n)], axis=1)
    found = bootstrap(cluster_sums(parts, data.cluster), _mean, method="bca", seed=seed)
    return Estimate(
        value=float(parts[:, 0].mean()), low=found.low, high=found.high, n=n, n_unscored=data.n_unscored,
        method=method, source=SOURCE, note=found.note, inputs=data.inputs,
    )  # fmt: skip


def _mean(sums: Array) -> Array:
    found: Array = sums[:, 0] / sums[:, 1]
    return found


def _terms(data: Forecasts, place: Codes) -> tuple[float, float, float]:
    counts = np.bincount(place)
    used = np.maximum(counts, 1)
    stated, seen = np.bincount(place, data.p) / used, np.bincount(place, data.y) / used
    away, apart = data.p - stated[place], data.y - seen[place]
    return (
        float(counts @ (stated - seen) ** 2 / len(place)),
        float(counts @ (seen - data.y.mean()) ** 2 / len(place)),
        float(np.mean(away**2 - 2 * away * apart)),
    )
