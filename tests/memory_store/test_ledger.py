"""The ledger: migrations apply once, transactions are whole, a damaged file is left alone."""

from __future__ import annotations

from contextlib import suppress
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
