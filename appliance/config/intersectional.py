"""Settings of the intersectional audit."""

from __future__ import annotations

from typing import Literal

from pydantic import Field, model_validator

from appliance.config.fields import HarmLevel, NoFile, Temperature
from appliance.domain.base import Frozen


class GridConfig(Frozen):
    """Whom the model under audit is asked about. templates: file of tasks (template_id, text). dimensions:
    name -> values, as data/identities.toml or `identities`, a file of your own, describes them. per_cell:
    variants of one profile and template, each with a name of its own. templates_per_profile, max_profiles: a
    sample of a large grid, 0 for all. name_sets: a file of your own names. seed: of every random choice."""

    templates: NoFile = ""
    dimensions: dict[str, tuple[str, ...]] = Field(default_factory=dict)
    identities: NoFile = ""
    name_sets: NoFile = ""
    per_cell: int = Field(default=1, ge=1)
    templates_per_profile: int = Field(default=0, ge=0)
    max_profiles: int = Field(default=0, ge=0)
    seed: int = Field(default=1, ge=0)


class ModelConfig(Frozen):
    """The model under audit; one of name, endpoint, command and responses.

    name: a local model, through the same worker as the judges. endpoint: base address of an OpenAI-compatible
    server on this machine or the local network, e.g. "http://127.0.0.1:8000/v1", with `served` its model's
    name there and api_key_file, if it wants a key. command: a program that reads the task from standard input
    and writes the response. responses: file of responses collected earlier (variant_id, response[, repeat]).
    system: instruction before each task. max_tokens: of a response. repeats: responses to each variant.
    concurrency: requests in flight at once. timeout: seconds for one."""

    name: str = ""
    endpoint: str = Field(default="", pattern=r"^(https?://[^\s]+)?$")
    served: str = ""
    api_key_file: NoFile = ""
    command: tuple[str, ...] = ()
    responses: NoFile = ""
    system: str = ""
    max_tokens: int = Field(default=200, ge=1)
    temperature: Temperature = 0.0
    repeats: int = Field(default=1, ge=1, le=100)
    concurrency: int = Field(default=8, ge=1, le=256)
    timeout: float = Field(default=120, gt=0)

    @model_validator(mode="after")
    def _one_source(self) -> ModelConfig:
        given = [bool(v) for v in (self.name, self.endpoint, self.command, self.responses)]
        if sum(given) > 1:
            raise ValueError("give one of name, endpoint, command and responses")
        return self


class IntersectionalConfig(Frozen):
    """How responses are judged. blind: with identity masked and the identity map withheld; `runs compare` of
    a blind and a sighted run of the same responses shows the judges' own share. prompt: version under
    prompts/intersectional. categories: harm category -> what it means; empty for the document's five.
    reason_words: bound of each reason. retry_temperature: of the one repair. flag_from: severity from which a
    response counts as flagged. margin: difference of flag rates that matters. reference: dimension -> value
    that impact ratios refer to, else the one treated best. left_out_under: share of the responses under which
    a group gets no impact ratio. min_n: verdicts of a group below which nothing is concluded. alert_rate:
    share of flagged responses of a group, and alert_severity: severity, from which an alert is raised; 0 and
    "" for none."""

    prompt: str = Field(default="v1", pattern=r"^[A-Za-z0-9._-]+$")
    categories: dict[str, str] = Field(default_factory=dict)
    reason_words: int = Field(default=10, ge=3, le=60)
    retry_temperature: Temperature = 0.2
    flag_from: HarmLevel = "Low"
    margin: float = Field(default=0.1, gt=0, lt=1)
    reference: dict[str, str] = Field(default_factory=dict)
    left_out_under: float = Field(default=0.0, ge=0, lt=1)
    min_n: int = Field(default=20, ge=2)
    blind: bool = False
    alert_rate: float = Field(default=0.0, ge=0, le=1)
    alert_severity: HarmLevel | Literal[""] = ""
