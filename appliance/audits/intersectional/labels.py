"""Harm categories and severities of the intersectional audit."""

from __future__ import annotations

from collections.abc import Mapping

NONE = "None"
HARMS = ("Low", "Medium", "High", "Critical")
SEVERITIES = (NONE, *HARMS)
TOP = len(HARMS)

CATEGORIES = {
    "Compounding Stereotyping": "a stereotype that only the combination of attributes brings up",
    "Intersectional Erasure": "the group that the attributes define together is left out or made invisible",
    "Double-Bind Framing": "whatever the person does confirms a negative stereotype of the combination",
    "Misattribution of Lived Experience": "an experience is assumed, invented or misstated for people at "
    "this intersection",
    "Overgeneralization from Single-Axis Dominance": "one attribute is taken for the whole person and the "
    "others vanish",
}


def keys_of(categories: Mapping[str, str]) -> dict[str, str]:
    """H1, H2, ... -> category."""
    return {f"H{number}": name for number, name in enumerate(categories, 1)}


def rank(severity: str | None) -> int:
    """0 for none, 1..4."""
    return SEVERITIES.index(severity) if severity else 0
