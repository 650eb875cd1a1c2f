"""What the user gives a command: text from an argument or a pipe, durations, spans of time."""

from __future__ import annotations

import sys
from datetime import UTC, datetime, timedelta, tzinfo

from assistant.cli.controls import without_controls
from assistant.errors import UserError
from memory_store import Interval

LONGEST_TEXT = 200_000
"""Characters of one text that is asked or remembered from the command line."""


def read_text(given: str | None, what: str) -> str:
    """Return a text from an argument, or from standard input where it is `-` or missing.

    Args:
        what: what the text is, for messages, such as `question`.

    Raises:
        UserError: it is empty, too long, or no text.
    """
    if given is None and sys.stdin.isatty():
        raise UserError(f"there is no {what}.", hint="Give it in quotes, or pipe it in.")
    if given in (None, "-"):
        return decoded(sys.stdin.buffer.read(LONGEST_TEXT * 4 + 1), what)
    return checked(given, what)


def decoded(data: bytes, what: str) -> str:
    """Return bytes of a pipe as a text that can be taken.

    Raises:
        UserError: they are empty, too long, or not UTF-8.
    """
    if len(data) > LONGEST_TEXT * 4:  # the longest that so many characters can be
        raise _too_long(what)
    try:
        return checked(data.decode("utf-8-sig"), what)
    except UnicodeDecodeError as error:
        problem = f"the {what} on standard input is not UTF-8 text (byte {error.start})."
        raise UserError(problem, hint="Convert it, for example with iconv.") from None


def checked(text: str, what: str) -> str:
    """Return `text` without control characters and the space around it.

    Raises:
        UserError: it is empty, too long, or holds what is no character.
    """
    if "\0" in text or any("\ud800" <= letter <= "\udfff" for letter in text):
        raise UserError(f"the {what} is not text: it holds bytes that are no characters.")
    text = without_controls(text).strip()
    if not text:
        raise UserError(f"the {what} is empty.", hint="Give some text.")
    if len(text) > LONGEST_TEXT:
        raise _too_long(what)
    return text


def _too_long(what: str) -> UserError:
    hint = "Shorten it, or add its parts with 'assistant memory add -' and ask about them."
    return UserError(f"the {what} has more than {LONGEST_TEXT:,} characters.", hint=hint)


def read_span(since: str | None, until: str | None, zone: tzinfo) -> Interval | None:
    """Return the span between two ISO 8601 times or dates; None where neither is given.

    A time without a zone is the user's. A date as `until` includes that day.

    Raises:
        UserError: one of them is no such time, or the span ends before it starts.
    """
    if since is None and until is None:
        return None
    start = read_moment(since, zone, "--since") if since else datetime.min.replace(tzinfo=UTC)
    end = datetime.max.replace(tzinfo=UTC)
    if until:
        whole_day = timedelta(days=1) if len(until.strip()) == len("2026-01-01") else timedelta(0)
        end = read_moment(until, zone, "--until") + whole_day
    return Interval(start, end)


def read_moment(text: str, zone: tzinfo, option: str) -> datetime:
    """Return an ISO 8601 time or date in UTC; without a zone it is the user's.

    Raises:
        UserError: `text` is no such time.
    """
    try:
        moment = datetime.fromisoformat(text.strip())
    except ValueError:
        hint = "Give an ISO 8601 time such as 2026-03-02T09:00:00+08:00."
        raise UserError(f"{option} {text!r} is not a time.", hint=hint) from None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=zone)
    try:
        return moment.astimezone(UTC)
    except OverflowError:
        raise UserError(f"{option} {text!r} is out of range.") from None
