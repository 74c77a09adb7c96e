"""Limits of agreement against the paper of 1986, and where they are not defined."""

from __future__ import annotations

import numpy as np
import pytest

from appliance.statistics.agreement.bland_altman import bland_altman

# Bland and Altman (1986), table: peak flow by the large and the mini Wright meter, first readings.
WRIGHT = [494, 395, 516, 434, 476, 557, 413, 442, 650, 433, 417, 656, 267, 478, 178, 423, 427]
MINI = [512, 430, 520, 428, 500, 600, 364, 380, 658, 445, 432, 626, 260, 477, 259, 350, 451]


def test_the_published_example() -> None:
    """Bias -2.1, s 38.8, limits at 2 s: -79.7 and 75.5, with intervals -22.0 to 17.8 and -114.3 to -45.1,
    40.9 to 110.1 in the paper's rounding."""
    found = bland_altman(WRIGHT, MINI, multiplier=2)
    assert found.bias.value == pytest.approx(-2.1, abs=0.05)
    assert found.bias.se == pytest.approx(9.4, abs=0.05)
    assert (found.bias.low, found.bias.high) == pytest.approx((-22.0, 17.8), abs=0.1)
    assert found.lower_limit.value == pytest.approx(-79.7, abs=0.1)
    assert found.upper_limit.value == pytest.approx(75.5, abs=0.1)
    assert found.lower_limit.se == pytest.approx(16.3, abs=0.05)
    assert (found.lower_limit.low, found.lower_limit.high) == pytest.approx((-114.3, -45.1), abs=0.2)
    assert (found.upper_limit.low, found.upper_limit.high) == pytest.approx((40.9, 110.1), abs=0.2)


def test_limits_are_at_1_96_s() -> None:
    found = bland_altman(WRIGHT, MINI)
    s = float(np.std(np.subtract(WRIGHT, MINI), ddof=1))
    assert found.upper_limit.value == pytest.approx(found.bias.value + 1.96 * s)


def test_a_difference_that_grows_with_the_score_shows_in_the_slope() -> None:
    scale = np.arange(1.0, 41)
    noise = np.random.default_rng(0).normal(size=40) * 0.5
    found = bland_altman(scale * 1.2 + noise, scale).proportional_bias
    assert found.low is not None and found.high is not None
    assert found.low < 0.2 / 1.1 < found.high
    assert found.low > 0.1
    even = bland_altman(scale + noise, scale).proportional_bias
    assert even.low < 0 < even.high  # type: ignore[operator]


def test_the_slope_is_that_of_least_squares_with_its_t_interval() -> None:
    import statsmodels.api as sm

    x, y = np.array(WRIGHT, dtype=float), np.array(MINI, dtype=float)
    expected = sm.OLS(x - y, sm.add_constant((x + y) / 2)).fit()
    found = bland_altman(WRIGHT, MINI).proportional_bias
    assert (found.value, found.se) == pytest.approx((expected.params[1], expected.bse[1]))
    assert (found.low, found.high) == pytest.approx(tuple(expected.conf_int()[1]))


def test_swapping_the_raters_flips_the_signs() -> None:
    there, back = bland_altman(WRIGHT, MINI), bland_altman(MINI, WRIGHT)
    assert back.bias.value == pytest.approx(-there.bias.value)  # type: ignore[operator]
    assert back.lower_limit.value == pytest.approx(-there.upper_limit.value)  # type: ignore[operator]
    assert back.lower_limit.low == pytest.approx(-there.upper_limit.high)  # type: ignore[operator]
    assert back.proportional_bias.value == pytest.approx(-there.proportional_bias.value)  # type: ignore[operator]


def test_the_unit_scales_all_but_the_slope() -> None:
    one, ten = bland_altman(WRIGHT, MINI), bland_altman(np.multiply(WRIGHT, 10), np.multiply(MINI, 10))
    assert ten.upper_limit.high == pytest.approx(10 * one.upper_limit.high)  # type: ignore[operator]
    assert ten.proportional_bias.low == pytest.approx(one.proportional_bias.low)


def test_unscored_pairs_are_left_out_and_counted() -> None:
    gaps = bland_altman([*WRIGHT, np.nan, 5], [*MINI, 3, None])  # type: ignore[list-item]
    plain = bland_altman(WRIGHT, MINI)
    for name in ("bias", "lower_limit", "upper_limit", "proportional_bias"):
        with_gaps, without = getattr(gaps, name), getattr(plain, name)
        assert (with_gaps.value, with_gaps.low) == (without.value, without.low)
        assert (with_gaps.n, with_gaps.n_unscored) == (17, 2)


def test_coverage_of_bias_and_limits() -> None:
    """True limits 1 - 1.96·2 and 1 + 1.96·2; their standard error is approximate."""
    rng = np.random.default_rng(1)
    inside = np.zeros(3)
    for _ in range(800):
        second = rng.normal(size=40) * 5
        found = bland_altman(second + 1 + 2 * rng.normal(size=40), second)
        for i, (one, truth) in enumerate(
            [(found.bias, 1.0), (found.lower_limit, 1 - 3.92), (found.upper_limit, 1 + 3.92)]
        ):
            inside[i] += one.low <= truth <= one.high  # type: ignore[operator]
    assert (np.abs(inside / 800 - 0.95) < 0.025).all()


def test_where_nothing_can_be_said() -> None:
    empty = bland_altman([np.nan], [1])
    assert empty.bias.value is None and "no pair" in empty.bias.note and empty.bias.n_unscored == 1
    assert empty.lower_limit.value is None and empty.proportional_bias.value is None
    single = bland_altman([3.0], [1.0])
    assert (single.bias.value, single.bias.low) == (2.0, None)
    assert single.upper_limit.value is None and "one pair" in single.upper_limit.note
    constant = bland_altman([0.1, 0.2, 0.3, 0.5], [0.0, 0.1, 0.2, 0.4])
    assert constant.bias.value == pytest.approx(0.1)
    assert (constant.bias.low, constant.upper_limit.low) == (None, None)
    assert constant.upper_limit.value == pytest.approx(0.1)
    assert "alike" in constant.bias.note
    assert constant.proportional_bias.value == pytest.approx(0, abs=1e-12)
    assert constant.proportional_bias.low is None
    same = bland_altman([1, 2, 3], [3, 2, 1])
    assert same.proportional_bias.value is None and "do not vary" in same.proportional_bias.note


def test_what_does_not_fit_is_refused() -> None:
    with pytest.raises(ValueError, match="first 2, second 1"):
        bland_altman([1, 2], [1])
    with pytest.raises(ValueError, match="second: the score at position 0 is infinite"):
        bland_altman([1], [np.inf])
