"""What the results of one judge rest on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from appliance.config import DecisionConfig
from appliance.domain.records import Record
from appliance.pipeline.judge_bias.scores import Answers


@dataclass(frozen=True)
class Asked:
    """records: by record_id. answers: by repeat, record_id -> verdict. prompts: task_id -> the prompt as it
    was sent. span: highest less lowest score. margin: smallest mean difference that matters.
    mitigations: of the judge's pipeline."""

    records: Mapping[str, Record]
    answers: Answers
    prompts: Mapping[str, str]
    pairwise: bool
    span: float
    margin: float
    rule: DecisionConfig
    mitigations: tuple[str, ...] = ()
