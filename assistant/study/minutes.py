"""Hours as whole minutes: reading what people write, and writing them back."""

from __future__ import annotations

from fractions import Fraction

from assistant.errors import UserError
from assistant.phrases import phrase

MOST_A_WEEK = 112 * 60
"""16 hours a day, in minutes; more is not study time."""


def from_hours(hours: float | str) -> int:
    """Return whole minutes for a number of hours such as `7.5`; the nearest minute counts.

    Raises:
        UserError: it is not a number, or it is negative.
    """
    try:
        exact = Fraction(str(hours).strip())
    except (ValueError, ZeroDivisionError):
        raise UserError(phrase("study.bad_hours", hours=hours)) from None
    if exact < 0:
        raise UserError(phrase("study.negative_hours", hours=hours))
    return round(exact * 60)


def weekly(hours: float | str) -> int:
    """Return the minutes of a week's study time, checked to be possible.

    Raises:
        UserError: it is not above 0 and at most 112 hours (16 a day).
    """
    minutes = from_hours(hours)
    if not 0 < minutes <= MOST_A_WEEK:
        raise UserError(phrase("study.impossible_hours", hours=f"{float(hours):g}"))
    return minutes


def to_hours(minutes: int) -> float:
    """Return hours for JSON; `round(hours * 60)` is the same minutes again."""
    return round(minutes / 60, 4)


def spoken(minutes: int, language: str = "en") -> str:
    """Return a duration as people say it: `2 h 30 min`, `2 小时 30 分钟`."""
    hours, rest = divmod(abs(minutes), 60)
    hour, minute = ("小时", "分钟") if language == "zh" else ("h", "min")
    parts = [f"{hours} {hour}"] if hours else []
    if rest or not hours:
        parts.append(f"{rest} {minute}")
    return ("-" if minutes < 0 else "") + " ".join(parts)
