"""The ledger: migrations apply once, transactions are whole, a damaged file is left alone."""

from __future__ import annotations

import sqlite3
from contextlib import closing, suppress
from pathlib import Path

import pytest

from memory_store.errors import LedgerDamaged, StorageError
from memory_store.ledger import Ledger, Migration

ONE = Migration("test", 1, ("CREATE TABLE t (x INTEGER)",))
TWO = Migration("test", 2, ("ALTER TABLE t ADD COLUMN y INTEGER",))


def rows(ledger: Ledger) -> list[int]:
    with ledger.read() as connection:
        return [row.x for row in connection.exec_driver_sql("SELECT x FROM t ORDER BY x")]


def test_migrations_apply_once_and_in_order(tmp_path: Path) -> None:
    """A second opening applies only what is new."""
    for migrations in ((ONE,), (ONE, TWO), (ONE, TWO)):
        ledger = Ledger(tmp_path / "l.db")
        ledger.migrate(migrations)
        ledger.close()
    ledger = Ledger(tmp_path / "l.db")
    with ledger.write() as connection:
        connection.exec_driver_sql("INSERT INTO t (x, y) VALUES (1, 2)")
    assert rows(ledger) == [1]
    ledger.close()


def test_a_failed_migration_leaves_nothing(tmp_path: Path) -> None:
    """All or none: the table of the first step is gone when the second is broken."""
    ledger = Ledger(tmp_path / "l.db")
    with pytest.raises(StorageError):
        ledger.migrate((ONE, Migration("test", 2, ("ALTER TABLE absent ADD COLUMN y",))))
    ledger.migrate((ONE,))
    assert rows(ledger) == []
    ledger.close()


def test_a_transaction_that_raises_is_undone(tmp_path: Path) -> None:
    """Nothing of a failed block is kept; the ledger can be written after it."""
    ledger = Ledger(tmp_path / "l.db")
    ledger.migrate((ONE,))
    with suppress(ZeroDivisionError), ledger.write() as connection:
        connection.exec_driver_sql("INSERT INTO t (x) VALUES (1)")
        raise ZeroDivisionError
    with ledger.write() as connection:
        connection.exec_driver_sql("INSERT INTO t (x) VALUES (2)")
    assert rows(ledger) == [2]
    ledger.close()


def test_a_thread_that_writes_cannot_wait_for_itself(tmp_path: Path) -> None:
    """A second transaction of one thread is an error at once; migrating again is not."""
    ledger = Ledger(tmp_path / "l.db")
    ledger.migrate((ONE,))
    with ledger.write() as connection:
        ledger.migrate((ONE,))
        with pytest.raises(StorageError, match="join"), ledger.write():
            pass
        with ledger.write(connection) as joined:
            joined.exec_driver_sql("INSERT INTO t (x) VALUES (3)")
    assert rows(ledger) == [3]
    ledger.close()


@pytest.mark.parametrize("content", [b"not a database, far from it " * 40, b"\0" * 4096 + b"x"])
def test_a_damaged_file_is_refused_and_left_as_it_is(content: bytes, tmp_path: Path) -> None:
    """The error says what to do; no byte changes."""
    path = tmp_path / "l.db"
    path.write_bytes(content)
    with pytest.raises(LedgerDamaged, match="restore"):
        Ledger(path)
    assert path.read_bytes() == content


@pytest.mark.parametrize("journal", ["DELETE", "WAL"])
@pytest.mark.parametrize("table", ["notes (x)", "migrations (id, migration, batch)"])
def test_the_database_of_another_program_is_refused_untouched(
    table: str, journal: str, tmp_path: Path
) -> None:
    """A file that holds other tables is no new ledger; neither its bytes nor its folder change."""
    path = tmp_path / "l.db"
    with closing(sqlite3.connect(path)) as database:
        database.execute(f"PRAGMA journal_mode = {journal}")
        database.execute(f"CREATE TABLE {table}")
    content = path.read_bytes()
    with pytest.raises(LedgerDamaged, match="another program"):
        Ledger(path)
    assert path.read_bytes() == content
    assert list(tmp_path.iterdir()) == [path]


def test_an_empty_file_is_a_new_ledger_only_where_nothing_was_lost(tmp_path: Path) -> None:
    """Another process may be making it; beside an index it is what is left of a ledger."""
    path = tmp_path / "l.db"
    path.touch()
    (tmp_path / "chroma").mkdir()
    with pytest.raises(LedgerDamaged, match="restore"):
        Ledger(path)
    assert path.read_bytes() == b""
    (tmp_path / "chroma").rmdir()
    Ledger(path).close()


@pytest.mark.parametrize("beside", ["ledger.db-wal", "chroma", "backups"])
def test_a_ledger_that_is_gone_is_not_begun_anew(beside: str, tmp_path: Path) -> None:
    """What stands beside it shows that there was one; its log is not written over."""
    if beside == "ledger.db-wal":
        (tmp_path / beside).write_bytes(b"the only copy of the last turns")
    else:
        (tmp_path / beside).mkdir()
    with pytest.raises(LedgerDamaged, match=f"it is gone, but {beside} stands beside it"):
        Ledger(tmp_path / "ledger.db")
    assert [path.name for path in tmp_path.iterdir()] == [beside]


@pytest.mark.parametrize("name", ["a?b", "a%20b", "a#b", "a&b=c", "带 空格"])
def test_a_home_of_any_name_holds_its_own_ledger(name: str, tmp_path: Path) -> None:
    """A path is a path, whatever it would mean in an address."""
    (tmp_path / name).mkdir()
    Ledger(tmp_path / name / "ledger.db").close()
    assert [path.name for path in tmp_path.iterdir()] == [name]
    assert (tmp_path / name / "ledger.db").stat().st_size


def test_a_ledger_with_damage_in_its_middle_is_not_written(tmp_path: Path) -> None:
    """What is sound can be read; the first write finds the damage, and no byte changes."""
    path = tmp_path / "l.db"
    ledger = Ledger(path)
    ledger.migrate((ONE, Migration("test", 2, ("CREATE TABLE u (x)", "CREATE TABLE v (x)"))))
    with ledger.write() as connection:
        connection.exec_driver_sql("INSERT INTO t (x) VALUES (1)")
        for _ in range(50):
            connection.exec_driver_sql("INSERT INTO u VALUES (hex(randomblob(2000)))")
    ledger.close()
    content = bytearray(path.read_bytes())
    content[20 * 4096 : 40 * 4096] = b"\x07" * 20 * 4096
    path.write_bytes(content)
    ledger = Ledger(path)
    assert rows(ledger) == [1]
    with pytest.raises(LedgerDamaged, match="restore"), ledger.write() as connection:
        connection.exec_driver_sql("INSERT INTO v VALUES (1)")
    ledger.close()
    assert path.read_bytes() == content
