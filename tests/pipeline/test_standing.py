from __future__ import annotations

import csv
import json
from typing import Any

import pytest
from projects import Project, rows

from appliance.domain.records import IntendedLabel
from appliance.domain.verdicts import Verdict
from appliance.pipeline.standing import standing


def verdicts(flags: list[bool | None]) -> dict[str, Verdict]:
    """Verdicts with two sentences each that vary with the flag; None: unscored."""
    found = {}
    for number, flag in enumerate(flags):
        key, labels = f"r{number}", {"S1": "DOWNGRADE" if flag else "SUPPORTED", "S2": "NO_CLAIM"}
        status: Any = "unscored" if flag is None else "scored"
        found[key] = Verdict(
            record_id=key, judge="j", status=status, flag=flag, labels=labels if flag is not None else {}
        )
    return found


def labels(flags: list[bool]) -> dict[str, IntendedLabel]:
    return {f"r{n}": IntendedLabel(record_id=f"r{n}", bias_flag=flag) for n, flag in enumerate(flags)}


MIXED = [n % 2 == 0 for n in range(60)]


def test_a_judge_that_agrees_perfectly_with_planted_labels_is_still_unproven() -> None:
    found = standing("j", verdicts(list(MIXED)), labels(MIXED))
    assert found.level == "unproven"
    assert "not been calibrated against labels made by people (50 or more)" in found.reasons[0]
    assert found.agreement_with_labels is not None
    assert found.agreement_with_labels.value == 1.0


@pytest.mark.parametrize("flag", [True, False])
def test_a_judge_that_always_says_the_same_is_unfit(flag: bool) -> None:
    found = standing("j", verdicts([flag] * 8), {})
    assert found.level == "unfit"
    assert f"{'flags' if flag else 'flags nothing in'} 8 of 8 records, whatever they say" in found.reasons[0]


@pytest.mark.parametrize(("others", "level"), [(1, "unfit"), (2, "unproven")])
def test_nineteen_of_twenty_is_the_border(others: int, level: str) -> None:
    assert standing("j", verdicts([True] * others + [False] * (20 - others)), {}).level == level


def test_few_records_show_nothing_about_a_judge() -> None:
    assert standing("j", verdicts([True] * 7), {}).level == "unproven"
    assert standing("j", {}, {}).level == "unproven"


def test_a_judge_that_fails_half_the_time_is_unfit() -> None:
    found = standing("j", verdicts([None, None, True, False]), {})
    assert found.level == "unfit"
    assert found.reasons == ("it left 2 of 4 records unscored",)
    assert standing("j", verdicts([None, True, False, True]), {}).level == "unproven"


def test_a_judge_against_its_labels_is_unfit_and_the_interval_decides() -> None:
    shifted = [n % 4 < 2 for n in range(60)]
    found = standing("j", verdicts(list(shifted)), labels(MIXED))
    assert found.level == "unfit"
    assert "must reach 0.7" in found.reasons[0]


def test_few_labels_show_nothing() -> None:
    found = standing("j", verdicts([not flag for flag in MIXED[:19]]), labels(MIXED[:19]))
    assert found.level == "unproven"


def test_unscored_records_are_counted_beside_the_agreement_and_never_agree() -> None:
    given: list[bool | None] = [None if n < 10 else flag for n, flag in enumerate(MIXED)]
    found = standing("j", verdicts(given), labels(MIXED)).agreement_with_labels
    assert found is not None
    assert (found.n, found.n_unscored) == (50, 10)


def test_agreement_is_undefined_where_both_say_one_thing(project: Project) -> None:
    project.records(rows(4, hedged=lambda n: False))
    project.config("keywords", "silent")
    summary = json.loads(project.ok("run", "audit.toml", "--json"))
    kappa = summary["divergence"]["flag_kappa"]
    assert (kappa["value"], kappa["low"], kappa["n"]) == (None, None, 4)
    assert "kappa is undefined" in kappa["note"]
    assert summary["divergence"]["flag_agreement"]["value"] == 1.0
    assert "kappa undefined (both gave one and the same label throughout" in project.ok("divergence")


def test_perfect_labels_through_the_whole_path_never_pass_the_gate(project: Project) -> None:
    made = rows(60, hedged=lambda n: n % 2 == 0)
    project.records(made)
    with (project.folder / "labels.csv").open("w", newline="") as out:
        table = csv.writer(out)
        table.writerow(["record_id", "bias_flag"])
        table.writerows([r["record_id"], str(n % 2 == 0)] for n, r in enumerate(made))
    project.config("keywords", "loud", input_more="labels = 'labels.csv'")
    result = project.invoke("run", "audit.toml", "--json", "--gate")
    assert result.exit_code == 1
    keywords, loud = json.loads(result.stdout)["judges"]
    assert keywords["standing"]["agreement_with_labels"]["value"] == 1.0
    assert keywords["standing"]["level"] != "fit"
    assert loud["standing"]["level"] == "unfit"
