"""What a run is about: its records, read and checked before the first call."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from appliance.config import Config
from appliance.domain.pairs import TestPair
from appliance.domain.records import IntendedLabel, RecordSet
from appliance.domain.verdicts import Divergence
from appliance.errors import ConfigError, InputError
from appliance.records.readers import read_labels, read_records


@dataclass(frozen=True)
class Material:
    """labels: intended ones that came with the records, by record_id. pairs: what a judge-bias audit
    compares, in order."""

    records: RecordSet
    labels: dict[str, IntendedLabel] = field(default_factory=dict)
    pairs: tuple[TestPair, ...] = ()


@dataclass(frozen=True)
class Conclusion:
    """What a finished run stores beside the verdicts. review: record_id -> why people must look at it.
    events: lines of the run's history, kind and detail."""

    divergences: tuple[Divergence, ...]
    review: dict[str, tuple[str, ...]]
    events: tuple[tuple[str, dict[str, Any]], ...] = ()


def read_material(config: Config) -> Material:
    """The user's own records, with the labels that came with them."""
    records = _records(config)
    return Material(records, _labels(config, records))


def labels_json(labels: dict[str, IntendedLabel]) -> str:
    return "[" + ",".join(labels[key].model_dump_json() for key in sorted(labels)) + "]"


def _records(config: Config) -> RecordSet:
    if not config.input.path:
        raise ConfigError("input.path: missing", "Name the file of records under [input].")
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
