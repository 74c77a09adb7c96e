"""Asking the model under audit: each variant once, every response committed as soon as it is there."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from appliance.config import Config
from appliance.domain.base import digest
from appliance.domain.grids import GridVariant, Response
from appliance.domain.tasks import Message, Question, Sampling, Segment, Task, make_task
from appliance.errors import ConfigError, EngineError, IncompleteError
from appliance.judges.remote import Answered, Command, Endpoint, ask_all
from appliance.pipeline.intersectional.variants import load_grid
from appliance.pipeline.judges import Asking, JudgeSpec, model_spec
from appliance.pipeline.progress import WAIT, Progress
from appliance.store.database import check_place, open_for_writing, writer_lock
from appliance.store.reader import Reader
from appliance.store.writer import Writer

BATCH = 8
Key = tuple[GridVariant, int]  # a variant and its repeat


@dataclass(frozen=True)
class Target:
    """The model under audit. fingerprint: hashes all that can change a response. spec: of a local one."""

    name: str
    details: dict[str, Any]
    spec: JudgeSpec | None = None

    @property
    def fingerprint(self) -> str:
        return digest(self.details)


def target_of(config: Config, root: Path) -> Target:
    """ModelError where a local model or its weights are missing; ConfigError without any source."""
    model = config.model
    told = {"system": model.system, "max_tokens": model.max_tokens, "temperature": model.temperature}
    if model.name:
        asking = Asking(digest(model.system), f"free-text/1:{model.max_tokens}", (model.temperature,))
        spec = model_spec(root, model.name, config.judges, asking)
        return Target(model.name, {**spec.details, **told}, spec)
    if model.endpoint:
        if not model.served:
            raise ConfigError("model.served: missing", "The name of the model at that endpoint.")
        seed = config.judges.seed
        return Target(
            model.served, {"endpoint": model.endpoint, "served": model.served, "seed": seed, **told}
        )
    if model.command:
        return Target(" ".join(model.command), {"command": list(model.command)})
    raise ConfigError("[model]: no source of responses", "Give name, endpoint, command or responses.")


def needs_responses(config: Config) -> bool:
    """Whether a model under audit has to be asked before anything can be judged."""
    given = config.input.path or config.model.responses
    return config.audit == "intersectional" and not given


def request_hash(text: str) -> str:
    """A changed task is a new request, whatever its variant is called."""
    return digest(text)[:32]


def collect(
    config: Config, root: Path, isolated: bool, progress: Progress, stopping: Callable[[], bool]
) -> int:
    """Ask for every response that the store lacks; returns how many were asked. IncompleteError when stopped:
    what came is kept, and the same command goes on. A response that failed is asked again by the next run."""
    target, grid, store = target_of(config, root), load_grid(config), config.resolve(config.store)
    check_place(store)
    with writer_lock(store):
        database = open_for_writing(store)
        try:
            reader, writer = Reader(database), Writer(database, store)
            writer.target(target.fingerprint, target.details)
            held = {key for key, found in reader.responses(target.fingerprint).items() if not found.error}
            wanted = (
                (variant, repeat)
                for variant in grid.variants()
                for repeat in range(config.model.repeats)
                if (variant.variant_id, repeat, request_hash(variant.text)) not in held
            )
            total = len(grid) * config.model.repeats
            counted = _Counted(target, total, len(held), writer, progress)
            for key, answered in _answers(config, target, wanted, isolated, counted, stopping):
                counted.take(key, answered)
            counted.commit()
            if stopping():
                raise IncompleteError("interrupted", "Run the same command again to go on.")
            return counted.asked
        finally:
            database.close()


class _Counted:
    """Commits in small groups and counts only what is committed."""

    def __init__(self, target: Target, total: int, done: int, writer: Writer, progress: Progress) -> None:
        self._target, self._total, self._done = target, total, min(done, total)
        self._writer, self._progress = writer, progress
        self._waiting: list[tuple[Response, str]] = []
        self.asked = 0

    def say(self, what: str) -> None:
        self._progress(self._target.name, self._done, self._total, what)

    def take(self, key: Key, answered: Answered) -> None:
        variant, repeat = key
        response = Response(
            target=self._target.fingerprint,
            variant_id=variant.variant_id,
            repeat=repeat,
            text=_storable(answered.text),
            cut=answered.cut,
            error=_storable(answered.error),
            seconds=answered.seconds,
            detail=_storable(answered.detail),
        )
        self._waiting.append((response, request_hash(variant.text)))
        self.asked += 1
        if len(self._waiting) >= BATCH:
            self.commit()

    def commit(self) -> None:
        if self._waiting:
            self._writer.save_responses(self._waiting)
            self._done += len(self._waiting)
            self._waiting = []
            self.say("asking the model under audit")


def _storable(text: str) -> str:
    return text.encode("utf-8", "backslashreplace").decode().replace("\0", "\\x00")


def _answers(
    config: Config, target: Target, wanted: Iterator[Key], isolated: bool, counted: _Counted,
    stopping: Callable[[], bool],
) -> Iterator[tuple[Key, Answered]]:  # fmt: skip
    if target.spec is not None:
        yield from _local(config, target.spec, wanted, isolated, counted, stopping)
        return
    tasks = ((key, key[0].text) for key in wanted)
    yield from ask_all(_asker(config), tasks, config.model.concurrency, stopping)


def _asker(config: Config) -> Endpoint | Command:
    model = config.model
    if model.command:
        return Command(model.command, model.timeout)
    key = config.resolve(model.api_key_file).read_text("utf-8").strip() if model.api_key_file else ""
    return Endpoint(
        model.endpoint, model.served, model.system, model.max_tokens, model.temperature, config.judges.seed,
        model.timeout, key,
    )  # fmt: skip


def _local(
    config: Config, spec: JudgeSpec, wanted: Iterable[Key], isolated: bool, counted: _Counted,
    stopping: Callable[[], bool],
) -> Iterator[tuple[Key, Answered]]:  # fmt: skip
    """Through a worker of its own. Two variants with one text are two tasks: each has its response."""
    coming, waiting = iter(wanted), dict[str, Key]()
    first = next(coming, None)
    if first is None:
        return
    session = spec.session(isolated)
    try:
        counted.say("loading the model under audit")
        session.start(stopping)
        following: Key | None = first
        while following is not None or waiting:
            while following is not None and len(waiting) < session.capacity and not stopping():
                task = _task(config, spec, following)
                waiting[task.task_id] = following
                session.submit(task)
                following = next(coming, None)
            for reply in session.receive(WAIT):
                error = reply.detail or reply.kind if reply.kind != "text" else ""
                yield (
                    waiting.pop(reply.task_id),
                    Answered(reply.text, reply.finish_reason == "length", error, reply.seconds),
                )
            if stopping() and not waiting:
                return
    except EngineError as error:
        hint = f"{error.hint} What came is kept: run the same command again to go on."
        raise IncompleteError(error.message, hint) from None
    finally:
        session.close()


def _task(config: Config, spec: JudgeSpec, key: Key) -> Task:
    variant, repeat = key
    messages = [Message(role="user", segments=(Segment(text=variant.text, trusted=False),))]
    if config.model.system:
        told = Segment(text=config.model.system, trusted=False)
        messages.insert(0, Message(role="system", segments=(told,)))
    question = Question(
        messages=tuple(messages), reply_schema={}, decisions=(), free_tokens=config.model.max_tokens
    )
    sampling = Sampling(temperature=config.model.temperature, seed=config.judges.seed + repeat)
    return make_task(spec.fingerprint, question, sampling, f"{variant.variant_id} {repeat}")
