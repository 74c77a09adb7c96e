"""Numbers, missing values and kappa in words."""

from __future__ import annotations

import pytest

from appliance.reports import reading, words
from appliance.reports.standing import notice

from .examples import ordinary
from .runs import interval, report, table


@pytest.mark.parametrize(
    ("value", "shown"),
    [(0.5, "+0.50"), (-0.5, "−0.50"), (0.0, "0.00"), (-0.001, "0.00"), (0.001, "0.00"), (None, "– (why)")],
)
def test_signed_numbers(value: float | None, shown: str) -> None:
    assert words.signed(value, "why") == shown


@pytest.mark.parametrize(
    ("value", "shown"), [(0, "0%"), (0.001, "<1%"), (0.107, "11%"), (0.999, ">99%"), (1, "100%")]
)
def test_percentages_never_round_a_few_to_none(value: float, shown: str) -> None:
    assert words.percent(value) == shown


def test_rates_carry_their_count() -> None:
    assert words.rate(interval(3 / 28, n=28)) == "3 of 28 (11%)"
    assert words.rate(interval(0.1234, n=28)) == "12% (n = 28)"
    assert words.rate(interval(None, n=0, note="nothing scored")) == "– (nothing scored)"
    assert words.share(0, 0) == "– (nothing to count)"


def test_statistics_carry_their_interval() -> None:
    assert words.statistic(interval(0.42, -0.1, 0.7, n=28)) == "0.42 (95% interval −0.10 to 0.70, n = 28)"
    assert words.statistic(interval(0.42, note="too few")) == "0.42 (no interval: too few, n = 6)"


@pytest.mark.parametrize(
    ("value", "words_of_it"),
    [
        (-0.2, "no better than"),
        (0.1, "hardly"),
        (0.3, "weak"),
        (0.5, "moderate"),
        (0.7, "substantial"),
        (1.0, "full"),
    ],
)
def test_kappa_is_worded(value: float, words_of_it: str) -> None:
    assert words_of_it in reading.kappa_reading(interval(value, value - 0.1, value + 0.1))


def test_an_interval_around_zero_is_not_called_agreement() -> None:
    assert "chance alone is not ruled out" in reading.kappa_reading(interval(0.3, -0.1, 0.6))
    assert "wide" in reading.kappa_reading(interval(0.6, 0.2, 0.9))
    assert reading.kappa_reading(interval(None, note="nothing to compare")) == ""


def test_kappa_of_a_constant_judge_is_explained() -> None:
    assert "same answer (a flag)" in reading.flag_kappa_note(table(ordinary().records[:1]))
    assert "The second judge flagged no compared record" in reading.flag_kappa_note(
        table(ordinary().records[1:3])
    )
    assert "no record was scored by both" in reading.flag_kappa_note(table(()))
    assert reading.flag_kappa_note(table(ordinary().records)) == ""


def test_lists_and_plurals() -> None:
    assert [words.listed(list("abc")[:n]) for n in range(4)] == ["", "a", "a and b", "a, b and c"]
    assert words.plural(1, "row") == "1 row" and words.plural(2, "row") == "2 rows"
    assert words.counts({"b": 1, "a": 2}) == "2 × a, 1 × b"


def test_hidden_characters_are_listed_and_shown() -> None:
    assert words.hidden_characters("a\u200bb\n\t") == "U+200B zero width space ×1"
    assert words.inline("a\u202e\nb\x1b[0m") == "a<U+202E> b<U+001B>[0m"


@pytest.mark.parametrize(
    ("levels", "title"),
    [
        (("unfit", "fit"), "These verdicts are not evidence: judge A (judge-one) is unfit."),
        (
            ("unfit", "unfit"),
            "These verdicts are not evidence: judges A (judge-one) and B (judge-two) are unfit.",
        ),
        (("fit", "unproven"), "These verdicts are unproven: judge B (judge-two) is unproven."),
        (("fit", "fit"), "Screening results, not final determinations."),
        ((), "No judge took part: there are no verdicts."),
    ],
)
def test_the_notice_follows_the_worst_standing(levels: tuple[str, ...], title: str) -> None:
    assert notice(report((), levels)).title == title  # type: ignore[arg-type]
