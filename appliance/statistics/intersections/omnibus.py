"""Is there any interaction at all? One test over all cells."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from scipy.special import expit, xlogy

from appliance.domain.estimates import Significance
from appliance.statistics.arrays import Array, kept, untestable
from appliance.statistics.intersections.grids import counted, design_matrix, in_order

G2_SOURCE = "Bishop, Fienberg and Holland (1975)"
WALD_SOURCE = "Hotelling (1931)"
SPARSE = 5.0  # expected count under which chi-square is not relied on
DRAWS = 999
STEPS, LONGEST = 60, 2.0


def no_interaction(
    events: npt.ArrayLike, totals: npt.ArrayLike, order: int = 1, seed: int = 0, n_unscored: int = 0
) -> Significance:
    """G² of the model whose terms have at most `order` dimensions against the saturated one (log odds);
    order 1 tests all interactions together, d - 1 the highest only.

    For rows that stand for themselves; `no_excess` is for those that share templates. Where an expected count
    is under 5 the p is a parametric bootstrap under the fitted model (999 draws, seeded) instead of
    chi-square's. Undefined where a cell is empty, or all or none of the units have events.
    Raises ValueError unless 1 <= order < number of dimensions. Source: Bishop, Fienberg and Holland (1975).
    """
    k, n = counted(events, totals)
    if not 1 <= order < k.ndim:
        raise ValueError(f"order: 1 to {k.ndim - 1} expected, found {order}")
    method, everyone = f"G² of no interaction above order {order}", int(n.sum())
    inputs = kept(events=k, totals=n)
    if (n == 0).any() or k.sum() in (0, n.sum()):
        note = "a cell is empty" if (n == 0).any() else "all units have the same outcome"
        return untestable(method, note, everyone, n_unscored, G2_SOURCE, inputs)
    k, n = in_order(k, n)  # draws must not depend on the order of levels and dimensions
    design = design_matrix(k.shape, order)
    found, fitted = _deviances(k.reshape(1, -1), n.ravel(), design)
    g2, expected = max(float(found[0]), 0.0), fitted[0]
    df = k.size - design.shape[1]
    if min(float(expected.min()), float((n.ravel() - expected).min())) >= SPARSE:
        from scipy.stats import chi2

        p, how = float(chi2.sf(g2, df)), "chi-square"
    else:
        share = np.clip(expected / n.ravel(), 0, 1)
        drawn = np.random.default_rng(seed).binomial(n.ravel().astype(int), share, (DRAWS, k.size))
        reached = int((_deviances(drawn.astype(float), n.ravel(), design)[0] >= g2 - 1e-6).sum())
        p, how = (1 + reached) / (1 + DRAWS), f"{DRAWS} parametric draws"
    return Significance(
        statistic=g2, p=min(p, 1.0), df=float(df), n=everyone, n_unscored=n_unscored,
        method=f"{method}, {how}", source=G2_SOURCE, inputs=inputs,
    )  # fmt: skip


def no_excess(values: Array, covariance: Array, clusters: int, n: int, n_unscored: int = 0) -> Significance:
    """Hotelling's T² that every cell's excess is 0, for verdicts that share templates.

    values: shape (cells,), mean excess; covariance: of these means, from `clusters` templates. F with q and
    clusters - q degrees, q the rank. Undefined unless there are more templates than q + 1, and where nothing
    varies. Source: Hotelling (1931).
    """
    method, inputs = "Hotelling's T² of no interaction", kept(values=values, covariance=covariance)
    q = int(np.linalg.matrix_rank(covariance, hermitian=True, tol=1e-10 * max(np.trace(covariance), 1e-300)))
    if not q or clusters <= q + 1:
        note = f"{clusters} templates are too few for {q} contrasts" if q else "nothing varies"
        return untestable(method, note, n, n_unscored, WALD_SOURCE, inputs)
    from scipy.stats import f

    squared = float(values @ np.linalg.pinv(covariance, rcond=1e-10, hermitian=True) @ values)
    statistic = squared * (clusters - q) / (q * (clusters - 1))
    return Significance(
        statistic=squared, p=float(f.sf(statistic, q, clusters - q)), df=float(q), n=n, n_unscored=n_unscored,
        method=f"{method}, F({q}, {clusters - q})", source=WALD_SOURCE, inputs=inputs,
    )  # fmt: skip


def _deviances(k: Array, n: Array, design: Array) -> tuple[Array, Array]:
    """Deviance, shape (r,), and fitted events, shape (r, cells), of a logistic model for each row of events
    (r, cells). Newton's steps, all rows at once: 999 single fits take seconds. Under perfect separation
    coefficients grow without end, but the deviance has its limit."""
    coefficients = np.zeros((len(k), design.shape[1]))
    ridge = 1e-9 * np.eye(design.shape[1])
    for _ in range(STEPS):
        p = expit(coefficients @ design.T)
        slope = (k - n * p) @ design
        curvature = np.einsum("rc,ci,cj->rij", n * p * (1 - p), design, design, optimize=True) + ridge
        step = np.linalg.solve(curvature, slope[..., None])[..., 0]
        coefficients += (
            step * np.minimum(1.0, LONGEST / np.maximum(np.abs(step).max(axis=1), 1e-300))[:, None]
        )
        if np.abs(slope).max() < 1e-9:
            break
    p = np.clip(expit(coefficients @ design.T), 1e-300, 1 - 1e-16)
    found: Array = 2 * (xlogy(k, k / (n * p)) + xlogy(n - k, (n - k) / (n * (1 - p)))).sum(axis=1)
    return found, n * p
