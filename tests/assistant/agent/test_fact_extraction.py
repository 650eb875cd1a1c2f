"""Facts are read from what the user said, after the answer, and a correction supersedes at once."""

from __future__ import annotations

import json
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from assistant.agent.fact_queue import FactQueue
from assistant.agent.fact_spans import span
from assistant.agent.facts import FactExtractor, read_facts
from assistant.agent.testing import ZONE, AgentHome, agent_home
from assistant.messages import Json
from assistant.testing import Step, fails, says
from memory_store import Verdict


def tell(home: AgentHome, extractor: FactExtractor, text: str) -> None:
    """Say something in one session, and do the work after the answer."""
    session = home.sessions.open("talk")
    home.ask(text, "talk")
    list(extractor.afterwards(session, home.sessions.turns(session)[-1]))


def extractor_of(home: AgentHome, batch: int = 2) -> FactExtractor:
    return FactExtractor(home.agent.model, home.store, batch=batch)


def facts(*found: tuple[object, ...]) -> Step:
    """The model's reply: message, subject, value and, where they are given, since and until."""
    keys = ("message", "subject", "value", "since", "until")
    return says(json.dumps({"facts": [dict(zip(keys, each, strict=False)) for each in found]}))


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
    """Neither an error nor nonsense loses a turn; after a batch has failed it is read alone."""
    script = [says("A"), says("B"), fails(400), says("C"), facts(LISBON), says("no json")]
    with agent_home(tmp_path, script) as home:
        extractor = extractor_of(home)
        for text in ("I live in Lisbon.", "I am 30.", "I like tea."):
            tell(home, extractor, text)
        assert [c.text for c in home.store.chunks(kind="fact")] == [IN_LISBON]


def test_a_bad_turn_takes_none_with_it_and_is_never_given_up(tmp_path: Path) -> None:
    """It fails its batch once; then it waits longer each time, and the others go on without it."""

    def answer(body: dict[str, Json]) -> Step:
        asked = json.dumps(body["messages"])
        if "> Bad" in asked:
            return says("no json")
        return facts(LISBON if "> I live" in asked else (1, "user.dog.name", "Rex"))

    with agent_home(tmp_path, answer) as home:
        extractor, queue = extractor_of(home, batch=4), FactQueue(home.store)
        session = home.sessions.open("talk")
        for text in ("Bad luck.", "I live in Lisbon.", "My dog is Rex."):
            queue.add(session, home.agent.record(session, text), with_before=False)
        assert extractor.extract() == []
        assert len(extractor.extract()) == 2
        waits: list[int] = []
        for _ in range(8):
            assert not queue.waiting
            minutes = 0
            while not queue.waiting:
                minutes += 10
                home.now += timedelta(minutes=10)
            waits.append(minutes)
            assert extractor.extract() == []
        assert waits == [10 * 2**n for n in range(8)]


def test_what_is_out_of_reach_is_asked_once(tmp_path: Path) -> None:
    """While the model's server is away, the queue does not ask it turn after turn."""
    with agent_home(tmp_path, lambda _body: fails(401)) as home:
        extractor, queue = extractor_of(home), FactQueue(home.store)
        session = home.sessions.open("talk")
        for number in range(4):
            turn = home.agent.record(session, f"I have {number} dogs.")
            queue.add(session, turn, with_before=False)
        extractor.extract()
        asked = len(home.server.requests)
        extractor.extract()
        assert len(home.server.requests) == asked + 1


def test_a_fact_said_again_is_as_new_as_its_last_saying(tmp_path: Path) -> None:
    """Back in Porto, in the same words as in March: Porto is current, Lisbon is history."""
    places = {"03": "Porto", "04": "Lisbon", "05": "Porto"}
    script = [step for p in places.values() for step in (says("a"), facts((1, "user.city", p)))]
    with agent_home(tmp_path, script) as home:
        extractor = extractor_of(home)
        for month, place in places.items():
            home.at(f"2026-{month}-02T09:00:00+08:00")
            tell(home, extractor, f"I moved to {place}.")
            assert f"1. (2026-{month}-02)" in home.sent()
        spans = [
            (f"{period.valid_from:%m}", str(period.judgement.verdict))
            for period in home.store.history("user.city")
        ]
        assert spans == [("03", "superseded"), ("04", "superseded"), ("05", "fresh")]


def test_a_fact_of_the_past_is_history(tmp_path: Path) -> None:
    """It supersedes nothing that holds now, and its interval is reckoned from the user's words."""
    message = "From 2010 to 2015 I lived in Paris."
    script = [says("a"), facts((1, "user.city", "Porto")), says("b")]
    script += [facts((1, "user.city", "Paris", "2010", "2015"))]
    with agent_home(tmp_path, script) as home:
        extractor = extractor_of(home, batch=1)
        tell(home, extractor, "I live in Porto.")
        home.at("2026-04-02T09:00:00+08:00")
        tell(home, extractor, message)
        schema = json.dumps(home.server.requests[-1]["response_format"])
        assert "since" in schema
        assert "until" in schema
        paris, porto = home.store.history("user.city")
        assert "Paris" in paris.chunk.text
        years = (paris.valid_from.astimezone(ZONE).year, (paris.valid_until or home.now).year)
        assert years == (2010, 2015)  # in UTC the year 2015 still lasts some hours
        assert porto.judgement.verdict is Verdict.FRESH
        assert paris.judgement.verdict is Verdict.SUPERSEDED


DAY = "%Y-%m-%d"
TOLD = datetime(2026, 4, 2, 9, tzinfo=ZONE)
NOW = TOLD.strftime(DAY)


@pytest.mark.parametrize(
    ("since", "until", "message", "expected"),
    [
        ("2010", "2015", "From 2010 to 2015 I lived in X.", ("2010-01-01", "2016-01-01")),
        (None, None, "From 2010 to 2015 I lived in X.", ("2010-01-01", "2016-01-01")),
        (None, None, "从2010年到2015年我住在X。", ("2010-01-01", "2016-01-01")),
        (None, None, "I have lived in X with 2010 to 2015 books.", None),
        ("2010", None, "I have lived in X since 2010.", ("2010-01-01", NOW)),
        ("2015-03", None, "I have lived in X since March 2015.", ("2015-03-01", NOW)),
        (None, "last year", "I worked at X until last year.", ("2025-01-01", "2026-01-01")),
        (None, "Friday", "I am in X until Friday.", (NOW, "2026-04-04")),
        (None, "Friday", "I was in X until Friday.", ("2026-03-27", "2026-03-28")),
        ("May", None, "From May on I will live in X.", ("2026-05-01", "2026-05-01")),
        ("2010年", "2015年", "2010年到2015年我住在X。", ("2010-01-01", "2016-01-01")),
        (None, "去年五月", "我在X工作到去年五月。", ("2025-05-01", "2025-06-01")),
        ("2025", None, "I have lived in X since my wedding.", None),
        ("last year", None, "I live in X.", None),
        ("whenever", "never", "I live in X whenever, or never.", None),
        ("2015", "2010", "From 2015 to 2010 I lived in X.", None),
        (3, None, "I live in X 3.", None),
    ],
)
def test_an_interval_is_reckoned_by_code(
    since: object, until: object, message: str, expected: tuple[str, str] | None
) -> None:
    """From the message's own words; what it does not say, or no calendar knows, is dropped."""
    reply = facts((1, "user.place", "X", since, until))
    [fact] = read_facts(getattr(reply, "text", ""), [message]) or []
    about = span(fact.since, fact.until, message, TOLD, ZONE)
    days = about and tuple(each.astimezone(ZONE).strftime(DAY) for each in (about.start, about.end))
    assert days == expected


def test_a_date_that_is_the_value_is_no_interval() -> None:
    """ "My exam is on 12 June" holds before that day."""
    reply = facts((1, "user.exam", "12 June", "12 June", None))
    [fact] = read_facts(getattr(reply, "text", ""), ["My exam is on 12 June."]) or []
    assert (fact.since, fact.until) == ("", "")


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
        alone, others = (queue.take(least=1, most=8) for _ in range(2))
        assert ([each.turn for each in alone], len(others)) == ([first[0].turn], 2)


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
