"""The HTML report: data is never markup, nothing unscored looks unflagged, standing is everywhere."""

from __future__ import annotations

import base64
import hashlib
import html
import re
from html.parser import HTMLParser

import pytest

from appliance.domain.verdicts import Verdict
from appliance.reports import write
from appliance.reports.data import RunReport

from .builder import record
from .examples import NASTY, nasty, ordinary
from .runs import interval, report, table

VOID = {"meta", "br", "line", "circle"}
ALLOWED = {
    *("html", "head", "meta", "title", "style", "body", "header", "main", "footer", "nav", "section"),
    *("h1", "h2", "h3", "h4", "p", "a", "ul", "ol", "li", "dl", "dt", "dd", "div", "span", "b", "strong"),
    *("small", "sup", "mark", "q", "blockquote", "pre", "code", "details", "summary", "br"),
    *("table", "caption", "thead", "tbody", "tr", "th", "td", "svg", "line", "circle"),
}


class Page(HTMLParser):
    """Tags, attributes and text of a page; fails on tags that do not close in order."""

    def __init__(self, source: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: set[str] = set()
        self.attributes: list[tuple[str, str, str]] = []
        self.levels: list[int] = []
        self.text = ""
        self._open: list[str] = []
        self.feed(source)
        self.close()
        assert self._open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes += [(tag, name, value or "") for name, value in attrs]
        if re.fullmatch("h[1-6]", tag):
            self.levels.append(int(tag[1]))
        if tag not in VOID:
            self._open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag not in VOID:
            assert self._open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self._open[-1:] != ["style"]:
            self.text += data


def page(source: RunReport) -> Page:
    return Page(write(source, "html"))


@pytest.mark.parametrize(
    "source", [ordinary(), nasty(), report(), report((), ())], ids=["ordinary", "nasty", "empty", "bare"]
)
def test_the_page_has_only_our_own_tags_and_they_nest(source: RunReport) -> None:
    assert page(source).tags <= ALLOWED


def test_no_attribute_runs_code_or_loads_anything() -> None:
    for tag, name, value in page(nasty()).attributes:
        assert not name.startswith("on") and name not in ("src", "style", "action", "srcset")
        assert name != "href" or re.fullmatch(r"#[a-z]+\d*", value), (tag, value)
        assert name != "class" or re.fullmatch(r"[a-z -]+", value), value


def test_hostile_text_is_shown_as_it_is() -> None:
    shown = page(nasty()).text
    assert all(word in shown for word in NASTY)


def test_every_excerpt_stands_verbatim_in_a_quotation() -> None:
    source = nasty()
    quoted = [
        html.unescape(q)
        for q in re.findall(r"<blockquote[^>]*>(.*?)</blockquote>", write(source, "html"), re.S)
    ]
    excerpts = [f.excerpt for r in source.records for v in r.verdicts for f in v.findings]
    assert excerpts and quoted == excerpts


def test_the_audited_text_is_whole_when_the_notes_are_taken_away() -> None:
    source = nasty()
    shown = re.findall(r'<div class="audited" dir="auto">(.*?)</div>', write(source, "html"), re.S)
    bare = [html.unescape(re.sub(r'<sup class="notes">.*?</sup>|</?mark[^>]*>', "", text)) for text in shown]
    assert bare == [r.text for r in source.records] + [s.text for s in source.skipped]


def test_the_policy_admits_exactly_our_style_sheet() -> None:
    source = write(ordinary(), "html")
    css = re.search(r"<style>(.*?)</style>", source, re.S)
    assert css is not None
    digest = base64.b64encode(hashlib.sha256(css[1].encode()).digest()).decode()
    policy = next(v for _, n, v in Page(source).attributes if n == "content" and "default-src" in v)
    assert policy.startswith(f"default-src 'none'; style-src 'sha256-{digest}'")
    assert "url(" not in css[1] and "@import" not in css[1]


def test_marks_carry_what_every_judge_said() -> None:
    source = write(ordinary(), "html")
    assert source.count('<mark class="flag down">Maria seems') == 1
    assert '<mark class="flag qualified">She works hard' in source
    assert '<mark class="flag omitted">She holds two patents.' in source
    assert (
        "<b>S2</b> <span>A:&nbsp;QUALIFICATION_DIFFERENCE</span> · <span>B:&nbsp;SUPPORTED</span>" in source
    )
    assert (
        source.count('<mark class="flag mixed">') == 2
    )  # the legend, and the text that both flag differently


def test_every_judge_is_named_with_its_standing() -> None:
    shown = re.sub(r"\s+", " ", page(report(ordinary().records, ("unfit", "fit"))).text)
    places = shown.split("judge-one (instruct")[0].count("judge-one")
    assert places and shown.count("A judge-one UNFIT") >= len(ordinary().records)
    assert shown.count("B judge-two FIT") >= len(ordinary().records)
    assert "These verdicts are not evidence: judge A (judge-one) is unfit." in shown


def test_an_unscored_verdict_is_never_shown_as_unflagged() -> None:
    source = report((record("r", ["One."], [], "no answer", "no answer"),))
    shown = page(source).text
    assert shown.count("UNSCORED") >= 4
    assert "Nothing flagged by this judge" not in shown and "nothing flagged by this judge" not in shown
    assert "– (nothing scored)" in shown


def test_a_missing_verdict_is_unscored() -> None:
    one = record("r", ["One."], [], {"S1": "SUPPORTED"})
    assert "UNSCORED: no verdict of this judge in the report" in page(report((one,))).text


def test_an_undefined_kappa_says_why() -> None:
    records = ordinary().records[2:3]
    shown = page(
        report(
            records, divergence=table(records, flag_kappa=interval(None, n=1, note="one label throughout"))
        )
    ).text
    assert "Undefined: both judges gave every compared record the same answer (no flag)" in shown


def test_a_single_judge_is_not_compared() -> None:
    one = record("r", ["One."], [], {"S1": "SUPPORTED"})
    assert "Only one judge took part" in page(report((one,), ("unproven",))).text


def test_an_undefined_score_has_a_reason_and_is_not_zero() -> None:
    silent = Verdict(
        record_id="r",
        judge="judge-one",
        status="scored",
        flag=False,
        result={"audit_summary": {"total_competence_statements": 0}},
    )
    one = record("r", ["One."], []).model_copy(update={"verdicts": (silent,)})
    shown = page(report((one,), ("unfit",))).text
    assert (
        "– (no competence statement)" in shown and "– (not measured)" in shown and "– (not stated)" in shown
    )


def test_hidden_characters_are_named() -> None:
    assert "U+202E right-to-left override ×1" in page(ordinary()).text


def test_only_flagged_and_divergent_records_are_unfolded() -> None:
    opened = re.findall(r'<details class="record"( open)?>', write(ordinary(), "html"))
    assert [bool(o) for o in opened] == [True, True, False, True, True, False]


def test_headings_descend_in_order_and_links_reach_their_targets() -> None:
    made = page(ordinary())
    assert made.levels[0] == 1 and made.levels.count(1) == 1
    assert all(b <= a + 1 for a, b in zip(made.levels, made.levels[1:], strict=False))
    ids = [value for _, name, value in made.attributes if name == "id"]
    assert len(ids) == len(set(ids))
    assert {v[1:] for _, n, v in made.attributes if n == "href"} <= set(ids)


def test_an_incomplete_run_says_so() -> None:
    assert "This run is not complete." in page(report((), complete=False, finished=None)).text


def test_two_thousand_records_make_a_page_of_linear_size() -> None:
    said = {"S1": "DOWNGRADE"}, {"S1": "SUPPORTED"}
    made = tuple(record(f"r{i}", ["Maria seems to know."], ["She leads."], *said) for i in range(2000))
    small, large = (len(write(report(made[:n]), "html")) for n in (1000, 2000))
    assert large < 2.1 * small
