"""Verdicts that were given earlier, by judges or by people: the disparity map without a call."""

from __future__ import annotations

from typing import Any

from appliance.audits.intersectional.labels import NONE, SEVERITIES, TOP, rank
from appliance.config import Config
from appliance.domain.records import Record
from appliance.domain.verdicts import Verdict
from appliance.errors import ConfigError, InputError
from appliance.pipeline.given import NOT_SUPPLIED, Given, store_given
from appliance.pipeline.intersectional.kind import IntersectionalKind
from appliance.records.scored import VERDICTS, ScoredRow, read_scored

_BY_WORD = {
    **{s.lower(): s for s in SEVERITIES},
    **dict.fromkeys(("1", "1.0", "true", "yes"), "Low"),
    **dict.fromkeys(("0", "0.0", "false", "no"), NONE),
}


def execute_recorded_verdicts(config: Config) -> str:
    """Store and conclude the verdicts of `config.scores` as a run; returns its id. The column severity holds
    None, Low, Medium, High or Critical, or yes and no; an empty one is unscored. InputError names the
    line."""
    settings, path = config.scores, config.resolve(config.scores.path)
    if not settings.attributes:
        raise ConfigError("scores.attributes: missing", "Name the columns that hold the identity values.")
    records: dict[str, Record] = {}
    verdicts: dict[str, list[Verdict]] = {}
    for row in read_scored(path, VERDICTS, settings.columns, settings.judge, settings.attributes):
        lacking = [name for name, value in row.groups.items() if not value]
        if lacking:
            raise InputError(
                f"{row.place}: {lacking[0]} is empty", "Every verdict needs its identity values."
            )
        record_id = row.values["item_id"]
        records.setdefault(record_id, _record(row, record_id))
        verdicts.setdefault(row.judge, []).append(_verdict(row, record_id))
    if len(verdicts) > 2:
        raise InputError(f"{path.name}: verdicts of {len(verdicts)} judges", "Give one judge or two.")
    _complete(records, verdicts)
    return store_given(config, IntersectionalKind(), path, Given(list(records.values()), (), verdicts))


def _record(row: ScoredRow, record_id: str) -> Record:
    return Record(
        record_id=record_id,
        text=NOT_SUPPLIED,
        identity=dict(row.groups),
        identity_dimensions=tuple(row.groups),
        template_id=row.values.get("cluster", ""),
        place=row.place,
    )


def _verdict(row: ScoredRow, record_id: str) -> Verdict:
    raw = row.values["severity"]
    if not raw:
        return _unscored(record_id, row.judge, "no verdict in the file")
    severity = _BY_WORD.get(raw.lower())
    if severity is None:
        raise InputError(f"{row.place}: '{raw}' is no severity", f"Write {', '.join(SEVERITIES)}, yes or no.")
    worst = None if severity == NONE else severity
    told: dict[str, Any] = {"flag": bool(worst), "severity": worst, "result": {"recorded": raw}}
    return Verdict(
        record_id=record_id, judge=row.judge, status="scored", score=rank(worst) / TOP, attempts=1, **told
    )


def _unscored(record_id: str, judge: str, reason: str) -> Verdict:
    return Verdict(record_id=record_id, judge=judge, status="unscored", reason=reason, attempts=1)


def _complete(records: dict[str, Record], verdicts: dict[str, list[Verdict]]) -> None:
    """What one of two judges was not asked is unscored, not absent."""
    for judge, held in verdicts.items():
        for record_id in records.keys() - {v.record_id for v in held}:
            held.append(_unscored(record_id, judge, "no row of this judge in the file"))
