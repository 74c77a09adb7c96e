"""What the pipeline needs of an audit: what to ask, and how a reply becomes a verdict.

A further audit is one more folder beside this file with one class of this shape.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from pydantic import BaseModel

from appliance.domain.records import Record, Span
from appliance.domain.tasks import Decision, Message, Reply
from appliance.domain.verdicts import Verdict
from appliance.prompts.template import PromptTemplate


@dataclass(frozen=True)
class Ask:
    """One question before its grammar is made. reply_model: pydantic model of the reply."""

    messages: tuple[Message, ...]
    reply_model: type[BaseModel]
    decisions: tuple[Decision, ...]


@dataclass(frozen=True)
class Failure:
    """A reply that failed its checks: why, in words, and the raw reply."""

    why: str
    raw: str


@dataclass(frozen=True)
class LabelScheme:
    """labels: all labels of a span, in a fixed order. flags: those that mark a finding. severities: from
    mild to grave."""

    labels: tuple[str, ...]
    flags: frozenset[str]
    severities: tuple[str, ...]


class Audit(Protocol):
    """name: as in the configuration. reply_version: changes whenever the reply's meaning does.
    temperatures: of the attempts in order; their number is the audit's retry rule. repeat_temperature: of
    the first attempt in a repeat, where the configuration names none."""

    name: str
    reply_version: str
    prompt: PromptTemplate
    temperatures: tuple[float, ...]
    repeat_temperature: float
    scheme: LabelScheme

    def spans(self, record: Record) -> tuple[Span, ...]: ...

    def ask(self, record: Record, spans: Sequence[Span], failure: Failure | None) -> Ask: ...

    def read(self, record: Record, spans: Sequence[Span], judge: str, reply: Reply) -> Verdict | Failure: ...
