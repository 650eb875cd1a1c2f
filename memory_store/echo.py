"""Echoes: what recall put into a prompt and comes back, word for word, as if it were news."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import replace

from sqlalchemy import Connection

from memory_store import records
from memory_store.chunk import Chunk, Draft, Freshness, Interval

REMEMBERED = 500
"""How many recalled chunks are kept in mind; a run recalls far fewer."""

_Claim = tuple[str, bool, Interval | None]


class Echoes:
    """The chunks that one owner has recalled lately; all processes of a home share them.

    Recall itself writes nothing: what it brought is written down with what is remembered next.
    """

    def __init__(self, owner: str) -> None:
        self._owner = owner
        self._unwritten: dict[str, None] = {}

    def recalled(self, chunks: Iterable[Chunk]) -> None:
        """Keep in mind what was recalled."""
        self._unwritten.update((chunk.id, None) for chunk in chunks)

    def sources(self, connection: Connection, drafts: Sequence[Draft]) -> list[Chunk | None]:
        """For each draft the chunk that it repeats; None where it is news."""
        self._write(connection)
        asked = [_may_echo(draft) for draft in drafts]
        known = self._recalled(connection) if any(asked) else {}
        return [
            known.get(_claim(draft)) if may else None
            for draft, may in zip(drafts, asked, strict=True)
        ]

    def _write(self, connection: Connection) -> None:
        if not self._unwritten:
            return
        new, self._unwritten = self._unwritten, {}
        connection.exec_driver_sql(
            "INSERT OR REPLACE INTO recalled (chunk) SELECT c.number FROM json_each(?) new"
            " JOIN chunks c ON c.id = new.value WHERE c.owner = ?",
            (json.dumps(list(new)), self._owner),
        )
        connection.exec_driver_sql(
            "DELETE FROM recalled WHERE number <= (SELECT max(number) FROM recalled) - ?",
            (REMEMBERED,),
        )

    def _recalled(self, connection: Connection) -> dict[_Claim, Chunk]:
        """What recall has brought lately that is of no subject, by what it says."""
        ids = connection.exec_driver_sql(
            "SELECT c.id FROM recalled r JOIN chunks c ON c.number = r.chunk"
            " WHERE c.owner = ? AND c.subject IS NULL",
            (self._owner,),
        ).scalars()
        chunks = records.by_id(connection, self._owner, list(ids)).values()
        return {_claim(chunk): chunk for chunk in chunks}


def said_again(connection: Connection, owner: str, draft: Draft) -> Draft:
    """An answer that repeats, word for word, one that it was made from, as that one was drafted.

    So it is the same thing said again, and not a new one at each time.
    """
    if draft.kind != "answer" or not draft.derived_from:
        return draft
    sources = records.by_id(connection, owner, draft.derived_from).values()
    for source in sources:
        rest = {*draft.derived_from} - {source.id, *source.derived_from}
        if source.kind == "answer" and source.text == draft.text and not rest:
            return replace(draft, derived_from=source.derived_from)
    return draft


def _may_echo(draft: Draft) -> bool:
    """Whether a draft may be anything but news.

    What the user says, and what an answer says, is always news. So is what is said of a subject,
    or comes of a source: there the same words are a new observation.
    """
    if draft.origin == "user" or draft.kind in ("question", "answer"):
        return False
    return draft.subject is None and draft.freshness == Freshness()


def _claim(said: Draft | Chunk) -> _Claim:
    words = " ".join(unicodedata.normalize("NFC", said.text).split())
    return (words, said.kind == "fact", said.about)
