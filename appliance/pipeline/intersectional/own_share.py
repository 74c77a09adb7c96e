"""The judge's own share: the same responses judged with identity visible and masked."""

from __future__ import annotations

import json

import numpy as np

from appliance.errors import ConfigError
from appliance.pipeline.intersectional.mapping import Row, severities
from appliance.reports.intersectional.data import OwnShare
from appliance.statistics.divergence.differential import differential
from appliance.statistics.paired.intervals import mean_difference
from appliance.statistics.paired.pairs import make_pairs
from appliance.statistics.paired.tests import sign_flip
from appliance.store.reader import Reader

AUDIT = "intersectional"


def own_share(reader: Reader, one: str, other: str) -> tuple[OwnShare, ...]:
    """Of each judge that both runs have; one of them blind, in either order. UnknownIdError for an unknown
    run; ConfigError for runs of another audit, two of one kind, or without responses in common."""
    runs = [reader.run(one), reader.run(other)]
    blind = [json.loads(run["config"])["intersectional"].get("blind", False) for run in runs]
    if {run["audit"] for run in runs} != {AUDIT} or blind[0] == blind[1]:
        raise ConfigError(
            "one sighted and one blind intersectional run are needed",
            "Run the same configuration once with intersectional.blind = true.",
        )
    sighted, masked = (runs[1], runs[0]) if blind[0] else (runs[0], runs[1])
    held = {r.record_id: r for r in reader.records(sighted["run_id"])}
    shared = [held[r.record_id] for r in reader.records(masked["run_id"]) if r.record_id in held]
    if not shared:
        raise ConfigError("the two runs have no response in common", "Judge the same responses.")
    rows = [Row(r.record_id, r.identity, r.template_id or r.record_id, "") for r in shared]
    by_name = {j["name"]: j["fingerprint"] for j in reader.judges(masked["run_id"])}
    return tuple(
        _share(reader, sighted["run_id"], masked["run_id"], judge, by_name[judge["name"]], rows)
        for judge in reader.judges(sighted["run_id"])
        if judge["name"] in by_name
    )


def _share(
    reader: Reader, sighted: str, masked: str, judge: dict[str, str], blind_fingerprint: str, rows: list[Row]
) -> OwnShare:
    seen = severities(rows, reader.verdicts(sighted, judge["fingerprint"]))
    unseen = severities(rows, reader.verdicts(masked, blind_fingerprint))
    templates = [row.template for row in rows]
    pairs = make_pairs(seen, unseen, cluster=templates)
    change = seen - unseen
    dimensions = list(rows[0].identity)
    labels = {d: sorted({row.identity[d] for row in rows}) for d in dimensions}
    profiles = [" × ".join(row.identity.values()) for row in rows]
    return OwnShare(
        judge=judge["name"],
        sighted_run=sighted,
        blind_run=masked,
        n=pairs.n,
        n_unscored=int(np.isnan(change).sum()),
        change=mean_difference(pairs),
        change_test=sign_flip(pairs),
        by={
            d: differential(change, [row.identity[d] for row in rows], labels[d], templates=templates)
            for d in dimensions
        },
        cells=differential(change, profiles, sorted(set(profiles)), templates=templates),
    )
