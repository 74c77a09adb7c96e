"""One judge's turn: keep the engine full, commit every finished reply, count only what is committed."""

from __future__ import annotations

import time
from collections.abc import Callable

from appliance.domain.tasks import Reply, Task
from appliance.errors import EngineError, IncompleteError
from appliance.judges.interface import JudgeSession
from appliance.pipeline.cells import Cell, CellRules, cells_of
from appliance.pipeline.judges import JudgeSpec
from appliance.pipeline.prepare import Prepared
from appliance.pipeline.progress import WAIT, Progress
from appliance.store.reader import Reader
from appliance.store.writer import Batch, Writer


class Turn:
    """Judge all records that this judge has not judged in this run yet. `stopping()`: asked between
    commits; when it turns true, what is finished is kept and IncompleteError is raised."""

    def __init__(
        self,
        prepared: Prepared,
        judge: JudgeSpec,
        run_id: str,
        reader: Reader,
        writer: Writer,
        progress: Progress,
        stopping: Callable[[], bool],
        isolated: bool,
    ) -> None:
        self._judge, self._run_id = judge, run_id
        self._reader, self._writer = reader, writer
        self._progress, self._stopping, self._isolated = progress, stopping, isolated
        self._rules = CellRules(prepared, judge)
        judged = reader.judged(run_id, judge.fingerprint)
        cells = cells_of(prepared)
        self._todo = iter([c for c in cells if (c.record.record_id, c.repeat) not in judged])
        self._total, self._done = len(cells), len(judged)
        self._waiting: dict[str, tuple[Task, list[Cell]]] = {}
        self._ready: list[Task] = []
        self._batch = Batch()
        self._calls = 0

    def run(self) -> None:
        self._fill(1)
        if self._waiting:
            session = self._judge.session(self._isolated)
            try:
                self._start(session)
                self._ask(session)
            finally:
                session.close()
        self._commit()

    def _start(self, session: JudgeSession) -> None:
        self._progress(self._judge.name, self._done, self._total, "loading the model")
        ready = session.start(self._stopping)
        self._writer.event(
            self._run_id,
            "model_loaded",
            judge=self._judge.name,
            fingerprint=self._judge.fingerprint,
            sandbox=session.sandbox,
            **ready.model_dump(mode="json"),
        )
        self._progress(self._judge.name, self._done, self._total, "judging")

    def _ask(self, session: JudgeSession) -> None:
        started = time.monotonic()
        try:
            while self._refill(session):
                for reply in session.receive(WAIT):
                    self._take(reply)
                self._commit()
                if self._stopping():
                    self._keep_finished(session)
                    raise IncompleteError("interrupted", "Run the same command again to go on.")
        except EngineError as error:
            again = "Finished replies are kept: run the same command again to go on."
            raise IncompleteError(error.message, f"{error.hint} {again}") from None
        finally:
            self._record_speed(time.monotonic() - started)

    def _keep_finished(self, session: JudgeSession) -> None:
        """What came in since the last commit is not asked again later."""
        for reply in session.receive(0):
            self._take(reply)
        self._commit()

    def _record_speed(self, seconds: float) -> None:
        self._writer.event(
            self._run_id,
            "turn_ended",
            judge=self._judge.name,
            fingerprint=self._judge.fingerprint,
            calls=self._calls,
            seconds=round(seconds, 3),
        )

    def _refill(self, session: JudgeSession) -> bool:
        """Submit up to the session's capacity; true while anything is in flight."""
        self._fill(session.capacity)
        for task in self._ready:
            session.submit(task)
        self._ready.clear()
        return bool(self._waiting)

    def _fill(self, capacity: int) -> None:
        while len(self._waiting) < capacity and (cell := next(self._todo, None)) is not None:
            self._advance(cell)

    def _advance(self, cell: Cell) -> None:
        """Walk a cell on until it has a verdict or waits for an answer that nobody has given yet."""
        while True:
            task = self._rules.task(cell)
            if task.task_id in self._waiting:
                self._waiting[task.task_id][1].append(cell)
                return
            reply = self._known(task.task_id)
            if reply is None:
                self._waiting[task.task_id] = (task, [cell])
                self._ready.append(task)
                return
            if self._settle(cell, task, reply):
                return

    def _known(self, task_id: str) -> Reply | None:
        """The answer to a task, kept already or about to be."""
        fresh = (r for r in self._batch.replies if r.task_id == task_id and r.kind != "engine_error")
        return next(fresh, None) or self._reader.reply(task_id)

    def _settle(self, cell: Cell, task: Task, reply: Reply) -> bool:
        link, verdict = self._rules.settle(cell, task, reply)
        self._batch.cell_tasks.append(link)
        if verdict is not None:
            self._batch.verdicts.append(verdict)
        return verdict is not None

    def _take(self, reply: Reply) -> None:
        """A fresh reply: keep it, and let every cell that waited for it go on."""
        task, cells = self._waiting.pop(reply.task_id)
        reply = _storable(reply)
        self._batch.tasks.append(task)
        self._batch.replies.append(reply)
        self._calls += 1
        for cell in cells:
            if not self._settle(cell, task, reply):
                self._advance(cell)

    def _commit(self) -> None:
        if not self._batch:
            return
        self._writer.save(self._run_id, self._judge.fingerprint, self._batch)
        self._done += len(self._batch.verdicts)
        self._batch = Batch()
        self._progress(self._judge.name, self._done, self._total, "judging")


def _storable(reply: Reply) -> Reply:
    r"""Lone surrogates written as \udXXX: neither UTF-8 nor SQLite can hold them; no reply may get lost."""
    legible = {
        name: getattr(reply, name).encode("utf-8", "backslashreplace").decode()
        for name in ("text", "detail", "finish_reason")
    }
    return reply.model_copy(update=legible)
