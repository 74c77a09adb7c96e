"""Label probabilities from token probabilities, each case with numbers worked out by hand."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

import pytest

from appliance.domain.tasks import Decision
from appliance.domain.verdicts import LabelDistribution
from appliance.judges.distributions import Step, read_distributions, value_offsets

LABELS = ("LOW", "LOWER", "HIGH")


def decision(labels: Sequence[str], path: tuple[str, ...] = ("a",)) -> Decision:
    return Decision(where=".".join(path), path=path, alternatives={k: f'"{k}"' for k in labels})


def step(chosen: str, probability: float = 1.0, **others: float) -> Step:
    return raw_step(chosen, {chosen: probability, **others})


def raw_step(chosen: str, alternatives: Mapping[str, float]) -> Step:
    return chosen.encode(), {k.encode(): v for k, v in alternatives.items()}


def read(steps: Sequence[Step], *decisions: Decision) -> tuple[LabelDistribution, ...]:
    text = b"".join(token for token, _ in steps).decode()
    return read_distributions(text, steps, decisions)


def one(steps: Sequence[Step], labels: Sequence[str] = LABELS) -> LabelDistribution:
    (found,) = read(steps, decision(labels))
    return found


def test_a_label_in_one_token() -> None:
    found = one([step('{"a":"'), step("HIGH", 0.7, LOW=0.3), step('"}')], ("LOW", "HIGH"))
    assert found.chosen == "HIGH"
    assert found.probabilities == pytest.approx({"LOW": 0.3, "HIGH": 0.7})
    assert found.unresolved == 0.0


def test_a_label_split_over_tokens() -> None:
    """H against L decides; what follows inside HIGH is forced."""
    found = one([step('{"a":"'), step("H", 0.6, L=0.4), step("IG"), step("H"), step('"}')], ("LOW", "HIGH"))
    assert found.probabilities == pytest.approx({"LOW": 0.4, "HIGH": 0.6})


def test_labels_that_share_their_start_are_told_apart_by_later_tokens() -> None:
    """P(LOW) = .8 x .25, P(LOWER) = .8 x .75, P(HIGH) = .2."""
    steps = [
        step('{"a":"'),
        step("LOW", 0.8, HIGH=0.2),
        raw_step("ER", {"ER": 0.75, '"': 0.25}),
        step('"}'),
    ]
    found = one(steps)
    assert found.chosen == "LOWER"
    assert found.probabilities == pytest.approx({"LOW": 0.2, "LOWER": 0.6, "HIGH": 0.2})


def test_the_short_label_chosen_among_labels_that_share_their_start() -> None:
    steps = [step('{"a":"'), step("LOW", 0.8, HIGH=0.2), raw_step('"}', {'"}': 0.9, "ER": 0.1})]
    found = one(steps)
    assert found.chosen == "LOW"
    assert found.probabilities == pytest.approx({"LOW": 0.72, "LOWER": 0.08, "HIGH": 0.2})


def test_several_tokens_that_start_one_label_are_added_up() -> None:
    found = one(
        [step('{"a":"'), step("H", 0.5, HI=0.2, HIGH=0.1, L=0.15, LOW=0.05), step('IGH"}')], ("LOW", "HIGH")
    )
    assert found.probabilities == pytest.approx({"LOW": 0.2, "HIGH": 0.8})


def test_a_token_that_ends_the_punctuation_and_starts_the_label() -> None:
    steps = [step('{"a'), raw_step('":"H', {'":"H': 0.5, '":"L': 0.3, '":"': 0.2}), step('IGH"}')]
    found = one(steps, ("LOW", "HIGH"))
    assert found.probabilities == pytest.approx({"LOW": 0.375, "HIGH": 0.625}), "of the 0.8 that tells"
    assert found.unresolved == pytest.approx(0.2)


def test_a_token_merged_with_punctuation_that_was_not_chosen() -> None:
    """The judge wrote '"', ':' and '"H' one by one but might have written '":"L' at once:
    P(LOW) = .4 + .6 x .5."""
    steps = [
        step('{"a'),
        raw_step('"', {'"': 0.6, '":"L': 0.4}),
        step(":"),
        raw_step('"H', {'"H': 0.5, '"L': 0.5}),
        step('IGH"}'),
    ]
    assert one(steps, ("LOW", "HIGH")).probabilities == pytest.approx({"LOW": 0.7, "HIGH": 0.3})


def test_an_ambiguous_token_that_was_not_chosen_stays_unresolved() -> None:
    """'L' was not chosen and starts two labels: nobody knows how its 0.3 would have gone on."""
    found = one([step('{"a":"'), step("HIGH", 0.6, LOWER=0.1, L=0.3), step('"}')])
    assert found.probabilities == pytest.approx({"LOW": 0.0, "LOWER": 1 / 7, "HIGH": 6 / 7})
    assert found.unresolved == pytest.approx(0.3)


def test_alternatives_at_two_kinds_of_value() -> None:
    claim = Decision(where="a.claim", path=("a",), alternatives={"NO_CLAIM": '"NO_CLAIM"', "CLAIM": "{"})
    steps = [step('{"a":'), raw_step('{"', {'{"': 0.3, '"NO': 0.5, '"': 0.1, "{": 0.1}), step('b":1}}')]
    (found,) = read(steps, claim)
    assert found.chosen == "CLAIM"
    assert found.probabilities == pytest.approx({"NO_CLAIM": 0.6, "CLAIM": 0.4})


def test_mass_that_is_missing_leaves_the_decision_out() -> None:
    assert read([step('{"a":"'), step("HIGH", 0.6, LOW=0.3), step('"}')], decision(("LOW", "HIGH"))) == ()


def test_a_thousandth_may_be_missing() -> None:
    found = one([step('{"a":"'), step("HIGH", 0.6, LOW=0.3995), step('"}')], ("LOW", "HIGH"))
    assert sum(found.probabilities.values()) == pytest.approx(1.0)


def test_mass_on_text_that_is_no_label_leaves_the_decision_out() -> None:
    """Where the grammar is not in force, the judge may say anything."""
    assert read([step('{"a":"'), step("HIGH", 0.6, Well=0.4), step('"}')], decision(("LOW", "HIGH"))) == ()


def test_the_chosen_token_missing_among_the_alternatives_leaves_the_decision_out() -> None:
    steps = [step('{"a":"'), (b"HIGH", {b"LOW": 1.0}), step('"}')]
    assert read(steps, decision(("LOW", "HIGH"))) == ()


def test_nothing_but_unresolved_mass_leaves_the_decision_out() -> None:
    assert read([step('{"a":"'), step("X", 0.0, L=1.0), step('"}')], decision(("LOW", "LOWER"))) == ()


def test_tokens_that_spell_the_same_bytes_come_added_up() -> None:
    """The engine adds them before; a step holds each spelling once."""
    found = one([step('{"a":"'), (b"H", {b"H": 0.25 + 0.35, b"L": 0.4}), step('IGH"}')], ("LOW", "HIGH"))
    assert found.probabilities == pytest.approx({"LOW": 0.4, "HIGH": 0.6})


def test_a_nested_decision_is_found_by_its_path_not_by_its_words() -> None:
    text = '{"a":{"why":"It says \\"a\\":\\"LOW\\" {here}.","a":"LOW"},"b":{"a":"HIGH"}}'
    before, after = text.split('"HIGH"')
    steps = [step(before + '"'), step("HIGH", 0.9, LOW=0.1), step('"' + after)]
    (found,) = read(steps, decision(("LOW", "HIGH"), ("b", "a")))
    assert (found.where, found.chosen) == ("b.a", "HIGH")
    assert found.probabilities == pytest.approx({"LOW": 0.1, "HIGH": 0.9})


def test_a_decision_that_was_not_made_has_no_distribution() -> None:
    steps = [step('{"a":"'), step("HIGH", 0.9, LOW=0.1), step('"}')]
    assert read(steps, decision(LABELS, ("a", "verdict")), decision(LABELS, ("b",))) == ()


def test_decisions_come_in_the_order_asked() -> None:
    steps = [
        step('{"a":"'),
        step("HIGH", 0.9, LOW=0.1),
        step('","b":"'),
        step("LOW", 0.8, HIGH=0.2),
        step('"}'),
    ]
    found = read(steps, decision(("LOW", "HIGH"), ("b",)), decision(("LOW", "HIGH"), ("a",)))
    assert [(d.where, d.chosen) for d in found] == [("b", "LOW"), ("a", "HIGH")]
    assert [d.probabilities["LOW"] for d in found] == pytest.approx([0.8, 0.1])


@pytest.mark.parametrize(
    "reason", ["在线 género 👩🏽‍🔬", 'C:\\new\\u12 "quoted"', "tab\tand\nline", "e\u0301 \u00a0"]
)
@pytest.mark.parametrize("ascii_only", [False, True])
def test_text_before_the_decision_does_not_shift_it(reason: str, ascii_only: bool) -> None:
    """Offsets in code points and in bytes differ once a character is not ASCII."""
    head = json.dumps({"why": reason}, separators=(",", ":"), ensure_ascii=ascii_only)[:-1] + ',"a":"'
    cut = len(head.encode()) // 2  # in the middle of a character, it may be
    steps: list[Step] = [
        (head.encode()[:cut], {head.encode()[:cut]: 0.5}),
        (head.encode()[cut:], {head.encode()[cut:]: 1.0}),
        step("HIGH", 0.7, LOW=0.3),
        step('"}'),
    ]
    assert one(steps, ("LOW", "HIGH")).probabilities == pytest.approx({"LOW": 0.3, "HIGH": 0.7})


def test_a_label_that_is_not_ascii() -> None:
    """'género' and 'gènero' differ in the second byte of one character."""
    first, second = "é".encode()
    other = "è".encode()[1]
    steps: list[Step] = [
        step('{"a":"g'),
        (bytes([first]), {bytes([first]): 1.0}),
        (bytes([second]), {bytes([second]): 0.8, bytes([other]): 0.2}),
        step('nero"}'),
    ]
    assert one(steps, ("género", "gènero")).probabilities == pytest.approx({"género": 0.8, "gènero": 0.2})


def test_one_label_alone_is_certain() -> None:
    assert one([step('{"a":"'), step("LOW"), step('"}')], ("LOW",)).probabilities == {"LOW": 1.0}


def test_offsets_of_every_member() -> None:
    text = '{"a":{"b":"x","c":[{"d":1}]},"é":-1.5,"f":{}}'
    found = dict(value_offsets(text))
    assert set(found) == {("a",), ("a", "b"), ("a", "c"), ("é",), ("f",)}
    assert all(text[at] in '{"[-' for at in found.values())
    assert text[found["a", "b"] :].startswith('"x"')
    assert text[found["é",] :].startswith("-1.5")


@pytest.mark.parametrize(
    "text",
    ["", "{", "not JSON", '{"a":1', '{"a": 1}', '{"a":1} ', "[1]", '"text"', "12", "null", "[]", '{"a":1 }'],
)
def test_what_is_not_a_compact_object_raises_value_error(text: str) -> None:
    with pytest.raises(ValueError):
        value_offsets(text)
