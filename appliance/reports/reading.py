"""Agreement statistics in plain words, undefined cases included."""

from __future__ import annotations

from appliance.domain.estimates import Estimate
from appliance.reports.data import RunDivergence
from appliance.reports.words import DASH, number, rate, statistic

# Conventional bands (Landis and Koch 1977), worded for readers who do not know them.
_BANDS = (
    (0.0, "no better than chance"),
    (0.2, "hardly better than chance"),
    (0.4, "weak agreement"),
    (0.6, "moderate agreement"),
    (0.8, "substantial agreement"),
    (1.01, "close to full agreement"),
)
_CONSTANT = (
    "there is no variation by which agreement could be told from chance. This does not show that they agree"
)


def kappa_reading(kappa: Estimate) -> str:
    """One sentence on a defined kappa; '' when it is undefined (its reason then stands in its place)."""
    if kappa.value is None:
        return ""
    words = next(text for bound, text in _BANDS if kappa.value <= bound)
    return f"Read as {words}.{_doubt(kappa)}"


def _doubt(kappa: Estimate) -> str:
    if kappa.low is None or kappa.high is None:
        return " Without an interval this says little."
    if kappa.low <= 0 <= kappa.high and (kappa.value or 0) > 0:
        return " The interval contains 0, so agreement by chance alone is not ruled out."
    if kappa.high - kappa.low > 0.5:
        return " The interval is wide: more records are needed for a firm statement."
    return ""


def flag_kappa_note(d: RunDivergence) -> str:
    """Why the kappa of the flags is undefined, or 0 by construction; '' when neither."""
    first, second = d.both_flagged + d.only_first, d.both_flagged + d.only_second
    if d.n_compared == 0:
        return "Undefined: no record was scored by both judges, so nothing can be compared."
    if d.both_flagged == d.n_compared or d.neither == d.n_compared:
        what = "a flag" if d.both_flagged else "no flag"
        return f"Undefined: both judges gave every compared record the same answer ({what}), so {_CONSTANT}."
    for name, flagged in (("first", first), ("second", second)):
        if flagged in (0, d.n_compared):
            what = "every" if flagged else "no"
            return (
                f"The {name} judge flagged {what} compared record, so kappa is {number(0.0, digits=0)} "
                "whatever the other one said: it cannot tell agreement from chance here."
            )
    return ""


def label_kappa_note(kappa: Estimate, n_compared: int) -> str:
    """Why a kappa over labels or severities is undefined; '' when it is defined."""
    if kappa.value is not None:
        return ""
    if n_compared == 0:
        return "Undefined: no record was scored by both judges."
    return kappa.note or f"Undefined: both judges used one and the same value everywhere, so {_CONSTANT}."


def agreement_rows(d: RunDivergence) -> tuple[tuple[str, Estimate, str, str], ...]:
    """(name, value, 'rate' or 'kappa', reading) of every agreement statistic, for all writers."""
    flag_note = flag_kappa_note(d)
    return (
        ("Same answer on the flag, per record", d.flag_agreement, "rate", ""),
        ("Kappa of the flags", d.flag_kappa, "kappa", flag_note or kappa_reading(d.flag_kappa)),
        ("Same label, per sentence", d.label_agreement, "rate", ""),
        ("Kappa of the labels", d.label_kappa, "kappa", _labels(d.label_kappa, d)),
        ("Kappa of the severities", d.severity_kappa, "kappa", _labels(d.severity_kappa, d)),
    )


def measure(value: Estimate, kind: str, reading: str) -> str:
    """One row of `agreement_rows` as one text."""
    if value.value is None:
        return f"{DASH} {reading or value.note or 'Undefined.'}"
    shown = rate(value) if kind == "rate" else statistic(value)
    return f"{shown}. {reading}" if reading else shown


def _labels(kappa: Estimate, d: RunDivergence) -> str:
    return label_kappa_note(kappa, d.n_compared) or kappa_reading(kappa)
