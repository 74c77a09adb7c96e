"""The grid that a configuration describes."""

from __future__ import annotations

from appliance.config import Config
from appliance.errors import ConfigError
from appliance.probes.grid import Grid
from appliance.probes.identities import load_identities
from appliance.probes.names import load_names
from appliance.records.templates import read_templates


def load_grid(config: Config) -> Grid:
    """Read and check it: every value is known, every template signals every dimension, and variants differ in
    identity terms alone. ConfigError, InputError."""
    settings = config.grid
    if not settings.templates:
        raise ConfigError("grid.templates: missing", "Name the file of task templates under [grid].")
    if not settings.dimensions:
        raise ConfigError("grid.dimensions: missing", 'For example: gender = ["woman", "man"].')
    known = load_identities(config.resolve(settings.identities) if settings.identities else None)
    chosen = {}
    for dimension, values in settings.dimensions.items():
        held = known.get(dimension, {})
        unknown = [value for value in values if value not in held]
        if unknown or len(values) < 2 or len(set(values)) < len(values):
            what = f"no value '{unknown[0]}'" if unknown else "two different values or more are needed"
            listed = ", ".join(held) or f"no such dimension; dimensions: {', '.join(known)}"
            raise ConfigError(f"grid.dimensions.{dimension}: {what}", f"Known: {listed}.")
        chosen[dimension] = {value: held[value] for value in values}
    grid = Grid(
        dimensions=chosen,
        templates=read_templates(config.resolve(settings.templates)),
        names=load_names(config.resolve(settings.name_sets) if settings.name_sets else None),
        per_cell=settings.per_cell,
        templates_per_profile=settings.templates_per_profile,
        max_profiles=settings.max_profiles,
        seed=settings.seed,
    )
    grid.check()
    return grid
