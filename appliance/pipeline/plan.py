"""The plan of a run: calls, tokens, time, what does not fit, which groups are too small to conclude."""

from __future__ import annotations

from collections import Counter

from appliance.domain.base import Frozen
from appliance.errors import UnknownIdError
from appliance.judges.budget import longest_reply
from appliance.judges.tokens import PromptEncoder
from appliance.pipeline.judges import JudgeSpec
from appliance.pipeline.prepare import Prepared, make_question_task
from appliance.store.database import open_for_reading
from appliance.store.reader import Reader

SMALL_GROUP = 50  # scored records below which no group is concluded on (judge-bias document)


class JudgePlan(Frozen):
    """calls: still to be made at least once; answered: kept from earlier runs. does_not_fit: records whose
    prompt and longest reply exceed the context. Tokens are None for a scripted judge. seconds: at the speed
    of this judge's earlier runs in this store, None where there are none."""

    judge: str
    calls: int
    answered: int
    prompt_tokens: int | None
    longest_reply_tokens: int
    does_not_fit: tuple[str, ...]
    seconds: float | None


class Plan(Frozen):
    records: int
    skipped: tuple[str, ...]
    judges: tuple[JudgePlan, ...]
    small_groups: dict[str, int]


def make_plan(prepared: Prepared) -> Plan:
    """Counts by the judges' own tokenizers; no model is loaded and nothing is written."""
    reader = _reader(prepared)
    return Plan(
        records=len(prepared.records.records),
        skipped=tuple(f"{s.record_id} ({s.place}): {s.reason}" for s in prepared.records.skipped),
        judges=tuple(_judge_plan(prepared, judge, reader) for judge in prepared.judges),
        small_groups=_small_groups(prepared),
    )


def _reader(prepared: Prepared) -> Reader | None:
    try:
        return Reader(open_for_reading(prepared.store))
    except UnknownIdError:
        return None


def _judge_plan(prepared: Prepared, judge: JudgeSpec, reader: Reader | None) -> JudgePlan:
    encoder = _encoder(judge)
    seen: set[str] = set()
    tokens, answered, misfits, budgets = [], 0, [], [0]
    for record in prepared.records.records:
        task = make_question_task(prepared, judge, record, 1, None)
        budget = longest_reply(task.question.reply_schema)
        budgets.append(budget)
        known = task.task_id in seen or (reader is not None and reader.reply(task.task_id) is not None)
        seen.add(task.task_id)
        answered += known
        if encoder is None or judge.manifest is None or known:
            continue
        length = len(encoder.encode(task.question.messages).ids)
        if length + budget > judge.manifest.engine.context:
            misfits.append(record.record_id)
        else:
            tokens.append(length)
    calls = len(prepared.records.records) - answered - len(misfits)
    speed = reader.speed(judge.fingerprint) if reader else None
    return JudgePlan(
        judge=judge.name,
        calls=calls,
        answered=answered,
        prompt_tokens=sum(tokens) if encoder else None,
        longest_reply_tokens=max(budgets),
        does_not_fit=tuple(misfits),
        seconds=round(calls / speed) if speed else None,
    )


def _encoder(judge: JudgeSpec) -> PromptEncoder | None:
    if judge.manifest is None or judge.weights is None:
        return None
    from transformers import AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(str(judge.weights), local_files_only=True)
    return PromptEncoder(tokenizer, judge.manifest.prompt)


def _small_groups(prepared: Prepared) -> dict[str, int]:
    counts = Counter(f"{d} = {v}" for r in prepared.records.records for d, v in r.identity.items())
    return {group: n for group, n in sorted(counts.items()) if n < SMALL_GROUP}


def plan_text(plan: Plan) -> str:
    """The plan in words, for a terminal."""
    lines = [f"{plan.records} records to judge, {len(plan.skipped)} rows that cannot be"]
    lines += [f"  not judged: {row}" for row in plan.skipped]
    for judge in plan.judges:
        lines += _judge_lines(judge)
    if plan.small_groups:
        groups = ", ".join(f"{group} ({n})" for group, n in plan.small_groups.items())
        lines.append(f"Too small to conclude on (fewer than {SMALL_GROUP} records): {groups}")
    return "\n".join(lines)


def _judge_lines(judge: JudgePlan) -> list[str]:
    lines = [f"{judge.judge}: {judge.calls} calls to make, {judge.answered} answered already"]
    if judge.prompt_tokens is not None:
        each = f" ({judge.prompt_tokens / judge.calls:.0f} each)" if judge.calls else ""
        lines.append(
            f"  prompt tokens: {judge.prompt_tokens}{each}; longest reply: {judge.longest_reply_tokens}"
        )
    time = (
        "unknown until this judge has run here" if judge.seconds is None else f"about {judge.seconds:.0f} s"
    )
    lines.append(f"  time, without loading: {time}")
    if judge.does_not_fit:
        lines.append(f"  do not fit its context and will be UNSCORED: {', '.join(judge.does_not_fit)}")
    return lines
