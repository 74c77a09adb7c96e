"""Rates by identity group. Descriptive only: tests of difference come with the statistics of bias."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence

from appliance.domain.records import Record
from appliance.domain.verdicts import Verdict
from appliance.reports.data import GroupRow
from appliance.statistics.proportions import rate


def group_rows(
    records: Sequence[Record], judges: Sequence[tuple[str, Mapping[str, Verdict]]]
) -> tuple[GroupRow, ...]:
    """One row per dimension, value and judge; judges: (name, record_id -> verdict)."""
    members: dict[tuple[str, str], list[str]] = defaultdict(list)
    for record in records:
        for dimension, value in record.identity.items():
            members[dimension, value].append(record.record_id)
    return tuple(
        _row(dimension, value, name, [verdicts[i] for i in ids if i in verdicts])
        for (dimension, value), ids in sorted(members.items())
        for name, verdicts in judges
    )


def _row(dimension: str, value: str, judge: str, verdicts: Sequence[Verdict]) -> GroupRow:
    scored = [v for v in verdicts if v.status == "scored"]
    scores = [v.score for v in scored if v.score is not None]
    flagged = sum(bool(v.flag) for v in scored)
    return GroupRow(
        dimension=dimension,
        value=value,
        judge=judge,
        flag_rate=rate(flagged, len(scored), n_unscored=len(verdicts) - len(scored)),
        mean_score=sum(scores) / len(scores) if scores else None,
    )
