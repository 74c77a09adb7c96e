from __future__ import annotations

import shutil
import sqlite3
import stat
import subprocess
from pathlib import Path

import pytest

from appliance.errors import StoreError
from appliance.store import database, migrations
from appliance.store.database import check_place, open_for_reading, open_for_writing, transaction, writer_lock


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "deep" / "audit.sqlite"


def test_a_new_store_is_private_durable_and_whole(path: Path) -> None:
    store = open_for_writing(path)
    for pragma, value in (("journal_mode", "wal"), ("synchronous", 2), ("foreign_keys", 1), ("mmap_size", 0)):
        assert store.conn.execute(f"PRAGMA {pragma}").fetchone()[0] == value
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert [row["name"] for row in store["_migrations"].rows] == [name for name, _ in migrations.MIGRATIONS]
    store.close()


def test_migrations_run_once_and_in_the_order_of_their_numbers(path: Path) -> None:
    open_for_writing(path).close()
    content = path.read_bytes()
    open_for_writing(path).close()
    assert path.read_bytes() == content
    names = [name for name, _ in migrations.MIGRATIONS]
    assert names == sorted(names)
    assert [int(name[:4]) for name in names] == list(range(1, len(names) + 1))


def test_an_older_store_is_brought_up_to_date_with_its_rows(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = migrations.MIGRATIONS
    monkeypatch.setattr(database, "MIGRATIONS", whole[:2])
    older = open_for_writing(path)
    older["judges"].insert({"fingerprint": "f", "name": "n", "title": "t", "licence": "l", "details": "{}"})
    older.close()
    monkeypatch.setattr(database, "MIGRATIONS", whole)
    with pytest.raises(StoreError, match="not a store of this version") as caught:
        open_for_reading(path)
    assert "brings an older store up to date" in caught.value.hint
    check_place(path)
    open_for_writing(path).close()
    store = open_for_reading(path)
    assert store["judges"].count == 1
    assert "audit_results" in store.view_names()
    store.close()


def test_a_migration_that_fails_leaves_nothing_of_itself(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = migrations.MIGRATIONS
    broken = (*whole, ("0099_broken", "CREATE TABLE half (x); CREATE TABLE half (x)"))
    monkeypatch.setattr(database, "MIGRATIONS", broken)
    with pytest.raises(StoreError, match="table half already exists"):
        open_for_writing(path)
    monkeypatch.setattr(database, "MIGRATIONS", whole)
    store = open_for_writing(path)
    assert "half" not in store.table_names()
    store.close()


def test_a_reader_cannot_write(path: Path) -> None:
    open_for_writing(path).close()
    store = open_for_reading(path)
    with pytest.raises(sqlite3.OperationalError, match="readonly"):
        store.conn.execute("DELETE FROM runs")
    store.close()


def test_a_row_without_its_parent_is_refused(path: Path) -> None:
    store = open_for_writing(path)
    with pytest.raises(sqlite3.IntegrityError, match="FOREIGN KEY"):
        store["review_items"].insert(
            {
                "item_id": "i",
                "run_id": "no",
                "record_id": "r",
                "reasons": "[]",
                "status": "open",
                "created": "",
            }
        )
    store.close()


def test_a_transaction_is_all_or_nothing(path: Path) -> None:
    store = open_for_writing(path)
    event = "INSERT INTO events (run_id, time, kind, detail) VALUES (NULL, '', 'x', '')"
    with pytest.raises(KeyboardInterrupt), transaction(store):
        store.conn.execute(event)
        store["judges"].insert(
            {"fingerprint": "f", "name": "n", "title": "t", "licence": "l", "details": "{}"}
        )
        raise KeyboardInterrupt
    assert store["events"].count == store["judges"].count == 0
    with transaction(store):
        store.conn.execute(event)
    assert store["events"].count == 1
    store.close()


def test_the_error_that_ended_a_transaction_is_the_one_that_is_told(path: Path) -> None:
    """On a full disk SQLite rolls back by itself; a second ROLLBACK must not hide the reason."""
    store = open_for_writing(path)
    with pytest.raises(RuntimeError, match="the reason"), transaction(store):
        store.conn.execute("ROLLBACK")
        raise RuntimeError("the reason")
    store.close()


def test_one_writer_at_a_time(path: Path) -> None:
    with writer_lock(path), pytest.raises(StoreError, match="another run is writing"), writer_lock(path):
        pass
    with writer_lock(path):
        pass


@pytest.mark.skipif(not shutil.which("sqlite3"), reason="no sqlite3 shell here")
def test_the_plain_shell_reads_it(path: Path) -> None:
    open_for_writing(path).close()
    names = "audit_results", "disparity_map", "divergence", "review_queue", "audit_log"
    for view in names:
        found = subprocess.run(
            ["sqlite3", "-header", path, f"SELECT count(*) AS n FROM {view}"],
            capture_output=True,
            text=True,
            check=True,
        )
        assert found.stdout == "n\n0\n"
