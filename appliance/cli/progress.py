"""Progress on standard error: a line that is rewritten on a terminal, plain lines elsewhere."""

from __future__ import annotations

import sys
import time

import click

EVERY = 15.0  # seconds between plain lines, so that a log of a long run stays short


class ProgressLines:
    """Callable as the pipeline's `Progress`."""

    def __init__(self) -> None:
        self._terminal = sys.stderr.isatty()
        self._said: tuple[str, str] = ("", "")
        self._last = 0.0
        self._open = False
        self._start: tuple[float, int] = (0.0, 0)

    def __call__(self, judge: str, done: int, total: int, note: str) -> None:
        now = time.monotonic()
        fresh = (judge, note) != self._said
        if fresh:
            self._start = (now, done)
        if not (fresh or self._terminal or now - self._last >= EVERY or done == total):
            return
        self._said, self._last = (judge, note), now
        self._write(f"{judge}: {note} {done}/{total}{self._left(now, done, total)}" if judge else note, fresh)

    def _left(self, now: float, done: int, total: int) -> str:
        since, at = self._start
        if done <= at or done == total:
            return ""
        left = (now - since) / (done - at) * (total - done)
        return f", about {left / 60:.0f} min left" if left >= 90 else f", about {left:.0f} s left"

    def _write(self, line: str, fresh: bool) -> None:
        if not self._terminal:
            click.echo(line, err=True)
            return
        start = "\n" if fresh and self._open else "\r"
        click.echo(f"{start}\x1b[2K{line}", err=True, nl=False)
        self._open = True

    def close(self) -> None:
        if self._open:
            click.echo("", err=True)
        self._open = False
