"""What holds for the time of any text, at any moment, in any zone."""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta
from itertools import pairwise
from zoneinfo import ZoneInfo

from hypothesis import given
from hypothesis import strategies as st

from memory_store.timeframe import asks_for_past, find_timeframes, parse_date

ZONES = st.sampled_from(
    ["UTC", "Europe/Berlin", "America/New_York", "Asia/Shanghai", "Asia/Kolkata",
     "Australia/Lord_Howe", "America/Santiago", "Pacific/Apia", "Africa/Casablanca"]
).map(ZoneInfo)  # fmt: skip
SECONDS = st.integers(86_400, 7_258_032_000)  # 1970 to 2199
MOMENTS = SECONDS.map(lambda seconds: datetime.fromtimestamp(seconds, UTC))
ENGLISH = """last next this past 3 5 12 31 2025 a few two ago weeks days month year May March in on
between and to since before after Tuesday weekend early the of end Q1 - / 30 February"""
CHINESE = """昨 天 前 上 周 三 月 份 去 年 初 中旬 个 底 日 号 到 至 以来 以前 大 后 几 半 两 国庆
季度 第 零 〇 十"""
WORDS = st.sampled_from((ENGLISH + " " + CHINESE).split())
TEXTS = st.one_of(
    st.text(max_size=200),
    st.lists(WORDS, max_size=12).map(" ".join),
    st.lists(WORDS, max_size=12).map("".join),
)


@given(TEXTS, MOMENTS, ZONES)
def test_every_timeframe_is_whole_local_days(text: str, now: datetime, zone: ZoneInfo) -> None:
    """No text raises; spans are not reversed, and begin and end where a local day does."""
    for frame in find_timeframes(text, now=now, zone=zone):
        assert frame.interval.start <= frame.interval.end
        assert text[frame.start : frame.start + len(frame.text)] == frame.text != ""
        for edge in (frame.interval.start, frame.interval.end):
            local = edge.astimezone(zone)
            midnight = datetime.combine(local.date(), time(), zone)
            assert edge == midnight.astimezone(UTC)


@given(TEXTS, MOMENTS, ZONES)
def test_what_is_over_is_past(text: str, now: datetime, zone: ZoneInfo) -> None:
    """A span that has ended is past, one that has yet to begin is not, and the question follows."""
    frames = find_timeframes(text, now=now, zone=zone)
    for frame in frames:
        if frame.interval.end <= now:
            assert frame.past
    if any(frame.past for frame in frames):
        assert asks_for_past(text, now=now, zone=zone)


@given(st.dates(date(1970, 1, 1), date(2099, 12, 31)), MOMENTS, ZONES)
def test_an_iso_date_is_that_day(day: date, now: datetime, zone: ZoneInfo) -> None:
    """An ISO date is read as itself, whatever the moment and the zone."""
    assert parse_date(str(day), now, zone) == day


@given(MOMENTS, ZONES)
def test_days_follow_each_other_without_gap(now: datetime, zone: ZoneInfo) -> None:
    """The day before yesterday, yesterday, today and tomorrow touch, and today holds now."""
    words = ["前天", "yesterday", "今天", "tomorrow"]
    days = [find_timeframes(word, now=now, zone=zone)[0].interval for word in words]
    assert all(a.end == b.start for a, b in pairwise(days))
    assert days[2].holds(now)


@given(MOMENTS, ZONES, st.integers(0, 400))
def test_days_ago_hold_that_moment(now: datetime, zone: ZoneInfo, count: int) -> None:
    """N days ago is the local day that is N dates back, in both languages."""
    english = find_timeframes(f"{count} days ago", now=now, zone=zone)[0].interval
    chinese = find_timeframes(f"{count}天前", now=now, zone=zone)[0].interval
    assert english == chinese
    local = english.start.astimezone(zone).date()
    assert now.astimezone(zone).date() - local == timedelta(days=count)
