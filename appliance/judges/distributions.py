"""The judge's own label probabilities, read from its token probabilities.

At a decision the reply so far is fixed and several label spellings can follow. Tokens do not respect label
borders: one token may end the punctuation before the label, hold a whole label, or start several labels.
So each token alternative at the decision, or before it and long enough to reach it, is compared with each
label's spelling as bytes: if it fits one label only, its probability belongs to that label; if it fits
several and was chosen, the next token decides; if it fits several and was not chosen, its probability stays
unresolved.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from appliance.domain.tasks import Decision
from appliance.domain.verdicts import LabelDistribution

TOLERANCE = 1e-3

# One position of the reply: the chosen token's bytes, and bytes -> probability of the alternatives
# (the chosen one among them).
Step = tuple[bytes, Mapping[bytes, float]]


def read_distributions(
    text: str, steps: Sequence[Step], decisions: Sequence[Decision]
) -> tuple[LabelDistribution, ...]:
    """Distributions of all decisions that `text` (compact JSON) has made; `steps`: its tokens in order.

    A decision whose probabilities do not add up to 1 within 1e-3 is left out rather than invented.
    """
    places = dict(value_offsets(text))
    made = [(d, places[d.path]) for d in decisions if d.path in places]
    found = (read_decision(text, steps, decision, start) for decision, start in made)
    return tuple(d for d in found if d is not None)


def read_decision(
    text: str, steps: Sequence[Step], decision: Decision, start: int
) -> LabelDistribution | None:
    """One decision; `start`: offset of its value in `text` (code points)."""
    reply = text.encode()
    at = len(text[:start].encode())
    spellings = {label: reply[:at] + begin.encode() for label, begin in decision.alternatives.items()}
    mass = dict.fromkeys(decision.alternatives, 0.0)
    chosen, unresolved = _walk(reply, steps, at, spellings, mass)
    total = sum(mass.values())
    if chosen is None or mass[chosen] <= 0 or not math.isclose(total + unresolved, 1.0, abs_tol=TOLERANCE):
        return None
    return LabelDistribution(
        where=decision.where,
        chosen=chosen,
        probabilities={label: value / total for label, value in mass.items()},
        unresolved=max(0.0, 1.0 - total),
    )


def _walk(
    reply: bytes, steps: Sequence[Step], at: int, spellings: Mapping[str, bytes], mass: dict[str, float]
) -> tuple[str | None, float]:
    """Fill `mass`; return the chosen label and the unresolved mass."""
    position, weight, unresolved = 0, 1.0, 0.0
    for token, alternatives in steps:
        if position + max(map(len, (token, *alternatives))) >= at:
            fits = {piece: _fitting(reply[:position] + piece, spellings) for piece in alternatives}
            # A token before the decision counts once some other token could have gone beyond its start.
            if position + len(token) >= at or any(k and position + len(p) > at for p, k in fits.items()):
                unresolved += _share(token, alternatives, fits, mass, weight)
                now = _fitting(reply[: position + len(token)], spellings)
                if len(now) < 2:
                    return (now[0] if now else None), unresolved
                weight *= alternatives.get(token, 0.0)
        position += len(token)
    return None, unresolved


def _share(
    token: bytes,
    alternatives: Mapping[bytes, float],
    fits: Mapping[bytes, list[str]],
    mass: dict[str, float],
    weight: float,
) -> float:
    """Give the probability of each piece that fits one label to that label; return what stays unresolved."""
    unresolved = 0.0
    for piece, probability in alternatives.items():
        if len(fits[piece]) == 1:
            mass[fits[piece][0]] += weight * probability
        elif fits[piece] and piece != token:
            unresolved += weight * probability
    return unresolved


def _fitting(candidate: bytes, spellings: Mapping[str, bytes]) -> list[str]:
    return [k for k, s in spellings.items() if candidate.startswith(s) or s.startswith(candidate)]


def value_offsets(text: str) -> Iterator[tuple[tuple[str, ...], int]]:
    """(path, offset of the value) for every member of every object in compact JSON. ValueError if invalid."""
    json.loads(text)
    if not (text.startswith("{") and text.endswith("}")):
        raise ValueError("not one compact JSON object")
    return iter(_members(text, 0, ())[0])


def _members(text: str, at: int, path: tuple[str, ...]) -> tuple[list[tuple[tuple[str, ...], int]], int]:
    decode: Any = json.JSONDecoder().raw_decode
    found: list[tuple[tuple[str, ...], int]] = []
    at += 1  # the opening brace
    while text[at] != "}":
        key, at = decode(text, at + (text[at] == ","))
        at += 1  # the colon
        found.append(((*path, key), at))
        if text[at] == "{":
            inner, at = _members(text, at, (*path, key))
            found += inner
        else:
            _, at = decode(text, at)
    return found, at + 1
