"""Verdicts counted per intersection: the disparity map of each judge and of both."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from appliance.audits.intersectional.labels import HARMS, TOP, rank
from appliance.config import IntersectionalConfig
from appliance.domain.verdicts import Verdict
from appliance.reports.intersectional.data import BOTH, Alert, AxisDivergence, JudgeMap, Placebo
from appliance.statistics.arrays import Array
from appliance.statistics.divergence.differential import differential
from appliance.statistics.divergence.missing import missingness
from appliance.statistics.intersections.cells import Verdicts, verdicts
from appliance.statistics.intersections.compound import compound_audit
from appliance.statistics.intersections.measures import MapRules
from appliance.statistics.intersections.placebo import noise_floor

Dimensions = Mapping[str, Sequence[str]]


@dataclass(frozen=True)
class Row:
    """One response, judged or not. number: which name of its profile and template it has, "" unknown."""

    record_id: str
    identity: Mapping[str, str]
    template: str
    number: str


def severities(rows: Sequence[Row], by_record: Mapping[str, Verdict]) -> Array:
    """0 for no harm, 1..4; NaN unscored, a response that could not be had included."""
    found = (by_record.get(row.record_id) for row in rows)
    return np.array([np.nan if v is None or v.status == "unscored" else rank(v.severity) for v in found])


def lower(first: Array, second: Array) -> Array:
    """The severity on which both agree at least; NaN where either is unscored."""
    found: Array = np.where(np.isnan(first) | np.isnan(second), np.nan, np.minimum(first, second))
    return found


def rules_of(config: IntersectionalConfig) -> MapRules:
    return MapRules(
        margin=config.margin,
        min_n=config.min_n,
        flag_from=HARMS.index(config.flag_from) + 1,
        reference=config.reference,
        left_out_under=config.left_out_under,
    )


def judge_map(
    name: str, rows: Sequence[Row], severity: Array, dimensions: Dimensions, rules: MapRules
) -> JudgeMap:
    if np.isnan(severity).all():
        return JudgeMap(judge=name, audit=None, reason="nothing was scored", missing={})
    templates = [row.template for row in rows]
    shared = len(set(templates)) < len(templates) and all(templates)
    data = _cells(rows, severity, dimensions, templates if shared else None)
    missing = {
        dimension: missingness(
            np.isnan(severity),
            [row.identity[dimension] for row in rows],
            list(levels),
            templates=templates if shared else None,
        )
        for dimension, levels in dimensions.items()
    }
    return JudgeMap(judge=name, audit=compound_audit(data, rules), reason="", missing=missing)


def _cells(
    rows: Sequence[Row], severity: Array, dimensions: Dimensions, templates: list[str] | None
) -> Verdicts:
    identity = {dimension: [row.identity[dimension] for row in rows] for dimension in dimensions}
    return verdicts(identity, severity, levels=dimensions, template=templates, top=TOP)


def axis_divergence(
    rows: Sequence[Row], first: Array, second: Array, dimensions: Dimensions
) -> tuple[AxisDivergence, ...]:
    templates = [row.template or row.record_id for row in rows]
    found = []
    for dimension, levels in dimensions.items():
        groups = [row.identity[dimension] for row in rows]
        one, two = (
            differential(first - second, groups, list(levels), templates=templates, measure=measure)
            for measure in ("signed", "absolute")
        )
        found.append(AxisDivergence(dimension=dimension, signed=one, absolute=two))
    return tuple(found)


def placebo(rows: Sequence[Row], severity: Array, flag_from: int) -> Placebo:
    """Differences of flag rates between two names of one profile: what means nothing already does so much."""
    flags: dict[tuple[str, ...], dict[str, list[float]]] = {}
    for row, value in zip(rows, severity, strict=True):
        if row.number and not np.isnan(value):
            cell = tuple(row.identity.values())
            flags.setdefault(cell, {}).setdefault(row.number, []).append(float(value >= flag_from))
    pairs = [
        float(np.mean(numbers[one]) - np.mean(numbers[two]))
        for numbers in flags.values()
        for one, two in zip(sorted(numbers)[::2], sorted(numbers)[1::2], strict=False)
    ]
    source = (
        f"{len(pairs)} profiles with two names or more (grid.per_cell)"
        if pairs
        else ("no profile has two names: set grid.per_cell to 2 or more")
    )
    return Placebo(floor=noise_floor(pairs), source=source)


def alerts(maps: Sequence[JudgeMap], config: IntersectionalConfig) -> tuple[Alert, ...]:
    """Groups of the whole grid that reach a configured rate or severity, by each judge."""
    found = []
    for one in maps:
        if one.audit is None or one.judge == BOTH:
            continue
        for group in one.audit.disparity.cells.groups:
            rate = group.rate.value
            if config.alert_rate and rate is not None and rate >= config.alert_rate:
                what = f"flag rate {rate:.0%}, alert_rate is {config.alert_rate:.0%}"
                found.append(Alert(judge=one.judge, group=group.group, what=what))
            if config.alert_severity:
                at = HARMS.index(config.alert_severity) + 1
                count = round(sum((e.value or 0.0) * group.n for e in group.severities[at:]))
                if count:
                    what = f"{count} responses of severity {config.alert_severity} or more"
                    found.append(Alert(judge=one.judge, group=group.group, what=what))
    return tuple(found)
