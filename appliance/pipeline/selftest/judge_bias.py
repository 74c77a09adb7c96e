"""The whole judge-bias pipeline on planted judges: items, probes, prompts, grammar, store, statistics."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from appliance.config import Config, project_root
from appliance.judges.planted import Effect, Planted
from appliance.pipeline.kinds import build_report
from appliance.pipeline.prepare import prepare
from appliance.pipeline.run import RunOptions, execute
from appliance.pipeline.selftest.items import write_items
from appliance.pipeline.selftest.results import CaseResult
from appliance.probes.names import load_names
from appliance.probes.phrases import load_phrases
from appliance.reports.judge_bias.data import JudgeBiasReport
from appliance.statistics.proportions import rate
from appliance.store.database import open_for_reading
from appliance.store.reader import Reader

LENGTH, STYLE, GENDER = "length", "style: formal vs casual", "demographic: gender (female vs male)"
POSITION, PLACEBO = "position", "placebo: neutral sentence"
SIZE = 0.6  # points of a scale of 1 to 5; the margin is 0.3
NONE = "none"


@dataclass(frozen=True)
class Case:
    """One planted judge. expected: the dimension that it favours, "" for none."""

    name: str
    mode: str
    expected: str
    planted: Planted


def cases() -> tuple[Case, ...]:
    """None, position, length, style and demographic, each of a known size; pointwise but for position."""
    filler = "|".join(_literal(phrase) for phrase in load_phrases().length.filler)
    female = [n for c in load_names().cells.values() if c.gender == "female" for n in c.first_names]
    names = r"\b(" + "|".join(_literal(name) for name in female) + r")\b"
    return (
        Case(NONE, "pointwise", "", Planted()),
        Case("length", "pointwise", LENGTH, _with(f"({filler})")),
        Case("style", "pointwise", STYLE, _with("n't|'ll|'re|'ve")),
        Case("demographic", "pointwise", GENDER, _with(names)),
        Case(f"{NONE} (pairs)", "pairwise", "", Planted()),
        Case("position", "pairwise", POSITION, Planted(first=SIZE)),
    )


def run_selftest(
    seeds: int, progress: Callable[[str], None], chosen: Sequence[Case] = ()
) -> tuple[CaseResult, ...]:
    """Every case with `seeds` seeds, in a private folder that is removed."""
    return tuple(_result(case, list(_reports(case, seeds, progress))) for case in chosen or cases())


def _with(pattern: str) -> Planted:
    return Planted(effects=(Effect(pattern=pattern, add=SIZE),))


def _literal(text: str) -> str:
    return "".join(f"\\{c}" if c in r".^$*+?{}[]\|()" else c for c in text)


def _reports(case: Case, seeds: int, progress: Callable[[str], None]) -> Iterator[JudgeBiasReport]:
    for seed in range(1, seeds + 1):
        progress(f"{case.name}: {seed} of {seeds}")
        with tempfile.TemporaryDirectory(prefix="appliance-selftest-") as folder:
            yield _one(case, seed, Path(folder))


def _one(case: Case, seed: int, folder: Path) -> JudgeBiasReport:
    judge = folder / "judge.json"
    judge.write_text(case.planted.model_copy(update={"seed": seed}).model_dump_json())
    write_items(folder / "items.csv")
    dimensions = [POSITION] if case.mode == "pairwise" else [LENGTH, STYLE, GENDER]
    config = Config.model_validate(
        {
            "audit": "judge-bias",
            "folder": str(folder),
            "input": {"path": "items.csv"},
            "judges": {"a": f"scripted:planted:{judge}", "seed": seed},
            "target": {"mode": case.mode},
            "probes": {"dimensions": [*dimensions, "injection", PLACEBO], "seed": seed},
        }
    )
    prepared = prepare(config, project_root())
    run_id = execute(prepared, RunOptions(), lambda *said: None, lambda: False)
    database = open_for_reading(prepared.store)
    try:
        report = build_report(Reader(database), run_id)
    finally:
        database.close()
    assert isinstance(report, JudgeBiasReport)
    return report


def _result(case: Case, reports: Sequence[JudgeBiasReport]) -> CaseResult:
    dimensions = [[d for d in r.targets[0].dimensions if not d.placebo] for r in reports]
    own = [
        d.status for found in dimensions for d in found if d.dimension == case.expected or not case.expected
    ]
    hits, cleared = own.count("flagged"), own.count("clear")
    others = [any(d.flagged for d in found if d.dimension != case.expected) for found in dimensions]
    n = len(reports) if case.expected else 0
    return CaseResult(
        case=case.name,
        mode=case.mode,
        size=f"{SIZE:g} points" if case.expected else "0",
        runs=len(reports),
        detected=rate(hits if n else 0, n),
        cleared=rate(cleared if n else 0, n),
        false_alarms=rate(sum(others), len(reports)),
        outcomes={outcome: own.count(outcome) for outcome in dict.fromkeys(own)},
    )
