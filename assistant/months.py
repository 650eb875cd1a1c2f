"""The names of the months in English, short and in full."""

from __future__ import annotations

MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
"""What their names begin with, in the order of the year."""

MONTH = (
    r"(?:Jan(?:uary)?|Feb(?:ruary)?|Mar(?:ch)?|Apr(?:il)?|May|June?|July?|Aug(?:ust)?"
    r"|Sept?(?:ember)?|Oct(?:ober)?|Nov(?:ember)?|Dec(?:ember)?)"
)
"""A pattern of one name as it is written; where small letters will do, match without case."""


def month_number(name: str) -> int:
    """Return the number of a month from its name, of which the first three letters count."""
    return MONTHS.index(name[:3].lower()) + 1
