"""One paired comparison, whole: what an audit reports of it and what is decided on."""

from __future__ import annotations

from appliance.domain.base import Frozen
from appliance.domain.estimates import EffectSize, Estimate, Significance
from appliance.domain.outcomes import Hypothesis
from appliance.statistics.equivalence import equivalence_without_variation, tost
from appliance.statistics.paired import tests
from appliance.statistics.paired.effects import cohen_d, hedges_g, net_difference, rank_biserial
from appliance.statistics.paired.intervals import hodges_lehmann, mean_difference
from appliance.statistics.paired.pairs import Pairs


class PairedAnalysis(Frozen):
    """permutation is the primary test, mean the primary effect; the rest stands beside them. Which is
    primary is fixed here and not chosen by the data; normality gates nothing."""

    mean: Estimate
    mean_bca: Estimate
    hodges_lehmann: Estimate
    permutation: Significance
    t: Significance
    pratt: Significance
    sign: Significance
    normality: Significance
    d_z: EffectSize
    d_av: EffectSize
    hedges_g: EffectSize
    rank_biserial: EffectSize
    net: EffectSize
    df: float | None

    def hypothesis(self, name: str, margin: float, min_n: int, largest: float | None = None) -> Hypothesis:
        """For `outcome.decide`: the mean difference against `margin`, on the scale of the scores. n counts
        pairs; what is decided with fewer than min_n is insufficient data. largest: the largest absolute
        difference of the scale, which lets pairs that never differ show equivalence."""
        return Hypothesis(
            name=name,
            effect=self.mean,
            margin=margin,
            test=self.permutation.model_copy(update={"df": self.df}),
            equivalence=self._equivalence(margin, largest),
            n=self.mean.n,
            min_n=min_n,
        )

    def _equivalence(self, margin: float, largest: float | None) -> Significance:
        mean, missing = self.mean, self.mean.n_unscored
        if mean.value is not None and self.df is not None and mean.se is None and largest is not None:
            # df + 1 clusters are what is independent.
            n = int(self.df) + 1
            return equivalence_without_variation(mean.value, largest, margin, n=n, n_unscored=missing)
        return tost(mean.value, mean.se, self.df, margin, n=mean.n, n_unscored=missing)


def analyse(pairs: Pairs, seed: int = 0) -> PairedAnalysis:
    """Every test, interval and effect size of one set of pairs; what is undefined says why."""
    clusters = len(pairs.cluster_sums)
    return PairedAnalysis(
        mean=mean_difference(pairs),
        mean_bca=mean_difference(pairs, method="bca", seed=seed),
        hodges_lehmann=hodges_lehmann(pairs),
        permutation=tests.sign_flip(pairs, seed),
        t=tests.t_test(pairs),
        pratt=tests.wilcoxon(pairs),
        sign=tests.sign_test(pairs, seed),
        normality=tests.normality(pairs),
        d_z=cohen_d(pairs),
        d_av=cohen_d(pairs, "av"),
        hedges_g=hedges_g(pairs),
        rank_biserial=rank_biserial(pairs),
        net=net_difference(pairs),
        df=clusters - 1 if clusters > 1 else None,
    )
