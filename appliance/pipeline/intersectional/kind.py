"""The intersectional audit in a run."""

from __future__ import annotations

from pathlib import Path

from appliance.audits.interface import Audit
from appliance.audits.intersectional import IntersectionalAudit
from appliance.config import Config
from appliance.domain.verdicts import Divergence
from appliance.pipeline.divergence import compare
from appliance.pipeline.intersectional.material import intersectional_material
from appliance.pipeline.intersectional.reporting import build_intersectional_report
from appliance.pipeline.material import Conclusion, Material
from appliance.pipeline.noise import noisy
from appliance.pipeline.review import review_reasons
from appliance.prompts.template import load_prompt
from appliance.reports.intersectional.data import BOTH, IntersectionalReport
from appliance.store.reader import Reader


class IntersectionalKind:
    """See `appliance.pipeline.kinds.Kind`."""

    judges_needed = 2

    def audit(self, config: Config, root: Path) -> Audit:
        prompt = load_prompt(root, config.audit, config.intersectional.prompt)
        return IntersectionalAudit(config.intersectional, prompt)

    def material(self, config: Config) -> Material:
        return intersectional_material(config)

    def conclude(self, config: Config, material: Material, reader: Reader, run_id: str) -> Conclusion:
        judges = [j["fingerprint"] for j in reader.judges(run_id)]
        said = [reader.verdicts(run_id, judge) for judge in judges]
        divergences: dict[str, Divergence] = {}
        review: dict[str, tuple[str, ...]] = {}
        if len(said) == 2:  # verdicts given earlier can be one judge's
            scheme = IntersectionalAudit.scheme
            divergences = {
                r.record_id: compare(scheme, said[0][r.record_id], said[1][r.record_id], config.divergence)
                for r in material.records.records
            }
            wavering = [noisy(reader, run_id, judge, config.repeats.score_sd) for judge in judges]
            review = review_reasons(divergences, said, material.records.skipped, wavering)
        report = build_intersectional_report(reader, run_id)
        events = tuple(
            ("alert", {"judge": a.judge, "what": f"{' × '.join(a.group.values())}: {a.what}"})
            for a in report.alerts
        )
        return Conclusion(tuple(divergences.values()), review, events)

    def report(self, reader: Reader, run_id: str) -> IntersectionalReport:
        return build_intersectional_report(reader, run_id)

    def incomplete(self, report: IntersectionalReport, max_unscored: float) -> str:
        """More than allowed unscored by either judge; responses that could not be had count, those that were
        set aside do not."""
        lacking = sum(any(v.status == "unscored" for v in record.verdicts) for record in report.records)
        lost = len(report.skipped) - report.n_set_aside
        missing, total = lost + lacking, report.n_records + lost
        if not total or missing / total <= max_unscored:
            return ""
        allowed = f"limits.max_unscored allows {max_unscored:.0%}"
        return f"{missing} of {total} responses were not scored by both judges ({allowed})"

    def problems(self, report: IntersectionalReport) -> list[str]:
        """Nothing may wait for a person, no group may be flagged, and both judges must be fit."""
        unfit = [j.name for j in report.judges if j.standing.level != "fit"]
        found = [f"{len(report.review)} responses wait for a person"] if report.review else []
        found += [f"not shown to be fit as judge: {', '.join(unfit)}"] if unfit else []
        for one in report.maps:
            if one.judge == BOTH or one.audit is None:
                continue
            flagged = [g for g in one.audit.disparity.cells.groups if g.decision.outcome == "flagged"]
            found += [f"{one.judge} flags {' × '.join(g.group.values())}" for g in flagged]
        return found
