"""A user's own directory of safetensors becomes a judge: refuse what is unsafe, copy, lock, describe."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from appliance.domain.models import EngineSettings, ModelManifest, PromptStyle
from appliance.errors import ModelError
from appliance.judges.manifests import load_manifest, manifest_path, weights_dir, write_manifest
from appliance.judges.provision import Progress, run_module
from appliance.judges.refusals import refuse_unsafe
from appliance.judges.weights import LOCK, lock_weights, staged, verify_weights

UNKNOWN_LICENCE = "unknown: stated by nobody"
_LONGEST_CONTEXT = 32768  # of a manifest that nobody has edited yet: a longer one costs cache memory
_FALLBACK_CONTEXT = 4096
_PRECISIONS = ("bfloat16", "float16", "float32")


def import_model(
    root: Path,
    source: Path,
    name: str,
    progress: Progress,
    *,
    title: str = "",
    licence: str = UNKNOWN_LICENCE,
    in_place: bool = False,
) -> ModelManifest:
    """Make a judge NAME of the directory `source`: checks, weights, lock, then models/NAME.toml.

    The files are copied to models/weights/NAME. With `in_place` they stay where they are, and the lock
    file is written beside them. A manifest that is there already, without weights, is kept as it is."""
    source, known = source.expanduser().resolve(), manifest_path(root, name).exists()
    kept = _kept(root, source, name, in_place) if known else None
    progress(f"{name}: checking {source}")
    _check(source)
    manifest = kept or _described(source, name, title, licence, in_place)
    _place(root, source, manifest, progress)
    if not kept:
        write_manifest(root, manifest)
        progress(
            f"{name}: read from its files: {_summary(manifest)}. To change any of it, edit the manifest."
        )
    return manifest


def _kept(root: Path, source: Path, name: str, in_place: bool) -> ModelManifest:
    manifest = load_manifest(root, name)
    directory, path = weights_dir(root, manifest), manifest_path(root, name)
    if (directory / LOCK).exists():
        raise ModelError(f"there is a judge '{name}' already, with weights", "Choose another --name.")
    if in_place and directory.resolve() != source:
        raise ModelError(
            f"{path} does not name {source}", f'Write weights = "{source}" there, or drop --in-place.'
        )
    return manifest


def _summary(manifest: ModelManifest) -> str:
    prompt, engine = manifest.prompt, manifest.engine
    system = "yes" if prompt.system_role else "no"
    text = f"style {prompt.style}, system role {system}, BOS {prompt.bos}, thinking {prompt.thinking}"
    return f"{text}, context {engine.context}, precision {engine.precision}"


def _check(source: Path) -> None:
    refuse_unsafe(source)
    if (source / LOCK).exists():  # carried over from another machine: damage on the way shows here
        verify_weights(source)


def _place(root: Path, source: Path, manifest: ModelManifest, progress: Progress) -> None:
    origin = f"import of the folder {source.name}"  # not its path: locks travel, paths name people
    try:
        if weights_dir(root, manifest).resolve() == source:
            progress(f"{manifest.name}: hashing in place")
            lock_weights(source, manifest.name, origin)
            return
        with staged(weights_dir(root, manifest)) as partial:
            progress(f"{manifest.name}: copying")
            for path in sorted(source.iterdir()):
                shutil.copyfile(path, partial / path.name, follow_symlinks=False)
            refuse_unsafe(partial)
            lock_weights(partial, manifest.name, origin)
    except OSError as error:
        raise ModelError(
            f"{error.filename or source}: {error.strerror}",
            "Import needs room and permission to write in models/weights/, or in DIR with --in-place.",
        ) from None


def _described(source: Path, name: str, title: str, licence: str, in_place: bool) -> ModelManifest:
    config = _config(source)
    facts = _probe(source)
    _check_vocabulary(source, _setting(config, "vocab_size"), facts["vocabulary"])
    try:
        return ModelManifest(
            name=name,
            title=title or name,
            family=str(config.get("model_type", "unknown")),
            licence=licence,
            notes="Imported. [prompt] and [engine] were read from its files: check them.",
            weights=str(source) if in_place else "",
            prompt=guess_prompt(facts, _setting(config, "bos_token_id") is not None),
            engine=_engine(config),
        )
    except ValidationError as error:
        places = {".".join(map(str, each["loc"])) for each in error.errors()}
        raise ModelError(
            f"'{name}' cannot be imported: {', '.join(sorted(places))} has a value that no manifest allows",
            "A judge's name has small letters, digits, '.', '_' and '-'.",
        ) from None


def _config(source: Path) -> dict[str, Any]:
    values = json.loads((source / "config.json").read_bytes())
    if not isinstance(values, dict):
        raise ModelError(
            f"{source / 'config.json'}: not a model's configuration", "Fetch the file again, whole."
        )
    return values


def guess_prompt(facts: dict[str, Any], config_has_bos: bool) -> PromptStyle:
    """PromptStyle from the facts of `probing`. A chat template is complete by custom: beside one, BOS is
    added only where the tokenizer itself does so; a base model gets one as soon as its configuration
    names it."""
    chat = facts["has_template"]
    if facts["template_writes_bos"]:
        bos = "template"
    elif facts["has_bos"] and (facts["adds_bos"] or (config_has_bos and not chat)):
        bos = "add"
    else:
        bos = "none"
    return PromptStyle.model_validate(
        {
            "style": "chat" if chat else "plain",
            "system_role": facts["system_role"],
            "bos": bos,
            "thinking": "off" if facts["thinking"] else "none",
        }
    )


def _probe(source: Path) -> dict[str, Any]:
    done = run_module("appliance.judges.probing", str(source))
    if done.returncode:
        said = (done.stderr.strip().splitlines() or ["it said nothing"])[-1]
        raise ModelError(
            f"{source}: its tokenizer or chat template cannot be used: {said}",
            "Take all files of the model's release; one that needs newer transformers cannot be a judge.",
        )
    facts: dict[str, Any] = json.loads(done.stdout.strip().splitlines()[-1])
    return facts


def _check_vocabulary(source: Path, size: Any, entries: int) -> None:
    """Weights may be padded beyond the tokenizer; a tokenizer beyond the weights belongs to another model."""
    if isinstance(size, int) and entries > size:
        raise ModelError(
            f"{source}: the tokenizer has {entries} entries, the model only {size}",
            "Tokenizer and weights are of different models: take both from one release.",
        )


def _engine(config: dict[str, Any]) -> EngineSettings:
    lengths = (_setting(config, key) for key in ("max_position_embeddings", "n_positions"))
    length = next((each for each in lengths if isinstance(each, int) and each > 0), _FALLBACK_CONTEXT)
    precision = _setting(config, "dtype") or _setting(config, "torch_dtype")
    return EngineSettings.model_validate(
        {
            "context": min(length, _LONGEST_CONTEXT),
            "precision": precision if precision in _PRECISIONS else "auto",
        }
    )


def _setting(config: dict[str, Any], key: str) -> Any:
    """A setting of the language model; models that also see or hear keep theirs under text_config."""
    return config.get(key) if key in config else config.get("text_config", {}).get(key)
