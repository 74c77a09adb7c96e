"""Sensitivity, specificity and precision of each label."""

from __future__ import annotations

import numpy as np
import pytest

from appliance.statistics.agreement.classes import class_rates
from appliance.statistics.agreement.tables import confusions
from appliance.statistics.proportions import rate

TRUTH = ["a"] * 10 + ["b"] * 20 + ["c"] * 5
GIVEN = ["a"] * 8 + ["b"] * 2 + ["b"] * 15 + ["a"] * 5 + ["b"] * 5


def test_rates_are_those_of_the_table_with_wilson_intervals() -> None:
    first = class_rates(confusions(TRUTH, GIVEN, "abc"), "abc")[0]
    for found, expected in (
        (first.sensitivity, rate(8, 10)),
        (first.specificity, rate(20, 25)),
        (first.precision, rate(8, 13)),
    ):
        assert (found.value, found.n) == (expected.value, expected.n)
        assert (found.low, found.high) == pytest.approx((expected.low, expected.high), abs=1e-9)


def test_a_label_that_was_never_given_has_no_precision() -> None:
    last = class_rates(confusions(TRUTH, GIVEN, "abc"), "abc")[2]
    assert (last.sensitivity.value, last.sensitivity.low) == (0.0, 0.0)
    assert last.sensitivity.high == pytest.approx(rate(0, 5).high, abs=1e-9)
    assert (last.specificity.value, last.specificity.high) == (1.0, 1.0)
    assert last.precision.value is None and last.precision.note


def test_clusters_widen_the_interval_and_narrow_it_never() -> None:
    one = class_rates(confusions(TRUTH, GIVEN, "abc"), "abc")[1].sensitivity
    copied = confusions(np.repeat(TRUTH, 10), np.repeat(GIVEN, 10), "abc", np.repeat(np.arange(35), 10))
    ten = class_rates(copied, "abc")[1].sensitivity
    assert ten.value == one.value
    assert ten.low <= one.low and ten.high >= one.high  # type: ignore[operator]
    assert ten.low == pytest.approx(one.low, abs=0.02)


def test_nothing_scored() -> None:
    found = class_rates(confusions([None], ["a"], "ab"), "ab")[0]
    for estimate in (found.sensitivity, found.specificity, found.precision):
        assert (estimate.value, estimate.n, estimate.n_unscored) == (None, 0, 1)


def test_a_list_of_labels_that_does_not_fit_is_refused() -> None:
    with pytest.raises(ValueError, match="labels: 2 expected, found 3"):
        class_rates(confusions(["a"], ["a"], "ab"), "abc")
