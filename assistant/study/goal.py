"""What a goal says about its own frame: how long, until when, hours a week, level, language."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date, timedelta

from assistant.study.course import Level
from assistant.study.days import find_days
from assistant.study.minutes import weekly

_ENGLISH_NUMBERS = (
    *("one", "two", "three", "four", "five", "six"),
    *("seven", "eight", "nine", "ten", "eleven", "twelve"),
)
_CHINESE = {digit: value for value, digit in enumerate("零一二三四五六七八九")} | {"两": 2}
NUMBER = (
    r"(?:\d+(?:\.\d+)?|[一二两三四五六七八九十半]+|\b(?:an?|" + "|".join(_ENGLISH_NUMBERS) + r")\b)"
)
_LENGTH = re.compile(
    rf"(?P<n>{NUMBER})\s*(?:-\s*)?(?:个\s*)?(?P<unit>weeks?\b|months?\b|years?\b|周|星期|礼拜|月|年)(?!\s*\d*\s*[日号])",
    re.IGNORECASE,
)
_HOURS = re.compile(
    rf"(?:(?:每|一|每个)\s*(?:周|星期|礼拜)\s*(?:学习|学|投入|有|能|可以|大概|大约|约|只能|只有|花)*\s*(?P<a>{NUMBER})\s*(?:个)?\s*(?:小时|钟头))"
    rf"|(?:(?P<b>{NUMBER})\s*(?:个)?\s*(?:小时|钟头)\s*(?:/|每|一)\s*(?:周|星期))"
    rf"|(?:(?P<c>{NUMBER})\s*(?:hours?|hrs?|h)\s*(?:a|per|each|every|/)\s*(?:week|wk|w)\b)"
    rf"|(?:(?:weekly|每周)\D{{0,8}}(?P<d>{NUMBER})\s*(?:hours?|hrs?|h)\b)",
    re.IGNORECASE,
)
_BY = re.compile(r"\b(?:by|before|until|till|end(?:s|ing)?(?:\s+on)?)\s*$", re.IGNORECASE)
_BY_AFTER = re.compile(r"^\s*(?:之前|以前|前|为止|结束)")
_FROM = re.compile(
    r"(?:\b(?:from|starting|start(?:s)?(?:\s+on)?|beginning)|从|自)\s*$", re.IGNORECASE
)
_LEVELS: tuple[tuple[Level, str], ...] = (
    (
        "beginner",
        r"零基础|初学|新手|入门者|小白|没有基础"
        r"|\bbeginner\b|\bfrom scratch\b|\bnovice\b|\bno experience\b",
    ),
    ("advanced", r"高级|资深|\badvanced\b|\bexpert\b"),
    ("intermediate", r"有(?:一定|一些|点)?基础|中级|进阶者|\bintermediate\b|\bsome experience\b"),
)


@dataclass(frozen=True, slots=True)
class Frame:
    """What a goal's text says. None: it does not say.

    Attributes:
        length: days that it takes, by its own words (3 months are three calendar months).
        minutes: of a week.
        topic: the goal without these words, for finding courses.
    """

    start: date | None
    end: date | None
    minutes: int | None
    level: Level | None
    topic: str


def read_goal(text: str, *, start: date | None, today: date) -> Frame:
    """Return what the goal says; a length is counted from `start`, or else from today."""
    cut: list[tuple[int, int]] = []
    hours = _HOURS.search(text)
    minutes = None
    if hours is not None:
        cut.append(hours.span())
        minutes = weekly(number(next(g for g in hours.groups() if g is not None)))
    begins, end = start, None
    for days in find_days(text, today=start or today):
        before, after = text[: days.span[0]], text[days.span[1] :]
        if days.end > days.start:
            begins, end = begins or days.start, days.end
        elif _FROM.search(before) and not start:
            begins = days.start
        elif _BY.search(before) or _BY_AFTER.search(after):
            end = days.start
        else:
            continue
        cut.append(days.span)
    length = _LENGTH.search(_without(text, cut))
    if end is None and length is not None:
        end = _after(begins or today, number(length["n"]), length["unit"].lower())
    topic = _LENGTH.sub(" ", _without(text, cut))
    return Frame(begins, end, minutes, _level(text), topic)


def number(text: str) -> float:
    """Return the value of a number in digits, English words or Chinese characters."""
    text = text.strip().lower()
    if re.fullmatch(r"\d+(?:\.\d+)?", text):
        return float(text)
    if text in {"a", "an"}:
        return 1
    if text in _ENGLISH_NUMBERS:
        return _ENGLISH_NUMBERS.index(text) + 1
    if "半" in text:
        whole = text.replace("半", "")
        return (number(whole) if whole else 0) + 0.5
    tens, ten, ones = text.rpartition("十")
    if ten:
        return (_CHINESE.get(tens, 1) if tens else 1) * 10 + (_CHINESE.get(ones, 0) if ones else 0)
    return _CHINESE.get(text[-1:], 0)


def _level(text: str) -> Level | None:
    for level, pattern in _LEVELS:
        if re.search(pattern, text, re.IGNORECASE):
            return level
    return None


def _without(text: str, spans: list[tuple[int, int]]) -> str:
    for start, end in sorted(spans, reverse=True):
        text = text[:start] + " " * (end - start) + text[end:]
    return text


def _after(start: date, count: float, unit: str) -> date:
    """Return the last day of a length of time: 3 months from 2 March end on 1 June."""
    if unit.startswith(("week", "周", "星", "礼")):
        return start + timedelta(days=round(count * 7) - 1)
    months = round(count * (12 if unit.startswith(("year", "年")) else 1))
    year, month = divmod(start.year * 12 + start.month - 1 + months, 12)
    for day in range(start.day, 27, -1):
        try:
            return date(year, month + 1, day) - timedelta(days=1)
        except ValueError:
            continue
    return date(year, month + 1, start.day) - timedelta(days=1)
