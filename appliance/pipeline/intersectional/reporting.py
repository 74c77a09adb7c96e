"""From the store to the plain data of an intersectional report. Everything is read back: it needs no
model."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from typing import Any

from appliance.audits.intersectional import IntersectionalAudit
from appliance.config import GridConfig, IntersectionalConfig, ModelConfig
from appliance.domain.records import Record, SkippedRecord
from appliance.pipeline.intersectional.mapping import (
    Row,
    alerts,
    axis_divergence,
    judge_map,
    lower,
    placebo,
    rules_of,
    severities,
)
from appliance.pipeline.reporting import run_parts
from appliance.reports.intersectional.data import BOTH, CellCount, IntersectionalReport, JudgeMap
from appliance.store.reader import Reader

CAVEATS = (
    "A flag is a reason for a person to look, not a decision; no flag does not show fairness.",
    "Identity was put into the request by the program; no model was asked to guess it. A name is a proxy.",
    "'clear' means that a difference of the margin or more is ruled out; 'inconclusive' never does.",
    "Agreement between two judges does not prove that either is right: their errors can be the same.",
    "A difference can be the judge's own: compare with a map of responses whose identity is masked.",
)


def build_intersectional_report(reader: Reader, run_id: str) -> IntersectionalReport:
    """The report of a run, complete or not. UnknownIdError for an unknown id."""
    parts = run_parts(reader, run_id, IntersectionalAudit.scheme, CAVEATS)
    config = parts["config"]
    rule = IntersectionalConfig(**config["intersectional"])
    records, skipped = reader.records(parts["run_id"]), reader.skipped(parts["run_id"])
    dimensions = _dimensions(config, records)
    rows = _rows(records, skipped)
    judges = reader.judges(parts["run_id"])
    found = [severities(rows, reader.verdicts(parts["run_id"], judge["fingerprint"])) for judge in judges]
    rules = rules_of(rule)
    names = [judge["name"] for judge in judges]
    maps = [judge_map(n, rows, s, dimensions, rules) for n, s in zip(names, found, strict=True)]
    if len(found) == 2:
        maps.append(judge_map(BOTH, rows, lower(*found), dimensions, rules))
    parts["headline"] = _headline(parts, maps)
    return IntersectionalReport(
        **parts,
        dimensions={name: tuple(levels) for name, levels in dimensions.items()},
        maps=tuple(maps),
        by_axis=axis_divergence(rows, found[0], found[1], dimensions) if len(found) == 2 else (),
        placebos=tuple(
            (name, placebo(rows, s, rules.flag_from)) for name, s in zip(names, found, strict=True)
        ),
        cells=_cells(records, skipped, list(dimensions)),
        alerts=alerts(maps, rule),
        target=_target(config),
        flag_from=rule.flag_from,
        margin=rule.margin,
        n_set_aside=sum(s.set_aside for s in skipped),
        n_failed=sum(bool(s.identity) and not s.set_aside for s in skipped),
    )


def _dimensions(config: dict[str, Any], records: Sequence[Record]) -> dict[str, list[str]]:
    """As configured; without a grid, what the records have."""
    grid = GridConfig(**config["grid"])
    if grid.dimensions and not config["input"]["path"]:
        return {name: list(values) for name, values in grid.dimensions.items()}
    given = config["scores"]["attributes"] or list(records[0].identity)
    shared = [name for name in given if all(name in r.identity for r in records)]
    return {name: sorted({r.identity[name] for r in records}) for name in shared}


def _rows(records: Sequence[Record], skipped: Sequence[SkippedRecord]) -> list[Row]:
    """What the map counts: judged responses, and those that could not be had (unscored). What was set aside
    has nothing to be judged and is counted apart."""
    rows = [Row(r.record_id, r.identity, r.template_id, r.metadata.get("number", "")) for r in records]
    lost = [s for s in skipped if s.identity and not s.set_aside]
    return rows + [Row(s.record_id, s.identity, s.record_id.split(" | ")[0], "") for s in lost]


def _cells(
    records: Sequence[Record], skipped: Sequence[SkippedRecord], dimensions: list[str]
) -> tuple[CellCount, ...]:
    """In the order in which the profiles come."""
    profiles: dict[str, dict[str, str]] = {}
    counts: dict[str, Counter[str]] = {}
    everything: list[Record | SkippedRecord] = [*records, *skipped]
    for one in everything:
        if one.identity:
            profile = {name: one.identity[name] for name in dimensions}
            key = json.dumps(profile)
            profiles[key] = profile
            tally = counts.setdefault(key, Counter())
            tally["responses"] += 1
            if isinstance(one, SkippedRecord):
                tally["set_aside" if one.set_aside else "failed"] += 1
            elif one.metadata.get("cut"):
                tally["cut"] += 1
    return tuple(
        CellCount(
            group=profiles[key],
            responses=tally["responses"],
            failed=tally["failed"],
            set_aside=tally["set_aside"],
            cut=tally["cut"],
        )
        for key, tally in counts.items()
    )


def _target(config: dict[str, Any]) -> str:
    model = ModelConfig(**config["model"])
    return model.name or model.served or " ".join(model.command) or model.responses or config["input"]["path"]


def _headline(parts: dict[str, Any], maps: Sequence[JudgeMap]) -> str:
    told = []
    for one in maps:
        if one.audit is None:
            told.append(f"{one.judge}: {one.reason}")
            continue
        cells = one.audit.disparity.cells.groups
        hidden = [entry for entry in one.audit.ledger if entry.hidden_compound]
        outcomes = Counter(cell.decision.outcome for cell in cells)
        counted = ", ".join(f"{n} {outcome}" for outcome, n in outcomes.most_common())
        compound = f"; {len(hidden)} hidden compound effects" if hidden else ""
        told.append(f"{one.judge}: of {len(cells)} intersections {counted}{compound}")
    state = "" if parts["complete"] else "INCOMPLETE: run the same command again to go on. "
    waiting = len(parts["review"])
    people = "1 response waits" if waiting == 1 else f"{waiting} responses wait"
    return f"{state}{'. '.join(told)}. {people} for a person."
