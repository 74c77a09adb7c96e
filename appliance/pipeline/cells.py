"""One record before one judge, once: which attempt it is at, and what follows from a reply.

The state is never stored as such. It is replayed from the kept replies, so that a resumed run walks the
same way as an uninterrupted one and asks only what has no answer yet.
"""

from __future__ import annotations

from dataclasses import dataclass

from appliance.audits.interface import Failure
from appliance.domain.records import Record
from appliance.domain.tasks import Reply, Task
from appliance.domain.verdicts import Verdict
from appliance.pipeline.judges import JudgeSpec
from appliance.pipeline.prepare import Prepared, make_question_task
from appliance.store.writer import CellTask


@dataclass
class Cell:
    record: Record
    repeat: int = 0
    attempt_no: int = 1
    failure: Failure | None = None


def cells_of(prepared: Prepared) -> list[Cell]:
    """Everything that each judge is asked: every record once, then the repeats."""
    repeats = range(1 + prepared.config.repeats.count)
    return [Cell(record, repeat) for repeat in repeats for record in prepared.records.records]


class CellRules:
    """The audit's retry rule for one judge."""

    def __init__(self, prepared: Prepared, judge: JudgeSpec) -> None:
        self._prepared = prepared
        self._judge = judge

    def task(self, cell: Cell) -> Task:
        return make_question_task(
            self._prepared, self._judge, cell.record, cell.repeat, cell.attempt_no, cell.failure
        )

    def settle(self, cell: Cell, task: Task, reply: Reply) -> tuple[CellTask, Verdict | None]:
        """What the reply means: the link to keep, and the verdict, or None when the cell goes on to its
        next attempt (the cell is then already at it)."""
        result = self._read(cell, reply)
        failure = result if isinstance(result, Failure) else None
        why = failure.why if failure else ""
        link = CellTask(cell.record.record_id, cell.repeat, cell.attempt_no, task.task_id, why)
        if failure is None:
            assert isinstance(result, Verdict)
            return link, result.model_copy(update={"attempts": cell.attempt_no, "repeat": cell.repeat})
        if reply.kind == "does_not_fit" or cell.attempt_no == len(self._prepared.audit.temperatures):
            return link, self._unscored(cell, task, reply, failure)
        cell.attempt_no += 1
        cell.failure = failure if reply.kind == "text" else cell.failure
        return link, None

    def _read(self, cell: Cell, reply: Reply) -> Verdict | Failure:
        if reply.kind == "does_not_fit":
            return Failure(f"does not fit the judge's context: {reply.detail}", "")
        if reply.kind == "engine_error":
            return Failure(f"the engine failed: {reply.detail}", "")
        spans = self._prepared.spans[cell.record.record_id]
        return self._prepared.audit.read(cell.record, spans, self._judge.name, reply)

    def _unscored(self, cell: Cell, task: Task, reply: Reply, failure: Failure) -> Verdict:
        tries = "" if reply.kind == "does_not_fit" else f"{cell.attempt_no} attempts failed, the last: "
        return Verdict(
            record_id=cell.record.record_id,
            judge=self._judge.name,
            status="unscored",
            reason=tries + failure.why,
            task_id=task.task_id,
            attempts=cell.attempt_no,
            repeat=cell.repeat,
        )
