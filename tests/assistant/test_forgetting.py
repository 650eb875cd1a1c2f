"""Forgetting reaches what the assistant keeps of a text beside its memories, and nothing else."""

from __future__ import annotations

import json
from collections.abc import Callable, Generator, Iterable
from contextlib import contextmanager
from pathlib import Path

import pytest

from assistant.app import App
from assistant.run_record import record_run
from assistant.session_rows import FORGOTTEN
from assistant.sessions import Turn
from assistant.settings import Settings
from assistant.testing import ScriptedServer, Step, calls, says
from memory_store import Draft

TOOLS = """
from assistant.tools import tool

@tool(description="Opens a locker by its code.")
def open_locker(code: str) -> str:
    raise ValueError(f"locker {code} is jammed")

@tool(description="Rents a locker by its code.")
def rent_locker(code: str) -> str:
    return "It is yours for a year."
"""
CODE = "4711-QX"


@contextmanager
def talked(home: Path, script: Iterable[Step], asked: Iterable[tuple[str, str]]) -> Generator[App]:
    """An assistant that was asked these questions in these sessions."""
    tools = home.parent / "tools.py"
    tools.write_text(TOOLS)
    with ScriptedServer(list(script)) as server:
        settings = Settings.load(
            home,
            openai_base_url=server.url,
            openai_api_key="test",
            model="scripted",
            facts="off",
            tools=tools,
        )
        with App.open(settings) as app:
            for session, question in asked:
                record_run(app.agent.run(app.sessions.open(session), question))
            yield app


def turn(app: App, session: str) -> Turn:
    """The one turn of a session."""
    [only] = app.sessions.turns(app.sessions.open(session))
    return only


def forget_first(app: App) -> None:
    assert app.store.forget(ids=[app.store.chunks(kind="question")[0].id]).erased


def forget_code(app: App) -> None:
    assert app.store.forget(query=CODE).erased


SAID = ("a", f"My locker code is {CODE}.")
LOOK = calls(("search_memory", {"query": "locker"}))
OPEN = calls(("open_locker", {"code": CODE}))
RENT = calls(("rent_locker", {"code": CODE}))
SAVE = calls(("remember_fact", {"fact": f"The user's locker code is {CODE}."}))

KEPT_BESIDE = [
    pytest.param(
        [says("Noted."), LOOK, says("I looked it up.")],
        [SAID, ("b", "Please look up something about lockers.")],
        forget_first,
        id="a search in another session quotes it",
    ),
    pytest.param(
        [says("Noted."), OPEN, says("It is jammed.")],
        [SAID, ("b", "Open it, please.")],
        forget_first,
        id="a failed call in another session names it",
    ),
    pytest.param(
        [SAVE, says("Done.")],
        [("a", f"Remember that my locker code is {CODE}.")],
        forget_code,
        id="a tool repeats what it saved",
    ),
    pytest.param(
        [OPEN, says("It is jammed.")],
        [("a", f"Open my locker {CODE}, please.")],
        forget_first,
        id="a failed call names it",
    ),
    pytest.param(
        [RENT, says("It is yours.")],
        [("a", "Rent me a locker, please.")],
        forget_code,
        id="a result is of a call that names it",
    ),
    pytest.param(
        [says(f"I don't know what {CODE} is.")],
        [("a", f"What is {CODE}?")],
        forget_first,
        id="an answer that is no memory repeats it",
    ),
]


@pytest.mark.parametrize(("script", "asked", "forget"), KEPT_BESIDE)
def test_no_byte_is_left_of_what_no_memory_keeps(
    home: Path, script: list[Step], asked: list[tuple[str, str]], forget: Callable[[App], None]
) -> None:
    """Results, calls, failures and answers that are no memories go with what they repeat."""
    with talked(home, script, asked) as app:
        forget(app)
    files = [path for path in home.rglob("*") if path.is_file()]
    assert files
    assert [path for path in files if CODE.encode() in path.read_bytes()] == []


def test_of_another_turn_only_the_quoted_words_go(home: Path) -> None:
    """What else a search in another session brought stays there, and so does its turn."""
    script = [says("Noted."), says("Well."), LOOK, says("I looked it up.")]
    asked = [
        SAID,
        ("b", "The locker room opens at seven."),
        ("c", "Please look up something about lockers."),
    ]
    with talked(home, script, asked) as app:
        forget_first(app)
        looked = turn(app, "c")
        [result] = [step.message.content for step in looked.steps if step.message.role == "tool"]
        assert f"The user said: {FORGOTTEN}" in result
        assert "The locker room opens at seven." in result
        assert (looked.question, looked.answer) == (asked[2][1], "I looked it up.")
        assert turn(app, "b").question == asked[1][1]
        assert turn(app, "a").forgotten


def test_words_that_a_memory_still_holds_stay(home: Path) -> None:
    """A name in the forgotten text that was said elsewhere too is not cut out of other turns."""
    script = [says("Noted."), says("Well."), OPEN, says("It is jammed.")]
    asked = [SAID, ("b", f"The sign says {CODE}, in red."), ("c", "Open it, please.")]
    with talked(home, script, asked) as app:
        forget_first(app)
        failed = str(turn(app, "c").steps)
        assert failed.count(CODE) == 2
        assert turn(app, "b").question == asked[1][1]


def test_plain_words_are_nobodys_own(home: Path) -> None:
    """A short text that other turns hold as well is not cut out of them."""
    script = [says("Hello!"), calls(("remember_fact", {"fact": "Thanks"})), says("Sure.")]
    with talked(home, script, [("a", "Thanks"), ("b", "Write down what I say.")]) as app:
        forget_first(app)
        assert "Remembered: Thanks" in str(turn(app, "b").steps)


def test_an_answer_goes_with_what_it_was_made_from(home: Path) -> None:
    """In another session too; the question there stays."""
    with talked(home, [says("Noted."), says("It opens with red.")], [SAID, ("b", "How?")]) as app:
        question = app.store.chunks(kind="question")[0]
        answered = turn(app, "b")
        [made] = app.store.remember(
            [Draft("answer", "Your code, in red.", derived_from=(question.id,), origin="assistant")]
        )
        app.sessions.finish(answered, made.text, "answered", answer_chunk=made.id)
        forget_first(app)
        left = turn(app, "b")
        assert (left.question, left.answer) == ("How?", FORGOTTEN)


def test_a_shared_answer_stays_where_else_it_was_given(home: Path) -> None:
    """Forgetting one question takes its own copy of "Noted.", not the other session's."""
    asked = [SAID, ("b", "My dentist is on Friday.")]
    with talked(home, [says("Noted."), says("Noted.")], asked) as app:
        forget_code(app)
        assert [chunk.text for chunk in app.store.chunks()] == [asked[1][1], "Noted."]
        assert (turn(app, "b").question, turn(app, "b").answer) == (asked[1][1], "Noted.")
        assert turn(app, "a").forgotten


def test_summaries_of_a_turn_that_quotes_are_made_anew(home: Path) -> None:
    """Whatever session they are of."""
    script = [says("Noted."), LOOK, says("I looked it up.")]
    asked = [SAID, ("b", "Please look up something about lockers.")]
    with talked(home, script, asked) as app:
        session = app.sessions.open("b")
        app.sessions.save_summary(session, "They asked about lockers.", through=1)
        forget_first(app)
        assert app.sessions.summary(session) is None


def test_a_text_in_chinese_is_cut_out_of_a_call(home: Path) -> None:
    """Also where the model wrote the call's arguments in JSON's escapes."""
    said = "我的储物柜密码是四七一一"
    escaped = json.dumps({"fact": said})
    assert "\\u" in escaped
    script = [says("好的。"), calls(("remember_fact", escaped)), says("好。")]
    with talked(home, script, [("a", f"{said}。"), ("b", "把刚才的记下来")]) as app:
        fact = app.store.chunks(kind="fact")[0]
        app.store.forget(ids=[fact.id, app.store.chunks(kind="question")[0].id])
        steps = turn(app, "b").steps
        assert [call.arguments for step in steps for call in step.message.calls] == ["{}"]
        assert said not in str(steps)
