from __future__ import annotations

from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st

from appliance.records.segment import segment

# Dense in what the rules look at; plain st.text() hardly ever makes two sentences.
BITS = [
    *"aZ09 \n\t.,;:!?…。！？।؟'\"”«»()[]*_-•¿¡<",
    *[
        "Dr. ",
        "e.g. ",
        "J. ",
        "U.S. ",
        "No. 5",
        "She ",
        " and ",
        "\r\n",
        "\n\n",
        "\n- ",
        "\n1. ",
        "...",
        "?!",
    ],
    *["\u200b", "\u2028", "\u00a0", "\u0301", "👩\u200d💻", "\x1c", "\0", "漢字", "i. "],
]
TEXTS = st.one_of(st.text(max_size=200), st.lists(st.sampled_from(BITS), max_size=80).map("".join))
LIMITS = st.one_of(st.integers(1, 30), st.just(400))


@settings(max_examples=500, deadline=None)
@given(TEXTS, LIMITS)
def test_spans_are_exact_slices_none_blank_none_too_long(text, limit):
    for span in segment(text, "text", limit):
        assert span.text == text[span.start : span.end]
        assert span.text.strip() == span.text != ""
        assert len(span.text) <= limit


@settings(max_examples=500, deadline=None)
@given(TEXTS, LIMITS)
def test_spans_are_in_order_and_do_not_overlap(text, limit):
    spans = segment(text, "context", limit)
    assert all(before.end <= after.start for before, after in pairwise(spans))
    assert [span.label for span in spans] == [f"C{number}" for number in range(1, len(spans) + 1)]


@settings(max_examples=500, deadline=None)
@given(TEXTS, LIMITS)
def test_every_character_but_white_space_is_in_a_span(text, limit):
    covered = {at for span in segment(text, "text", limit) for at in range(span.start, span.end)}
    assert all(char.isspace() for at, char in enumerate(text) if at not in covered)


@settings(max_examples=200, deadline=None)
@given(TEXTS)
def test_segmenting_a_span_again_is_possible_and_the_same_text_gives_the_same_spans(text):
    assert segment(text, "text") == segment(text, "text")
