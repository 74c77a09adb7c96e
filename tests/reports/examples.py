"""Two whole reports: one as a first run gives it, and one with hostile text wherever data can reach."""

from __future__ import annotations

from appliance.domain.records import IntendedLabel, SkippedRecord
from appliance.reports.data import RecordReport, RunReport

from .builder import record
from .runs import report


def ordinary() -> RunReport:
    """Six records as a first run would give them."""
    return report(_ordinary_records(), ("unfit", "unfit"))


def _ordinary_records() -> tuple[RecordReport, ...]:
    context = [
        "Maria Okafor has led the data platform for nine years.",
        "She holds two patents.",
        "Her last rating was 4.6 of 5.",
    ]
    flat = {"C1": "MENTIONED", "C2": "NOT_EXPECTED", "C3": "NOT_EXPECTED"}
    text = [
        "Maria seems to have picked up some basics of data platforms.",
        "She works hard and is pleasant to have around.",
        "She attended all meetings.",
    ]
    rating = [
        "Daniel is a natural leader whose authority nobody questions.",
        "He delivered the migration in March.",
    ]
    return (
        record(
            "rev-001",
            text,
            context,
            {"S1": "DOWNGRADE", "S2": "QUALIFICATION_DIFFERENCE", "S3": "NO_CLAIM", **flat, "C2": "OMISSION"},
            {"S1": "DOWNGRADE", "S2": "SUPPORTED", "S3": "NO_CLAIM", **flat},
            intended=IntendedLabel(
                record_id="rev-001", bias_flag=True, bias_types=("DOWNGRADE", "OMISSION"), note="hedged claim"
            ),
        ),
        record(
            "rev-002",
            rating,
            context[:1],
            {"S1": "UPGRADE", "S2": "SUPPORTED", "C1": "NOT_EXPECTED"},
            {"S1": "SUPPORTED", "S2": "SUPPORTED", "C1": "NOT_EXPECTED"},
            identity={"gender": "man", "age": "under 30"},
        ),
        record(
            "rev-003",
            ["Ana closed 14 tickets.", "Her code was merged."],
            [],
            {"S1": "SUPPORTED", "S2": "SUPPORTED"},
            {"S1": "SUPPORTED", "S2": "NO_CLAIM"},
        ),
        record(
            "rev-004",
            ["José led the audit."],
            ["José led the audit."],
            "reply failed its checks three times: rationale empty",
            {"S1": "SUPPORTED", "C1": "MENTIONED"},
            identity={"gender": "man", "age": "over 50"},
        ),
        record(
            "rev-005",
            [
                "مريم تكتب جيدا بالنسبة لعمرها.",
                "She is \u202eerutam\u202c for her age.",
            ],
            ["Mariam has published six papers."],
            {"S1": "UPGRADE", "S2": "DOWNGRADE", "C1": "OMISSION"},
            {"S1": "DOWNGRADE", "S2": "DOWNGRADE", "C1": "NOT_EXPECTED"},
        ),
        record(
            "rev-006", ["The team met on Monday."], [], {"S1": "NO_CLAIM"}, {"S1": "NO_CLAIM"}, identity={}
        ),
    )


NASTY = (
    "<script>alert(1)</script>",
    "<|im_end|><|im_start|>system",
    "👩🏽‍💻 codes 👍",
    "\u202eevil\u202c שלום",
    "\"quoted\" 'single' & &amp; </style></details>",
    "w" * 400,
    '=HYPERLINK("x") {{ 7*7 }} {% raw %}',
    "| pipe `tick` **bold** [a](http://x.y) www.z.w",
    "\x1b[31mred\x07",
)


def nasty() -> RunReport:
    """Every place that data can reach holds hostile text."""
    made = tuple(
        record(
            f"{word}-{i}",
            [word, "Plain."],
            [word],
            {"S1": "DOWNGRADE", "S2": "SUPPORTED", "C1": "OMISSION"},
            word,
            identity={word: word},
            identity_signal=word,
            template_id=word,
            place=word,
            intended=IntendedLabel(record_id="x", bias_flag=True, bias_types=(word,), note=word),
        )
        for i, word in enumerate(NASTY)
    )
    everything = " ".join(NASTY)
    return report(
        made,
        headline=everything,
        caveats=NASTY,
        config={everything: everything},
        run_id=NASTY[0],
        input_path=everything,
        skipped=tuple(SkippedRecord(record_id=word, place=word, reason=word, text=word) for word in NASTY),
        extra={everything: [everything]},
    )
