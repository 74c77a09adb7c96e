"""A judge is admitted by the lower bound in every stratum, and by nothing else."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from appliance.statistics.agreement.kappa import kappa
from appliance.statistics.agreement.strata import Stratum, admit
from appliance.statistics.agreement.tables import confusions

LABELS = ["none", "bias"]


def items(both: int, only_people: int, only_judge: int, neither: int) -> tuple[list[Any], list[Any]]:
    people = ["bias"] * (both + only_people) + ["none"] * (only_judge + neither)
    judge = ["bias"] * both + ["none"] * only_people + ["bias"] * only_judge + ["none"] * neither
    return people, judge


def single(people: list[Any], judge: list[Any], **options: Any) -> Stratum:
    return admit(people, judge, LABELS, ["all"] * len(people), **options).strata[0]


def test_a_good_judge_is_fit_and_the_bound_is_kappas() -> None:
    people, judge = items(95, 3, 2, 100)
    found = single(people, judge)
    expected = kappa(confusions(people, judge, LABELS))
    assert found.verdict == "fit"
    assert (found.kappa.value, found.kappa.low) == (expected.value, expected.low)
    assert found.kappa.low is not None and found.kappa.low >= 0.7
    assert found.more is None


def test_a_value_above_the_line_is_not_enough() -> None:
    found = single(*items(24, 3, 3, 30))
    assert found.kappa.value is not None and found.kappa.value > 0.75
    assert found.verdict == "undecided"
    assert found.more is not None and found.more > 0


def test_a_judge_below_throughout_is_unfit() -> None:
    found = single(*items(40, 30, 30, 50))
    assert (found.verdict, found.more) == ("unfit", None)


def test_few_records_are_insufficient_whatever_they_show() -> None:
    assert single(*items(9, 0, 0, 10)).verdict == "insufficient data"
    overall = admit(*items(20, 0, 0, 20), LABELS, ["all"] * 40).overall
    assert overall.verdict == "insufficient data"
    assert "50 are needed" in overall.reason


def test_perfect_agreement_of_enough_records_is_fit() -> None:
    assert single(*items(60, 0, 0, 60)).verdict == "fit"


def test_one_stratum_that_fails_fails_the_judge() -> None:
    good, bad = items(95, 3, 2, 100), items(20, 25, 25, 30)
    found = admit(good[0] + bad[0], good[1] + bad[1], LABELS, ["en"] * 200 + ["de"] * 100)
    assert {stratum.name: stratum.verdict for stratum in found.strata} == {"de": "unfit", "en": "fit"}
    assert found.verdict == "unfit"


def test_a_stratum_without_enough_labels_keeps_the_judge_from_being_fit() -> None:
    good, few = items(195, 3, 2, 200), items(4, 0, 0, 4)
    found = admit(good[0] + few[0], good[1] + few[1], LABELS, ["en"] * 400 + ["de"] * 8)
    assert found.overall.verdict == "fit"
    assert found.verdict == "insufficient data"


@pytest.mark.parametrize("judge", [["none"] * 80, ["none"] * 77 + ["bias"] * 3])
def test_one_label_throughout_is_never_fit_nor_unfit(judge: list[str]) -> None:
    found = single(["none"] * 80, judge)
    assert found.verdict == "undecided"
    assert found.more is None
    assert "other labels" in found.note


def test_a_judge_that_always_says_the_same_is_unfit() -> None:
    assert single(["none"] * 60 + ["bias"] * 60, ["none"] * 120).verdict == "unfit"


def test_what_the_judge_left_out_keeps_it_from_being_fit() -> None:
    people, judge = items(95, 3, 2, 100)
    judge[:8] = [None] * 8
    assert single(people, judge).verdict == "fit"
    judge[:15] = [None] * 15
    found = single(people, judge)
    assert found.verdict == "undecided"
    assert found.unanswered == pytest.approx(15 / 200)
    assert (found.kappa.n, found.kappa.n_unscored) == (185, 15)


def test_what_people_left_out_is_not_held_against_the_judge() -> None:
    people, judge = items(95, 3, 2, 100)
    found = single([*people, *[None] * 100], [*judge, *[None] * 50, *["bias"] * 50])
    assert (found.verdict, found.unanswered, found.kappa.n_unscored) == ("fit", 0.0, 0)


def test_the_paradox_of_kappa_is_explained() -> None:
    found = single(*items(2, 4, 5, 189))
    assert found.ac.value is not None and found.kappa.value is not None
    assert found.ac.value > 0.9 > found.kappa.value
    assert "97%" in found.note and "AC1" in found.note
    assert single(*items(95, 3, 2, 100)).note == ""


def test_so_many_more_records_settle_it() -> None:
    """With as many as asked for, about 80% of samples of the same population are fit."""
    people, judge = items(27, 3, 3, 27)
    more = single(people, judge).more
    assert more is not None
    n, rng = 60 + more, np.random.default_rng(0)
    fit = []
    for _ in range(150):
        cells = rng.choice(4, p=[0.45, 0.05, 0.05, 0.45], size=n)
        found = kappa(confusions(cells // 2, cells % 2, range(2)))
        fit.append(found.low is not None and found.low >= 0.7)
    assert 0.7 <= np.mean(fit) <= 0.9


def test_a_judge_at_the_line_is_hardly_ever_called_fit() -> None:
    """True kappa .7, 100 records: the gate opens for 2.5% (600 samples, binomial error .6%)."""
    rng = np.random.default_rng(1)
    shares = 0.7 * np.diag([0.7, 0.3]) + 0.3 * np.outer([0.7, 0.3], [0.7, 0.3])
    tables, times = np.unique(rng.multinomial(100, shares.ravel(), size=600), axis=0, return_counts=True)
    fit = 0
    for (neither, only_judge, only_people, both), many in zip(tables.tolist(), times.tolist(), strict=True):
        fit += many * (single(*items(both, only_people, only_judge, neither)).verdict == "fit")
    assert fit / 600 <= 0.04


def test_sentences_of_a_record_are_no_records() -> None:
    people, judge = items(14, 1, 1, 14)
    alone = single(people, judge)
    copied = single(
        [label for label in people for _ in range(20)],
        [label for label in judge for _ in range(20)],
        clusters_of=[i for i in range(30) for _ in range(20)],
    )
    assert alone.verdict == copied.verdict == "undecided"
    assert copied.kappa.n == 30


def test_weighted_kappa_goes_with_ac2() -> None:
    rng = np.random.default_rng(2)
    people = rng.integers(0, 5, 300)
    judge = np.clip(people + rng.choice([-1, 0, 1], p=[0.1, 0.8, 0.1], size=300), 0, 4)
    found = admit(people, judge, range(5), ["x"] * 300, weights="quadratic")
    assert found.verdict == "fit"
    assert "quadratic weighted kappa" in found.overall.kappa.method
    assert "AC2" in found.overall.ac.method


def test_the_order_of_items_changes_nothing() -> None:
    people, judge = items(40, 4, 5, 60)
    strata = ["x", "y"] * 54 + ["x"]
    order = np.random.default_rng(3).permutation(109)
    turned = admit([people[i] for i in order], [judge[i] for i in order], LABELS, [strata[i] for i in order])
    assert turned == admit(people, judge, LABELS, strata)


def test_what_does_not_fit_is_refused() -> None:
    with pytest.raises(ValueError, match="strata 1"):
        admit(["none"] * 2, ["none"] * 2, LABELS, ["x"])
    with pytest.raises(ValueError, match="judge: 'maybe' at position 0"):
        admit(["none"], ["maybe"], LABELS, ["x"])
    with pytest.raises(ValueError, match="required"):
        admit(["none"], ["none"], LABELS, ["x"], required=70)


def test_nothing_at_all() -> None:
    found = admit([], [], LABELS, [])
    assert (found.verdict, found.strata) == ("insufficient data", ())
