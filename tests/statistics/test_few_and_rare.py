"""What few clusters, rare differences and lost scores must not show; and least squares for few clusters."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from appliance.domain.estimates import Estimate, Significance
from appliance.domain.outcomes import Hypothesis
from appliance.statistics.agreement.bland_altman import bland_altman
from appliance.statistics.agreement.kappa import kappa
from appliance.statistics.arrays import Array, Codes, scores
from appliance.statistics.correction.ppi import ppi_mean
from appliance.statistics.divergence.differential import differential, hypotheses
from appliance.statistics.equivalence import tost
from appliance.statistics.intersections.cells import verdicts
from appliance.statistics.intersections.compound import compound_audit
from appliance.statistics.intersections.contrast import Sides, within
from appliance.statistics.judging.length import length_slope
from appliance.statistics.judging.self_preference import self_preference
from appliance.statistics.judging.shares import net
from appliance.statistics.outcome import decide
from appliance.statistics.paired.analysis import analyse
from appliance.statistics.paired.equivalence import shape
from appliance.statistics.paired.pairs import make_pairs
from appliance.statistics.robust import slope


def outcomes(*family: Hypothesis) -> list[str]:
    return [decision.outcome for decision in decide("a family", family).decisions]


def cleared(hypothesis: Hypothesis) -> bool:
    assert hypothesis.equivalence is not None
    p = hypothesis.equivalence.p
    return p is not None and p < 0.05 and outcomes(hypothesis) == ["clear"]


# Rare differences that are a matter of the template


def test_rare_differences_are_held_against_templates_not_pairs() -> None:
    """One of 20 templates has -4 throughout, in 20 pairs each; most samples of 15 templates show none."""
    cluster = np.repeat(np.arange(15), 20)
    quiet = np.zeros(300)
    quiet[7] = -1
    found = analyse(make_pairs(quiet, np.zeros(300), cluster=cluster)).hypothesis("h", 0.2, 20, largest=4)
    assert outcomes(found) == ["inconclusive"]
    rng = np.random.default_rng(0)
    wrong = 0
    for _ in range(200):
        d = np.where(rng.random(15) < 0.05, -4.0, 0.0)[cluster] + np.where(rng.random(300) < 0.01, 1.0, 0.0)
        wrong += cleared(
            analyse(make_pairs(d, np.zeros(300), cluster=cluster)).hypothesis("h", 0.19, 20, largest=4)
        )
    assert wrong <= 10


@pytest.mark.parametrize("k", [6, 10, 15])
def test_few_clusters_do_not_clear_a_net_share_at_the_margin(k: int) -> None:
    rng, wrong = np.random.default_rng(1), 0
    cluster = np.repeat(np.arange(k), 10)
    for _ in range(400):
        changed = rng.random(k)[cluster] < 0.5  # half of the templates change in 4 of 10
        plus = ((rng.random(10 * k) < 0.4) & changed).astype(float)
        wrong += cleared(net(plus, np.zeros(10 * k), "n", "s", cluster=cluster).hypothesis("h", 0.2, 5))
    assert wrong / 400 <= 0.06


def test_the_net_share_of_clusters_takes_their_t_and_their_number() -> None:
    cluster, plus = np.repeat(np.arange(9), 20), np.zeros(180)
    plus[3] = 1
    found = net(plus, np.zeros(180), "n", "s", cluster=cluster)
    assert (found.test.df, found.clusters) == (8, 9)
    equivalence = found.hypothesis("h", 0.2, 5).equivalence
    assert equivalence is not None and equivalence.p is not None
    share = (0.2 - 1 / 180) / (1 - 1 / 180)
    assert equivalence.p == pytest.approx((1 - share) ** 9)


@pytest.mark.parametrize(("n", "rates", "margin"), [(50, (0.15, 0.05), 0.1), (80, (0.12, 0.02), 0.1)])
def test_self_preference_at_the_margin_is_cleared_in_six_percent_at_most(
    n: int, rates: tuple[float, float], margin: float
) -> None:
    rng, wrong = np.random.default_rng(2), 0
    people = np.repeat([1.0, 0.0], n)
    for _ in range(500):
        hit = rng.random(2 * n) < np.repeat(rates, n)
        judge = np.where(hit, people, 1 - people)
        wrong += cleared(self_preference(judge, people).hypothesis("h", margin, 20))
    assert wrong / 500 <= 0.06


# What was left unscored


def lost(share: float, reach: float | None, value: float = 0.0, se: float = 0.02) -> Hypothesis:
    return Hypothesis(
        name="h",
        effect=Estimate(value=value, low=value - 0.04, high=value + 0.04, se=se, n=200, method="m"),
        margin=0.2,
        test=Significance(statistic=0.0, p=0.5, n=200, method="z"),
        equivalence=tost(value, se, None, 0.2, n=200),
        n=200,
        min_n=20,
        unscored_share=share,
        reach=reach,
    )


def test_what_was_lost_must_not_be_able_to_reach_the_margin() -> None:
    assert outcomes(lost(0.04, None)) == ["clear"]
    assert outcomes(lost(0.04, 4.0)) == ["clear"]  # .033 * .96 + .16 = .192
    assert outcomes(lost(0.045, 4.0)) == ["inconclusive"]  # .033 * .955 + .18 = .211
    assert outcomes(lost(0.045, 1.0)) == ["clear"]
    decision = decide("f", [lost(0.045, 4.0)]).decisions[0]
    assert "left unscored could bring the effect to the margin" in decision.reason


def test_scores_lost_because_they_differ_are_not_cleared() -> None:
    rng, wrong = np.random.default_rng(3), 0
    for _ in range(100):
        x = np.where(rng.random(300) < 0.05, 4.0, rng.integers(-1, 2, 300))
        x[np.flatnonzero(x == 4)[:15]] = np.nan  # at most 5%
        found = analyse(make_pairs(x, np.zeros(300)))
        wrong += found.unscored_share <= 0.05 and cleared(found.hypothesis("h", 0.2, 20, largest=4))
    assert wrong == 0


# Least squares


def naive(y: Array, columns: Array, groups: Codes) -> tuple[float, float]:
    """CR2 and its degrees of freedom from the definition, with matrices of n rows."""
    x = np.column_stack([np.ones(len(y)), columns])
    bread = np.linalg.inv(x.T @ x)
    rest = np.eye(len(y)) - x @ bread @ x.T
    variance, columns_of_g = 0.0, []
    for g in np.unique(groups):
        rows = np.flatnonzero(groups == g)
        values, vectors = np.linalg.eigh(rest[np.ix_(rows, rows)])
        v = vectors @ np.diag(values**-0.5) @ vectors.T @ x[rows] @ bread[:, 1]
        variance += float(v @ (rest @ y)[rows]) ** 2
        columns_of_g.append(rest[:, rows] @ v)
    p = np.array(columns_of_g) @ np.array(columns_of_g).T
    return float(np.sqrt(variance)), float(np.trace(p) ** 2 / np.trace(p @ p))


@pytest.mark.parametrize("clusters", [8, 40])
def test_cr2_is_its_definition_and_hc2_is_that_of_statsmodels(clusters: int) -> None:
    import statsmodels.api as sm

    rng = np.random.default_rng(0)
    y, columns = rng.normal(size=40), rng.normal(size=(40, 2))
    groups = np.arange(40) % clusters
    b, se, df = slope(y, columns, groups)
    assert (se, df) == pytest.approx(naive(y, columns, groups))
    fit = sm.OLS(y, sm.add_constant(columns)).fit(cov_type="HC2")
    assert b == pytest.approx(fit.params[1])
    if clusters == 40:
        assert se == pytest.approx(fit.bse[1])


@pytest.mark.parametrize(("k", "size"), [(8, 5), (20, 3), (60, 1)])
def test_a_slope_that_is_not_there_is_found_in_six_percent_at_most(k: int, size: int) -> None:
    rng, found = np.random.default_rng(4), 0
    groups = np.repeat(np.arange(k), size)
    for _ in range(500):
        length = np.exp(rng.normal(size=k))[groups] + 0.3 * np.exp(rng.normal(size=k * size))
        score = rng.normal(size=k)[groups] + rng.normal(size=k * size)
        p = length_slope(score, length, cluster=groups).test.p
        found += p is not None and p < 0.05
    assert found / 500 <= 0.06


def test_a_cluster_that_alone_decides_the_slope_leaves_no_error_to_be_sure_of() -> None:
    found = length_slope([1.0, 2, 1, 2, 5, 6], [0.0, 0, 0, 0, 1, 1], cluster=["a", "a", "b", "b", "c", "c"])
    assert found.test.p is None or found.test.p > 0.05


# What was not held by any test


def test_the_correction_for_skewness_is_halls() -> None:
    """Johnson (1978): (mean + µ3/(6 s² n) + µ3 mean²/(3 s⁴)) √n / s, and Hall's cubic term."""
    d = np.concatenate([np.zeros(80), np.full(15, 1.0), np.full(5, 3.0)])
    n, mean = len(d), d.mean()
    s2, skew = d.var(), float(stats.skew(d))
    found = analyse(make_pairs(d, np.zeros(n))).hypothesis("h", 0.6, 20)
    t = (mean - 0.6) / (s2 * n / (n - 1) / n) ** 0.5
    a = skew / n**0.5
    hall = t + a / 6 + a * t**2 / 3 + a**2 * t**3 / 27
    assert found.equivalence is not None
    expected = max(stats.t.cdf(hall, n - 1), stats.t.cdf(t, n - 1))
    assert found.equivalence.p == pytest.approx(expected, rel=1e-6)
    assert shape(make_pairs(d, np.zeros(n))).skewness == pytest.approx(a)


def test_tost_of_few_templates_takes_the_error_from_t_not_from_the_normal() -> None:
    rng = np.random.default_rng(5)
    template, groups = np.repeat(np.arange(6), 4), ["a", "b", "c", "d"] * 6
    found = differential(rng.normal(size=24), groups, ["a", "b", "c", "d"], templates=template)
    for one, hypothesis in zip(found.groups, hypotheses(found, 1.0, 2), strict=True):
        effect = one.effect
        assert effect.low is not None and effect.high is not None and effect.value is not None
        half = max(effect.value - effect.low, effect.high - effect.value)
        assert hypothesis.equivalence is not None
        assert hypothesis.equivalence.inputs["se"] == pytest.approx(half / stats.t.ppf(0.975, 5))


def test_the_difference_within_templates_is_the_one_sample_t_of_their_differences() -> None:
    rng = np.random.default_rng(6)
    k, k0 = rng.integers(2, 9, 7), rng.integers(1, 7, 7)
    size = np.full(7, 10.0)
    found = within(Sides(k.astype(float), size, k0.astype(float), size), 70, 0.1, 0)
    expected = stats.ttest_1samp((k - k0) / 10, 0)
    assert found.effect.se == pytest.approx(stats.sem((k - k0) / 10))
    assert found.test.statistic == pytest.approx(expected.statistic)


def test_the_corrected_mean_has_the_variance_of_its_definition() -> None:
    """Angelopoulos et al.: λ² var(f)/N + var(Y - λf)/n, for one λ."""
    rng = np.random.default_rng(7)
    y = rng.normal(0, 0.1, 400).clip(-0.5, 0.5) + 0.5
    f = (y + rng.normal(0, 0.05, 400)).clip(0, 1)
    gold = np.where(np.arange(400) < 100, y, np.nan)
    found = ppi_mean(f, gold, power_tuning=0.5)
    middle = f.var() * 0.25 / 300 + np.var(y[:100] - 0.5 * f[:100], ddof=1) / 100
    assert found.se == pytest.approx(middle**0.5, rel=1e-6)


def test_the_family_makes_the_smallest_effect_that_can_be_shown_larger() -> None:
    family = [lost(0.0, None).model_copy(update={"name": str(i)}) for i in range(4)]
    alone, of_four = (decide("f", few).decisions[0].mde for few in (family[:1], family))
    assert alone == pytest.approx((stats.norm.ppf(0.975) + stats.norm.ppf(0.8)) * 0.02, rel=1e-3)
    assert of_four == pytest.approx((stats.norm.ppf(1 - 0.05 / 8) + stats.norm.ppf(0.8)) * 0.02, rel=1e-3)


# What once ended in an error that helps nobody


def test_differences_that_do_not_vary_have_no_interval_and_no_crash() -> None:
    found = bland_altman([1.0, 2.0, 3.0, 4.0], [1.0, 2.0, 3.0, 4.0])
    assert (found.bias.value, found.proportional_bias.value) == (0.0, 0.0)
    assert found.proportional_bias.se is None and found.proportional_bias.note
    assert bland_altman([0.1, 0.2, 0.7], [0.4, 0.5, 1.0]).proportional_bias.se is None


def test_no_verdicts_and_no_levels_is_said() -> None:
    with pytest.raises(ValueError, match="a: no levels are known"):
        verdicts({"a": []}, [])
    empty = verdicts({"a": [], "b": []}, [], levels={"a": ["x", "y"], "b": ["u", "w"]})
    assert {e.outcome for e in compound_audit(empty).ledger} == {"insufficient data"}


def test_scores_that_are_no_numbers_or_too_large_are_named() -> None:
    with pytest.raises(ValueError, match="x: numbers expected"):
        scores(["high"], "x")
    with pytest.raises(ValueError, match="x: the score at position 1 is too large"):
        scores([1.0, 1e300], "x")


def test_kappa_takes_plain_lists_and_refuses_another_shape() -> None:
    assert kappa([[[20, 5], [10, 15]]]).value == pytest.approx(0.4)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="shape"):
        kappa(np.zeros((2, 2)))
