"""What differs between audits in a run. A further audit is one more entry in KINDS."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Protocol

from appliance.audits.interface import Audit
from appliance.config import Config
from appliance.pipeline.competence import CompetenceKind
from appliance.pipeline.intersectional.kind import IntersectionalKind
from appliance.pipeline.judge_bias.kind import JudgeBiasKind
from appliance.pipeline.material import Conclusion, Material
from appliance.reports import Report
from appliance.store.reader import Reader


class Kind(Protocol):
    """audit: what is asked. material: of what. conclude: what the finished verdicts mean for people.
    report: all of it, read back from the store. incomplete: why the run is, in words; "" when it is not.
    problems: why its gate does not pass, empty when it does. judges_needed: one where a judge is
    itself what is audited."""

    judges_needed: int

    def audit(self, config: Config, root: Path) -> Audit: ...

    def material(self, config: Config) -> Material: ...

    def conclude(self, config: Config, material: Material, reader: Reader, run_id: str) -> Conclusion: ...

    def report(self, reader: Reader, run_id: str) -> Report: ...

    def incomplete(self, report: Any, max_unscored: float) -> str: ...

    def problems(self, report: Any) -> list[str]: ...


KINDS: dict[str, Kind] = {
    "competence": CompetenceKind(),
    "judge-bias": JudgeBiasKind(),
    "intersectional": IntersectionalKind(),
}


def build_report(reader: Reader, run_id: str) -> Report:
    """The report of a run, complete or not. UnknownIdError for an unknown id."""
    run = reader.run(run_id)
    return KINDS[run["audit"]].report(reader, run["run_id"])
