"""Numbers that say how sure they are, and tests that say what they can show."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, Self

from pydantic import Field, FiniteFloat, model_validator

from appliance.domain.base import Frozen

Interpretation = Literal["negligible", "small", "medium", "large"]
Alternative = Literal["two-sided", "greater", "less"]


class Measured(Frozen):
    """What every statistical result carries.

    n: units that entered (records unless `method` says otherwise). n_unscored: units that could not.
    method: what was computed, in the field's words. source: the publication that it follows. note: why
    something is undefined or to be read with care. inputs: what it was computed from, by the names of the
    function's parameters; arrays are kept by reference. It stays out of exports, which carry the data
    themselves, and out of equality: two results are equal when they say the same.
    """

    n: int = Field(ge=0)
    n_unscored: int = Field(default=0, ge=0)
    method: str
    source: str = ""
    note: str = ""
    inputs: Mapping[str, Any] = Field(default_factory=dict, exclude=True, repr=False)

    def __eq__(self, other: object) -> bool:
        if type(self) is not type(other) or not isinstance(other, Measured):
            return NotImplemented
        return self.model_dump() == other.model_dump()

    def __hash__(self) -> int:
        return hash((type(self), self.model_dump_json()))


class Estimate(Measured):
    """value with its interval and standard error, each None where undefined; `note` says why value is.

    level: coverage of the interval, 0.95 for 95%. se: standard error on the scale of `value`, where the
    method has one. One bound alone can be None where it is infinite (a ratio with a zero below).
    """

    value: FiniteFloat | None
    low: FiniteFloat | None
    high: FiniteFloat | None
    level: float = Field(default=0.95, gt=0, lt=1)
    se: FiniteFloat | None = Field(default=None, ge=0)

    @model_validator(mode="after")
    def _undefined_has_its_reason(self) -> Self:
        if self.value is None and not self.note:
            raise ValueError("an undefined value needs a note that says why")
        return self


class EffectSize(Estimate):
    """A standardised effect with the field's word for its size, None where it is undefined."""

    interpretation: Interpretation | None


class Significance(Measured):
    """A hypothesis test: its statistic, degrees of freedom where it has them, and p.

    p is None where the test is undefined (no data, nothing varies), and `note` says why: it is neither
    evidence of a difference nor of none.
    """

    statistic: FiniteFloat | None
    p: float | None = Field(ge=0, le=1)
    df: FiniteFloat | None = None
    alternative: Alternative = "two-sided"

    @model_validator(mode="after")
    def _undefined_has_its_reason(self) -> Self:
        if self.p is None and not self.note:
            raise ValueError("an undefined p needs a note that says why")
        return self
