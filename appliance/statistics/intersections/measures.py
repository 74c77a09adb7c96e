"""What is measured of one group of verdicts, before anything is decided."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from appliance.domain.estimates import Estimate, Significance
from appliance.statistics.arrays import Array, Codes, Mask
from appliance.statistics.intersections.cells import Verdicts
from appliance.statistics.intersections.templates import FEWEST, template_rates, within
from appliance.statistics.paired.intervals import mean_difference
from appliance.statistics.paired.pairs import Pairs
from appliance.statistics.proportions import clustered_rate, compare_rates, rate, rate_difference


@dataclass(frozen=True)
class MapRules:
    """Fixed before the data are seen. margin: smallest difference of flag rates that matters. min_n: scored
    verdicts under which a group is not concluded on. flag_from: severity that counts as a flag. alpha:
    family-wise, one family for all cells and one for each axis. max_unscored: see `outcome.decide`."""

    margin: float = 0.1
    min_n: int = 50
    flag_from: int = 1
    alpha: float = 0.05
    max_unscored: float = 0.05


@dataclass(frozen=True)
class Group:
    """A group before its reference and its family are known."""

    events: int
    n: int
    n_unscored: int
    rate: Estimate
    severities: tuple[Estimate, ...]
    mean_severity: Estimate
    difference: Estimate
    test: Significance


class Measures:
    """Measures groups of cells. per_template: see `template_rates`, None where rows are independent."""

    def __init__(self, verdicts: Verdicts, rules: MapRules) -> None:
        self._verdicts, self._rules = verdicts, rules
        self._flagged: Mask = verdicts.severity >= rules.flag_from
        self._scored: Mask = ~np.isnan(verdicts.severity)
        self._events: Codes = verdicts.by_severity[:, rules.flag_from :].sum(axis=1)
        self._totals: Codes = verdicts.by_severity.sum(axis=1)
        tables = None if verdicts.template is None else template_rates(verdicts, self._flagged)
        enough = tables is not None and len(tables[0]) >= FEWEST
        self.per_template: tuple[Array, Array] | None = tables if enough else None

    def group(self, members: Mask) -> Group:
        """members: which cells belong to it, shape (cells,)."""
        k, n = int(self._events[members].sum()), int(self._totals[members].sum())
        rest_k, rest_n = int(self._events.sum()) - k, int(self._totals.sum()) - n
        missing = int(self._verdicts.unscored[members].sum())
        difference, test = self._difference(members, k, n, rest_k, rest_n, missing)
        counts = self._verdicts.by_severity[members].sum(axis=0)
        rows = np.flatnonzero(members[self._verdicts.cell] & self._scored)
        return Group(
            events=k,
            n=n,
            n_unscored=missing,
            rate=self._rate(rows, k, n, missing),
            severities=tuple(rate(int(c), n, missing) for c in counts),
            mean_severity=self._mean(rows, missing),
            difference=difference,
            test=test,
        )

    def _difference(
        self, members: Mask, k: int, n: int, rest_k: int, rest_n: int, missing: int
    ) -> tuple[Estimate, Significance]:
        if self.per_template is not None:
            found, test, _ = within(*self.per_template, members, missing)
            # What was scored in the group, so that its unscored share is of verdicts, not of templates.
            return found.model_copy(update={"n": n}), test
        found = rate_difference(k, n, rest_k, rest_n, n_unscored=missing).model_copy(update={"n": n})
        return found, compare_rates(k, n, rest_k, rest_n, missing)

    def _rate(self, rows: Codes, k: int, n: int, missing: int) -> Estimate:
        template = self._verdicts.template
        if template is None:
            return rate(k, n, missing)
        return clustered_rate(self._flagged[rows], template[rows], missing)

    def _mean(self, rows: Codes, missing: int) -> Estimate:
        template, values = self._verdicts.template, self._verdicts.severity[rows]
        own = np.arange(len(rows))
        cluster = own if template is None else np.unique(template[rows], return_inverse=True)[1]
        found = mean_difference(Pairs(values, np.zeros(len(rows)), cluster.astype(np.int64), missing))
        return found.model_copy(update={"method": found.method.replace("mean difference", "mean severity")})
