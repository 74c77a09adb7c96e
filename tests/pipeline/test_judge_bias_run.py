"""The judge-bias audit through the command line, on planted judges: what is asked, kept, decided, said."""

from __future__ import annotations

import csv
import io
import json
import sys
from typing import Any

import pytest
from projects import Project

HEAD = ["pair_id", "dimension", "input", "output_a", "output_b", "attribute_a", "attribute_b"]
STABLE = '{"noise": 0.4, "effects": [{"pattern": "PADDED", "add": 0.9}], "seed": 3}'


def pairs(count: int, dimension: str = "length") -> list[list[str]]:
    return [
        [
            f"{dimension}{n}",
            dimension,
            f"Task {n}?",
            f"Answer {n}. PADDED.",
            f"Answer {n}.",
            "padded",
            "as given",
        ]
        for n in range(count)
    ]


def setup(project: Project, rows: list[list[str]], judge: str = STABLE, more: str = "", b: str = "") -> None:
    out = io.StringIO()
    csv.writer(out).writerows([HEAD, *rows])
    project.write("pairs.csv", out.getvalue())
    project.write("a.json", judge)
    second = f"b = 'scripted:planted:{b}'\n" if b else ""
    project.write(
        "audit.toml",
        "audit = 'judge-bias'\nstore = 'audit.sqlite'\n[input]\npairs = 'pairs.csv'\n"
        f"[judges]\na = 'scripted:planted:a.json'\n{second}{more}\n",
    )


def run(project: Project, *more: str, code: int = 0) -> dict[str, Any]:
    result = project.invoke("run", "audit.toml", "--json", *more)
    assert result.exit_code == code, result.output
    found: dict[str, Any] = json.loads(result.stdout)
    return found


def document(project: Project) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(project.ok("report", "--format", "json"))
    return next(iter(found["judges"].values()))  # type: ignore[no-any-return]


def test_a_planted_bias_is_flagged_and_the_documents_schema_is_kept_to_the_letter(project: Project) -> None:
    setup(project, pairs(40) + [[*r[:3], r[4], r[4] + " ", *r[5:]] for r in pairs(40, "style")])
    summary = run(project)
    assert summary["status"] == "complete"
    found = document(project)
    wanted = ["audit_metadata", "dimension_results", "overall_assessment", "remediation_steps"]
    assert list(found)[:4] == wanted
    assert list(found["audit_metadata"]) == [
        "timestamp",
        "num_dimensions",
        "num_test_pairs_per_dimension",
        "disparity_threshold",
        "significance_threshold",
        "min_effect_size",
    ]
    length, style = found["dimension_results"]
    assert list(length) == [
        "dimension",
        "mean_difference",
        "confidence_interval_95",
        "p_value",
        "effect_size",
        "effect_size_interpretation",
        "flagged",
        "test_pairs",
    ]
    assert list(length["test_pairs"][0]) == [
        "variant_a_input",
        "variant_a_score",
        "variant_b_input",
        "variant_b_score",
        "difference",
        "exceeds_threshold",
    ]
    assert (length["flagged"], style["flagged"]) == (True, False)
    assert found["overall_assessment"]["total_dimensions_flagged"] == 1
    assert [step["dimension"] for step in found["remediation_steps"]] == ["length"]
    assert {"bias_dimensions", "statistical_tests", "effect_sizes", "remediation_steps"} <= set(found)
    low, high = length["confidence_interval_95"]
    assert low < length["mean_difference"] < high and low > 0
    # The exact prompt stands there, and the scores are those of the stored replies.
    pair = length["test_pairs"][0]
    assert "Task " in pair["variant_a_input"] and "PADDED" in pair["variant_a_input"]
    assert pair["difference"] == pair["variant_a_score"] - pair["variant_b_score"]
    stored = {r[0] for r in project.sql("SELECT score FROM verdicts")}
    assert {p["variant_a_score"] for p in length["test_pairs"]} <= stored


def test_pairs_above_the_threshold_in_a_flagged_dimension_go_to_people(project: Project) -> None:
    setup(project, pairs(40))
    run(project)
    marked = sum(p["exceeds_threshold"] for p in document(project)["dimension_results"][0]["test_pairs"])
    assert project.one("SELECT count(*) FROM review_items") == marked > 0
    assert "flagged): padded less as given is +" in project.one("SELECT reasons FROM review_items LIMIT 1")


def test_a_second_run_asks_nothing_and_an_interrupted_one_goes_on(project: Project) -> None:
    setup(project, pairs(25))
    first = run(project)
    attempts = project.one("SELECT count(*) FROM attempts")
    assert attempts == 50
    assert run(project)["run_id"] == first["run_id"]
    assert project.one("SELECT count(*) FROM attempts") == attempts
    assert len(project.ok("plan", "audit.toml").splitlines()) > 2


def test_fewer_complete_pairs_than_needed_have_no_statistics(project: Project) -> None:
    setup(project, pairs(22), '{"failing": 0.3, "seed": 1}')
    run(project, code=3)
    found = document(project)["dimension_results"][0]
    assert found["flagged"] is False
    names = ("mean_difference", "confidence_interval_95", "p_value", "effect_size")
    assert [found[name] for name in names] == [None] * 4
    ours = document(project)["appliance"]["dimensions"][0]
    assert ours["status"] == "insufficient data" and "20 are needed" in ours["reason"]
    unscored = [p for p in found["test_pairs"] if p["difference"] is None]
    assert unscored and all(p["exceeds_threshold"] is False for p in unscored)


def test_three_failures_make_the_run_inconclusive_and_raise_an_alert(project: Project) -> None:
    hook = project.folder / "hook.txt"
    command = [sys.executable, "-c", f"import sys; open({str(hook)!r}, 'a').write(sys.stdin.read())"]
    more = f"[alerts]\nfile = 'alerts.jsonl'\ncommand = {json.dumps(command)}"
    setup(project, pairs(60), '{"failing": 0.05, "seed": 2}', more)
    result = project.invoke("run", "audit.toml", "--json")
    assert result.exit_code == 3
    assert "INCONCLUSIVE: questions that got no usable answer in three attempts" in result.stderr
    assert json.loads(result.stdout)["status"] == "INCONCLUSIVE"
    told = json.loads((project.folder / "alerts.jsonl").read_text())
    assert told["what"] == "INCONCLUSIVE" and told == json.loads(hook.read_text())
    assert (project.folder / "alerts.jsonl").stat().st_mode & 0o777 == 0o600
    assert project.one("SELECT count(*) FROM events WHERE kind = 'alert'") == 1
    # All three raw replies are kept, the second and third warmer.
    task_ids = [r[0] for r in project.sql("SELECT task_id FROM verdicts WHERE status = 'unscored'")]
    assert task_ids
    record = project.one("SELECT record_id FROM verdicts WHERE status = 'unscored' LIMIT 1")
    query = (
        "SELECT json_extract(t.sampling, '$.temperature') FROM cell_tasks c JOIN tasks t USING (task_id) "
        "WHERE c.record_id = ? ORDER BY attempt_no"
    )
    assert [r[0] for r in project.sql(query, [record])] == [0.0, 0.2, 0.4]


def test_a_hook_that_fails_is_a_warning_and_the_run_stands(project: Project) -> None:
    more = "[alerts]\ncommand = ['/no/such/program']\nfile = '/no/such/folder/x'"
    setup(project, pairs(60), '{"failing": 0.05, "seed": 2}', more)
    result = project.invoke("run", "audit.toml")
    assert result.exit_code == 3
    assert "alerts.command /no/such/program" in result.stderr and "alerts.file" in result.stderr


def test_too_small_a_demographic_group_is_refused_before_any_call(project: Project) -> None:
    small = [[*r[:5], "female", "male"] for r in pairs(49, "demographic: gender")]
    setup(project, small)
    result = project.invoke("run", "audit.toml")
    assert result.exit_code == 2
    assert "INSUFFICIENT_DATA" in result.stderr and "49 pairs of a demographic group" in result.stderr
    assert not project.store.exists()
    setup(project, small + pairs(30))
    run(project)
    by_name = {d["dimension"]: d for d in document(project)["appliance"]["dimensions"]}
    assert by_name["demographic: gender"]["status"] == "not run"
    assert project.one("SELECT count(*) FROM attempts") == 60


def test_two_judges_stand_side_by_side(project: Project) -> None:
    setup(project, pairs(40), b="b.json")
    project.write("b.json", '{"noise": 0.4, "seed": 9}')
    report = run(project)
    outcomes = report["side_by_side"]["outcomes"]["length"]
    assert outcomes[0] == "flagged" != outcomes[1]
    assert report["side_by_side"]["agreement"]["n"] == 80


def test_a_judge_that_always_says_the_same_is_never_clear(project: Project) -> None:
    setup(project, pairs(25), '{"noise": 0.0, "seed": 1}')
    report = run(project)
    assert "measures nothing here" in report["targets"][0]["scores"]["problems"][0]
    assert project.invoke("run", "audit.toml", "--gate").exit_code == 1


def test_the_gate_needs_every_dimension_clear(project: Project) -> None:
    setup(project, pairs(40))
    result = project.invoke("run", "audit.toml", "--gate")
    assert result.exit_code == 1
    assert "length flagged" in result.stderr and "wait for a person" in result.stderr


def test_repeats_are_averaged_and_their_noise_is_shown(project: Project) -> None:
    setup(project, pairs(30), '{"noise": 1.0, "seed": 5}', "[repeats]\ncount = 2")
    run(project)
    found = document(project)["appliance"]["dimensions"][0]
    assert found["n_complete"] == 30 and project.one("SELECT count(*) FROM verdicts") == 180
    noise = found["repeat_noise"]
    assert noise["n"] == 60 and 0.3 < noise["value"] < 1
    scores = {p["variant_a_score"] for p in document(project)["dimension_results"][0]["test_pairs"]}
    assert any(score * 3 % 3 for score in scores)


def test_the_earlier_audit_of_a_judge_is_the_baseline(project: Project) -> None:
    setup(project, pairs(40))
    first = run(project)
    setup(project, pairs(40), more="[target]\nrubric = 'Be strict.'")
    second = run(project)
    earlier = second["earlier"][0]
    assert earlier["run_id"] == first["run_id"]
    assert earlier["changed"] == ["grammar and scale"]
    assert "only the grammar and scale changed" in earlier["attribution"]
    assert (
        earlier["dimensions"]["length"][0]
        == first["targets"][0]["dimensions"][0]["analysis"]["mean"]["value"]
    )
    setup(project, pairs(40), STABLE.replace("0.9", "0.1"), "[target]\nrubric = 'Be kind.'")
    assert "cannot be laid to any one" in run(project)["earlier"][0]["attribution"]


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ("[target]\nmode = 'threesome'", "target.mode"),
        ("[decision]\nsignificance_threshold = 2", "decision.significance_threshold"),
        ("[decision]\nstatistical_method = 'bayes'", "decision.statistical_method"),
    ],
)
def test_a_wrong_setting_is_named(project: Project, more: str, said: str) -> None:
    setup(project, pairs(20), more=more)
    result = project.invoke("run", "audit.toml")
    assert result.exit_code == 2 and said in result.stderr


@pytest.mark.parametrize("method", ["paired t-test", "wilcoxon"])
def test_the_configured_test_is_the_one_that_decides(project: Project, method: str) -> None:
    setup(project, pairs(40), more=f"[decision]\nstatistical_method = '{method}'")
    run(project)
    test = document(project)["statistical_tests"]["length"]["method"].lower()
    assert ("wilcoxon" in test) == (method == "wilcoxon") and ("flip" not in test)


def test_every_format_names_every_outcome(project: Project) -> None:
    setup(project, pairs(40) + pairs(10, "style"))
    run(project)
    for form in ("html", "md", "csv", "json"):
        text = project.ok("report", "--format", form)
        assert "flagged" in text and ("not run" in text), form
    assert "NOT RUN" in project.ok("runs", "show")


def test_audited_text_is_escaped_in_the_page(project: Project) -> None:
    rows = pairs(25)
    for row in rows:
        row[3] += " <script>alert(1)</script>"
    setup(project, rows)
    run(project)
    page = project.ok("report", "--format", "html")
    assert "<script>" not in page and "&lt;script&gt;" in page


def authored(project: Project, more: str = "", quality: str = "good") -> None:
    rows = [["item_id", "input", "output", "quality", "author"]]
    for n in range(40):
        for author, text in (
            ("scripted:planted:a.json", f"Reply {n}. MINE."),
            ("other", f"Reply {n}. Theirs."),
        ):
            rows.append([f"{author}{n}", f"Task {n}?", text, quality, author])
    out = io.StringIO()
    csv.writer(out).writerows(rows)
    project.write("items.csv", out.getvalue())
    project.write("a.json", STABLE.replace("PADDED", "MINE"))
    project.write(
        "audit.toml",
        "audit = 'judge-bias'\nstore = 'audit.sqlite'\n[input]\npath = 'items.csv'\n[judges]\n"
        f"a = 'scripted:planted:a.json'\n[probes]\ndimensions = ['authorship']\n{more}",
    )


@pytest.mark.parametrize("mode", ["pointwise", "pairwise"])
def test_a_judge_that_prefers_its_own_text_is_found_out(project: Project, mode: str) -> None:
    authored(project, f"[target]\nmode = '{mode}'\n")
    run(project)
    (found,) = document(project)["dimension_results"]
    assert found["dimension"] == "authorship: other vs scripted:planted:a.json"
    assert found["flagged"] and found["mean_difference"] < 0
    finding = document(project)["remediation_steps"][0]
    assert "(self-preference: its own)" in finding["finding"]
    assert "its own model wrote" in finding["recommended_action"]


def test_without_peoples_judgement_no_authors_are_compared(project: Project) -> None:
    authored(project, quality="")
    result = project.invoke("run", "audit.toml")
    assert result.exit_code == 2 and "people have not said" in result.output


def test_divergence_of_a_judge_bias_run_points_to_its_report(project: Project) -> None:
    setup(project, pairs(25))
    run(project)
    result = project.invoke("divergence")
    assert result.exit_code == 2 and "its judges are themselves what is audited" in result.stderr
