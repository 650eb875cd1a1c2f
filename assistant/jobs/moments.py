"""Times to come: "tomorrow at 9", "in 20 minutes", "every Monday at 8", 明天早上9点, 每天8点."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta, tzinfo

from assistant.jobs.clock_words import MORNING, TimeOfDay, find_time
from assistant.jobs.recurrence import Recurrence
from assistant.jobs.repeat_words import find_repeat, on_month_day, on_year_day
from memory_store import words_en, words_zh
from memory_store.calendar_days import DAY, add_months
from memory_store.timeframe import find_timeframes

EVENING = 18

_SECONDS = {"second": 1, "sec": 1, "minute": 60, "min": 60, "hour": 3600}
_Span = tuple[int, int]
_READ = "\x00"
_NEXT = re.compile(r"\bnext\b|下", re.I)
_UNIT = r"(?P<unit>second|sec|minute|min|hour|day|week|month|year)s?\b"
_IN = re.compile(
    rf"\b(?:in|after)\s+{words_en.NUMBER}\s+{_UNIT}(?P<half>\s+and\s+a\s+half)?(?:['’]?s?\s+time)?"
    rf"|\b(?P<hour_half>in\s+an\s+hour\s+and\s+a\s+half)\b",
    re.I,
)
_FROM_NOW = re.compile(rf"\b{words_en.NUMBER}\s+{_UNIT}\s+from\s+now\b", re.I)
_NO_TIME = re.compile(
    r"(?:\b(?:at|by)\s+|@\s*)?(?<![\d:.])(?:(?:2[4-9]|[3-9]\d):\d\d|\d{1,2}:[6-9]\d)(?![\d:])"
    r"|\b(?:at|by)\s+(?:2[5-9]|[3-9]\d)(?=\s*(?:$|[,.;!?，。]|o['’]clock|to\b|on\b|to(?:day|morrow)))"
    r"|(?<!\d)(?:2[5-9]|[3-9]\d)\s*(?:[ap]\.?m\b|o['’]clock)"
    r"|(?:(?<!\d)(?:2[5-9]|[3-9]\d)|二十[五六七八九]|[三四五六七八九]十[一二三四五六七八九]?)"
    r"点(?!建议|要求|内容|意见|关于|钱|心)"
    r"|(?<!\d)\d{1,2}点[6-9]\d(?!\d)",
    re.I,
)
"""A time of day that is none, such as 25:00; 24:00 is the day's end."""
_NAMED = re.compile(r"^(?:at|by|@)|[ap]\.?m$|o['’]clock|点", re.I)
_ENDS = re.compile(r"\bend of\b|(?<!周)[底末]$", re.I)
_LATER = re.compile(
    rf"(?:再?过|等)?{words_zh.NUMBER}(?:个(?P<half>半))?{words_zh.UNIT}(?P<half2>半)?(?:之后|以后|后)"
    r"|再?过(?P<count2>\d{1,4}|[一二两三四五六七八九十]{1,3}|半)"
    rf"{words_zh.UNIT.replace('<unit>', '<unit2>')}"
)
_ASKING = re.compile(
    r"^\s*(?:please\s+|could you\s+|can you\s+|请|麻烦你?|帮我)*"
    r"(?:remind me(?:\s+(?:to|that|about|of))?\b|don['’]t let me forget(?:\s+(?:to|that|about))?\b"
    r"|set (?:a|up a) reminder(?:\s+(?:to|for|about))?\b"
    r"|add (?:a )?(?:reminder|to-?do)(?:\s+(?:to|for))?\b|提醒我?|记得|别忘了|叫我)?[\s:：,，]*",
    re.I,
)
_LOOSE = re.compile(r"^(?:\s|[,，、:：;。-]|(?:to|that|at|on|by|of|about)(?=\s)|的)+", re.I)
_LOOSE_END = re.compile(r"(?:\s|[,，、:：;]|\s(?:at|on|by|in|from|starting|the))+$", re.I)


@dataclass(frozen=True, slots=True)
class Moment:
    """A time to come that a text names.

    Attributes:
        at: the time, or the first of them, UTC.
        rule: how it repeats (an RFC 5545 rule), or empty.
        start: `at` on the user's wall clock, from which the rule counts.
        rest: the text without the words of time and of asking: what is to be done.
    """

    at: datetime
    rule: str
    start: datetime
    rest: str


def parse_moment(text: str, now: datetime, zone: tzinfo) -> Moment | None:
    """Read when something is to happen; None where `text` names no time to come.

    A day without a time means 09:00. An hour without morning or afternoon means the day's (1 to 5
    are in the afternoon), and the next of the two where that has passed today.
    """
    iso = _iso(text, zone)
    if iso is not None:
        return Moment(iso, "", _wall(iso, zone), "")
    words, here = text.translate(words_zh.FULL_WIDTH), _wall(now, zone)
    repeat = find_repeat(words)
    words = _blank(words, [(repeat.start, repeat.end)] if repeat else [])
    later = None if repeat else _later(words)
    words = _blank(words, [later.span()] if later else [])
    clock = find_time(words)
    # The day is read from the same words: 明晚 in 明晚七点半 says both.
    day, span = (None, (0, 0)) if later is not None else _day(words, now, zone)
    words = _blank(words, [*(clock.spans if clock else []), span])
    if _NO_TIME.search(words):
        return None
    if later is not None:
        return _counted(later, clock, now, zone, to_do(words))
    if repeat is not None:
        return _repeating(repeat.rule, day, clock, now=now, zone=zone, rest=to_do(words))
    if day is None and clock is None:
        return None
    local = _once(day, clock, here, words=text)
    return Moment(_utc(local, zone), "", local, to_do(words))


def impossible_time(text: str, now: datetime, zone: tzinfo) -> str | None:
    """Return the time of day in `text` that no clock shows, such as `25:00`; None where none is.

    Figures of that form alone, such as a verse or a score, are none, unless a day stands by them.
    """
    words = text.translate(words_zh.FULL_WIDTH).replace("24:00", "     ")
    wrong = _NO_TIME.search(words)
    if wrong is None:
        return None
    rest = words[: wrong.start()] + words[wrong.end() :]
    certain = _NAMED.search(wrong[0]) or not to_do(rest) or parse_moment(rest, now, zone)
    return re.sub(r"^(?:at|by|@)\s*", "", wrong[0], flags=re.I) if certain else None


def to_do(words: str) -> str:
    """What a text asks for, without "remind me to" and what has been read of it."""
    parts = re.split(f"{_READ}+", words)
    cleaned = [_LOOSE_END.sub("", _LOOSE.sub("", part)) for part in parts]
    joined = " ".join(part for part in cleaned if part)
    asked = _LOOSE.sub("", _ASKING.sub("", joined, count=1))
    return _LOOSE_END.sub("", asked).strip()


def _iso(text: str, zone: tzinfo) -> datetime | None:
    """An ISO 8601 time with its hour; a date alone is a day as any other."""
    plain = text.strip()
    if len(plain) < len("2026-12-01T09"):
        return None
    try:
        moment = datetime.fromisoformat(plain)
        return moment.replace(tzinfo=moment.tzinfo or zone).astimezone(UTC)
    except (ValueError, OverflowError):
        return None


def _later(words: str) -> re.Match[str] | None:
    return _LATER.search(words) or _IN.search(words) or _FROM_NOW.search(words)


def _counted(
    match: re.Match[str], clock: TimeOfDay | None, now: datetime, zone: tzinfo, rest: str
) -> Moment | None:
    """In 20 minutes, 两个小时后: elapsed time. In 3 days, 三天后: the same wall-clock time."""
    groups = match.groupdict()
    chinese = "half2" in groups
    count_text = groups.get("count") or groups.get("count2") or "one"
    unit_text = groups.get("unit") or groups.get("unit2") or "hour"
    try:
        count = (words_zh if chinese else words_en).number(count_text)
    except (ValueError, KeyError):
        return None
    unit = words_zh.unit_name(unit_text) if chinese else unit_text.lower()
    if groups.get("half") or groups.get("half2") or groups.get("hour_half"):
        count += 0.5
    try:
        if unit in _SECONDS:
            at = (now + timedelta(seconds=count * _SECONDS[unit])).astimezone(UTC)
            return Moment(at, "", _wall(at, zone), rest)
        here = _wall(now, zone)
        local = datetime.combine(_days_on(here.date(), count, unit), here.time())
        local = _at(local.date(), clock) if clock else local
        return Moment(_utc(local, zone), "", local, rest)
    except (ValueError, OverflowError):
        return None


def _days_on(today: date, count: float, unit: str) -> date:
    if unit in ("day", "week"):
        return today + DAY * round(count * (7 if unit == "week" else 1))
    return add_months(today, round(count * (12 if unit == "year" else 1)))


def _day(words: str, now: datetime, zone: tzinfo) -> tuple[date | None, _Span]:
    """The first day to come that the words name, of a week or a month its first; else one past."""
    today, past = _wall(now, zone).date(), None
    for frame in find_timeframes(words, now=now, zone=zone, ahead=True):
        first, last = (
            edge.astimezone(zone).date()
            for edge in (frame.interval.start, frame.interval.end - timedelta(microseconds=1))
        )
        span = (frame.start, frame.start + len(frame.text))
        if last >= today and not frame.past:
            return last if _ENDS.search(frame.text) else max(first, today), span
        past = past or (first, span)
    return past or (None, (0, 0))


def _once(day: date | None, clock: TimeOfDay | None, here: datetime, *, words: str) -> datetime:
    today = here.date()
    if clock is None:
        local = _at(day or today, None)
        if local > here or day != today:
            return local
        evening = datetime.combine(today, time(EVENING))
        return evening if evening > here else here + timedelta(hours=1)
    local = _at(day or today, clock)
    # "Friday at 17" on a Friday morning is today, unless the next one is asked for.
    week_before = local - timedelta(days=7)
    if week_before.date() == today and week_before > here and not _NEXT.search(words):
        return week_before
    if local <= here and day in (None, today):
        later = local + timedelta(hours=12)
        if not clock.certain and later > here and later.date() == today:
            return later
        return local + timedelta(days=1) if day is None else local
    return local


def _repeating(
    rule: str, day: date | None, clock: TimeOfDay | None, *, now: datetime, zone: tzinfo, rest: str
) -> Moment | None:
    here = _wall(now, zone)
    if rule.startswith(("FREQ=MINUTELY", "FREQ=HOURLY")):
        start = _at(day or here.date(), clock) if clock or day else here
        first = Recurrence(rule, start, zone).after(now)
        return Moment(first, rule, _wall(first, zone), rest) if first else None
    frequency, _, interval = rule.partition(";")
    if frequency in ("FREQ=YEARLY", "FREQ=MONTHLY") and "BY" not in interval:
        on = day or here.date()
        yearly = frequency == "FREQ=YEARLY"
        dated = on_year_day(on.month, on.day) if yearly else on_month_day(on.day)
        rule, day = ";".join(filter(None, (dated, interval))), None
    start = _at(day or here.date(), clock)
    # The interval counts from the first occurrence, whatever week or month now is in.
    single = ";".join(part for part in rule.split(";") if not part.startswith("INTERVAL"))
    first = Recurrence(single, start, zone).after(now)
    if first is None:
        return None
    # A time that the clock skips on the first day is still the time of the other days.
    return Moment(first, rule, datetime.combine(_wall(first, zone).date(), start.time()), rest)


def _at(day: date, clock: TimeOfDay | None) -> datetime:
    if clock is None:
        return datetime.combine(day, time(MORNING))
    return datetime.combine(day + DAY * clock.days, time(clock.hour, clock.minute))


def _wall(moment: datetime, zone: tzinfo) -> datetime:
    return moment.astimezone(zone).replace(tzinfo=None)


def _utc(local: datetime, zone: tzinfo) -> datetime:
    return local.replace(tzinfo=zone).astimezone(UTC)


def _blank(words: str, spans: Iterable[_Span]) -> str:
    """Put a mark in place of what has been read, so that the rest keeps its place."""
    for start, end in spans:
        words = words[:start] + _READ * (end - start) + words[end:]
    return words
