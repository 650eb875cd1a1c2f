"""What the user gives a command: text from an argument or a pipe, durations, spans of time."""

from __future__ import annotations

import sys
from datetime import UTC, datetime, timedelta, tzinfo

from assistant.cli.controls import without_controls
from assistant.errors import UserError
from assistant.phrases import Phrase, phrase
from memory_store import Interval

LONGEST_TEXT = 200_000
"""Characters of one text that is asked or remembered from the command line."""


def read_text(given: str | None, what: Phrase) -> str:
    """Return a text from an argument, or from standard input where it is `-` or missing.

    Args:
        what: what the text is, for messages, such as a question.

    Raises:
        UserError: it is empty, too long, or no text.
    """
    if given is None and sys.stdin.isatty():
        raise UserError(phrase("input.none", what=what), hint=phrase("input.none_hint"))
    if given in (None, "-"):
        return decoded(sys.stdin.buffer.read(LONGEST_TEXT * 4 + 1), what)
    return checked(given, what)


def decoded(data: bytes, what: Phrase) -> str:
    """Return bytes of a pipe as a text that can be taken.

    Raises:
        UserError: they are empty, too long, or not UTF-8.
    """
    if len(data) > LONGEST_TEXT * 4:  # the longest that so many characters can be
        raise _too_long(what)
    try:
        return checked(data.decode("utf-8-sig"), what)
    except UnicodeDecodeError as error:
        problem = phrase("input.not_utf8", what=what, byte=error.start)
        raise UserError(problem, hint=phrase("input.not_utf8_hint")) from None


def checked(text: str, what: Phrase) -> str:
    """Return `text` without control characters and the space around it.

    Raises:
        UserError: it is empty, too long, or holds what is no character.
    """
    if "\0" in text or any("\ud800" <= letter <= "\udfff" for letter in text):
        raise UserError(phrase("input.not_text", what=what))
    text = without_controls(text).strip()
    if not text:
        raise UserError(phrase("input.empty", what=what), hint=phrase("input.empty_hint"))
    if len(text) > LONGEST_TEXT:
        raise _too_long(what)
    return text


def _too_long(what: Phrase) -> UserError:
    said = phrase("input.too_long", what=what, most=LONGEST_TEXT)
    return UserError(said, hint=phrase("input.too_long_hint"))


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
        moment = read_moment(until, zone, "--until")
        end = moment + min(whole_day, end - moment)  # no day follows 9999-12-31
    return Interval(start, end)


def read_moment(text: str, zone: tzinfo, option: str) -> datetime:
    """Return an ISO 8601 time or date in UTC; without a zone it is the user's.

    Raises:
        UserError: `text` is no such time.
    """
    try:
        moment = datetime.fromisoformat(text.strip())
    except ValueError:
        said = phrase("input.not_a_time", option=option, text=text)
        raise UserError(said, hint=phrase("input.not_a_time_hint")) from None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=zone)
    try:
        return moment.astimezone(UTC)
    except OverflowError:
        raise UserError(phrase("input.out_of_range", option=option, text=text)) from None
