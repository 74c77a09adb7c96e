"""Opening the SQLite file: private, durable, migrated, one writer at a time."""

from __future__ import annotations

import contextlib
import fcntl
import os
import sqlite3
from collections.abc import Iterator
from pathlib import Path

from sqlite_utils import Database

from appliance.errors import StoreError, UnknownIdError
from appliance.store.migrations import MIGRATIONS

BUSY_MS = 10_000


def check_place(path: Path) -> None:
    """StoreError when no store can be at `path`. Nothing is created or changed, so that a command that
    cannot run leaves no trace, and another program's database stays as it is."""
    with reported(path):
        if path.exists():
            _check_file(path)
            return
        folder = next(parent for parent in path.parents if parent.exists())
        if not folder.is_dir() or not os.access(folder, os.W_OK | os.X_OK):
            what = "is not a writable folder" if folder.is_dir() else "is not a folder"
            raise StoreError(f"{path}: {folder} {what}", "Name a file in a folder of your own as the store.")


def _check_file(path: Path) -> None:
    if not path.is_file():
        what = "a directory" if path.is_dir() else "not a plain file"
        raise StoreError(f"{path}: {what}, so not a store", "Name a file as the store: audit.sqlite.")
    with contextlib.closing(_connect(path)) as connection:
        _pending(Database(connection), path)


def open_for_writing(path: Path) -> Database:
    """The store at `path`, created with mode 0600 where it does not exist, and brought up to date."""
    check_place(path)
    with reported(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        os.close(os.open(path, os.O_CREAT | os.O_RDWR, 0o600))
        connection = _connect(path)
        try:
            connection.execute("PRAGMA journal_mode = WAL")
            _migrate(Database(connection), path)
        except BaseException:
            connection.close()
            raise
    return Database(connection)


def open_for_reading(path: Path) -> Database:
    """The store at `path` without write access. UnknownIdError where there is none yet."""
    with reported(path):
        if not path.exists():
            raise UnknownIdError(f"{path}: no store there yet", "`appliance run CONFIG` makes it.")
        _check_file(path)
        connection = _connect(path)
        connection.execute("PRAGMA query_only = ON")
        database = Database(connection)
        if _pending(database, path):
            connection.close()
            raise StoreError(
                f"{path}: not a store of this version of the appliance",
                "`appliance run` brings an older store up to date; check that --store names the right file.",
            )
    return database


@contextlib.contextmanager
def writer_lock(path: Path) -> Iterator[None]:
    """One `run` at a time per store; a second one is told so at once instead of interfering."""
    with reported(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(path.with_name(path.name + ".lock"), os.O_CREAT | os.O_RDWR, 0o600)
    try:
        with reported(path):
            _lock(descriptor, path)
        yield
    finally:
        os.close(descriptor)


def _lock(descriptor: int, path: Path) -> None:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise StoreError(
            f"{path}: another run is writing to this store", "Wait for it, or use another store."
        ) from None


@contextlib.contextmanager
def reported(path: Path) -> Iterator[None]:
    """Turn SQLite's and the system's errors into words with a remedy."""
    try:
        yield
    except sqlite3.Error as error:
        raise StoreError(f"{path}: {error}", _remedy(str(error))) from None
    except OSError as error:
        raise StoreError(f"{path}: {error.strerror or error}", _remedy(str(error))) from None


def _remedy(message: str) -> str:
    words = message.lower()
    if "full" in words or "no space" in words:
        return "Free some disk space and run the same command again: finished replies are kept."
    if "locked" in words:
        return "Another program holds the file; close it and run the same command again."
    if "not a database" in words:
        return "This file is not a store of the appliance; name another one in the configuration."
    return "Check the file, its folder's permissions and the disk; then run the same command again."


def _connect(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(path, timeout=BUSY_MS / 1000, isolation_level=None)
    connection.row_factory = sqlite3.Row
    connection.execute(f"PRAGMA busy_timeout = {BUSY_MS}")
    connection.execute("PRAGMA synchronous = FULL")
    connection.execute("PRAGMA foreign_keys = ON")
    return connection


def _applied(database: Database) -> list[str]:
    if "_migrations" not in database.table_names():
        return []
    return [row["name"] for row in database.conn.execute("SELECT name FROM _migrations ORDER BY name")]


def _pending(database: Database, path: Path) -> tuple[tuple[str, str], ...]:
    """Migrations still to be made. StoreError for a store of a newer version, or no store at all."""
    applied = _applied(database)
    known = [name for name, _ in MIGRATIONS]
    if (not applied and database.table_names()) or applied != known[: len(applied)]:
        raise StoreError(
            f"{path}: not a store of this version of the appliance (migrations: "
            f"{', '.join(applied) or 'none'})",
            "Name another file as the store; a newer version's store needs that version.",
        )
    return MIGRATIONS[len(applied) :]


def _migrate(database: Database, path: Path) -> None:
    for name, statements in _pending(database, path):
        with transaction(database):
            database.conn.execute("CREATE TABLE IF NOT EXISTS _migrations (name TEXT PRIMARY KEY)")
            for statement in filter(str.strip, statements.split(";")):
                database.conn.execute(statement)
            database.conn.execute("INSERT INTO _migrations VALUES (?)", [name])


@contextlib.contextmanager
def transaction(database: Database) -> Iterator[None]:
    """All or nothing. The write lock is taken at once, so that a wait happens before any work."""
    database.conn.execute("BEGIN IMMEDIATE")
    try:
        yield
        database.conn.execute("COMMIT")
    except BaseException:
        if database.conn.in_transaction:  # on a full disk SQLite may have rolled back by itself
            database.conn.execute("ROLLBACK")
        raise
