"""Sighted against blind, for a terminal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from appliance.reports.intersectional.data import OwnShare
from appliance.reports.judge_bias.summary import points, wrap
from appliance.reports.words import number
from appliance.statistics.divergence.differential import Differential


def own_share_text(found: Sequence[OwnShare]) -> str:
    """Each judge: what knowing the identity changes over all, and for whom."""
    lines = [line for one in found for line in (*_judge(one), "")]
    return "\n".join(
        [*lines, "Severities run from 0 (None) to 4 (Critical); changes are sighted less blind."]
    )


def _judge(one: OwnShare) -> Iterator[str]:
    yield from wrap(
        f"{one.judge}: sighted {one.sighted_run}, blind {one.blind_run}, {one.n} responses in both"
    )
    told = f"knowing the identity changes the severity by {points(one.change)}"
    yield from wrap(f"{told}, p {number(one.change_test.p, one.change_test.note, 3)}", "  ")
    for dimension, differences in one.by.items():
        yield from _groups(dimension, differences)
    yield from _groups("intersections", one.cells)


def _groups(name: str, found: Differential) -> Iterator[str]:
    for group in found.groups:
        p = number(group.p_adjusted, group.test.note or "not tested", 3)
        yield from wrap(f"{name}, {group.group} against the rest: {points(group.effect)}, Holm p {p}", "  ")
