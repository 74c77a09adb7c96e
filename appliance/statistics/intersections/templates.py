"""Comparisons within templates: each template has every cell, so its own difficulty cancels out."""

from __future__ import annotations

import numpy as np

from appliance.domain.estimates import Estimate, Significance
from appliance.statistics.arrays import Array, Codes, Mask
from appliance.statistics.intersections.cells import Verdicts
from appliance.statistics.intersections.interaction import excess_weights
from appliance.statistics.paired.intervals import mean_difference
from appliance.statistics.paired.pairs import Pairs
from appliance.statistics.paired.tests import sign_flip, t_test

FEW_TEMPLATES = 50  # up to here signs are flipped; above, t is as right and needs no draws
FEWEST = 6  # of fewer templates no permutation can reach 5% two-sided


def template_rates(verdicts: Verdicts, flagged: Mask) -> tuple[Array, Array]:
    """Flagged and scored verdicts of each template in each cell, shape (templates, cells) both."""
    assert verdicts.template is not None
    scored = ~np.isnan(verdicts.severity)
    place = verdicts.template * verdicts.n_cells + verdicts.cell
    size = (int(verdicts.template.max(initial=-1)) + 1) * verdicts.n_cells
    shape = (-1, verdicts.n_cells)
    totals = np.bincount(place[scored], minlength=size).reshape(shape).astype(np.float64)
    events = np.bincount(place[scored & flagged], minlength=size).reshape(shape).astype(np.float64)
    return events, totals


def within(
    events: Array, totals: Array, members: Mask, n_unscored: int
) -> tuple[Estimate, Significance, int]:
    """Rate of the cells in `members` less that of the others, within each template, and its test, and the
    number of templates that have both. A template that lacks one side tells nothing and is counted in the
    note."""
    k, n = events[:, members].sum(axis=1), totals[:, members].sum(axis=1)
    k0, n0 = events[:, ~members].sum(axis=1), totals[:, ~members].sum(axis=1)
    both = (n > 0) & (n0 > 0)
    difference = k[both] / n[both] - k0[both] / n0[both]
    found = _over_templates(difference, n_unscored, "difference of rates within templates")
    lost = int((~both).sum())
    if lost:
        note = f"{found[0].note + '; ' if found[0].note else ''}{lost} templates lack one side"
        found = (found[0].model_copy(update={"note": note}), found[1])
    return (*found, int(both.sum()))


def excess_within(
    events: Array, totals: Array, shape: tuple[int, ...], n_unscored: Codes
) -> tuple[tuple[Estimate, Significance], ...] | None:
    """Per cell, the mean over complete templates of its excess over the additive prediction, and its test.
    None where fewer than six templates have every cell."""
    complete = (totals > 0).all(axis=1)
    if complete.sum() < FEWEST:
        return None
    contrasts = (events[complete] / totals[complete]) @ excess_weights(shape).T
    name = "excess over the additive prediction within templates"
    return tuple(
        _over_templates(contrasts[:, cell], int(n_unscored[cell]), name) for cell in range(contrasts.shape[1])
    )


def _over_templates(values: Array, n_unscored: int, name: str) -> tuple[Estimate, Significance]:
    pairs = Pairs(values, np.zeros(len(values)), np.arange(len(values)), n_unscored)
    mean = mean_difference(pairs)
    test = sign_flip(pairs) if pairs.n <= FEW_TEMPLATES else t_test(pairs)
    df = float(pairs.n - 1) if pairs.n > 1 else None
    return (
        mean.model_copy(update={"method": mean.method.replace("mean difference", name)}),
        test.model_copy(update={"df": df}),
    )
