"""CALM: does the judge keep its answer when only what should not matter changes?"""

from __future__ import annotations

from appliance.domain.base import Frozen
from appliance.domain.estimates import EffectSize, Estimate, Significance
from appliance.domain.outcomes import Hypothesis
from appliance.statistics.judging.flips import Answers, NetRate, changes, net_of_noise
from appliance.statistics.judging.shares import share
from appliance.statistics.paired.pairs import Ids

CALM_SOURCE = "Ye et al. (2024)"


class Robustness(Frozen):
    """robustness: share of items judged rightly after the perturbation: unchanged, or with `should_change`
    changed. consistency: share unchanged in an unperturbed repeat. failures: share judged wrongly, net of
    the share that changes by itself; above 0 is bias. impact: robustness less consistency on the items that
    have both, as published: the opposite of failures.net, below 0 is bias."""

    robustness: Estimate
    consistency: Estimate
    impact: EffectSize
    failures: NetRate

    @property
    def test(self) -> Significance:
        return self.failures.test

    def hypothesis(self, name: str, margin: float, min_n: int) -> Hypothesis:
        """Net failures against 0, for `outcome.decide`; see `NetRate.hypothesis`."""
        return self.failures.hypothesis(name, margin, min_n)


def robustness(
    original: Answers,
    repeat: Answers,
    perturbed: Answers,
    *,
    item: Ids | None = None,
    cluster: Ids | None = None,
    tolerance: float = 0.0,
    should_change: bool = False,
) -> Robustness:
    """Rates over items; see `flips.changes` for the answers and `flips.net_of_noise` for item and cluster.

    should_change: the perturbation really lowers quality (fallacy oversight), so that an answer which stays
    is the failure. A perfect judge then changes as often as it is consistent. Noise passes for changes, so
    read robustness beside consistency. Source: Ye et al. (2024), CALM.
    """
    changed, noisy = changes(original, perturbed, tolerance), changes(original, repeat, tolerance)
    failed = 1 - changed if should_change else changed
    failures = net_of_noise(
        failed, noisy, CALM_SOURCE, name="failures net of repeat noise", item=item, cluster=cluster
    )
    return Robustness(
        robustness=_calm(share(1 - failed, item, cluster)),
        consistency=_calm(share(1 - noisy, item, cluster)),
        impact=_opposite(failures.net),
        failures=failures,
    )


def _opposite(effect: EffectSize) -> EffectSize:
    turned = {
        "value": None if effect.value is None else 0.0 - effect.value,
        "low": None if effect.high is None else 0.0 - effect.high,
        "high": None if effect.low is None else 0.0 - effect.low,
        "method": effect.method.replace("failures net of repeat noise", "bias impact"),
    }
    return effect.model_copy(update=turned)


def _calm(estimate: Estimate) -> Estimate:
    return estimate.model_copy(update={"source": f"{CALM_SOURCE}; {estimate.source}"})
