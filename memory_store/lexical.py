"""The lexical side of recall: an inverted index in the ledger (SQLite FTS5), scored by BM25.

FTS5 only keeps which passages hold a term; candidates are scored here, because its own bm25 has
a fixed length penalty and visits every match. Terms are stored with their owner's number before
them, so that one owner's query cannot match another's text, and counts are the owner's own; the
bare number stands first in each row.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence

from sqlalchemy import Connection

from memory_store.ledger import Migration
from memory_store.terms import query_terms, terms

K1 = 1.2
B = 0.5
"""BM25's saturation and length penalty (Robertson and Zaragoza, 2009), chosen by measurement."""

POSTINGS = 20_000
"""The most postings that one query reads, rare terms first: common words cannot blow it up."""

DEPTH = 3
"""How many times `limit` candidates are scored in full."""

MIGRATIONS = (
    Migration(
        "lexical",
        1,
        (
            "CREATE TABLE lexical_owners (number INTEGER PRIMARY KEY, owner TEXT NOT NULL UNIQUE,"
            " passages INTEGER NOT NULL DEFAULT 0, length INTEGER NOT NULL DEFAULT 0)",
            "CREATE VIRTUAL TABLE lexical USING fts5(terms, detail=none,"
            """ tokenize="ascii tokenchars '_-.:/@+#'")""",
            "CREATE VIRTUAL TABLE lexical_terms USING fts5vocab(lexical, 'row')",
        ),
    ),
)


def add(connection: Connection, rows: Sequence[tuple[int, str, str]]) -> None:
    """Index rows of (rowid, owner, text). The rowids must not be indexed yet."""
    numbers = {owner: _number(connection, owner) for owner in sorted({row[1] for row in rows})}
    passages: Counter[int] = Counter()
    length: Counter[int] = Counter()
    values: list[tuple[int, str]] = []
    for rowid, owner, text in rows:
        number = numbers[owner]
        found = terms(text)
        passages[number] += 1
        length[number] += len(found)
        values.append((rowid, " ".join([str(number), *(f"{number}_{term}" for term in found)])))
    if values:
        connection.exec_driver_sql("INSERT INTO lexical (rowid, terms) VALUES (?, ?)", values)
    _count(connection, passages, length)


def remove(connection: Connection, rowids: Iterable[int]) -> None:
    """Take passages out of the index; unknown rowids are passed over."""
    passages: Counter[int] = Counter()
    length: Counter[int] = Counter()
    for rowid in rowids:
        for number, *found in _held(connection, [rowid]).values():
            passages[int(number)] -= 1
            length[int(number)] -= len(found)
        connection.exec_driver_sql("DELETE FROM lexical WHERE rowid = ?", (rowid,))
    _count(connection, passages, length)


def purge(connection: Connection) -> None:
    """Rewrite the index, so that what was removed leaves no bytes in it."""
    connection.exec_driver_sql("INSERT INTO lexical (lexical) VALUES ('optimize')")


def rowids(connection: Connection) -> set[int]:
    """The rowid of every passage that is indexed, of all owners."""
    return set(connection.exec_driver_sql("SELECT rowid FROM lexical").scalars())


def search(connection: Connection, owner: str, query: str, limit: int) -> list[tuple[int, float]]:
    """The owner's passages that match `query` best: (rowid, BM25 score), best first.

    Equal scores go newest (largest rowid) first. Any text is a query; it has no syntax.
    """
    return LexicalQuery(connection, owner, query).search(limit)


class LexicalQuery:
    """One owner's query, its terms weighed once. Use it within the connection's transaction.

    Attributes:
        weights: the query's terms that are stored, with (inverse document frequency, frequency).
        unknown: how many of the query's terms are stored nowhere.
    """

    def __init__(self, connection: Connection, owner: str, query: str) -> None:
        self._connection = connection
        row = connection.exec_driver_sql(
            "SELECT number, passages, length FROM lexical_owners WHERE owner = ?", (owner,)
        ).first()
        self.weights: dict[str, tuple[float, int]] = {}
        self.unknown = 0
        self._average = 1.0
        if row is not None and row.passages > 0:
            wanted = query_terms(query)
            self.weights = _weights(connection, int(row.number), int(row.passages), wanted)
            self.unknown = len(wanted) - len(self.weights)
            self._average = max(row.length / row.passages, 1.0)

    def search(self, limit: int) -> list[tuple[int, float]]:
        """The passages that match best: (rowid, BM25 score), best first, newest of equals first."""
        candidates = _candidates(self._connection, self.weights, limit * DEPTH)
        scored = sorted(self.score(candidates).items(), key=lambda pair: (-pair[1], -pair[0]))
        return scored[:limit]

    def score(self, rowids: Sequence[int]) -> dict[int, float]:
        """The BM25 score of each of these passages of the owner's; zero where no term is held."""
        return {
            rowid: _bm25(found, self.weights, self._average)
            for rowid, (_, *found) in _held(self._connection, rowids).items()
        }


def _weights(
    connection: Connection, number: int, passages: int, wanted: Sequence[str]
) -> dict[str, tuple[float, int]]:
    weights: dict[str, tuple[float, int]] = {}
    for term in wanted:
        key = f"{number}_{term}"
        frequency = connection.exec_driver_sql(
            "SELECT doc FROM lexical_terms WHERE term = ?", (key,)
        ).scalar()
        if frequency:
            rarity = math.log(1 + (passages - frequency + 0.5) / (frequency + 0.5))
            weights[key] = (rarity, int(frequency))
    return weights


def _candidates(
    connection: Connection, weights: dict[str, tuple[float, int]], limit: int
) -> list[int]:
    """The passages that hold the heaviest terms, found rare terms first within `POSTINGS`."""
    room = POSTINGS
    sums: dict[int, float] = {}
    for key, (rarity, frequency) in sorted(weights.items(), key=lambda item: (item[1][1], item[0])):
        if room <= 0:
            break
        newest = connection.exec_driver_sql(
            "SELECT rowid FROM lexical WHERE lexical MATCH ? ORDER BY rowid DESC LIMIT ?",
            (f'"{key}"', room),
        )
        for (rowid,) in newest:
            sums[rowid] = sums.get(rowid, 0.0) + rarity
        room -= frequency
    return sorted(sums, key=lambda rowid: (-sums[rowid], -rowid))[:limit]


def _bm25(found: list[str], weights: dict[str, tuple[float, int]], average: float) -> float:
    norm = K1 * (1 - B + B * len(found) / average)
    counts = Counter(term for term in found if term in weights)
    return sum(weights[term][0] * n * (K1 + 1) / (n + norm) for term, n in counts.items())


def _held(connection: Connection, rowids: Sequence[int]) -> dict[int, list[str]]:
    marks = ", ".join("?" * len(rowids))
    rows = connection.exec_driver_sql(
        f"SELECT rowid, terms FROM lexical WHERE rowid IN ({marks})", tuple(rowids)
    )
    return {int(row.rowid): str(row.terms).split(" ") for row in rows}


def _number(connection: Connection, owner: str) -> int:
    connection.exec_driver_sql("INSERT OR IGNORE INTO lexical_owners (owner) VALUES (?)", (owner,))
    return int(
        connection.exec_driver_sql(
            "SELECT number FROM lexical_owners WHERE owner = ?", (owner,)
        ).scalar_one()
    )


def _count(connection: Connection, passages: Counter[int], length: Counter[int]) -> None:
    for number in sorted(passages):
        connection.exec_driver_sql(
            "UPDATE lexical_owners SET passages = passages + ?, length = length + ?"
            " WHERE number = ?",
            (passages[number], length[number], number),
        )
