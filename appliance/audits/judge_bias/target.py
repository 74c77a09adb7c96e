"""The judge under audit as its user has specified it: prompt, schemas, scale."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from appliance.audits.judge_bias.output import choices_of, output_model
from appliance.config import Config, TargetConfig
from appliance.domain.base import digest
from appliance.domain.tasks import Decision
from appliance.errors import ConfigError
from appliance.prompts.template import PromptTemplate, load_prompt, read_prompt

POINTWISE_INPUTS = {"INPUT": "input", "OUTPUT": "output", "SCORING_RUBRIC": "rubric"}
PAIRWISE_INPUTS = {"INPUT": "input", "OUTPUT_A": "first", "OUTPUT_B": "second", "SCORING_RUBRIC": "rubric"}


@dataclass(frozen=True)
class Target:
    """config: as written. schema: JSON schema of the reply. values: what the score or the choice can be, in
    the schema's order. inputs: placeholder -> which part of the item fills it."""

    config: TargetConfig
    prompt: PromptTemplate
    schema: dict[str, Any]
    values: tuple[Any, ...]
    inputs: dict[str, str]

    @property
    def pairwise(self) -> bool:
        return self.config.mode == "pairwise"

    @cached_property
    def model(self) -> type[BaseModel]:
        return output_model(self.schema, self.config.output_schema or "target")

    @cached_property
    def version(self) -> str:
        """Changes with whatever gives a reply its meaning."""
        told = [self.config.mode, self.config.score_field, self.config.choices, self.schema, self.inputs]
        return digest([told, self.config.rubric])[:16]

    def decision(self) -> Decision:
        """Where the judge chooses, so that its own probabilities can be read there."""
        field, last = self.config.score_field, list(self.schema["properties"])[-1]
        end = "}" if field == last else ","
        texts = {str(value): json.dumps(value, ensure_ascii=False) for value in self.values}
        # 1 is how 10 begins as well: only the mark that follows tells them apart.
        nested = any(a != b and b.startswith(a) for a in texts.values() for b in texts.values())
        spelled = {label: text + end if nested else text for label, text in texts.items()}
        return Decision(where=field, path=(field,), alternatives=spelled)


def load_target(config: Config, root: Path) -> Target:
    """Read the prompt and the schema that the configuration names. ConfigError, PromptError."""
    target = config.target
    if target.prompt:
        path = config.resolve(target.prompt)
        prompt = read_prompt(path, path.name)
    else:
        prompt = load_prompt(root, "judge-bias", target.mode)
    schema = _schema(config)
    place = target.output_schema or "target"
    output_model(schema, place)
    values = choices_of(schema, target.score_field, place)
    _check_values(target, values, place)
    default = PAIRWISE_INPUTS if target.mode == "pairwise" else POINTWISE_INPUTS
    return Target(target, prompt, schema, values, dict(target.inputs) or default)


def _schema(config: Config) -> dict[str, Any]:
    target = config.target
    if not target.output_schema:
        values = target.choices if target.mode == "pairwise" else target.scale
        return {"type": "object", "properties": {target.score_field: {"enum": list(values)}}}
    path = config.resolve(target.output_schema)
    try:
        found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise ConfigError(f"{path}: cannot be read as a JSON schema: {error}", "Correct the file.") from None
    return found


def _check_values(target: TargetConfig, values: tuple[Any, ...], place: str) -> None:
    if target.mode == "pairwise":
        strangers = [v for v in values if v not in target.choices]
        if strangers or not set(target.choices[:2]) <= set(values):
            raise ConfigError(
                f"{place}: the choices are {list(values)}, target.choices says {list(target.choices)}",
                "Set target.choices to what stands for the first, the second, and a tie.",
            )
        return
    if not all(isinstance(v, int) and not isinstance(v, bool) for v in values) or len(values) < 2:
        raise ConfigError(f"{place}: scores are two or more whole numbers", "Give the scale as integers.")
    if sorted(values) != sorted(target.scale):
        raise ConfigError(
            f"{place}: the scores are {list(values)}, target.scale says {list(target.scale)}",
            f"Write scale = {sorted(values)} under [target].",
        )
