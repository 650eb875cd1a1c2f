"""Echoes: text that recall put into a prompt and that comes back as if it were news."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import replace

from sqlalchemy import Connection

from memory_store import records
from memory_store.chunk import Chunk, Draft

REMEMBERED = 500
"""How many recalled chunks are kept in mind; a run recalls far fewer."""

SHARE = 0.6
"""From this share of its letters on, a text counts as made of recalled ones."""


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
        """For each draft the chunk that it mostly repeats; None where it is news."""
        self._write(connection)
        asked = [_may_echo(connection, self._owner, draft) for draft in drafts]
        parts = self._parts(connection) if any(asked) else []
        return [
            _source(draft, parts) if may else None for draft, may in zip(drafts, asked, strict=True)
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

    def _parts(self, connection: Connection) -> list[tuple[str, Chunk]]:
        """The texts that recall may have shown, whole or a passage, the longest first."""
        rows = connection.exec_driver_sql(
            'SELECT c.id, p.start, p."end" FROM recalled r JOIN chunks c ON c.number = r.chunk'
            " JOIN passages p ON p.chunk = c.number WHERE c.owner = ? ORDER BY r.number",
            (self._owner,),
        ).all()
        chunks = records.by_id(connection, self._owner, {row.id for row in rows})
        parts = {chunk.text.strip(): chunk for chunk in chunks.values()}
        for chunk_id, start, end in rows:
            parts.setdefault(chunks[chunk_id].text[start:end].strip(), chunks[chunk_id])
        return sorted(parts.items(), key=lambda part: len(part[0]), reverse=True)


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


def _may_echo(connection: Connection, owner: str, draft: Draft) -> bool:
    """Whether a draft may be anything but news.

    What the user says, and what an answer says, is always news. So is what a tool says of a
    source that ages, and what is said of a subject that is known: there the same words are a
    new observation.
    """
    contract = draft.freshness
    if draft.origin == "user" or draft.kind in ("question", "answer"):
        return False
    if contract.max_age is not None or contract.validator is not None:
        return False
    known = connection.exec_driver_sql(
        "SELECT 1 FROM chunks WHERE owner = ? AND subject = ? LIMIT 1", (owner, draft.subject)
    )
    return known.first() is None


def _source(draft: Draft, parts: Sequence[tuple[str, Chunk]]) -> Chunk | None:
    rest, text = draft.text, draft.text.strip()
    repeated: list[Chunk] = []
    for shown, chunk in parts:
        # Of another subject the same words are another observation; to quote them is none.
        apart = None not in (draft.subject, chunk.subject) and shown == text
        if shown in draft.text and not apart:
            rest = rest.replace(shown, " ")
            repeated.append(chunk)
    letters = _letters(draft.text)
    if not repeated or letters - _letters(rest) < SHARE * letters:
        return None
    return repeated[0]


def _letters(text: str) -> int:
    return sum(character.isalnum() for character in text)
