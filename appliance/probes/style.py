"""The form of an answer: formal or casual, markdown or plain, bullets or prose. The content stays."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Sequence

from appliance.domain.pairs import Item, ProbePair, Unbuilt, Variant
from appliance.probes.contractions import contract, expand
from appliance.probes.sentences import has_markdown, is_english_letters, sentences

Forms = Callable[[str], tuple[str, str] | str]


class Style:
    """See `Probe`. forms: text -> (a's text, b's text), or the reason why it has no two forms."""

    placebo = False

    def __init__(self, dimension: str, varies: str, a: str, b: str, forms: Forms) -> None:
        self.dimension, self.varies, self.a, self.b = dimension, varies, a, b
        self._forms = forms

    def build(self, item: Item, rng: random.Random) -> ProbePair | Unbuilt:
        made = self._forms(item.output) if item.output.strip() else "the answer is empty"
        if isinstance(made, str):
            return Unbuilt(item_id=item.item_id, dimension=self.dimension, reason=made)
        a, b = (
            Variant(attribute=attribute, input=item.input, output=text)
            for attribute, text in zip((self.a, self.b), made, strict=True)
        )
        return ProbePair(item_id=item.item_id, dimension=self.dimension, a=a, b=b, allowed=_marks(made))


def formal_and_casual(text: str) -> tuple[str, str] | str:
    if not is_english_letters(text):
        return "the rules are for English and the answer is not"
    formal, casual = expand(text), contract(text)
    return (formal, casual) if formal != casual else "nothing in the answer can be contracted or expanded"


def markdown_and_plain(text: str) -> tuple[str, str] | str:
    """A heading, and the first words of each sentence in bold."""
    reason = _no_prose(text)
    if reason:
        return reason
    bold = "".join(_bold_start(part) for part in sentences(text))
    return f"## Answer\n\n{bold}", text


def bullets_and_prose(text: str) -> tuple[str, str] | str:
    reason = _no_prose(text)
    return reason or ("\n".join(f"- {part.strip()}" for part in sentences(text)), text)


def _no_prose(text: str) -> str:
    if has_markdown(text):
        return "the answer has a form of its own already"
    if "\n" in text.strip():
        return "the answer has several paragraphs"
    return "" if len(sentences(text)) >= 2 else "the answer has a single sentence"


def _bold_start(sentence: str) -> str:
    return re.sub(r"^(\s*)(\S+(?:\s+\S+)?)", r"\1**\2**", sentence, count=1)


def _marks(texts: Sequence[str]) -> tuple[str, ...]:
    """The words that one form has and the other has not."""
    one, two = (set(text.split()) for text in texts)
    return tuple(sorted(one ^ two))


STYLES = (
    Style(
        "style: formal vs casual",
        "contractions written out, against contracted",
        "formal",
        "casual",
        formal_and_casual,
    ),
    Style(
        "style: markdown vs plain",
        "a heading and bold first words, against plain text",
        "markdown",
        "plain",
        markdown_and_plain,
    ),
    Style(
        "style: bullets vs prose",
        "each sentence as a list item, against running text",
        "bullets",
        "prose",
        bullets_and_prose,
    ),
)
