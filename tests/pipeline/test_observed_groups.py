"""Scored outputs of groups, given earlier: compared as they were, and said to be that."""

from __future__ import annotations

import csv
import io
import json
from typing import Any

import numpy as np
import pytest
from projects import Project


def outputs(project: Project, rows: list[list[object]], more: str = "") -> dict[str, Any]:
    out = io.StringIO()
    csv.writer(out).writerows([["item_id", "score", "gender", "region", "task"], *rows])
    project.write("scores.csv", out.getvalue())
    project.write(
        "audit.toml",
        "audit = 'judge-bias'\nstore = 'audit.sqlite'\n[scores]\npath = 'scores.csv'\n"
        f"attributes = ['gender', 'region']\n{more}",
    )
    project.ok("run", "audit.toml")
    return next(iter(json.loads(project.ok("report", "--format", "json"))["judges"].values()))  # type: ignore[no-any-return]


def groups_of(n: int, shift: float, seed: int = 0) -> list[list[object]]:
    rng = np.random.default_rng(seed)
    rows: list[list[object]] = []
    for i in range(n):
        gender, region = ("woman", "man")[i % 2], ("north", "south", "west")[i % 3]
        score = int(np.clip(np.round(rng.normal(3.2 + shift * (gender == "woman"), 0.9)), 1, 5))
        rows.append([f"o{i}", score, gender, region, f"t{i}"])
    return rows


def test_scored_outputs_of_groups_are_compared_as_welch_does_and_pass_no_judgement_alone(
    project: Project,
) -> None:
    from scipy import stats

    rows = groups_of(400, -0.8)
    found = outputs(project, rows)
    names = [d["dimension"] for d in found["dimension_results"]]
    assert names == [
        "demographic: gender (man vs rest)",
        "demographic: region (north vs rest)",
        "demographic: region (south vs rest)",
        "demographic: region (west vs rest)",
    ]
    gender = found["dimension_results"][0]
    men, women = ([r[1] for r in rows if r[2] == g] for g in ("man", "woman"))
    welch = stats.ttest_ind(men, women, equal_var=False)
    low, high = welch.confidence_interval()
    assert gender["mean_difference"] == pytest.approx(np.mean(men) - np.mean(women))
    assert gender["confidence_interval_95"] == pytest.approx([low, high], abs=0.02)
    sd = (((np.var(men) + np.var(women)) * 200) / 398) ** 0.5
    assert gender["effect_size"] == pytest.approx(gender["mean_difference"] / sd)
    assert gender["flagged"] and gender["effect_size_interpretation"] in ("medium", "large")
    assert not any(d["flagged"] for d in found["dimension_results"][1:])
    told = found["appliance"]["dimensions"][0]
    assert "can differ in more than the attribute" in told["varies"]
    for form in ("html", "md", "csv"):
        project.ok("report", "--format", form)
    assert "man less rest" in project.ok("runs", "show")


def test_a_small_group_is_insufficient_and_what_lacks_the_attribute_is_counted(project: Project) -> None:
    rows = groups_of(120, 0.0)
    for row in rows[:40]:
        row[3] = ""
    rows[5][1] = ""
    found = outputs(project, rows)
    region = found["appliance"]["dimensions"][1]
    assert region["status"] == "insufficient data" and region["test"] is None
    assert region["unbuilt"] == {"the attribute is not given": 40}
    gender = found["appliance"]["dimensions"][0]
    assert gender["n_pairs"] == 60 and gender["n_complete"] == 59


def test_outputs_of_one_task_are_compared_within_it(project: Project) -> None:
    rows = [
        [f"o{i}-{g}", 1 + (i % 5 if g == "man" else max(i % 5 - 1, 0)), g, "north", f"t{i}"]
        for i in range(60)
        for g in ("man", "woman")
    ]
    found = outputs(project, rows, "[scores.columns]\ncluster = 'task'\n")
    gender = found["appliance"]["dimensions"][0]
    assert gender["observed"]["blocks"] == 60 and gender["flagged"]
    assert len(found["dimension_results"]) == 1  # one region only: nothing to compare


def test_groups_of_pairwise_scores_are_refused(project: Project) -> None:
    project.write("scores.csv", "item_id,score,gender\n")
    project.write(
        "audit.toml",
        "audit = 'judge-bias'\n[target]\nmode = 'pairwise'\n[scores]\npath = 'scores.csv'\n"
        "attributes = ['gender']\n",
    )
    result = project.invoke("run", "audit.toml")
    assert result.exit_code == 2 and "scores of single outputs" in result.output
