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


def open_for_writing(path: Path) -> Database:
    """The store at `path`, created with mode 0600 where it does not exist, and brought up to date."""
    with reported(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        os.close(os.open(path, os.O_CREAT | os.O_RDWR, 0o600))
        database = Database(_connect(path))
        _migrate(database, path)
    return database


def open_for_reading(path: Path) -> Database:
    """The store at `path` without write access. UnknownIdError where there is none yet."""
    if not path.is_file():
        raise UnknownIdError(f"{path}: no store there yet", "`appliance run CONFIG` makes it.")
    with reported(path):
        database = Database(_connect(path))
        database.conn.execute("PRAGMA query_only = ON")
        applied = _applied(database)
    if applied != [name for name, _ in MIGRATIONS]:
        raise StoreError(
            f"{path}: not a store of this version of the appliance (migrations: {applied or 'none'})",
            "`appliance run` brings an older store up to date; check that --store names the right file.",
        )
    return database


@contextlib.contextmanager
def writer_lock(path: Path) -> Iterator[None]:
    """One `run` at a time per store; a second one is told so at once instead of interfering."""
    path.parent.mkdir(parents=True, exist_ok=True)
    lock = path.with_name(path.name + ".lock")
    descriptor = os.open(lock, os.O_CREAT | os.O_RDWR, 0o600)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise StoreError(
                f"{path}: another run is writing to this store", "Wait for it, or use another store."
            ) from None
        yield
    finally:
        os.close(descriptor)


@contextlib.contextmanager
def reported(path: Path) -> Iterator[None]:
    """Turn SQLite's and the system's errors into words with a remedy."""
    try:
        yield
    except sqlite3.DatabaseError as error:
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
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = FULL")
    connection.execute("PRAGMA foreign_keys = ON")
    return connection


def _applied(database: Database) -> list[str]:
    if "_migrations" not in database.table_names():
        return []
    return [row["name"] for row in database.conn.execute("SELECT name FROM _migrations ORDER BY name")]


def _migrate(database: Database, path: Path) -> None:
    tables = set(database.table_names())
    applied = _applied(database)
    known = [name for name, _ in MIGRATIONS]
    if (tables and "_migrations" not in tables) or applied != known[: len(applied)]:
        raise StoreError(
            f"{path}: not a store of this version of the appliance", "Name another file as the store."
        )
    for name, statements in MIGRATIONS[len(applied) :]:
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
    except BaseException:
        database.conn.execute("ROLLBACK")
        raise
    database.conn.execute("COMMIT")
