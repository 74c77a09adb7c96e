"""From what a judge said of displayed positions to which item won.

A published study counted flips on displayed labels and tripled them. Here displayed choices and winners are
different types that never compare equal, and everything that counts takes winners and refuses the rest.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum
from typing import Any

import numpy as np
import numpy.typing as npt


class Shown(Enum):
    """What the judge chose, by where it stood."""

    FIRST = "first"
    SECOND = "second"
    TIE = "tie"


class Winner(Enum):
    """What that means for the two items of a pair."""

    A = "A"
    B = "B"
    TIE = "tie"


Winners = Sequence[Winner | None]


def map_back(
    shown: Sequence[Shown | None], swapped: bool | Sequence[bool] | npt.NDArray[np.bool_]
) -> tuple[Winner | None, ...]:
    """Winners of displayed choices; swapped: whether item B was shown first, for all or for each. None
    (unscored) stays None. Raises TypeError for anything but `Shown`, ValueError for lengths that differ."""
    swaps = [swapped] * len(shown) if isinstance(swapped, bool) else list(swapped)
    if len(swaps) != len(shown):
        raise ValueError(f"swapped: {len(swaps)} given for {len(shown)} choices")
    return tuple(_winner(choice, bool(swap)) for choice, swap in zip(shown, swaps, strict=True))


def checked(**named: Sequence[Any]) -> list[list[Winner | None]]:
    """The lists of winners as given. Raises TypeError, with the name and the position, for what is neither
    `Winner` nor None, ValueError for lengths that differ."""
    for name, values in named.items():
        for i, value in enumerate(values):
            if value is not None and not isinstance(value, Winner):
                raise TypeError(f"{name}: a winner is expected, found {value!r} at position {i}")
    if len({len(values) for values in named.values()}) > 1:
        found = ", ".join(f"{name} {len(values)}" for name, values in named.items())
        raise ValueError(f"winners: lists of one length expected, found {found}")
    return [list(values) for values in named.values()]


def _winner(choice: Shown | None, swapped: bool) -> Winner | None:
    if choice is None:
        return None
    if not isinstance(choice, Shown):
        raise TypeError(f"a displayed choice is of type Shown, found {choice!r}")
    if choice is Shown.TIE:
        return Winner.TIE
    return Winner.A if (choice is Shown.FIRST) != swapped else Winner.B
