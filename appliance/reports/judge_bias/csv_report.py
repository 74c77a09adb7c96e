"""One row per judge, dimension and pair, for spreadsheets and scripts."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator

from appliance.reports.csv_report import Cell, cell
from appliance.reports.judge_bias.data import JudgeBiasReport

COLUMNS = [
    *("run_id", "judge", "dimension", "dimension_status", "pair_id", "item_id", "quality", "a", "b"),
    *("a_score", "b_score", "difference", "a_expected", "b_expected", "exceeds_threshold", "excluded"),
]


def to_csv(report: JudgeBiasReport) -> str:
    """RFC 4180 as `appliance.reports.csv_report.to_csv` writes it. An excluded pair has its reason and empty
    scores: never a zero."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\r\n")
    writer.writerow(COLUMNS)
    writer.writerows([cell(value) for value in row] for row in _rows(report))
    return out.getvalue()


def _rows(report: JudgeBiasReport) -> Iterator[list[Cell]]:
    for target in report.targets:
        for d in target.dimensions:
            for pair in d.pairs:
                told: list[Cell] = [report.run_id, target.judge, d.dimension, d.status, pair.pair_id]
                scores = [pair.a_score, pair.b_score, pair.difference, pair.a_expected, pair.b_expected]
                names: list[Cell] = [pair.item_id, pair.quality, pair.a, pair.b]
                marked = None if pair.difference is None else pair.exceeds_threshold
                yield [*told, *names, *scores, marked, pair.excluded]
