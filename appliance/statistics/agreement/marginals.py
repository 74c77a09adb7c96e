"""How much more often one rater gives a label than the other, from the table of both (see `symmetry`)."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from appliance.domain.base import Frozen
from appliance.domain.estimates import Estimate
from appliance.statistics.agreement.symmetry import square_counts
from appliance.statistics.arrays import Array, kept, undefined


class MarginalDifference(Frozen):
    """How much more often, as a share of items, the first rater gave the label at this position."""

    position: int
    difference: Estimate


def marginal_differences(table: npt.ArrayLike, level: float = 0.95) -> tuple[MarginalDifference, ...]:
    """Per label: share under the first rater minus share under the second.

    The intervals hold together at `level` (Bonferroni over labels; two labels are one question): they say
    which labels Bowker's and Stuart–Maxwell's tests are about. Raises ValueError as `mcnemar`.
    Source: Newcombe (1998), method 10.
    """
    counts = square_counts(table)
    q, n = len(counts), counts.sum()
    questions = q if q > 2 else 1
    found = []
    for k in range(q):
        both, first, second = counts[k, k], counts[k].sum() - counts[k, k], counts[:, k].sum() - counts[k, k]
        square = np.array([[both, first], [second, n - both - first - second]])
        found.append(
            MarginalDifference(position=k, difference=paired_difference(square, level, questions=questions))
        )
    return tuple(found)


def paired_difference(table: npt.ArrayLike, level: float = 0.95, questions: int = 1) -> Estimate:
    """Difference of two paired proportions, (b - c) / n for the table [[a, b], [c, d]].

    questions: intervals that shall hold together at `level` (Bonferroni). Undefined for an empty table.
    Raises ValueError as `mcnemar`. Source: Newcombe (1998), method 10.
    """
    counts = square_counts(table, 2)
    n = int(counts.sum())
    method = f"difference of paired proportions, {level:.0%} score interval"
    source = "Newcombe (1998), method 10"
    if questions > 1:
        method += f", Bonferroni over {questions}"
    inputs = kept(table=counts)
    if n == 0:
        return undefined(method, "nothing was scored by both", 0, 0, source, inputs)
    difference = (counts[0, 1] - counts[1, 0]) / n
    se = float(np.sqrt((counts[0, 1] + counts[1, 0]) / n - difference**2) / np.sqrt(n))
    low, high = _newcombe(counts, (1 - level) / questions)
    return Estimate(
        value=float(difference), low=low, high=high, level=level, se=se, n=n, method=method, source=source,
        inputs=inputs,
    )  # fmt: skip


def odds_ratio(table: npt.ArrayLike, level: float = 0.95) -> Estimate:
    """b / c for the table [[a, b], [c, d]]: how much oftener the first rater alone gives the first label than
    the second alone, with its exact conditional interval. n counts disagreements. Undefined, with a note,
    where c = 0 (its lower bound remains) or there is none. Raises ValueError as `mcnemar`.
    Source: Clopper and Pearson (1934) for b of b + c.
    """
    counts = square_counts(table, 2)
    b, c = int(counts[0, 1]), int(counts[1, 0])
    method, source = f"b/c, exact conditional {level:.0%} interval", "Clopper and Pearson (1934)"
    inputs = kept(table=counts)
    if b + c == 0:
        return undefined(method, "the two never disagree", 0, 0, source, inputs)
    from statsmodels.stats.proportion import proportion_confint

    low, high = proportion_confint(b, b + c, alpha=1 - level, method="beta")
    bounds = (float(low / (1 - low)), None if c == 0 else float(high / (1 - high)))
    return Estimate(
        value=None if c == 0 else b / c, low=bounds[0], high=bounds[1], level=level, n=b + c, method=method,
        source=source, note="infinite: the second never says it alone" if c == 0 else "", inputs=inputs,
    )  # fmt: skip


def _newcombe(counts: Array, alpha: float) -> tuple[float, float]:
    from statsmodels.stats.proportion import proportion_confint

    (a, b), (c, d) = counts.tolist()
    n = a + b + c + d
    first, second = (a + b) / n, (a + c) / n
    low1, high1 = proportion_confint(a + b, n, alpha=alpha, method="wilson")
    low2, high2 = proportion_confint(a + c, n, alpha=alpha, method="wilson")
    margins = (a + b) * (c + d) * (a + c) * (b + d)
    together = a * d - b * c
    phi = (max(together - n / 2, 0.0) if together > 0 else together) / margins**0.5 if margins else 0.0

    def reach(x: float, y: float) -> float:
        return float(max(x * x - 2 * phi * x * y + y * y, 0.0) ** 0.5)

    difference = (b - c) / n
    return (
        max(-1.0, difference - reach(first - low1, high2 - second)),
        min(1.0, difference + reach(high1 - first, second - low2)),
    )
