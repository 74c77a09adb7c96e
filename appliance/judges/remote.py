"""A model under audit that is not ours to run: a server with OpenAI's chat interface, or a command.

Only the configured address is called, by the parent process, without any proxy. Every failure becomes a
response with its reason; none is dropped.
"""

from __future__ import annotations

import json
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from typing import Any

TRIES = 3
PAUSE = 1.0  # seconds before the second try, twice that before the third
SHOWN = 300


@dataclass(frozen=True)
class Answered:
    """text: "" with an error. cut: it ran into the token limit. detail: what the server said of itself."""

    text: str = ""
    cut: bool = False
    error: str = ""
    seconds: float = 0.0
    detail: str = ""


Ask = Callable[[str], Answered]


@dataclass(frozen=True)
class Endpoint:
    """See `ModelConfig`. api_key: "" for none."""

    address: str
    served: str
    system: str
    max_tokens: int
    temperature: float
    seed: int
    timeout: float
    api_key: str = ""

    def __call__(self, task: str) -> Answered:
        messages = [{"role": "user", "content": task}]
        if self.system:
            messages.insert(0, {"role": "system", "content": self.system})
        body = {
            "model": self.served,
            "messages": messages,
            "max_tokens": self.max_tokens,
            "temperature": self.temperature,
            "seed": self.seed,
        }
        return _tried(lambda: self._once(body))

    def _once(self, body: dict[str, Any]) -> Answered:
        headers = {"Content-Type": "application/json"}
        if self.api_key:
            headers["Authorization"] = f"Bearer {self.api_key}"
        request = urllib.request.Request(
            f"{self.address.rstrip('/')}/chat/completions", json.dumps(body).encode(), headers, method="POST"
        )
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}), _NoRedirect())
        started = time.monotonic()
        with opener.open(request, timeout=self.timeout) as found:
            reply = json.loads(found.read())
        choice = reply["choices"][0]
        told = {"model": reply.get("model"), "usage": reply.get("usage"), "finish": choice["finish_reason"]}
        return Answered(
            text=str(choice["message"]["content"] or ""),
            cut=choice["finish_reason"] == "length",
            seconds=round(time.monotonic() - started, 3),
            detail=json.dumps(told),
        )


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """A redirect would lead to an address that nobody has allowed."""

    def redirect_request(self, *told: Any, **more: Any) -> None:
        return None


@dataclass(frozen=True)
class Command:
    """A program that reads the task from standard input and writes the response."""

    arguments: tuple[str, ...]
    timeout: float

    def __call__(self, task: str) -> Answered:
        return _tried(lambda: self._once(task))

    def _once(self, task: str) -> Answered:
        started = time.monotonic()
        found = subprocess.run(
            self.arguments, input=task, capture_output=True, text=True, encoding="utf-8", errors="replace",
            timeout=self.timeout, check=False,
        )  # fmt: skip
        if found.returncode:
            raise OSError(f"exit code {found.returncode}: {found.stderr.strip()[-SHOWN:]}")
        return Answered(text=found.stdout, seconds=round(time.monotonic() - started, 3))


def _tried(once: Callable[[], Answered]) -> Answered:
    """Up to three times, with a pause; the last failure is the answer."""
    error = ""
    for attempt in range(TRIES):
        if attempt:
            time.sleep(PAUSE * attempt)
        try:
            return once()
        except urllib.error.HTTPError as failed:
            error = f"HTTP {failed.code}: {failed.read(SHOWN).decode(errors='replace')}"
            if failed.code < 500 and failed.code != 429:
                break
        except (OSError, ValueError, KeyError, IndexError, subprocess.SubprocessError) as failed:
            error = f"{type(failed).__name__}: {failed}"[:SHOWN]
    return Answered(error=error)


def ask_all(
    ask: Ask, tasks: Iterable[tuple[Any, str]], concurrency: int, stopping: Callable[[], bool]
) -> Iterator[tuple[Any, Answered]]:
    """(key, task) -> (key, answer), each as soon as it is there, never more than `concurrency` in flight.
    Ends early, after those in flight, when `stopping()` turns true."""
    coming = iter(tasks)
    with ThreadPoolExecutor(concurrency) as pool:
        running: dict[Future[Answered], Any] = {}
        while True:
            while len(running) < concurrency and not stopping():
                following = next(coming, None)
                if following is None:
                    break
                running[pool.submit(ask, following[1])] = following[0]
            if not running:
                return
            done, _ = wait(running, timeout=0.5, return_when=FIRST_COMPLETED)
            for future in done:
                yield running.pop(future), future.result()
