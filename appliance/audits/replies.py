"""The first check after decoding: is the reply what was asked for? The grammar should make it impossible to
fail; it runs all the same, because a constraint that silently went missing is the failure that others met
most."""

from __future__ import annotations

import json
from typing import Any

from pydantic import BaseModel, ValidationError

from appliance.domain.tasks import Reply


def parse(model: type[BaseModel], reply: Reply) -> dict[str, Any] | str:
    """The reply as plain data, or in words why it cannot be used."""
    if reply.finish_reason != "stop":
        return f"the reply was cut off (finish reason '{reply.finish_reason}')"
    try:
        answers = model.model_validate_json(reply.text, strict=True).model_dump()
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"][:2])
        return f"the reply does not keep to its schema at '{place}': {first['msg']}"
    if json.loads(reply.text, object_pairs_hook=list) != _pairs(answers):
        return "the reply's keys are not in the order asked, once each"
    return answers


def _pairs(value: Any) -> Any:
    """Objects as lists of their members, so that a comparison sees their order."""
    return [(k, _pairs(v)) for k, v in value.items()] if isinstance(value, dict) else value
