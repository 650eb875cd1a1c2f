"""What the person wants changed, from options or from their words, English and Chinese."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date
from typing import Literal

from assistant.errors import UserError
from assistant.study.days import find_days
from assistant.study.goal import NUMBER, number, read_goal
from assistant.study.minutes import weekly

ChangeKind = Literal["catch_up", "hours", "away", "halve", "end"]

_HALVE = re.compile(
    rf"第\s*(?P<zh>{NUMBER})\s*(?:周|个星期|星期)"
    rf"|\bweek\s+(?P<en>{NUMBER})|\b(?P<nth>\d+)(?:st|nd|rd|th)\s+week"
    r"|\b(?P<word>first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth)\s+week",
    re.IGNORECASE,
)
_LESS = re.compile(
    r"减半|一半|太紧|太满|太多|太累|\bhalve\b|\bhalf\b|too (?:tight|much|full|heavy|busy)",
    re.IGNORECASE,
)
_AWAY = re.compile(
    r"\baway\b|\bvacation\b|\bholidays?\b|\btravel|\boff\b|\btrip\b|\bbusy\b|\bsick\b"
    r"|\bcan'?t study\b"
    r"|出差|旅行|旅游|休假|度假|请假|放假|不在|没空|没时间|生病|不能学",
    re.IGNORECASE,
)
_HOURS = re.compile(
    rf"(?P<n>{NUMBER})\s*(?:个)?\s*(?:hours?|hrs?|h(?![a-z])|小时|钟头)", re.IGNORECASE
)
_WEEKLY = re.compile(
    r"\bfrom now on\b|\b(?:a|per|each|every)\s+week\b|\bweekly\b|\bonly\b"
    r"|以后|今后|从现在|每周|每星期|只能|只有",
    re.IGNORECASE,
)
_END = re.compile(
    r"\bby\b|\bbefore\b|\buntil\b|\bfinish\b|\bend\b|\bdeadline\b|之前|以前|前|为止|截止|结束|延到|推迟到|提前到",
    re.IGNORECASE,
)
_BEHIND = re.compile(
    r"\bbehind\b|\bcatch(?:ing)? up\b|\bfallen\b|\bslipped\b|落后|跟不上|赶不上|补上|进度慢|没跟上",
    re.IGNORECASE,
)
_ORDINALS = (
    *("first", "second", "third", "fourth", "fifth"),
    *("sixth", "seventh", "eighth", "ninth", "tenth"),
)


@dataclass(frozen=True, slots=True)
class Change:
    """One wish: catch up, other weekly hours from now on, days away, half of a week, another end.

    Attributes:
        minutes: of a week, for `hours`.
        week: the week's number, for `halve`.
        start, end: the days away, both included; for `end`, `end` is the new last day.
    """

    kind: ChangeKind
    minutes: int = 0
    week: int = 0
    start: date | None = None
    end: date | None = None


CATCH_UP = Change("catch_up")


def read_change(text: str, *, today: date) -> Change:
    """Return what the text asks for.

    Raises:
        UserError: it asks for nothing known, or for several things.
    """
    days = find_days(text, today=today)
    week = _HALVE.search(text)
    if week and _LESS.search(text):
        return Change("halve", week=_week(week))
    if days and _AWAY.search(text):
        return Change("away", start=days[0].start, end=days[-1].end)
    hours = _HOURS.search(text)
    if hours and _WEEKLY.search(text):
        weekly_minutes = read_goal(text, start=None, today=today).minutes
        return Change("hours", minutes=weekly_minutes or weekly(number(hours["n"])))
    if len(days) == 1 and _END.search(text):
        return Change("end", end=days[0].end)
    if _BEHIND.search(text):
        return CATCH_UP
    raise UserError(
        f"{text!r} is not understood. Say for example 'week 3 is too tight, halve it', 'I am away"
        " 12-19 May', 'only 4 hours a week from now on', 'finish by 1 June', 'I am behind';"
        " 第三周太紧，减半; 5月12日到19日出差; 以后每周只能学4小时."
    )


def _week(match: re.Match[str]) -> int:
    if match["word"]:
        return _ORDINALS.index(match["word"].lower()) + 1
    return round(number(match["zh"] or match["en"] or match["nth"]))
