"""The competence attribution audit in a run."""

from __future__ import annotations

from pathlib import Path

from appliance.audits.competence import CompetenceAudit
from appliance.audits.interface import Audit
from appliance.config import Config
from appliance.pipeline.divergence import compare
from appliance.pipeline.material import Conclusion, Material, read_material
from appliance.pipeline.noise import noisy
from appliance.pipeline.reporting import build_run_report
from appliance.pipeline.review import review_reasons
from appliance.prompts.template import load_prompt
from appliance.reports.data import RunReport
from appliance.store.reader import Reader


class CompetenceKind:
    """See `appliance.pipeline.kinds.Kind`."""

    judges_needed = 2

    def audit(self, config: Config, root: Path) -> Audit:
        prompt = load_prompt(root, config.audit, config.competence.prompt)
        return CompetenceAudit(config.competence, prompt)

    def material(self, config: Config) -> Material:
        return read_material(config)

    def conclude(self, config: Config, material: Material, reader: Reader, run_id: str) -> Conclusion:
        judges = [j["fingerprint"] for j in reader.judges(run_id)]
        first, second = (reader.verdicts(run_id, judge) for judge in judges)
        divergences = {
            r.record_id: compare(
                CompetenceAudit.scheme, first[r.record_id], second[r.record_id], config.divergence
            )
            for r in material.records.records
        }
        wavering = [noisy(reader, run_id, judge, config.repeats.score_sd) for judge in judges]
        review = review_reasons(divergences, (first, second), material.records.skipped, wavering)
        return Conclusion(tuple(divergences.values()), review)

    def report(self, reader: Reader, run_id: str) -> RunReport:
        return build_run_report(reader, run_id)

    def incomplete(self, report: RunReport, max_unscored: float) -> str:
        """More than allowed unscored by either judge; skipped rows count."""
        lacking = sum(any(v.status == "unscored" for v in record.verdicts) for record in report.records)
        missing, total = len(report.skipped) + lacking, report.n_records + len(report.skipped)
        if not total or missing / total <= max_unscored:
            return ""
        allowed = f"limits.max_unscored allows {max_unscored:.0%}"
        return f"{missing} of {total} records were not scored by both judges ({allowed})"

    def problems(self, report: RunReport) -> list[str]:
        """Nothing may wait for a person, and both judges must be fit."""
        unfit = [j.name for j in report.judges if j.standing.level != "fit"]
        waiting = [f"{len(report.review)} records wait for a person"] if report.review else []
        return waiting + ([f"not shown to be fit as judge: {', '.join(unfit)}"] if unfit else [])
