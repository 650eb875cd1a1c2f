"""Guards end a run that goes nowhere, with what it has; claims without proof are not delivered."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from assistant.agent.claims import find_claim, sentences
from assistant.agent.guards import Guards, Limits
from assistant.agent.testing import agent_home
from assistant.errors import SettingsError
from assistant.messages import Json
from assistant.testing import Reply, Step, calls, says
from assistant.tools import ToolRegistry, tool
from assistant.tools.clock import get_current_time

SUM = calls(("calculate", {"expression": "1+1"}))


@tool(description="How many pieces of an article are in stock, by sku.", live=True)
def get_stock(sku: str) -> str:
    return f"7 pieces of {sku}."


@tool(description="Looks something up.")
def look_up(query: str) -> str:
    return f"Nothing about {query}."


def numbered(make: Callable[[int], Step]) -> Callable[[dict[str, Json]], Step]:
    """A script without an end: each request gets the next step."""
    count = [0]

    def rule(_body: dict[str, Json]) -> Step:
        count[0] += 1
        return make(count[0])

    return rule


def test_the_same_call_a_third_time_stops_the_run(tmp_path: Path) -> None:
    """The second time it is told; the third ends the run with what was found."""
    with agent_home(tmp_path, [SUM, SUM, SUM]) as home:
        record = home.ask("What is 1+1?")
        assert record.stopped == "repeated"
        assert "1+1 = 2." in record.answer
        assert "repeated" in record.answer
        assert "called recently" in home.sent(2)
        assert len(record.steps) == 2


def test_the_step_limit_ends_the_run(tmp_path: Path) -> None:
    """Eight model calls, and no ninth."""
    queries = ("cats", "moons of Jupiter", "bread", "law", "zebra crossing", "tea", "Oslo", "x")
    script = numbered(lambda n: calls(("look_up", {"query": queries[n - 1] * n})))
    with agent_home(tmp_path, script, [look_up]) as home:
        record = home.ask("Tell me all.")
        assert record.stopped == "steps"
        assert len(home.server.requests) == 8
        assert "step limit" in record.answer
        assert "Nothing about cats." in record.answer


def test_slightly_changed_arguments_over_and_over_stop_the_run(tmp_path: Path) -> None:
    """Before the step limit, and the model was told."""
    script = numbered(lambda n: calls(("look_up", {"query": f"the best tea shop {n}"})))
    with agent_home(tmp_path, script, [look_up]) as home:
        record = home.ask("Where is tea?")
        assert record.stopped == "repeated"
        assert len(home.server.requests) < 8
        assert "slightly changed" in home.sent()


def test_two_calls_in_turn_stop_the_run(tmp_path: Path) -> None:
    """A-B-A-B goes nowhere."""
    other = calls(("calculate", {"expression": "2+2"}))
    with agent_home(tmp_path, [SUM, other, SUM, other]) as home:
        assert home.ask("What are they?").stopped == "repeated"


def test_tokens_and_time_end_the_run(tmp_path: Path) -> None:
    """Each guard says which one it was."""
    with agent_home(tmp_path / "a", [SUM], limits=Limits(tokens=100)) as home:
        assert home.ask("What is 1+1?").stopped == "tokens"
    with agent_home(tmp_path / "b", [], limits=Limits(seconds=1e-9)) as home:
        record = home.ask("我的狗叫什么？")
        assert record.stopped == "time"
        assert "时间上限" in record.answer


def test_limits_must_be_above_zero() -> None:
    """A limit of nothing is a mistake."""
    with pytest.raises(SettingsError, match="steps"):
        Limits(steps=0)


def test_parallel_calls_of_one_tool_are_no_loop() -> None:
    """Seven articles asked for at once are one step."""
    guards = Guards(Limits(), 0.0)
    assert [guards.before_call(1, f'get_stock(sku="{n}")') for n in range(7)] == [None] * 7


def test_a_promise_without_a_call_is_nudged_once(tmp_path: Path) -> None:
    """Then the model calls."""
    script = [says("Let me look that up."), SUM, says("It is 2.")]
    with agent_home(tmp_path, script) as home:
        assert home.ask("What is 1+1?").answer == "It is 2."
        assert "called no tool" in home.sent(1)


def test_a_promise_that_stays_one_is_not_delivered(tmp_path: Path) -> None:
    """The user is told that nothing was looked up."""
    with agent_home(tmp_path, [says("我查一下。"), says("我帮你查一下，请稍等。")]) as home:
        answer = home.ask("库存是多少？").answer
        assert "查一下" not in answer
        assert "没有调用" in answer


@pytest.mark.parametrize("claim", ["I have saved that for you.", "Saved.", "I'll remember that."])
def test_a_claim_of_having_saved_needs_a_call(tmp_path: Path, claim: str) -> None:
    """It is nudged once, and then taken out of the answer."""
    with agent_home(tmp_path, [says(claim), says(f"Sure. {claim}")]) as home:
        answer = home.ask("My dog is called Rex, please keep it.").answer
        assert claim not in answer
        assert answer.startswith("Sure.")


def test_a_proven_claim_is_delivered(tmp_path: Path) -> None:
    """A successful call in this run is proof."""
    call = calls(("remember_fact", {"fact": "The user's dog is called Rex."}))
    with agent_home(tmp_path, [call, says("I have saved that.")]) as home:
        assert home.ask("Please remember that my dog is called Rex.").answer == "I have saved that."
        (fact,) = home.store.chunks(kind="fact")
        assert (fact.text, fact.origin) == ("The user's dog is called Rex.", "user")


def test_a_live_value_needs_a_call(tmp_path: Path) -> None:
    """A stock that was not asked for is nudged, and then not delivered."""
    script = [says("There are 12 pieces."), says("There are 12 pieces of it.")]
    with agent_home(tmp_path, script, [get_stock]) as home:
        answer = home.ask("How many pieces of sku 42 are in stock?").answer
        assert "12" not in answer
        assert "get_stock" in home.sent(1)


def test_a_completion_marker_is_required_and_taken_off(tmp_path: Path) -> None:
    """An answer without it is asked for again once."""
    script = [says("It is"), says("It is done.【完成】")]
    with agent_home(tmp_path, script, marker="【完成】") as home:
        assert home.ask("Tell me a word, any word").answer == "It is done."
        assert "【完成】" in home.sent(0)


def test_a_cut_off_call_is_not_run(tmp_path: Path) -> None:
    """What is repaired of it would be another call than the one that was meant."""
    cut = calls(("look_up", '{"query": "the whole'))
    script = [Reply(cut.text, cut.calls, finish="length"), says("I could not.")]
    with agent_home(tmp_path, script, [look_up]) as home:
        record = home.ask("Look it up")
        assert record.steps == ()
        assert "cut off" in home.sent(1)


def test_a_cut_off_answer_and_a_withheld_one_are_said_to_be_so(tmp_path: Path) -> None:
    """By a notice, or in place of the answer."""
    script = [says("It goes on", finish="length"), says("", finish="content_filter")]
    with agent_home(tmp_path, script) as home:
        record = home.ask("Tell me a long story.")
        assert record.answer == "It goes on …"
        assert "cut off" in record.notices[0]
        withheld = home.ask("Tell me another.")
        assert withheld.stopped == "failed"
        assert "content filter" in withheld.answer


CLAIMS = ToolRegistry([get_stock, look_up, get_current_time])


@pytest.mark.parametrize(
    ("answer", "kind"),
    [
        ("Let me check the stock.", "promise"),
        ("I'll look it up for you.", "promise"),
        ("让我查一下。", "promise"),
        ("我来帮你查询。", "promise"),
        ("稍等。", "promise"),
        ("I've saved your address.", "action"),
        ("Your note has been stored.", "action"),
        ("I have deleted it.", "action"),
        ("我已经保存了。", "action"),
        ("已为你记住。", "action"),
        ("记住了！", "action"),
        ("已删除。", "action"),
        ("The meeting has been scheduled.", "action"),
        ("Today is Monday.", "live"),
        ("今天是2026年3月2日。", "live"),
        ("The current time is 09:00.", "live"),
        ("I don't know that yet.", None),
        ("I have not saved anything.", None),
        ("Would you like me to save it?", None),
        ("If you like, I'll look it up.", None),
        ("You saved 200 euros last month.", None),
        ("I checked: there is nothing.", None),
        ("I cannot delete it.", None),
        ("Your sister lives in Lisbon.", None),
        ("我不知道。", None),
        ("你每周有6小时。", None),
        ("要我帮你查一下吗？", None),
        ("我查到了三本书。", None),
        ("I'll be happy to help.", None),
        ("Save early, save often.", None),
    ],
)
def test_claims_are_recognised_by_their_form(answer: str, kind: str | None) -> None:
    """Honest answers, offers and questions are no claims."""
    claim = find_claim(
        answer, question="Hm?", tools=CLAIMS, succeeded=(), known=lambda _tool: False
    )
    assert (claim.kind if claim else None) == kind


def test_a_figure_that_a_tool_has_told_is_no_claim_for_another() -> None:
    """An answer of several parts is not refused for the tool that failed."""
    tools = ToolRegistry([get_stock, look_up])
    question = "How many pieces in stock, by sku 42? And look up 17."

    def claims(told: str) -> bool:
        return (
            find_claim(
                "There are 17 pieces.",
                question=question,
                tools=tools,
                succeeded=["look_up"],
                known=lambda _tool: False,
                told=told,
            )
            is not None
        )

    assert claims("")
    assert claims("There are 170.")
    assert not claims("There are 17 of them.")


@pytest.mark.parametrize("text", ["", "a", "a. b", "a.\nb", "3.5 is. ok", "你好。好！", "..."])
def test_sentences_are_the_text_again(text: str) -> None:
    """Nothing is lost between them."""
    assert "".join(sentences(text)) == text
