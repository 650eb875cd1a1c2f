"""Reminders: added in words, told once when due, put off, done, repeated, forgotten."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from assistant.errors import UserError
from assistant.jobs.notices import Notices
from assistant.jobs.reminders import Reminders
from assistant.jobs.wording import repeats
from memory_store import tables
from memory_store.chunk import Chunk, Freshness, Scope
from memory_store.ledger import Ledger
from memory_store.testing import FrozenClock

BERLIN = ZoneInfo("Europe/Berlin")
Told = Callable[[], list[str]]


@pytest.fixture
def notices(ledger: Ledger) -> Notices:
    """Notices that go out by one channel too."""
    return Notices(ledger, ["command"])


@pytest.fixture
def reminders(ledger: Ledger, notices: Notices, clock: FrozenClock) -> Reminders:
    """The reminders of one owner in Berlin; it is Wednesday 20 May 2026, 14:30."""
    return Reminders(ledger, notices, clock=clock, zone=BERLIN)


@pytest.fixture
def told(reminders: Reminders, notices: Notices, clock: FrozenClock) -> Told:
    """What the user is newly told, now."""

    def told() -> list[str]:
        reminders.tell_due()
        notes = notices.pending()
        notices.shown(notes, clock.now)
        return [note.text for note in notes]

    return told


def test_is_told_once_when_due(reminders: Reminders, clock: FrozenClock, told: Told) -> None:
    """A reminder is told once, not before its time and not again."""
    reminders.add("remind me tomorrow at 9 to call the dentist")
    assert told() == []
    clock.advance(timedelta(hours=18, minutes=30))
    assert told() == ["Reminder: call the dentist (Thursday 21 May 2026, 09:00)"]
    assert told() == []
    clock.advance(timedelta(days=30))
    assert told() == []
    assert [each.text for each in reminders.list()] == ["call the dentist"]


def test_is_told_in_its_own_language(reminders: Reminders, clock: FrozenClock, told: Told) -> None:
    """A reminder asked for in Chinese is told in Chinese."""
    reminders.add("提醒我周五交作业")
    clock.advance(timedelta(days=2))
    assert told() == ["提醒：交作业（2026年5月22日星期五 09:00）"]


def test_missed_repetitions_are_one_note(
    reminders: Reminders, clock: FrozenClock, told: Told
) -> None:
    """After three days asleep a daily reminder is told once, saying what else was missed."""
    reminders.add("take the pills", "every day at 8pm")
    clock.advance(timedelta(days=3))
    assert told() == [
        "Reminder: take the pills (Wednesday 20 May 2026, 20:00, and 2 more times since)"
    ]
    due = reminders.list()[0].due
    assert due is not None
    assert due.astimezone(BERLIN).isoformat() == "2026-05-23T20:00:00+02:00"


def test_a_repeated_time_follows_the_wall_clock(
    reminders: Reminders, clock: FrozenClock, told: Told
) -> None:
    """08:00 stays 08:00 when the clock is put back, and each day is told once."""
    clock.now = datetime(2026, 10, 23, 12, tzinfo=UTC)
    reminders.add("stretch", "every day at 8:00")
    said: list[str] = []
    for _ in range(24 * 3):
        clock.advance(timedelta(hours=1))
        said += told()
    assert [line[-18:-1] for line in said] == [
        "tober 2026, 08:00",
        "tober 2026, 08:00",
        "tober 2026, 08:00",
    ]
    due = reminders.list()[0].due
    assert due == datetime(2026, 10, 27, 7, tzinfo=UTC)


def test_snoozed_is_told_again(reminders: Reminders, clock: FrozenClock, told: Told) -> None:
    """A reminder that is put off is told again then; one that repeats goes on by its rule."""
    reminders.add("take the pills", "every day at 8pm")
    clock.advance(timedelta(hours=6))
    assert len(told()) == 1
    reminders.snooze("pills", "in 30 minutes")
    assert told() == []
    clock.advance(timedelta(minutes=30))
    assert len(told()) == 1
    due = reminders.list()[0].due
    assert due is not None
    assert due.astimezone(BERLIN).hour == 20
    assert due.astimezone(BERLIN).day == 21


def test_done_leaves_the_list(reminders: Reminders) -> None:
    """What is done or cancelled is open no more, and can be listed still."""
    reminders.add("buy milk")
    reminders.add("call mom", "tomorrow")
    assert reminders.complete("milk").status == "done"
    assert reminders.cancel("2").status == "cancelled"
    assert reminders.list() == []
    assert len(reminders.list(None)) == 2


def test_done_of_a_repeated_one_is_for_this_time(
    reminders: Reminders, clock: FrozenClock, told: Told
) -> None:
    """Done after it was told, it is due again by its rule; done ahead, this time is left out."""
    reminders.add("take the pills", "every day at 8pm")
    clock.advance(timedelta(hours=6))
    told()
    reminders.complete("pills")  # what was told at 20:00
    due = reminders.list()[0].due
    assert due is not None
    assert due.astimezone(BERLIN).day == 21
    clock.advance(timedelta(hours=20))
    reminders.complete("pills")  # at 16:30, ahead of 20:00
    clock.advance(timedelta(hours=4))
    assert told() == []
    clock.advance(timedelta(days=1))
    assert len(told()) == 1


@pytest.mark.parametrize(
    ("what", "when", "problem"),
    [
        ("call mom", "soonish", "not a time"),
        ("call mom", "yesterday at 9", "has passed"),
        ("call mom", "30 February", "not a time"),
        ("remind me tomorrow", None, "nothing to be reminded of"),
        ("  ", "tomorrow", "nothing to be reminded of"),
        ("x" * 1001, "tomorrow", "1000 is the most"),
    ],
)
def test_refuses_what_it_cannot_keep(
    reminders: Reminders, what: str, when: str | None, problem: str
) -> None:
    """A wrong time or an empty text is refused with what is wrong, and nothing is stored."""
    with pytest.raises(UserError, match=problem):
        reminders.add(what, when)
    assert reminders.list(None) == []


@pytest.mark.parametrize(
    "words", ["call mum on 30 February", "2026-02-30 call mum", "2月30日交作业"]
)
def test_a_day_that_does_not_exist_is_no_to_do(reminders: Reminders, words: str) -> None:
    """It would never be told; the user is asked to correct it, and nothing is stored."""
    with pytest.raises(UserError, match="not a day of the calendar"):
        reminders.add(words)
    assert reminders.list() == []


def test_asks_which_is_meant(reminders: Reminders) -> None:
    """Words that fit several reminders, or none, change nothing."""
    reminders.add("call mom", "tomorrow")
    reminders.add("call dad", "tomorrow")
    with pytest.raises(UserError, match="may mean 1: call mom; 2: call dad"):
        reminders.cancel("call")
    with pytest.raises(UserError, match="no open reminder 'plumber'"):
        reminders.cancel("plumber")
    with pytest.raises(UserError, match="repeats"):
        reminders.snooze("1", "every day at 8")
    assert len(reminders.list()) == 2


def test_owners_do_not_see_each_other(
    ledger: Ledger, reminders: Reminders, clock: FrozenClock
) -> None:
    """One owner's reminders are neither listed, told nor changed by another."""
    reminders.add("secret", "tomorrow")
    notices = Notices(ledger, owner="you")
    other = Reminders(ledger, notices, clock=clock, zone=BERLIN, owner="you")
    clock.advance(timedelta(days=2))
    assert other.list(None) == []
    assert other.tell_due() == 0
    with pytest.raises(UserError):
        other.cancel("1")


def test_forgetting_a_turn_takes_its_reminders(
    ledger: Ledger, reminders: Reminders, notices: Notices, clock: FrozenClock
) -> None:
    """What was asked for in a forgotten turn is gone, with its notes and what waits to be sent."""
    reminders.add("the zebra secret", "tomorrow", turn="turn-1")
    reminders.add("something else", "tomorrow", turn="turn-2")
    clock.advance(timedelta(days=1))
    reminders.tell_due()
    chunk = Chunk(
        "0" * 26, "question", "the zebra secret", Scope("me", "s", "turn-1"), clock.now, clock.now,
        None, None, Freshness(), "user", (), 4,
    )  # fmt: skip
    with ledger.write() as connection:
        reminders.forget(connection, [chunk])
    assert [each.text for each in reminders.list(None)] == ["something else"]
    assert len(notices.pending()) == 1
    ledger.compact()
    assert b"zebra" not in ledger.path.read_bytes()


def test_forgetting_an_answer_leaves_its_turns_reminders(
    ledger: Ledger, reminders: Reminders, clock: FrozenClock
) -> None:
    """Only what quotes the forgotten text, and is in no memory any more, goes with it."""
    ledger.migrate(tables.MIGRATIONS)
    reminders.add("call the dentist", "tomorrow", turn="turn-1")
    reminders.add("bring ZX-99817", "tomorrow", turn="turn-2")
    chunk = Chunk(
        "0" * 26, "answer", "The passport is ZX-99817.", Scope("me", "s", "turn-1"), clock.now,
        clock.now, None, None, Freshness(), "assistant", (), 4, 0,
    )  # fmt: skip
    with ledger.write() as connection:
        reminders.forget(connection, [chunk])
    assert [each.text for each in reminders.list(None)] == ["call the dentist"]


@pytest.mark.parametrize(
    ("rule", "english", "chinese"),
    [
        ("", "", ""),
        ("FREQ=DAILY", "every day", "每天"),
        ("FREQ=WEEKLY;BYDAY=MO,TH", "every week on Monday, Thursday", "每周周一、周四"),
        ("FREQ=WEEKLY;INTERVAL=2;BYDAY=FR", "every 2 weeks on Friday", "每2周周五"),
        ("FREQ=MONTHLY;BYMONTHDAY=28,29,30,31;BYSETPOS=-1", "every month on day 31", "每个月31日"),
        ("FREQ=YEARLY;BYMONTH=5;BYMONTHDAY=3", "every year on 05-03", "每年5月3日"),
    ],
)
def test_says_how_it_repeats(rule: str, english: str, chinese: str) -> None:
    """A rule is told in words of either language."""
    assert (repeats(rule, "en"), repeats(rule, "zh")) == (english, chinese)


@pytest.mark.parametrize(
    "words",
    [
        "tomorrow at 25:00 call mum",
        "call mum tomorrow at 12:75",
        "remind me at 25:00 to call mum",
        "call mum tomorrow at 25",
        "call mum at 30 o'clock",
        "明天25点给妈妈打电话",
        "明天八点给妈妈打电话，不，二十五点",
        "明天8点75给妈妈打电话",
    ],
)
def test_a_time_that_no_clock_shows_is_refused(reminders: Reminders, words: str) -> None:
    """It becomes no to-do and no other time; the message names it."""
    with pytest.raises(UserError, match="not a time of day"):
        reminders.add(words)
    with pytest.raises(UserError, match="not a time of day"):
        reminders.add("call mum", "at 25:00")
    assert reminders.list() == []


@pytest.mark.parametrize("words", ["read chapter 12:75", "look at 30点建议", "buy 25 eggs"])
def test_figures_that_are_no_time_stay_in_a_to_do(reminders: Reminders, words: str) -> None:
    """Without a day, figures of that form belong to the thing to do."""
    assert reminders.add(words).text == words


def test_overdue_is_marked(reminders: Reminders, clock: FrozenClock) -> None:
    """A reminder whose time has passed is marked until it is done; the others are not."""
    reminders.add("call mum", "in 2 hours")
    reminders.add("给爸爸打电话", "两个小时后")
    reminders.add("water the plants", "every day at 8")
    clock.advance(timedelta(days=2))
    reminders.tell_due()
    shown = [reminders.describe(each) for each in reminders.list()]
    assert [line.endswith(("overdue", "已过期")) for line in shown] == [
        True,
        True,
        False,
    ]
    reminders.complete("call mum")
    assert not reminders.list("done")[0].overdue(clock.now)
