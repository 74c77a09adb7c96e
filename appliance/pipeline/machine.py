"""Facts about this machine, read without starting anything: packages, devices, cores, memory."""

from __future__ import annotations

import os
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path


def installed(package: str) -> str:
    """The version by its metadata, without importing it; empty when it is not there."""
    try:
        return version(package)
    except PackageNotFoundError:
        return ""


def gpu_devices() -> int:
    return len(list(Path("/dev").glob("nvidia[0-9]*")))


def usable_cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def memory_gib(field: str) -> float:
    words = proc_field("/proc/meminfo", field).split()
    return int(words[0]) / 2**20 if words else 0.0


def proc_field(path: str, field: str) -> str:
    try:
        lines = Path(path).read_text(encoding="utf-8").splitlines()
    except OSError:
        return ""
    return next((line.split(":", 1)[1].strip() for line in lines if line.startswith(f"{field}:")), "")
