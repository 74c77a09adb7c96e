"""Rates against published values, and where they are not defined."""

from __future__ import annotations

import pytest

from appliance.statistics.proportions import rate


@pytest.mark.parametrize(
    ("successes", "n", "low", "high"),
    [
        (81, 263, 0.2553, 0.3662),  # Newcombe (1998), table I
        (15, 148, 0.0624, 0.1605),
        (0, 20, 0.0, 0.1611),
        (1, 29, 0.0061, 0.1718),
    ],
)
def test_the_published_wilson_intervals(successes: int, n: int, low: float, high: float) -> None:
    found = rate(successes, n, n_unscored=2)
    assert found.value == pytest.approx(successes / n)
    assert found.low == pytest.approx(low, abs=5e-5)
    assert found.high == pytest.approx(high, abs=5e-5)
    assert (found.n, found.n_unscored) == (n, 2)


def test_a_rate_of_nothing_is_undefined_not_zero() -> None:
    found = rate(0, 0, n_unscored=5)
    assert (found.value, found.low, found.high, found.n, found.n_unscored) == (None, None, None, 0, 5)
    assert found.note


def test_rates_at_the_ends_keep_an_interval_of_some_width() -> None:
    none, all_of_them = rate(0, 10), rate(10, 10)
    assert none.low == pytest.approx(0, abs=1e-12) and none.high is not None and none.high > 0.2
    assert all_of_them.high == pytest.approx(1) and all_of_them.low is not None and all_of_them.low < 0.8


@pytest.mark.parametrize(("successes", "n"), [(-1, 5), (6, 5), (1, 0)])
def test_impossible_counts_are_refused(successes: int, n: int) -> None:
    with pytest.raises(ValueError, match="successes of"):
        rate(successes, n)
