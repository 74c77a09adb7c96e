"""Telling someone: what a run's history holds as an alert goes to the file and the command of the user's
choice. No audited text is in it."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable
from pathlib import Path

from appliance.config import Config
from appliance.store.reader import Reader

TIMEOUT = 30.0  # seconds


def raise_alerts(config: Config, reader: Reader, run_id: str, warn: Callable[[str], None]) -> int:
    """Hand each alert of the run on, as one JSON object: a line of `alerts.file`, and standard input of
    `alerts.command`. A hook that fails is a warning: the alert stands in the store. Returns their number."""
    events = reader.events(run_id, "alert")
    for event in events:
        message = json.dumps({"run_id": run_id, "time": event["time"], **event["detail"]}, ensure_ascii=False)
        warn(f"ALERT: {event['detail'].get('what')}: {event['detail'].get('judge')}")
        if config.alerts.file:
            _append(config.resolve(config.alerts.file), message, warn)
        if config.alerts.command:
            _call(config.alerts.command, message, warn)
    return len(events)


def _append(path: Path, message: str, warn: Callable[[str], None]) -> None:
    try:
        with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600), "a") as file:
            file.write(message + "\n")
    except OSError as error:
        warn(f"alerts.file {path}: {error.strerror}; the alert stands in the store only")


def _call(command: tuple[str, ...], message: str, warn: Callable[[str], None]) -> None:
    try:
        done = subprocess.run(
            command, input=message, text=True, timeout=TIMEOUT, check=False, stdout=subprocess.DEVNULL
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        warn(f"alerts.command {command[0]}: {error}; the alert stands in the store only")
        return
    if done.returncode:
        warn(f"alerts.command {command[0]} ended with {done.returncode}; the alert stands in the store only")
