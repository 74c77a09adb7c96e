"""A judge's score measured from its token probabilities."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from appliance.statistics.arrays import Array, scores


def expected_scores(
    probabilities: npt.ArrayLike, labels: npt.ArrayLike, least_mass: float = 0.0
) -> tuple[Array, Array]:
    """E = sum of p_i * label_i over sum of p_i for each record, and the mass sum of p_i.

    probabilities: shape (n, q), of the q label tokens; they need not add up to 1, since the judge could have
    said something else. labels: their numbers, shape (q,). Both results have shape (n,); E is NaN, unscored,
    for a record with a NaN probability and for a mass of 0 or below `least_mass`: what little a judge gave
    to the labels says nothing of its score when it meant something else. Raises ValueError for negative
    probabilities and a mass above 1.
    Source: Liu et al. (2023), G-Eval; normalised over the labels.
    """
    values, numbers = np.asarray(probabilities, dtype=np.float64), scores(labels, "labels")
    if values.ndim != 2 or values.shape[1] != len(numbers):
        raise ValueError(f"probabilities: shape (records, {len(numbers)}) expected, found {values.shape}")
    if np.isnan(numbers).any():
        raise ValueError("labels: numbers expected, found NaN")
    mass = values.sum(axis=1)
    if (values < 0).any() or (mass > 1 + 1e-6).any():
        place = int(((values < 0).any(axis=1) | (mass > 1 + 1e-6)).argmax())
        raise ValueError(f"probabilities: those at position {place} are negative or add up to more than 1")
    enough = (mass > 0) & (mass >= least_mass)
    expected = np.full(len(values), np.nan)
    expected[enough] = values[enough] @ numbers / mass[enough]
    return expected, mass
