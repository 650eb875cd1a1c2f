"""The memory's ledger tables: their migrations, and the same tables as SQLAlchemy Core sees them.

Times are whole microseconds since 1970 UTC, so that they compare and round-trip exactly.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from sqlalchemy import Column, Integer, LargeBinary, MetaData, Table, Text

from memory_store.ledger import Migration

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
MICROSECOND = timedelta(microseconds=1)

MIGRATIONS = (
    Migration(
        "memory",
        1,
        (
            """CREATE TABLE chunks (
                number INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE,
                owner TEXT NOT NULL, kind TEXT NOT NULL, text TEXT NOT NULL,
                session TEXT NOT NULL, turn TEXT NOT NULL, step INTEGER NOT NULL,
                created_at INTEGER NOT NULL, checked_at INTEGER NOT NULL,
                about_start INTEGER, about_end INTEGER, event_at INTEGER NOT NULL,
                subject TEXT, max_age INTEGER, validator TEXT, tag TEXT, call TEXT,
                origin TEXT NOT NULL, tokens INTEGER NOT NULL, copies INTEGER NOT NULL,
                digest BLOB NOT NULL)""",
            "CREATE INDEX chunks_digest ON chunks (owner, digest)",
            "CREATE INDEX chunks_subject ON chunks (owner, subject, event_at)"
            " WHERE subject IS NOT NULL",
            "CREATE INDEX chunks_time ON chunks (owner, created_at)",
            """CREATE TABLE chunk_sources (
                chunk INTEGER NOT NULL REFERENCES chunks ON DELETE CASCADE,
                place INTEGER NOT NULL, source TEXT NOT NULL,
                PRIMARY KEY (chunk, place)) WITHOUT ROWID""",
            "CREATE INDEX chunk_sources_source ON chunk_sources (source)",
            """CREATE TABLE occurrences (
                number INTEGER PRIMARY KEY AUTOINCREMENT,
                chunk INTEGER NOT NULL REFERENCES chunks ON DELETE CASCADE,
                session TEXT NOT NULL, turn TEXT NOT NULL, step INTEGER NOT NULL,
                created_at INTEGER NOT NULL)""",
            # SQLite appends the row number, so that what was said just before or after is near.
            "CREATE INDEX occurrences_session ON occurrences (session)",
            "CREATE INDEX occurrences_turn ON occurrences (session, turn)",
            # Neighbours are found by number within a session, however long it is.
            "CREATE INDEX occurrences_order ON occurrences (session, number)",
            "CREATE INDEX occurrences_chunk ON occurrences (chunk)",
            """CREATE TABLE passages (
                number INTEGER PRIMARY KEY AUTOINCREMENT,
                chunk INTEGER NOT NULL REFERENCES chunks ON DELETE CASCADE,
                place INTEGER NOT NULL, total INTEGER NOT NULL,
                start INTEGER NOT NULL, "end" INTEGER NOT NULL,
                header TEXT NOT NULL, embedded INTEGER NOT NULL DEFAULT 0)""",
            "CREATE UNIQUE INDEX passages_place ON passages (chunk, place)",
            "CREATE INDEX passages_pending ON passages (number) WHERE embedded = 0",
            # `number` grows in the order in which vectors were written, whatever the order of the
            # texts, so that one number says how far the index has come.
            """CREATE TABLE vectors (
                number INTEGER PRIMARY KEY AUTOINCREMENT,
                passage INTEGER NOT NULL UNIQUE REFERENCES passages ON DELETE CASCADE,
                vector BLOB NOT NULL)""",
            "CREATE TABLE tombstones (digest BLOB PRIMARY KEY, at INTEGER NOT NULL) WITHOUT ROWID",
            "CREATE TABLE memory_state (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID",
            "INSERT INTO memory_state VALUES ('ledger', lower(hex(randomblob(6)))),"
            " ('fingerprint', ''), ('generation', '1'), ('indexed', '0'), ('last_id', '')",
            # What SQLite's planner would have to guess (sqlite.org/optoverview.html, "manual
            # control"): an owner names half of all chunks, an id one. It would else walk through
            # all of an owner's chunks to look up a few by id.
            "ANALYZE chunks",
            "INSERT INTO sqlite_stat1 VALUES"
            " ('chunks', 'chunks_digest', '100000 50000 1'),"
            " ('chunks', 'chunks_time', '100000 50000 1'),"
            " ('chunks', 'chunks_subject', '50000 25000 10 1'),"
            " ('chunks', 'sqlite_autoindex_chunks_1', '100000 1'),"
            " ('occurrences', 'occurrences_session', '100000 500'),"
            " ('occurrences', 'occurrences_turn', '100000 500 4'),"
            " ('occurrences', 'occurrences_chunk', '100000 2'),"
            " ('passages', 'passages_place', '100000 2 1'),"
            " ('passages', 'passages_pending', '100 1'),"
            " ('vectors', 'sqlite_autoindex_vectors_1', '100000 1'),"
            " ('chunk_sources', 'chunk_sources_source', '100000 3 1')",
            "ANALYZE sqlite_schema",
        ),
    ),
    Migration(
        "memory",
        2,
        (
            # Under which ids an import brought texts that were here already.
            "CREATE TABLE chunk_aliases (id TEXT NOT NULL, chunk INTEGER NOT NULL"
            " REFERENCES chunks ON DELETE CASCADE, PRIMARY KEY (id, chunk)) WITHOUT ROWID",
            "CREATE INDEX chunk_aliases_chunk ON chunk_aliases (chunk)",
            # What recall has brought lately, the latest last.
            "CREATE TABLE recalled (number INTEGER PRIMARY KEY AUTOINCREMENT,"
            " chunk INTEGER NOT NULL UNIQUE REFERENCES chunks ON DELETE CASCADE)",
        ),
    ),
)

_metadata = MetaData()


def _table(name: str, integers: str, texts: str, blobs: str = "") -> Table:
    columns = [Column(column, Integer) for column in integers.split()]
    columns += [Column(column, Text) for column in texts.split()]
    columns += [Column(column, LargeBinary) for column in blobs.split()]
    return Table(name, _metadata, *columns)


chunks = _table(
    "chunks",
    "number step created_at checked_at about_start about_end event_at max_age tokens copies",
    "id owner kind text session turn subject validator tag call origin",
    "digest",
)
chunk_sources = _table("chunk_sources", "chunk place", "source")
occurrences = _table("occurrences", "number chunk step created_at", "session turn")
passages = _table("passages", "number chunk place total start end embedded", "header")
vectors = _table("vectors", "number passage", "", "vector")
tombstones = _table("tombstones", "at", "", "digest")


def to_micros(moment: datetime) -> int:
    """Microseconds since 1970 UTC of an aware `moment`."""
    return (moment - _EPOCH) // MICROSECOND


def from_micros(micros: int) -> datetime:
    """The aware UTC datetime of `micros`."""
    return _EPOCH + timedelta(microseconds=micros)
