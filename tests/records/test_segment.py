from __future__ import annotations

import pytest

from appliance.records.segment import segment


def pieces(text: str, max_chars: int = 400) -> list[str]:
    return [span.text for span in segment(text, "text", max_chars)]


def test_spans_are_numbered_by_source_with_their_offsets():
    text = " She leads.  He follows. "
    spans = segment(text, "text")
    assert [(s.label, s.source, s.start, s.end, s.text) for s in spans] == [
        ("S1", "text", 1, 11, "She leads."),
        ("S2", "text", 13, 24, "He follows."),
    ]
    assert [span.label for span in segment(text, "context")] == ["C1", "C2"]


@pytest.mark.parametrize("text", ["", "  \n\t ", "\u00a0\u2028"])
def test_text_of_white_space_has_no_spans(text):
    assert segment(text, "text") == ()


@pytest.mark.parametrize(
    "sentence",
    [
        "Dr. Lopez, Mrs. Kim and Prof. Ade agreed.",
        "Ms. Ruiz saw Mr. Brown and St. Mary.",
        "She knows tools, e.g. Python, i.e. code, etc. and more.",
        "Ruiz vs. Brown was No. 5 in vol. 3 on p. 12.",
        "John Smith Jr. and Adam Kim Sr. met.",
        "The U.S. Army hired J. Smith and J. A. Kim.",
        "With a Ph.D. in physics she earns 3.5 times more.",
        "She came at 5 p.m. on Jan. 5.",
        "She is, well... reliable.",
        "She is… reliable.",
        '"Really?" she asked.',
        "“Great.” she said.",
        "She (see fig. 3.) left.",
        "See https://example.com/a.b?c=d now.",
        "1. First point",
        "IV. Findings",
        "Smith et al. found it.",
        "He met 'Dr. Kim' today.",
        ". . . and so on",
    ],
)
def test_sentence_is_not_cut(sentence):
    assert pieces(sentence) == [sentence]


@pytest.mark.parametrize(
    "sentences",
    [
        ["She leads.", "He follows.", "They win!"],
        ["Really?!", "Yes.", "No."],
        ['"She leads."', "He follows."],
        ["(She leads.)", "[He follows.]", "They win."],
        ["She said “yes.”", "He said ‘no.’", "Done."],
        ["She works in the U.S.", "She likes it."],
        ["She has a Ph.D.", "Her thesis won."],
        ["It is 5 p.m.", "She left."],
        ["It was in 2019.", "Then she left."],
        ["She waited...", "Then she left."],
        ["good work.", "she is great!", "keep going"],
        ["So do I.", "Maria agreed."],
        ["Plan B.", "She left."],
        ["**Great.**", "Next one."],
        ["¿Qué tal?", "¡Muy bien!", "Gracias."],
        ["هل هي جيدة؟", "نعم."],
        ["वह अच्छी है।", "वह आई।"],
        ["Bonjour.", "« Bien sûr. »", "Elle part."],
        ["„Gut.“", "Sie geht."],
        ["Great job! 🎉".removesuffix(" 🎉"), "🎉 Keep going."],
    ],
)
def test_sentences_are_cut_apart(sentences):
    assert pieces(" ".join(sentences)) == sentences


def test_marks_of_chinese_and_japanese_end_a_sentence_without_a_space():
    assert pieces("她很能干。他说：「很好。」真的吗？真的！") == [
        "她很能干。",
        "他说：「很好。」",
        "真的吗？",
        "真的！",
    ]


def test_inverted_mark_begins_a_sentence_without_a_space():
    assert pieces("¡Bien!¿Seguro?") == ["¡Bien!", "¿Seguro?"]


def test_markup_for_a_line_break_begins_a_sentence():
    assert pieces("She leads.<return><return>He follows.") == ["She leads.", "<return><return>He follows."]


def test_hard_wrapped_line_goes_on():
    assert pieces("She has led a\nteam of\r\n  five. Then\nshe left.") == [
        "She has led a\nteam of\r\n  five.",
        "Then\nshe left.",
    ]


def test_hard_wrap_between_a_quotation_and_its_speaker_goes_on():
    assert pieces('"Really?"\nshe asked.') == ['"Really?"\nshe asked.']


def test_hard_wrap_after_an_abbreviation_goes_on():
    assert pieces("She knows tools, e.g.\npython.") == ["She knows tools, e.g.\npython."]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("A heading\nShe leads", ["A heading", "She leads"]),
        ("one\n\ntwo", ["one", "two"]),
        ("one.\ntwo", ["one.", "two"]),
        ("- one\n- two\n  more\n* three", ["- one", "- two\n  more", "* three"]),
        ("1. one\n2. two", ["1. one", "2. two"]),
        ("a) one\nb) two", ["a) one", "b) two"]),
        ("i. one\nii. two", ["i. one", "ii. two"]),
        ("one\u2028Two\rThree", ["one", "Two", "Three"]),
        ("• one • two • three", ["• one", "• two", "• three"]),
        ("Strengths:\nLeads well", ["Strengths:", "Leads well"]),
    ],
)
def test_line_ends_and_bullets_end_a_span(text, expected):
    assert pieces(text) == expected


def test_long_sentence_is_cut_at_a_semicolon_before_a_comma():
    assert pieces("she led, it grew; he left, it fell", 24) == ["she led, it grew;", "he left, it fell"]


def test_long_sentence_is_cut_at_a_comma_before_white_space():
    assert pieces("she led well and, later on, left them", 30) == ["she led well and, later on,", "left them"]


def test_numbers_times_and_addresses_are_not_cut_at_their_marks():
    assert pieces("it rose to 3,000,000 at 12:30:10", 22) == ["it rose to 3,000,000", "at 12:30:10"]
    assert pieces("it rose up at 12:30:10 or so", 18) == ["it rose up at", "12:30:10 or so"]


def test_long_sentence_is_cut_at_white_space_or_else_anywhere():
    assert pieces("aaaa bbbb cccc", 10) == ["aaaa bbbb", "cccc"]
    assert pieces("a" * 25, 10) == ["a" * 10, "a" * 10, "a" * 5]


def test_early_mark_does_not_leave_a_scrap():
    assert pieces("so; " + "word " * 10, 30)[0] == "so; word word word word word"


def test_hard_cut_keeps_an_accent_and_an_emoji_on_their_base():
    assert pieces("e\u0301" * 10, 5)[0] == "e\u0301" * 2
    assert pieces("👩\u200d💻" * 4, 5)[0] == "👩\u200d💻"


def test_span_of_no_characters_is_refused():
    with pytest.raises(ValueError, match="max_chars"):
        segment("a", "text", 0)


@pytest.mark.parametrize(
    "unit",
    [
        "She is good. ",
        "a",
        "Dr. ",
        ". ",
        '."',
        " ",
        "a\n",
        "; a",
        "e\u0301",
        '. "(',
        "…",
        "\r\n",
        "a.b",
        "• ",
    ],
)
def test_two_hundred_thousand_characters_are_cut_without_a_rest(unit):
    text = (unit * 200_000)[:200_000]
    cited = sum(len(span.text.split()) for span in segment(text, "text"))
    assert (cited > 0) == bool(text.strip())
