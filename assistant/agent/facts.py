"""Extracts lasting facts from what the user said, after the answer is out, several turns at once.

A failure loses nothing: the turns stay queued, and what they say is in memory word for word.

Measured with the packaged model (`scripts/measure_facts.py`): of the facts that it read from 54
messages 27 of 30 were right (90 %; 29 of 33 in an earlier run), and it missed 19 of 48. So it is
off by default there.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import cast

from assistant.agent.claims import sentences
from assistant.agent.corrections import corrects
from assistant.agent.fact_queue import FactQueue, Queued
from assistant.agent.fact_spans import span, years
from assistant.agent.intent import intent_of
from assistant.agent.reading import read_object, without_thinking
from assistant.context.memories import quote
from assistant.context.wording import language_of
from assistant.errors import ModelError, ModelRefused, ModelUnreachable, ModelUnsupported
from assistant.events import Event
from assistant.messages import Json, Message
from assistant.model.chat_model import ChatModel, ModelReply, ModelRequest
from assistant.months import MONTH, month_number
from assistant.prompts import prompt
from assistant.sessions import Session, Turn
from memory_store import Chunk, Draft
from memory_store.store import MemoryStore

BATCH = 4
"""Turns that are read at once; a correction is read at once and alone suffices."""
MOST_CALLS = 8
"""The most calls of the model in one reading of the queue; the rest waits for the next one."""
REPLY_TOKENS = 700
MOST_KNOWN = 40
LONGEST_MESSAGE = 2_000
LONGEST_QUOTE = 300

_SLOT = re.compile(r"user(?:\.[a-z0-9_]{1,40}){1,4}")
_SCHEMA: dict[str, Json] = {
    "type": "object",
    "properties": {
        "facts": {
            "type": "array",
            "maxItems": 12,
            "items": {
                "type": "object",
                "properties": {
                    "message": {"type": "integer"},
                    "subject": {"type": "string"},
                    "value": {"type": "string"},
                    # strict schemas know no other way to leave out a field
                    "since": {"type": ["string", "null"]},
                    "until": {"type": ["string", "null"]},
                },
                "required": ["message", "subject", "value", "since", "until"],
                "additionalProperties": False,
            },
        }
    },
    "required": ["facts"],
    "additionalProperties": False,
}
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Fact:
    """One fact as the model read it, checked: which message said it, its slot and its value.

    Attributes:
        since: the first day or period in which it holds, in the message's words; empty where none
            is named.
        until: the last one.
    """

    message: int
    subject: str
    value: str
    since: str = ""
    until: str = ""


def read_facts(reply: str, messages: Sequence[str]) -> list[Fact] | None:
    """Return the facts of a reply that stand in the messages; None where it cannot be read."""
    read = read_object(without_thinking(reply))
    if read is None or not isinstance(read.get("facts"), list):
        return None
    facts: list[Fact] = []
    for item in cast("list[Json]", read["facts"]):
        fact = _checked(cast("dict[str, Json]", item), messages) if isinstance(item, dict) else None
        if fact is not None and all(fact.subject != known.subject for known in facts):
            facts.append(fact)
    return facts


def _checked(item: dict[str, Json], messages: Sequence[str]) -> Fact | None:
    number, value = item.get("message"), str(item.get("value", "")).strip()
    subject = re.sub(r"[\s\-]+", "_", str(item.get("subject", "")).strip().lower())
    if not isinstance(number, int) or not 1 <= number <= len(messages) or not value:
        return None
    said = messages[number - 1]
    if _SLOT.fullmatch(subject) is None or not _said(value, said):
        return None
    dates = tuple(_date(item.get(name), value, said) for name in ("since", "until"))
    since, until = dates if any(dates) else years(_sentence(value, said))
    return Fact(number, subject, value, since, until)


def _date(words: Json, value: str, message: str) -> str:
    """Return a date as the message names it; empty where it does not, or where it is the value."""
    if not isinstance(words, str) or words.lower() in value.lower():
        return ""
    dates = _dates(words)
    return words.strip() if _said(words, message) or set() < dates <= _dates(message) else ""


def _dates(text: str) -> set[str]:
    """Return the numbers of a text, those of its months by name among them."""
    months = {str(month_number(name)) for name in re.findall(rf"(?i)\b{MONTH}\b", text)}
    return months | {number.lstrip("0") for number in re.findall(r"\d+", text)}


def _said(value: str, message: str) -> bool:
    """Whether a value stands in the message: its numbers all, of its words most."""
    low = message.lower()
    if re.search(rf"(?<![\d.:]){re.escape(value.lower())}(?![\d:]|\.\d)", low):
        return True
    words = re.findall(r"[^\W\d_㐀-鿿]{2,}|[㐀-鿿]", value.lower())
    numbers = re.findall(r"\d+", value)
    return (
        bool(words or numbers)
        and set(numbers) <= set(re.findall(r"(?<![\d.:])\d+(?![\d:]|\.\d)", low))
        and sum(word in low for word in words) * 4 >= len(words) * 3
    )


def _text(fact: Fact, message: str) -> str:
    """Return the fact in the user's own words: `city: Porto ("No, Porto. I moved.")`."""
    slot = fact.subject.removeprefix("user.").replace(".", " ").replace("_", " ")
    said = _sentence(fact.value, message)
    return f'{slot}: {fact.value} ("{said[:LONGEST_QUOTE].strip()}")'


def _sentence(value: str, message: str) -> str:
    return next((each.strip() for each in sentences(message) if value in each), message)


class FactExtractor:
    """Queues turns, and has the model read them when there are enough, or one corrects."""

    def __init__(self, model: ChatModel, store: MemoryStore, *, batch: int = BATCH) -> None:
        self._model = model
        self._store = store
        self._batch = batch
        self._queue = FactQueue(store)

    def afterwards(self, session: Session, turn: Turn) -> Iterator[Event]:
        """Queue a turn; read the queue when it is time. What fails is read again later."""
        correction = corrects(turn.question)
        told = correction or intent_of(turn.question) != "small_talk"
        if told and turn.question_chunk is not None:
            self._queue.add(session, turn, with_before=correction)
            self.extract(least=1 if correction else self._batch)
        return iter(())

    def extract(self, *, least: int = 1) -> list[Chunk]:
        """Read the queue, if it holds so many turns; return the facts that were remembered.

        The turns of a batch that fails are read one by one the next time, so that a bad one takes
        none with it.
        """
        found: list[Chunk] = []
        down = False
        for _ in range(MOST_CALLS):
            queued = self._queue.take(least=least, most=2 * self._batch)
            if not queued:
                break
            try:
                facts = read_facts(self._ask(queued), [each.chunk.text for each in queued])
            except ModelError as error:
                _log.warning("facts are extracted later: %s", error)
                facts, down = None, isinstance(error, ModelUnreachable | ModelRefused)
            if facts is not None:
                found += self._remember(facts, queued)
                continue
            self._queue.failed([each.turn for each in queued])
            if down or queued[0].tries == 0:
                break
        return found

    def _remember(self, facts: Sequence[Fact], queued: Sequence[Queued]) -> Sequence[Chunk]:
        drafts = [self._draft(fact, queued[fact.message - 1]) for fact in facts]
        with self._store.ledger.write() as connection:
            self._queue.done([each.turn for each in queued], connection)
            return self._store.remember(drafts, joined=connection) if drafts else ()

    def _draft(self, fact: Fact, queued: Queued) -> Draft:
        return Draft(
            "fact",
            _text(fact, queued.chunk.text),
            session=queued.session,
            turn=queued.turn,
            created_at=queued.told_at,
            about=span(fact.since, fact.until, queued.chunk.text, queued.told_at, self._store.zone),
            subject=fact.subject,
            origin="user",
            derived_from=(queued.chunk.id,),
        )

    def _ask(self, queued: Sequence[Queued]) -> str:
        language = language_of(queued[-1].chunk.text)
        system = prompt("facts", language, known="\n".join(self._known()) or "-")
        lines: list[str] = []
        for number, each in enumerate(queued, start=1):
            if each.before and corrects(each.chunk.text):
                lines.append(f"(before it:\n{quote(each.before[:LONGEST_MESSAGE])})")
            lines.append(f"{number}. ({each.told_at:%Y-%m-%d})")
            lines.append(quote(each.chunk.text[:LONGEST_MESSAGE]))
        messages = (Message("system", system), Message("user", "\n".join(lines)))
        try:
            return self._complete(ModelRequest(messages, REPLY_TOKENS, response_schema=_SCHEMA))
        except ModelUnsupported:
            return self._complete(ModelRequest(messages, REPLY_TOKENS))

    def _complete(self, request: ModelRequest) -> str:
        for piece in self._model.complete(request):
            if isinstance(piece, ModelReply):
                return piece.text
        return ""

    def _known(self) -> list[str]:
        """Return the slots that there are, each with its current fact."""
        current: dict[str, str] = {}
        for chunk in self._store.chunks(kind="fact", limit=4 * MOST_KNOWN):
            own = chunk.origin == "user"  # a page's words have no place in the instructions
            if own and chunk.subject is not None and _SLOT.fullmatch(chunk.subject):
                current[chunk.subject] = chunk.text
        return [f"{slot}: {fact}" for slot, fact in list(current.items())[-MOST_KNOWN:]]
