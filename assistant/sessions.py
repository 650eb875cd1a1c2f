"""Sessions and their turns in the ledger: written before anything else happens, read in order."""

from __future__ import annotations

import json
import re
import uuid
from collections.abc import Collection, Sequence
from dataclasses import replace
from datetime import datetime
from typing import cast

from sqlalchemy import Connection, text

from assistant.errors import UserError
from assistant.phrases import phrase
from assistant.session_forget import forget_in_turns
from assistant.session_rows import (
    FORGOTTEN,
    MIGRATIONS,
    Session,
    Summary,
    Turn,
    TurnMessage,
    message_row,
    session_of,
    summary_of,
    turns_of,
)
from memory_store import Chunk
from memory_store.ledger import Ledger
from memory_store.protocols import Clock

__all__ = ["FORGOTTEN", "Session", "Sessions", "Summary", "Turn", "TurnMessage"]

_NAME = re.compile(r"\w[\w .\-]{0,98}\w|\w")


class Sessions:
    """The sessions of one owner. Every write is durable when the method returns."""

    def __init__(self, ledger: Ledger, *, clock: Clock, owner: str = "me") -> None:
        self._ledger = ledger
        self._clock = clock
        self._owner = owner
        ledger.migrate(MIGRATIONS)

    def open(self, name: str | None = None) -> Session:
        """Return the session of that name (or id), created if it is new; None: a new one.

        Raises:
            UserError: `name` is not a session's name.
        """
        if name is not None and _NAME.fullmatch(name) is None:
            hint = phrase("input.session_name_hint")
            raise UserError(phrase("input.session_name", name=name[:100]), hint=hint)
        with self._ledger.write() as connection:
            found = self._select(connection, "s.name = :name OR s.id = :name", name=name)
            if name is not None and found:
                return found[0]
            session = self.unmade(name)
            connection.execute(
                text("INSERT INTO sessions VALUES (:id, :owner, :name, :at)"),
                {
                    "id": session.id,
                    "owner": self._owner,
                    "name": name,
                    "at": session.created_at.isoformat(),
                },
            )
        return session

    def unmade(self, name: str | None = None) -> Session:
        """Return a new session that is not kept: what `open` would make."""
        now = self._clock()
        return Session(uuid.uuid4().hex, self._owner, name, now, now)

    def last_question(self, session: Session) -> str:
        """Return what was asked last in a session; empty where nothing was."""
        return "".join(turn.question for turn in self.turns(session, after=session.turns - 1))

    def find(self, name: str) -> Session | None:
        """Return the session of that name or id, or None."""
        with self._ledger.read() as connection:
            found = self._select(connection, "s.name = :name OR s.id = :name", name=name)
        return found[0] if found else None

    def latest(self) -> Session | None:
        """Return the session that was used last, or None where there is none."""
        sessions = self.list()
        return sessions[0] if sessions else None

    def list(self) -> list[Session]:
        """Return every session, the one used last first."""
        with self._ledger.read() as connection:
            return self._select(connection, "1")

    def start_turn(
        self, session: Session, question: str, *, joined: Connection | None = None
    ) -> Turn:
        """Write down a question as the session's next turn."""
        with self._ledger.write(joined) as connection:
            now = self._clock()  # within the transaction: the turns' times are in their order
            last = connection.execute(
                text("SELECT COALESCE(MAX(number), 0) FROM turns WHERE session = :session"),
                {"session": session.id},
            ).scalar_one()
            turn = Turn(uuid.uuid4().hex, session.id, int(last) + 1, now, question)
            connection.execute(
                text(
                    "INSERT INTO turns (id, session, number, asked_at, question)"
                    " VALUES (:id, :session, :number, :at, :question)"
                ),
                {
                    "id": turn.id,
                    "session": session.id,
                    "number": turn.number,
                    "at": now.isoformat(),
                    "question": question,
                },
            )
        return turn

    def add(
        self, turn: Turn, messages: Sequence[TurnMessage], *, joined: Connection | None = None
    ) -> None:
        """Append messages of the loop to a turn."""
        if not messages:
            return
        with self._ledger.write(joined) as connection:
            first = connection.execute(
                text("SELECT COALESCE(MAX(position) + 1, 0) FROM turn_messages WHERE turn = :turn"),
                {"turn": turn.id},
            ).scalar_one()
            connection.execute(
                text(
                    "INSERT INTO turn_messages VALUES (:turn, :position, :step, :role, :content,"
                    " :calls, :call_id, :chunk_id, :ok)"
                ),
                [
                    {"turn": turn.id, "position": int(first) + offset, **message_row(message)}
                    for offset, message in enumerate(messages)
                ],
            )

    def finish(
        self,
        turn: Turn,
        answer: str | None,
        stopped: str,
        *,
        question_chunk: str | None = None,
        answer_chunk: str | None = None,
        joined: Connection | None = None,
    ) -> Turn:
        """Write down how a turn ended, with the chunks that keep its question and answer."""
        done = replace(
            turn,
            answer=answer,
            answered_at=self._clock(),
            stopped=stopped,
            question_chunk=question_chunk or turn.question_chunk,
            answer_chunk=answer_chunk or turn.answer_chunk,
        )
        with self._ledger.write(joined) as connection:
            connection.execute(
                text(
                    "UPDATE turns SET answer = :answer, answered_at = :at, stopped = :stopped,"
                    " question_chunk = COALESCE(:question_chunk, question_chunk),"
                    " answer_chunk = COALESCE(:answer_chunk, answer_chunk) WHERE id = :id"
                ),
                {
                    "id": turn.id,
                    "answer": answer,
                    "at": cast("datetime", done.answered_at).isoformat(),
                    "stopped": stopped,
                    "question_chunk": question_chunk,
                    "answer_chunk": answer_chunk,
                },
            )
        return done

    def link_question(self, turn: Turn, chunk_id: str, *, joined: Connection | None = None) -> Turn:
        """Note the chunk that keeps a turn's question, where it is known before the run's end."""
        with self._ledger.write(joined) as connection:
            connection.execute(
                text("UPDATE turns SET question_chunk = :chunk WHERE id = :id"),
                {"chunk": chunk_id, "id": turn.id},
            )
        return replace(turn, question_chunk=chunk_id)

    def turns(
        self, session: Session, after: int = 0, *, also: Collection[int] = ()
    ) -> tuple[Turn, ...]:
        """Return the session's turns with a number above `after`, and those in `also`, in order.

        The cost grows with the turns returned, not with the session.
        """
        where = (
            "session = :session AND (number > :after"
            " OR number IN (SELECT value FROM json_each(:also)))"
        )
        values = {"session": session.id, "after": after, "also": json.dumps(list(also))}
        with self._ledger.read() as connection:
            rows = connection.execute(
                text(f"SELECT * FROM turns WHERE {where} ORDER BY number"), values
            ).all()
            messages = connection.execute(
                text(
                    "SELECT m.* FROM turn_messages m JOIN turns t ON t.id = m.turn"
                    f" WHERE {where} ORDER BY t.number, m.position"
                ),
                values,
            ).all()
        return turns_of(rows, messages)

    def summary(self, session: Session) -> Summary | None:
        """Return the session's newest summary, or None where nothing was summarised yet."""
        versions = self.summaries(session, limit=1)
        return versions[0] if versions else None

    def summaries(self, session: Session, *, limit: int = -1) -> tuple[Summary, ...]:
        """Return the versions of the session's summary, newest first."""
        with self._ledger.read() as connection:
            rows = connection.execute(
                text(
                    "SELECT * FROM summaries WHERE session = :session"
                    " ORDER BY version DESC LIMIT :limit"
                ),
                {"session": session.id, "limit": limit},
            ).all()
        return tuple(summary_of(row) for row in rows)

    def save_summary(
        self,
        session: Session,
        text_: str,
        *,
        through: int,
        also: str = "",
        kept: Sequence[int] = (),
        derived_from: Sequence[str] = (),
        method: str = "model",
        after: int | None = None,
        joined: Connection | None = None,
    ) -> Summary | None:
        """Save the next version of the session's summary.

        `after` is the version that it was made from (0: none): where another run saved one
        meanwhile, nothing is saved and None is returned, so that no turn is lost between the two.
        """
        with self._ledger.write(joined) as connection:
            last = connection.execute(
                text("SELECT COALESCE(MAX(version), 0) FROM summaries WHERE session = :session"),
                {"session": session.id},
            ).scalar_one()
            if after is not None and after != int(last):
                return None
            summary = Summary(
                session.id,
                int(last) + 1,
                text_,
                through,
                self._clock(),
                also,
                tuple(kept),
                tuple(derived_from),
                method,
            )
            connection.execute(
                text(
                    "INSERT INTO summaries VALUES (:session, :version, :text, :also, :through,"
                    " :kept, :derived_from, :method, :at)"
                ),
                {
                    "session": session.id,
                    "version": summary.version,
                    "text": text_,
                    "also": also,
                    "through": through,
                    "kept": json.dumps(list(kept)),
                    "derived_from": json.dumps(list(derived_from)),
                    "method": method,
                    "at": summary.created_at.isoformat(),
                },
            )
        return summary

    def forget(self, connection: Connection, chunks: Sequence[Chunk]) -> None:
        """Blank what these chunks say in the turns, and remove the summaries that cover them.

        For `MemoryStore.on_forget`: it is part of the transaction in which the store forgets.
        Summaries are made anew from the turns that are left.
        """
        forget_in_turns(connection, self._owner, chunks)

    def _select(self, connection: Connection, where: str, **values: str | None) -> list[Session]:
        rows = connection.execute(
            text(
                "SELECT s.*, COUNT(t.id) AS turns, MAX(t.asked_at) AS used_at FROM sessions s"
                f" LEFT JOIN turns t ON t.session = s.id WHERE s.owner = :owner AND ({where})"
                " GROUP BY s.id ORDER BY COALESCE(MAX(t.asked_at), s.created_at) DESC, s.rowid DESC"
            ).bindparams(owner=self._owner, **values)
        )
        return [session_of(row) for row in rows]
