"""The budget rule: a reply's longest sentence in tokens, so that no reply can be cut.

Under a grammar a judge may spell any text one byte at a time, and every token covers at least one byte.
The longest sentence in bytes is therefore a sure bound in tokens, for any vocabulary.
"""

from __future__ import annotations

import json
from typing import Any

Schema = dict[str, Any]
MAX_UTF8 = 4  # bytes of one code point


def longest_reply(schema: Schema) -> int:
    """Bytes of the longest compact JSON text that `schema` admits. ValueError where it has no bound."""
    return _longest(schema, schema.get("$defs", {})) + 1  # the end-of-sequence token


def _longest(node: Schema, defs: dict[str, Schema]) -> int:
    if "$ref" in node:
        return _longest(defs[node["$ref"].rsplit("/", 1)[1]], defs)
    if "const" in node:
        return _json_bytes(node["const"])
    if "enum" in node:
        return max(_json_bytes(value) for value in node["enum"])
    for choice in ("anyOf", "oneOf"):
        if choice in node:
            return max([_longest(branch, defs) for branch in node[choice]])
    return _longest_of_type(node, defs)


def _longest_of_type(node: Schema, defs: dict[str, Schema]) -> int:
    match node.get("type"):
        case "object":
            return _longest_object(node, defs)
        case "array" if "maxItems" in node:
            return 2 + int(node["maxItems"]) * (1 + _longest(node["items"], defs))
        case "string" if "maxLength" in node:
            return 2 + int(node["maxLength"]) * (1 if _ascii_only(node) else MAX_UTF8)
        case "boolean":
            return len("false")
    raise ValueError(f"the reply schema has a part without a bound: {json.dumps(node)[:120]}")


def _longest_object(node: Schema, defs: dict[str, Schema]) -> int:
    if node.get("additionalProperties", True) is not False:
        raise ValueError("an object of the reply schema admits unknown keys")
    members = node["properties"].items()
    return 2 + sum(_json_bytes(key) + 2 + _longest(value, defs) for key, value in members)


def _ascii_only(node: Schema) -> bool:
    """Whether the pattern lists the characters it admits, all ASCII and none that JSON escapes."""
    listed = str(node.get("pattern", "")).replace(r"\.", "")
    return bool(listed) and listed.isascii() and not any(mark in listed for mark in ("[^", "\\", '"', "."))


def _json_bytes(value: Any) -> int:
    """Both spellings of a non-ASCII character (raw and \\uXXXX) are admitted by some back ends."""
    return max(len(json.dumps(value)), len(json.dumps(value, ensure_ascii=False).encode()))
