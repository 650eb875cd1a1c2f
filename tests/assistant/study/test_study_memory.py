"""Memory and study together: plans and progress are memories that know when they are outdated."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from assistant.study.change import Change
from assistant.study.companion import Study
from assistant.study.making import Wish
from assistant.study.remembered import plan_subject, progress_subject
from assistant.study.tools import study_tools
from assistant.tools import RunContext, ToolRegistry
from memory_store import Chunk, Verdict
from memory_store.store import MemoryStore
from memory_store.testing import FrozenClock, TinyEmbedder

WISH = Wish("Learn linear algebra", weeks=30, hours=8, courses=("linear-algebra",))


@pytest.fixture
def memory(tmp_path: Path, clock: FrozenClock) -> Iterator[MemoryStore]:
    """A memory whose validator asks the study tools, as the assistant wires it."""

    def current(chunk: Chunk) -> str | None:
        return registry.validator(chunk)

    home = tmp_path / "home"
    with MemoryStore.open(home, embedder=TinyEmbedder(), clock=clock, validator=current) as store:
        studied = Study(
            store.ledger, clock=clock, zone=ZoneInfo("Asia/Shanghai"), memory=lambda: store
        )
        registry = ToolRegistry(study_tools(lambda: studied))
        store.study, store.registry = studied, registry  # type: ignore[attr-defined]
        yield store


def verdict(memory: MemoryStore, chunk_id: str) -> Verdict:
    return memory.judge([chunk_id])[chunk_id].verdict


def test_a_remembered_plan_is_revalidated_against_the_current_version(
    memory: MemoryStore, clock: FrozenClock
) -> None:
    """The current version's memory holds for months; another version's does not."""
    study: Study = memory.study  # type: ignore[attr-defined]
    study.make(WISH)
    (first,) = memory.chunks(subject=plan_subject("default"))
    clock.advance(timedelta(days=100))
    assert verdict(memory, first.id) is Verdict.REVALIDATED
    study.adjust(Change("halve", week=20), 1)
    assert not verdict(memory, first.id).current
    newest = memory.chunks(subject=plan_subject("default"))[-1]
    assert verdict(memory, newest.id) is Verdict.REVALIDATED


def test_after_undo_the_former_plan_is_the_remembered_one(
    memory: MemoryStore, clock: FrozenClock
) -> None:
    """What is remembered last is the version that is current again."""
    study: Study = memory.study  # type: ignore[attr-defined]
    study.make(WISH)
    clock.advance(timedelta(hours=1))
    study.adjust(Change("halve", week=20), 1)
    clock.advance(timedelta(hours=1))
    study.undo()
    chunks = memory.chunks(subject=plan_subject("default"))
    current = [c for c in chunks if verdict(memory, c.id).current]
    assert [chunk.freshness.tag for chunk in current] == ["1"]
    assert "Version 1" in current[0].text


def test_the_newest_check_in_answers_for_a_course(memory: MemoryStore, clock: FrozenClock) -> None:
    """Each check-in supersedes the one before it, and the history keeps all."""
    study: Study = memory.study  # type: ignore[attr-defined]
    study.make(WISH)
    study.check_in("2h linear algebra")
    clock.advance(timedelta(days=1))
    study.check_in("3h linear algebra, stuck on eigenvalues")
    chunks = memory.chunks(subject=progress_subject("linear-algebra"))
    assert [verdict(memory, c.id) for c in chunks] == [Verdict.SUPERSEDED, Verdict.FRESH]
    assert "5 h of 168 h" in chunks[-1].text
    assert "eigenvalues" in chunks[-1].text


def test_what_is_refused_leaves_no_memory(memory: MemoryStore) -> None:
    """A plan that cannot be stored is not remembered either."""
    study: Study = memory.study  # type: ignore[attr-defined]
    with pytest.raises(Exception, match="no course"):
        study.make(Wish("x", weeks=2, hours=2, courses=("nope",)))
    assert memory.chunks() == []


def test_study_by_conversation(memory: MemoryStore, clock: FrozenClock) -> None:
    """Plan, log, status, proposals and the choice of one, in the tools' own sentences."""
    registry: ToolRegistry = memory.registry  # type: ignore[attr-defined]
    run = RunContext(language="zh", clock=clock, zone=ZoneInfo("Asia/Shanghai"))

    def call(name: str, **arguments: object) -> str:
        outcome = registry.run(name, arguments, run)
        assert outcome.ok, outcome.text
        return outcome.text

    made = call("make_study_plan", goal="我零基础，想用3个月系统学习机器学习，每周8小时")
    assert "第 1 版" in made
    assert "Python 入门" in call("read_plan")
    assert "Python 入门" in call("log_study", text="学了2小时Python，学完第1部分")
    assert "Python" in call("log_study", text="又学了Python", minutes=30)
    assert "实学 2 小时 30 分钟" in call("study_status")
    assert "1. " in call("propose_adjustments", change="第三周太紧，减半")
    assert "已保存为第 2 版" in call("apply_adjustment", change="第三周太紧，减半", number=2)
    assert "第 1 版" in call("undo_study", what="plan")
    assert "又学了Python" in call("undo_study", what="log")
    assert "machine-learning" in call("find_courses", topic="机器学习")


def test_a_tool_asks_back_what_is_unclear(memory: MemoryStore, clock: FrozenClock) -> None:
    """An ambiguous check-in, a missing plan, an unknown change are told, and nothing is stored."""
    registry: ToolRegistry = memory.registry  # type: ignore[attr-defined]
    run = RunContext(clock=clock)
    assert "no study plan yet" in registry.run("study_status", {}, run).text
    memory.study.make(WISH)  # type: ignore[attr-defined]
    for name, arguments, said in (
        ("log_study", {"text": "linear algebra, done"}, "how long"),
        ("log_study", {"text": "2h algebra", "minutes": 30}, "several durations"),
        ("propose_adjustments", {"change": "nicer please"}, "not understood"),
        ("apply_adjustment", {"number": 9, "change": "week 3 is too full"}, "no proposal 9"),
    ):
        outcome = registry.run(name, arguments, run)
        assert not outcome.ok
        assert said in outcome.text


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ("2h linear algebra, finished part 3", {"log_study"}),
        ("今天学了一个半小时Python", {"log_study"}),
        ("打卡：90分钟", {"log_study"}),
        ("I am learning linear algebra and have 6 hours a week for it.", set[str]()),
        ("我在学线性代数，每周有6小时。", set[str]()),
        ("How many hours a week do I have for linear algebra?", set[str]()),
        ("我每周有几个小时学线性代数？", set[str]()),
        ("我零基础，想用3个月系统学习机器学习，每周8小时", {"make_study_plan"}),
        ("想学机器学习，12周", {"make_study_plan"}),
        ("帮我制定一个8周的学习计划", {"make_study_plan"}),
        ("我计划用12周学完机器学习", {"make_study_plan"}),
        ("8周学会统计学，每周5小时", {"make_study_plan"}),
        ("第3周学完了，用了2小时", {"log_study"}),
        ("Learn data engineering by 1 March, 6 hours a week", {"make_study_plan"}),
        ("Make me a 12 week plan for machine learning", {"make_study_plan"}),
        ("What is my plan for this week?", set[str]()),
        ("I study 6 hours a week.", set[str]()),
        ("我的计划这周要学什么？", set[str]()),
    ],
)
def test_time_at_hand_is_neither_logged_nor_planned(
    memory: MemoryStore, said: str, expected: set[str]
) -> None:
    """Plans are made where they are asked for, and only time that was spent is logged."""
    registry: ToolRegistry = memory.registry  # type: ignore[attr-defined]
    tools = {tool.name: tool for tool in registry}
    found = {
        name
        for name in ("make_study_plan", "log_study")
        if (when := tools[name].when) is not None and when(said)
    }
    assert found == expected


@pytest.mark.parametrize(
    ("question", "applies"),
    [
        ("Which SQL courses are there?", True),
        ("What course should I take next?", True),
        ("有什么机器学习的课？", True),
        ("Find me a course about SQL.", True),
        ("My exam of the German course is on 20 June.", False),
        ("Which chapter of the SQL course did I finish?", False),
        ("我学完了SQL课程的第几章？", False),
    ],
)
def test_the_catalogue_is_not_asked_for_ones_own_course(
    memory: MemoryStore, question: str, applies: bool
) -> None:
    """How far one has come stands in memory."""
    registry: ToolRegistry = memory.registry  # type: ignore[attr-defined]
    tool = next(tool for tool in registry if tool.name == "find_courses")
    assert tool.when is not None
    assert tool.when(question) == applies
