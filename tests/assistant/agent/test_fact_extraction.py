"""Facts are read from what the user said, after the answer, and a correction supersedes at once."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from assistant.agent.fact_queue import FactQueue
from assistant.agent.facts import FactExtractor, corrects, read_facts
from assistant.agent.testing import AgentHome, agent_home
from assistant.testing import Step, fails, says
from memory_store import Verdict


def tell(home: AgentHome, extractor: FactExtractor, text: str) -> None:
    """Say something in one session, and do the work after the answer."""
    session = home.sessions.open("talk")
    home.ask(text, "talk")
    list(extractor.afterwards(session, home.sessions.turns(session)[-1]))


def extractor_of(home: AgentHome, batch: int = 2) -> FactExtractor:
    return FactExtractor(home.agent.model, home.store, batch=batch)


def facts(*found: tuple[int, str, str]) -> Step:
    keys = ("message", "subject", "value")
    return says(json.dumps({"facts": [dict(zip(keys, each, strict=True)) for each in found]}))


LISBON = (1, "user.city", "Lisbon")
REX = (2, "user.dog.name", "Rex")
IN_LISBON = 'city: Lisbon ("I live in Lisbon.")'
DOG_REX = 'dog name: Rex ("My dog is called Rex.")'


def test_facts_of_several_turns_are_read_at_once(tmp_path: Path) -> None:
    """One schema-constrained call; each fact keeps its slot, its message and its time."""
    script = [says("Nice."), says("Nice."), facts(LISBON, REX)]
    with agent_home(tmp_path, script) as home:
        extractor = extractor_of(home)
        tell(home, extractor, "I live in Lisbon.")
        assert home.store.chunks(kind="fact") == []
        tell(home, extractor, "My dog is called Rex.")
        found = home.store.chunks(kind="fact")
        assert [(c.subject, c.text) for c in found] == [
            ("user.city", IN_LISBON),
            ("user.dog.name", DOG_REX),
        ]
        questions = {c.id: c.text for c in home.store.chunks(kind="question")}
        assert [questions[c.derived_from[0]] for c in found] == [
            "I live in Lisbon.",
            "My dog is called Rex.",
        ]
        assert "response_format" in home.server.requests[-1]


def test_a_correction_supersedes_at_once_and_only_its_own_slot(tmp_path: Path) -> None:
    """ "No, Porto" is read without waiting, with what stood before it and the known slots."""
    porto = facts((1, "user.city", "Porto"))
    script = [says("A"), says("B"), facts(LISBON, REX), says("C"), porto]
    with agent_home(tmp_path, script) as home:
        extractor = extractor_of(home)
        tell(home, extractor, "I live in Lisbon.")
        tell(home, extractor, "My dog is called Rex.")
        home.at("2026-03-03T09:00:00+08:00")
        tell(home, extractor, "No, Porto. I moved.")
        assert "user.city" in home.sent()
        found = {c.text: c.id for c in home.store.chunks(kind="fact")}
        judged = home.store.judge(list(found.values()))
        verdicts = {text: judged[chunk_id].verdict for text, chunk_id in found.items()}
        assert verdicts == {
            IN_LISBON: Verdict.SUPERSEDED,
            DOG_REX: Verdict.FRESH,
            'city: Porto ("No, Porto.")': Verdict.FRESH,
        }


def test_a_failure_is_made_up_for_later(tmp_path: Path) -> None:
    """Neither an error nor nonsense loses a turn."""
    script = [
        says("A"),
        says("B"),
        fails(400),
        says("C"),
        says("no json"),
        says("D"),
        facts(LISBON),
    ]
    with agent_home(tmp_path, script) as home:
        extractor = extractor_of(home)
        for text in ("I live in Lisbon.", "I am 30.", "I like tea.", "I play chess."):
            tell(home, extractor, text)
        assert [c.text for c in home.store.chunks(kind="fact")] == [IN_LISBON]


def test_what_one_reader_took_no_other_reads(tmp_path: Path) -> None:
    """Readers at once share the queue; what a killed one had taken is read after a while."""
    with agent_home(tmp_path, [says("A"), says("B"), says("C")]) as home:
        queue = FactQueue(home.store)
        session = home.sessions.open("talk")
        for text in ("I live in Lisbon.", "I am 30.", "I like tea."):
            home.ask(text, "talk")
            queue.add(session, home.sessions.turns(session)[-1], with_before=False)
        assert queue.take(least=4, most=8) == []
        first = queue.take(least=2, most=2)
        assert [each.chunk.text for each in first] == ["I live in Lisbon.", "I am 30."]
        assert [each.chunk.text for each in queue.take(least=1, most=8)] == ["I like tea."]
        assert queue.take(least=1, most=8) == []
        queue.failed([first[0].turn])
        assert [each.turn for each in queue.take(least=1, most=8)] == [first[0].turn]
        home.at("2026-03-04T09:00:00+08:00")
        assert len(queue.take(least=1, most=8)) == 3


def test_a_forgotten_message_does_not_stand_in_the_way(tmp_path: Path) -> None:
    """It leaves the queue to those that come after it."""
    with agent_home(tmp_path, [says("A"), says("B"), says("C"), facts(LISBON)]) as home:
        extractor = extractor_of(home, batch=3)
        for text in ("I am 30.", "I like tea.", "I live in Lisbon."):
            if text == "I live in Lisbon.":
                home.store.forget(query="I like tea")
                home.store.forget(query="I am 30")
            tell(home, extractor, text)
        assert [c.text for c in home.store.chunks(kind="fact")] == [IN_LISBON]


def test_forgetting_a_message_forgets_its_fact(tmp_path: Path) -> None:
    """The fact is made from it."""
    with agent_home(tmp_path, [says("A"), says("B"), facts(LISBON)]) as home:
        extractor = extractor_of(home)
        tell(home, extractor, "I live in Lisbon.")
        tell(home, extractor, "I am 30.")
        home.store.forget(query="I live in Lisbon")
        assert home.store.chunks(kind="fact") == []


def test_a_part_of_a_number_is_not_that_number() -> None:
    """6 is not said in "6:30", nor in "2026"."""
    found = facts((1, "user.hours", "6"), (2, "user.hours.week", "6"))
    messages = ["I get up at 6:30 in 2026.", "I have 6 hours."]
    read = read_facts(getattr(found, "text", ""), messages)
    assert read is not None
    assert [fact.message for fact in read] == [2]


@pytest.mark.parametrize("value", ["14 May 1990", "6:30", "2500 euros", "八千"])
def test_figures_are_found_as_they_were_said(value: str) -> None:
    """Dates, times and amounts."""
    found = facts((1, "user.x", value))
    assert read_facts(getattr(found, "text", ""), [f"It is {value}, you know."])


@pytest.mark.parametrize(
    ("item", "kept"),
    [
        (LISBON, True),
        ((1, "User.City", "Lisbon"), True),
        ((1, "user.city", "Paris"), False),
        ((2, "user.city", "Lisbon"), False),
        ((1, "city", "Lisbon"), False),
        ((1, "user.city", ""), False),
        ((1, "user.city; drop", "Lisbon"), False),
    ],
)
def test_only_what_was_said_is_a_fact(item: tuple[int, str, str], kept: bool) -> None:
    """The value stands in the message, the slot is one, the message exists."""
    reply = facts(item)
    assert not isinstance(reply, str)
    read = read_facts(getattr(reply, "text", ""), ["I live in Lisbon."])
    assert read is not None
    assert bool(read) == kept


@pytest.mark.parametrize(
    ("text", "is_one"),
    [
        ("No, Porto.", True),
        ("Actually it is 7 hours.", True),
        ("I moved to Porto.", True),
        ("不对，是波尔图。", True),
        ("我搬到深圳了。", True),
        ("I have no dog.", False),
        ("Nobody knows.", False),
        ("我住在杭州。", False),
    ],
)
def test_a_correction_is_recognised(text: str, is_one: bool) -> None:
    """In both languages."""
    assert corrects(text) == is_one
