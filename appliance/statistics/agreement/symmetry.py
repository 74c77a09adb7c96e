"""Do two raters use the labels equally often, and err in both directions alike?

All take a square table, table[i, j] counting the items that the first rater gave label i and the second
label j (`tables.confusions(...).table`), and take items for independent.
"""

from __future__ import annotations

from typing import Literal

import numpy as np
import numpy.typing as npt

from appliance.domain.estimates import Significance
from appliance.statistics.arrays import Array, kept, untestable

McNemarMethod = Literal["exact", "corrected", "uncorrected"]
FEW = 10  # disagreements of one pair of labels, below which its chi-square is rough


def mcnemar(table: npt.ArrayLike, method: McNemarMethod = "exact") -> Significance:
    """McNemar's test of a 2 by 2 table: exact (binomial), or chi-square with or without correction.

    statistic: the smaller count of disagreements if exact, chi-square otherwise. Undefined, with a note,
    where the raters never disagree. Raises ValueError for another shape, counts that are negative or not
    whole, or another method.
    Source: McNemar (1947), through statsmodels.
    """
    if method not in ("exact", "corrected", "uncorrected"):
        raise ValueError(f"method: exact, corrected or uncorrected expected, found {method!r}")
    counts = square_counts(table, 2)
    name, n, source = f"McNemar's test, {method}", int(counts.sum()), "McNemar (1947)"
    if counts[0, 1] + counts[1, 0] == 0:
        return untestable(name, "the two never disagree", n, 0, source, kept(table=counts))
    from statsmodels.stats.contingency_tables import mcnemar as test

    found = test(counts, exact=method == "exact", correction=method == "corrected")
    return Significance(
        statistic=float(found.statistic), p=min(1.0, float(found.pvalue)),
        df=None if method == "exact" else 1, n=n, method=name, source=source, inputs=kept(table=counts),
    )  # fmt: skip


def bowker(table: npt.ArrayLike) -> Significance:
    """Bowker's test of symmetry, sum of (n_ij - n_ji)^2 / (n_ij + n_ji).

    A pair of labels between which nobody disagreed tells nothing and takes no degree of freedom. Undefined,
    with a note, where the raters never disagree. Raises ValueError as `mcnemar`.
    Source: Bowker (1948).
    """
    counts, source = square_counts(table), "Bowker (1948)"
    above, below = counts[np.triu_indices(len(counts), 1)], counts.T[np.triu_indices(len(counts), 1)]
    used = above + below > 0
    statistic = float(((above - below)[used] ** 2 / (above + below)[used]).sum())
    smallest = int((above + below)[used].min(initial=np.inf)) if used.any() else 0
    note = f"a pair of labels has {smallest} disagreements: approximate" if smallest < FEW else ""
    return _chi_square("Bowker's test of symmetry", counts, statistic, int(used.sum()), note, source)


def stuart_maxwell(table: npt.ArrayLike) -> Significance:
    """Stuart and Maxwell's test of marginal homogeneity, d' S^- d.

    S is singular wherever a label takes no part in any disagreement, or labels fall into sets with none
    between them; its pseudo-inverse then gives the same statistic as leaving out one label of each such set,
    and the degrees of freedom are its rank. Undefined, with a note, where the raters never disagree.
    Raises ValueError as `mcnemar`.
    Source: Stuart (1955), Maxwell (1970).
    """
    counts, source = square_counts(table), "Stuart (1955), Maxwell (1970)"
    apart = counts - np.diag(np.diag(counts))
    difference = apart.sum(axis=1) - apart.sum(axis=0)
    spread = np.diag(apart.sum(axis=1) + apart.sum(axis=0)) - apart - apart.T
    statistic = float(difference @ np.linalg.pinv(spread, rcond=1e-10, hermitian=True) @ difference)
    rank = int(np.linalg.matrix_rank(spread, tol=1e-10 * max(np.abs(spread).max(), 1), hermitian=True))
    fewest = int(apart.sum())
    note = f"{fewest} disagreements: approximate" if fewest < FEW else ""
    return _chi_square("Stuart–Maxwell test", counts, statistic, rank, note, source)


def _chi_square(name: str, counts: Array, statistic: float, df: int, note: str, source: str) -> Significance:
    n, inputs = int(counts.sum()), kept(table=counts)
    if df == 0:
        return untestable(name, "the two never disagree", n, 0, source, inputs)
    from scipy.special import chdtrc

    return Significance(
        statistic=statistic, p=float(chdtrc(df, statistic)), df=df, n=n, method=name, source=source,
        note=note, inputs=inputs,
    )  # fmt: skip


def square_counts(table: npt.ArrayLike, q: int | None = None) -> Array:
    """The table as an array. Raises ValueError unless it is square (q by q) with whole counts."""
    counts = np.asarray(table, dtype=np.float64)
    if counts.ndim != 2 or counts.shape[0] != counts.shape[1] or (q is not None and len(counts) != q):
        expected = f"({q}, {q})" if q else "(q, q)"
        raise ValueError(f"table: expected shape {expected}, found {counts.shape}")
    if not (np.isfinite(counts).all() and (counts >= 0).all() and (counts == np.round(counts)).all()):
        raise ValueError("table: counts are whole and not negative")
    return counts
