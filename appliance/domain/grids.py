"""A grid of identities over task templates: what the model under audit is asked, and what it answered."""

from __future__ import annotations

from appliance.domain.base import Frozen


class Template(Frozen):
    """A task with placeholders for a person. place: where it was read, for messages."""

    template_id: str
    text: str
    place: str = ""


class GridVariant(Frozen):
    """One task about one person.

    profile: dimension -> value. label: the intersection label. number: 1.. among the variants of one profile
    and template, which differ in the name. text: the task as the model under audit gets it. signals:
    dimension -> words that signal its value, as they can stand in a response; name: the person's, "" without
    one. terms: every piece that was put in."""

    variant_id: str
    template_id: str
    profile: dict[str, str]
    label: str
    number: int
    text: str
    name: str
    signals: dict[str, tuple[str, ...]]
    terms: tuple[str, ...]


class Response(Frozen):
    """What the model under audit answered. target: its fingerprint. repeat: 0.. of one variant. cut: whether
    it ran into its token limit. error: why there is no text, "" where there is one."""

    target: str
    variant_id: str
    repeat: int
    text: str
    cut: bool = False
    error: str = ""
    seconds: float = 0.0
    detail: str = ""
