"""What a user's model says about its own prompts, found in a process of its own: templates are programs.

python -m appliance.judges.probing DIRECTORY      one JSON object on stdout
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

_SYSTEM = {"role": "system", "content": "You are careful."}
_USER = {"role": "user", "content": "Hello."}


def probe(directory: Path) -> dict[str, Any]:
    """Facts from which the manifest's [prompt] is guessed; the tokenizer is loaded as the judge loads it."""
    from transformers import AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(str(directory), local_files_only=True, trust_remote_code=False)
    bos, first = tokenizer.bos_token, tokenizer("Hello.")["input_ids"][:1]
    template = tokenizer.chat_template
    facts = {
        "vocabulary": len(tokenizer),
        "has_bos": bos is not None,
        "adds_bos": bos is not None and first == [tokenizer.bos_token_id],
        "has_template": bool(template),
        "system_role": False,
        "template_writes_bos": False,
        "thinking": "enable_thinking" in str(template),
    }
    return facts | (_rendered(tokenizer, bos) if template else {})


def _rendered(tokenizer: Any, bos: str | None) -> dict[str, Any]:
    """A template that takes a system message and leaves it out counts as one that refuses it."""
    try:
        text = _render(tokenizer, [_SYSTEM, _USER])
        accepted = _SYSTEM["content"] in text
    except Exception:  # the template may raise anything: that is its way of refusing
        accepted = False
    if not accepted:
        text = _render(tokenizer, [_USER])
    return {"system_role": accepted, "template_writes_bos": bool(bos) and text.startswith(str(bos))}


def _render(tokenizer: Any, messages: list[dict[str, str]]) -> str:
    return str(tokenizer.apply_chat_template(messages, tokenize=False, add_generation_prompt=True))


def main(arguments: list[str]) -> int:
    try:
        print(json.dumps(probe(Path(arguments[0]))))
    except Exception as error:  # whatever a stranger's files provoke becomes one line for the user
        print(f"{type(error).__name__}: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
