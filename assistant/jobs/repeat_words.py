"""What repeats: "every Monday", "every 2 weeks on Friday", 每天, 每周五 … as RFC 5545 rules."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

from memory_store import words_en, words_zh

DAYS = ("MO", "TU", "WE", "TH", "FR", "SA", "SU")
_UNITS = {
    "minute": "MINUTELY", "hour": "HOURLY", "day": "DAILY", "week": "WEEKLY",
    "month": "MONTHLY", "year": "YEARLY",
}  # fmt: skip
_ADVERBS = {
    "hourly": "HOURLY", "daily": "DAILY", "weekly": "WEEKLY", "monthly": "MONTHLY",
    "yearly": "YEARLY", "annually": "YEARLY",
}  # fmt: skip
_WORKDAYS = "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR"
_WEEKEND = "FREQ=WEEKLY;BYDAY=SA,SU"


@dataclass(frozen=True, slots=True)
class Repeat:
    """A rule, and which words of the text name it."""

    rule: str
    start: int
    end: int


def find_repeat(text: str) -> Repeat | None:
    """Find the longest words in `text` that say how often something repeats, if any do."""
    found: list[Repeat] = []
    for pattern, make in _rules():
        for match in pattern.finditer(text):
            rule = make(match)
            if rule is not None:
                found.append(Repeat(rule, *match.span()))
    return max(found, key=lambda repeat: (repeat.end - repeat.start, -repeat.start), default=None)


def on_month_day(day: int) -> str:
    """The rule for that day of every month, or its last day where it is shorter."""
    if day <= 28:
        return f"FREQ=MONTHLY;BYMONTHDAY={day}"
    days = ",".join(str(each) for each in range(28, day + 1))
    return f"FREQ=MONTHLY;BYMONTHDAY={days};BYSETPOS=-1"


def on_year_day(month: int, day: int) -> str:
    """The rule for that date of every year; 29 February is the 28th in other years."""
    if (month, day) == (2, 29):
        return "FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=28,29;BYSETPOS=-1"
    return f"FREQ=YEARLY;BYMONTH={month};BYMONTHDAY={day}"


def _rule(frequency: str, interval: float = 1, days: str = "") -> str | None:
    if interval == 0.5 and frequency == "HOURLY":
        frequency, interval = "MINUTELY", 30
    if interval < 1 or interval % 1:
        return None
    every = f";INTERVAL={int(interval)}" if interval > 1 else ""
    return f"FREQ={frequency}{every}" + (f";BYDAY={days}" if days else "")


def _english_days(text: str) -> str:
    short = re.findall(r"\b(mon|tue|wed|thu|fri|sat|sun)", text.lower())
    return ",".join(dict.fromkeys(DAYS[words_en.WEEKDAYS.index(day)] for day in short))


def _chinese_days(text: str) -> str:
    days = re.findall(r"[一二三四五六日天]", text)
    return ",".join(
        dict.fromkeys(DAYS[words_zh.WEEKDAYS.index(day.replace("天", "日"))] for day in days)
    )


def _english_unit(match: re.Match[str]) -> str | None:
    count = 2 if match["other"] else words_en.number(match["count"] or "one")
    unit = match["unit"].lower()
    if unit == "fortnight":
        unit, count = "week", count * 2
    return _rule(_UNITS[unit], count, _english_days(match["days"] or ""))


def _english_weekdays(match: re.Match[str]) -> str | None:
    return _rule("WEEKLY", 2 if match["other"] else 1, _english_days(match["days"]))


def _day_range(match: re.Match[str]) -> str | None:
    """Monday to Friday, 周一到周五: each of these days."""
    ends = [_english_days(match[end]) or _chinese_days(match[end]) for end in ("first", "last")]
    first, last = (DAYS.index(end) for end in ends)
    days = [DAYS[number % 7] for number in range(first, last + (8 if last < first else 1))]
    return _rule("WEEKLY", 1, ",".join(days)) if len(days) > 1 else None


def _adverb(match: re.Match[str]) -> str | None:
    return _rule(_ADVERBS[match["adverb"].lower()], 1, _english_days(match["days"] or ""))


def _month_day(match: re.Match[str]) -> str | None:
    return on_month_day(words_zh.whole(match["day"]))


def _chinese_unit(match: re.Match[str]) -> str | None:
    count = words_zh.number(match["count"]) if match["count"] else 1
    if match["apart"] and count == 1 and match["count"]:  # 每隔一天 is every other day
        count = 2
    unit = words_zh.unit_name(match["unit"])
    return _rule(_UNITS[unit], count, _chinese_days(match["days"] or ""))


def _chinese_year_day(match: re.Match[str]) -> str | None:
    return on_year_day(words_zh.whole(match["month"]), words_zh.whole(match["day"]))


_Make = Callable[[re.Match[str]], str | None]


@cache
def _rules() -> tuple[tuple[re.Pattern[str], _Make], ...]:
    name = r"(?:mon|tues|wednes|thurs|fri|satur|sun)day|mon|tues?|wed|thur?s?|fri|sat|sun"
    days = rf"(?P<days>(?:{name})s?\b(?:(?:\s*,\s*(?:and\s+)?|\s+and\s+|\s*&\s*)(?:{name})s?\b)*)"
    plural = rf"(?P<days>(?:{name})s\b(?:(?:\s*,\s*(?:and\s+)?|\s+and\s+|\s*&\s*)(?:{name})s\b)*)"
    on = rf"(?:\s+on\s+{days})?"
    unit = r"(?P<unit>minute|hour|day|week|fortnight|month|year)s?\b"
    weekdays = r"(?P<days>[一二三四五六日天](?:[、和,，]?(?:周|星期|礼拜)?[一二三四五六日天])*)"
    day_number = words_zh.DAY_NUMBER
    rows: tuple[tuple[str, _Make], ...] = (
        (rf"\b(?:every|each)\s+(?:(?P<other>other)\s+|{words_en.NUMBER}\s+)?{unit}{on}",
         _english_unit),
        (rf"\b(?:every|each)\s+(?P<other>other\s+)?{days}", _english_weekdays),
        (rf"\bon\s+(?P<other>alternate\s+)?{plural}", _english_weekdays),
        (r"\b(?:every|each)\s+(?=morning|afternoon|evening|night)", lambda _: "FREQ=DAILY"),
        (r"\b(?:(?:on|every|each)\s+)?(?:weekdays|working\s?days|workdays)\b"
         r"|\b(?:every|each)\s+(?:weekday|working\s?day|workday)\b", lambda _: _WORKDAYS),
        (rf"\b(?:(?:every|each|from)\s+)*(?P<first>{name})s?\s*(?:to|through|till|until|-|–)\s*"
         rf"(?P<last>{name})s?\b", _day_range),
        (r"(?:每个?)?从?(?:周|星期|礼拜)(?P<first>[一二三四五六])(?:到|至|-|~)(?:周|星期|礼拜)?"
         r"(?P<last>[二三四五六日天])", _day_range),
        (r"\b(?:on\s+)?the\s+last\s+day\s+of\s+(?:every|each|the)\s+month\b"
         r"|\blast\s+day\s+of\s+(?:every|each)\s+month\b|每个?月的?最后一天|每个?月底",
         lambda _: "FREQ=MONTHLY;BYMONTHDAY=-1"),
        (r"\b(?:every|each)\s+weekend\b|\b(?:on|at)\s+weekends\b", lambda _: _WEEKEND),
        (rf"\b(?P<adverb>hourly|daily|weekly|monthly|yearly|annually)\b{on}", _adverb),
        (r"\b(?:on\s+)?the\s+(?P<day>\d\d?)(?:st|nd|rd|th)\s+of\s+(?:every|each)\s+month\b",
         _month_day),
        (r"\b(?:every\s+month|each\s+month|monthly)\s+on\s+the\s+(?P<day>\d\d?)(?:st|nd|rd|th)\b",
         _month_day),
        (rf"每(?P<apart>隔)?{words_zh.NUMBER}?{words_zh.UNIT}(?P<days>)", _chinese_unit),
        (r"天天|每(?=[早晚])", lambda _: "FREQ=DAILY"),
        (rf"每(?P<apart>隔)?{words_zh.NUMBER}?(?P<unit>个?(?:周|星期|礼拜))的?"
         rf"(?:周|星期|礼拜)?{weekdays}(?!点|时|次|号)", _chinese_unit),
        (r"每个?(?:工作日|上班日)|工作日(?:每天)?", lambda _: _WORKDAYS),
        (r"每个?周末", lambda _: _WEEKEND),
        (rf"每个?月的?(?P<day>{day_number})[号日]", _month_day),
        (rf"每年的?(?P<month>{words_zh.MONTH_NUMBER})月(?P<day>{day_number})[号日]",
         _chinese_year_day),
    )  # fmt: skip
    return tuple((re.compile(pattern, re.I), make) for pattern, make in rows)
