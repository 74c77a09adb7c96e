"""Models of a few bytes: right in form, without sense."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from appliance.domain.models import EngineSettings, ModelManifest

CHAT = (
    "{{ bos_token }}{% for m in messages %}<{{ m['role'] }}>{{ m['content'] }}{% endfor %}"
    "{% if add_generation_prompt %}<assistant>{% endif %}"
)


def safetensors(values: bytes = b"\x01\x02\x03\x04") -> bytes:
    tensor = {"dtype": "U8", "shape": [len(values)], "data_offsets": [0, len(values)]}
    header = json.dumps({"__metadata__": {"format": "pt"}, "weight": tensor}).encode()
    return len(header).to_bytes(8, "little") + header + values


def make_model(directory: Path, **config: Any) -> Path:
    """A directory that import accepts."""
    directory.mkdir(parents=True)
    settings = {"model_type": "llama", "max_position_embeddings": 2048, "vocab_size": 8, "dtype": "bfloat16"}
    (directory / "config.json").write_text(json.dumps(settings | config))
    (directory / "tokenizer.json").write_text(json.dumps(_tokenizer()))
    (directory / "tokenizer_config.json").write_text(
        json.dumps({"tokenizer_class": "PreTrainedTokenizerFast", "bos_token": "<s>", "chat_template": CHAT})
    )
    (directory / "model.safetensors").write_bytes(safetensors())
    (directory / "README.md").write_text("A model of four bytes.")
    (directory / "LICENSE").write_text("Do as you like.")
    return directory


def make_manifest(name: str = "tiny", **values: Any) -> ModelManifest:
    described = {
        "title": "Tiny",
        "family": "llama",
        "licence": "free",
        "engine": EngineSettings(context=2048),
    }
    return ModelManifest.model_validate({"name": name, **described, **values})


def make_root(folder: Path) -> Path:
    """A project folder without models."""
    (folder / "models").mkdir(parents=True)
    (folder / "prompts").mkdir()
    return folder


def _tokenizer() -> dict[str, Any]:
    words = ["<s>", "<unk>", "Hello", ".", "are", "You", "careful"]
    special = {"single_word": False, "lstrip": False, "rstrip": False, "normalized": False, "special": True}
    return {
        "version": "1.0",
        "added_tokens": [{"id": index, "content": words[index], **special} for index in (0, 1)],
        "pre_tokenizer": {"type": "Whitespace"},
        "model": {
            "type": "WordLevel",
            "vocab": {word: index for index, word in enumerate(words)},
            "unk_token": "<unk>",
        },
    }
