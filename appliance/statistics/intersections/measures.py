"""What is measured of one group of verdicts, before anything is decided."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from appliance.domain.estimates import Estimate
from appliance.statistics.arrays import Codes, Mask
from appliance.statistics.intersections.cells import Verdicts
from appliance.statistics.intersections.contrast import Contrast, independent, over_templates
from appliance.statistics.intersections.templates import Sides, template_counts
from appliance.statistics.paired.intervals import mean_difference
from appliance.statistics.paired.pairs import Pairs
from appliance.statistics.proportions import rate, rate_over_clusters
from appliance.statistics.ratios import clustered_risk_ratio, risk_ratio


@dataclass(frozen=True)
class MapRules:
    """Fixed before the data are seen. margin: smallest difference of flag rates that matters. min_n: scored
    verdicts under which a group is not concluded on. flag_from: severity that counts as a flag. alpha:
    family-wise, one family for all cells and one for each axis. max_unscored: see `outcome.decide`.
    reference: dimension -> level that impact ratios refer to; a dimension that it lacks refers to the level
    treated best. left_out_under: levels (and cells) with a smaller share of the scored verdicts get no impact
    ratio, with the reason, and no say in whether their axis passes (Local Law 144 allows up to 0.02)."""

    margin: float = 0.1
    min_n: int = 50
    flag_from: int = 1
    alpha: float = 0.05
    max_unscored: float = 0.05
    reference: Mapping[str, str] = field(default_factory=dict)
    left_out_under: float = 0.0


@dataclass(frozen=True)
class Group:
    """A group before its reference and its family are known. n_rest: scored verdicts of all others;
    unscored_share: of the group or of the rest, whichever is more. sides: per template, None without."""

    members: Mask
    events: int
    n: int
    n_unscored: int
    n_rest: int
    unscored_share: float
    rate: Estimate
    severities: tuple[Estimate, ...]
    mean_severity: Estimate
    contrast: Contrast
    rest_ratio: Estimate
    sides: Sides | None


class Measures:
    """Measures groups of cells."""

    def __init__(self, verdicts: Verdicts, rules: MapRules, seed: int = 0) -> None:
        self._verdicts, self._rules, self._seed = verdicts, rules, seed
        self._flagged: Mask = verdicts.severity >= rules.flag_from
        self._scored: Mask = ~np.isnan(verdicts.severity)
        self.events: Codes = verdicts.by_severity[:, rules.flag_from :].sum(axis=1)
        self.totals: Codes = verdicts.by_severity.sum(axis=1)
        self.templates = template_counts(verdicts, self._flagged)

    def group(self, members: Mask) -> Group:
        """members: which cells belong to it, shape (cells,)."""
        k, n = int(self.events[members].sum()), int(self.totals[members].sum())
        rest_k, rest_n = int(self.events.sum()) - k, int(self.totals.sum()) - n
        missing = int(self._verdicts.unscored[members].sum())
        rest_missing = int(self._verdicts.unscored.sum()) - missing
        rows = np.flatnonzero(members[self._verdicts.cell] & self._scored)
        sides = None if self.templates is None else self.templates.sides(members)
        return Group(
            members=members,
            events=k,
            n=n,
            n_unscored=missing,
            n_rest=rest_n,
            unscored_share=max(_share(missing, n), _share(rest_missing, rest_n)),
            rate=rate(k, n, missing) if sides is None else rate_over_clusters(sides.events, sides.n, missing),
            severities=self._severities(rows, sides is not None, missing),
            mean_severity=self._mean(rows, missing),
            contrast=self._contrast(sides, k, n, rest_k, rest_n, missing),
            rest_ratio=risk_ratio(k, n, rest_k, rest_n, n_unscored=missing)
            if sides is None
            else clustered_risk_ratio(*sides, n_unscored=missing),
            sides=sides,
        )

    def impact_ratio(self, group: Group, reference: Group | None, why_not: str = "") -> Estimate:
        """Share without a flag over the reference's; `why_not`: why this group has none."""
        if reference is None or why_not:
            found = risk_ratio(0, 0, 0, 0, n_unscored=group.n_unscored)
            return found.model_copy(update={"note": why_not or "no group has verdicts enough to refer to"})
        own, other = group.sides, reference.sides
        if own is None or other is None or group is reference:
            return risk_ratio(
                group.n - group.events, group.n, reference.n - reference.events, reference.n,
                n_unscored=group.n_unscored,
            )  # fmt: skip
        return clustered_risk_ratio(
            own.n - own.events, own.n, other.n - other.events, other.n, n_unscored=group.n_unscored
        )

    def _contrast(
        self, sides: Sides | None, k: int, n: int, rest_k: int, rest_n: int, missing: int
    ) -> Contrast:
        margin = self._rules.margin
        if sides is not None:
            return over_templates(sides, margin, missing, self._seed)
        found = independent(k, n, rest_k, rest_n, margin, missing)
        # n of the group, so that its unscored share is of its own verdicts.
        return found._replace(effect=found.effect.model_copy(update={"n": n}))

    def _severities(self, rows: Codes, clustered: bool, missing: int) -> tuple[Estimate, ...]:
        values, outcomes = self._verdicts.severity[rows].astype(np.int64), self._verdicts.top + 1
        if not clustered:
            counts = np.bincount(values, minlength=outcomes)
            return tuple(rate(int(c), len(rows), missing) for c in counts)
        template = self._templates_of(rows)
        size = (int(template.max(initial=-1)) + 1) * outcomes
        table = np.bincount(template * outcomes + values, minlength=size).reshape(-1, outcomes)
        return tuple(rate_over_clusters(each, table.sum(axis=1), missing) for each in table.T)

    def _templates_of(self, rows: Codes) -> Codes:
        """Template of each row, numbered without gaps (sorting would take seconds)."""
        if self._verdicts.template is None:
            return np.arange(len(rows))
        template = self._verdicts.template[rows]
        found: Codes = (np.cumsum(np.bincount(template) > 0) - 1)[template]
        return found

    def _mean(self, rows: Codes, missing: int) -> Estimate:
        values = self._verdicts.severity[rows]
        found = mean_difference(Pairs(values, np.zeros(len(rows)), self._templates_of(rows), missing))
        return found.model_copy(
            update={
                "method": found.method.replace("mean difference", "mean severity"),
                "note": found.note.replace("differences", "severities").replace("pair", "verdict"),
            }
        )


def _share(missing: int, n: int) -> float:
    return missing / (n + missing) if missing else 0.0
