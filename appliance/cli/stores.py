"""What commands that read a store share."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from appliance.store.reader import Reader

STORE = click.option(
    "-s",
    "--store",
    type=click.Path(path_type=Path),
    default=Path("audit.sqlite"),
    show_default=True,
    help="The store, or the configuration that names it.",
)
RUN = click.argument("run_id", metavar="RUN", default="latest")


def as_json_option(function: Callable[..., Any]) -> Callable[..., Any]:
    return click.option("--json", "as_json", is_flag=True, help="Print JSON for a program.")(function)


def store_path(store: Path) -> Path:
    """The store itself, or the one that this configuration names."""
    from appliance.config import load_config

    if store.suffix != ".toml":
        return store
    config = load_config(store)
    return config.resolve(config.store)


@contextmanager
def reading(store: Path) -> Iterator[Reader]:
    """A reader of the store at this path, or of the one that this configuration names."""
    from appliance.store.database import open_for_reading, reported
    from appliance.store.reader import Reader

    store = store_path(store)
    database = open_for_reading(store)
    try:
        with reported(store):
            yield Reader(database)
    finally:
        database.close()
