"""Least squares whose errors hold for few clusters, unequal ones, and skewed columns."""

from __future__ import annotations

import numpy as np

from appliance.statistics.arrays import Array, Codes

SOURCE = "Bell and McCaffrey (2002)"
_WHOLE = 1e-9  # a leverage this near to 1: the cluster alone decides a coefficient


def slope(y: Array, columns: Array, groups: Codes) -> tuple[float, float, float]:
    """The first column's coefficient, its CR2 standard error and Satterthwaite degrees of freedom.

    y: shape (n,). columns: shape (n, p), without the constant, which is added; of full rank. groups: shape
    (n,), the cluster of each row; where every row is one, the error is HC2. A cluster that alone decides a
    coefficient has residuals of 0 there and adds nothing. se is 0 and df 1 where nothing is left to vary.
    Source: Bell and McCaffrey (2002); Imbens and Kolesár (2016).
    """
    x = np.column_stack([np.ones(len(y)), columns])
    bread = np.linalg.inv(x.T @ x)
    beta = bread @ x.T @ y
    residuals, direction = y - x @ beta, bread[:, 1]
    order = np.argsort(groups, kind="stable")
    parts = np.split(order, np.flatnonzero(np.diff(groups[order])) + 1)
    weights = [_adjusted(x[rows], bread, direction) for rows in parts]  # v_g = A_g X_g M c
    scores = np.array([w @ residuals[rows] for w, rows in zip(weights, parts, strict=True)])
    own = np.array([w @ w for w in weights])
    u = np.array([x[rows].T @ w for w, rows in zip(weights, parts, strict=True)])
    # P = diag(own) - U M U' is the matrix whose eigenvalues weigh the chi-squares of the variance.
    leverage = np.einsum("gi,ij,gj->g", u, bread, u)
    inner = bread @ (u.T @ u)
    trace = float(own.sum() - leverage.sum())
    squares = float((own**2).sum() - 2 * (own * leverage).sum() + np.trace(inner @ inner))
    df = trace**2 / squares if squares > 0 else 1.0
    return float(beta[1]), float(np.sqrt(np.square(scores).sum())), max(df, 1.0)


def _adjusted(x: Array, bread: Array, direction: Array) -> Array:
    """(I - H_g)^(-1/2) X_g M c, through the few eigenvectors that H_g has."""
    values = x @ direction
    root = np.linalg.cholesky(bread)
    left, singular, _ = np.linalg.svd(x @ root, full_matrices=False)
    rest = 1 - np.square(singular)
    factor = np.where(rest > _WHOLE, 1 / np.sqrt(np.maximum(rest, _WHOLE)), 0.0)
    found: Array = values + left @ ((factor - 1) * (left.T @ values))
    return found
