"""Prompts as token ids, built so that audited text cannot become a control token.

Trusted segments (our prompt file, the model's chat template) are tokenized normally. Untrusted segments
are tokenized apart, with special tokens switched off, and then checked: an id of any added token is
forbidden there unless that token is pure white space. Where one appears, the text is cut inside it and its
pieces are tokenized apart, so the ids still spell the same text but hold no control token.
"""

from __future__ import annotations

import hashlib
import secrets
from array import array
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

from appliance.domain.base import Frozen
from appliance.domain.models import PromptStyle
from appliance.domain.tasks import Message, Segment
from appliance.errors import ModelError

PLAIN_CUE, FREE_CUE = "\n\nThe audit as JSON:\n", "\n\n"
# Part of a judge's fingerprint: raise the number whenever equal messages come to give other token ids.
ENCODER = f"encoder/1 {PLAIN_CUE!r}"


class EncodedPrompt(Frozen):
    """ids: shape (n,). cut: how many control-token spellings in untrusted text had to be cut apart.
    altered: how many untrusted segments the judge reads otherwise than they are written, because its
    vocabulary drops or replaces some of their characters."""

    ids: tuple[int, ...]
    cut: int
    altered: int = 0

    @property
    def sha256(self) -> str:
        """SHA-256 of the ids as little-endian uint32."""
        return hashlib.sha256(array("I", self.ids).tobytes()).hexdigest()


class PromptEncoder:
    """Turns messages into ids for one model. `tokenizer`: a transformers fast tokenizer."""

    def __init__(self, tokenizer: Any, style: PromptStyle) -> None:
        self._tokenizer = tokenizer
        self._style = style
        self._forbidden = control_ids(tokenizer)

    def encode(self, messages: Sequence[Message], free: bool = False) -> EncodedPrompt:
        """The prompt's ids. free: for free text, so that a model without a chat template is not told to write
        JSON. ModelError when the template drops, doubles or reorders a part of it, or when
        the prompt would not start with exactly one BOS as the manifest says."""
        ids: list[int] = [self._tokenizer.bos_token_id] if self._style.bos == "add" else []
        cut = altered = 0
        for segment in self._render(messages, FREE_CUE if free else PLAIN_CUE):
            if segment.trusted:
                ids += self._tokenizer(segment.text, add_special_tokens=False)["input_ids"]
            else:
                pieces, cuts = self.encode_untrusted(segment.text)
                ids, cut = ids + pieces, cut + cuts
                altered += self._tokenizer.decode(pieces, clean_up_tokenization_spaces=False) != segment.text
        self._check_bos(ids)
        return EncodedPrompt(ids=tuple(ids), cut=cut, altered=altered)

    def encode_untrusted(self, text: str) -> tuple[list[int], int]:
        """Ids of untrusted text and the number of places where a control token had to be cut apart."""
        pieces, cuts = [text], 0
        while True:
            encoded = [self._ids_and_cuts(piece) for piece in pieces]
            found = sum(len(points) for _, points in encoded)
            if not found:
                return [i for ids, _ in encoded for i in ids], cuts
            cuts += found
            pieces = [
                p for piece, (_, points) in zip(pieces, encoded, strict=True) for p in _cut(piece, points)
            ]

    def _ids_and_cuts(self, text: str) -> tuple[list[int], list[int]]:
        encoded = self._tokenizer(
            text, add_special_tokens=False, split_special_tokens=True, return_offsets_mapping=True
        )
        ids, offsets = encoded["input_ids"], encoded["offset_mapping"]
        bad = [offset for i, offset in zip(ids, offsets, strict=True) if i in self._forbidden]
        if any(end - start < 2 for start, end in bad):
            raise ModelError(
                "the tokenizer has a one-character control token that occurs in the text",
                "This model cannot be used safely on this text; use another judge.",
            )
        return ids, [start + 1 for start, _ in bad]

    def _render(self, messages: Sequence[Message], cue: str) -> list[Segment]:
        if not self._style.system_role:
            messages = [_merged(messages)]
        return self._render_chat(messages) if self._style.style == "chat" else _render_plain(messages, cue)

    def _render_chat(self, messages: Sequence[Message]) -> list[Segment]:
        untrusted: dict[str, str] = {}
        chat = [{"role": m.role, "content": _with_sentinels(m.segments, untrusted)} for m in messages]
        options = {"enable_thinking": False} if self._style.thinking == "off" else {}
        try:
            text = self._tokenizer.apply_chat_template(
                chat, tokenize=False, add_generation_prompt=True, **options
            )
        except Exception as error:
            raise ModelError(
                f"the chat template refuses the prompt: {error}",
                "Set system_role = false or style = 'plain' in the model's manifest.",
            ) from None
        return _split_at_sentinels(text, untrusted)

    def _check_bos(self, ids: Sequence[int]) -> None:
        bos = self._tokenizer.bos_token_id
        if self._style.bos == "none":
            return
        if bos is None or list(ids[:1]) != [bos] or list(ids[1:2]) == [bos]:
            raise ModelError(
                f"the prompt does not start with exactly one BOS token (bos = '{self._style.bos}')",
                "Set bos to 'template', 'add' or 'none' in the model's manifest as the model needs.",
            )


def load_encoder(weights: Path, style: PromptStyle) -> PromptEncoder:
    """The encoder of a judge from its weights directory; nothing is fetched."""
    from transformers import AutoTokenizer

    return PromptEncoder(AutoTokenizer.from_pretrained(str(weights), local_files_only=True), style)


def control_ids(tokenizer: Any) -> frozenset[int]:
    """Ids that untrusted text must never yield: all added tokens but those of pure white space, which
    some vocabularies list there although they only spell text."""
    added = tokenizer.added_tokens_decoder.items()
    named = {i for i, token in added if token.special or token.content.strip()}
    return frozenset(named | set(tokenizer.all_special_ids))


def _cut(text: str, points: Sequence[int]) -> list[str]:
    bounds = [0, *points, len(text)]
    return [text[a:b] for a, b in pairwise(bounds) if a < b]


def _merged(messages: Sequence[Message]) -> Message:
    segments: list[Segment] = []
    for message in messages:
        segments += ([Segment(text="\n\n", trusted=True)] if segments else []) + list(message.segments)
    return Message(role="user", segments=tuple(segments))


def _render_plain(messages: Sequence[Message], cue: str) -> list[Segment]:
    return [*_merged(messages).segments, Segment(text=cue, trusted=True)]


def _with_sentinels(segments: Sequence[Segment], untrusted: dict[str, str]) -> str:
    """Trusted text as it is; a random 128-bit sentinel for each untrusted part, remembered in order."""
    parts = []
    for segment in segments:
        if segment.trusted:
            parts.append(segment.text)
        else:
            sentinel = f"U{secrets.token_hex(16)}U"
            untrusted[sentinel] = segment.text
            parts.append(sentinel)
    return "".join(parts)


def _split_at_sentinels(text: str, untrusted: dict[str, str]) -> list[Segment]:
    segments: list[Segment] = []
    for sentinel, value in untrusted.items():
        before, found, text = text.partition(sentinel)
        if not found or sentinel in text:
            raise ModelError(
                "the chat template drops, doubles or reorders the audited text",
                "Use style = 'plain' in the model's manifest, or a template that shows each message once.",
            )
        segments += [Segment(text=before, trusted=True), Segment(text=value, trusted=False)]
    return [s for s in [*segments, Segment(text=text, trusted=True)] if s.text]
