"""One output judged on the fly, before anything downstream uses it."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from appliance.config import Config, project_root
from appliance.config.intersectional import GridConfig, ModelConfig
from appliance.config.shared import InputConfig
from appliance.errors import ConfigError, InputError
from appliance.pipeline.kinds import KINDS, build_report
from appliance.pipeline.prepare import prepare
from appliance.pipeline.progress import Progress
from appliance.pipeline.run import RunOptions, execute
from appliance.reports.data import RunReport
from appliance.store.database import open_for_reading
from appliance.store.reader import Reader

SCHEMA = "scan/1"


def scan(
    config: Config,
    record: Mapping[str, Any],
    progress: Progress = lambda *said: None,
    stopping: Callable[[], bool] = lambda: False,
    isolated: bool = True,
) -> dict[str, Any]:
    """Judge one record with both judges of `config` and return verdicts, divergence and whether people must
    look, as plain data. record: as a line of an input file: text, and identity (dimension -> value);
    record_id may be left out. Nothing is stored: everything happens in a private folder that is removed.

    Loading two models takes most of the time; for many records use a run. ConfigError for an audit of
    judges, InputError for a record that cannot be read."""
    if config.audit == "judge-bias":
        raise ConfigError("a judge-bias audit has no single output to judge", "Scan with another audit.")
    with tempfile.TemporaryDirectory(prefix="appliance-scan-") as folder:
        told = {"record_id": "scanned", **record}
        (Path(folder) / "record.json").write_text(json.dumps([told]), encoding="utf-8")
        made = config.model_copy(
            update={
                "input": InputConfig(path=str(Path(folder) / "record.json")),
                "grid": GridConfig(),
                "model": ModelConfig(),
                "store": str(Path(folder) / "scan.sqlite"),
            }
        )
        try:
            prepared = prepare(made, project_root())
        except InputError as error:
            raise InputError(error.message.replace(f"{folder}/", ""), error.hint) from None
        run_id = execute(prepared, RunOptions(isolated=isolated), progress, stopping)
        database = open_for_reading(prepared.store)
        try:
            report = build_report(Reader(database), run_id)
        finally:
            database.close()
    assert isinstance(report, RunReport)
    return _answer(report)


def _answer(report: RunReport) -> dict[str, Any]:
    """people_must_look: by the rules of the audit; unscored is never clean, so it sends the output to
    people."""
    record = report.records[0]
    reasons = [reason for item in report.review for reason in item.reasons]
    lost = KINDS[report.audit].incomplete(report, 0.0)
    return {
        "schema": SCHEMA,
        "audit": report.audit,
        "record_id": record.record_id,
        "people_must_look": bool(reasons or lost),
        "reasons": reasons,
        "judges": [
            {
                "judge": verdict.judge,
                "standing": next(j.standing.level for j in report.judges if j.name == verdict.judge),
                "status": verdict.status,
                "reason": verdict.reason,
                "flag": verdict.flag,
                "severity": verdict.severity,
                "measured_confidence": verdict.measured_confidence,
                "result": verdict.result,
            }
            for verdict in record.verdicts
        ],
        "divergence": record.divergence.model_dump(mode="json") if record.divergence else None,
    }
