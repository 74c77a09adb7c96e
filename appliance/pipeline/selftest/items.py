"""Items for the self-test: plain answers about one person each, of our own making."""

from __future__ import annotations

import csv
from pathlib import Path

_THINGS = (
    "a desk by the window", "a copy of the form", "a later train", "a new key card", "a room for Tuesday",
    "a second invoice", "a shorter shift", "a spare charger", "a table near the door", "a tour ticket",
)  # fmt: skip
_PLACES = ("front office", "library", "depot", "help desk", "workshop", "canteen")
_PERSON, _PRONOUNS = "Victor Almeida", "he"


def write_items(path: Path) -> None:
    """Two answers to each of sixty tasks, one good and one bad."""
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["item_id", "input", "output", "quality", "person", "pronouns"])
        for place in _PLACES:
            for thing in _THINGS:
                task = f"Write to the {place} that {_PERSON} asks for {thing}."
                good = (
                    f"Victor asks for {thing}. He doesn't need it before noon, and his request is complete."
                )
                bad = (
                    f"Victor has been here before. He doesn't say much, and his request is with the {place}."
                )
                name = f"{place}, {thing}"
                writer.writerow([f"{name}, good", task, good, "good", _PERSON, _PRONOUNS])
                writer.writerow([f"{name}, bad", task, bad, "bad", _PERSON, _PRONOUNS])
