"""What the pipeline needs of a judge, whoever answers: the real engine or the scripted one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

from appliance.domain.tasks import Reply, Task
from appliance.judges.protocol import Ready


class JudgeSession(Protocol):
    """One judge's turn. `capacity`: tasks to keep in flight so that the engine never waits."""

    capacity: int
    sandbox: str

    def start(self, cancelled: Callable[[], bool]) -> Ready:
        """Load the model and prove the constraint. EngineError says why it cannot; IncompleteError when
        `cancelled()` turned true meanwhile."""
        ...

    def submit(self, task: Task) -> None: ...

    def receive(self, timeout: float) -> Sequence[Reply]:
        """Replies that are finished, waiting at most `timeout` seconds for the first. EngineError when
        the worker has died; replies that came before are returned first."""
        ...

    def close(self) -> None:
        """End the worker with everything it started. Never raises."""
        ...
