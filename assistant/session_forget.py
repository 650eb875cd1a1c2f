"""Forgetting in the sessions: what turns, messages and summaries hold of a forgotten text."""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence

from sqlalchemy import Connection, text

from assistant.session_rows import FORGOTTEN
from memory_store import Chunk
from memory_store.quotes import own_parts, unremembered


def forget_in_turns(connection: Connection, owner: str, chunks: Sequence[Chunk]) -> None:
    """Take out of the owner's turns what these chunks said there, and what quotes them.

    - The text itself goes wherever its chunk is referred to, with the arguments of the step's
      calls; where only a copy was forgotten, in the turn of that copy.
    - With a question or an answer go the messages of its turn that no chunk keeps, and the
      arguments of all its calls. An answer that no chunk keeps goes with anything of its turn.
    - From every other turn of every session go the words themselves: a sentence of the text, or
      a name in it (`4711-QX`), unless a memory still holds it. The rest of that message stays.
    - The summaries that cover such a turn, or quote, are removed, to be made anew.

    Args:
        chunks: one for each place, with the copies that are left; see `OnForget`.
    """
    gone = {chunk.id for chunk in chunks if not chunk.copies}
    for chunk_id, turn in {(c.id, None if c.id in gone else c.scope.turn) for c in chunks}:
        values = {"chunk": chunk_id, "turn": turn}
        for row in connection.execute(text(_TURNS), values).all():
            _blank(connection, row.id, chunk_id, wholly=bool(row.wholly))
            _remove_summaries(connection, row.session, row.number)
    parts = {part for chunk in chunks if chunk.id in gone for part in own_parts(chunk.text)}
    if parts:
        _cut_quotes(connection, owner, parts)


def _blank(connection: Connection, turn: str, chunk_id: str, *, wholly: bool) -> None:
    values = {"turn": turn, "chunk": chunk_id, "wholly": wholly, "blank": FORGOTTEN}
    for row in connection.execute(text(_CALLS), values).all():
        emptied = [[call_id, name, "{}"] for call_id, name, _ in json.loads(row.calls)]
        _rewrite(connection, turn, row.position, "", emptied)
    for statement in _BLANK:
        connection.execute(text(statement), values)


def _cut_quotes(connection: Connection, owner: str, parts: Collection[str]) -> None:
    messages, turns, summaries = (
        connection.execute(text(statement), {"owner": owner}).all() for statement in _ALL
    )
    calls = [json.loads(row.calls) for row in messages]
    spoken = [" ".join(_spoken(arguments) for *_, arguments in each) for each in calls]
    texts = [row.content for row in messages]
    texts += [value or "" for row in turns for value in (row.question, row.answer)]
    texts += [value for row in summaries for value in (row.text, row.also)]
    everything = "\n".join(spoken + texts)
    found = unremembered(connection, owner, {part for part in parts if part in everything})
    own = sorted(found, key=lambda part: (-len(part), part))  # a sentence before a name in it

    def cut(value: str) -> str:
        for part in own:
            value = value.replace(part, FORGOTTEN)
        return value

    for row, made, said in zip(messages, calls, spoken, strict=True):
        content, quotes = cut(row.content), cut(said) != said
        if quotes or content != row.content:
            kept = [[each[0], each[1], "{}" if quotes else each[2]] for each in made]
            _rewrite(connection, row.turn, row.position, content, kept)
            _remove_summaries(connection, row.session, row.number)
    for row in turns:
        question, answer = cut(row.question), row.answer and cut(row.answer)
        if (question, answer) != (row.question, row.answer):
            connection.execute(
                text("UPDATE turns SET question = :question, answer = :answer WHERE id = :id"),
                {"question": question, "answer": answer, "id": row.id},
            )
            _remove_summaries(connection, row.session, row.number)
    for row in summaries:
        if cut(row.text) != row.text or cut(row.also) != row.also:
            _remove_summaries(connection, row.session, row.through)


def _rewrite(
    connection: Connection, turn: str, position: int, content: str, calls: list[list[str]]
) -> None:
    connection.execute(
        text(
            "UPDATE turn_messages SET calls = :calls, content = :content"
            " WHERE turn = :turn AND position = :position"
        ),
        {
            "calls": json.dumps(calls, ensure_ascii=False),
            "content": content,
            "turn": turn,
            "position": position,
        },
    )


def _remove_summaries(connection: Connection, session: str, number: int) -> None:
    """Remove the summaries that cover this turn of a session."""
    connection.execute(
        text("DELETE FROM summaries WHERE session = :session AND through >= :number"),
        {"session": session, "number": number},
    )


def _spoken(arguments: str) -> str:
    """A call's arguments with their texts as they are said, not as JSON escapes them."""
    try:
        return json.dumps(json.loads(arguments), ensure_ascii=False).replace('\\"', '"')
    except ValueError:
        return arguments


_TURNS = (
    "SELECT id, session, number, max(wholly) AS wholly FROM ("
    " SELECT id, session, number, 1 AS wholly FROM turns WHERE question_chunk = :chunk"
    " UNION ALL SELECT id, session, number, 1 FROM turns WHERE answer_chunk = :chunk"
    " UNION ALL SELECT t.id, t.session, t.number, 0 FROM turn_messages m"
    "  JOIN turns t ON t.id = m.turn WHERE m.chunk_id = :chunk)"
    " WHERE :turn IS NULL OR id = :turn GROUP BY id"
)
_CALLS = (
    "SELECT c.position, c.calls FROM turn_messages c WHERE c.turn = :turn"
    " AND c.role = 'assistant' AND (:wholly OR EXISTS (SELECT 1 FROM turn_messages r"
    " WHERE r.turn = c.turn AND r.step = c.step AND r.chunk_id = :chunk))"
)
_BLANK = (
    "UPDATE turn_messages SET content = :blank WHERE turn = :turn"
    " AND (chunk_id = :chunk OR :wholly AND chunk_id IS NULL AND role = 'tool')",
    "UPDATE turns SET answer = :blank WHERE id = :turn AND answer IS NOT NULL"
    " AND coalesce(answer_chunk, :chunk) = :chunk",
    "UPDATE turns SET question = :blank WHERE id = :turn AND question_chunk = :chunk",
)
_ALL = (
    "SELECT m.turn, m.position, m.content, m.calls, t.session, t.number FROM turn_messages m"
    " JOIN turns t ON t.id = m.turn JOIN sessions s ON s.id = t.session WHERE s.owner = :owner",
    "SELECT t.id, t.question, t.answer, t.session, t.number FROM turns t"
    " JOIN sessions s ON s.id = t.session WHERE s.owner = :owner",
    "SELECT u.session, u.through, u.text, u.also FROM summaries u"
    " JOIN sessions s ON s.id = u.session WHERE s.owner = :owner",
)
