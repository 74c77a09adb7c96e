"""Settings that every audit has."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from appliance.config.fields import NoFile, Temperature
from appliance.domain.base import Frozen


class InputConfig(Frozen):
    """path: file of records, or of items. pairs: file of ready test pairs, for a judge-bias audit. labels:
    optional file of intended labels, to show how far the judges miss them. columns: our name -> the file's
    column. identity: dimension -> the file's column."""

    path: NoFile = ""
    pairs: NoFile = ""
    labels: NoFile = ""
    columns: dict[str, str] = Field(default_factory=dict)
    identity: dict[str, str] = Field(default_factory=dict)


class CompetenceConfig(Frozen):
    """identity_dimensions: for records that name none. prompt: version under prompts/competence.
    reason_words: bound of each reason the judge writes, in words. retry_temperatures: of the second and
    third attempt (the first is greedy); three failures send the record to people."""

    identity_dimensions: tuple[str, ...] = ()
    prompt: str = Field(default="v1", pattern=r"^[A-Za-z0-9._-]+$")
    reason_words: int = Field(default=8, ge=3, le=60)
    retry_temperatures: tuple[Temperature, Temperature] = (0.2, 0.4)


class JudgesConfig(Frozen):
    """a, b: manifest names; b may be left out where one judge is itself what is audited. backend: the
    engine's grammar back end. seed: of sampling, plus one a retry and a thousand a repeat."""

    a: str = ""
    b: str = ""
    backend: Literal["guidance", "xgrammar"] = "guidance"
    seed: int = Field(default=1, ge=0, lt=2**31)


class DivergenceConfig(Frozen):
    """A record is divergent, and goes to people, when any of these holds.

    score_difference: |A - B| above it (scores lie in -1..1). flag_disagreement: one flags, one does not.
    severity_steps: severities at least so many steps apart (none, LOW, MEDIUM, HIGH).
    evidence_overlap: Jaccard index of the flagged sentences below it. label_agreement: share of sentences
    with the same label below it."""

    score_difference: float = Field(default=0.34, ge=0, le=2)
    flag_disagreement: bool = True
    severity_steps: int = Field(default=2, ge=1, le=3)
    evidence_overlap: float = Field(default=0.5, ge=0, le=1)
    label_agreement: float = Field(default=0.5, ge=0, le=1)


class RepeatsConfig(Frozen):
    """count: further answers to every record, which measure how far a judge repeats itself; its first answer
    is the one that counts. temperature: of those; None for the audit's own. score_sd: standard deviation of
    a record's scores above which it goes to people."""

    count: int = Field(default=0, ge=0, le=50)
    score_sd: float = Field(default=0.25, ge=0)
    temperature: Temperature | None = None


class AlertsConfig(Frozen):
    """Who is told when a run is INCONCLUSIVE. file: gets one JSON line an alert. command: program and
    arguments, started without a shell; reads the alert as JSON from standard input."""

    file: NoFile = ""
    command: tuple[str, ...] = ()


class BiasGateConfig(Frozen):
    """Refuses an audit by judges that are not shown to be unbiased themselves. store: of their judge-bias
    audits, or its configuration; "" demands none. dimensions: that must be clear, by name or family; empty
    for all that were audited. max_age_days: an older audit does not count; None for any age."""

    store: NoFile = ""
    dimensions: tuple[str, ...] = ()
    max_age_days: int | None = Field(default=None, ge=1)


class LimitsConfig(Frozen):
    """max_unscored: share of records unscored by either judge above which `run` exits with 3."""

    max_unscored: float = Field(default=0.05, ge=0, le=1)
