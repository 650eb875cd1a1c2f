"""Putting drafts into the ledger: checked, said-again counted, ids in order, one transaction."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, insert, select, update

from memory_store import lexical, passages, records, tables
from memory_store.chunk import KINDS, ORIGINS, Draft, to_utc
from memory_store.errors import InvalidInput
from memory_store.identity import digest, new_ids
from memory_store.tables import to_micros

MAX_CHARACTERS = 4_000_000
"""The longest text of one chunk."""


def check(draft: Draft) -> None:
    """Refuse a draft that cannot be stored faithfully.

    Raises:
        InvalidInput: names the field, its value and what is allowed.
    """
    if draft.kind not in KINDS:
        raise InvalidInput(f"kind {draft.kind!r} is unknown; use one of {', '.join(KINDS)}.")
    if draft.origin not in ORIGINS:
        raise InvalidInput(f"origin {draft.origin!r} is unknown; use one of {', '.join(ORIGINS)}.")
    if not draft.text.strip():
        raise InvalidInput("text is empty; a chunk needs something to remember.")
    if len(draft.text) > MAX_CHARACTERS:
        raise InvalidInput(
            f"text has {len(draft.text):,} characters, more than {MAX_CHARACTERS:,}; split it."
        )
    if draft.subject is not None and not draft.subject.strip():
        raise InvalidInput("subject is blank; leave it out or name what the text is about.")
    if draft.created_at is not None:
        to_utc(draft.created_at, "created_at")
    contract = draft.freshness
    for name, value in (
        ("text", draft.text),
        ("session", draft.session),
        ("turn", draft.turn),
        ("subject", draft.subject),
        ("validator", contract.validator),
        ("tag", contract.tag),
        ("call", contract.call),
    ):
        check_unicode(name, value)


def check_unicode(name: str, value: str | None) -> None:
    """Refuse what no file could keep: half a surrogate pair stands for no character."""
    try:
        (value or "").encode()
    except UnicodeEncodeError as error:
        raise InvalidInput(
            f"{name} holds a lone surrogate at character {error.start}, which is not text;"
            " decode its source with errors='replace'."
        ) from error


@dataclass(slots=True)
class Writer:
    """Writes drafts within one transaction of the caller's.

    Attributes:
        now: what `created_at` is where a draft gives none, UTC.
        window: the most characters of one passage.
    """

    connection: Connection
    owner: str
    now: datetime
    window: int
    _rows: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    _sources: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    _said: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    _parts: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    _lexical: list[tuple[int, str, str]] = field(default_factory=list[tuple[int, str, str]])

    def write(self, drafts: Sequence[Draft], tokens: Sequence[int]) -> list[str]:
        """Store checked drafts and return the chunk id of each, in their order."""
        digests = [digest(self.owner, draft) for draft in drafts]
        known = self._known(digests)
        last_id = records.states(self.connection)["last_id"]
        ids = new_ids(self.now, last_id)
        number = self._last("chunks")
        part = self._last("passages")
        result: list[str] = []
        for draft, mark, size in zip(drafts, digests, tokens, strict=True):
            twin = known.get(mark)
            if twin is not None and self._still_current(twin[1], draft.subject):
                self._say_again(twin[0], draft)
                result.append(twin[1])
                continue
            number += 1
            chunk_id = next(ids)
            known[mark] = (number, chunk_id)
            self._rows.append(self._row(number, chunk_id, draft, mark, size))
            self._sources += [
                {"chunk": number, "place": place, "source": source}
                for place, source in enumerate(draft.derived_from)
            ]
            part = self._split(number, part, draft)
            self._occur(number, draft)
            result.append(chunk_id)
        self._flush()
        if result:
            records.set_state(self.connection, "last_id", max(last_id, *result))
        return result

    def _known(self, digests: Sequence[bytes]) -> dict[bytes, tuple[int, str]]:
        c = tables.chunks.c
        found: dict[bytes, tuple[int, str]] = {}
        for start in range(0, len(digests), records.IN_LIMIT):
            some = digests[start : start + records.IN_LIMIT]
            for mark, number, chunk_id in self.connection.execute(
                select(c.digest, c.number, c.id)
                .where(c.owner == self.owner, c.digest.in_(some))
                .order_by(c.number)
            ):
                found[mark] = (number, chunk_id)
        return found

    def _still_current(self, chunk_id: str, subject: str | None) -> bool:
        """Whether saying it again confirms it, rather than going back to what it once was."""
        if subject is None:
            return True
        self._flush()
        newest = records.newest_of(self.connection, self.owner, [subject], self.now)
        return newest.get(subject, [""])[0] == chunk_id

    def _say_again(self, number: int, draft: Draft) -> None:
        self._flush()
        c = tables.chunks.c
        at = self._at(draft)
        which = update(tables.chunks).where(c.number == number)
        self.connection.execute(which.values(copies=c.copies + 1))
        # The source has said the same again: its clock is restarted (RFC 9111, 4.3.4).
        self.connection.execute(
            which.where(c.checked_at <= at).values(checked_at=at, tag=draft.freshness.tag)
        )
        self._occur(number, draft)

    def _row(
        self, number: int, chunk_id: str, draft: Draft, mark: bytes, tokens: int
    ) -> dict[str, Any]:
        contract, about, at = draft.freshness, draft.about, self._at(draft)
        max_age = contract.max_age
        return {
            "number": number,
            "id": chunk_id,
            "owner": self.owner,
            "kind": draft.kind,
            "text": draft.text,
            "session": draft.session,
            "turn": draft.turn,
            "step": draft.step,
            "created_at": at,
            "checked_at": at,
            "about_start": None if about is None else to_micros(about.start),
            "about_end": None if about is None else to_micros(about.end),
            "event_at": at if about is None else to_micros(about.start),
            "subject": draft.subject,
            "max_age": None if max_age is None else max_age // tables.MICROSECOND,
            "validator": contract.validator,
            "tag": contract.tag,
            "call": contract.call,
            "origin": draft.origin,
            "tokens": tokens,
            "copies": 1,
            "digest": mark,
        }

    def _split(self, number: int, part: int, draft: Draft) -> int:
        header = ""
        if len(draft.text) > self.window:
            at = self.now if draft.created_at is None else draft.created_at
            header = f"{at:%Y-%m-%d} {draft.origin}:"
        for passage in passages.split(draft.text, header=header, window=self.window):
            part += 1
            self._parts.append(
                {
                    "number": part,
                    "chunk": number,
                    "place": passage.number,
                    "total": passage.total,
                    "start": passage.start,
                    "end": passage.end,
                    "header": header,
                    "embedded": 0,
                }
            )
            self._lexical.append((part, self.owner, passage.text))
        return part

    def _occur(self, number: int, draft: Draft) -> None:
        self._said.append(
            {
                "chunk": number,
                "session": draft.session,
                "turn": draft.turn,
                "step": draft.step,
                "created_at": self._at(draft),
            }
        )

    def _at(self, draft: Draft) -> int:
        return to_micros(self.now if draft.created_at is None else draft.created_at)

    def _last(self, table: str) -> int:
        return int(
            self.connection.exec_driver_sql(
                "SELECT max(seq) FROM sqlite_sequence WHERE name = ?", (table,)
            ).scalar()
            or 0
        )

    def _flush(self) -> None:
        for table, rows in (
            (tables.chunks, self._rows),
            (tables.chunk_sources, self._sources),
            (tables.occurrences, self._said),
            (tables.passages, self._parts),
        ):
            if rows:
                self.connection.execute(insert(table), rows)
                rows.clear()
        if self._lexical:
            lexical.add(self.connection, self._lexical)
            self._lexical.clear()
