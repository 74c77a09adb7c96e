from __future__ import annotations

import json
import re

import pytest
from projects import Project, rows

from appliance.config import load_config


def test_what_it_writes_is_a_configuration_that_runs(project: Project) -> None:
    project.records(rows(2), 'my "best" récords\\x.csv')
    assert project.ok("init", "competence", "--input", 'my "best" récords\\x.csv') == "audit.toml\n"
    config = load_config(project.folder / "audit.toml")
    assert config.resolve(config.input.path) == project.folder / 'my "best" récords\\x.csv'
    text = (project.folder / "audit.toml").read_text("utf-8")
    for real, scripted in (("smollm2-135m", "scripted:keywords"), ("gemma3-270m", "scripted:silent")):
        assert real in text
        text = text.replace(real, scripted)
    project.write("audit.toml", text)
    assert json.loads(project.ok("run", "audit.toml", "--json"))["n_records"] == 2


def test_its_values_are_the_defaults(project: Project) -> None:
    """What the file says of a setting must not depart from what leaving it out means."""
    project.ok("init", "competence")
    written = load_config(project.folder / "audit.toml")
    a, b = written.judges.a, written.judges.b
    text = f"audit = 'competence'\n[input]\npath = 'records.csv'\n[judges]\na = '{a}'\nb = '{b}'\n"
    bare = load_config(project.write("bare.toml", text))
    assert written.divergence == bare.divergence
    assert written.limits == bare.limits
    assert written.competence.reason_words == bare.competence.reason_words
    assert written.store == bare.store


def test_every_commented_setting_is_a_setting(project: Project) -> None:
    project.ok("init", "competence")
    text = (project.folder / "audit.toml").read_text("utf-8")
    lines = [line[2:] if line.startswith("# ") and " = " in line else line for line in text.splitlines()]
    assert "\nlabels = " in "\n".join(lines)
    load_config(project.write("all.toml", "\n".join(lines)))


def test_it_never_overwrites(project: Project) -> None:
    project.write("audit.toml", "mine")
    result = project.invoke("init", "competence")
    assert result.exit_code == 2
    assert "audit.toml exists already" in result.stderr
    assert (project.folder / "audit.toml").read_text("utf-8") == "mine"


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["competence", "--input", "nowhere.csv"], "nowhere.csv: no such file"),
        (["competence", "file/audit.toml"], "cannot be written"),
        (["competence", "."], "exists already"),
        (["competence", "--input", "caf\udce9.csv"], "the name is not UTF-8"),
        (["competance"], "'competance' is not one of 'competence', 'judge-bias', 'intersectional'"),
    ],
)
def test_what_cannot_be_is_refused_and_leaves_nothing(
    project: Project, arguments: list[str], expected: str
) -> None:
    project.write("file", "")
    project.write("caf\udce9.csv", "")
    before = sorted(project.folder.iterdir())
    result = project.invoke("init", *arguments)
    assert result.exit_code == 2
    assert expected in result.stderr
    assert sorted(project.folder.iterdir()) == before


def test_a_judge_bias_configuration_runs_as_it_is_written(project: Project) -> None:
    lines = ["item_id,input,output,quality"]
    for n in range(24):
        lines += [f"g{n},Task {n},It is done well. It does not fail.,good"]
        lines += [f"b{n},Task {n},It is not done. It does not work.,bad"]
    project.write("items.csv", "\n".join(lines) + "\n")
    project.write("p.json", "{}")
    project.ok("init", "judge-bias")
    text = (project.folder / "audit.toml").read_text("utf-8")
    text = text.replace('"smollm2-135m"', '"scripted:planted:p.json"').replace('b = "gemma3-270m"', "")
    project.write("audit.toml", text)
    found = json.loads(project.ok("run", "audit.toml", "--json"))
    assert found["status"] == "complete" and len(found["targets"][0]["dimensions"]) >= 12
    bare = load_config(
        project.write("bare.toml", "audit = 'judge-bias'\n[input]\npath = 'items.csv'\n[judges]\na = 'x'\n")
    )
    written = load_config(project.folder / "audit.toml")
    assert (written.decision, written.probes, written.repeats) == (bare.decision, bare.probes, bare.repeats)


@pytest.mark.parametrize("audit", ["judge-bias", "intersectional"])
def test_every_commented_setting_of_the_other_audits_is_a_setting(project: Project, audit: str) -> None:
    project.ok("init", audit)
    text = (project.folder / "audit.toml").read_text("utf-8")
    load_config(project.folder / "audit.toml")
    shown, count = re.subn(r"(?m)^# (?=\[\w+\]|\w+ = )", "", text)
    assert count > 12
    # A model has one source; the others are alternatives.
    shown = re.sub(r"(?m)^(endpoint|command|responses) = .*$", "", shown)
    load_config(project.write("all.toml", shown))
