"""What a self-test found of one planted case, whatever the audit."""

from __future__ import annotations

from appliance.domain.base import Frozen
from appliance.domain.estimates import Estimate

WANTED_POWER, ALLOWED = 0.8, 0.05


class CaseResult(Frozen):
    """What the audit said over all seeds. detected: share of runs that find what was planted, as what it is
    (undefined where nothing was). false_alarms: share of runs that flag anything else; the family-wise error
    rate. cleared: share of runs in which what was planted was called clear, which would be a wrong "no bias
    found". outcomes: outcome -> how often what was planted (or, without it, anything) had it."""

    case: str
    mode: str
    size: str
    runs: int
    detected: Estimate
    cleared: Estimate
    false_alarms: Estimate
    outcomes: dict[str, int]

    @property
    def failures(self) -> tuple[str, ...]:
        """What these runs show to be wrong: power below 80%, or a family-wise error rate above 5%."""
        found = []
        if self.detected.high is not None and self.detected.high < WANTED_POWER:
            found.append(f"{self.case}: detected in {self.detected.value:.0%} of runs, 80% are wanted")
        for what, share in (("false alarms", self.false_alarms), ("wrongly cleared", self.cleared)):
            if share.low is not None and share.low > ALLOWED:
                found.append(f"{self.case}: {what} in {share.value:.0%} of runs, 5% are allowed")
        return tuple(found)
