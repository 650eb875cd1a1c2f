"""Tombstones: what was forgotten stays forgotten, also in a copy made before."""

from __future__ import annotations

import secrets
import sqlite3
from collections.abc import Collection, Sequence
from contextlib import closing
from datetime import datetime
from pathlib import Path

from sqlalchemy import Connection, select

from memory_store import forget, records, tables
from memory_store.chunk import Chunk
from memory_store.forget import OnForget
from memory_store.identity import tombstone
from memory_store.ledger import Ledger
from memory_store.tables import to_micros


def read_tombstones(ledger: Path) -> set[bytes]:
    """The tombstones in a ledger file or a copy of one; none where it cannot be read."""
    try:
        with closing(sqlite3.connect(f"{ledger.absolute().as_uri()}?mode=ro", uri=True)) as file:
            return {bytes(row[0]) for row in file.execute("SELECT digest FROM tombstones")}
    except sqlite3.Error:
        return set()


def owners(ledger: Ledger) -> list[str]:
    """Whose memories a ledger holds."""
    with ledger.read() as connection:
        return list(connection.scalars(select(tables.chunks.c.owner).distinct()))


def bury(
    ledger: Ledger,
    owner: str,
    digests: Collection[bytes],
    now: datetime,
    callbacks: Sequence[OnForget] = (),
) -> int:
    """Forget those of the owner's chunks that `digests` name, and keep all of `digests`.

    The vector index is begun anew. Returns how many chunks were forgotten.
    """
    with ledger.write() as connection:
        chunks = _named(connection, owner, digests)
        if chunks:
            forget.remove(connection, owner, [chunk.id for chunk in chunks], now)
            for callback in callbacks:
                callback(connection, chunks)
        if digests:
            connection.exec_driver_sql(
                "INSERT OR IGNORE INTO tombstones VALUES (?, ?)",
                [(each, to_micros(now)) for each in sorted(digests)],
            )
        # The index beside the ledger belongs to another history of it, which may have counted
        # its generations up to the same number: only one taken at random is surely another.
        records.set_state(connection, "generation", secrets.randbelow(2**40))
        records.renew_index(connection)
    ledger.compact()
    return len(chunks)


def _named(connection: Connection, owner: str, digests: Collection[bytes]) -> list[Chunk]:
    ids = [
        chunk_id
        for chunk_id in connection.scalars(
            select(tables.chunks.c.id).where(tables.chunks.c.owner == owner)
        )
        if tombstone(chunk_id) in digests
    ]
    return list(records.by_id(connection, owner, ids).values())
