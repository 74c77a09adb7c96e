"""Net shares: the interval covers, equivalence keeps its error, noise alone is no finding."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from scipy.optimize import minimize_scalar
from scipy.stats import binom, multinomial

from appliance.statistics.judging.flips import changes, net_flip_rate, net_of_noise
from appliance.statistics.judging.robustness import robustness
from appliance.statistics.judging.shares import net, score_equivalence, share
from appliance.statistics.judging.winners import Shown, Winner
from appliance.statistics.outcome import decide
from appliance.statistics.paired.net import net_share
from appliance.statistics.proportions import rate


def outcomes(n: int, discordant: float, lean: float) -> list[tuple[int, int, float]]:
    """Every plus and minus of n units that occurs, with its probability."""
    chances = [(discordant + lean) / 2, (discordant - lean) / 2, 1 - discordant]
    most, least = int(binom.ppf(1 - 1e-7, n, chances[0])), int(binom.ppf(1 - 1e-7, n, max(chances[1], 0)))
    cells = [(p, m) for p, m in itertools.product(range(most + 1), range(least + 1)) if p + m <= n]
    counts = np.array([(p, m, n - p - m) for p, m in cells])
    chance = multinomial.pmf(counts, n, np.clip(chances, 0, 1))
    return [(p, m, float(c)) for (p, m), c in zip(cells, chance, strict=True) if c > 1e-6]


@pytest.mark.parametrize("n", [50, 150, 500])
@pytest.mark.parametrize(
    ("discordant", "lean"), [(0.2, 0.0), (0.2, 0.1), (0.35, 0.1), (0.5, 0.0), (0.5, 0.4)]
)
def test_the_interval_of_a_net_share_covers_by_enumeration(n: int, discordant: float, lean: float) -> None:
    rng = np.random.default_rng(0)
    held, all_of = 0.0, 0.0
    every = outcomes(n, discordant, lean)
    # Thousands of outcomes at n = 500: draw from them; below, count each.
    if len(every) > 1200:
        chances = np.array([c for *_, c in every])
        drawn = rng.choice(len(every), 1200, p=chances / chances.sum())
        every = [(*every[i][:2], 1 / 1200) for i in drawn]
    for plus, minus, chance in every:
        found = net_share(plus, minus, n)
        held += chance * (found.low <= lean <= found.high)  # type: ignore[operator]
        all_of += chance
    assert 0.93 <= held / all_of <= 0.97


@pytest.mark.parametrize("n", [50, 100, 200])
@pytest.mark.parametrize("discordant", [0.1, 0.2, 0.5])
def test_equivalence_errs_as_seldom_as_it_says_at_the_margin(n: int, discordant: float) -> None:
    cleared = sum(
        chance
        for plus, minus, chance in outcomes(n, discordant, 0.1)
        if (score_equivalence(plus, minus, n, 0.1).p or 0) < 0.05
    )
    assert cleared <= 0.06
    assert n < 200 or cleared >= 0.03  # and it is not merely cautious


@pytest.mark.parametrize(
    ("plus", "minus", "n", "margin"), [(3, 5, 60, 0.1), (0, 0, 50, 0.1), (12, 2, 50, 0.3)]
)
def test_the_variance_of_the_score_test_is_that_of_the_likeliest_shares(
    plus: int, minus: int, n: int, margin: float
) -> None:
    """Tango's closed form against a search for the maximum of the likelihood under the margin."""

    def z(k: int, other: int) -> float:
        def against(q: float) -> float:
            shares = np.array([q + margin, q, 1 - margin - 2 * q])
            return -float(np.array([k, other, n - k - other]) @ np.log(np.maximum(shares, 1e-300)))

        q = minimize_scalar(
            against, bounds=(0, (1 - margin) / 2), method="bounded", options={"xatol": 1e-12}
        ).x
        return float((k - other - n * margin) / np.sqrt(n * (2 * q + margin - margin**2)))

    found = score_equivalence(plus, minus, n, margin)
    assert found.statistic == pytest.approx(max(z(plus, minus), z(minus, plus)), abs=1e-4)
    assert score_equivalence(minus, plus, n, margin).p == found.p


def test_equivalence_refuses_margins_that_are_no_shares() -> None:
    for margin in (0.0, 1.0, float("nan")):
        with pytest.raises(ValueError, match="margin"):
            score_equivalence(0, 0, 10, margin)
    assert score_equivalence(0, 0, 0, 0.1).p is None


def test_the_net_rate_of_clusters_and_repeats_covers_and_keeps_its_error() -> None:
    rng, repeats = np.random.default_rng(2), 600
    for truth, noise in ((0.1, 0.1), (0.3, 0.1)):
        held, rejected = 0, 0
        for _ in range(repeats):
            shift = rng.normal(0, 0.05, (30, 1))  # templates differ
            plus = (rng.random((30, 4)) < np.clip(truth + shift, 0, 1)).astype(float).ravel()
            minus = (rng.random((30, 4)) < np.clip(noise + shift, 0, 1)).astype(float).ravel()
            found = net(plus, minus, "net", "own", cluster=np.repeat(np.arange(30), 4))
            held += found.effect.low <= truth - noise <= found.effect.high  # type: ignore[operator]
            rejected += (found.test.p or 1) < 0.05
        assert 0.93 <= held / repeats <= 0.985
        if truth == noise:
            assert rejected / repeats <= 0.07


def test_copies_in_a_cluster_are_not_counted_as_independent() -> None:
    rng = np.random.default_rng(3)
    plus, minus = (rng.random((2, 40)) < [[0.4], [0.2]]).astype(float)
    once = net(plus, minus, "net", "own")
    copied = net(
        np.repeat(plus, 10), np.repeat(minus, 10), "net", "own", cluster=np.repeat(np.arange(40), 10)
    )
    width = [(e.effect.high or 0) - (e.effect.low or 0) for e in (once, copied)]
    assert width[1] == pytest.approx(width[0], rel=0.1)
    assert copied.test.p is not None and once.test.p is not None
    assert copied.test.p > once.test.p / 4


def test_shares_of_repeats_are_averaged_by_item() -> None:
    events = np.array([1, 1, 1, 0, np.nan, 0])
    found = share(events, item=["x", "x", "x", "y", "y", "z"])
    assert found == rate(1, 3) and found.value == pytest.approx(1 / 3)
    mixed = share(np.array([1, 0, 1, 1, np.nan]), item=["x", "x", "y", "y", "z"])
    assert (mixed.value, mixed.n, mixed.n_unscored) == (0.75, 2, 1)
    one = share(np.array([1.0, 0.0]), item=["x", "x"])
    assert one.value == 0.5 and one.low is None and "two clusters" in one.note
    assert 0 <= (mixed.low or 0) < 0.75 < (mixed.high or 0) <= 1


def test_calms_rates_and_their_difference_on_the_same_items() -> None:
    original, repeat, perturbed = list("aabbb"), list("aabbc"), list("abcbb")
    found = robustness(original, repeat, perturbed)
    assert (found.robustness.value, found.consistency.value) == (0.6, 0.8)
    assert found.impact.value == pytest.approx(-0.2) and found.failures.net.value == pytest.approx(0.2)
    assert found.impact.low == pytest.approx(-(found.failures.net.high or 0))
    assert found.test.p == 1.0  # two against one
    partly = robustness([*original, "a"], [*repeat, None], [*perturbed, "b"])
    assert (partly.robustness.n, partly.consistency.n, partly.impact.n) == (6, 5, 5)
    assert partly.impact.n_unscored == 1


def test_where_quality_changes_the_answer_that_stays_is_the_failure() -> None:
    overlooks = robustness(["good"] * 100, ["good"] * 100, ["good"] * 100, should_change=True)
    assert overlooks.robustness.value == 0 and overlooks.impact.value == -1
    sees = robustness(["good"] * 100, ["good"] * 100, ["bad"] * 100, should_change=True)
    assert sees.robustness.value == 1 and sees.impact.value == 0
    asked = [overlooks.hypothesis("overlooks", 0.1, 50), sees.hypothesis("sees", 0.1, 50)]
    assert [d.outcome for d in decide("fallacies", asked).decisions] == ["flagged", "clear"]


def test_scores_are_the_same_within_a_tolerance_free_of_rounding() -> None:
    assert changes([3.0, 3.0, 4], [3.2, 3.21, 4.0], 0.2).tolist() == [0, 1, 0]
    found = changes([1, None, float("nan"), "a"], [1, 2, 3, "b"])
    assert np.isnan(found[1:3]).all() and found[[0, 3]].tolist() == [0, 1]


def test_answers_that_cannot_be_compared_are_refused() -> None:
    with pytest.raises(TypeError, match="mapped back"):
        changes([Shown.FIRST], [Shown.SECOND])
    with pytest.raises(TypeError, match="mapped back"):
        robustness([Winner.A], [Winner.A], [Shown.FIRST])
    with pytest.raises(ValueError, match="infinite"):
        changes([1.0], [float("inf")])
    with pytest.raises(ValueError, match="tolerance"):
        changes([1.0], [1.0], -1)
    with pytest.raises(ValueError, match="2 and 1"):
        changes([1, 2], [1])
    with pytest.raises(ValueError, match="in two"):
        net_of_noise(np.ones(2), np.zeros(2), "own", item=["x", "x"], cluster=["s", "t"])


def test_repeats_are_averaged_by_item_and_unscored_answers_counted() -> None:
    found = net_flip_rate(list("aaaa"), ["a", "b", "a", None], list("abba"), item=["x", "x", "y", "z"])
    assert (found.net.n, found.net.n_unscored) == (2, 1)
    assert found.net.value == pytest.approx(((0.5 - 0.5) + (1 - 0)) / 2)
    assert found.rate.value == pytest.approx((0.5 + 1 + 0) / 3)
    copied = net_flip_rate(list("ab" * 30), list("ab" * 30), list("aa" * 30), item=["x", "y"] * 30)
    assert copied.net.n == 2


def test_noise_alone_is_not_called_a_flip_and_a_planted_one_is_found() -> None:
    rng, alarms, found, held, repeats = np.random.default_rng(7), 0, 0, 0, 500
    for _ in range(repeats):
        original = rng.integers(0, 2, 150)
        noisy = [np.where(rng.random(150) < 0.15, 1 - original, original) for _ in range(2)]
        null = net_flip_rate(original, noisy[0], noisy[1])
        alarms += (null.test.p or 1) < 0.05
        swayed = np.where(rng.random(150) < 0.4, 1, noisy[1])
        planted = net_flip_rate(original, noisy[0], swayed)
        found += (planted.test.p or 1) < 0.05
        held += planted.net.low <= 0.4 * (0.5 - 0.15) <= planted.net.high  # type: ignore[operator]
    assert alarms / repeats <= 0.07
    assert found / repeats > 0.8
    assert 0.92 <= held / repeats <= 0.98


def test_an_erratic_judge_is_not_cleared_for_being_erratic() -> None:
    rng = np.random.default_rng(8)
    original, repeat, perturbed = rng.integers(0, 2, (3, 4000))
    erratic = net_flip_rate(original, repeat, perturbed)
    assert abs(erratic.net.value or 1) < 0.03
    (decision,) = decide("flips", [erratic.hypothesis("erratic", 0.1, 50)]).decisions
    assert decision.outcome == "inconclusive"
    opposite = net_flip_rate(original, 1 - original, 1 - original).hypothesis("opposite", 0.1, 50)
    assert opposite.equivalence is not None and "too often" in opposite.equivalence.note
    steady = net_flip_rate(original, original, original).hypothesis("steady", 0.1, 50)
    assert decide("flips", [steady]).decisions[0].outcome == "clear"


def test_a_little_noise_narrows_what_equivalence_is_asked_for() -> None:
    original = np.tile([0, 1], 400)
    noisy = np.where(np.arange(800) % 10 == 0, 1 - original, original)
    for found in (
        net_flip_rate(original, noisy, noisy),
        net_flip_rate(original, noisy, noisy, cluster=np.arange(800) // 4),
    ):
        asked = found.hypothesis("noisy", 0.1, 50)
        assert asked.equivalence is not None and "0.08 of a margin of 0.1" in asked.equivalence.note
        assert decide("flips", [asked]).decisions[0].outcome == "clear"


def test_no_items_no_rate() -> None:
    found = net_flip_rate([], [], [])
    assert found.rate.value is found.noise.value is found.net.value is found.test.p is None
    one = net_flip_rate(["a", "a"], ["a", "a"], ["b", "b"], cluster=["t", "t"])
    assert one.net.value == 1 and one.net.low is None and "two clusters" in one.net.note
    assert one.hypothesis("x", 0.1, 1).equivalence.p is None  # type: ignore[union-attr]
