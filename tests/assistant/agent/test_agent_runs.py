"""Runs with native tool calls, whole: what is asked, called, answered, remembered."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from assistant.agent.claims import holds_nothing
from assistant.agent.testing import agent_home
from assistant.errors import ModelRefused, ModelUnreachable, UserError
from assistant.events import Answered, Notice, Observed, TextDelta, ToolCalled
from assistant.testing import calls, fails, says
from assistant.tools import Tool, tool
from memory_store import Draft, Verdict

THURSDAY = "2026-03-05T09:00:00+08:00"
QUESTION = "How many pieces of sku 42 are in stock?"


def stock_tool(file: Path, max_age: str = "1d", *, hashed: bool = False) -> Tool:
    def version(sku: str) -> str:
        return hashlib.sha256(file.read_bytes()).hexdigest()

    @tool(
        description="How many pieces of an article are in stock, by sku.",
        max_age=max_age,
        validator=version if hashed else None,
    )
    def get_stock(sku: str) -> str:
        return f"{file.read_text().strip()} pieces of {sku} are in stock."

    return get_stock


def test_a_call_is_run_and_its_result_answers(tmp_path: Path) -> None:
    """The call goes back to the model before its result, and both are in the session."""
    script = [calls(("calculate", {"expression": "123 * 456 + 1"})), says("It is 56089.")]
    with agent_home(tmp_path, script) as home:
        record = home.ask("What is 123 * 456 + 1?", "sums")
        assert record.answer == "It is 56089."
        assert record.stopped == "answered"
        assert [(s.tool, s.arguments, s.ok) for s in record.steps] == [
            ("calculate", {"expression": "123 * 456 + 1"}, True)
        ]
        asked, told = home.server.requests[1]["messages"][-2:]
        assert asked["tool_calls"][0]["function"]["name"] == "calculate"
        assert told["role"] == "tool"
        assert told["tool_call_id"] == asked["tool_calls"][0]["id"]
        assert "56089" in told["content"]
        (turn,) = home.sessions.turns(home.sessions.open("sums"))
        assert [step.message.role for step in turn.steps] == ["assistant", "tool"]
        assert turn.answer == "It is 56089."


def test_parallel_calls_of_one_message_are_all_run(tmp_path: Path) -> None:
    """Two calls in one message give two results, each with its own id, also where they clash."""
    both = calls(("calculate", {"expression": "1+1"}), ("calculate", {"expression": "2+2"}))
    with agent_home(tmp_path, [both, says("2 and 4.")]) as home:
        record = home.ask("What are 1+1 and 2+2?")
        assert [step.observation for step in record.steps] == ["1+1 = 2.", "2+2 = 4."]
        ids = [
            m["tool_call_id"] for m in home.server.requests[1]["messages"] if m["role"] == "tool"
        ]
        assert len(set(ids)) == 2


def test_what_was_told_is_remembered_in_another_session(tmp_path: Path) -> None:
    """A statement of Monday stands, dated and fresh, before the model on Wednesday."""
    script = [says("Good luck!"), says("You have 6 hours a week.")]
    with agent_home(tmp_path, script) as home:
        home.ask("I am learning linear algebra and have 6 hours a week for it.")
        home.at("2026-03-04T09:00:00+08:00")
        record = home.ask("How many hours a week do I have for linear algebra?")
        assert record.recall is not None
        fresh = [hit for hit in record.recall.hits if "6 hours" in hit.text]
        assert fresh[0].verdict.name == "FRESH"
        assert "6 hours a week" in home.sent()
        assert "Monday 2 March 2026" in home.sent()
        assert "Today is Wednesday 4 March 2026" in home.sent()


@pytest.mark.parametrize("session", [None, "shop"])
def test_an_old_figure_is_never_given_as_current(tmp_path: Path, session: str | None) -> None:
    """On Thursday neither Monday's result nor the answer made from it passes as current."""
    file = tmp_path / "stock.txt"
    file.write_text("7")
    script = [
        calls(("get_stock", {"sku": "42"})),
        says("There are 7 pieces."),
        calls(("get_stock", {"sku": "42"})),
        says("There are 0 pieces."),
    ]
    with agent_home(tmp_path, script, [stock_tool(file)]) as home:
        home.ask(QUESTION, session)
        file.write_text("0")
        home.at(THURSDAY)
        record = home.ask(QUESTION, session)
        assert record.recall is not None
        found = [*record.recall.hits, *record.recall.dropped]
        old = [each for each in found if "7 pieces" in each.chunk.text]
        assert {each.chunk.kind for each in old} == {"tool_result", "answer"}
        assert not any(each.verdict.current for each in old)
        assert record.answer == "There are 0 pieces."
        for line in home.sent(2).splitlines():
            if "7 pieces" in line:
                assert "out of date" in home.sent(2)


def test_an_unchanged_source_revalidates_and_a_changed_one_does_not(tmp_path: Path) -> None:
    """`max_age="0s"` with a validator: revalidated while the hash is the same, then changed."""
    file = tmp_path / "stock.txt"
    file.write_text("7")
    script = [
        calls(("get_stock", {"sku": "42"})),
        says("There are 7 pieces."),
        says("There are 7 pieces."),
        calls(("get_stock", {"sku": "42"})),
        says("There are 0 pieces."),
    ]
    with agent_home(tmp_path, script, [stock_tool(file, "0s", hashed=True)]) as home:
        home.ask(QUESTION)
        home.at("2026-03-03T09:00:00+08:00")
        same = home.ask(QUESTION)
        assert same.recall is not None
        verdicts = {h.verdict.name for h in same.recall.hits if h.chunk.kind == "tool_result"}
        assert verdicts == {"REVALIDATED"}
        file.write_text("0")
        home.at(THURSDAY)
        changed = home.ask(QUESTION)
        assert changed.recall is not None
        found = [*changed.recall.hits, *changed.recall.dropped]
        assert "CHANGED" in {each.verdict.name for each in found}


def test_an_answer_made_from_a_stale_memory_is_not_remembered_as_fresh(tmp_path: Path) -> None:
    """An answer that repeats an old figure inherits its staleness, though no tool was called."""
    file = tmp_path / "stock.txt"
    file.write_text("7")
    script = [
        calls(("get_stock", {"sku": "42"})),
        says("There are 7 pieces."),
        says("As of Monday there were 7 pieces, as far as I know."),
    ]
    with agent_home(tmp_path, script, [stock_tool(file)]) as home:
        home.ask(QUESTION)
        home.at(THURSDAY)
        home.ask("Do you remember how many of sku 42 we had?")
        answers = home.store.chunks(kind="answer")
        judged = home.store.judge([chunk.id for chunk in answers])
        assert not any(judgement.verdict.current for judgement in judged.values())


@pytest.mark.parametrize(
    ("old", "new", "question", "answer"),
    [
        ("My city is Lisbon.", "My city is Porto.", "Which city do I live in?", "In Lisbon."),
        ("我的城市是里斯本。", "我的城市是波尔图。", "我住在哪个城市？", "你住在里斯本。"),
    ],
)
def test_an_answer_made_from_a_fact_goes_out_of_date_with_it(
    tmp_path: Path, old: str, new: str, question: str, answer: str
) -> None:
    """What superseded the fact supersedes what the assistant said from it, too."""
    with agent_home(tmp_path, [says(answer)]) as home:
        [fact] = home.store.remember([Draft("fact", old, subject="user.city")])
        home.ask(question, "a")
        [given] = home.store.chunks(kind="answer")
        assert given.derived_from == (fact.id,)
        home.at(THURSDAY)
        home.store.remember([Draft("fact", new, subject="user.city")])
        assert home.store.judge([given.id])[given.id].verdict is Verdict.SUPERSEDED


def test_an_answer_goes_away_with_the_statement_that_it_repeats(tmp_path: Path) -> None:
    """Forgetting what was told reaches what was answered from it, in another session too."""
    script = [says("All right."), says("Your locker code is 4711-QX."), says("It is sunny.")]
    with agent_home(tmp_path, script) as home:
        home.ask("My locker code is 4711-QX.", "a")
        home.ask("What is my locker code?", "b")
        home.ask("How is the weather?", "b")
        [told] = [c for c in home.store.chunks(kind="question") if c.text.startswith("My locker")]
        home.store.forget(ids=[told.id])
        assert not [c for c in home.store.chunks() if "4711" in c.text]
        assert "It is sunny." in [c.text for c in home.store.chunks(kind="answer")]


def test_bad_calls_are_observations(tmp_path: Path) -> None:
    """An unknown tool, broken JSON and a wrong argument are told to the model; nothing crashes."""
    script = [
        calls(("no_such_tool", {})),
        calls(("calculate", "not json at all")),
        calls(("calculate", {"expresion": "1+1"})),
        calls(("calculate", "{'expression': '1+1',}")),
        says("2"),
    ]
    with agent_home(tmp_path, script) as home:
        record = home.ask("What is 1+1?")
        told = [step.observation for step in record.steps]
        assert "There is no tool named 'no_such_tool'" in told[0]
        assert "calculate" in told[1]
        assert "expression is missing" in told[2]
        assert told[3] == "1+1 = 2."
        assert [step.ok for step in record.steps] == [False, False, False, True]


def test_a_failing_tool_is_an_observation(tmp_path: Path) -> None:
    """What a tool raises is told to the model with its kind, and the run goes on."""

    @tool(description="Reads a file.")
    def read_file(name: str) -> str:
        raise FileNotFoundError(name)

    script = [calls(("read_file", {"name": "a"})), says("There is no such file.")]
    with agent_home(tmp_path, script, [read_file]) as home:
        record = home.ask("Read a")
        assert record.steps[0].observation == "read_file failed: FileNotFoundError: a"
        assert not record.steps[0].ok


def test_the_question_is_kept_when_the_model_fails_and_can_be_asked_again(tmp_path: Path) -> None:
    """A refused key ends the run; `retry` answers the same turn later."""
    with agent_home(tmp_path, [fails(401), says("Hello!")]) as home:
        session = home.sessions.open("s")
        with pytest.raises(ModelRefused):
            list(home.agent.run(session, "Hi, who are you?"))
        (turn,) = home.sessions.turns(session)
        assert (turn.question, turn.answer, turn.stopped) == ("Hi, who are you?", None, "failed")
        answered = list(home.agent.retry(session))[-1]
        assert isinstance(answered, Answered)
        assert answered.text == "Hello!"
        (turn,) = home.sessions.turns(session)
        assert turn.answer == "Hello!"
        with pytest.raises(UserError):
            home.agent.retry(session)


def test_an_empty_question_is_refused_before_anything_is_written(tmp_path: Path) -> None:
    """Nothing is asked and no turn is made."""
    with agent_home(tmp_path, []) as home:
        session = home.sessions.open("s")
        with pytest.raises(UserError):
            home.agent.run(session, "  \n")
        assert home.sessions.turns(session) == ()


def test_a_server_that_rejects_tools_is_asked_in_text_from_then_on(tmp_path: Path) -> None:
    """`auto` falls back once, says so, and remembers it for the next run."""
    script = [
        says('ACTION: calculate({"expression": "6*7"})'),
        says("FINAL ANSWER: 42"),
        says("FINAL ANSWER: Hello."),
    ]
    with agent_home(tmp_path, script, rejects=["tools"]) as home:
        events = home.events("What is 6*7?")
        assert [e.text for e in events if isinstance(e, Notice)]
        assert isinstance(events[-1], Answered)
        assert events[-1].text == "42"
        assert "OBSERVATION: 6*7 = 42." in home.sent(1)
        assert "OBSERVATION:" in home.server.requests[0]["stop"]
        assert home.ask("Hi, you!").notices == ()


def test_a_model_that_writes_calls_as_text_is_understood_and_remembered(tmp_path: Path) -> None:
    """A call written in the text runs, and the next request is in the text protocol."""
    script = [says('{"name": "calculate", "arguments": {"expression": "6*7"}}'), says("42")]
    with agent_home(tmp_path, script) as home:
        record = home.ask("What is 6*7?")
        assert record.steps[0].observation == "6*7 = 42."
        assert record.answer == "42"
        assert "tools" in home.server.requests[0]
        assert "tools" not in home.server.requests[1]


def test_interrupting_between_steps_leaves_the_session_usable(tmp_path: Path) -> None:
    """A consumer that stops in the middle leaves a turn marked as interrupted, and goes on."""
    script = [calls(("calculate", {"expression": "1+1"})), says("Hello again.")]
    with agent_home(tmp_path, script) as home:
        session = home.sessions.open("s")
        events = home.agent.run(session, "What is 1+1?")
        for event in events:
            if isinstance(event, ToolCalled):
                break
        events.close()  # type: ignore[attr-defined]
        assert home.sessions.turns(session)[0].stopped == "interrupted"
        assert home.ask("Hello?", "s").answer == "Hello again."


def test_ctrl_c_in_a_tool_ends_the_run_with_what_it_has(tmp_path: Path) -> None:
    """KeyboardInterrupt is no crash: the run says that it was interrupted and is written down."""
    script = [calls(("calculate", {"expression": "1+1"}))]
    with agent_home(tmp_path, script) as home:
        session = home.sessions.open("s")
        events = home.agent.run(session, "What is 1+1?")
        last: object = None
        thrown = False
        for event in events:
            last = event
            if isinstance(event, Observed) and not thrown:
                thrown = True
                last = events.throw(KeyboardInterrupt())  # type: ignore[attr-defined]
        assert isinstance(last, Answered)
        assert last.stopped == "interrupted"
        assert "1+1 = 2." in last.text


def test_an_answer_is_streamed_and_whole_at_the_end(tmp_path: Path) -> None:
    """The pieces that are shown are a beginning of the answer."""
    text = "First sentence. Second sentence. Third one."
    with agent_home(tmp_path, [says(text)]) as home:
        events = home.events("Tell me three sentences.")
        shown = "".join(event.text for event in events if isinstance(event, TextDelta))
        assert shown
        assert text.startswith(shown)


def test_an_unreachable_model_is_a_clear_error(tmp_path: Path) -> None:
    """The error names the address; the turn is kept as failed."""
    with agent_home(tmp_path, []) as home:
        home.server.close()
        session = home.sessions.open("s")
        with pytest.raises(ModelUnreachable):
            list(home.agent.run(session, "Hello?"))
        assert home.sessions.turns(session)[0].stopped == "failed"


@pytest.mark.parametrize(
    ("answer", "nothing"),
    [
        ("I don't know that yet.", True),
        ("I'm sorry, I do not have any information about your dog. Could you tell me?", True),
        ("I'm not sure. If you tell me its name, I can keep it in mind.", True),
        ("我还不知道。", True),
        ("抱歉，我目前没有关于你的狗的信息。你可以告诉我吗？", True),
        ("You don't know SQL yet.", False),
        ("I don't know its name, but it is three years old. It was born in Lisbon.", False),
        ("你还不知道线性代数。", False),
        ("Your dog is called Max.", False),
    ],
)
def test_an_answer_that_says_nothing_is_known_is_no_memory(answer: str, nothing: bool) -> None:
    """In either language; what tells anything is one."""
    assert holds_nothing(answer) is nothing


def test_what_was_not_known_is_not_recalled(tmp_path: Path) -> None:
    """The turn keeps the answer; the memory does not."""
    script = [says("I don't know that yet."), says("I don't know that yet.")]
    with agent_home(tmp_path, script) as home:
        home.ask("What is my dog's name?", "s")
        recall = home.ask("What is the name of my dog?").recall
        assert recall is not None
        assert "answer" not in {hit.chunk.kind for hit in recall.hits}
        (turn,) = home.sessions.turns(home.sessions.open("s"))
        assert turn.answer == "I don't know that yet."
