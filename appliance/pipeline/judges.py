"""From a judge's name in the configuration to something that can be asked."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from appliance.audits.interface import Audit
from appliance.config import JudgesConfig
from appliance.domain.base import digest
from appliance.domain.models import ModelManifest
from appliance.judges import scripted
from appliance.judges.client import WorkerSession
from appliance.judges.interface import JudgeSession
from appliance.judges.manifests import load_manifest, weights_dir
from appliance.judges.protocol import Load
from appliance.judges.tokens import ENCODER
from appliance.judges.weights import verify_weights, weights_digest
from appliance.judges.worker import engine_version
from appliance.pipeline.machine import gpu_devices, installed

# Beside the engine: what makes the token ids and what enforces the grammar.
_LIBRARIES = ("transformers", "tokenizers", "outlines", "llguidance", "xgrammar")


@dataclass(frozen=True)
class JudgeSpec:
    """A judge in one configuration. `details` is what its fingerprint hashes; `session(isolated)` makes a
    fresh one, not yet started. `weights` is None for a scripted judge."""

    name: str
    title: str
    licence: str
    fingerprint: str
    details: dict[str, Any]
    session: Callable[[bool], JudgeSession]
    manifest: ModelManifest | None = None
    weights: Path | None = None


class Asking(NamedTuple):
    """What the asker adds to a model's fingerprint. prompt: hash of what is asked of every record."""

    prompt: str
    reply_version: str
    temperatures: tuple[float, ...]


def judge_spec(root: Path, name: str, config: JudgesConfig, audit: Audit) -> JudgeSpec:
    """Look up a judge and check its weights against their lock. ModelError says what to do if not."""
    asking = Asking(audit.prompt.sha256, audit.reply_version, tuple(audit.temperatures))
    return model_spec(root, name, config, asking)


def model_spec(root: Path, name: str, config: JudgesConfig, asking: Asking) -> JudgeSpec:
    """Any local model, whoever asks it; errors as `judge_spec`."""
    if name.startswith(scripted.PREFIX):
        return _scripted(name, asking)
    manifest = load_manifest(root, name)
    directory = weights_dir(root, manifest)
    digest_of_weights = weights_digest(verify_weights(directory))
    details = _details(manifest, digest_of_weights, config, asking)
    # One folder a model: what one worker leaves is never read by another model's.
    cache = root / "models" / "weights" / ".cache" / digest_of_weights[:16]

    def session(isolated: bool) -> JudgeSession:
        load = Load(
            weights=str(directory),
            prompt=manifest.prompt,
            engine=manifest.engine,
            backend=config.backend,
            seed=config.seed,
            isolated=isolated,
        )
        return WorkerSession(name, load, cache)

    return JudgeSpec(
        name, manifest.title, manifest.licence, digest(details), details, session, manifest, directory
    )


def _details(manifest: ModelManifest, weights: str, config: JudgesConfig, asked: Asking) -> dict[str, Any]:
    """Everything that can change an answer. Memory shares and batch size are left out: they change speed.
    (Batch composition can move a greedy answer too; that is repeat noise, to be measured as such.)"""
    engine = manifest.engine
    return {
        "model": manifest.name,
        "weights": weights,
        "engine": engine_version(),
        "device": "cuda" if gpu_devices() else "cpu",
        "backend": config.backend,
        "precision": engine.precision,
        "quantisation": engine.quantisation,
        "context": engine.context,
        "tensor_parallel_size": engine.tensor_parallel_size,
        "eager": engine.eager,
        "libraries": {name: installed(name) for name in _LIBRARIES},
        "encoder": ENCODER,
        "prompt_style": manifest.prompt.model_dump(mode="json"),
        "seed": config.seed,
        "temperatures": list(asked.temperatures),
        "prompt": asked.prompt,
        "reply_version": asked.reply_version,
    }


def _scripted(name: str, asked: Asking) -> JudgeSpec:
    scripted.check_name(name)
    told = {"prompt": asked.prompt, "reply_version": asked.reply_version}
    details = scripted.script_details(name) | told
    return JudgeSpec(
        name=name,
        title=scripted.TITLE,
        licence="part of the appliance",
        fingerprint=digest(details),
        details=details,
        session=lambda isolated: scripted.ScriptedSession(name),
    )
