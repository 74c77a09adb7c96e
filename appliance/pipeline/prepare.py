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
from appliance.audits.competence import CompetenceAudit
from appliance.audits.interface import Ask, Audit, Failure, LabelScheme
from appliance.config import Config
from appliance.domain.base import digest
from appliance.domain.records import IntendedLabel, Record, RecordSet, Span
from appliance.domain.tasks import Question, Sampling, Task, make_task
from appliance.errors import ConfigError, InputError
from appliance.judges.grammar import reply_schema
from appliance.pipeline.judges import JudgeSpec, judge_spec
from appliance.prompts.template import load_prompt
from appliance.records.readers import read_labels, read_records


@dataclass(frozen=True)
class Prepared:
    """A run that can start. `identity` hashes what the run is about, so that the same command resumes it."""

    config: Config
    root: Path
    audit: Audit
    records: RecordSet
    spans: dict[str, tuple[Span, ...]]
    labels: dict[str, IntendedLabel]
    judges: tuple[JudgeSpec, JudgeSpec]
    identity: str
    salt: str = ""

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
            "labels": _labels_json(self.labels),
        }


def prepare(config: Config, root: Path) -> Prepared:
    """Read and check all inputs. Nothing is written; every error names its place and remedy."""
    audit = _audit(config, root)
    records = _records(config)
    labels = _labels(config, records)
    judges = _judges(config, root, audit)
    return Prepared(
        config=config,
        root=root,
        audit=audit,
        records=records,
        spans={record.record_id: audit.spans(record) for record in records.records},
        labels=labels,
        judges=judges,
        identity=_identity(config, audit, records, labels, judges),
    )


def with_salt(prepared: Prepared, salt: str) -> Prepared:
    """The same run asked anew: no answer given before is used."""
    return dataclasses.replace(prepared, salt=salt)


def make_question_task(
    prepared: Prepared, judge: JudgeSpec, record: Record, attempt_no: int, failure: Failure | None
) -> Task:
    """The task of the n-th attempt (from 1) at a record."""
    ask = prepared.audit.ask(record, prepared.spans[record.record_id], failure)
    temperature = prepared.audit.temperatures[attempt_no - 1]
    # Each attempt has a seed of its own: with equal temperatures a retry must still be a new question.
    sampling = Sampling(temperature=temperature, seed=prepared.config.judges.seed + attempt_no - 1)
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


def _audit(config: Config, root: Path) -> Audit:
    prompt = load_prompt(root, config.audit, config.competence.prompt)
    return CompetenceAudit(config.competence, prompt)


def scheme_of(audit: str) -> LabelScheme:
    """The labels of an audit by its name, for what needs no prompt."""
    return {CompetenceAudit.name: CompetenceAudit.scheme}[audit]


def _records(config: Config) -> RecordSet:
    path = config.resolve(config.input.path)
    settings = config.input
    found = read_records(path, settings.columns, settings.identity, config.competence.identity_dimensions)
    if not found.records and not found.skipped:
        raise InputError(f"{path}: no records", "Check that the file has rows under its header.")
    if not found.records:
        first, count = found.skipped[0], len(found.skipped)
        raise InputError(
            f"{path}: none of its {count} rows can be judged; the first, {first.place}: {first.reason}",
            "Check the column of the text under [input.columns], and the rows themselves.",
        )
    return found


def _labels(config: Config, records: RecordSet) -> dict[str, IntendedLabel]:
    if not config.input.labels:
        return {}
    path = config.resolve(config.input.labels)
    labels = read_labels(path)
    strangers = sorted(set(labels) - _ids(records))
    if strangers:
        raise InputError(
            f"{path}: labels for records that the input does not have: {', '.join(strangers[:5])}",
            "Check that labels and records belong together.",
        )
    return labels


def _ids(records: RecordSet) -> set[str]:
    return {r.record_id for r in records.records} | {s.record_id for s in records.skipped}


def _judges(config: Config, root: Path, audit: Audit) -> tuple[JudgeSpec, JudgeSpec]:
    names = (config.judges.a, config.judges.b)
    if names[0] == names[1]:
        raise ConfigError(
            f"judges.a and judges.b are both '{names[0]}'",
            "Two judges can check each other only if they are two models, best of different families.",
        )
    first, second = (judge_spec(root, name, config.judges, audit) for name in names)
    weights = [judge.details.get("weights") for judge in (first, second)]
    if weights[0] is not None and weights[0] == weights[1]:
        raise ConfigError(
            f"judges.a '{names[0]}' and judges.b '{names[1]}' are the same model: their files are equal",
            "Its agreement with itself would show nothing; take a second model of another family.",
        )
    return first, second


def _identity(
    config: Config,
    audit: Audit,
    records: RecordSet,
    labels: dict[str, IntendedLabel],
    judges: Sequence[JudgeSpec],
) -> str:
    return digest(
        {
            "audit": audit.name,
            "settings": config.model_dump(mode="json", exclude={"folder", "store", "input", "limits"}),
            "records": [r.content_hash for r in records.records],
            "skipped": [[s.record_id, s.reason] for s in records.skipped],
            "labels": _labels_json(labels),
            "judges": [j.fingerprint for j in judges],
        }
    )


def _labels_json(labels: dict[str, IntendedLabel]) -> str:
    return "[" + ",".join(labels[key].model_dump_json() for key in sorted(labels)) + "]"
