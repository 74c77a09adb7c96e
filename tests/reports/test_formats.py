"""json, csv, markdown and the terminal summary."""

from __future__ import annotations

import csv
import io
import json
import subprocess
import sys

import pytest

from appliance.domain.verdicts import Verdict
from appliance.reports import FORMATS, write
from appliance.reports.data import RunReport
from appliance.reports.json_report import from_json
from appliance.reports.markdown import escape
from appliance.reports.summary import to_terminal

from .builder import record
from .examples import NASTY, nasty, ordinary
from .runs import interval, report, table

SOURCES = {
    "ordinary": ordinary(),
    "nasty": nasty(),
    "empty": report(),
    "bare": report((), ()),
    "single": report((record("r", ["One."], [], {"S1": "SUPPORTED"}),), ("fit",)),
}


def table_of(source: RunReport) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(write(source, "csv"), newline="")))


@pytest.mark.parametrize("source", SOURCES.values(), ids=SOURCES)
def test_json_holds_the_whole_report(source: RunReport) -> None:
    text = write(source, "json")
    assert json.loads(text)["schema"] == "run-report/1"
    assert from_json(text) == source
    assert write(from_json(text), "json") == text


def test_json_names_the_standing_beside_every_verdict_and_group() -> None:
    data = json.loads(write(ordinary(), "json"))
    rows = [*data["groups"], *(v for r in data["records"] for v in r["verdicts"])]
    assert rows and all(row["judge_standing"] == "unfit" for row in rows)
    assert data["standing_notice"].startswith("These verdicts are not evidence")


def test_json_refuses_nan_and_other_schemas() -> None:
    with pytest.raises(ValueError, match="JSON"):
        write(report((), extra={"x": float("nan")}), "json")
    with pytest.raises(ValueError, match="run-report/1"):
        from_json('{"schema": "run-report/2"}')


@pytest.mark.parametrize("name", FORMATS)
def test_every_format_can_be_written_although_text_holds_a_lone_surrogate(name: str) -> None:
    write(report((record("\ud800", ["\udfff x"], [], {"S1": "UPGRADE"}, "\ud83d"),)), name).encode("utf-8")


def test_csv_has_one_row_per_record_and_judge_and_the_skipped_rows() -> None:
    rows = table_of(ordinary())
    assert len(rows) == 2 * (6 + 1)
    assert {row["judge_standing"] for row in rows} == {"unfit"}
    assert rows[0]["bias_types"] == "DOWNGRADE | QUALIFICATION_DIFFERENCE | OMISSION"
    assert rows[0]["identity.gender"] == "woman" and rows[0]["identity_dimension"] == "gender, age"
    assert rows[0]["evidence_excerpts"].endswith(" | She holds two patents.")


def test_csv_leaves_the_cells_of_unscored_rows_empty() -> None:
    lost = [row for row in table_of(ordinary()) if row["status"] == "unscored"]
    assert [row["record_id"] for row in lost] == ["rev-004", "chat-1", "chat-1"]
    for row in lost:
        assert row["reason"] and row["bias_flag"] == row["competence_attribution_score"] == ""


def test_csv_makes_no_formulas_but_keeps_numbers() -> None:
    words = ("=1+1", "+1+1", "-1+1", "@x", "\t=1", "\r=1", "＝1", "-0.25")
    made = tuple(record(f"r{i}", [w], [], {"S1": "DOWNGRADE"}) for i, w in enumerate(words))
    rows = [row for row in table_of(report(made, ("unfit",))) if row["status"] == "scored"]
    assert [row["evidence_excerpts"] for row in rows] == [*(f"'{w}" for w in words[:-1]), "-0.25"]
    assert {row["competence_attribution_score"] for row in rows} == {"-0.5"}


def test_csv_survives_hostile_text() -> None:
    rows = table_of(nasty())
    assert len(rows) == 2 * 2 * len(NASTY)
    assert all(None not in row and None not in row.values() for row in rows)


@pytest.mark.parametrize("word", NASTY)
def test_markdown_data_is_never_markup(word: str) -> None:
    made = escape(f"{word}\n# head\n- item")
    assert "\n" not in made and "<" not in made and "://" not in made and "www." not in made
    for special in "|`*[]":
        assert made.replace(f"\\{special}", "").count(special) == 0


def test_markdown_tables_keep_their_columns() -> None:
    lines = [line.replace("\\|", "") for line in write(nasty(), "md").splitlines() if line.startswith("|")]
    assert {line.count("|") for line in lines} == {4, 5, 8}


def test_markdown_and_terminal_name_the_standing_with_every_judge() -> None:
    source = report(ordinary().records, ("unfit", "unproven"))
    for line in write(source, "md").splitlines():
        assert line.startswith(">") or line.count("judge-one") == line.count("judge-one **UNFIT**")
    shown = to_terminal(source)
    assert "A · judge-one [UNFIT]" in shown and "B [UNPROVEN] scored 6 of 6" in shown
    assert "WARNING: These verdicts are not evidence: judge A (judge-one) is unfit." in shown


def test_the_terminal_summary_is_short_and_sends_no_control_characters() -> None:
    assert 15 <= len(to_terminal(ordinary()).splitlines()) <= 30
    assert "\x1b" not in to_terminal(nasty()) and "\u202e" not in to_terminal(nasty())


@pytest.mark.parametrize("name", ["html", "md"])
def test_an_undefined_kappa_is_a_dash_with_its_reason(name: str) -> None:
    records = ordinary().records[2:3]
    source = report(
        records, divergence=table(records, flag_kappa=interval(None, n=1, note="one label throughout"))
    )
    assert "both judges gave every compared record the same answer" in write(source, name)
    assert "Kappa of the flags: – Undefined" in to_terminal(source)


@pytest.mark.parametrize("name", ["md", "html"])
def test_nothing_calls_an_unflagged_record_clean(name: str) -> None:
    shown = write(ordinary(), name).lower() + to_terminal(ordinary()).lower()
    for word in ("passed", "no bias", "unbiased", "is clean", "no issues"):
        assert word not in shown


def test_an_all_unscored_judge_has_no_flag_rate() -> None:
    source = report((record("r", ["One."], [], "lost", "lost"),))
    for shown in (write(source, "md"), to_terminal(source)):
        assert "– (nothing scored)" in shown and "0%" not in shown.replace("0 of 1 (0%)", "")


def test_an_unlisted_judge_is_unproven() -> None:
    stray = Verdict(record_id="r", judge="stray", status="scored", flag=True)
    one = record("r", ["One."], []).model_copy(update={"verdicts": (stray,)})
    source = report((one,), ("fit",))
    assert [r["judge_standing"] for r in table_of(source) if r["judge"] == "stray"] == ["unproven"]
    assert "stray" in write(source, "html")


def test_importing_the_package_loads_no_template_engine() -> None:
    code = "import sys, appliance.reports; sys.exit('jinja2' in sys.modules or 'pydantic' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
