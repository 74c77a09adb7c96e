"""Scores given earlier, audited without a call: LLMBar's published figures through the whole pipeline."""

from __future__ import annotations

import csv
import json
import re
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from projects import Project

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "statistics"))
from shared_data import shared

PAIRWISE = """audit = 'judge-bias'
store = 'audit.sqlite'
[target]
mode = 'pairwise'
[scores]
path = {path}
judge = ['judge']
{more}
"""
HEAD = ["item_id", "judge", "winner_as_given", "winner_swapped", "label", "length_1", "length_2"]


def pairwise(project: Project, rows: Sequence[Sequence[object]], more: str = "") -> dict[str, Any]:
    lines = "\n".join(",".join(map(str, row)) for row in [HEAD, *rows])
    project.write("scores.csv", lines + "\n")
    project.write("audit.toml", PAIRWISE.format(path="'scores.csv'", more=more))
    project.ok("run", "audit.toml")
    found: dict[str, Any] = json.loads(project.ok("report", "--format", "json"))["judges"]
    return found


def share(text: str) -> tuple[int, int]:
    hits, n = re.findall(r"\d+", text)[:2]
    return int(hits), int(n)


def test_every_published_set_of_llmbar_comes_out_of_the_pipeline(project: Project) -> None:
    more = (
        "ties = ['']\n[scores.columns]\nitem_id = 'subset+item'\nwinner_as_given = 'winner_order1'\n"
        "winner_swapped = 'winner_order2'\nlength_1 = 'len_1'\nlength_2 = 'len_2'"
    )
    text = PAIRWISE.format(path=repr(str(shared("llmbar/winners_compact.csv"))), more=more)
    project.write("audit.toml", text.replace("['judge']", "['subset', 'judge', 'strategy']"))
    project.ok("run", "audit.toml")
    found = json.loads(project.ok("report", "--format", "json"))["judges"]
    with shared("llmbar/statistics_published.csv").open(encoding="utf-8") as file:
        published = list(csv.DictReader(file))
    published = [row for row in published if f"{row['subset']} / {row['judge']} / {row['strategy']}" in found]
    assert len(found) == len(published) == 97
    untied = 0
    for theirs in published:
        ours = found[f"{theirs['subset']} / {theirs['judge']} / {theirs['strategy']}"]["appliance"]
        position = next(d for d in ours["dimensions"] if d["dimension"] == "position")["position"]
        for column, name in (
            ("correct_False", "right as given"),
            ("correct_True", "right when swapped"),
            ("correct_both", "right in both orders"),
        ):
            value = ours["against_labels"][name]
            assert (round(value["value"] * value["n"]), value["n"]) == share(theirs[column]), column
        equal = position["consistency"]
        assert (round(equal["value"] * equal["n"]), equal["n"]) == share(theirs["equal"])
        table = position["table"]
        # Published kappas put ties with the second item; ours keeps them apart.
        if not any(table[2]) and not any(row[2] for row in table):
            untied += 1
            kappa = position["kappa"]["value"]
            assert kappa == pytest.approx(float(theirs["kappa_agreement"]), abs=1e-9)
    assert untied > 60
    vanilla = found["LLMBar/Adversarial/Neighbor / ChatGPT / Vanilla"]["appliance"]["dimensions"]
    drift = next(d for d in vanilla if d["dimension"] == "position")
    assert drift["position"]["drift"]["effect"]["value"] == pytest.approx(-0.238806, abs=1e-6)
    assert drift["position"]["drift"]["test"]["p"] == pytest.approx(6.678e-8, rel=1e-3)
    assert drift["status"] == "flagged"


def test_the_first_shown_wins_in_both_orders_is_primacy(project: Project) -> None:
    rows = [[f"i{n}", "J", 1, 2, 1, 100, 50] for n in range(30)]
    found = pairwise(project, rows)["J"]["appliance"]
    position = next(d for d in found["dimensions"] if d["dimension"] == "position")
    assert position["status"] == "flagged" and position["position"]["primacy"] == 30
    # Each item wins once: no lean towards the longer one.
    length = next(d for d in found["dimensions"] if d["dimension"] == "length")
    assert length["analysis"]["mean"]["value"] == 0.0


def test_a_judge_that_always_takes_the_longer_answer_has_no_position_bias(project: Project) -> None:
    rows = [[f"i{n}", "J", 1 + n % 2, 1 + n % 2, "", (100, 50)[n % 2], (50, 100)[n % 2]] for n in range(40)]
    found = {d["dimension"]: d for d in pairwise(project, rows)["J"]["appliance"]["dimensions"]}
    assert found["length"]["analysis"]["mean"]["value"] == 1.0 and found["length"]["status"] == "flagged"
    assert found["position"]["analysis"]["mean"]["value"] == 0.0
    assert "this alone is no bias" in found["length"]["varies"]


def test_an_empty_winner_is_unscored_and_a_tie_is_said_to_be_one(project: Project) -> None:
    rows = [[f"i{n}", "J", "" if n < 3 else "tie", "tie", "", "", ""] for n in range(30)]
    found = pairwise(project, rows)["J"]["appliance"]
    position = found["dimensions"][0]
    assert (position["n_complete"], position["n_pairs"], found["n_unscored"]) == (27, 30, 3)
    assert project.one("SELECT count(*) FROM attempts") == 0


def test_judges_with_different_items_are_not_charged_with_each_others(project: Project) -> None:
    rows = [[f"{j}{n}", j, 1, 1, "", "", ""] for j in "JK" for n in range(25)]
    found = pairwise(project, rows)
    assert [found[j]["appliance"]["dimensions"][0]["n_pairs"] for j in "JK"] == [25, 25]


def test_pointwise_scores_with_attributes_are_paired(project: Project) -> None:
    head = "pair_id,dimension,attribute_a,score_a,attribute_b,score_b\n"
    lines = [f"p{n},demographic: gender,female,{3 + n % 2},male,{4 + n % 2}" for n in range(60)]
    project.write("scores.csv", head + "\n".join([*lines, "p60,demographic: gender,female,,male,4"]) + "\n")
    config = "audit = 'judge-bias'\nstore = 'audit.sqlite'\n[scores]\npath = 'scores.csv'\n"
    project.write("audit.toml", config + "[limits]\nmax_unscored = 0.1\n")
    project.ok("run", "audit.toml")
    found = json.loads(project.ok("report", "--format", "json"))["judges"]["recorded"]
    gender = found["dimension_results"][0]
    assert gender["mean_difference"] == -1.0 and gender["flagged"]
    assert gender["test_pairs"][-1]["difference"] is None
    assert found["appliance"]["dimensions"][0]["n_complete"] == 60


@pytest.mark.parametrize(
    ("row", "said"),
    [
        (["i0", "J", 3, 1, "", "", ""], "line 2: '3' is no winner"),
        (["i0", "J", 1, 1, "", "long", "1"], "line 2: a length is not a number"),
        (["", "J", 1, 1, "", "", ""], "line 2: the id is empty"),
    ],
)
def test_a_wrong_row_is_named(project: Project, row: list[object], said: str) -> None:
    project.write("scores.csv", "\n".join(",".join(map(str, r)) for r in [HEAD, row]) + "\n")
    project.write("audit.toml", PAIRWISE.format(path="'scores.csv'", more=""))
    result = project.invoke("run", "audit.toml")
    assert result.exit_code == 2 and said in result.stderr
    assert not project.store.exists()


def test_one_item_twice_for_one_judge_is_refused(project: Project) -> None:
    rows = [HEAD, *[["i0", "J", 1, 1, "", "", ""]] * 2]
    project.write("scores.csv", "\n".join(",".join(map(str, r)) for r in rows) + "\n")
    project.write("audit.toml", PAIRWISE.format(path="'scores.csv'", more=""))
    assert "'i0' of 'J' was given at" in project.invoke("run", "audit.toml").stderr


def test_a_score_outside_the_scale_is_named(project: Project) -> None:
    head = "pair_id,dimension,attribute_a,score_a,attribute_b,score_b\n"
    project.write("scores.csv", head + "p,length,long,7,short,3\n")
    project.write("audit.toml", "audit = 'judge-bias'\nstore = 's.sqlite'\n[scores]\npath = 'scores.csv'\n")
    assert "line 2: 7 lies outside the scale 1 to 5" in project.invoke("run", "audit.toml").stderr
