"""The only writer. Each method is one transaction: after it returns, a crash loses nothing of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sqlite_utils import Database

from appliance.domain.base import canonical_json
from appliance.domain.grids import Response
from appliance.domain.pairs import TestPair
from appliance.domain.records import Record, SkippedRecord, Span
from appliance.domain.tasks import Reply, Task
from appliance.domain.verdicts import Divergence, Verdict
from appliance.store import rows
from appliance.store.database import reported, transaction


@dataclass
class CellTask:
    """Which task was the n-th attempt at a record by a judge, and why it failed (empty if it did not)."""

    record_id: str
    repeat: int
    attempt_no: int
    task_id: str
    failure: str


@dataclass
class Batch:
    """What is committed together."""

    tasks: list[Task] = field(default_factory=list)
    replies: list[Reply] = field(default_factory=list)
    cell_tasks: list[CellTask] = field(default_factory=list)
    verdicts: list[Verdict] = field(default_factory=list)

    def __bool__(self) -> bool:
        return bool(self.tasks or self.replies or self.cell_tasks or self.verdicts)


class Writer:
    def __init__(self, database: Database, path: Path) -> None:
        self._db = database
        self._path = path

    @contextmanager
    def _commit(self) -> Iterator[None]:
        with reported(self._path), transaction(self._db):
            yield

    def create_run(
        self,
        run: dict[str, Any],
        judges: Sequence[dict[str, Any]],
        records: Sequence[tuple[Record, tuple[Span, ...], int]],
        skipped: Sequence[tuple[SkippedRecord, int]],
        pairs: Sequence[TestPair] = (),
    ) -> None:
        """run: row of `runs` without times. judges: rows of `judges`, first and second. The integers are
        the positions in the input. pairs: what a judge-bias audit compares, in order."""
        run_id = run["run_id"]
        with self._commit():
            self._insert("runs", [run | {"created": rows.now(), "status": "running", "finished": None}])
            self._insert("judges", judges, ignore=True)
            self._insert(
                "run_judges",
                [
                    {"run_id": run_id, "position": i, "fingerprint": j["fingerprint"]}
                    for i, j in enumerate(judges)
                ],
            )
            self._insert("records", [rows.record_row(r) for r, _, _ in records], ignore=True)
            self._insert("spans", [row for r, s, _ in records for row in rows.span_rows(r, s)], ignore=True)
            self._insert("run_records", [_run_record(run_id, r, at) for r, _, at in records])
            self._insert("run_records", [_skipped(run_id, s, at) for s, at in skipped])
            placed = enumerate(pairs)
            self._insert(
                "test_pairs", [{"run_id": run_id, "position": at, **p.model_dump()} for at, p in placed]
            )

    def save(self, run_id: str, fingerprint: str, batch: Batch) -> None:
        """Tasks, their replies and the verdicts that follow, all or nothing."""
        with self._commit():
            self._insert("tasks", [rows.task_row(t) for t in batch.tasks], ignore=True)
            self._insert("attempts", [rows.attempt_row(run_id, r) for r in batch.replies])
            cells = [{"run_id": run_id, "fingerprint": fingerprint, **vars(c)} for c in batch.cell_tasks]
            # A resumed run asks again what only the engine failed at: the newer outcome counts.
            self._insert("cell_tasks", cells, replace=True)
            for verdict in batch.verdicts:
                self._verdict(run_id, fingerprint, verdict)

    def _verdict(self, run_id: str, fingerprint: str, verdict: Verdict) -> None:
        self._insert("verdicts", [rows.verdict_row(run_id, fingerprint, verdict)])
        self._insert("findings", rows.finding_rows(run_id, fingerprint, verdict))
        self._insert("label_probabilities", rows.probability_rows(run_id, fingerprint, verdict))

    def target(self, target: str, details: dict[str, Any]) -> None:
        """The model under audit, by its fingerprint."""
        with self._commit():
            self._insert("targets", [{"target": target, "details": canonical_json(details)}], ignore=True)

    def save_responses(self, responses: Sequence[tuple[Response, str]]) -> None:
        """Each with the hash of its request. One that failed before is replaced."""
        found = [
            {**response.model_dump(), "request": request, "received": rows.now()}
            for response, request in responses
        ]
        with self._commit():
            self._insert("responses", found, replace=True)

    def event(self, run_id: str, kind: str, **detail: Any) -> None:
        """One line of the run's history: model load, sandbox check, retry, interruption, end."""
        row = {"run_id": run_id, "time": rows.now(), "kind": kind, "detail": canonical_json(detail)}
        with self._commit():
            self._insert("events", [row])

    def finish(
        self, run_id: str, divergences: Sequence[Divergence], review: dict[str, tuple[str, ...]]
    ) -> None:
        """Close a run: record-level divergence, and the review queue (record_id -> reasons)."""
        items = [
            {
                "item_id": f"{run_id}:{record_id}",
                "run_id": run_id,
                "record_id": record_id,
                "reasons": canonical_json(list(reasons)),
                "status": "open",
                "created": rows.now(),
            }
            for record_id, reasons in review.items()
        ]
        with self._commit():
            self._insert("divergences", [rows.divergence_row(run_id, d) for d in divergences], replace=True)
            self._insert("review_items", items, ignore=True)
            self._db.table("runs").update(run_id, {"status": "complete", "finished": rows.now()})

    def _insert(
        self, table: str, values: Sequence[dict[str, Any]], ignore: bool = False, replace: bool = False
    ) -> None:
        if values:
            self._db.table(table).insert_all(values, ignore=ignore, replace=replace)


def _run_record(run_id: str, record: Record, position: int) -> dict[str, Any]:
    return {
        "run_id": run_id,
        "record_id": record.record_id,
        "position": position,
        "place": record.place,
        "content_hash": record.content_hash,
        "skipped": None,
    }


def _skipped(run_id: str, skipped: SkippedRecord, position: int) -> dict[str, Any]:
    return {
        "run_id": run_id,
        "record_id": skipped.record_id,
        "position": position,
        "place": skipped.place,
        "content_hash": None,
        "skipped": canonical_json(skipped.model_dump(exclude={"record_id", "place"})),
    }
