"""The plan of a run: calls, tokens, time, what does not fit, which groups are too small to conclude."""

from __future__ import annotations

import contextlib
import json
from collections import Counter, defaultdict
from functools import lru_cache

from appliance.domain.base import Frozen
from appliance.domain.pairs import TestPair
from appliance.domain.tasks import Task
from appliance.errors import UnknownIdError
from appliance.judges.budget import longest_reply
from appliance.judges.tokens import PromptEncoder, load_encoder
from appliance.pipeline.cells import Cell, CellRules, cells_of
from appliance.pipeline.judge_bias.reporting import margin_of, scale_of
from appliance.pipeline.judges import JudgeSpec
from appliance.pipeline.prepare import Prepared, with_salt
from appliance.statistics.power.equivalence import fewest_to_clear
from appliance.statistics.power.means import paired_mde
from appliance.statistics.power.proportions import detectable
from appliance.store.database import check_place, open_for_reading
from appliance.store.reader import Reader

SMALL_GROUP = 50  # scored records below which no group is concluded on (judge-bias document)


class JudgePlan(Frozen):
    """calls: still to be made, more where replies fail their checks. answered: records that need none, since
    this or an equal record's answer is kept or will be. does_not_fit: records whose prompt and longest reply
    exceed the context. Tokens are None for a scripted judge. seconds: at the speed
    of this judge's earlier runs in this store, None where there are none."""

    judge: str
    calls: int
    answered: int
    prompt_tokens: int | None
    longest_reply_tokens: int
    does_not_fit: tuple[str, ...]
    seconds: float | None


class DimensionPlan(Frozen):
    """One dimension of a judge-bias audit. unbuilt: reason -> pairs. detectable: smallest mean difference
    that these pairs show with 80% power if the differences of the pairs have a standard deviation of one
    point, Holm over the dimensions; None when it is not asked. tasks: that the pairs belong to; with fewer
    than tasks_to_clear the dimension cannot be cleared, whatever is found."""

    dimension: str
    pairs: int
    tasks: int
    tasks_to_clear: int
    unbuilt: dict[str, int]
    detectable: float | None


class Plan(Frozen):
    """dimensions: of a judge-bias audit. small_groups: records of each group that has too few to conclude on.
    detectable: group -> smallest difference of its flag rate from the rest of its dimension that would be
    shown with 80% power, at rates near one half (the hardest), Holm over the dimension's groups; None for a
    group without a rest. refused: why a judge may not audit, by its own bias audit (see `bias_gate`)."""

    records: int
    skipped: tuple[str, ...]
    judges: tuple[JudgePlan, ...]
    small_groups: dict[str, int]
    detectable: dict[str, float | None]
    dimensions: tuple[DimensionPlan, ...] = ()
    refused: tuple[str, ...] = ()


def make_plan(prepared: Prepared) -> Plan:
    """Counts by the judges' own tokenizers; no model is loaded and nothing is written."""
    check_place(prepared.store)
    try:
        database = open_for_reading(prepared.store)
    except UnknownIdError:
        return _plan(prepared, None)
    with contextlib.closing(database):
        return _plan(_as_run_before(prepared, Reader(database)), Reader(database))


def _as_run_before(prepared: Prepared, reader: Reader) -> Prepared:
    """With the salt of the run that `run` would go on with, so that the plan counts what it would ask."""
    known = reader.run_with_identity(prepared.identity)
    return with_salt(prepared, known["salt"]) if known else prepared


def _plan(prepared: Prepared, reader: Reader | None) -> Plan:
    sizes = {f"{d} = {v}": n for d, groups in _sizes(prepared).items() for v, n in groups.items()}
    return Plan(
        records=len(prepared.records.records),
        skipped=tuple(f"{s.record_id} ({s.place}): {s.reason}" for s in prepared.records.skipped),
        judges=tuple(_judge_plan(prepared, judge, reader) for judge in prepared.judges),
        small_groups={group: n for group, n in sizes.items() if n < SMALL_GROUP},
        detectable=_detectable(prepared),
        dimensions=_dimensions(prepared),
        refused=tuple(f"{a.judge}: {'; '.join(a.problems)}" for a in prepared.admitted if a.problems),
    )


def _dimensions(prepared: Prepared) -> tuple[DimensionPlan, ...]:
    config, by_dimension = prepared.config, defaultdict[str, list[TestPair]](list)
    for pair in prepared.material.pairs:
        by_dimension[pair.dimension].append(pair)
    asked = {name: sum(not p.unbuilt for p in members) for name, members in by_dimension.items()}
    tests = sum(n > 1 for n in asked.values())
    task = {record.record_id: record.template_id for record in prepared.records.records}
    low, high = scale_of(config.target)
    needed = fewest_to_clear(margin_of(config.target, config.decision), high - low)
    return tuple(
        DimensionPlan(
            dimension=name,
            pairs=asked[name],
            tasks=len({task[p.first] for p in members if p.first}),
            tasks_to_clear=needed,
            unbuilt=dict(Counter(p.unbuilt for p in members if p.unbuilt).most_common()),
            detectable=paired_mde(asked[name], tests=tests).value if asked[name] > 1 else None,
        )
        for name, members in by_dimension.items()
    )


def _judge_plan(prepared: Prepared, judge: JudgeSpec, reader: Reader | None) -> JudgePlan:
    encoder = _encoder(judge)
    tokens: dict[str, int] = {}  # task still to be asked -> tokens of its prompt
    misfits, budgets = [], [0]
    cells = cells_of(prepared)
    for cell in cells:
        task, fits = _next_task(CellRules(prepared, judge), cell, reader)
        if task is not None:
            budget = _budget(json.dumps(task.question.reply_schema))
            budgets.append(budget)
            tokens[task.task_id] = len(encoder.encode(task.question.messages).ids) if encoder else 0
            fits = judge.manifest is None or tokens[task.task_id] + budget <= judge.manifest.engine.context
        if not fits:
            misfits.append(cell.record.record_id)
            tokens.pop(task.task_id if task else "", None)
    speed = reader.speed(judge.fingerprint) if reader else None
    return JudgePlan(
        judge=judge.name,
        calls=len(tokens),
        answered=len(cells) - len(tokens) - len(misfits),
        prompt_tokens=sum(tokens.values()) if encoder else None,
        longest_reply_tokens=max(budgets),
        does_not_fit=tuple(dict.fromkeys(misfits)),
        seconds=round(len(tokens) / speed) if speed else None,
    )


@lru_cache(maxsize=1024)
def _budget(schema: str) -> int:
    """Records of one shape share their schema."""
    return longest_reply(json.loads(schema))


def _next_task(rules: CellRules, cell: Cell, reader: Reader | None) -> tuple[Task | None, bool]:
    """What this record's judge would be asked next (None: it has its verdict), and whether that fits."""
    while True:
        task = rules.task(cell)
        reply = reader.reply(task.task_id) if reader else None
        if reply is None:
            return task, True
        if rules.settle(cell, task, reply)[1] is not None:
            return None, reply.kind != "does_not_fit"


def _encoder(judge: JudgeSpec) -> PromptEncoder | None:
    if judge.manifest is None or judge.weights is None:
        return None
    return load_encoder(judge.weights, judge.manifest.prompt)


def _sizes(prepared: Prepared) -> dict[str, dict[str, int]]:
    """dimension -> value -> records, both in order."""
    pairs = Counter((d, v) for r in prepared.records.records for d, v in r.identity.items())
    found: dict[str, dict[str, int]] = {}
    for (dimension, value), n in sorted(pairs.items()):
        found.setdefault(dimension, {})[value] = n
    return found


def _detectable(prepared: Prepared) -> dict[str, float | None]:
    found: dict[str, float | None] = {}
    for dimension, groups in _sizes(prepared).items():
        smallest = detectable(list(groups.values())).tolist()
        for value, difference in zip(groups, smallest, strict=True):
            found[f"{dimension} = {value}"] = None if difference != difference else round(difference, 4)
    return found
