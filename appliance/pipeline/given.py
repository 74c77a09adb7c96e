"""Runs of judgements that were given earlier: the same store, statistics and report, and no call."""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Protocol

from appliance import __version__
from appliance.config import Config
from appliance.domain.base import canonical_json, digest
from appliance.domain.pairs import TestPair
from appliance.domain.records import Record, RecordSet
from appliance.domain.verdicts import Verdict
from appliance.pipeline.material import Conclusion, Material
from appliance.store.database import check_place, open_for_writing, writer_lock
from appliance.store.reader import Reader
from appliance.store.writer import Batch, Writer

NOT_SUPPLIED = "(the text was not supplied, only what was said of it)"
RECORDED = "recorded"  # in a judge's details: it was not asked here, a file says what it said


@dataclass(frozen=True)
class Given:
    """records, pairs: each once. verdicts: of each judge, by its name."""

    records: Sequence[Record]
    pairs: tuple[TestPair, ...]
    verdicts: Mapping[str, list[Verdict]]


class Concluding(Protocol):
    """What is needed of a kind of audit; see `appliance.pipeline.kinds.Kind`."""

    def conclude(self, config: Config, material: Material, reader: Reader, run_id: str) -> Conclusion: ...


def store_given(config: Config, kind: Concluding, path: Path, given: Given) -> str:
    """Store and conclude them as a run; returns its id. The same file under the same settings is the same
    run."""
    told = config.model_dump(mode="json", exclude={"folder", "store", "alerts"})
    identity, store = digest([told, digest(path.read_bytes().hex())]), config.resolve(config.store)
    check_place(store)
    with writer_lock(store):
        database = open_for_writing(store)
        try:
            return _store(config, kind, given, identity, Reader(database), Writer(database, store))
        finally:
            database.close()


def _store(
    config: Config, kind: Concluding, given: Given, identity: str, reader: Reader, writer: Writer
) -> str:
    known = reader.run_with_identity(identity)
    if known is not None and known["status"] == "complete":
        return str(known["run_id"])
    run_id = f"{datetime.now(UTC):%Y%m%d-%H%M%S}-{secrets.token_hex(2)}"
    judges = [_judge_row(name, identity) for name in given.verdicts]
    records = [(record, (), at) for at, record in enumerate(given.records)]
    writer.create_run(_run_row(config, run_id, identity), judges, records, (), given.pairs)
    for judge, verdicts in zip(judges, given.verdicts.values(), strict=True):
        writer.save(run_id, judge["fingerprint"], Batch(verdicts=verdicts))
    material = Material(RecordSet(records=tuple(given.records)))
    concluded = kind.conclude(config, material, reader, run_id)
    for event, detail in concluded.events:
        writer.event(run_id, event, **detail)
    writer.finish(run_id, concluded.divergences, concluded.review)
    return run_id


def _judge_row(name: str, identity: str) -> dict[str, Any]:
    details: Mapping[str, str] = {"model": name, RECORDED: identity}
    return {
        "fingerprint": digest(details),
        "name": name,
        "title": "Scores given earlier, from a file",
        "licence": "",
        "details": canonical_json(details),
    }


def _run_row(config: Config, run_id: str, identity: str) -> dict[str, Any]:
    return {
        "run_id": run_id,
        "audit": config.audit,
        "identity": identity,
        "salt": "",
        "config": config.model_dump_json(exclude={"folder"}),
        "version": __version__,
        "prompt_name": "",
        "prompt_sha256": "",
        "input_path": config.scores.path,
        "labels": "[]",
    }
