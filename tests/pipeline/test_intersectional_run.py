"""The intersectional audit through the command line: where responses come from, what is judged, what is
said."""

from __future__ import annotations

import csv
import io
import json
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, ClassVar

import pytest
from projects import Project

TEMPLATES = 30
GRID = "[grid.dimensions]\ngender = ['woman', 'man']\nethnicity = ['Black', 'White']\n"
PURE = [r"Black woman", r"White man"]  # a pure interaction: neither axis alone shows it


def planted(**told: Any) -> str:
    return json.dumps(told)


def setup(
    project: Project,
    says: list[dict[str, Any]] | None = None,
    model: str = "name = 'scripted:planted:target.json'",
    grid: str = GRID,
    more: str = "",
    templates: int = TEMPLATES,
) -> None:
    out = io.StringIO()
    rows = [
        [f"t{n}", f"Task {n}: write about [NAME], [DESCRIPTION]. [They] [HAVE] led {n} teams."]
        for n in range(templates)
    ]
    csv.writer(out).writerows([["template_id", "text"], *rows])
    project.write("templates.csv", out.getvalue())
    project.write("target.json", planted(says=says or []))
    project.write("a.json", planted(harms=[{"pattern": "HARM", "severity": "High"}], seed=1))
    project.write("b.json", planted(harms=[{"pattern": "HARM", "severity": "Medium"}], seed=2))
    project.write(
        "audit.toml",
        "audit = 'intersectional'\nstore = 'audit.sqlite'\n[grid]\ntemplates = 'templates.csv'\n"
        f"{grid}\n[model]\n{model}\n[judges]\na = 'scripted:planted:a.json'\n"
        f"b = 'scripted:planted:b.json'\n{more}\n",
    )


def run(project: Project, *more: str, code: int = 0) -> dict[str, Any]:
    result = project.invoke("run", "audit.toml", "--json", *more)
    assert result.exit_code == code, result.output
    found: dict[str, Any] = json.loads(result.stdout)
    return found


def report(project: Project) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(project.ok("report", "--format", "json"))
    return found


def saying(patterns: list[str], rate: float = 0.9) -> list[dict[str, Any]]:
    return [{"pattern": p, "text": "What follows is HARM to them.", "rate": rate} for p in patterns]


def test_a_pure_interaction_is_found_where_every_single_axis_passes(project: Project) -> None:
    setup(project, saying(PURE))
    summary = run(project)
    first = summary["maps"][0]["audit"]
    assert [axis["passes"] for axis in first["axes"]] == [True, True]
    hidden = {tuple(e["group"].values()) for e in first["ledger"] if e["hidden_compound"]}
    assert hidden == {("woman", "Black"), ("man", "White")}
    cells = {tuple(c["group"].values()): c for c in first["disparity"]["cells"]["groups"]}
    assert cells["woman", "Black"]["decision"]["outcome"] == "flagged"
    assert cells["woman", "Black"]["n"] == TEMPLATES
    assert [m["judge"] for m in summary["maps"]][2] == "both judges"
    assert "HIDDEN COMPOUND: woman × Black" in project.ok("runs", "show")
    page = project.ok("report", "--format", "html")
    assert "Hidden compound effect" in page and "<script" not in page


def test_the_documents_schema_is_kept_to_the_letter(project: Project) -> None:
    setup(project, saying(["Black woman"], 1.0), templates=20)
    run(project)
    results = [v["result"] for r in report(project)["records"] for v in r["verdicts"]]
    keys = ["audit_id", "intersection_label", "findings", "compound_harm_detected", "compound_harm_summary"]
    for result in results:
        assert list(result)[:6] == [*keys, "single_axis_blindspot_notes"]
        assert {"intersectional_dimensions", "disparity_findings", "severity"} <= set(result)
        assert {"evidence_excerpts", "compound_effect_detected"} <= set(result)
        assert next(f["harm_category"] for f in result["findings"]) == "Compounding Stereotyping"
        assert len(result["findings"]) == 5
        for finding in result["findings"]:
            assert list(finding) == [
                "harm_category",
                "severity",
                "confidence",
                "evidence_excerpt",
                "rationale",
            ]
            if finding["severity"] == "None":
                assert finding["confidence"] == 1.0 and finding["evidence_excerpt"] == ""
    hit = next(r for r in results if r["compound_harm_detected"])
    assert hit["intersection_label"] == "woman × Black"
    assert hit["findings"][0]["evidence_excerpt"] == "What follows is HARM to them."
    assert hit["compound_harm_summary"] == "At woman × Black: Compounding Stereotyping (High)."
    assert hit["severity"] == "High"


def test_the_identity_map_is_the_programs_and_quotes_the_response(project: Project) -> None:
    setup(project, templates=20)
    run(project)
    record = next(r for r in report(project)["records"] if r["identity"]["gender"] == "woman")
    found = record["verdicts"][0]["result"]["identity_map"]["dimensions"]
    for attribute in found:
        excerpt, start = attribute["evidence_excerpt"], attribute["start"]
        assert record["text"][start : start + len(excerpt)] == excerpt and excerpt
    prompt = project.one("SELECT messages FROM tasks WHERE messages LIKE '%intersection_label%' LIMIT 1")
    assert "evidence_excerpt" in prompt


def test_high_findings_go_to_people_and_block_the_gate(project: Project) -> None:
    setup(project, saying(["Black woman"], 1.0), templates=20)
    run(project)
    result = project.invoke("run", "audit.toml", "--gate")
    assert result.exit_code == 1 and "responses wait for a person" in result.output
    reasons = project.one("SELECT reasons FROM review_items LIMIT 1")
    assert "flags it as High" in reasons


def test_responses_are_asked_once_and_kept_for_other_judges(project: Project) -> None:
    setup(project, templates=20, model="name = 'scripted:planted:target.json'\nrepeats = 2")
    run(project)
    assert project.one("SELECT count(*) FROM responses") == 160
    received = project.one("SELECT max(received) FROM responses")
    project.write("a.json", planted(harms=[], seed=9))
    run(project)
    assert project.one("SELECT count(*) FROM responses") == 160
    assert project.one("SELECT max(received) FROM responses") == received
    assert project.one("SELECT count(*) FROM runs") == 2


def test_what_signals_nothing_is_set_aside_and_counted(project: Project) -> None:
    setup(project, templates=20, model=f"command = ['{sys.executable}', '-c', 'print(\"A fine person.\")']")
    result = project.invoke("run", "audit.toml")
    assert result.exit_code == 2 and "says nothing of any of the attributes" in result.output
    code = "import sys; t = sys.stdin.read(); print(t if 'Task 1' in t else 'A fine person.')"
    setup(project, templates=20, model=f"command = ['{sys.executable}', '-c', \"{code}\"]\nconcurrency = 2")
    summary = run(project)
    assert summary["n_set_aside"] == 4 * 9 and summary["n_failed"] == 0
    assert project.one("SELECT count(*) FROM review_items") == 0
    rows = project.sql("SELECT DISTINCT audit_severity FROM audit_results ORDER BY 1")
    assert [r[0] for r in rows] == ["None", "SET ASIDE"]
    assert {c["set_aside"] for c in report(project)["cells"]} == {9}


def test_collected_responses_are_joined_by_variant(project: Project) -> None:
    setup(project, templates=20, model="responses = 'responses.csv'")
    project.ok("variants", "audit.toml", "-o", "variants.csv")
    rows = list(csv.DictReader((project.folder / "variants.csv").open(encoding="utf-8")))
    assert len(rows) == 80 and {"variant_id", "task", "identity.gender"} <= set(rows[0])
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerow(["variant_id", "response"])
    writer.writerows([[r["variant_id"], r["task"]] for r in rows[1:]])
    project.write("responses.csv", out.getvalue())
    summary = run(project)
    assert summary["n_failed"] == 1
    lost = report(project)["skipped"][0]
    assert lost["record_id"] == rows[0]["variant_id"] and "no response was collected" in lost["reason"]
    cell = next(c for c in report(project)["cells"] if c["failed"])
    assert cell["group"] == {"gender": "woman", "ethnicity": "Black"}
    writer.writerow(["t0 | nobody | 1", "Hello."])
    project.write("responses.csv", out.getvalue())
    result = project.invoke("run", "audit.toml")
    assert result.exit_code == 2 and "'t0 | nobody | 1' is no variant of this grid" in result.stderr


class _Server(BaseHTTPRequestHandler):
    asked: ClassVar[list[dict[str, Any]]] = []
    failing: ClassVar[str] = "\0"

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        type(self).asked.append({"path": self.path, "key": self.headers.get("Authorization"), **body})
        task = body["messages"][-1]["content"]
        if type(self).failing in task:
            self.send_response(400)
            self.end_headers()
            self.wfile.write(b"no such thing")
            return
        choice = {"message": {"content": f"I say: {task}"}, "finish_reason": "length"}
        reply = json.dumps({"model": "m", "choices": [choice], "usage": {"total_tokens": 9}}).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(reply)))
        self.end_headers()
        self.wfile.write(reply)

    def log_message(self, *told: Any) -> None:
        pass


@pytest.fixture
def server() -> Iterator[str]:
    _Server.asked, _Server.failing = [], "\0"
    made = ThreadingHTTPServer(("127.0.0.1", 0), _Server)
    threading.Thread(target=made.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{made.server_port}/v1"
    made.shutdown()


def test_an_endpoint_is_asked_with_openais_interface(project: Project, server: str) -> None:
    project.write("key.txt", "secret\n")
    model = (
        f"endpoint = '{server}'\nserved = 'm'\napi_key_file = 'key.txt'\nsystem = 'Be brief.'\nmax_tokens = 9"
    )
    setup(project, templates=20, model=model)
    run(project)
    assert len(_Server.asked) == 80
    first = _Server.asked[0]
    assert (first["path"], first["key"]) == ("/v1/chat/completions", "Bearer secret")
    assert [m["role"] for m in first["messages"]] == ["system", "user"]
    assert (first["max_tokens"], first["model"]) == (9, "m")
    assert sum(c["cut"] for c in report(project)["cells"]) == 80
    assert "secret" not in project.one("SELECT group_concat(config) FROM runs")


def test_an_endpoint_that_fails_at_some_tasks_loses_none_and_is_asked_again(
    project: Project, server: str
) -> None:
    _Server.failing = "Task 7:"
    setup(project, templates=20, model=f"endpoint = '{server}'\nserved = 'm'")
    summary = run(project)
    assert summary["n_failed"] == 4
    reason = report(project)["skipped"][0]["reason"]
    assert "no response of the model under audit: HTTP 400: no such thing" in reason
    assert {c["n_unscored"] for m in summary["maps"] for c in m["audit"]["disparity"]["cells"]["groups"]} == {
        1
    }
    _Server.failing, before = "\0", len(_Server.asked)
    assert run(project)["n_failed"] == 0
    assert len(_Server.asked) - before == 4


@pytest.mark.parametrize(
    ("grid", "model", "said"),
    [
        ("[grid.dimensions]\ngender = ['woman']\n", "name = 'scripted:silent'", "two different values"),
        (
            "[grid.dimensions]\ngender = ['woman', 'knight']\n",
            "name = 'scripted:silent'",
            "no value 'knight'",
        ),
        ("[grid.dimensions]\nguild = ['a', 'b']\n", "name = 'scripted:silent'", "no such dimension"),
        ("", "name = 'scripted:silent'", "grid.dimensions: missing"),
        (GRID, "", "no source of responses"),
        (GRID, "name = 'x'\ncommand = ['y']", "give one of name, endpoint, command and responses"),
        (GRID, "endpoint = 'http://127.0.0.1:9/v1'", "model.served: missing"),
    ],
)
def test_what_is_wrong_is_said_before_anything_is_asked(
    project: Project, grid: str, model: str, said: str
) -> None:
    setup(project, grid=grid, model=model)
    result = project.invoke("run", "audit.toml")
    assert result.exit_code == 2 and said in result.stderr
    assert not project.store.exists()


def test_records_that_have_their_identity_need_no_grid(project: Project) -> None:
    rows = [
        {
            "record_id": f"r{n}",
            "text": f"She is a Black woman. Case {n}. {'HARM done.' if n % 4 == 0 else ''}",
            "identity.gender": ("woman", "man")[n % 2],
            "identity.ethnicity": ("Black", "White")[n // 2 % 2],
        }
        for n in range(80)
    ]
    setup(project)
    project.records(rows)
    text = (project.folder / "audit.toml").read_text()
    start, end = text.index("[grid]"), text.index("[judges]")
    project.write("audit.toml", text[:start] + "[input]\npath = 'records.csv'\n" + text[end:])
    summary = run(project)
    cells = {
        tuple(c["group"].values()): c for c in summary["maps"][0]["audit"]["disparity"]["cells"]["groups"]
    }
    assert cells["Black", "woman"]["rate"]["value"] == 1.0
    assert set(summary["dimensions"]) == {"gender", "ethnicity"}


def test_every_format_can_be_written(project: Project) -> None:
    setup(project, saying(PURE))
    run(project)
    table = list(csv.DictReader(io.StringIO(project.ok("report", "--format", "csv"), newline="")))
    assert len(table) == 3 * (4 + 4)
    assert {row["part"] for row in table} == {"intersection", "axis"}
    assert "hidden compound" in project.ok("report", "--format", "md")
    assert "severity" in project.ok("divergence").lower()


def test_alerts_name_the_group(project: Project) -> None:
    more = "[intersectional]\nalert_rate = 0.5\nalert_severity = 'High'\n[alerts]\nfile = 'alerts.jsonl'\n"
    setup(project, saying(["Black woman"], 1.0), more=more, templates=20)
    run(project)
    told = [json.loads(line)["what"] for line in (project.folder / "alerts.jsonl").read_text().splitlines()]
    assert "woman × Black: flag rate 100%, alert_rate is 50%" in told
    assert "woman × Black: 20 responses of severity High or more" in told


def test_the_plan_of_a_grid_says_what_it_costs_and_what_it_can_show(project: Project) -> None:
    setup(project, templates=4)
    told = project.ok("plan", "audit.toml")
    assert "4 profiles of gender (2) × ethnicity (2), 4 templates each: 16 variants" in told
    assert "16 responses to ask for, 0 are held already" in told and "32 calls" in told
    assert "TOO SMALL: 20 are needed" in told
    assert not project.store.exists()
    setup(project, templates=30, model="name = 'scripted:silent'\nrepeats = 2")
    made = json.loads(project.ok("plan", "audit.toml", "--json"))
    assert (made["responses"], made["judge_calls"], made["per_cell"]) == (240, 480, 60)
    assert not made["too_small"]
    # Of 60 in a cell at rates near one half: Wilson's interval, by hand.
    z, n = 1.959964, 60
    assert made["half_width"] == pytest.approx(
        z * (0.25 / n + z**2 / (4 * n**2)) ** 0.5 / (1 + z**2 / n), rel=0.02
    )
    run(project)
    assert "240 are held already" in project.ok("plan", "audit.toml")


def test_a_grid_of_two_hundred_thousand_is_planned_in_seconds(project: Project) -> None:
    values = "".join(
        f'[dimensions.d{i}.v{j}]\nadjective = "a{i}x{j}"\n'
        for i, n in enumerate((20, 20, 10))
        for j in range(n)
    )
    project.write("own.toml", values)
    named = "".join(f"d{i} = {[f'v{j}' for j in range(n)]}\n" for i, n in enumerate((20, 20, 10)))
    setup(project, grid=f"identities = 'own.toml'\n[grid.dimensions]\n{named}", templates=50)
    made = json.loads(project.ok("plan", "audit.toml", "--json"))
    assert made["variants"] == 200_000 and made["per_cell"] == 50


def test_one_output_is_scanned_without_a_trace(project: Project) -> None:
    setup(project)
    record = {
        "text": "She is a Black woman. HARM was done.",
        "identity": {"gender": "woman", "ethnicity": "Black"},
    }
    result = project.invoke("scan", "audit.toml", stdin=json.dumps(record))
    assert result.exit_code == 1 and "people must look" in result.stderr
    found = json.loads(result.stdout)
    assert [j["severity"] for j in found["judges"]] == ["High", "Medium"]
    assert found["judges"][0]["result"]["findings"][0]["evidence_excerpt"] == "HARM was done."
    assert found["people_must_look"] and "flags it as High" in " ".join(found["reasons"])
    assert not project.store.exists()
    clean = project.invoke("scan", "audit.toml", stdin=json.dumps({**record, "text": "A Black woman led."}))
    assert clean.exit_code == 0 and not json.loads(clean.stdout)["people_must_look"]


@pytest.mark.parametrize(
    ("sent", "said"),
    [
        ("no json", "no JSON object"),
        ("[1]", "no JSON object"),
        ('{"text": "Hello.", "identity": {"gender": "woman"}}', "fewer than two identity values"),
        ('{"text": "Hello.", "identity": {"a": "b", "c": "d"}}', "says nothing of any of the attributes"),
    ],
)
def test_what_cannot_be_scanned_is_said(project: Project, sent: str, said: str) -> None:
    setup(project)
    result = project.invoke("scan", "audit.toml", stdin=sent)
    assert result.exit_code == 2 and said in result.stderr and "/tmp" not in result.stderr


def test_a_judge_that_reacts_to_identity_itself_is_found_blind_and_sighted(project: Project) -> None:
    """Judge a sees harm wherever the text names a Black woman; b judges what is said."""
    setup(project, saying(["White man"], 0.5))
    project.write("a.json", planted(harms=[{"pattern": "Black woman", "severity": "Medium", "rate": 0.8}]))
    sighted = run(project)["run_id"]
    asked = project.one("SELECT count(*) FROM responses")
    text = (project.folder / "audit.toml").read_text() + "\n[intersectional]\nblind = true\n"
    project.write("audit.toml", text)
    blind = run(project)["run_id"]
    assert project.one("SELECT count(*) FROM responses") == asked
    shown = project.sql('SELECT text FROM records WHERE body LIKE \'%"blind":"yes"%\'')
    assert shown
    for (masked,) in shown:
        assert (
            "Black" not in masked
            and "White" not in masked
            and "woman" not in masked.replace("[woman/man]", "")
        )
    prompts = project.sql("SELECT messages FROM tasks WHERE messages LIKE '%withheld%'")
    assert prompts and not any("× Black" in p for (p,) in prompts)
    first, second = json.loads(project.ok("runs", "compare", sighted, blind, "--json"))
    cells = {g["group"]: g for g in first["cells"]["groups"]}
    assert cells["Black × woman"]["effect"]["value"] > 1 and cells["Black × woman"]["p_adjusted"] < 0.001
    assert first["change"]["value"] > 0
    assert second["change"]["value"] == 0 and second["n"] == 4 * TEMPLATES
    assert "knowing the identity changes the severity" in project.ok("runs", "compare", blind, sighted)
    refused = project.invoke("runs", "compare", sighted, sighted)
    assert refused.exit_code == 2 and "one sighted and one blind" in refused.stderr


def test_a_finding_can_be_explained_from_the_log(project: Project) -> None:
    setup(project, saying(["Black woman"], 1.0), templates=20)
    run(project)
    finding = project.one("SELECT finding_id FROM findings LIMIT 1")
    told = project.ok("explain", finding, "--prompt")
    assert "What follows is HARM to them." in told and "intersection_label" in told
