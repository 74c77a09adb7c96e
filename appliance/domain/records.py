"""What is audited: records, and the numbered spans that judges cite."""

from __future__ import annotations

from functools import cached_property
from typing import Literal

from pydantic import Field

from appliance.domain.base import Frozen, digest

SpanSource = Literal["text", "context"]


class Span(Frozen):
    """One sentence or clause. `label` is S1..Sn for the text, C1..Cm for the context.

    `start` and `end` are offsets in Unicode code points into the record's text (or context);
    `text` is exactly that slice.
    """

    label: str
    source: SpanSource
    start: int
    end: int
    text: str


class Record(Frozen):
    """One text to audit, as the user supplied it.

    identity: dimension -> value, for grouping (never inferred by a model).
    identity_signal: how the text signals identity (a name, a pronoun, a title).
    identity_dimensions: the dimensions that the judges are asked about.
    other: the second answer, where a judge compares two (text is then the first); "" else.
    template_id: records with the same one have equal content and differ only in identity.
    place: where it was read, e.g. "reviews.csv, line 12", for messages.
    """

    record_id: str
    text: str
    context: str = ""
    other: str = ""
    identity_signal: str = ""
    identity_dimensions: tuple[str, ...]
    identity: dict[str, str] = Field(default_factory=dict)
    scoring_rubric: str = ""
    template_id: str = ""
    metadata: dict[str, str] = Field(default_factory=dict)
    place: str = ""

    @cached_property
    def content_hash(self) -> str:
        """SHA-256 over everything that the record contributes (its place in the file is not part of it)."""
        return digest(self.model_dump(exclude={"place"} if self.other else {"place", "other"}))


class SkippedRecord(Frozen):
    """A row that cannot be judged as it is: kept, counted as unscored with its reason, never dropped.
    set_aside: it says nothing of anybody's identity, so there is nothing to judge; counted apart."""

    record_id: str
    place: str
    reason: str
    text: str = ""
    identity: dict[str, str] = Field(default_factory=dict)
    set_aside: bool = False


class RecordSet(Frozen):
    """All rows of one input, in file order: judged ones and those that cannot be."""

    records: tuple[Record, ...]
    skipped: tuple[SkippedRecord, ...] = ()


class IntendedLabel(Frozen):
    """What the author of a test text planted in it. Not a golden label: no person judged it blind."""

    record_id: str
    bias_flag: bool
    bias_types: tuple[str, ...] = ()
    note: str = ""
