"""What holds for everything that repeats, across clock changes in any zone."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from itertools import islice, pairwise
from zoneinfo import ZoneInfo

from hypothesis import given
from hypothesis import strategies as st

from assistant.jobs.moments import parse_moment
from assistant.jobs.recurrence import Recurrence, daily

NAMES = ["UTC", "Europe/Berlin", "America/New_York", "Asia/Shanghai", "Australia/Lord_Howe",
         "America/Santiago", "Pacific/Apia"]  # fmt: skip
ZONES = st.sampled_from(NAMES).map(ZoneInfo)
MOMENTS = st.integers(1_260_000_000, 2_200_000_000).map(lambda s: datetime.fromtimestamp(s, UTC))
RULES = st.sampled_from(
    ["FREQ=DAILY", "FREQ=WEEKLY;BYDAY=MO,SU", "FREQ=DAILY;INTERVAL=3", "FREQ=HOURLY",
     "FREQ=MINUTELY;INTERVAL=20", "FREQ=MONTHLY;BYMONTHDAY=28,29,30,31;BYSETPOS=-1"]
)  # fmt: skip
HOURS, MINUTES = st.integers(0, 23), st.integers(0, 59)


@given(RULES, HOURS, MINUTES, MOMENTS, ZONES)
def test_occurrences_grow_and_come_after(
    rule: str, hour: int, minute: int, moment: datetime, zone: ZoneInfo
) -> None:
    """Occurrences come after the moment, in order, and `after` walks through all of them."""
    start = moment.astimezone(zone).replace(tzinfo=None, hour=hour, minute=minute, second=0)
    recurrence = Recurrence(rule, start - timedelta(days=40), zone)
    times = list(islice(recurrence.between(moment, moment + timedelta(days=70)), 30))
    assert all(moment < a < b for a, b in pairwise(times))
    walked, at = [], moment
    for _ in times:
        at = recurrence.after(at) or at
        walked.append(at)
    assert walked == times


@given(HOURS, MINUTES, MOMENTS, ZONES)
def test_a_daily_time_comes_once_on_each_local_day(
    hour: int, minute: int, moment: datetime, zone: ZoneInfo
) -> None:
    """Every local day has its one occurrence, at that wall-clock time unless the clock skips it."""
    times = list(daily(hour, minute, zone).between(moment, moment + timedelta(days=40)))
    days = [time.astimezone(zone).date() for time in times]
    if str(zone) != "Pacific/Apia":  # which left out 30 December 2011
        assert len(set(days)) == len(days)
    for time in times:
        local = time.astimezone(zone)
        wall = local.replace(hour=hour, minute=minute, fold=0)
        skipped = wall.astimezone(UTC).astimezone(zone).replace(fold=0) != wall
        assert (local.hour, local.minute) == (hour, minute) or skipped


@given(st.text(max_size=80), MOMENTS, ZONES)
def test_no_text_breaks_the_reading_of_a_time(text: str, now: datetime, zone: ZoneInfo) -> None:
    """Whatever is typed, reading a time gives a time or none, and never raises."""
    moment = parse_moment(text, now, zone)
    assert moment is None or moment.at.tzinfo is UTC
