"""Sessions and turns in the ledger."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from assistant.errors import UserError
from assistant.messages import Message, ToolCall
from assistant.sessions import FORGOTTEN, Sessions, TurnMessage
from memory_store import Chunk, Freshness, Scope
from memory_store.ledger import Ledger


class Clock:
    """A clock that goes on by a minute at each look."""

    def __init__(self) -> None:
        self.now = datetime(2026, 3, 2, 9, tzinfo=UTC)

    def __call__(self) -> datetime:
        self.now += timedelta(minutes=1)
        return self.now


@pytest.fixture
def ledger(tmp_path: Path) -> Iterator[Ledger]:
    ledger = Ledger(tmp_path / "ledger.db")
    yield ledger
    ledger.close()


@pytest.fixture
def sessions(ledger: Ledger) -> Sessions:
    return Sessions(ledger, clock=Clock())


def chunk(chunk_id: str) -> Chunk:
    now = datetime(2026, 3, 2, tzinfo=UTC)
    scope = Scope("me")
    contract = Freshness()
    return Chunk(chunk_id, "question", "", scope, now, now, None, None, contract, "user", (), 0, 0)


def test_a_named_session_is_continued_and_an_unnamed_one_is_new(sessions: Sessions) -> None:
    """The same name is the same session; no name is a new one each time; an id works as a name."""
    assert sessions.open("work").id == sessions.open("work").id
    assert sessions.open().id != sessions.open().id
    unnamed = sessions.open()
    assert sessions.open(unnamed.label) == unnamed
    assert sessions.find("other") is None


def test_sessions_of_one_owner_are_not_seen_by_another(ledger: Ledger) -> None:
    """Two owners may use the same name; each has a session of their own."""
    mine = Sessions(ledger, clock=Clock(), owner="me")
    yours = Sessions(ledger, clock=Clock(), owner="you")
    assert mine.open("work").id != yours.open("work").id
    assert [session.owner for session in yours.list()] == ["you"]


@pytest.mark.parametrize("name", ["", " ", "../x", "a/b", "a\nb", "x" * 101, "-a", "a ", "\x1b[1m"])
def test_a_malformed_name_is_refused(sessions: Sessions, name: str) -> None:
    """A name that could be a path, an option or invisible is refused with what is allowed."""
    with pytest.raises(UserError) as caught:
        sessions.open(name)
    assert caught.value.exit_code == 2
    assert "letters" in caught.value.hint


def test_a_chinese_name_is_a_name(sessions: Sessions) -> None:
    """Letters of every script are letters."""
    assert sessions.open("线性代数 2026").label == "线性代数 2026"


def test_the_session_used_last_comes_first(sessions: Sessions) -> None:
    """`latest` is the session with the newest question, not the newest session."""
    first, second = sessions.open("first"), sessions.open("second")
    sessions.start_turn(second, "a")
    sessions.start_turn(first, "b")
    latest = sessions.latest()
    assert latest is not None
    assert (latest.name, latest.turns) == ("first", 1)


def test_a_turn_comes_back_as_it_was_written(sessions: Sessions, ledger: Ledger) -> None:
    """Question, calls, results and answer survive, in another process's eyes too."""
    session = sessions.open("work")
    turn = sessions.start_turn(session, "库存？ <|endoftext|> 😀")
    call = ToolCall("c1", "get_stock", '{"sku": "42"}')
    steps = (
        TurnMessage(Message("assistant", "", (call,)), 1),
        TurnMessage(Message("tool", "7 left", call_id="c1"), 1, "chunk1", ok=False),
    )
    sessions.add(turn, steps[:1])
    sessions.add(turn, steps[1:])
    done = sessions.finish(turn, "7", "answered", question_chunk="q1", answer_chunk="a1")
    (read,) = Sessions(ledger, clock=Clock()).turns(session)
    assert read.steps == steps
    assert read.chunk_ids == ("q1", "chunk1", "a1")
    assert (read.question, read.answer, read.stopped) == (turn.question, "7", "answered")
    assert read.answered_at == done.answered_at


def test_turns_at_the_same_time_are_numbered_one_after_the_other(sessions: Sessions) -> None:
    """Twenty threads that ask in one session get the numbers 1 to 20."""
    session = sessions.open("busy")
    with ThreadPoolExecutor(8) as pool:
        turns = list(pool.map(lambda n: sessions.start_turn(session, str(n)), range(20)))
    assert sorted(turn.number for turn in turns) == list(range(1, 21))
    assert [turn.number for turn in sessions.turns(session)] == list(range(1, 21))


def test_what_belongs_together_commits_together(sessions: Sessions, ledger: Ledger) -> None:
    """A turn written in the caller's transaction is undone with it."""
    session = sessions.open("work")

    def write_and_fail() -> None:
        with ledger.write() as joined:
            sessions.start_turn(session, "a", joined=joined)
            raise RuntimeError

    with pytest.raises(RuntimeError):
        write_and_fail()
    assert sessions.turns(session) == ()


def test_only_turns_after_the_summary_are_read(sessions: Sessions) -> None:
    """`after` and `also` choose the turns, in order."""
    session = sessions.open("work")
    for number in range(6):
        sessions.start_turn(session, str(number))
    assert [turn.number for turn in sessions.turns(session, 4, also=[2])] == [2, 5, 6]


def test_of_two_summaries_made_from_one_version_the_second_is_not_saved(
    sessions: Sessions,
) -> None:
    """Two runs that roll at once do not overwrite each other's summary."""
    session = sessions.open("work")
    first = sessions.save_summary(session, "one", through=2, after=0)
    assert first is not None
    assert sessions.save_summary(session, "other", through=3, after=0) is None
    assert sessions.summary(session) == first
    second = sessions.save_summary(
        session,
        "two",
        through=4,
        also="- 42",
        kept=[3],
        derived_from=["c"],
        method="extract",
        after=1,
    )
    assert sessions.summaries(session) == (second, first)


def test_forgetting_blanks_the_turn_and_removes_the_summaries_that_cover_it(
    sessions: Sessions, ledger: Ledger
) -> None:
    """Nothing that a forgotten chunk said is left in turns, call arguments or summaries."""
    session = sessions.open("work")
    for number in (1, 2):
        turn = sessions.start_turn(session, f"secret{number}")
        call = ToolCall("c", "search", f'{{"text": "secret{number}"}}')
        sessions.add(
            turn,
            [
                TurnMessage(Message("assistant", f"I look for secret{number}", (call,)), 1),
                TurnMessage(Message("tool", f"secret{number}", call_id="c"), 1, f"r{number}"),
            ],
        )
        sessions.finish(
            turn,
            f"secret{number}",
            "answered",
            question_chunk=f"q{number}",
            answer_chunk=f"a{number}",
        )
    sessions.save_summary(session, "nothing yet", through=1)
    sessions.save_summary(session, "secret2", through=2)
    with ledger.write() as connection:
        sessions.forget(connection, [chunk("q2"), chunk("r2"), chunk("a2")])
    first, second = sessions.turns(session)
    assert "secret1" in str(first)
    assert "secret2" not in str(second)
    assert second.forgotten
    assert second.question == FORGOTTEN
    assert second.steps[0].message.calls[0].id == "c"
    left = sessions.summary(session)
    assert left is not None
    assert left.text == "nothing yet"
