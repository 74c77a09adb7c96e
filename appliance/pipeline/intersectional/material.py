"""From responses to the records that the judges are shown."""

from __future__ import annotations

import json
from collections.abc import Iterator

from appliance.audits.intersectional.identity_map import BLIND, SIGNALS, identity_map
from appliance.config import Config, project_root
from appliance.domain.grids import GridVariant, Response
from appliance.domain.records import Record, RecordSet, SkippedRecord
from appliance.errors import ConfigError, InputError
from appliance.pipeline.intersectional.collect import request_hash, target_of
from appliance.pipeline.intersectional.variants import load_grid
from appliance.pipeline.material import Material, read_material
from appliance.probes.masking import mask
from appliance.records.responses import CollectedResponse, read_responses
from appliance.store.database import open_for_reading
from appliance.store.reader import Reader

NO_SIGNAL = "the response says nothing of any of the attributes: there is nothing to judge"


def intersectional_material(config: Config) -> Material:
    """Records of responses, from the store, from a file of responses, or from records that have an identity
    already. What says nothing of any identity is set aside; what has no response is unscored."""
    if config.input.path and (config.grid.templates or config.model.responses):
        raise ConfigError("[input] and [grid]: give one of the two", "Records have their identity already.")
    found = _from_records(config) if config.input.path else list(_from_grid(config))
    records = tuple(r for r in found if isinstance(r, Record))
    if config.intersectional.blind:
        records = tuple(_masked(record) for record in records)
    skipped = tuple(r for r in found if isinstance(r, SkippedRecord))
    if not records:
        first = skipped[0].reason if skipped else "nothing was given"
        raise InputError(f"no response can be judged: {first}", "Check the source of the responses.")
    return Material(RecordSet(records=records, skipped=skipped))


def _from_records(config: Config) -> list[Record | SkippedRecord]:
    read = read_material(config).records
    without = [r for r in read.records if len(r.identity) < 2]
    if without:
        raise InputError(
            f"{without[0].place}: {len(without)} records have fewer than two identity values",
            "An intersection needs two dimensions: columns named identity.X, or [input.identity].",
        )
    return [_aside(record) for record in read.records] + list(read.skipped)


def _masked(record: Record) -> Record:
    words = [word for told in json.loads(record.metadata.get(SIGNALS, "{}")).values() for word in told]
    name = record.identity_signal.removeprefix("name: ")
    text = mask(record.text, name, [*words, *record.identity.values()])
    return record.model_copy(
        update={"text": text, "identity_signal": "", "metadata": {**record.metadata, BLIND: "yes"}}
    )


def _aside(record: Record) -> Record | SkippedRecord:
    if identity_map(record).shown:
        return record
    return SkippedRecord(
        record_id=record.record_id, place=record.place, reason=NO_SIGNAL, text=record.text,
        identity=record.identity, set_aside=True,
    )  # fmt: skip


def _from_grid(config: Config) -> Iterator[Record | SkippedRecord]:
    grid = load_grid(config)
    if config.model.responses:
        yield from _from_file(config, {v.variant_id: v for v in grid.variants()})
        return
    held = _held(config)
    for variant in grid.variants():
        for repeat in range(config.model.repeats):
            response = held.get((variant.variant_id, repeat, request_hash(variant.text)))
            yield _record(variant, repeat, response)


def _held(config: Config) -> dict[tuple[str, int, str], Response]:
    target = target_of(config, project_root())
    database = open_for_reading(config.resolve(config.store))
    try:
        return Reader(database).responses(target.fingerprint)
    finally:
        database.close()


def _from_file(config: Config, variants: dict[str, GridVariant]) -> Iterator[Record | SkippedRecord]:
    """Joined by variant id: a row of no variant is an error, a variant without a row is unscored."""
    path = config.resolve(config.model.responses)
    rows = read_responses(path)
    strangers = [row for row in rows if row.variant_id not in variants]
    if strangers:
        raise InputError(
            f"{strangers[0].place}: '{strangers[0].variant_id}' is no variant of this grid "
            f"({len(strangers)} such rows)",
            "`appliance variants` writes the ids that this configuration has.",
        )
    by_variant: dict[str, list[CollectedResponse]] = {}
    for row in rows:
        by_variant.setdefault(row.variant_id, []).append(row)
    for variant in variants.values():
        own = by_variant.get(variant.variant_id, [])
        for row in own:
            told = Response(target=path.name, variant_id=row.variant_id, repeat=row.repeat, text=row.text)
            yield _record(variant, row.repeat, told, row.place)
        if not own:
            yield _record(variant, 0, None)


def _record(
    variant: GridVariant, repeat: int, response: Response | None, place: str = ""
) -> Record | SkippedRecord:
    record_id = f"{variant.variant_id} | {repeat}" if repeat else variant.variant_id
    error = "no response was collected" if response is None else response.error
    if response is None or error or not response.text.strip():
        reason = f"no response of the model under audit: {error or 'it is empty'}"
        return SkippedRecord(
            record_id=record_id, place=place or variant.variant_id, reason=reason, identity=variant.profile
        )
    record = Record(
        record_id=record_id,
        text=response.text.replace("\0", ""),
        identity=variant.profile,
        identity_dimensions=tuple(variant.profile),
        identity_signal=f"name: {variant.name}" if variant.name else "",
        template_id=variant.template_id,
        metadata={
            "request": variant.text,
            "number": str(variant.number),
            "cut": "yes" if response.cut else "",
            SIGNALS: json.dumps(variant.signals, ensure_ascii=False),
        },
        place=place or variant.variant_id,
    )
    return _aside(record)
