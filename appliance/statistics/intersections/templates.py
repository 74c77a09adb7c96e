"""Verdicts counted per template and cell: what one template makes all variants of it share cancels out."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from appliance.statistics.arrays import Array, Codes, Mask
from appliance.statistics.intersections.cells import Verdicts

SPARSE = 8  # places of template and cell per verdict


class Sides(NamedTuple):
    """Per template, shape (templates,): flagged and scored verdicts of a group, and of all others."""

    events: Array
    n: Array
    rest_events: Array
    rest_n: Array


class TemplateCounts(NamedTuple):
    """One entry for each template and cell that have scored verdicts, shape (entries,)."""

    template: Codes
    cell: Codes
    events: Array
    n: Array
    n_templates: int
    n_cells: int

    def sides(self, members: Mask) -> Sides:
        """members: which cells belong to the group, shape (cells,)."""
        inside = members[self.cell].astype(float)
        found = [
            np.bincount(self.template, each, self.n_templates).astype(np.float64)
            for each in (self.events * inside, self.n * inside, self.events, self.n)
        ]
        return Sides(found[0], found[1], found[2] - found[0], found[3] - found[1])

    def complete_rates(self) -> Array:
        """Rates of the templates that have every cell, shape (complete, cells)."""
        complete = np.bincount(self.template, minlength=self.n_templates) == self.n_cells
        kept = complete[self.template]
        found: Array = (self.events[kept] / self.n[kept]).reshape(-1, self.n_cells)
        return found

    def residuals(self) -> Array:
        """(events - rate·n)/N of each template in each cell, shape (templates, cells): what it adds to the
        error of each cell's rate."""
        k, n = (np.bincount(self.cell, each, self.n_cells) for each in (self.events, self.n))
        rates = np.divide(k, n, out=np.zeros_like(k), where=n > 0)
        found = np.zeros((self.n_templates, self.n_cells))
        found[self.template, self.cell] = (self.events - rates[self.cell] * self.n) / n[self.cell]
        return found


def template_counts(verdicts: Verdicts, flagged: Mask) -> TemplateCounts | None:
    """None without templates, and where no template has two scored verdicts: rows then stand for themselves.
    Templates without a scored verdict are left out."""
    if verdicts.template is None:
        return None
    scored = ~np.isnan(verdicts.severity)
    places = verdicts.template[scored] * verdicts.n_cells + verdicts.cell[scored]
    if places.max(initial=0) > SPARSE * max(len(places), 1):  # a table of all places would not fit
        place, places = np.unique(places, return_inverse=True)
        n, events = np.bincount(places), np.bincount(places, flagged[scored])
    else:
        counts = np.bincount(places)
        place = np.flatnonzero(counts)
        n, events = counts[place], np.bincount(places, flagged[scored])[place]
    template = np.unique(place // verdicts.n_cells, return_inverse=True)[1]
    n_templates = int(template.max(initial=-1)) + 1
    if n_templates == int(n.sum()):
        return None
    return TemplateCounts(
        template, place % verdicts.n_cells, events.astype(np.float64), n.astype(np.float64), n_templates,
        verdicts.n_cells,
    )  # fmt: skip
