"""Does one judge score higher than the other over the whole run?"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from appliance.domain.base import Frozen
from appliance.domain.estimates import Estimate, Significance
from appliance.statistics.paired.intervals import mean_difference
from appliance.statistics.paired.pairs import Ids, Pairs, make_pairs
from appliance.statistics.paired.tests import mean_and_error, sign_flip


class Systematic(Frozen):
    """difference: mean of s1 - s2, positive where the first judge scores higher. test: of difference = 0,
    with the degrees of freedom of its interval. size: mean of |s1 - s2|: judges can differ much and yet not
    on average. For labels see `agreement.symmetry`."""

    difference: Estimate
    test: Significance
    size: Estimate


def systematic(
    first: npt.ArrayLike, second: npt.ArrayLike, clusters: Ids | None = None, seed: int = 0
) -> Systematic:
    """Mean signed and absolute difference of two judges' scores of the same records.

    first, second: shape (n,), one scale; NaN is unscored. clusters: template of each record, None where
    records are independent. Intervals, test and where they are undefined: `paired.intervals` and
    `paired.tests`. Raises ValueError for lengths that differ and infinite scores.
    """
    pairs = make_pairs(first, second, cluster=clusters)
    test = sign_flip(pairs, seed)
    if pairs.n and len(pairs.cluster_sums) > 1:
        test = test.model_copy(update={"df": mean_and_error(pairs)[2]})
    apart = np.abs(pairs.differences)
    sizes = Pairs(apart, np.zeros(pairs.n), pairs.cluster, pairs.n_unscored, pairs.n_values_unscored)
    size = mean_difference(sizes)
    return Systematic(
        difference=mean_difference(pairs),
        test=test,
        size=size.model_copy(update={"method": size.method.replace("difference", "absolute difference")}),
    )
