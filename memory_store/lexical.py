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
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sqlalchemy import Connection

from memory_store.ledger import Migration
from memory_store.terms import query_terms, terms

if TYPE_CHECKING:
    from numpy.typing import NDArray

K1 = 1.2
B = 0.5
"""BM25's saturation and length penalty (Robertson and Zaragoza, 2009), chosen by measurement."""

POSTINGS = 8_000
"""The most postings that one query reads, rare terms first: common words cannot blow it up."""

CONTEXT = 0.3
"""How much what was said just before counts beside the question; chosen by measurement."""

DEPTH = 2
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


@dataclass(frozen=True, slots=True)
class Match:
    """How a passage matches: its BM25 score, and the query's terms that it holds, a bit a term."""

    score: float
    held: int


class LexicalQuery:
    """One owner's query, its terms weighed once. Use it within the connection's transaction.

    The terms of `context`, what was said just before, find and score too, at `CONTEXT` of their
    weight; what the query's own terms cover does not change by them.

    Attributes:
        rarities: the inverse document frequency of each term, in the query's order. A term that
            is stored nowhere counts as the rarest.
        weight: the sum of the query's own.
    """

    def __init__(self, connection: Connection, owner: str, query: str, context: str = "") -> None:
        self._connection = connection
        row = connection.exec_driver_sql(
            "SELECT number, passages, length FROM lexical_owners WHERE owner = ?", (owner,)
        ).first()
        passages = self._passages = 0 if row is None else int(row.passages)
        self._average = max(row.length / passages, 1.0) if row is not None and passages else 1.0
        own = query_terms(query)
        beside = [term for term in query_terms(context) if term not in own]
        wanted = own + beside
        self._keys = [f"{row.number}_{term}" for term in wanted] if row is not None else []
        self._frequencies = [_frequency(connection, key) for key in self._keys]
        rarities = [_rarity(passages, frequency) for frequency in self._frequencies]
        self.rarities = rarities[: len(own)] + [CONTEXT * each for each in rarities[len(own) :]]
        self.weight = sum(rarities[: len(own)]) or 1.0
        self._own = (1 << len(own)) - 1
        self._matches: dict[int, Match] = {}
        self._places = {key: place for place, key in enumerate(self._keys)}

    def search(self, limit: int) -> list[tuple[int, float]]:
        """The passages that match best: (rowid, BM25 score), best first, newest of equals first."""
        matches = self.match(self._candidates(limit * DEPTH))
        scored = [(rowid, match.score) for rowid, match in matches.items()]
        return sorted(scored, key=lambda pair: (-pair[1], -pair[0]))[:limit]

    def match(self, rowids: Sequence[int]) -> dict[int, Match]:
        """How each of these passages matches; those that are not indexed are left out."""
        unknown = [rowid for rowid in rowids if rowid not in self._matches]
        for rowid, found in _held(self._connection, unknown).items():
            self._matches[rowid] = self._match(found)
        return {rowid: self._matches[rowid] for rowid in rowids if rowid in self._matches}

    def coverage(self, held: int) -> float:
        """The share of the query's weight, 0 to 1, that its own terms among `held` make up."""
        held &= self._own
        return sum(r for place, r in enumerate(self.rarities) if held >> place & 1) / self.weight

    def holds_rare(self, held: int, share: float) -> bool:
        """Whether an own term among `held` stands in at most this share of the passages, or one."""
        held &= self._own
        most = max(share * self._passages, 1)
        return any(held >> place & 1 for place, n in enumerate(self._frequencies) if n <= most)

    def _candidates(self, limit: int) -> list[int]:
        """The passages that hold the heaviest terms, found rare terms first within `POSTINGS`."""
        import numpy as np

        room = POSTINGS
        postings: list[NDArray[Any]] = []
        weights: list[NDArray[Any]] = []
        known = [place for place, frequency in enumerate(self._frequencies) if frequency]
        for place in sorted(known, key=lambda place: (self._frequencies[place], place)):
            if room <= 0:
                break
            found = _postings(self._connection, self._keys[place], room)
            postings.append(found)
            weights.append(np.full(len(found), self.rarities[place]))
            room -= self._frequencies[place]
        if not postings:
            return []
        numbers, where = np.unique(np.concatenate(postings), return_inverse=True)
        sums = np.bincount(where, np.concatenate(weights))
        return numbers[np.lexsort((numbers, sums))[::-1][:limit]].tolist()

    def _match(self, found: list[str]) -> Match:
        norm = K1 * (1 - B + B * (len(found) - 1) / self._average)
        score, held = 0.0, 0
        for place in sorted(map(self._places.__getitem__, self._places.keys() & set(found))):
            count = found.count(self._keys[place])
            score += self.rarities[place] * count * (K1 + 1) / (count + norm)
            held |= 1 << place
        return Match(score, held)


def _postings(connection: Connection, key: str, limit: int) -> NDArray[Any]:
    """The newest passages that hold a term: read as one text, for there are thousands."""
    import numpy as np

    joined = connection.exec_driver_sql(
        "SELECT group_concat(rowid) FROM"
        " (SELECT rowid FROM lexical WHERE lexical MATCH ? ORDER BY rowid DESC LIMIT ?)",
        (f'"{key}"', limit),
    ).scalar()
    return np.fromstring(joined or "", dtype=np.int64, sep=",")


def _frequency(connection: Connection, key: str) -> int:
    sql = "SELECT doc FROM lexical_terms WHERE term = ?"
    return int(connection.exec_driver_sql(sql, (key,)).scalar() or 0)


def _rarity(passages: int, frequency: int) -> float:
    return math.log(1 + (passages - frequency + 0.5) / (frequency + 0.5))


def _held(connection: Connection, rowids: Sequence[int]) -> dict[int, list[str]]:
    marks = ", ".join("?" * len(rowids))
    # FTS5's own table of the rows as they were given: a third of the time of asking FTS5 for them.
    rows = connection.exec_driver_sql(
        f"SELECT id, c0 FROM lexical_content WHERE id IN ({marks})", tuple(rowids)
    ).all()
    return {number: held.split(" ") for number, held in rows}


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
