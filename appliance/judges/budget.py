"""The budget rule: a reply's longest sentence in tokens, so that no reply can be cut.

Under a grammar a judge may spell any text one byte at a time, and every token covers at least one byte.
The longest sentence in bytes is therefore a sure bound in tokens, for any vocabulary.
"""

from __future__ import annotations

import json
import re
from typing import Any

Schema = dict[str, Any]
MAX_BYTES = 12  # of one code point in a JSON string: an escaped surrogate pair
ENDLESS = 10**6  # code points: what the parser of patterns says of "+" and "*" is above it


def longest_reply(schema: Schema) -> int:
    """Bytes of the longest compact JSON text that `schema` admits, plus one for the end token.

    A string is bounded by its maxLength, its pattern, or both. ValueError where a part has no bound.
    """
    try:
        whole = _inlined(schema, schema.get("$defs", {}))
    except RecursionError:
        raise ValueError("the reply schema refers to itself, so it has no bound") from None
    return _longest(whole) + 1


def _inlined(node: Any, defs: dict[str, Schema]) -> Any:
    """The schema with its references replaced by what they name."""
    if isinstance(node, list):
        return [_inlined(part, defs) for part in node]
    if not isinstance(node, dict):
        return node
    if "$ref" in node:
        return _inlined(defs[node["$ref"].rsplit("/", 1)[1]], defs)
    return {key: _inlined(value, defs) for key, value in node.items() if key != "$defs"}


def _longest(node: Schema) -> int:
    if "const" in node:
        return _json_bytes(node["const"])
    if "enum" in node:
        return max(_json_bytes(value) for value in node["enum"])
    if "anyOf" in node:
        return max(_longest(branch) for branch in node["anyOf"])
    match node.get("type"):
        case "object":
            return _longest_object(node)
        case "array" if "maxItems" in node and "items" in node:
            return 2 + int(node["maxItems"]) * (1 + _longest(node["items"]))
        case "string" if "maxLength" in node or "pattern" in node:
            return 2 + _longest_string(node) * (1 if _ascii_only(node) else MAX_BYTES)
    raise ValueError(f"the reply schema has a part without a bound: {json.dumps(node)[:120]}")


def _longest_object(node: Schema) -> int:
    if node.get("additionalProperties", True) is not False or "patternProperties" in node:
        raise ValueError("an object of the reply schema admits unknown keys")
    members = node.get("properties", {}).items()
    return 2 + sum(_json_bytes(key) + 2 + _longest(value) for key, value in members)


def _longest_string(node: Schema) -> int:
    """In code points."""
    bounds = [_width(node["pattern"])] if "pattern" in node else []
    if "maxLength" in node:
        bounds.append(int(node["maxLength"]))
    if min(bounds) > ENDLESS:
        raise ValueError(f"a pattern without a bound: {node['pattern'][:80]}")
    return min(bounds)


def _width(pattern: str) -> int:
    """The longest text that a pattern matches, from the standard library's own parser of it."""
    parsed: Any = re._parser.parse(pattern)  # type: ignore[attr-defined]
    edges = [str(part[1]) for part in (*parsed[:1], *parsed[-1:])]
    if edges != ["AT_BEGINNING", "AT_END"]:
        raise ValueError(f"a pattern that is not anchored has no bound: {pattern[:80]}")
    return int(parsed.getwidth()[1])


def _ascii_only(node: Schema) -> bool:
    """Whether the pattern lists the characters it admits, all ASCII and none that JSON escapes."""
    listed = str(node.get("pattern", "")).replace(r"\.", "")
    return bool(listed) and listed.isascii() and not any(mark in listed for mark in ("[^", "\\", '"', "."))


def _json_bytes(value: Any) -> int:
    """Of the longest spelling that a back end admits: non-ASCII characters raw or as \\uXXXX, fractions in
    full precision (xgrammar writes 0.8 as 0.80000000000000004)."""
    spellings = [json.dumps(value), json.dumps(value, ensure_ascii=False)]
    if isinstance(value, float):
        spellings.append(f"{value:.17g}")
    return max(len(spelling.encode()) for spelling in spellings)
