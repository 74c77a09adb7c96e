"""Multiplicity, equivalence and the outcome rule: published values, and a table of every decision."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from appliance.domain.estimates import Estimate, Significance
from appliance.domain.outcomes import Hypothesis
from appliance.statistics.equivalence import equivalence_without_variation, tost
from appliance.statistics.multiplicity import benjamini_hochberg, holm
from appliance.statistics.outcome import decide, minimum_detectable

PUBLISHED = [
    0.838541367553, 0.642193923795, 0.680845947633, 0.967833824309, 0.71626938238,
    0.177096952723, 5.23656777e-5, 0.0202732688798, 0.00028140506198, 0.0149877310796,
]  # fmt: skip


def hypothesis(
    name: str = "h",
    value: float | None = 0.0,
    se: float | None = 0.05,
    n: int = 100,
    missing: int = 0,
    **more: Any,
) -> Hypothesis:
    """A z test of value against 0 with a margin of 0.2; `p` overrides."""
    from scipy.stats import norm

    margin = more.get("margin", 0.2)
    p = more.get("p", None if value is None or not se else float(2 * norm.sf(abs(value / se))))
    effect = Estimate(
        value=value,
        low=None if value is None or se is None else value - 1.96 * se,
        high=None if value is None or se is None else value + 1.96 * se,
        se=se,
        n=n,
        n_unscored=missing,
        method="difference",
        note="" if value is not None else "nothing varied",
    )
    return Hypothesis(
        name=name,
        effect=effect,
        margin=margin,
        test=Significance(
            statistic=None, p=p, n=n, method="z", note="" if p is not None else "nothing varied"
        ),
        equivalence=tost(value, se, None, margin, n=n),
        n=n,
        min_n=50,
    )


def outcome(*hypotheses: Hypothesis, **rule: Any) -> list[str]:
    return [d.outcome for d in decide("a family", hypotheses, **rule).decisions]


def test_holm_and_benjamini_hochberg_as_statsmodels_and_r_have_them() -> None:
    adjusted = sorted(p for p in holm(PUBLISHED) if p is not None)
    assert adjusted[:4] == pytest.approx([0.000523657, 0.00253265, 0.119902, 0.141913], abs=1e-6)
    q = sorted(p for p in benjamini_hochberg(PUBLISHED) if p is not None)
    assert q[:4] == pytest.approx([0.000523657, 0.00140703, 0.0499591, 0.0506832], abs=1e-6)


@settings(max_examples=25, deadline=None)
@given(st.lists(st.floats(0, 1), min_size=1, max_size=12))
def test_holm_agrees_with_statsmodels(p: list[float]) -> None:
    from statsmodels.stats.multitest import multipletests

    assert list(holm(p)) == pytest.approx(multipletests(p, method="holm")[1].tolist())
    assert list(benjamini_hochberg(p)) == pytest.approx(multipletests(p, method="fdr_bh")[1].tolist())


def test_an_undefined_p_stays_undefined_and_makes_no_other_easier() -> None:
    assert holm([0.01, None, 0.04]) == (pytest.approx(0.03), None, pytest.approx(0.08))
    assert benjamini_hochberg([0.01, None]) == (pytest.approx(0.02), None)
    assert holm([]) == ()
    with pytest.raises(ValueError, match="position 1"):
        holm([0.1, 1.2])


def test_tost_as_toster_has_it() -> None:
    se = 0.5 / np.sqrt(300)
    found = tost(0.02, se, 299, 0.1, n=300)
    assert found.p == pytest.approx(0.00296676, abs=1e-8)
    assert found.statistic == pytest.approx(-2.77128, abs=1e-5)
    assert tost(-0.02, se, 299, 0.1, n=300).statistic == pytest.approx(2.77128, abs=1e-5)


@settings(max_examples=80, deadline=None)
@given(st.floats(-1, 1), st.floats(0.01, 0.5), st.floats(0.05, 0.9), st.integers(2, 200))
def test_tost_rejects_exactly_when_the_ninety_percent_interval_is_inside(
    effect: float, se: float, margin: float, df: int
) -> None:
    from scipy.stats import t

    half = t.ppf(0.95, df) * se
    inside = -margin < effect - half and effect + half < margin
    p = tost(effect, se, df, margin, n=10).p
    assert p is not None and (p < 0.05) == inside


def test_no_spread_and_no_effect_are_no_equivalence() -> None:
    assert tost(0.0, 0.0, 5, 0.1, n=6).p is None
    assert tost(None, None, None, 0.1, n=0).p is None
    with pytest.raises(ValueError, match="margin"):
        tost(0.0, 1.0, 5, 0.0, n=6)


@pytest.mark.parametrize(
    ("value", "se", "n", "expected"),
    [
        (0.4, 0.05, 100, "flagged"),
        (-0.4, 0.05, 100, "flagged"),
        (0.2, 0.02, 100, "flagged"),  # at the margin
        (0.0, 0.05, 100, "clear"),
        (0.1, 0.02, 100, "clear"),  # a difference is shown, and it is below the margin
        (0.15, 0.05, 100, "inconclusive"),  # shown, below the margin, but not shown to be
        (0.3, 0.2, 100, "inconclusive"),
        (0.0, 0.3, 100, "inconclusive"),
        (0.4, 0.05, 49, "insufficient data"),
        (0.0, 0.05, 0, "insufficient data"),
        (None, None, 100, "inconclusive"),
        (0.0, None, 100, "inconclusive"),
    ],
)
def test_every_decision(value: float | None, se: float | None, n: int, expected: str) -> None:
    assert outcome(hypothesis(value=value, se=se, n=n)) == [expected]


def test_a_family_makes_each_of_its_tests_harder_and_says_which_it_is() -> None:
    near = hypothesis("near", 0.25, 0.11)
    assert outcome(near) == ["flagged"]
    many = [near, *(hypothesis(f"other {i}", 0.0, 0.3) for i in range(9))]
    found = decide("all dimensions", many)
    assert found.decisions[0].outcome == "inconclusive"
    assert (found.family, found.alpha) == ("all dimensions", 0.05) and "10 of 10" in found.adjustment
    thin = [near, *(hypothesis(f"thin {i}", 0.0, 0.3, n=10) for i in range(9))]
    assert outcome(*thin)[0] == "flagged"


def test_what_was_left_unscored_is_not_cleared() -> None:
    assert outcome(hypothesis(missing=5)) == ["clear"]
    found = decide("f", [hypothesis(missing=20)]).decisions[0]
    assert found.outcome == "inconclusive" and "up to 17% of a group was left unscored" in found.reason
    assert outcome(hypothesis(value=0.4, missing=20)) == ["flagged"]
    assert outcome(hypothesis(missing=20), max_unscored=0.2) == ["clear"]


def test_inconclusive_says_what_would_have_been_seen() -> None:
    found = decide("f", [hypothesis(value=0.1, se=0.2)]).decisions[0]
    assert found.mde == pytest.approx(2.80 * 0.2, abs=2e-3)
    assert "0.56" in found.reason
    assert minimum_detectable(0.1, None, 0.05, 0.8) == pytest.approx(0.28, abs=2e-4)
    assert minimum_detectable(None, None, 0.05, 0.8) is None
    harder = decide("f", [hypothesis(str(i), 0.1, 0.2) for i in range(10)]).decisions[0]
    assert (harder.mde or 0) > (found.mde or 0)


def test_the_order_of_hypotheses_does_not_matter() -> None:
    many = [hypothesis(str(i), v, 0.06) for i, v in enumerate((0.0, 0.3, 0.2, 0.1, -0.25))]
    straight = {d.hypothesis.name: d for d in decide("f", many).decisions}
    assert {d.hypothesis.name: d for d in decide("f", many[::-1]).decisions} == straight


@settings(max_examples=80, deadline=None)
@given(
    st.lists(st.tuples(st.floats(-1, 1), st.floats(0.01, 0.5)), min_size=1, max_size=6),
    st.tuples(st.floats(-1, 1), st.one_of(st.none(), st.floats(0.01, 0.5))),
)
def test_one_more_hypothesis_never_flags_another(
    measured: list[tuple[float, float]], one_more: tuple[float, float | None]
) -> None:
    few = [hypothesis(str(i), value, se) for i, (value, se) in enumerate(measured)]
    before = outcome(*few)
    after = outcome(*few, hypothesis("one more", *one_more))
    for was, now in zip(before, after, strict=False):
        assert now == was or (was, now) == ("flagged", "inconclusive")


@settings(max_examples=150, deadline=None)
@given(st.floats(-1, 1), st.floats(1e-6, 1), st.floats(0.01, 0.9), st.floats(1e-9, 1))
def test_flagged_reaches_the_margin_and_clear_stays_below_it(
    value: float, se: float, margin: float, p: float
) -> None:
    h = hypothesis("h", value, se, margin=margin, p=p)
    said, equivalent = outcome(h)[0], h.equivalence.p if h.equivalence else None
    assert equivalent is not None
    assert (said == "flagged") == (p < 0.05 and abs(value) >= margin)
    assert (said == "clear") == (equivalent < 0.05)


def test_a_difference_at_the_margin_reaches_it_whatever_the_rounding() -> None:
    assert 0.6 - 0.4 < 0.2
    assert outcome(hypothesis(value=0.6 - 0.4, se=0.02)) == ["flagged"]


def test_what_reaches_the_margin_is_never_cleared_even_if_a_drawn_in_centre_is_equivalent() -> None:
    h = hypothesis(value=0.21, se=0.2)
    drawn_in = tost(0.0, 0.05, None, 0.2, n=100)
    assert drawn_in.p is not None and drawn_in.p < 0.01
    assert outcome(h.model_copy(update={"equivalence": drawn_in})) == ["inconclusive"]


def test_a_small_group_left_unscored_is_not_hidden_by_a_large_one() -> None:
    small = hypothesis(value=0.0, se=0.02, n=60, missing=400).model_copy(
        update={"effect": hypothesis(value=0.0, se=0.02, n=10_060, missing=400).effect}
    )
    found = decide("f", [small]).decisions[0]
    assert found.outcome == "inconclusive" and "up to 87% of a group" in found.reason
    assert outcome(small.model_copy(update={"unscored_share": 0.04})) == ["clear"]
    known = decide("f", [small.model_copy(update={"unscored_share": 0.3})]).decisions[0]
    assert known.outcome == "inconclusive" and " 30% of a group" in known.reason


def test_degrees_of_freedom_of_chi_square_are_not_taken_for_those_of_t() -> None:
    h = hypothesis(value=0.1, se=0.2)
    chi_square = h.model_copy(update={"test": h.test.model_copy(update={"df": 1.0})})
    assert decide("f", [chi_square]).decisions[0].mde == pytest.approx(2.80 * 0.2, abs=2e-3)
    by_t = h.model_copy(update={"equivalence": tost(0.1, 0.2, 4, 0.2, n=100)})
    assert decide("f", [by_t]).decisions[0].mde == pytest.approx(3.7611 * 0.2, abs=1e-4)


def test_the_smallest_effect_is_shown_with_the_power_named_at_few_clusters_and_a_strict_level() -> None:
    from scipy.stats import ttest_1samp

    rng, clusters, level = np.random.default_rng(5), 6, 0.05 / 10
    mde = minimum_detectable(1 / np.sqrt(clusters), clusters - 1, level, 0.8)
    assert mde is not None
    shown = ttest_1samp(rng.normal(mde, 1, (20_000, clusters)), 0, axis=1).pvalue < level
    assert shown.mean() == pytest.approx(0.8, abs=0.01)


def test_the_rule_errs_as_rarely_as_it_says() -> None:
    """Ten true differences of 0: any of them flagged in at most 5%; ten at the margin: each cleared in 5%."""
    rng, se, flagged, cleared = np.random.default_rng(6), 0.1, 0, 0
    for nulls, edges in rng.normal(0, se, (1000, 2, 10)):
        # A margin of nearly nothing, so that Holm alone protects.
        found = outcome(*(hypothesis(str(i), v, se, margin=1e-6) for i, v in enumerate(nulls.tolist())))
        flagged += "flagged" in found
        edge = [hypothesis(str(i), 0.5 + v, se, margin=0.5) for i, v in enumerate(edges.tolist())]
        cleared += outcome(*edge).count("clear")
    assert 0.03 < flagged / 1000 < 0.065
    assert cleared / 10_000 == pytest.approx(0.05, abs=0.01)


@pytest.mark.parametrize("value", [0.0, 0.1, -0.1])
def test_equal_differences_show_equivalence_by_the_worst_mixture_that_could_hide(value: float) -> None:
    """The worst case by linear programming: the largest share of `value` that a mean at a margin allows."""
    from scipy.optimize import linprog

    support, n = np.array([-4.0, -2, -0.5, value, 0.5, 2, 4]), 60
    worst = 0.0
    for sign in (1, -1):
        found = linprog(
            -(support == value).astype(float), -sign * support[None], [-0.2], np.ones((1, 7)), [1.0]
        )
        worst = max(worst, -found.fun)
    p = equivalence_without_variation(value, 4, 0.2, n=n).p
    assert p == pytest.approx(worst**n)


def test_a_decision_of_nothing_that_varies_rests_on_equivalence_alone() -> None:
    same = hypothesis(value=0.0, se=None, n=200)
    shown = equivalence_without_variation(0.0, 4, 0.2, n=200)
    found = decide("f", [same.model_copy(update={"equivalence": shown})]).decisions[0]
    assert (found.outcome, found.p_adjusted, found.mde) == ("clear", None, None)
    assert outcome(same) == ["inconclusive"]
    assert outcome(same.model_copy(update={"equivalence": None})) == ["inconclusive"]


def test_a_test_that_does_not_belong_to_the_hypothesis_is_refused() -> None:
    h = hypothesis()
    one_sided = h.test.model_copy(update={"alternative": "greater"})
    with pytest.raises(ValueError, match="one-sided"):
        decide("f", [h.model_copy(update={"test": one_sided})])
    with pytest.raises(ValueError, match=r"equivalence within 0\.3"):
        decide("f", [h.model_copy(update={"equivalence": tost(0.0, 0.05, None, 0.3, n=100)})])
    for wrong in ({"effect": np.nan}, {"se": np.inf}, {"margin": np.inf}):
        with pytest.raises(ValueError, match="not finite"):
            tost(**{"effect": 0.0, "se": 0.1, "df": None, "margin": 0.2, "n": 9} | wrong)


def test_what_is_no_family_is_refused() -> None:
    with pytest.raises(ValueError, match="max_unscored"):
        decide("f", [], max_unscored=1.5)
    with pytest.raises(ValueError, match="named twice"):
        decide("f", [hypothesis(), hypothesis()])
    with pytest.raises(ValueError, match="family"):
        decide("", [])
    with pytest.raises(ValueError, match="alpha"):
        decide("f", [], alpha=0)
    assert decide("f", []).decisions == ()
