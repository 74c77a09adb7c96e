"""From a pydantic reply model to the engine's constraint, through outlines' types."""

from __future__ import annotations

import json
from typing import Any

from pydantic import BaseModel


def reply_schema(model: type[BaseModel], backend: str = "guidance") -> dict[str, Any]:
    """The JSON schema that constrains a reply, as outlines derives it from the pydantic model.

    The xgrammar back end refuses a length bound beside a pattern: there the pattern alone is the bound.
    """
    from outlines.types import JsonSchema

    schema: dict[str, Any] = json.loads(JsonSchema(model).schema)
    plain: dict[str, Any] = _without_titles(schema)
    return plain if backend != "xgrammar" else dict(_without_double_bounds(plain))


def engine_constraint(schema: dict[str, Any]) -> dict[str, Any]:
    """Arguments of the engine's structured-output parameters, from outlines' vLLM type adapter."""
    from outlines.models.vllm_offline import VLLMOfflineTypeAdapter
    from outlines.types import JsonSchema

    arguments: dict[str, Any] = VLLMOfflineTypeAdapter().format_output_type(JsonSchema(schema))
    return arguments


def _without_titles(node: Any) -> Any:
    """Titles and descriptions constrain nothing; without them equal grammars have equal text."""
    if isinstance(node, list):
        return [_without_titles(part) for part in node]
    if not isinstance(node, dict):
        return node
    skipped = ("title", "description", "default")
    kept = {k: v for k, v in node.items() if not (k in skipped and not isinstance(v, dict))}
    return {key: _without_titles(value) for key, value in kept.items()}


def _without_double_bounds(node: Any) -> Any:
    if isinstance(node, list):
        return [_without_double_bounds(part) for part in node]
    if not isinstance(node, dict):
        return node
    double = "pattern" in node and node.get("type") == "string"
    kept = {k: v for k, v in node.items() if not (double and k in ("minLength", "maxLength"))}
    return {key: _without_double_bounds(value) for key, value in kept.items()}
