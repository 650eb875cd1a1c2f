"""What a memory uses where its user gives nothing: the system's clock, a guess at tokens."""

from __future__ import annotations

from datetime import UTC, datetime


def utc_now() -> datetime:
    """The system's time."""
    return datetime.now(UTC)


def estimate_tokens(text: str) -> int:
    """A simple estimate of a text's tokens: a word's letters by four, other letters singly."""
    plain = len(text.encode("ascii", "ignore"))
    return (plain + 3) // 4 + len(text) - plain
