"""The judge-bias report in every format, with hostile text wherever data can reach."""

from __future__ import annotations

import csv
import io
import json
import re
from itertools import pairwise

import pytest

from appliance.config import load_config, project_root
from appliance.pipeline.kinds import build_report
from appliance.pipeline.prepare import prepare
from appliance.pipeline.run import RunOptions, execute
from appliance.reports import FORMATS, write
from appliance.reports.judge_bias.data import JudgeBiasReport
from appliance.store.database import open_for_reading
from appliance.store.reader import Reader

from .examples import NASTY
from .test_html import ALLOWED, Page

PAIRS = 24
# What a record cannot hold is refused on reading; the rest must come through.
WORDS = tuple(word for word in NASTY if "\x1b" not in word)


@pytest.fixture(scope="module")
def nasty(tmp_path_factory: pytest.TempPathFactory) -> JudgeBiasReport:
    folder = tmp_path_factory.mktemp("nasty")
    rows = [
        ["pair_id", "dimension", "input", "output_a", "output_b", "attribute_a", "attribute_b", "quality"]
    ]
    for at, word in enumerate(WORDS):
        for n in range(PAIRS):
            name = f"{word} {at}-{n}"
            rows.append(
                [
                    name,
                    word,
                    f"{word} {n}?",
                    f"LONG {word} {n}",
                    f"{word} {n}",
                    f"a {word}",
                    f"b {word}",
                    "good",
                ]
            )
    out = io.StringIO()
    csv.writer(out).writerows(rows)
    (folder / "pairs.csv").write_text(out.getvalue(), encoding="utf-8", newline="")
    (folder / "a.json").write_text('{"effects": [{"pattern": "LONG", "add": 1.2}], "noise": 0.3}')
    (folder / "audit.toml").write_text(
        "audit = 'judge-bias'\nstore = 'audit.sqlite'\n[input]\npath = ''\npairs = 'pairs.csv'\n"
        f"[judges]\na = 'scripted:planted:{folder}/a.json'\n"
    )
    prepared = prepare(load_config(folder / "audit.toml"), project_root())
    run_id = execute(prepared, RunOptions(), lambda *said: None, lambda: False)
    database = open_for_reading(prepared.store)
    found = build_report(Reader(database), run_id)
    database.close()
    assert isinstance(found, JudgeBiasReport)
    told = {"judge": NASTY[0], "title": NASTY[8], "details": {word: word for word in NASTY}}
    targets = tuple(target.model_copy(update=told) for target in found.targets)
    signed = {"by": NASTY[0], "reason": NASTY[7], "at": NASTY[6]}
    return found.model_copy(
        update={
            "targets": targets,
            "run_id": NASTY[0],
            "input_path": " ".join(NASTY),
            "headline": " ".join(NASTY),
            "caveats": NASTY,
            "signed": signed,
            "config": found.config | {" ".join(NASTY): list(NASTY)},
        }
    )


def test_every_dimension_was_measured(nasty: JudgeBiasReport) -> None:
    (target,) = nasty.targets
    assert len(target.dimensions) == len(WORDS)
    assert all(d.flagged for d in target.dimensions)


def test_the_page_has_only_our_own_tags_and_they_nest(nasty: JudgeBiasReport) -> None:
    found = Page(write(nasty, "html"))
    assert found.tags <= ALLOWED | {"rect", "circle", "text", "h5"}
    for tag, name, value in found.attributes:
        assert not name.startswith("on") and name not in ("src", "style", "action", "srcset"), (tag, name)
        assert name != "href" or re.fullmatch(r"#[a-z]+[\d-]*", value), (tag, value)
        assert name != "class" or re.fullmatch(r"[a-z -]+", value), value
    assert all(word in found.text for word in WORDS)


def test_headings_go_down_one_level_at_a_time(nasty: JudgeBiasReport) -> None:
    levels = Page(write(nasty, "html")).levels
    assert levels[0] == 1 and levels.count(1) == 1
    assert all(after <= before + 1 for before, after in pairwise(levels))


@pytest.mark.parametrize("form", FORMATS)
def test_every_format_is_valid_text_without_control_characters(nasty: JudgeBiasReport, form: str) -> None:
    text = write(nasty, form)
    text.encode("utf-8")
    if form in ("md", "csv"):
        assert "\x1b" not in text and "<script>" not in (text if form == "md" else "")


def test_the_terminal_gets_no_control_character(nasty: JudgeBiasReport) -> None:
    assert "\x1b" not in write(nasty, "terminal") and "\u202e" not in write(nasty, "terminal")


def test_csv_has_one_row_a_pair_and_makes_no_formulas(nasty: JudgeBiasReport) -> None:
    rows = list(csv.DictReader(io.StringIO(write(nasty, "csv"), newline="")))
    assert len(rows) == PAIRS * len(WORDS)
    assert all(None not in row for row in rows)
    assert not any(value.startswith(("=", "+", "@")) for row in rows for value in row.values())


def test_json_holds_every_text_whole(nasty: JudgeBiasReport) -> None:
    (found,) = json.loads(write(nasty, "json"))["judges"].values()
    inputs = " ".join(p["variant_a_input"] for d in found["dimension_results"] for p in d["test_pairs"])
    assert all(word in inputs for word in WORDS)


def test_markdown_tables_keep_their_columns(nasty: JudgeBiasReport) -> None:
    lines = [line.replace("\\|", "") for line in write(nasty, "md").splitlines() if line.startswith("|")]
    assert {line.count("|") for line in lines} == {8}
