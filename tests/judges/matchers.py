"""The two grammar back ends as the engine uses them, without the engine."""

from __future__ import annotations

import json
from functools import lru_cache
from typing import Any

from appliance.judges.grammar import engine_constraint

BACKENDS = ("guidance", "xgrammar")


def accepts(backend: str, tokenizer: Any, schema: dict[str, Any], text: str) -> bool:
    """Whether the back end admits `text` as a whole reply."""
    matcher = _matcher(backend, tokenizer, schema)
    if backend == "xgrammar":
        return bool(matcher.accept_string(text) and matcher.is_completed())
    tokens = _spelling(tokenizer).tokenize_bytes(text.encode())
    return bool(matcher.try_consume_tokens(tokens) == len(tokens) and matcher.is_accepting())


def random_reply(
    backend: str, tokenizer: Any, schema: dict[str, Any], seed: int, long: bool = False
) -> tuple[str, int]:
    """A reply of random allowed tokens to its end: the text, and its tokens with the end token.

    long: take the shortest tokens and put off the end of every string and list."""
    import numpy as np

    matcher = _matcher(backend, tokenizer, schema)
    mask = _guidance_mask if backend == "guidance" else _xgrammar_mask
    chance, ids = np.random.default_rng(seed), list[int]()
    while True:
        allowed = np.flatnonzero(mask(matcher, len(tokenizer)))
        cost = _costs(tokenizer)[allowed]
        token = int(chance.choice(allowed[cost == cost.min()] if long else allowed))
        ids.append(token)
        if token == tokenizer.eos_token_id:
            return b"".join(_bytes(tokenizer)[i] for i in ids[:-1]).decode(), len(ids)
        assert matcher.consume_token(token) if backend == "guidance" else matcher.accept_token(token)


@lru_cache(maxsize=4)
def _bytes(tokenizer: Any) -> list[bytes]:
    spelling = _spelling(tokenizer)
    return [spelling.decode_bytes([i]) for i in range(len(tokenizer))]


@lru_cache(maxsize=4)
def _costs(tokenizer: Any) -> Any:
    """How little each token lengthens a reply: its bytes, and more where it ends a string, a list or all."""
    import numpy as np

    costs = np.array([len(spelt) + 50 * (b'"' in spelt or b"]" in spelt) for spelt in _bytes(tokenizer)])
    costs[tokenizer.eos_token_id] = 1000
    return costs


def _matcher(backend: str, tokenizer: Any, schema: dict[str, Any]) -> Any:
    grammar = json.dumps(engine_constraint(schema)["json"])
    return _guidance(tokenizer, grammar) if backend == "guidance" else _xgrammar(tokenizer, grammar)


def _guidance(tokenizer: Any, grammar: str) -> Any:
    from llguidance import LLMatcher

    defaults = {"whitespace_flexible": False}
    matcher = LLMatcher(
        _spelling(tokenizer), LLMatcher.grammar_from_json_schema(grammar, defaults=defaults), log_level=0
    )
    assert not matcher.get_error(), matcher.get_error()
    return matcher


def _xgrammar(tokenizer: Any, grammar: str) -> Any:
    import xgrammar

    compiled = _compiler(tokenizer).compile_json_schema(grammar, any_whitespace=False, separators=(",", ":"))
    return xgrammar.GrammarMatcher(compiled)


def _guidance_mask(matcher: Any, size: int) -> Any:
    import llguidance.numpy
    import numpy as np

    words = llguidance.numpy.allocate_token_bitmask(1, size)
    llguidance.numpy.fill_next_token_bitmask(matcher, words, 0)
    return np.unpackbits(words[0].view(np.uint8), bitorder="little")[:size]


def _xgrammar_mask(matcher: Any, size: int) -> Any:
    import numpy as np
    import xgrammar

    words = xgrammar.allocate_token_bitmask(1, size)
    matcher.fill_next_token_bitmask(words, 0)
    return np.unpackbits(words[0].numpy().view(np.uint8), bitorder="little")[:size]


@lru_cache(maxsize=8)
def _spelling(tokenizer: Any) -> Any:
    import llguidance.hf

    return llguidance.hf.from_tokenizer(tokenizer)


@lru_cache(maxsize=8)
def _compiler(tokenizer: Any) -> Any:
    import xgrammar

    return xgrammar.GrammarCompiler(xgrammar.TokenizerInfo.from_huggingface(tokenizer))
