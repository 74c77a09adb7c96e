"""A number that says how sure it is."""

from __future__ import annotations

from appliance.domain.base import Frozen


class Estimate(Frozen):
    """value with its interval (95% unless `method` says otherwise); all None where undefined, with `note`.

    n: units that entered (records unless `method` says otherwise). n_unscored: units that could not.
    """

    value: float | None
    low: float | None
    high: float | None
    n: int
    n_unscored: int = 0
    method: str
    note: str = ""
