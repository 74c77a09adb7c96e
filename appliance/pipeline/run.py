"""`run`: judge all records with both judges, compare them, queue what people must see."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from appliance.domain.base import canonical_json
from appliance.errors import EngineError, IncompleteError
from appliance.pipeline.bias_gate import check_admissions
from appliance.pipeline.prepare import Prepared, with_salt
from appliance.pipeline.progress import Progress
from appliance.pipeline.turn import Turn
from appliance.store.database import check_place, open_for_writing, writer_lock
from appliance.store.reader import Reader
from appliance.store.writer import Writer


@dataclass(frozen=True)
class RunOptions:
    """fresh: ask everything anew. isolated: workers in their own namespaces."""

    fresh: bool = False
    isolated: bool = True


def execute(
    prepared: Prepared,
    options: RunOptions,
    progress: Progress,
    stopping: Callable[[], bool],
) -> str:
    """Run, or resume, to the end; returns the run's id. IncompleteError when stopped on the way: what is
    finished is kept, and the same command goes on from there. A complete run is not asked again. GateError
    before any call for a judge that needs a bias audit of its own and has none that passes."""
    check_admissions(prepared.admitted)
    check_place(prepared.store)
    with writer_lock(prepared.store):
        database = open_for_writing(prepared.store)
        try:
            reader, writer = Reader(database), Writer(database, prepared.store)
            return _execute(prepared, options, progress, stopping, reader, writer)
        finally:
            database.close()


def _execute(
    prepared: Prepared,
    options: RunOptions,
    progress: Progress,
    stopping: Callable[[], bool],
    reader: Reader,
    writer: Writer,
) -> str:
    known = reader.run_with_identity(prepared.identity)
    if known is not None and not (options.fresh and _is_done_or_not_fresh(known)):
        prepared = with_salt(prepared, known["salt"])
        run_id = str(known["run_id"])
        if known["status"] == "complete":
            progress("", 0, 0, f"run {run_id} is already complete; --fresh asks the judges again")
            return run_id
        writer.event(run_id, "resumed")
    else:
        run_id = _new_run_id()
        prepared = with_salt(prepared, run_id if options.fresh else "")
        _create(prepared, run_id, writer)
        for admitted in prepared.admitted:
            writer.event(run_id, "admitted", **admitted.model_dump(mode="json"))
    try:
        for judge in prepared.judges:
            Turn(prepared, judge, run_id, reader, writer, progress, stopping, isolated=options.isolated).run()
    except (IncompleteError, EngineError) as error:
        writer.event(run_id, "interrupted", message=error.message)
        raise
    _finish(prepared, run_id, reader, writer)
    return run_id


def _is_done_or_not_fresh(known: dict[str, Any]) -> bool:
    """Repeating an interrupted `--fresh` goes on with it; any other earlier run is left alone by it."""
    return known["status"] == "complete" or not known["salt"]


def _new_run_id() -> str:
    return f"{datetime.now(UTC):%Y%m%d-%H%M%S}-{secrets.token_hex(2)}"


def _create(prepared: Prepared, run_id: str, writer: Writer) -> None:
    judges = [
        {
            "fingerprint": judge.fingerprint,
            "name": judge.name,
            "title": judge.title,
            "licence": judge.licence,
            "details": canonical_json(judge.details),
        }
        for judge in prepared.judges
    ]
    records = prepared.records.records
    writer.create_run(
        prepared.run_row(run_id),
        judges,
        [(record, prepared.spans[record.record_id], at) for at, record in enumerate(records)],
        [(skipped, len(records) + at) for at, skipped in enumerate(prepared.records.skipped)],
        prepared.material.pairs,
    )


def _finish(prepared: Prepared, run_id: str, reader: Reader, writer: Writer) -> None:
    concluded = prepared.kind.conclude(prepared.config, prepared.material, reader, run_id)
    for event, detail in concluded.events:
        writer.event(run_id, event, **detail)
    writer.finish(run_id, concluded.divergences, concluded.review)
