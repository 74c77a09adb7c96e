"""May these judges audit others? With a passing audit of themselves, where the configuration demands it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from appliance.config import BiasGateConfig, Config, load_config
from appliance.domain.base import Frozen, digest
from appliance.errors import GateError
from appliance.pipeline.judge_bias.kind import target_problems, unsigned
from appliance.pipeline.judge_bias.reporting import build_judge_bias_report
from appliance.pipeline.judges import JudgeSpec
from appliance.store.database import open_for_reading
from appliance.store.reader import Reader

# What an audit's own question adds to a fingerprint; all else is the judge that answers it.
_OF_THE_QUESTION = {"prompt", "reply_version", "temperatures", "seed"}


class Admitted(Frozen):
    """The audit that admits a judge. problems: why none does, newest audit first; empty when one does."""

    judge: str
    run_id: str
    created: str
    problems: tuple[str, ...]


def judge_identity(details: Mapping[str, Any]) -> str:
    """One for a judge whatever it is asked: weights, engine, back end, precision, chat template, device."""
    return digest({k: v for k, v in details.items() if k not in _OF_THE_QUESTION})


def admissions(config: Config, judges: Sequence[JudgeSpec]) -> tuple[Admitted, ...]:
    """Of every judge; empty where the configuration demands nothing. StoreError for a store that cannot be
    read."""
    if not config.bias_gate.store or config.audit == "judge-bias":
        return ()
    database = open_for_reading(_store(config))
    try:
        reader = Reader(database)
        return tuple(_admitted(reader, judge, config.bias_gate) for judge in judges)
    finally:
        database.close()


def check_admissions(found: Sequence[Admitted]) -> None:
    """GateError, naming each judge and why no audit admits it."""
    refused = [f"{a.judge}: {'; '.join(a.problems)}" for a in found if a.problems]
    if refused:
        raise GateError(
            f"bias_gate refuses the judges: {' | '.join(refused)}",
            "Audit the judge itself (`appliance init judge-bias`), or leave [bias_gate] out of this audit.",
        )


def _store(config: Config) -> Path:
    path = config.resolve(config.bias_gate.store)
    if path.suffix != ".toml":
        return path
    own = load_config(path)
    return own.resolve(own.store)


def _admitted(reader: Reader, judge: JudgeSpec, rule: BiasGateConfig) -> Admitted:
    """By the newest complete audit of exactly this judge: an older one that passed has been overtaken."""
    wanted = judge_identity(judge.details)
    for run in reader.runs():
        if run["audit"] != "judge-bias" or run["status"] != "complete":
            continue
        held = [j for j in reader.judges(run["run_id"]) if judge_identity(j["details"]) == wanted]
        if held:
            told = {"judge": judge.name, "run_id": run["run_id"], "created": run["created"]}
            return Admitted(problems=_problems(reader, run, held[0]["fingerprint"], rule), **told)
    why = "the store has no complete judge-bias audit of this judge as it is now (weights, engine, settings)"
    return Admitted(judge=judge.name, run_id="", created="", problems=(why,))


def _problems(reader: Reader, run: dict[str, Any], fingerprint: str, rule: BiasGateConfig) -> tuple[str, ...]:
    report = build_judge_bias_report(reader, run["run_id"])
    target = next(t for t in report.targets if t.fingerprint == fingerprint)
    found = [*target_problems(target, rule.dimensions), *unsigned(report)]
    if target.inconclusive:
        found.append("the audit is INCONCLUSIVE")
    age = datetime.now(UTC) - datetime.fromisoformat(run["created"])
    if rule.max_age_days is not None and age > timedelta(days=rule.max_age_days):
        found.append(f"the audit is {age.days} days old, {rule.max_age_days} are allowed")
    return tuple(f"run {run['run_id']}: {problem}" for problem in found)
