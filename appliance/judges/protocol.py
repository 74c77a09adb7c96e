"""What parent and worker say to each other: one JSON object a line, over pipes of their own."""

from __future__ import annotations

from typing import Literal

from appliance.domain.base import Frozen
from appliance.domain.models import EngineSettings, PromptStyle
from appliance.domain.tasks import Reply, Task


class Load(Frozen):
    """Parent to worker, first and once. weights: absolute path, already verified by the parent."""

    weights: str
    prompt: PromptStyle
    engine: EngineSettings
    backend: Literal["guidance", "xgrammar"]
    seed: int
    isolated: bool


class Ready(Frozen):
    """Worker to parent, once the engine answers and the canary has shown that the grammar is in force."""

    engine: str
    device: str
    interfaces: tuple[str, ...]
    canary: str
    load_seconds: float


class ToWorker(Frozen):
    load: Load | None = None
    task: Task | None = None


class ToParent(Frozen):
    """Exactly one is set. fatal: why the worker ends; hint: what to do."""

    ready: Ready | None = None
    reply: Reply | None = None
    fatal: str = ""
    hint: str = ""
