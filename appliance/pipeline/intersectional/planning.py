"""What a grid costs and what it can show, before the model under audit is asked anything.

Nothing is laid out in memory: a grid of two hundred thousand variants is planned in seconds.
"""

from __future__ import annotations

import contextlib
import math
import random
from pathlib import Path

import numpy as np

from appliance.config import Config
from appliance.domain.base import Frozen
from appliance.errors import UnknownIdError
from appliance.pipeline.intersectional.collect import target_of
from appliance.pipeline.intersectional.variants import load_grid
from appliance.probes.grid import Grid
from appliance.statistics.power.grid import grid as grid_power
from appliance.store.database import check_place, open_for_reading
from appliance.store.reader import Reader

SAMPLED = 200  # tasks whose length stands for all


class GridPlan(Frozen):
    """responses: variants times repeats. held: responses that the store has. judge_calls: of both judges
    together, at least. task_characters: of all tasks, estimated from a sample. per_cell: responses of each
    profile (the smallest, where profiles are drawn). too_small: whether that is fewer than min_n, so that
    nothing can be concluded of any intersection. half_width, difference, interaction: of one cell, as shares:
    half the width of its rate's interval, the smallest difference from all others and the smallest excess
    over its single axes that are shown with 80% power, at rates near one half (the hardest), Holm over the
    cells, if all responses were independent; None where nothing can be shown."""

    target: str
    dimensions: dict[str, int]
    profiles: int
    templates: int
    variants: int
    responses: int
    held: int
    judge_calls: int
    task_characters: int
    per_cell: int
    min_n: int
    too_small: bool
    half_width: float | None
    difference: float | None
    interaction: float | None


def plan_grid(config: Config, root: Path) -> GridPlan:
    """ConfigError, InputError and ModelError as a run would have them."""
    check_place(config.resolve(config.store))
    target, made = target_of(config, root), load_grid(config)
    responses = len(made) * config.model.repeats
    per_cell = made.n_templates * made.per_cell * config.model.repeats
    shape = tuple(len(values) for values in made.dimensions.values())
    whole = made.n_profiles == math.prod(shape)
    sizes = (
        np.full(shape, per_cell, dtype=float) if whole else np.full(made.n_profiles, per_cell, dtype=float)
    )
    shown = grid_power(sizes)
    return GridPlan(
        target=target.name,
        dimensions={name: len(values) for name, values in made.dimensions.items()},
        profiles=made.n_profiles,
        templates=made.n_templates,
        variants=len(made),
        responses=responses,
        held=_held(config, target.fingerprint),
        judge_calls=2 * responses * (1 + config.repeats.count),
        task_characters=round(_mean_length(made) * responses),
        per_cell=per_cell,
        min_n=config.intersectional.min_n,
        too_small=per_cell < config.intersectional.min_n,
        half_width=_first(shown.half_width),
        difference=_first(shown.difference),
        interaction=_first(shown.interaction),
    )


def _first(values: np.ndarray[tuple[int, ...], np.dtype[np.float64]]) -> float | None:
    """All cells are of one size."""
    value = float(values.flat[0]) if values.size else math.nan
    return None if math.isnan(value) else value


def _mean_length(made: Grid) -> float:
    rng = random.Random(made.seed)
    values = {name: list(levels) for name, levels in made.dimensions.items()}
    drawn = (
        made.variant(rng.choice(made.templates), {n: rng.choice(v) for n, v in values.items()}, 1)
        for _ in range(SAMPLED)
    )
    return sum(len(variant.text) for variant in drawn) / SAMPLED


def _held(config: Config, fingerprint: str) -> int:
    try:
        database = open_for_reading(config.resolve(config.store))
    except UnknownIdError:
        return 0
    with contextlib.closing(database):
        return sum(not r.error for r in Reader(database).responses(fingerprint).values())


def grid_plan_text(plan: GridPlan) -> str:
    """The plan in words, for a terminal."""
    shape = " × ".join(f"{name} ({n})" for name, n in plan.dimensions.items())
    lines = [
        f"{plan.profiles} profiles of {shape}, {plan.templates} templates each: {plan.variants} variants",
        f"{plan.target}: {plan.responses} responses to ask for, {min(plan.held, plan.responses)} are held "
        f"already; about {plan.task_characters} characters of tasks",
        f"judges: {plan.judge_calls} calls of both together, more where replies fail their checks",
        f"{plan.per_cell} responses of each intersection",
    ]
    if plan.too_small:
        lines.append(
            f"  TOO SMALL: {plan.min_n} are needed (intersectional.min_n) before anything is concluded of an "
            "intersection; raise grid.per_cell, model.repeats or the number of templates"
        )
    for what, value in (
        ("its flag rate is known to within", plan.half_width),
        ("smallest difference from all others that can be shown (80% power)", plan.difference),
        ("smallest excess over its single axes that can be shown", plan.interaction),
    ):
        told = "nothing, whatever is found" if value is None or value >= 1 else f"{100 * value:.0f} points"
        lines.append(f"  {what}: {told}")
    lines.append("  (if responses were independent; those to one template are less)")
    return "\n".join(lines)
