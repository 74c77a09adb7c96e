"""Everything that is decided before the first call: records, prompt, judges, and the run's identity."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from appliance import __version__
from appliance.audits.interface import Ask, Audit, Failure
from appliance.config import Config
from appliance.domain.base import digest
from appliance.domain.records import Record, RecordSet, Span
from appliance.domain.tasks import Question, Sampling, Task, make_task
from appliance.errors import ConfigError
from appliance.judges.grammar import reply_schema
from appliance.pipeline.bias_gate import Admitted, admissions
from appliance.pipeline.judges import JudgeSpec, judge_spec
from appliance.pipeline.kinds import KINDS, Kind
from appliance.pipeline.material import Material, labels_json

SEEDS_A_REPEAT = 1000
# Settings that leave a run what it is. Rules of decision are part of it: they are fixed beforehand.
_NOT_THE_RUN = {"folder", "store", "input", "limits", "alerts", "bias_gate"}


@dataclass(frozen=True)
class Prepared:
    """A run that can start. admitted: the judges' own bias audits, where they are demanded. `identity`
    hashes what the run is about, so that the same command resumes it."""

    config: Config
    root: Path
    kind: Kind
    audit: Audit
    material: Material
    spans: dict[str, tuple[Span, ...]]
    judges: tuple[JudgeSpec, ...]
    identity: str
    admitted: tuple[Admitted, ...] = ()
    salt: str = ""

    @property
    def records(self) -> RecordSet:
        return self.material.records

    @property
    def store(self) -> Path:
        return self.config.resolve(self.config.store)

    def run_row(self, run_id: str) -> dict[str, Any]:
        """The row of `runs` for this run."""
        return {
            "run_id": run_id,
            "audit": self.audit.name,
            "identity": self.identity,
            "salt": self.salt,
            "config": self.config.model_dump_json(exclude={"folder"}),
            "version": __version__,
            "prompt_name": self.audit.prompt.name,
            "prompt_sha256": self.audit.prompt.sha256,
            "input_path": self.config.input.path,
            "labels": labels_json(self.material.labels),
        }


def prepare(config: Config, root: Path) -> Prepared:
    """Read and check all inputs. Nothing is written; every error names its place and remedy."""
    kind = KINDS[config.audit]
    audit, material = kind.audit(config, root), kind.material(config)
    judges = _judges(config, root, audit, kind.judges_needed)
    return Prepared(
        config=config,
        root=root,
        kind=kind,
        audit=audit,
        material=material,
        spans={record.record_id: audit.spans(record) for record in material.records.records},
        judges=judges,
        identity=_identity(config, audit, material, judges),
        admitted=admissions(config, judges),
    )


def with_salt(prepared: Prepared, salt: str) -> Prepared:
    """The same run asked anew: no answer given before is used."""
    return dataclasses.replace(prepared, salt=salt)


def make_question_task(
    prepared: Prepared,
    judge: JudgeSpec,
    record: Record,
    repeat: int,
    attempt_no: int,
    failure: Failure | None,
) -> Task:
    """The task of the n-th attempt (from 1) at a record, in its first answer (repeat 0) or a later one."""
    ask = prepared.audit.ask(record, prepared.spans[record.record_id], failure)
    temperature = prepared.audit.temperatures[attempt_no - 1]
    if repeat and attempt_no == 1:
        own = prepared.config.repeats.temperature
        temperature = prepared.audit.repeat_temperature if own is None else own
    # Each attempt and repeat has a seed of its own: with equal temperatures it must still be a new question.
    seed = prepared.config.judges.seed + SEEDS_A_REPEAT * repeat + attempt_no - 1
    sampling = Sampling(temperature=temperature, seed=seed)
    return make_task(
        judge.fingerprint, _question(ask, prepared.config.judges.backend), sampling, prepared.salt
    )


def _question(ask: Ask, backend: str) -> Question:
    schema = _schema(ask.reply_model, backend)
    return Question(messages=ask.messages, reply_schema=schema, decisions=ask.decisions)


@lru_cache(maxsize=1024)
def _schema(model: type[BaseModel], backend: str) -> dict[str, Any]:
    """Records of one shape share a model, and making its schema takes longer than all else in a task."""
    return reply_schema(model, backend)


def _judges(config: Config, root: Path, audit: Audit, needed: int) -> tuple[JudgeSpec, ...]:
    names = config.judge_names
    if len(names) < needed:
        raise ConfigError(
            f"judges.{'ab'[len(names)]}: missing", "This audit needs two judges that check each other."
        )
    if len(set(names)) < len(names):
        raise ConfigError(
            f"judges.a and judges.b are both '{names[0]}'",
            "Two judges can check each other only if they are two models, best of different families.",
        )
    judges = tuple(judge_spec(root, name, config.judges, audit) for name in names)
    weights = {judge.details.get("weights", judge.name) for judge in judges}
    if len(weights) < len(judges):
        raise ConfigError(
            f"judges.a '{names[0]}' and judges.b '{names[1]}' are the same model: their files are equal",
            "Its agreement with itself would show nothing; take a second model of another family.",
        )
    return judges


def _identity(config: Config, audit: Audit, material: Material, judges: Sequence[JudgeSpec]) -> str:
    records = material.records
    return digest(
        {
            "audit": audit.name,
            "settings": config.model_dump(mode="json", exclude=_NOT_THE_RUN),
            "records": [r.content_hash for r in records.records],
            "skipped": [[s.record_id, s.reason] for s in records.skipped],
            "labels": labels_json(material.labels),
            "pairs": [pair.model_dump(mode="json") for pair in material.pairs],
            "judges": [j.fingerprint for j in judges],
        }
    )
