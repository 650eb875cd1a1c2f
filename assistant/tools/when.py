"""Predicates on a question that say whether a tool may apply, for `@tool(when=…)`.

They shortlist tools for weak models: seeing too much costs such a model a wrong call, seeing too
little a wrong answer, so a predicate fires on form (numbers with an operator, two dates), not on
meaning.
"""

from __future__ import annotations

import re

from assistant.months import MONTH

_DATE = re.compile(
    r"\d{4}\s*[-/.年]\s*\d{1,2}\s*[-/.月]\s*\d{1,2}"
    r"|\d{1,2}\s*月\s*\d{1,2}\s*[日号]?"
    rf"|\b{MONTH}\s+\d{{1,2}}(?:st|nd|rd|th)?\b"
    rf"|\b\d{{1,2}}(?:st|nd|rd|th)?\s+(?:of\s+)?{MONTH}\b",
    re.IGNORECASE,
)
_NUMBER = r"\d[\d,]*(?:\.\d+)?"
_OPERATOR = (
    r"(?:[-+*/^×÷xX＋－＊／−]|\*\*|//|%\s*of|plus|minus|times|divided\s+by|multiplied\s+by"
    r"|mod(?:ulo)?|to\s+the\s+power\s+of|加上?|减去?|乘以?|除以|的)"
)
_OPERATION = re.compile(rf"{_NUMBER}\s*%?\s*\)*\s*{_OPERATOR}\s*\(*\s*-?{_NUMBER}", re.IGNORECASE)
_ARITHMETIC_WORDS = re.compile(
    r"square\s+root|\bsqrt\b|平方|立方|开方|squared|cubed"
    rf"|{_NUMBER}\s*(?:%|percent|per\s+cent)\s*(?:of|的)|百分之\s*{_NUMBER}",
    re.IGNORECASE,
)
_RANGE = re.compile(r"\d{1,2}[-/]\d{1,2}")
_SPAN = re.compile(
    r"\bdays?\b|\bweeks?\b|\bhow\s+(?:long|far)\b"
    r"|多少天|几天|多久|多少日|几周|多少周|相差|相隔|间隔|天数",
    re.IGNORECASE,
)
_UNTIL = re.compile(
    r"\b(?:until|till|til|before|since|left|to\s+go|from\s+now|away)\b|还有|距|离|剩|到",
    re.IGNORECASE,
)
_TIME = re.compile(
    r"\bwhat(?:'s|\s+is)?\s+(?:the\s+)?(?:current\s+|exact\s+|local\s+)?"
    r"(?:time|date|day|weekday|month|year)\s*(?:\?|$|is\s+(?:it|today)|now|today|right\s+now|in\s)"
    r"|\bwhat(?:'s|\s+is)\s+today(?:'s\s+(?:date|day))?\b"
    r"|\b(?:which|what)\s+(?:day|weekday|date|month|year)\s+is\s+(?:it|today)\b"
    r"|\btoday'?s\s+date\b|\b(?:current|local)\s+(?:time|date)\b|\btime\s+is\s+it\b"
    r"|几点|现在.{0,6}时间|(?:当前|今天)的?.{0,3}(?:时间|日期)"
    r"|(?:今天|今日|现在|今儿).{0,4}(?:几号|几月|星期|周几|礼拜|哪天|哪一天|什么日子)"
    r"|今年是(?:哪|几)",
    re.IGNORECASE,
)

_OWN_HOUR = re.compile(
    r"(?:[我你他她们]|咱们)(?!现在)[^，。？?!！]{0,8}几点|几点(?:钟)?(?=[睡起上下吃去来到开结见出回])"
)
"""At what hour somebody does something, which no clock tells: 我每天几点睡觉."""


def dates_in(question: str) -> int:
    """Return how many dates of the calendar a question names."""
    return len(_DATE.findall(question))


def asks_for_arithmetic(question: str) -> bool:
    """Whether numbers stand with an operator between them; dates and ranges do not count."""
    text = _DATE.sub(" ", question)
    if _ARITHMETIC_WORDS.search(text) and re.search(r"\d", text):
        return True
    found = (match[0] for match in _OPERATION.finditer(text))
    return any(_RANGE.fullmatch(each) is None for each in found)


def asks_for_days(question: str) -> bool:
    """Whether the time between dates, or until one, is asked for."""
    dates = len(_DATE.findall(question))
    if dates == 0 or _SPAN.search(question) is None:
        return False
    return dates > 1 or _UNTIL.search(question) is not None


def asks_for_time(question: str) -> bool:
    """Whether the current time, date or weekday is asked for."""
    return _TIME.search(_OWN_HOUR.sub(" ", question)) is not None
