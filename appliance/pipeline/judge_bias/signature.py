"""A person's signature under a judge-bias audit, and its withdrawal."""

from __future__ import annotations

from pathlib import Path

from appliance.domain.base import digest
from appliance.errors import ConfigError
from appliance.reports import Report
from appliance.reports.judge_bias.data import JudgeBiasReport
from appliance.store.database import open_for_writing, writer_lock
from appliance.store.reader import Reader
from appliance.store.writer import Writer

SIGNED, WITHDRAWN = "signed_off", "sign_off_withdrawn"


def sign(store: Path, report: Report, by: str, reason: str, withdraw: bool = False) -> str:
    """Record it; returns what was done, in words. ConfigError for another audit, a run that is not complete,
    nobody's name or no reason, and a withdrawal of what is not signed."""
    if not isinstance(report, JudgeBiasReport):
        raise ConfigError(f"run {report.run_id} is no judge-bias audit", "Only these are signed.")
    if report.status == "incomplete":
        raise ConfigError(f"run {report.run_id} is incomplete", "Finish it first; its findings can change.")
    if not by or not reason:
        raise ConfigError("--by and --reason must say something", "A signature needs a name and a reason.")
    if withdraw and not report.signed:
        raise ConfigError(f"run {report.run_id} is not signed", "There is nothing to withdraw.")
    with writer_lock(store):
        database = open_for_writing(store)
        try:
            kind = WITHDRAWN if withdraw else SIGNED
            told = {"by": by, "reason": reason, "report_sha256": _digest(report)}
            Writer(database, store).event(report.run_id, kind, **told)
        finally:
            database.close()
    return f"run {report.run_id}: {'signature withdrawn' if withdraw else 'signed off'} by {by}"


def signature(reader: Reader, run_id: str) -> dict[str, str] | None:
    """The last signature that was not withdrawn, with its time."""
    found = [event for kind in (SIGNED, WITHDRAWN) for event in reader.events(run_id, kind)]
    last = max(found, key=lambda event: event["seq"], default=None)
    if last is None or last["kind"] == WITHDRAWN:
        return None
    return {"at": last["time"], **{key: str(value) for key, value in last["detail"].items()}}


def _digest(report: JudgeBiasReport) -> str:
    """Of all that the report says of the judges and the pairs."""
    return digest(
        report.model_dump(mode="json", include={"run_id", "targets", "skipped", "config", "status"})
    )
