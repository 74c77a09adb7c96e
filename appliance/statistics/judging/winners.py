"""From what a judge said of displayed positions to which item won.

A published study counted flips on displayed labels and tripled them. Here displayed choices and winners are
different types, and everything that counts takes winners.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import IntEnum


class Shown(IntEnum):
    """What the judge chose, by where it stood."""

    FIRST = 0
    SECOND = 1
    TIE = 2


class Winner(IntEnum):
    """What that means for the two items of a pair."""

    A = 0
    B = 1
    TIE = 2


def map_back(shown: Sequence[Shown | None], swapped: bool | Sequence[bool]) -> tuple[Winner | None, ...]:
    """Winners of displayed choices; swapped: whether item B was shown first, for all or for each. None
    (unscored) stays None. Raises TypeError for anything but `Shown`, ValueError for lengths that differ."""
    swaps = [swapped] * len(shown) if isinstance(swapped, bool) else list(swapped)
    if len(swaps) != len(shown):
        raise ValueError(f"swapped: {len(swaps)} given for {len(shown)} choices")
    return tuple(_winner(choice, swap) for choice, swap in zip(shown, swaps, strict=True))


def _winner(choice: Shown | None, swapped: bool) -> Winner | None:
    if choice is None:
        return None
    if not isinstance(choice, Shown):
        raise TypeError(f"a displayed choice is of type Shown, found {choice!r}")
    if choice is Shown.TIE:
        return Winner.TIE
    return Winner.A if (choice is Shown.FIRST) != swapped else Winner.B
