"""The ledger: one SQLite database, the system of record, with numbered append-only migrations.

`memory_store` keeps its chunk tables here; other packages register their own tables on the same
database, so that what belongs together commits together.
"""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Generator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

from sqlalchemy import URL, Connection, Engine, create_engine, event, text
from sqlalchemy.exc import DatabaseError, OperationalError
from sqlalchemy.pool import QueuePool

from memory_store.errors import (
    InvalidInput,
    LedgerDamaged,
    MemoryStoreError,
    StorageError,
    StorageFull,
)

BUSY_SECONDS = 60
MOST_CHECKED = 8_000_000
"""Bytes up to which a ledger is checked before it is written, which takes milliseconds. Larger
ones are checked by `verify` and by every backup."""
BESIDE = ("chroma", "backups")
"""What is made in a home after its ledger."""


@dataclass(frozen=True, slots=True)
class Migration:
    """One step of a component's schema. Numbers start at 1 and are never edited once released."""

    component: str
    number: int
    statements: tuple[str, ...]


class Ledger:
    """Connections to the ledger database. Safe to share between threads; close it once."""

    def __init__(self, path: Path) -> None:
        """Open or create the database at `path`.

        Raises:
            LedgerDamaged: the file is not a SQLite database, a damaged one, or another program's.
            StorageFull: the folder cannot be written.
        """
        self.path = path
        known = _is_ledger(path)
        self._engine = _engine(path)
        self._thread = threading.local()
        self._sound = not known or path.stat().st_size > MOST_CHECKED
        if known:
            return
        try:
            with self.write() as connection:
                connection.execute(
                    text(
                        "CREATE TABLE IF NOT EXISTS migrations (component TEXT NOT NULL,"
                        " number INTEGER NOT NULL, PRIMARY KEY (component, number))"
                    )
                )
        except MemoryStoreError:
            self._engine.dispose()
            raise

    def migrate(self, migrations: Sequence[Migration]) -> None:
        """Apply those migrations that have not been applied, in order, all or none."""
        with self.read() as connection:
            if not _missing(connection, migrations):
                return
        with self.write() as connection:
            for migration in _missing(connection, migrations):  # another process may have been here
                for statement in migration.statements:
                    connection.exec_driver_sql(statement)
                connection.execute(
                    text("INSERT INTO migrations (component, number) VALUES (:c, :n)"),
                    {"c": migration.component, "n": migration.number},
                )

    @contextmanager
    def read(self) -> Generator[Connection]:
        """A connection that sees one consistent state of the ledger."""
        with _storage_errors(self.path), self._engine.connect() as connection:
            connection.exec_driver_sql("BEGIN")
            yield connection
            connection.rollback()

    @contextmanager
    def write(self, joined: Connection | None = None) -> Generator[Connection]:
        """A transaction that alone may write, durable when the block ends, undone if it raises.

        `joined` is a transaction that the caller has open already: the block becomes part of it.
        """
        if joined is not None:
            yield joined
            return
        if getattr(self._thread, "writes", False):
            # SQLite would wait for this very thread until the time is up.
            raise StorageError(f"{self.path}: this thread writes already; join that transaction.")
        with _storage_errors(self.path), self._engine.connect() as connection:
            if not self._sound:
                self._refuse_damaged(connection)
            connection.exec_driver_sql("BEGIN IMMEDIATE")
            self._thread.writes = True
            try:
                yield connection
            except BaseException:
                connection.rollback()
                raise
            finally:
                self._thread.writes = False
            connection.commit()

    def _refuse_damaged(self, connection: Connection) -> None:
        """Look for damage before the first write, so that none is made to a damaged file."""
        found = str(connection.exec_driver_sql("PRAGMA quick_check(1)").scalar())
        if found != "ok":
            raise _damaged(self.path, found)
        self._sound = True

    def compact(self) -> bool:
        """Rewrite the file without what was deleted, and empty its log.

        Returns whether nothing deleted is left; a reader in another process may keep the log.
        """
        with _storage_errors(self.path), self._engine.connect() as connection:
            connection.exec_driver_sql("VACUUM")
            busy, *_ = connection.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)").one()
            return not busy

    def close(self) -> None:
        """Close every connection."""
        self._engine.dispose()


def _missing(connection: Connection, migrations: Sequence[Migration]) -> list[Migration]:
    rows = connection.execute(text("SELECT component, number FROM migrations"))
    done = {(str(row.component), int(row.number)) for row in rows}
    return [each for each in migrations if (each.component, each.number) not in done]


def _engine(path: Path) -> Engine:
    engine = create_engine(
        URL.create("sqlite", database=str(path)),  # a path may hold what a URL would read
        poolclass=QueuePool,
        max_overflow=-1,  # threads that wait for the one writer must not keep it from connecting
        connect_args={"timeout": BUSY_SECONDS, "check_same_thread": False},
    )

    def configure(connection: sqlite3.Connection, _record: object) -> None:
        connection.isolation_level = None  # transactions are begun by `read` and `write`
        # secure_delete zeroes what is deleted, so that forgotten text leaves no bytes behind.
        for pragma in (
            "journal_mode=WAL",
            "synchronous=FULL",
            "foreign_keys=ON",
            "secure_delete=ON",
        ):
            connection.execute(f"PRAGMA {pragma}")

    event.listen(engine, "connect", configure)
    return engine


@contextmanager
def _storage_errors(path: Path) -> Generator[None]:
    try:
        yield
    except OperationalError as error:
        problem = str(error.orig)
        if "full" in problem or "readonly" in problem or "unable to open" in problem:
            raise StorageFull(
                f"{path} cannot be written: {problem}. Free some space or fix its permissions."
            ) from error
        raise StorageError(f"{path}: {problem}") from error
    except UnicodeEncodeError as error:  # an id or a subject that is asked for
        raise InvalidInput(
            f"{error.object!r} holds a lone surrogate, which is not text; no chunk has it."
        ) from error
    except DatabaseError as error:
        problem = str(error.orig)
        if "malformed" in problem or "not a database" in problem:
            raise _damaged(path, problem) from error
        raise


def _damaged(path: Path, problem: str) -> LedgerDamaged:
    return LedgerDamaged(
        f"{path} is damaged ({problem}). It was left as it is;"
        " restore a backup with 'assistant restore FILE'."
    )


def _is_ledger(path: Path) -> bool:
    """Whether the file is a ledger already, rather than none or an empty one; changes no byte.

    Raises:
        LedgerDamaged: it is none and holds something else, or has lost what it held.
    """
    log = path.with_name(f"{path.name}-wal")
    found = path.exists()
    if not found or not path.stat().st_size:  # also one that another process makes at this moment
        beside = [log] if log.exists() and log.stat().st_size else []
        beside += [path.with_name(name) for name in BESIDE if path.with_name(name).exists()]
        if beside:
            lost = "empty" if found else "gone"
            raise _damaged(path, f"it is {lost}, but {beside[0].name} stands beside it")
        return False
    # A reader of a log writes its index; where there is no log, nobody writes the file either.
    mode = "mode=ro" if log.exists() else "mode=ro&immutable=1"
    uri = f"{path.absolute().as_uri()}?{mode}"
    try:
        with closing(sqlite3.connect(uri, uri=True, timeout=BUSY_SECONDS)) as database:
            tables = database.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
            columns = {row[1] for row in database.execute("PRAGMA table_info(migrations)")}
    except sqlite3.OperationalError:  # opening it to write says more
        return False
    except sqlite3.DatabaseError as error:
        raise _damaged(path, str(error)) from error
    if tables and columns != {"component", "number"}:
        raise LedgerDamaged(
            f"{path} is the database of another program. It was left as it is;"
            " move it away, or choose another home with --home."
        )
    return bool(tables)
