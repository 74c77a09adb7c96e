"""Scored outputs of groups, as they were: is one group scored otherwise than the rest?

Nothing was varied here, so a difference can be due to what was written as well as to the judge. Where outputs
share a task (cluster), groups are compared within it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from appliance.domain.outcomes import Decision
from appliance.domain.records import Record
from appliance.pipeline.judge_bias.asked import Asked
from appliance.pipeline.judge_bias.decision import with_effect
from appliance.pipeline.judge_bias.design import DEMOGRAPHIC
from appliance.reports.judge_bias.data import DimensionResult
from appliance.statistics.arrays import Array
from appliance.statistics.divergence.differential import (
    Differential,
    GroupContrast,
    differential,
    hypotheses,
)
from appliance.statistics.divergence.standardised import cohen_d_of_groups
from appliance.statistics.outcome import decide

VARIES = "groups as they were observed; outputs can differ in more than the attribute"
SHARED = 2  # outputs of a task that make it a block to compare within


@dataclass(frozen=True)
class _Attribute:
    """values: score of each output that has the attribute, NaN unscored. lacking: outputs without it."""

    name: str
    values: Array
    groups: list[str]
    found: Differential
    lacking: int

    @property
    def contrasts(self) -> tuple[GroupContrast, ...]:
        """Of two levels the second says what the first says."""
        groups = self.found.groups
        return groups[:1] if len(groups) == 2 else groups

    def dimension(self, group: str) -> str:
        return f"{DEMOGRAPHIC}: {self.name} ({group} vs rest)"


def observed_results(asked: Asked, family: str) -> tuple[DimensionResult, ...]:
    """Every level of every attribute against the others; one family of hypotheses."""
    attributes = list(_attributes(asked))
    rule, family_members = asked.rule, []
    for attribute in attributes:
        made = hypotheses(attribute.found, asked.margin, rule.min_subgroup, largest=asked.span)
        for one, hypothesis in zip(attribute.contrasts, made, strict=False):
            family_members.append(hypothesis.model_copy(update={"name": attribute.dimension(one.group)}))
    if not family_members:
        return ()
    decisions = {
        d.hypothesis.name: d
        for d in decide(family, family_members, alpha=rule.significance_threshold).decisions
    }
    return tuple(
        _result(attribute, one, decisions[attribute.dimension(one.group)], asked)
        for attribute in attributes
        for one in attribute.contrasts
    )


def _attributes(asked: Asked) -> Iterator[_Attribute]:
    verdicts = asked.answers[0]
    held = [record for record in asked.records.values() if record.record_id in verdicts]
    for name in dict.fromkeys(name for record in held for name in record.identity):
        with_it = [record for record in held if name in record.identity]
        groups = [record.identity[name] for record in with_it]
        scored = (verdicts[record.record_id].score for record in with_it)
        values = np.array([np.nan if score is None else score for score in scored], dtype=float)
        labels = sorted(set(groups))
        if len(labels) > 1:
            found = differential(values, groups, labels, templates=_blocks(with_it))
            yield _Attribute(name, values, groups, found, len(held) - len(with_it))


def _blocks(records: list[Record]) -> list[str] | None:
    """The task of each output, where tasks are shared; else every output stands for itself."""
    tasks = [record.template_id or record.record_id for record in records]
    return tasks if len(tasks) >= SHARED * len(set(tasks)) else None


def _result(attribute: _Attribute, one: GroupContrast, decision: Decision, asked: Asked) -> DimensionResult:
    own = np.array([group == one.group for group in attribute.groups])
    size = cohen_d_of_groups(one.effect, attribute.values[own], attribute.values[~own])
    decided = with_effect(decision, size, asked.rule)
    lacking = {"the attribute is not given": attribute.lacking} if attribute.lacking else {}
    enough = decided.outcome != "insufficient data"
    return DimensionResult(
        dimension=attribute.dimension(one.group),
        varies=VARIES,
        a=one.group,
        b="rest",
        placebo=False,
        status=decided.outcome,
        reason=decided.reason,
        flagged=decided.outcome == "flagged",
        decision=decided,
        analysis=None,
        test=one.test if enough else None,
        effect_size=size if enough else None,
        measured=None,
        measured_test=None,
        changed=None,
        repeat_noise=None,
        after=None,
        position=None,
        n_pairs=one.effect.n + one.effect.n_unscored,
        n_complete=one.effect.n,
        n_exceeding=0,
        unbuilt=lacking,
        pairs=(),
        observed=one if enough else None,
    )
