"""All reading. Values come back as domain types, in input order."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Any

from sqlite_utils import Database

from appliance.domain.grids import Response
from appliance.domain.pairs import TestPair
from appliance.domain.records import Record, SkippedRecord, Span
from appliance.domain.tasks import Reply
from appliance.domain.verdicts import Divergence, Verdict
from appliance.errors import UnknownIdError
from appliance.store import rows


class Reader:
    def __init__(self, database: Database) -> None:
        self._db = database

    def _rows(self, sql: str, values: Iterable[Any] = ()) -> list[dict[str, Any]]:
        return [dict(row) for row in self._db.conn.execute(sql, tuple(values))]

    def runs(self) -> list[dict[str, Any]]:
        """Rows of `runs`, newest first."""
        return self._rows("SELECT * FROM runs ORDER BY created DESC, rowid DESC")

    def run(self, run_id: str) -> dict[str, Any]:
        """One run by its id, a unique beginning of it, or "latest"."""
        runs = self.runs()
        if run_id == "latest" and runs:
            return runs[0]
        found = [run for run in runs if run["run_id"].startswith(run_id)]
        if len(found) == 1:
            return found[0]
        known = ", ".join(run["run_id"] for run in runs[:5]) or "none"
        what = f"{len(found)} runs begin with '{run_id}'" if found else f"no run '{run_id}'"
        raise UnknownIdError(what, f"Runs in this store, newest first: {known}.")

    def run_with_identity(self, identity: str) -> dict[str, Any] | None:
        """The newest run of exactly these records, judges, prompt and settings."""
        found = self._rows(
            "SELECT * FROM runs WHERE identity = ? ORDER BY created DESC, rowid DESC LIMIT 1", [identity]
        )
        return found[0] if found else None

    def judges(self, run_id: str) -> list[dict[str, Any]]:
        """Rows of `judges`, first and second, with `details` decoded."""
        found = self._rows(
            "SELECT j.* FROM judges j JOIN run_judges r USING (fingerprint) WHERE r.run_id = ? "
            "ORDER BY r.position",
            [run_id],
        )
        return [row | {"details": json.loads(row["details"])} for row in found]

    def records(self, run_id: str) -> list[Record]:
        sql = (
            "SELECT r.*, rr.place FROM records r JOIN run_records rr USING (content_hash) "
            "WHERE rr.run_id = ? ORDER BY rr.position"
        )
        return [rows.record_of(row) for row in self._rows(sql, [run_id])]

    def skipped(self, run_id: str) -> list[SkippedRecord]:
        sql = "SELECT * FROM run_records WHERE run_id = ? AND skipped IS NOT NULL ORDER BY position"
        return [
            SkippedRecord(record_id=row["record_id"], place=row["place"], **json.loads(row["skipped"]))
            for row in self._rows(sql, [run_id])
        ]

    def spans(self, run_id: str) -> dict[str, tuple[Span, ...]]:
        """record_id -> its spans: text, then context, in order."""
        sql = (
            "SELECT rr.record_id, s.* FROM spans s JOIN run_records rr USING (content_hash) "
            "WHERE rr.run_id = ? ORDER BY rr.position, s.source DESC, s.start"
        )
        found: dict[str, list[Span]] = defaultdict(list)
        for row in self._rows(sql, [run_id]):
            fields = {name: row[name] for name in Span.model_fields}
            found[row["record_id"]].append(Span(**fields))
        return {record_id: tuple(spans) for record_id, spans in found.items()}

    def pairs(self, run_id: str) -> list[TestPair]:
        """What a judge-bias run compares, in order; empty for other audits."""
        sql = "SELECT * FROM test_pairs WHERE run_id = ? ORDER BY position"
        return [TestPair(**{k: row[k] for k in TestPair.model_fields}) for row in self._rows(sql, [run_id])]

    def responses(self, target: str) -> dict[tuple[str, int, str], Response]:
        """What a model under audit answered: (variant_id, repeat, hash of the request) -> response."""
        sql = "SELECT * FROM responses WHERE target = ?"
        return {
            (row["variant_id"], row["repeat"], row["request"]): Response(
                **{name: row[name] for name in Response.model_fields}
            )
            for row in self._rows(sql, [target])
        }

    def reply(self, task_id: str) -> Reply | None:
        """The kept reply to a task, from whichever run asked it; None when it has not been answered.
        An engine's own error is no answer: it is kept, and asked again."""
        found = self._rows(
            "SELECT * FROM attempts WHERE task_id = ? AND kind != 'engine_error' ORDER BY attempt_id LIMIT 1",
            [task_id],
        )
        return rows.reply_of(found[0]) if found else None

    def judged(self, run_id: str, fingerprint: str) -> set[tuple[str, int]]:
        """(record_id, repeat) of every verdict of this judge."""
        sql = "SELECT record_id, repeat FROM verdicts WHERE run_id = ? AND fingerprint = ?"
        return {(row["record_id"], row["repeat"]) for row in self._rows(sql, [run_id, fingerprint])}

    def repeats(self, run_id: str, fingerprint: str) -> list[int]:
        """Which repeats this judge has verdicts of, in order; 0 is the answer that counts."""
        sql = "SELECT DISTINCT repeat FROM verdicts WHERE run_id = ? AND fingerprint = ? ORDER BY repeat"
        return [row["repeat"] for row in self._rows(sql, [run_id, fingerprint])]

    def verdicts(self, run_id: str, fingerprint: str, repeat: int = 0) -> dict[str, Verdict]:
        """record_id -> verdict with its findings and distributions."""
        key = [run_id, fingerprint, repeat]
        where = "WHERE run_id = ? AND fingerprint = ? AND repeat = ?"
        findings, places = defaultdict(list), defaultdict(list)
        for row in self._rows(f"SELECT * FROM findings {where} ORDER BY source DESC, start", key):
            findings[row["record_id"]].append(rows.finding_of(row))
        for row in self._rows(f"SELECT * FROM label_probabilities {where} ORDER BY rowid", key):
            places[row["record_id"]].append(rows.distribution_of(row))
        return {
            row["record_id"]: rows.verdict_of(
                row, tuple(findings[row["record_id"]]), tuple(places[row["record_id"]])
            )
            for row in self._rows(f"SELECT * FROM verdicts {where}", key)
        }

    def cell_tasks(self, run_id: str, fingerprint: str) -> list[dict[str, Any]]:
        """Attempts at each record by one judge: record_id, repeat, attempt_no, task_id, failure."""
        sql = (
            "SELECT * FROM cell_tasks WHERE run_id = ? AND fingerprint = ? "
            "ORDER BY record_id, repeat, attempt_no"
        )
        return self._rows(sql, [run_id, fingerprint])

    def prompts(self, run_id: str, fingerprint: str) -> dict[str, str]:
        """task_id -> the prompt of the task that gave each verdict, as it was sent: roles and texts."""
        sql = (
            "SELECT t.task_id, t.messages FROM verdicts v JOIN tasks t USING (task_id) "
            "WHERE v.run_id = ? AND v.fingerprint = ?"
        )
        return {r["task_id"]: rows.prompt_of(r["messages"]) for r in self._rows(sql, [run_id, fingerprint])}

    def baseline(self, run_id: str, judge: str) -> dict[str, float | None] | None:
        """dimension -> mean difference that a complete judge-bias run left of this judge, if it did."""
        found = [e["detail"] for e in self.events(run_id, "baseline") if e["detail"]["judge"] == judge]
        return dict(found[-1]["means"]) if found else None

    def divergences(self, run_id: str) -> dict[str, Divergence]:
        found = self._rows("SELECT * FROM divergences WHERE run_id = ?", [run_id])
        return {row["record_id"]: rows.divergence_of(row) for row in found}

    def review(self, run_id: str) -> dict[str, tuple[str, ...]]:
        """record_id -> reasons why people must look, in input order."""
        sql = (
            "SELECT i.record_id, i.reasons FROM review_items i JOIN run_records r "
            "ON r.run_id = i.run_id AND r.record_id = i.record_id WHERE i.run_id = ? ORDER BY r.position"
        )
        return {row["record_id"]: tuple(json.loads(row["reasons"])) for row in self._rows(sql, [run_id])}

    def events(self, run_id: str, kind: str) -> list[dict[str, Any]]:
        sql = "SELECT * FROM events WHERE run_id = ? AND kind = ? ORDER BY seq"
        return [row | {"detail": json.loads(row["detail"])} for row in self._rows(sql, [run_id, kind])]

    def speed(self, fingerprint: str) -> float | None:
        """Calls per second of this judge over all its turns in this store; None where it had none."""
        sql = (
            "SELECT sum(json_extract(detail, '$.calls')) AS calls, sum(json_extract(detail, '$.seconds')) "
            "AS seconds FROM events WHERE kind = 'turn_ended' AND json_extract(detail, '$.fingerprint') = ?"
        )
        row = self._rows(sql, [fingerprint])[0]
        return row["calls"] / row["seconds"] if row["calls"] and row["seconds"] else None

    def finding(self, finding_id: str) -> dict[str, Any]:
        """One finding by its id or a unique beginning of it, from the newest run that holds it."""
        sql = (
            "SELECT f.*, r.created AS run_created FROM findings f JOIN runs r USING (run_id) "
            "WHERE substr(f.finding_id, 1, ?) = ? ORDER BY r.created DESC, r.rowid DESC"
        )
        found = self._rows(sql, [len(finding_id), finding_id]) if finding_id else []
        if not found or len({row["finding_id"] for row in found}) > 1:
            what = "several findings begin with" if found else "no finding"
            raise UnknownIdError(
                f"{what} '{finding_id}'",
                "Reports show the ids; -s names the report's store.",
            )
        return found[0]

    def attempt(self, task_id: str) -> dict[str, Any]:
        """A task with its kept attempt, columns of both (messages and reply_schema as JSON text)."""
        sql = (
            "SELECT * FROM tasks JOIN attempts USING (task_id) "
            "WHERE task_id = ? AND kind != 'engine_error' ORDER BY attempt_id LIMIT 1"
        )
        found: Sequence[dict[str, Any]] = self._rows(sql, [task_id])
        return found[0]

    def counts(self, run_id: str) -> dict[str, int]:
        """Attempts made by this run and tokens of them."""
        sql = (
            "SELECT count(*) AS attempts, coalesce(sum(prompt_tokens), 0) AS prompt_tokens, "
            "coalesce(sum(reply_tokens), 0) AS reply_tokens FROM attempts WHERE run_id = ?"
        )
        return self._rows(sql, [run_id])[0]
