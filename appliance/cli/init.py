"""`appliance init`: an annotated configuration to start from."""

from __future__ import annotations

import json
from pathlib import Path

import click

_INPUTS = {"competence": "records", "judge-bias": "items", "intersectional": "templates"}


@click.command()
@click.argument("audit", type=click.Choice(list(_INPUTS)))
@click.argument("file", type=click.Path(path_type=Path), default=Path("audit.toml"))
@click.option(
    "--input", "records", type=click.Path(path_type=Path), help="The records, items or task templates."
)
def init(audit: str, file: Path, records: Path | None) -> None:
    """Write an annotated configuration for AUDIT to FILE (default audit.toml)."""
    from appliance.errors import ConfigError, InputError

    if records is not None and not records.is_file():
        raise InputError(f"{records}: no such file", "Name the file with your records.")
    path = f"{_INPUTS[audit]}.csv" if records is None else str(records.resolve())
    template = Path(__file__).parent / "templates" / f"{audit}.toml"
    try:
        text = template.read_text(encoding="utf-8").format(records=_quoted(path)).encode()
    except UnicodeEncodeError:
        raise InputError(f"{path!a}: the name is not UTF-8", "Rename the file.") from None
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        with file.open("xb") as out:
            out.write(text)
    except OSError as error:
        if file.exists():
            raise ConfigError(f"{file} exists already", "Name another file, or remove it first.") from None
        raise ConfigError(f"{file}: cannot be written: {error.strerror}", "Name another file.") from None
    click.echo(str(file))


def _quoted(text: str) -> str:
    """A TOML basic string. JSON's escapes are TOML's, except DEL, which JSON leaves as it is."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
