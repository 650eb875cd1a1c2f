"""Rolling the window's oldest turns into the summary, after the answer is out."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from assistant.context.budget import ContextManager
from assistant.context.extract import extract
from assistant.context.importance import in_use
from assistant.context.retelling import Retelling, perishable, retell
from assistant.context.summary import Writer, left_out, write
from assistant.context.window import chunk_ids
from assistant.context.wording import Language, language_for, language_of
from assistant.events import Event, Notice
from assistant.model.chat_model import ChatModel
from assistant.phrases import say
from assistant.sessions import Session, Sessions, Summary, Turn
from memory_store import Chunk, Judgement

LOW = 0.75
"""The window is rolled down to this share of its room: in batches, so the prefix seldom changes."""

KEPT = 0.25
"""The most of the window's room for turns that are in use, beyond their time."""

STAYING = 2
"""The last turns never leave: the next question is about them."""


class Memory(Protocol):
    """What is needed of `MemoryStore`."""

    def judge(self, ids: Collection[str]) -> dict[str, Judgement]:
        """Return how current chunks are."""
        ...

    def get(self, chunk_id: str) -> Chunk:
        """Return one chunk; raises `NotFound`."""
        ...


@dataclass(frozen=True, slots=True)
class Leaving:
    """The turns that leave the window, up to `through`; `kept` are in use and stay."""

    turns: tuple[Turn, ...]
    through: int
    kept: tuple[int, ...] = ()


def leaving(
    window: Sequence[Turn],
    sizes: Sequence[int],
    room: int,
    judgements: Mapping[str, Judgement],
) -> Leaving | None:
    """Choose what leaves a window of `room` tokens; None where it still has room.

    The oldest go, but for those whose current tool results later turns use (see `importance`).

    Args:
        sizes: each turn's tokens.
    """
    total = sum(sizes)
    if total <= room:
        return None
    used = {use.turn for use in in_use(window, judgements)}
    gone: list[Turn] = []
    kept: list[int] = []
    kept_room = KEPT * room
    through = 0
    for turn, size in zip(window[:-STAYING], sizes, strict=False):
        if total <= LOW * room:
            break
        through = max(through, turn.number)
        if turn.number in used and size <= kept_room:
            kept.append(turn.number)
            kept_room -= size
        else:
            gone.append(turn)
            total -= size
    return Leaving(tuple(gone), through, tuple(kept)) if gone else None


@dataclass(frozen=True, slots=True)
class _Draft:
    """A summary to be checked and saved: `text` follows `base` and tells of `turns`."""

    base: Summary | None
    turns: tuple[Turn, ...]
    text: str
    method: Literal["model", "extract"]


@dataclass(frozen=True, slots=True)
class Roller:
    """Writes sessions' summaries. `model` None: they are extracted, until a model is there.

    Attributes:
        language: in which the user is told; `auto`: that of each question.
    """

    manager: ContextManager
    sessions: Sessions
    memory: Memory
    model: ChatModel | None
    language: Language | Literal["auto"] = "auto"

    def afterwards(self, session: Session, turn: Turn) -> Iterator[Event]:
        """Roll after a run, whose last request tells what room the window has."""
        summary = self.roll(session, self.manager.last_parts)
        if summary is not None and summary.method == "extract" and self.model is not None:
            yield Notice(say("chat.no_summary", language_for(self.language, turn.question)))

    def roll(self, session: Session, parts: Mapping[str, int]) -> Summary | None:
        """Roll what exceeds the window's room into the next version of the summary.

        What the turns say stays in memory, word for word. Where the model fails, the summary is
        extracted from the turns, and written by the model at a later call.

        Args:
            parts: tokens by part of the last request, which tell what room the window has.

        Returns:
            The new version; None where there was nothing to do, or another run did it meanwhile.
        """
        current = self.sessions.summary(session)
        chosen = self._leaving(session, current, parts)
        room = self.manager.summary_room(parts)
        draft = self._by_model(session, current, chosen, room)
        if draft is None and chosen is not None:
            draft = self._by_extract(current, chosen, room)
        if draft is None:
            return None
        base_sources = draft.base.derived_from if draft.base is not None else ()
        through, kept = _passed(current)
        return self.sessions.save_summary(
            session,
            draft.text,
            through=chosen.through if chosen is not None else through,
            also=self._also(draft, room),
            kept=chosen.kept if chosen is not None else kept,
            derived_from=sorted({*base_sources, *self._perishable(draft.turns)}),
            method=draft.method,
            after=current.version if current is not None else 0,
        )

    def _by_model(
        self, session: Session, current: Summary | None, chosen: Leaving | None, room: int
    ) -> _Draft | None:
        """Write what leaves, and what could only be extracted before; None where that failed."""
        if self.model is None:
            return None
        base, missed = current, ()
        if current is not None and current.method == "extract":
            base, missed = self._missed(session, current)
        turns = (*missed, *(chosen.turns if chosen is not None else ()))
        if not turns:
            return None
        told = [str(retelling) for retelling in self._retold(turns)]
        old = base.text if base is not None else ""
        text = write(old, told, self.model, self._writer(turns, room))
        return _Draft(base, turns, text, "model") if text is not None else None

    def _by_extract(self, current: Summary | None, chosen: Leaving, room: int) -> _Draft:
        writer = self._writer(chosen.turns, room)
        text = extract(
            current.text if current is not None else "",
            self._retold(chosen.turns),
            room=writer.text_room,
            count=writer.count,
        )
        return _Draft(current, chosen.turns, text, "extract")

    def _also(self, draft: _Draft, room: int) -> str:
        old = f"{draft.base.text}\n{draft.base.also}".splitlines() if draft.base else []
        said = [line for retelling in self._retold(draft.turns) for line in retelling.said]
        return left_out(draft.text, [*old, *said], self._writer(draft.turns, room))

    def _leaving(
        self, session: Session, current: Summary | None, parts: Mapping[str, int]
    ) -> Leaving | None:
        window = self._turns(session, current)
        judgements = self.memory.judge(chunk_ids(window))
        sizes = [self.manager.turn_tokens(turn, judgements) for turn in window]
        return leaving(window, sizes, self.manager.window_room(parts), judgements)

    def _missed(
        self, session: Session, current: Summary
    ) -> tuple[Summary | None, tuple[Turn, ...]]:
        """Return the last summary that a model wrote, and the turns extracted since."""
        versions = self.sessions.summaries(session)
        base = next((version for version in versions if version.method == "model"), None)
        missed = (
            turn
            for turn in self._turns(session, base)
            if turn.number <= current.through and turn.number not in current.kept
        )
        return base, tuple(missed)

    def _turns(self, session: Session, summary: Summary | None) -> list[Turn]:
        through, kept = _passed(summary)
        turns = self.sessions.turns(session, through, also=kept)
        return [turn for turn in turns if not turn.forgotten]

    def _perishable(self, turns: Sequence[Turn]) -> frozenset[str]:
        return perishable((id_ for turn in turns for id_ in turn.chunk_ids), self.memory.get)

    def _retold(self, turns: Sequence[Turn]) -> list[Retelling]:
        aging = self._perishable(turns)
        zone, count = self.manager.zone, self.manager.counter.count
        return [retell(turn, aging, zone, count) for turn in turns]

    def _writer(self, turns: Sequence[Turn], room: int) -> Writer:
        return Writer(
            count=self.manager.counter.count,
            language=language_of("".join(turn.question for turn in turns)),
            room=room,
            bound=self.manager.bound,
            reserve=self.manager.reserve,
        )


def _passed(summary: Summary | None) -> tuple[int, tuple[int, ...]]:
    return (0, ()) if summary is None else (summary.through, summary.kept)
