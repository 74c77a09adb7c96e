"""How often a perturbation changes the answer, net of how often the judge changes it by itself."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from appliance.domain.base import Frozen
from appliance.domain.estimates import Estimate, Significance
from appliance.domain.outcomes import Hypothesis
from appliance.statistics import arrays
from appliance.statistics.agreement.marginals import paired_difference
from appliance.statistics.agreement.symmetry import mcnemar
from appliance.statistics.arrays import Array
from appliance.statistics.equivalence import tost
from appliance.statistics.paired.intervals import mean_difference
from appliance.statistics.paired.pairs import Ids, Pairs, make_pairs
from appliance.statistics.paired.tests import sign_flip
from appliance.statistics.proportions import clustered_rate

CALM_SOURCE = "Ye et al. (2024)"
Answers = Sequence[Any] | npt.NDArray[Any]


class Robustness(Frozen):
    """robustness: share of items whose answer the perturbation leaves as it was. consistency: the same for
    an unperturbed repeat. impact: robustness less consistency on the items that have both; below 0 the
    perturbation changes more than noise does. flip_net: its opposite, the flip rate net of noise.
    For a perturbation that really lowers quality a robust judge *should* change: `should_change` items are
    counted the other way round, so that 1 is right in both cases."""

    robustness: Estimate
    consistency: Estimate
    impact: Estimate
    flip_net: Estimate
    test: Significance

    def hypothesis(self, name: str, margin: float, min_n: int) -> Hypothesis:
        """The net flip rate against 0, for `outcome.decide`."""
        effect = self.flip_net
        return Hypothesis(
            name=name,
            effect=effect,
            margin=margin,
            test=self.test,
            equivalence=tost(effect.value, effect.se, None, margin, n=effect.n, n_unscored=effect.n_unscored),
            n=effect.n,
            min_n=min_n,
        )


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
    """Rates over items. One answer a row: label or number, None or NaN unscored; numbers are the same within
    `tolerance`. item: rows of one item are its repeats, averaged and never counted as independent.
    cluster: items of one template. An item without original, repeat or perturbed answer is unscored in
    `impact`.

    impact of single answers: Newcombe's paired interval and McNemar's exact test; of averaged repeats or
    clusters: t interval and sign-flip test over clusters. Source: Ye et al. (2024), CALM.
    """
    changed, noisy = _changes(original, perturbed, tolerance), _changes(original, repeat, tolerance)
    right = changed if should_change else 1 - changed
    single = item is None and cluster is None
    pairs = make_pairs(right, 1 - noisy, unit=item, cluster=cluster)
    impact, test = _of_singles(pairs) if single else _of_means(pairs)
    flip = impact.model_copy(
        update={
            "value": None if impact.value is None else -impact.value,
            "low": None if impact.high is None else -impact.high,
            "high": None if impact.low is None else -impact.low,
            "method": impact.method.replace("bias impact", "flip rate net of repeat noise"),
        }
    )
    return Robustness(
        robustness=_share(right, item, cluster),
        consistency=_share(1 - noisy, item, cluster),
        impact=impact,
        flip_net=flip,
        test=test,
    )


def _changes(before: Answers, after: Answers, tolerance: float) -> Array:
    """1 where the answer differs, 0 where it does not, NaN where either is lacking."""
    if len(before) != len(after):
        raise ValueError(f"answers: {len(before)} and {len(after)} given for the same rows")
    return np.array([_change(a, b, tolerance) for a, b in zip(before, after, strict=True)], dtype=np.float64)


def _change(a: Any, b: Any, tolerance: float) -> float:
    if any(v is None or v != v for v in (a, b)):
        return float("nan")
    if isinstance(a, int | float | np.number) and isinstance(b, int | float | np.number):
        return float(abs(float(a) - float(b)) > tolerance)
    return float(a != b)


def _share(values: Array, item: Ids | None, cluster: Ids | None) -> Estimate:
    """The rate over rows, with items (or templates) as clusters of its interval."""
    scored = ~np.isnan(values)
    groups = arrays.clusters(cluster if cluster is not None else item, len(values))
    found = clustered_rate(values[scored], groups[scored], int((~scored).sum()))
    return found.model_copy(update={"source": f"{CALM_SOURCE}; {found.source}"})


def _of_singles(pairs: Pairs) -> tuple[Estimate, Significance]:
    x, y = pairs.x.astype(int), pairs.y.astype(int)
    # Rows: robust or not; columns: consistent or not; 1 first, so that b - c is robustness less consistency.
    table = np.array([[(x & y).sum(), (x & (1 - y)).sum()], [((1 - x) & y).sum(), ((1 - x) & (1 - y)).sum()]])
    found, spread = paired_difference(table), mean_difference(pairs)
    missing = {"n_unscored": pairs.n_unscored}
    named = {"method": f"bias impact: {found.method}", "source": f"{CALM_SOURCE}; {found.source}"}
    return found.model_copy(update={**named, **missing, "se": spread.se}), mcnemar(table).model_copy(
        update=missing
    )


def _of_means(pairs: Pairs) -> tuple[Estimate, Significance]:
    found = mean_difference(pairs)
    method = found.method.replace("mean difference", "bias impact")
    return found.model_copy(update={"method": method, "source": f"{CALM_SOURCE}; {found.source}"}), sign_flip(
        pairs
    )
