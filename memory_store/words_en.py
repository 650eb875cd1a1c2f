"""English words for months, weekdays, numbers and units, and the cues of past and future."""

from __future__ import annotations

import re

MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
WEEKDAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
NUMBERS = {
    word: count
    for count, words in (
        (0.5, "half"), (1, "a an one"), (2, "couple two"), (3, "few three"), (4, "several four"),
        (5, "five"), (6, "six"), (7, "seven"), (8, "eight"), (9, "nine"), (10, "ten"),
        (11, "eleven"), (12, "twelve"), (15, "fifteen"), (20, "twenty"), (30, "thirty"),
    )
    for word in words.split()
}  # fmt: skip

MONTH = (
    r"(?P<month>jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?"
    r"|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\b(?:\.(?=\s*\d))?"
)
WEEKDAY = r"(?P<weekday>(?:mon|tues|wednes|thurs|fri|satur|sun)day)\b"
WEEKDAY_SHORT = r"(?P<weekday>mon|tues?|wed|thu(?:rs?)?|fri|sat)\b"
YEAR = r"(?P<year>(?:19|20)\d\d)(?![\d.]*\d)"
DAY_NUMBER = r"(?P<day>0?[1-9]|[12]\d|3[01])(?P<ordinal>st|nd|rd|th)?\b(?![.:]\d)"
LAST_DAY = r"(?P<last>0?[1-9]|[12]\d|3[01])(?:st|nd|rd|th)?\b(?![.:]\d)"
NUMBER = (
    r"(?P<count>\d{1,3}(?:,\d{3})+|\d{1,5}|half an?|(?:a |the )?couple(?: of)?|a few|few|several"
    r"|an?|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fifteen|twenty|thirty)"
)
UNIT = r"(?P<unit>second|minute|hour|day|week|fortnight|month|year)s?\b"
YEAR_AFTER = (
    r"(?:,?\s+(?:of\s+)?(?P<year>(?:(?:19|20)|['’])\d\d)(?![\d.]*\d)"
    r"|,?\s+(?:of\s+)?(?P<year_shift>last|this|next)\s+year)?"
)
PART = (
    r"(?:(?P<part>early(?: in)?|mid|late(?: in)?|(?:the )?(?:beginning|start|middle|end) of)"
    r"[\s-]+(?:the\s+)?)"
)
SHIFTS = {"last": -1, "past": -1, "previous": -1, "this": 0, "next": 1, "coming": 1}
SHIFT = r"(?P<shift>last|past|previous|this|next|coming)"
NTH = r"(?P<nth>first|second|third|fourth|last|1st|2nd|3rd|4th)"
NTHS = {
    "first": 1, "second": 2, "third": 3, "fourth": 4, "last": 0,
    "1st": 1, "2nd": 2, "3rd": 3, "4th": 4,
}  # fmt: skip
SEASONS = {"spring": 3, "summer": 6, "autumn": 9, "fall": 9, "winter": 12}
HOLIDAYS = {
    "christmas eve": (12, 24),
    "christmas": (12, 25),
    "new year's eve": (12, 31),
    "new year's day": (1, 1),
    "halloween": (10, 31),
    "valentine's day": (2, 14),
}

_DAY = r"(?:the\s+|next\s+)?(?:mon|tues|wednes|thurs|fri|satur|sun)day"
FUTURE = re.compile(
    r"\b(?:will|upcoming|going to|coming up|due|shall)\b|\bplan(?:s|ned|ning)? to\b"
    r"|\b(?:from|between) now (?:to|and|until|till)\b|\b(?:am|are) (?:i|we) (?:\w+ing|free|busy)\b"
    r"|\bdo (?:i|we) have (?:(?:anything|plans|time) )?(?:(?:to|until|till|before|by)\b"
    rf"|on {_DAY}\b|(?:from|between) {_DAY} (?:to|and|until|till|through)\b)"
    rf"|\bwhat(?:['’]s| is)(?: planned| happening)? on {_DAY}\b"
    r"|\A(?![\s\S]*\b(?:did|was|were|had|has|have (?:i|we)(?! to)|lived|happened"
    rf"|(?:day|week)s? before)\b)[\s\S]*\b(?:until|till|before|by) {_DAY}\b",
    re.I,
)
DURATION = re.compile(
    r"\b(?:did|was|were|had|has|have (?:i|we|you)|can|could|best|possible|enough|once|twice|times"
    r"|how (?:many|much|long|far|fast|often|to|do)|ever|takes?|(?:ways?|plan|tips?) to)\b",
    re.I,
)
"""What makes "in 3 days" the length of something rather than a day to come."""
HABIT = re.compile(r"\b(?:usually|always|every|each|normally|often|typically|generally)\b", re.I)
PAST = re.compile(
    r"(?<!\bam )(?<!\bare )(?<!\bis )(?<!\bwas )(?<!\bwere )\b(?:i|we|you|he|she|it|they|who)"
    r"\s+used to\b|\bdid\b[^.?!\n]{1,80}\bused? to\b"
    r"|\bused to\s+(?:be|live|have|work|like|love|play|go|eat|study|own|know|use)\b"
    r"|\b(?:was|were|did|had|lived)\b[^.?!\n]{1,120}\bbefore\b"
    r"|\b(?:originally|formerly|initially|back then|in the past|at the time|over time)\b"
    r"|\b(?:what|where|who|which|how)\b.{1,80}\bpreviously\b"
    r"|\b(?:my|our|your|his|her|their|the)\s+(?:old|former|previous|original|earlier)\s+(?!discussion"
    r"|conversation|session|message|instruction|chat|note|point|data|e-?mail|request|question)\w"
    r"|\bhistory of\b|\bhow (?:has|have|did)\b.{1,80}\b(?:change|changed|evolve|evolved)\b",
    re.I,
)


def number(word: str) -> float:
    """The number that a word or digits name; "a few" is 3, "half a" is a half."""
    text = re.sub(r"^(?:a|the)\s+(?=couple|few)|\s+(?:of|an?)$", "", word.strip().lower())
    digits = text.replace(",", "")
    return int(digits) if digits.isdigit() else NUMBERS[text]


def year_number(text: str) -> int:
    """A year in four digits, or in two behind an apostrophe."""
    year = int(text.lstrip("'’"))
    return year if year > 99 else year + (1900 if year > 69 else 2000)


def month_number(name: str) -> int:
    """1 to 12, by a month's full or short name."""
    return MONTHS.index(name[:3].lower()) + 1
