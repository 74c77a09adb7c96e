"""Verdicts given earlier through the whole pipeline: COMPAS and New York's example give their published
figures."""

from __future__ import annotations

import csv
import io
import json
import re
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from projects import Project

from appliance.probes.wording import KNOWN

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "statistics"))
from shared_data import shared

CONFIG = """audit = 'intersectional'
store = 'audit.sqlite'
[scores]
path = {path}
attributes = {attributes}
[scores.columns]
{columns}
[intersectional]
{more}
"""


def report(
    project: Project, path: str, attributes: list[str], columns: str = "", more: str = ""
) -> dict[str, Any]:
    text = CONFIG.format(path=json.dumps(path), attributes=attributes, columns=columns, more=more)
    project.write("audit.toml", text)
    project.ok("run", "audit.toml")
    found: dict[str, Any] = json.loads(project.ok("report", "--format", "json"))
    return found


def groups(found: dict[str, Any], part: str = "cells", at: int = 0) -> dict[str, dict[str, Any]]:
    margin = found["maps"][0]["audit"]["disparity"][part]
    margin = margin[at] if isinstance(margin, list) else margin
    return {" ".join(g["group"].values()): g for g in margin["groups"]}


def write(project: Project, name: str, head: list[str], rows: Iterable[list[object]]) -> None:
    out = io.StringIO()
    csv.writer(out).writerows([head, *rows])
    project.write(name, out.getvalue())


def test_compas_through_the_map_gives_the_published_false_positive_rates(project: Project) -> None:
    with shared("aequitas_compas/compas_for_aequitas.csv").open(encoding="utf-8") as file:
        held = [r for r in csv.DictReader(file) if float(r["label_value"]) == 0]
    head = ["item_id", "severity", "race", "sex"]
    write(project, "v.csv", head, ([r["entity_id"], r["score"], r["race"], r["sex"]] for r in held))
    found = report(project, "v.csv", ["race", "sex"], more="reference = { race = 'Caucasian', sex = 'Male' }")
    races = groups(found, "axes")
    assert races["African-American"]["rate"]["value"] == pytest.approx(0.4485, abs=5e-5)
    assert races["Hispanic"]["rate"]["value"] == pytest.approx(0.2148, abs=5e-5)
    assert races["African-American"]["decision"]["outcome"] == "flagged"
    assert groups(found)["African-American Male"]["decision"]["outcome"] == "flagged"
    assert "African-American × Male" in project.ok("report", "--format", "html")


def test_new_yorks_example_gives_its_ratios(project: Project) -> None:
    """Local Law 144: selected of applicants; the ratio is to the group selected most often."""
    counts = [
        ("male", "White", 215, 412), ("male", "Black", 95, 226), ("male", "Native American", 7, 17),
        ("male", "others", 667 - 215 - 95 - 7, 1390 - 412 - 226 - 17), ("female", "all", 555, 1181),
    ]  # fmt: skip
    rows: list[list[object]] = []
    for sex, race, k, n in counts:
        rows += [[f"{sex}{race}{i}", "no" if i < k else "yes", sex, race] for i in range(n)]
    write(project, "v.csv", ["item_id", "severity", "sex", "race"], rows)
    found = report(project, "v.csv", ["sex", "race"], more="min_n = 10")
    assert groups(found, "axes")["female"]["impact_ratio"]["value"] == pytest.approx(0.979337, abs=5e-6)
    cells = groups(found)
    assert cells["male Black"]["impact_ratio"]["value"] == pytest.approx(0.806, abs=5e-4)
    assert cells["male Native American"]["impact_ratio"]["value"] == pytest.approx(0.789, abs=5e-4)
    assert cells["male Native American"]["decision"]["outcome"] != "flagged"
    assert cells["female White"]["n"] == 0


def test_two_judges_are_set_side_by_side_and_a_missing_row_is_unscored(project: Project) -> None:
    rows: list[list[object]] = []
    for judge in "AB":
        for i in range(60):
            if not (judge == "B" and i < 5):
                severity = ("None", "High", "")[2 if i == 7 else i % 2]
                rows.append([f"r{i}", severity, judge, "xy"[i % 2], "uv"[i // 2 % 2]])
    write(project, "v.csv", ["item_id", "severity", "judge", "one", "two"], rows)
    text = CONFIG.format(path="'v.csv'\njudge = ['judge']", attributes=["one", "two"], columns="", more="")
    project.write("audit.toml", text)
    result = project.invoke("run", "audit.toml")
    assert result.exit_code == 3 and "6 of 60 responses were not scored by both judges" in result.stderr
    found = json.loads(project.ok("report", "--format", "json"))
    assert [m["judge"] for m in found["maps"]] == ["A", "B", "both judges"]
    assert sum(c["n_unscored"] for c in found["maps"][1]["audit"]["disparity"]["cells"]["groups"]) == 6
    assert project.one("SELECT count(*) FROM review_items") > 20  # High goes to people


@pytest.mark.parametrize(
    ("row", "said"),
    [
        (["r1", "Horrible", "x", "u"], "line 2: 'Horrible' is no severity"),
        (["r1", "Low", "", "u"], "line 2: one is empty"),
        (["", "Low", "x", "u"], "line 2: the id is empty"),
    ],
)
def test_a_wrong_row_is_named(project: Project, row: list[object], said: str) -> None:
    write(project, "v.csv", ["item_id", "severity", "one", "two"], [row])
    text = CONFIG.format(path="'v.csv'", attributes=["one", "two"], columns="", more="")
    project.write("audit.toml", text)
    result = project.invoke("run", "audit.toml")
    assert result.exit_code == 2 and said in result.stderr


def test_bbqs_templates_carry_a_grid(project: Project) -> None:
    """Its contexts about two people, the first of them varied: a map of a scripted model's answers."""
    with shared("bbq/new_templates - Race_x_gender.csv").open(encoding="utf-8") as file:
        held = [r["Ambiguous_Context"] for r in csv.DictReader(file)]
    templates = []
    for at, text in enumerate(held):
        told = re.sub(
            r"\{\{NAME1\}\}( \{\{GEN1\}\})?",
            "[NAME], [DESCRIPTION],",
            text.replace("a {{NAME1}}", "{{NAME1}}"),
        )
        told = re.sub(r"(a |A )?\{\{(NAME2|GEN2|WORD\d|OCC\d)\}\}", "somebody", told)
        if "[NAME]" in told and "{{" not in told:
            templates.append([f"bbq{at}", told])
    assert len(templates) > 15 and KNOWN
    write(project, "templates.csv", ["template_id", "text"], templates)
    harm = {"effects": [], "harms": [{"pattern": "Black woman"}]}
    project.write("judge.json", json.dumps(harm))
    project.write(
        "audit.toml",
        "audit = 'intersectional'\nstore = 'audit.sqlite'\n[grid]\ntemplates = 'templates.csv'\n"
        "[grid.dimensions]\nethnicity = ['Black', 'White', 'Asian']\ngender = ['woman', 'man']\n"
        "[model]\nname = 'scripted:silent'\n[intersectional]\nmin_n = 10\n[judges]\n"
        "a = 'scripted:planted:judge.json'\nb = 'scripted:silent'\n",
    )
    project.ok("run", "audit.toml")
    found = json.loads(project.ok("report", "--format", "json"))
    cells = groups(found)
    assert cells["Black woman"]["decision"]["outcome"] == "flagged"
    assert cells["White man"]["rate"]["value"] == 0
