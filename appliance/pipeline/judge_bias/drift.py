"""The earlier baseline of a judge, read from the store so that a trend is never invented."""

from __future__ import annotations

import json
from typing import Any

from appliance.reports.judge_bias.data import Earlier, TargetResult
from appliance.store.reader import Reader

# Details of a fingerprint -> the component that people name.
COMPONENTS = {
    "weights": "weights",
    "prompt": "prompt template",
    "reply_version": "grammar and scale",
    "backend": "grammar back end",
    "engine": "engine",
    "libraries": "engine",
    "device": "device",
    "precision": "precision",
    "quantisation": "precision",
    "temperatures": "sampling",
    "seed": "sampling",
    "mitigations": "mitigations",
}


def fetch_prior_audit_results(reader: Reader, audit_id: str, judge: str) -> dict[str, Any] | None:
    """The last complete audit of this judge (by name) before the run `audit_id`: run_id, created, details of
    its fingerprint, and means: dimension -> mean difference, None where none was measured. None for a first
    audit. UnknownIdError for an unknown audit_id."""
    run = reader.run(audit_id)
    before = [r for r in reader.runs() if r["audit"] == run["audit"] and r["status"] == "complete"]
    for earlier in before[_place(before, run["run_id"]) :]:
        held = {j["name"]: j for j in reader.judges(earlier["run_id"])}
        if judge in held and comparable(run, earlier):
            means = reader.baseline(earlier["run_id"], judge)
            if means is not None:
                told = {"run_id": earlier["run_id"], "created": earlier["created"], "means": means}
                return told | {"details": components(earlier, held[judge]["details"])}
    return None


def components(run: dict[str, Any], details: dict[str, Any]) -> dict[str, Any]:
    """A judge's fingerprint and what its pipeline does in a run (a row of `runs`)."""
    return details | {"mitigations": json.loads(run["config"])["target"].get("mitigations", [])}


def _place(runs: list[dict[str, Any]], run_id: str) -> int:
    """Runs are newest first: those after this one's place are earlier."""
    ids = [r["run_id"] for r in runs]
    return ids.index(run_id) + 1 if run_id in ids else 0


def comparable(one: dict[str, Any], other: dict[str, Any]) -> bool:
    """Rows of `runs`. Scores of another mode or scale are no baseline."""
    first, second = (json.loads(r["config"])["target"] for r in (one, other))
    return bool(first["mode"] == second["mode"] and first["scale"] == second["scale"])


def earlier_of(reader: Reader, run: dict[str, Any], target: TargetResult) -> Earlier | None:
    """The baseline beside this run's results; None for a judge's first audit."""
    prior = fetch_prior_audit_results(reader, run["run_id"], target.judge)
    if prior is None:
        return None
    now = {d.dimension: d.mean.value if d.mean else None for d in target.dimensions}
    changed = changed_components(prior["details"], components(run, target.details))
    return Earlier(
        judge=target.judge,
        run_id=prior["run_id"],
        created=prior["created"],
        changed=changed,
        dimensions={name: (prior["means"].get(name), value) for name, value in now.items()},
        attribution=attribution(changed),
    )


def changed_components(then: dict[str, Any], now: dict[str, Any]) -> tuple[str, ...]:
    """Components of a fingerprint that differ, as people name them."""
    keys = [k for k in {**then, **now} if then.get(k) != now.get(k)]
    return tuple(dict.fromkeys(COMPONENTS.get(key, key) for key in keys))


def attribution(changed: tuple[str, ...]) -> str:
    """What a difference may be laid to, in words."""
    if not changed:
        return "the same judge in every component: differences are those of items, seeds and chance"
    if len(changed) == 1:
        return f"only the {changed[0]} changed: if the items are the same, a difference may be laid to it"
    return (
        f"several components changed ({', '.join(changed)}): a difference cannot be laid to any one of them"
    )
