"""GGUF to safetensors, as a program of its own: torch's memory goes back to the system when it ends.

python -m appliance.judges.conversion FILE.gguf DIRECTORY
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

# Keys in which transformers notes where and how a file was loaded: facts about a machine, not a model.
_TRACES = ("is_local", "local_files_only", "_name_or_path", "name_or_path")
_SAMPLE = "Dr. Zoë Nuñez led 3 projects (2019–2024); she's “careful”.\n\nNext line."


def convert(gguf: Path, out: Path) -> None:
    """Write safetensors, configuration and tokenizer of `gguf` into the directory `out`."""
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer, GgufConfig

    place = {"pretrained_model_name_or_path": str(gguf.parent), "gguf_file": gguf.name}
    tokenizer = AutoTokenizer.from_pretrained(**place)
    model = AutoModelForCausalLM.from_pretrained(
        **place, quantization_config=GgufConfig(dequantize=True), dtype=torch.bfloat16
    )
    model.save_pretrained(out)
    tokenizer.save_pretrained(out)
    strip_traces(out, str(gguf.parent))


def strip_traces(out: Path, origin: str) -> None:
    """Take what names this machine out of the small JSON files, so that two machines write the same."""
    for path in sorted(out.iterdir()):
        path.chmod(0o644)
        if path.suffix != ".json" or path.name == "tokenizer.json":
            continue
        values = json.loads(path.read_text(encoding="utf-8"))
        kept = {key: value for key, value in values.items() if key not in _TRACES}
        text = json.dumps(kept, indent=2, sort_keys=True, ensure_ascii=False) + "\n"
        if origin in text:
            raise ValueError(f"{path.name} names a folder of this machine")
        path.write_text(text, encoding="utf-8")


def check(out: Path) -> None:
    """A conversion that loads but reads or numbers text differently would spoil every verdict: refuse it."""
    from transformers import AutoConfig, AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(str(out), local_files_only=True)
    size = AutoConfig.from_pretrained(str(out), local_files_only=True).vocab_size
    if len(tokenizer) != size:
        raise ValueError(f"the tokenizer has {len(tokenizer)} entries, the model {size}")
    ids = tokenizer(_SAMPLE, add_special_tokens=False)["input_ids"]
    if tokenizer.decode(ids) != _SAMPLE:
        raise ValueError("the tokenizer does not give a text back as it was")


def main(arguments: list[str]) -> int:
    gguf, out = map(Path, arguments)
    try:
        convert(gguf, out)
        check(out)
    except (ValueError, OSError, ImportError, RuntimeError) as error:
        print(f"{type(error).__name__}: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
