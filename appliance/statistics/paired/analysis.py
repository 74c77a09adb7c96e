"""One paired comparison, whole: what an audit reports of it and what is decided on."""

from __future__ import annotations

from appliance.domain.base import Frozen
from appliance.domain.estimates import EffectSize, Estimate, Significance
from appliance.domain.outcomes import Hypothesis
from appliance.statistics.paired import tests
from appliance.statistics.paired.effects import cohen_d, hedges_g, net_difference, rank_biserial
from appliance.statistics.paired.equivalence import Shape, equivalent_mean, shape
from appliance.statistics.paired.hodges_lehmann import hodges_lehmann
from appliance.statistics.paired.intervals import mean_difference
from appliance.statistics.paired.pairs import Pairs


class PairedAnalysis(Frozen):
    """permutation is the primary test, mean the primary effect; the rest stands beside them. Which is
    primary is fixed here and not chosen by the data; normality gates nothing. unscored_share: see `Pairs`."""

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
    shape: Shape
    unscored_share: float

    def hypothesis(self, name: str, margin: float, min_n: int, largest: float | None = None) -> Hypothesis:
        """For `outcome.decide`: the mean difference against `margin`, on the scale of the scores. n counts
        pairs; what is decided with fewer than min_n is insufficient data. largest: the largest absolute
        difference of the scale, None where it is unbounded; see `equivalence.equivalent_mean`."""
        return Hypothesis(
            name=name,
            effect=self.mean,
            margin=margin,
            test=self.permutation.model_copy(update={"df": self.shape.df}),
            equivalence=equivalent_mean(self.mean, self.shape, margin, largest),
            n=self.mean.n,
            min_n=min_n,
            unscored_share=self.unscored_share,
            reach=largest,
        )


def analyse(pairs: Pairs, seed: int = 0) -> PairedAnalysis:
    """Every test, interval and effect size of one set of pairs; what is undefined says why."""
    return PairedAnalysis(
        mean=mean_difference(pairs),
        mean_bca=mean_difference(pairs, method="expanded bca", seed=seed),
        hodges_lehmann=hodges_lehmann(pairs),
        permutation=tests.sign_flip(pairs, seed),
        t=tests.t_test(pairs),
        pratt=tests.wilcoxon(pairs, seed=seed),
        sign=tests.sign_test(pairs, seed),
        normality=tests.normality(pairs),
        d_z=cohen_d(pairs),
        d_av=cohen_d(pairs, "av"),
        hedges_g=hedges_g(pairs),
        rank_biserial=rank_biserial(pairs),
        net=net_difference(pairs),
        shape=shape(pairs),
        unscored_share=pairs.unscored_share,
    )
