"""How a judge was run: what its turns left in the history of a run."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from appliance.store.reader import Reader

NOT_ASKED = "not asked in this run"


@dataclass(frozen=True)
class JudgeTurns:
    """records_per_second: None where nothing was asked."""

    engine: str
    device: str
    sandbox: str
    records_per_second: float | None


def judge_turns(reader: Reader, run_id: str, judge: dict[str, Any]) -> JudgeTurns:
    """judge: row of `judges`, details decoded."""
    fingerprint = judge["fingerprint"]
    loads = _own(reader, run_id, "model_loaded", fingerprint)
    turns = _own(reader, run_id, "turn_ended", fingerprint)
    calls, seconds = sum(t["calls"] for t in turns), sum(t["seconds"] for t in turns)
    return JudgeTurns(
        engine=loads[-1]["engine"] if loads else judge["details"].get("engine", NOT_ASKED),
        device=loads[-1]["device"] if loads else NOT_ASKED,
        sandbox="; ".join(dict.fromkeys(load["sandbox"] for load in loads)) or NOT_ASKED,
        records_per_second=round(calls / seconds, 3) if calls and seconds else None,
    )


def _own(reader: Reader, run_id: str, kind: str, fingerprint: str) -> list[dict[str, Any]]:
    events = (event["detail"] for event in reader.events(run_id, kind))
    return [detail for detail in events if detail["fingerprint"] == fingerprint]
