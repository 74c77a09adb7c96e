"""Equivalence of paired means, for differences that are skewed or hardly vary."""

from __future__ import annotations

import math

import numpy as np
from pydantic import Field, FiniteFloat
from scipy.special import stdtr

from appliance.domain.base import Frozen
from appliance.domain.estimates import Estimate, Significance
from appliance.statistics.arrays import Array
from appliance.statistics.equivalence import equivalence_without_variation, tost
from appliance.statistics.paired.pairs import Pairs
from appliance.statistics.paired.tests import mean_and_error

SOURCE = "Schuirmann (1987), Hall (1992)"


class Shape(Frozen):
    """What a mean's distribution rests on. clusters: of pairs, each pair one where they are independent. A
    template's pairs may differ in what is common, and still agree in what is rare.
    df: of its t, None for fewer than two clusters. skewness: of the mean, the differences' over √n."""

    clusters: int = Field(ge=0)
    df: FiniteFloat | None
    skewness: FiniteFloat


def shape(pairs: Pairs) -> Shape:
    k = len(pairs.cluster_sizes)
    if k < 2:
        return Shape(clusters=k, df=None, skewness=0.0)
    mean, se, df = mean_and_error(pairs)
    if not se > 0:
        return Shape(clusters=k, df=df, skewness=0.0)
    away = pairs.cluster_sums - pairs.cluster_sizes * mean
    skewness = math.fsum(away**3) / math.fsum(away**2) ** 1.5
    return Shape(clusters=k, df=df, skewness=skewness)


def equivalent_mean(mean: Estimate, form: Shape, margin: float, largest: float | None = None) -> Significance:
    """Test of |mean difference| < margin; its p is the largest of three.

    TOST with t alone is fooled by a difference that is large, rare and not in the sample, and by the skewness
    of a sample that has it: means that just reach the margin pass in up to 19% of samples of 20 to 200 pairs
    of 1–5 scores instead of 5%. Hence also TOST with t corrected for skewness, and, where the scale is
    bounded, the chance to see none of those differences of `largest` that would bring the mean to the margin.
    They then pass in at most 6%. The bound asks for some 60 pairs at a margin of 0.2 on 1–5 scores, 30 at
    0.4; from 100 pairs on the power where there is no effect is nearly that of TOST alone.

    largest: largest absolute difference that the scale allows (4 on 1–5), None where it is unbounded: rare
    differences are then not guarded against, and differences that do not vary have no test.
    Raises ValueError for a margin that is not above 0 or is above `largest`.
    Sources: Schuirmann (1987); skewness: Hall (1992); the bound: `equivalence_without_variation`.
    """
    n, missing = mean.n, mean.n_unscored
    plain = tost(mean.value, mean.se, form.df, margin, n=n, n_unscored=missing)
    if largest is None or mean.value is None or form.df is None:
        return plain if plain.p is None else _no_less(plain, _skewed(mean, form, margin))
    rare = equivalence_without_variation(
        mean.value, largest, margin, n=form.clusters, n_unscored=missing
    ).model_copy(update={"n": n})
    if plain.p is None:
        return rare
    # Undefined where the mean reaches the margin, and then it is no evidence for either.
    return _no_less(plain, max(_skewed(mean, form, margin), 1.0 if rare.p is None else rare.p))


def _skewed(mean: Estimate, form: Shape, margin: float) -> float:
    t = (np.array([mean.value]) + np.array([margin, -margin])) / np.array([mean.se])
    above, below = _symmetric(t, form.skewness)
    return float(max(stdtr(form.df, -above), stdtr(form.df, below)))


def _symmetric(t: Array, a: float) -> Array:
    """t of a skewed mean on a scale where it is nearly symmetric. Source: Hall (1992)."""
    found: Array = t + a * t**2 / 3 + a**2 * t**3 / 27 + a / 6
    return found


def _no_less(test: Significance, p: float) -> Significance:
    method = f"{test.method}, corrected for skewness and for what is rare"
    return test.model_copy(update={"p": max(test.p or 0.0, p), "method": method, "source": SOURCE})
