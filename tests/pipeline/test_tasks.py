"""What makes a question a new one, and what does not."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from projects import Project, Row, rows

ROOT = Path(__file__).parents[2]


@pytest.fixture
def asked(project: Project) -> Project:
    """Two records, judged by both."""
    project.records(rows(2))
    project.config()
    project.ok("run", "audit.toml")
    return project


def new_questions(project: Project, **config: str) -> int:
    before = project.one("SELECT count(*) FROM attempts")
    project.config(**config)
    project.ok("run", "audit.toml")
    return int(project.one("SELECT count(*) FROM attempts")) - before


def change(project: Project, **values: str) -> None:
    made = rows(2)
    made[0].update({name.replace("_gender", ".gender"): value for name, value in values.items()})
    project.records(made)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("text", "Ana Ruiz left."),
        ("context", "Nothing is known."),
        ("identity_signal", "pronouns: she/her"),
        ("identity_dimensions", "age"),
        ("scoring_rubric", "Be strict."),
    ],
)
def test_what_a_judge_reads_of_a_record_makes_its_question_new(
    asked: Project, field: str, value: str
) -> None:
    change(asked, **{field: value})
    assert new_questions(asked) == 2, "one record, two judges"


@pytest.mark.parametrize("field", ["record_id", "template_id", "note"])
def test_what_no_judge_reads_makes_a_new_run_without_a_new_question(asked: Project, field: str) -> None:
    change(asked, **{field: "x"})
    assert new_questions(asked) == 0
    assert asked.one("SELECT count(*) FROM runs") == 2


@pytest.mark.parametrize(
    "more",
    ["[competence]\nreason_words = 9", "[competence]\nidentity_dimensions = ['age']"],
)
def test_what_the_reply_may_hold_is_part_of_the_question(asked: Project, more: str) -> None:
    assert new_questions(asked, more=more) == 4


def test_seed_is_part_of_the_question(asked: Project) -> None:
    assert new_questions(asked, b="silent'\nseed = 2 #") == 4


def test_temperatures_of_retries_are_part_of_their_questions(project: Project) -> None:
    project.records(rows(2))
    project.config("flaky")
    project.ok("run", "audit.toml")
    more = "[competence]\nretry_temperatures = [0.3, 0.4]"
    assert new_questions(project, a="flaky", more=more) == 2, "the greedy first attempts are known"


def test_a_changed_prompt_file_asks_anew(asked: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copytree(ROOT / "prompts", asked.folder / "home" / "prompts")
    monkeypatch.setenv("APPLIANCE_HOME", str(asked.folder / "home"))
    assert new_questions(asked) == 0, "the same prompt elsewhere"
    prompt = asked.folder / "home" / "prompts" / "competence" / "v1.md"
    prompt.write_text(prompt.read_text("utf-8").replace("Audit the text below", "Audit this text"), "utf-8")
    assert new_questions(asked) == 4


def test_a_change_in_the_repair_section_alone_asks_anew_too(
    asked: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copytree(ROOT / "prompts", asked.folder / "home" / "prompts")
    monkeypatch.setenv("APPLIANCE_HOME", str(asked.folder / "home"))
    prompt = asked.folder / "home" / "prompts" / "competence" / "v1.md"
    prompt.write_text(prompt.read_text("utf-8").replace("Audit the text again", "Do it again"), "utf-8")
    assert new_questions(asked) == 4, "the judge's fingerprint covers the whole file"


def test_another_judge_is_asked_itself(asked: Project) -> None:
    assert new_questions(asked, b="loud") == 2
    labels = dict(asked.sql("SELECT judge, labels FROM verdicts WHERE record_id = 'r1'"))
    assert "DOWNGRADE" in labels["scripted:loud"] or "QUALIFICATION_DIFFERENCE" in labels["scripted:loud"]
    assert "NO_CLAIM" in labels["scripted:silent"]


def test_no_answer_crosses_judges(asked: Project) -> None:
    assert asked.sql(
        "SELECT count(*) FROM verdicts v JOIN tasks t USING (task_id) WHERE t.fingerprint != v.fingerprint"
    ) == [(0,)]
    assert asked.one("SELECT count(DISTINCT fingerprint) FROM tasks") == 2
    assert asked.one("SELECT count(*) FROM attempts") == 4


def test_judges_in_the_other_order_are_not_asked_again(asked: Project) -> None:
    assert new_questions(asked, a="silent", b="keywords") == 0
    names = asked.sql(
        "SELECT r.run_id, group_concat(j.name) FROM run_judges r JOIN judges j USING (fingerprint) "
        "GROUP BY r.run_id ORDER BY r.rowid"
    )
    assert len({run_id for run_id, _ in names}) == 2


def test_other_rules_of_divergence_are_a_new_run_without_calls(asked: Project) -> None:
    assert asked.one("SELECT sum(divergent) FROM divergences") == 1
    lenient = "[divergence]\nflag_disagreement = false\nseverity_steps = 3\nlabel_agreement = 0"
    assert new_questions(asked, more=lenient) == 0
    latest = asked.sql("SELECT run_id FROM runs ORDER BY rowid DESC")[0]
    assert asked.sql("SELECT reasons FROM divergences WHERE run_id = ? AND record_id = 'r1'", latest) == [
        ("[]",)
    ]


def test_the_store_grows_with_records(asked: Project) -> None:
    made: list[Row] = rows(3)
    asked.records(made)
    assert new_questions(asked) == 2
