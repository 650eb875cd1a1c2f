"""Tombstones: what was forgotten stays forgotten, also in a copy made before."""

from __future__ import annotations

import secrets
import sqlite3
from collections.abc import Collection, Sequence
from contextlib import closing
from datetime import datetime
from pathlib import Path

from sqlalchemy import select

from memory_store import erasure, places, records, tables
from memory_store.chunk import Chunk
from memory_store.forget import OnForget
from memory_store.identity import tombstone
from memory_store.ledger import Ledger


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
    """Forget those of the owner's chunks and copies that `digests` name, and keep all of these.

    The vector index is begun anew. Returns how many chunks were forgotten.
    """
    marks = set(digests)
    gone: list[Chunk] = []
    with ledger.write() as connection:
        taken = {
            number: place
            for number, place in places.of_chunks(connection, owner).items()
            if not marks.isdisjoint((tombstone(place.chunk_id), place.mark))
        }
        if taken:
            gone = places.remove(connection, owner, taken, now)
            for callback in callbacks:
                callback(connection, gone)
        places.mark(connection, marks, now)
        # The index beside the ledger belongs to another history of it, which may have counted
        # its generations up to the same number: only one taken at random is surely another.
        records.set_state(connection, "generation", secrets.randbelow(2**40))
        records.renew_index(connection)
        records.set_state(connection, erasure.STATE, "")  # nothing but the copy holds it
    ledger.compact()
    return len({chunk.id for chunk in gone if not chunk.copies})
