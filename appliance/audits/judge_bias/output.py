"""The target judge's own output schema as a pydantic model, from which its grammar is made.

The part of JSON Schema that bounds a reply: one object whose members are enumerations, constants, bounded
integers, booleans, and strings with a maxLength. What has no bound cannot be decoded without being cut, so it
is refused with the place and the remedy.
"""

from __future__ import annotations

import json
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, create_model

from appliance.errors import ConfigError

MOST_VALUES = 101  # a scale of 0 to 100
_create: Any = create_model  # made from values: what the fields are is known only at run time


class _Closed(BaseModel):
    model_config = ConfigDict(extra="forbid")


def output_model(schema: dict[str, Any], place: str) -> type[BaseModel]:
    """The model of a JSON schema; `place` names it in messages. ConfigError says what is not bounded."""
    if not isinstance(schema, dict) or schema.get("type") != "object" or not schema.get("properties"):
        raise ConfigError(f"{place}: not the schema of an object with properties", _REMEDY)
    unknown = set(schema) - {"type", "properties", "required", "additionalProperties", "title", "$schema"}
    if unknown:
        raise ConfigError(f"{place}: '{min(unknown)}' is not supported", _REMEDY)
    members = schema["properties"]
    required: list[str] = schema.get("required", list(members))
    missing = sorted(set(members) - set(required))
    if missing:
        raise ConfigError(f"{place}: '{missing[0]}' is not required", "A target's reply has all its members.")
    fields = {name: (_member(node, f"{place}: {name}"), ...) for name, node in members.items()}
    model: type[BaseModel] = _create("Output", __base__=_Closed, **fields)
    return model


_REMEDY = (
    "Write an object whose properties have an enum, a const, an integer with minimum and maximum, a boolean, "
    "or a string with maxLength."
)


def _member(node: Any, place: str) -> Any:
    if not isinstance(node, dict):
        raise ConfigError(f"{place}: not a schema", _REMEDY)
    if "enum" in node or "const" in node:
        return Literal[tuple(_values(node.get("enum", [node.get("const")]), place))]
    match node.get("type"):
        case "boolean":
            return Literal[True, False]
        case "integer" if isinstance(node.get("minimum"), int) and isinstance(node.get("maximum"), int):
            return Literal[tuple(_values(range(node["minimum"], node["maximum"] + 1), place))]
        case "string" if isinstance(node.get("maxLength"), int) and "pattern" not in node:
            return Annotated[
                str, Field(min_length=int(node.get("minLength", 0)), max_length=node["maxLength"])
            ]
    raise ConfigError(f"{place}: has no bound: {json.dumps(node)[:80]}", _REMEDY)


def _values(values: Any, place: str) -> list[Any]:
    found = list(values)
    if not 1 <= len(found) <= MOST_VALUES or len({json.dumps(v) for v in found}) < len(found):
        raise ConfigError(f"{place}: 1 to {MOST_VALUES} different values expected", _REMEDY)
    if not all(isinstance(v, str | int | bool) for v in found):
        raise ConfigError(f"{place}: values are strings, whole numbers or booleans", _REMEDY)
    return found


def choices_of(schema: dict[str, Any], field: str, place: str) -> tuple[Any, ...]:
    """The values of the member that holds the score or the choice."""
    node = schema["properties"].get(field)
    if node is None:
        known = ", ".join(schema["properties"])
        raise ConfigError(f"{place}: no member '{field}'", f"Members: {known}; see target.score_field.")
    if "enum" in node:
        return tuple(node["enum"])
    if node.get("type") == "integer":
        return tuple(range(node["minimum"], node["maximum"] + 1))
    raise ConfigError(f"{place}: '{field}' is no choice", "Give it an enum, or an integer with its bounds.")
