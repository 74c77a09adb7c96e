"""Every probe by its dimension. A further one is one more line here."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from appliance.probes.appended import Appended
from appliance.probes.attributes import attribute_probes
from appliance.probes.demographic import demographic_probes
from appliance.probes.interface import Probe
from appliance.probes.length import Length
from appliance.probes.names import load_names
from appliance.probes.phrases import load_phrases
from appliance.probes.style import STYLES


@lru_cache(maxsize=8)
def probes(own_names: Path | None = None) -> dict[str, Probe]:
    """dimension -> probe, in the order of the report; own_names: a file of the user's own name sets."""
    phrases = load_phrases()
    texts: list[Probe] = [Length(phrases.length.filler), *STYLES]
    texts += [Appended(name, entry) for name, entry in phrases.appended.items()]
    people: list[Probe] = [*demographic_probes(load_names(own_names)), *attribute_probes()]
    return {probe.dimension: probe for probe in (*texts, *people)}


def described(dimension: str) -> str:
    """What it varies, in words; "" for a dimension that no probe of ours has."""
    known = probes().get(dimension)
    return known.varies if known else ""
