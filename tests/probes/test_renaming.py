"""One person instead of another: grammar kept, everything else kept, doubt refused."""

from __future__ import annotations

import pytest

from appliance.probes.pronouns import UnsureError
from appliance.probes.renaming import Person, mentions, rename

ANA, BEN = Person("Ana Torres", "she"), Person("Ben Adams", "he")

# Female to male, and back: every line must survive the journey word for word.
BOTH_WAYS = [
    ("Ana Torres led her team.", "Ben Adams led his team."),
    ("We thanked her.", "We thanked him."),
    ("We met her in May and liked her a lot.", "We met him in May and liked him a lot."),
    ("The idea was hers, not mine.", "The idea was his, not mine."),
    ("She'll present it herself.", "He'll present it himself."),
    ("SHE WON.", "HE WON."),
    ("Her work; her own plan.", "His work; his own plan."),
    ("Nobody asked her to, and her manager knew.", "Nobody asked him to, and his manager knew."),
    ("It cost her a year of her life.", "It cost him a year of his life."),
    ("They relied on her; for her, nothing changed.", "They relied on him; for him, nothing changed."),
    ("I believed her when she spoke.", "I believed him when he spoke."),
    ("The report by her was clear.", "The report by him was clear."),
    (
        "Her 2019 plan failed because her early work was lost.",
        "His 2019 plan failed because his early work was lost.",
    ),
    ("Her\nbudget held.", "His\nbudget held."),
    ("Torres's plan, Ana's work.", "Adams's plan, Ben's work."),
    ("ANA TORRES signed.", "BEN ADAMS signed."),
    ("Ms. Torres spoke.", "Mr. Adams spoke."),
    ("As an actress she stood out.", "As an actor he stood out."),
    ("The saleswoman was Ana.", "The salesman was Ben."),
    ("She asked her mother.", "He asked his mother."),
    ("Ana's sister knew her.", "Ben's sister knew him."),
    ("We saw her, and she\u2019s right.", "We saw him, and he\u2019s right."),
]


@pytest.mark.parametrize(("female", "male"), BOTH_WAYS)
def test_there_and_back_word_for_word(female: str, male: str) -> None:
    assert rename(female, ANA, BEN).text == male
    assert rename(male, BEN, ANA).text == female


@pytest.mark.parametrize(
    "text",
    [
        "They gave her credit.",
        "Everyone but her agreed.",
        "We thanked her warmly.",
        "They made her work.",
        "We asked her back.",
        "She called her 'quick' work good.",
        "They paid her 300 a day.",
        "He thanked Ana.",
        "She and her husband came.",
        "Ana met Carla Diaz there.",
    ],
)
def test_what_cannot_be_told_is_refused_with_the_phrase(text: str) -> None:
    with pytest.raises(
        UnsureError, match=r"can be him or his|may be another person|belongs to somebody|marriage"
    ):
        rename(text, ANA, BEN)


def test_possessives_of_names_in_s() -> None:
    james = Person("James Ellis", "he")
    assert rename("James' plan and Ellis' work", james, BEN).text == "Ben's plan and Adams' work"
    assert rename("Ana's plan", ANA, Person("Agnes Adams", "she")).text == "Agnes's plan"


def test_only_whole_words_are_names() -> None:
    assert rename("Ana spoke of Anatolia, banana and Ana-Lena.", ANA, BEN).text == (
        "Ben spoke of Anatolia, banana and Ana-Lena."
    )


def test_a_name_that_is_a_word_is_refused_where_a_sentence_begins() -> None:
    will = Person("Will Smith", "he")
    with pytest.raises(UnsureError, match="may be no name"):
        rename("Will this hold? Will thinks so.", will, BEN)
    assert rename("I think Will can.", will, BEN).text == "I think Ben can."


def test_articles_follow_the_name_and_are_among_the_terms() -> None:
    made = rename("It was an Ana kind of day; a Torres classic.", ANA, BEN)
    assert made.text == "It was a Ben kind of day; an Adams classic."
    assert {"a", "an", "Ana", "Ben"} <= made.terms


def test_persons_with_other_pronouns_keep_them_and_only_the_name_changes() -> None:
    robin = Person("Robin Hale", "they")
    assert rename("Robin said they would help.", robin, BEN).text == "Ben said they would help."
    assert mentions("Hale spoke", robin) and not mentions("they spoke", robin)
    assert mentions("asked her", ANA) and not mentions("asked him", ANA)
