"""The heat map for the page: rows and columns of two dimensions, one table for each value of the others."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product

from appliance.reports.intersectional.data import IntersectionalReport, JudgeMap
from appliance.reports.intersectional.words import MARKS, group_name
from appliance.statistics.intersections.disparity import GroupMeasures

SHADES = 5


@dataclass(frozen=True)
class HeatCell:
    """shade: 0..5 by flag rate, for the eye only: the figures stand in the cell. records: numbers of the
    records of this profile, flagged ones first, for the links."""

    cell: GroupMeasures
    shade: int
    mark: str
    flagged: tuple[tuple[int, str], ...]
    n_more: int


@dataclass(frozen=True)
class Facet:
    """One table. title: the values of the dimensions that are neither rows nor columns."""

    title: str
    rows: tuple[tuple[str, tuple[HeatCell, ...]], ...]


@dataclass(frozen=True)
class MapView:
    map: JudgeMap
    number: int
    row_dimension: str
    column_dimension: str
    columns: tuple[str, ...]
    facets: tuple[Facet, ...]


LINKED = 6


def map_views(report: IntersectionalReport) -> tuple[MapView, ...]:
    return tuple(_view(report, one, number) for number, one in enumerate(report.maps, 1))


def _view(report: IntersectionalReport, one: JudgeMap, number: int) -> MapView:
    names = list(report.dimensions)
    # The longest dimension down the page, the next across: fewest tables and no wide ones.
    by_length = sorted(names, key=lambda name: -len(report.dimensions[name]))
    down, across = by_length[0], (by_length[1] if len(names) > 1 else by_length[0])
    others = [name for name in names if name not in (down, across)]
    facets = tuple(
        _facet(report, one, dict(zip(others, values, strict=True)), down, across)
        for values in product(*(report.dimensions[name] for name in others))
        if one.audit
    )
    return MapView(one, number, down, across, report.dimensions[across], facets)


def _facet(
    report: IntersectionalReport, one: JudgeMap, fixed: dict[str, str], down: str, across: str
) -> Facet:
    groups = one.audit.disparity.cells.groups if one.audit else ()
    cells = {tuple(sorted(group.group.items())): group for group in groups}
    linked = _linked(report, one.judge)

    def cell(level: str, column: str) -> HeatCell:
        return _cell(cells[tuple(sorted({**fixed, down: level, across: column}.items()))], linked)

    rows = tuple(
        (level, tuple(cell(level, column) for column in report.dimensions[across]))
        for level in report.dimensions[down]
    )
    return Facet(", ".join(f"{name}: {value}" for name, value in fixed.items()), rows)


def _cell(cell: GroupMeasures, linked: dict[str, list[tuple[int, str]]]) -> HeatCell:
    rate = cell.rate.value or 0.0
    own = linked.get(group_name(cell.group), [])
    return HeatCell(
        cell, min(SHADES, round(rate * SHADES + 0.4)), MARKS[cell.decision.outcome], tuple(own[:LINKED]),
        len(own) - len(own[:LINKED]),
    )  # fmt: skip


def _linked(report: IntersectionalReport, judge: str) -> dict[str, list[tuple[int, str]]]:
    """Intersection -> (number of the record on the page, its worst severity), of flagged responses."""
    found: dict[str, list[tuple[int, str]]] = {}
    for number, record in enumerate(report.records, 1):
        said = [v for v in record.verdicts if v.flag and (v.judge == judge or judge not in _names(report))]
        if said and (judge in _names(report) or len(said) == len(report.judges)):
            worst = said[0].severity or ""
            identity = {name: record.identity[name] for name in report.dimensions}
            found.setdefault(group_name(identity), []).append((number, worst))
    return found


def _names(report: IntersectionalReport) -> set[str]:
    return {judge.name for judge in report.judges}
