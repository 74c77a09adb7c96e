"""Tokenizers: a tiny one made here, whose every byte is a token, and the two real ones where provisioned."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import pytest

from appliance.config import project_root
from appliance.domain.models import ModelManifest
from appliance.judges.manifests import load_manifest, weights_dir

REAL = ("smollm2-135m", "gemma3-270m")
TEMPLATE = (
    "{{ bos_token }}{% for m in messages %}<|{{ m['role'] }}|>{{ m['content'] }}<|end|>{% endfor %}"
    "{% if add_generation_prompt %}<|assistant|>{% endif %}"
)
SPECIAL = ("<s>", "</s>", "<|system|>", "<|user|>", "<|assistant|>", "<|end|>")


def byte_tokenizer(template: str | None = TEMPLATE, also: tuple[Any, ...] = ()) -> Any:
    """One token for each byte, the control tokens of SPECIAL, and the added tokens `also`."""
    from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers
    from transformers import PreTrainedTokenizerFast

    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    inner = Tokenizer(models.BPE(vocab={letter: i for i, letter in enumerate(alphabet)}, merges=[]))
    inner.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    inner.decoder = decoders.ByteLevel()
    inner.add_special_tokens([AddedToken(text, special=True, normalized=False) for text in SPECIAL])
    inner.add_tokens(list(also))
    return PreTrainedTokenizerFast(
        tokenizer_object=inner, bos_token="<s>", eos_token="</s>", chat_template=template
    )


def manifest_of(name: str) -> ModelManifest:
    return load_manifest(project_root(), name)


@lru_cache(maxsize=2)
def _load(directory: str) -> Any:
    from transformers import AutoTokenizer

    return AutoTokenizer.from_pretrained(directory, local_files_only=True)


def real_tokenizer(name: str) -> Any:
    """The tokenizer of a provisioned judge; skips the test where its weights are not there."""
    directory = weights_dir(project_root(), manifest_of(name))
    if not (directory / "tokenizer.json").is_file():
        pytest.skip(f"{name} is not provisioned here: run `appliance models provision {name}`")
    return _load(str(directory))
