"""The questions of a judge-bias audit: items, or ready pairs of the user's own, under every dimension."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from appliance.config import Config
from appliance.domain.pairs import Item, ProbePair, Unbuilt
from appliance.domain.records import RecordSet, SkippedRecord
from appliance.errors import ConfigError, InputError
from appliance.pipeline.judge_bias.authors import AUTHORS, author_pairs
from appliance.pipeline.judge_bias.design import (
    NAMES,
    POSITION,
    Design,
    build,
    chosen,
    partners,
    position_pairs,
)
from appliance.pipeline.material import Material
from appliance.probes.registry import probes
from appliance.records.items import read_items
from appliance.records.pair_rows import read_pairs

Built = list[tuple[Item, ProbePair | Unbuilt]]


def judge_bias_material(config: Config) -> Material:
    """Everything is built, and what cannot be is refused, before the first call. InputError when no dimension
    has enough pairs: INSUFFICIENT_DATA."""
    if bool(config.input.path) == bool(config.input.pairs):
        raise ConfigError(
            "[input]: name either path (items) or pairs (ready pairs)", "Remove one of the two."
        )
    design = Design(config)
    skipped = _supplied(config, design) if config.input.pairs else _probed(config, design)
    _refuse_nothing(design)
    return Material(RecordSet(records=design.records(), skipped=skipped), pairs=tuple(design.pairs))


def _probed(config: Config, design: Design) -> tuple[SkippedRecord, ...]:
    path = config.resolve(config.input.path)
    items, skipped = read_items(path, config.input.columns)
    if not items:
        raise InputError(f"{path}: no items that can be scored", "Check the column of the output.")
    settings = config.probes
    _refuse_unnamed(config, [item.person for item in items])
    used = chosen(items, settings.num_test_pairs, settings.seed)
    design.add_given([*used, *partners(items, used)])
    for dimension, built in _by_dimension(config, items, used):
        design.add(dimension, built)
    return skipped


def _by_dimension(config: Config, items: Sequence[Item], used: Sequence[Item]) -> list[tuple[str, Built]]:
    settings = config.probes
    own = config.resolve(settings.name_sets) if settings.name_sets else None
    known, authored = probes(own), author_pairs(items)
    pairwise = config.target.mode == "pairwise"
    everything = (*((POSITION,) if pairwise else ()), *authored, *known)
    names = [n for asked in settings.dimensions for n in _members(asked, everything)] or everything
    found: list[tuple[str, Built]] = []
    for name in dict.fromkeys(names):
        if name == POSITION and pairwise:
            found.append((name, position_pairs(items)[: settings.num_test_pairs]))
        elif name in authored:
            found.append((name, authored[name][: settings.num_test_pairs]))
        elif name in known:
            found.append((name, build(known[name], used, settings.seed)))
        else:
            raise ConfigError(_unknown(name), f"Known: {', '.join((POSITION, *authored, *known))}.")
    return found


def _members(asked: str, known: Iterable[str]) -> list[str]:
    """The dimensions of a family, as in "demographic" for every "demographic: ..."; else the name itself."""
    return [name for name in known if name.startswith(f"{asked}: ")] or [asked]


def _unknown(name: str) -> str:
    if name == POSITION:
        return "probes.dimensions: a judge that scores one answer at a time has no position to favour"
    if name.split(":")[0] == AUTHORS:
        return f"probes.dimensions: '{name}' needs answers of both models to one task (column author)"
    return f"probes.dimensions: no dimension named '{name}'"


def _supplied(config: Config, design: Design) -> tuple[SkippedRecord, ...]:
    pairs, skipped = read_pairs(config.resolve(config.input.pairs), config.input.columns)
    _refuse_unnamed(config, [pair.a.person or pair.b.person for _, pair in pairs])
    dimensions: dict[str, Built] = {}
    for item, pair in pairs:
        dimensions.setdefault(pair.dimension, []).append((item, pair))
    for dimension, built in dimensions.items():
        design.add(dimension, built)
    return skipped


def _refuse_unnamed(config: Config, persons: Sequence[str]) -> None:
    """Nothing would be redacted, and the audit would seem to show that redaction does not help."""
    if NAMES in config.target.mitigations and not any(persons):
        raise ConfigError(
            "target.mitigations: 'name redaction' needs to know the person, and no row names one",
            "Give items a column person (pairs: person_a and person_b), or leave the mitigation out.",
        )


def _refuse_nothing(design: Design) -> None:
    if any(not pair.unbuilt for pair in design.pairs):
        return
    reasons = list(dict.fromkeys(f"{p.dimension}: {p.unbuilt}" for p in design.pairs))[:6]
    raise InputError(
        f"INSUFFICIENT_DATA: no dimension has enough pairs; {'; '.join(reasons) or 'no dimension was asked'}",
        "Give more items, or lower decision.min_complete_pairs and decision.min_subgroup; smaller samples "
        "show less.",
    )
