"""The intersectional report in every format, with hostile text wherever data can reach."""

from __future__ import annotations

import csv
import io
import json
import re
from itertools import pairwise, product

import pytest

from appliance.config import load_config
from appliance.pipeline.intersectional.recorded import execute_recorded_verdicts
from appliance.pipeline.kinds import build_report
from appliance.reports import FORMATS, write
from appliance.reports.intersectional.data import Alert, IntersectionalReport
from appliance.store.database import open_for_reading
from appliance.store.reader import Reader

from .examples import NASTY
from .test_html import ALLOWED, Page

# A cell of a table is trimmed, and what cannot be stored is refused on reading; the rest must come through.
WORDS = tuple(word for word in NASTY if "\x1b" not in word)
PER_CELL = 24


@pytest.fixture(scope="module")
def nasty(tmp_path_factory: pytest.TempPathFactory) -> IntersectionalReport:
    folder = tmp_path_factory.mktemp("nasty")
    rows = [["item_id", "severity", "judge", "one <b>", "two"]]
    for judge, (i, one), two, n in product("AB", enumerate(WORDS[:4]), WORDS[4:6], range(PER_CELL)):
        severity = "Critical" if n % 4 == i and judge == "A" else ("" if n == 5 else "None")
        rows.append([f"{WORDS[6]} {one} {two} {n}", severity, f"{judge} {WORDS[0]}", one, two])
    out = io.StringIO()
    csv.writer(out).writerows(rows)
    (folder / "v.csv").write_text(out.getvalue(), encoding="utf-8", newline="")
    (folder / "audit.toml").write_text(
        "audit = 'intersectional'\n[scores]\npath = 'v.csv'\njudge = ['judge']\n"
        "attributes = ['one <b>', 'two']\n[intersectional]\nmin_n = 10\n"
    )
    config = load_config(folder / "audit.toml")
    run_id = execute_recorded_verdicts(config)
    database = open_for_reading(config.resolve(config.store))
    found = build_report(Reader(database), run_id)
    database.close()
    assert isinstance(found, IntersectionalReport)
    alert = Alert(judge=NASTY[0], group={NASTY[7]: NASTY[8]}, what=NASTY[6])
    told = {"target": " ".join(NASTY), "alerts": (alert,), "caveats": NASTY, "run_id": NASTY[0]}
    return found.model_copy(update=told)


def test_the_map_was_measured(nasty: IntersectionalReport) -> None:
    assert [one.audit is not None for one in nasty.maps] == [True, True, True]
    assert len(nasty.cells) == 8


def test_the_page_has_only_our_own_tags_and_they_nest(nasty: IntersectionalReport) -> None:
    found = Page(write(nasty, "html"))
    assert found.tags <= ALLOWED
    for tag, name, value in found.attributes:
        assert not name.startswith("on") and name not in ("src", "style", "action", "srcset"), (tag, name)
        assert name != "href" or re.fullmatch(r"#[a-z]+\d*", value), (tag, value)
        assert name != "class" or re.fullmatch(r"[a-z0-9 -]+", value), value
    assert all(word in found.text for word in WORDS[:6])


def test_headings_go_down_one_level_at_a_time(nasty: IntersectionalReport) -> None:
    levels = Page(write(nasty, "html")).levels
    assert levels[0] == 1 and levels.count(1) == 1
    assert all(after <= before + 1 for before, after in pairwise(levels))


def test_links_lead_to_records_of_the_page(nasty: IntersectionalReport) -> None:
    found = Page(write(nasty, "html"))
    ids = {value for _, name, value in found.attributes if name == "id"}
    links = {value[1:] for tag, name, value in found.attributes if tag == "a" and name == "href"}
    assert links <= ids and any(re.fullmatch(r"r\d+", link) for link in links)


@pytest.mark.parametrize("form", [*FORMATS, "terminal"])
def test_every_format_is_valid_text_without_control_characters(
    nasty: IntersectionalReport, form: str
) -> None:
    text = write(nasty, form)
    text.encode("utf-8")
    if form in ("md", "terminal"):
        assert "\x1b" not in text
    if form == "md":
        assert "<script>" not in text


def test_csv_makes_no_formulas_and_has_every_group(nasty: IntersectionalReport) -> None:
    rows = list(csv.DictReader(io.StringIO(write(nasty, "csv"), newline="")))
    assert len(rows) == 3 * (8 + 4 + 2)
    numbers = re.compile(r"-?\d+(\.\d+)?([eE][+-]?\d+)?")
    for row in rows:
        assert None not in row
        for value in row.values():
            assert not value.startswith(("=", "+", "@")) and (value[:1] != "-" or numbers.fullmatch(value))


def test_json_holds_every_text_whole_and_every_verdict_its_standing(nasty: IntersectionalReport) -> None:
    found = json.loads(write(nasty, "json"))
    assert found["schema"] == "intersectional-report/1"
    groups = found["maps"][0]["audit"]["disparity"]["cells"]["groups"]
    assert {g["group"]["two"] for g in groups} == set(WORDS[4:6])
    assert all(v["judge_standing"] for r in found["records"] for v in r["verdicts"])
