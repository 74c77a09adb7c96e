"""What a mitigation changes on planted judges, comparing runs, and the gates that rest on an audit."""

from __future__ import annotations

import csv
import io
import json
from typing import Any

import pytest
from projects import Project

from appliance.pipeline.selftest.items import write_items

FEMALE = r"\\b(she|She|her|Her)\\b"


def judge(pattern: str = "", add: float = 0.9, first: float = 0.0, noise: float = 0.5) -> str:
    effects = f'[{{"pattern": "{pattern}", "add": {add}}}]' if pattern else "[]"
    return f'{{"effects": {effects}, "first": {first}, "noise": {noise}, "seed": 5}}'


def setup(
    project: Project,
    planted: str,
    dimensions: list[str],
    target: str = "",
    name: str = "audit.toml",
    more: str = "",
) -> None:
    if not (project.folder / "items.csv").exists():
        write_items(project.folder / "items.csv")
    project.write("a.json", planted)
    project.write(
        name,
        "audit = 'judge-bias'\nstore = 'audit.sqlite'\n[input]\npath = 'items.csv'\n[judges]\n"
        f"a = 'scripted:planted:a.json'\n[probes]\ndimensions = {json.dumps(dimensions)}\n"
        f"[target]\n{target}\n{more}",
    )


def run(project: Project, config: str = "audit.toml", code: int = 0) -> dict[str, Any]:
    result = project.invoke("run", config, "--json")
    assert result.exit_code == code, result.output
    found: dict[str, Any] = json.loads(result.stdout)
    return found


def dimension(summary: dict[str, Any], name: str) -> dict[str, Any]:
    found = [d for t in summary["targets"] for d in t["dimensions"] if d["dimension"] == name]
    return dict(found[0])


GENDER = "demographic: gender (female vs male)"


def test_redacted_names_make_two_versions_one_question_and_take_the_bias_away(project: Project) -> None:
    setup(project, judge(FEMALE), [GENDER])
    before = run(project)
    assert dimension(before, GENDER)["status"] == "flagged"
    asked = project.one("SELECT count(*) FROM attempts")
    setup(project, judge(FEMALE), [GENDER], 'mitigations = ["name redaction"]', "redacted.toml")
    after = run(project, "redacted.toml")
    found = dimension(after, GENDER)
    assert (found["status"], found["analysis"]["mean"]["value"]) == ("clear", 0)
    shown = " ".join(text for (text,) in project.sql("SELECT text FROM records WHERE text LIKE '%[person]%'"))
    assert "Victor" not in shown and " he " not in shown.lower() and "[they]" in shown
    assert (
        project.one("SELECT count(*) FROM attempts") - asked == 120
    )  # the answers as given, no version twice
    compared = json.loads(project.ok("runs", "compare", before["run_id"], after["run_id"], "--json"))
    assert compared[0]["changed"] == ["mitigations"]
    assert compared[0]["attribution"].startswith("only the mitigations changed")
    (change,) = compared[0]["dimensions"]
    assert change["decision"]["outcome"] == "flagged"
    assert change["change"]["value"] == pytest.approx(-dimension(before, GENDER)["analysis"]["mean"]["value"])
    assert "CHANGED" in project.ok("runs", "compare", before["run_id"], after["run_id"])


def test_redaction_of_items_that_name_nobody_is_refused(project: Project) -> None:
    out = io.StringIO()
    csv.writer(out).writerows([["item_id", "output"], *([f"i{n}", f"Answer {n}."] for n in range(30))])
    project.write("items.csv", out.getvalue())
    setup(project, judge(), ["length"], 'mitigations = ["name redaction"]')
    result = project.invoke("run", "audit.toml")
    assert result.exit_code == 2 and "needs to know the person" in result.output


def test_length_normalisation_takes_a_price_per_word_away_and_asks_nothing(project: Project) -> None:
    from appliance.probes.phrases import load_phrases

    filler = "|".join(phrase.replace(".", "\\\\.") for phrase in load_phrases().length.filler)
    setup(project, judge(filler), ["length", "style: formal vs casual"])
    before = run(project)
    assert dimension(before, "length")["status"] == "flagged"
    attempts = project.one("SELECT count(*) FROM attempts")
    mitigations = 'mitigations = ["length normalisation"]'
    setup(project, judge(filler), ["length", "style: formal vs casual"], mitigations, "normalised.toml")
    summary = run(project, "normalised.toml")
    assert project.one("SELECT count(*) FROM attempts") == attempts
    found = dimension(summary, "length")
    after, own = found["after"], found["analysis"]["mean"]["value"]
    assert found["status"] == "flagged"  # the judge's own scores are what they were
    assert abs(after["mean"]["value"]) < 0.3 < own
    assert after["change"]["value"] == pytest.approx(after["mean"]["value"] - own)
    assert after["change_test"]["p"] < 0.001
    assert after["decision"]["outcome"] != "flagged"
    assert "after length normalisation" in project.ok("runs", "show")
    assert "after length normalisation" in project.ok("report", "--format", "md")
    assert "fter length normalisation" in project.ok("report", "--format", "html")


def test_a_drawn_order_takes_the_advantage_of_the_first_place_away(project: Project) -> None:
    target = 'mode = "pairwise"\nmitigations = ["order randomisation"]'
    setup(project, judge(first=0.6), ["position"], target)
    found = dimension(run(project), "position")
    assert found["status"] == "flagged"
    assert abs(found["after"]["mean"]["value"]) < 0.6 * found["analysis"]["mean"]["value"]
    assert found["after"]["decision"]["outcome"] != "flagged"
    gate = project.invoke("run", "audit.toml", "--gate")
    assert gate.exit_code == 1 and "position inconclusive" in gate.output


def test_a_judge_of_no_opinion_is_never_clear(project: Project) -> None:
    setup(project, judge(noise=0.0), [GENDER, "length"])
    summary = run(project)
    for name in (GENDER, "length"):
        assert dimension(summary, name)["status"] == "inconclusive"
        assert "no bias could have shown" in dimension(summary, name)["reason"]


# The gate of other audits


def competence(project: Project, gate: str) -> None:
    project.records([{"record_id": "r1", "text": "Ana led the team. She won.", "identity.gender": "woman"}])
    project.write("b.json", judge(noise=0.1))
    project.write(
        "competence.toml",
        "audit = 'competence'\nstore = 'competence.sqlite'\n[input]\npath = 'records.csv'\n[judges]\n"
        f"a = 'scripted:planted:a.json'\nb = 'scripted:silent'\n{gate}",
    )


def test_an_audit_by_a_judge_without_a_passing_audit_of_its_own_is_refused(project: Project) -> None:
    setup(project, judge(FEMALE), [GENDER])
    competence(project, "[bias_gate]\nstore = 'audit.toml'\n")
    result = project.invoke("run", "competence.toml")
    assert result.exit_code == 2 and "audit.sqlite" in result.output  # no store yet
    run(project)
    result = project.invoke("run", "competence.toml")
    assert result.exit_code == 1
    assert "scripted:planted:a.json: run " in result.output and f"{GENDER} flagged" in result.output
    assert "scripted:silent: the store has no complete judge-bias audit" in result.output
    assert not (project.folder / "competence.sqlite").exists()
    assert "REFUSED by [bias_gate]" in project.ok("plan", "competence.toml")


def test_the_newest_audit_of_exactly_this_judge_admits_it(project: Project) -> None:
    from appliance.config import load_config, project_root
    from appliance.pipeline.prepare import prepare

    # 120 tasks of one answer each, so that what is clear can be shown.
    rows = [
        [f"i{n}", f"Task {n}?", f"Answer {n} of Ana. She wrote it.", "Ana Diaz", "she"] for n in range(400)
    ]
    out = io.StringIO()
    csv.writer(out).writerows([["item_id", "input", "output", "person", "pronouns"], *rows])
    project.write("items.csv", out.getvalue())
    setup(project, judge(noise=0.3), [GENDER])
    text = (project.folder / "audit.toml").read_text().replace("[probes]", "[probes]\nnum_test_pairs = 400")
    project.write("audit.toml", text)
    summary = run(project)
    assert dimension(summary, GENDER)["status"] == "clear"
    competence(project, "[bias_gate]\nstore = 'audit.toml'\n")
    admitted, refused = prepare(load_config(project.folder / "competence.toml"), project_root()).admitted
    assert admitted.run_id == summary["run_id"] and not admitted.problems
    assert refused.problems
    competence(project, "[bias_gate]\nstore = 'audit.toml'\ndimensions = ['demographic', 'length']\n")
    admitted, _ = prepare(load_config(project.folder / "competence.toml"), project_root()).admitted
    assert "length not audited" in admitted.problems[0]
    project.write("a.json", judge(noise=0.31))  # another judge
    admitted, _ = prepare(load_config(project.folder / "competence.toml"), project_root()).admitted
    assert "no complete judge-bias audit of this judge as it is now" in admitted.problems[0]


# A person's signature


def test_high_stakes_need_a_signature_and_it_can_be_withdrawn(project: Project) -> None:
    setup(project, judge(), ["length"], more="[decision]\nhigh_stakes = true\n")
    run(project)
    assert "not signed off" in project.invoke("run", "audit.toml", "--gate").output
    refused = project.invoke("signoff", "--by", " ", "--reason", "looked", "--yes")
    assert refused.exit_code == 2 and "a name and a reason" in refused.output
    told = project.ok("signoff", "--by", "Ada <b>", "--reason", "pairs are sound", "--yes")
    assert "signed off by Ada" in told
    assert "not signed off" not in project.invoke("run", "audit.toml", "--gate").output
    signed = json.loads(project.ok("report", "--format", "json"))["signed"]
    assert signed["by"] == "Ada <b>" and len(signed["report_sha256"]) == 64
    assert "Ada &lt;b&gt;" in project.ok("report", "--format", "html")
    project.ok("signoff", "--by", "Ada", "--reason", "a pair was wrong", "--withdraw", "--yes")
    assert "not signed off" in project.invoke("run", "audit.toml", "--gate").output
    again = project.invoke("signoff", "--by", "Ada", "--reason", "x", "--withdraw", "--yes")
    assert again.exit_code == 2 and "not signed" in again.output
    asked = project.invoke("signoff", "--by", "Ada", "--reason", "x", stdin="n\n")
    assert asked.exit_code == 2 and "Sign these findings" in asked.output
    assert project.one("SELECT count(*) FROM events WHERE kind LIKE 'sign%'") == 2


def test_the_baseline_is_read_and_never_invented(project: Project) -> None:
    setup(project, judge(), ["length"])
    first = run(project)
    assert json.loads(project.ok("runs", "prior")) == {"scripted:planted:a.json": None}
    setup(project, judge(noise=0.6), ["length"])
    run(project)
    prior = json.loads(project.ok("runs", "prior"))["scripted:planted:a.json"]
    assert prior["run_id"] == first["run_id"]
    assert prior["means"] == {"length": dimension(first, "length")["analysis"]["mean"]["value"]}


def test_runs_that_cannot_be_compared_say_why(project: Project) -> None:
    setup(project, judge(), ["length"])
    one = run(project)["run_id"]
    setup(project, judge(), ["position"], 'mode = "pairwise"', "pairs.toml")
    two = run(project, "pairs.toml")["run_id"]
    result = project.invoke("runs", "compare", one, two)
    assert result.exit_code == 2 and "another mode or scale" in result.output
