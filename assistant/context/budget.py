"""The token-budget manager: what goes into a request, within a hard bound, nothing orphaned.

The order never changes, so that consecutive requests share the longest possible prefix: system,
tools, summary and window come first and only grow; memories and question come last.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import tzinfo
from math import ceil

from assistant.context.learned import ModelCounts
from assistant.context.memories import MemoryBlock, memory_block
from assistant.context.request import Context, ContextRequest, LeftOut, Shares
from assistant.context.run_steps import FittedSteps, fit_steps
from assistant.context.summary import summary_message
from assistant.context.tokens import MESSAGE_TOKENS, REPLY_TOKENS, Counter
from assistant.context.window import View, chunk_ids, show_turn
from assistant.context.wording import language_of
from assistant.errors import ContextTooSmall, SettingsError
from assistant.messages import Message
from assistant.phrases import phrase
from assistant.sessions import Turn
from memory_store import Judgement

__all__ = ["Context", "ContextManager", "ContextRequest", "LeftOut", "Shares", "limit_of"]

DEFAULT_LIMIT = 8_192
DEFAULT_RESERVE = 512

_LIMITS = (
    # model name prefix, context in tokens, as OpenAI documents them
    ("gpt-5", 400_000),
    ("gpt-4.1", 1_047_576),
    ("gpt-4o", 128_000),
    ("gpt-4-turbo", 128_000),
    ("gpt-4", 8_192),
    ("gpt-3.5-turbo", 16_385),
    ("o1", 200_000),
    ("o3", 200_000),
    ("o4", 200_000),
)


def limit_of(model: str) -> int:
    """Return the context of a known model in tokens; `DEFAULT_LIMIT` for every other one."""
    return next((limit for name, limit in _LIMITS if model.startswith(name)), DEFAULT_LIMIT)


TOOL_SHARE = 0.3
"""Share of a request that the tools' schemas may take, so that a small context has room left."""


class ContextManager:
    """Fits requests to one model's context."""

    def __init__(
        self,
        counter: Counter,
        counts: ModelCounts,
        *,
        zone: tzinfo,
        limit: int | None = None,
        reserve: int = DEFAULT_RESERVE,
        shares: Shares | None = None,
    ) -> None:
        """Take the limits in tokens; `limit` None: that of the model, by its name.

        Raises:
            SettingsError: the limit leaves nothing beside the reserve.
        """
        self.counter = counter
        self.reserve = reserve
        self.shares = shares or Shares()
        self._limit = limit if limit is not None else limit_of(counter.model)
        self.zone = zone
        self.last_parts: Mapping[
            str, int
        ] = {}  # tokens by part of the last request that was fitted
        self.counts = counts
        if reserve < 1 or self._limit <= reserve:
            raise SettingsError(phrase("context.bad_limit", limit=self._limit, reserve=reserve))

    @property
    def limit(self) -> int:
        """The context in tokens, by the server's count."""
        learned = self.counts.of(self.counter.model).limit
        return min(self._limit, learned or self._limit)

    @property
    def factor(self) -> float:
        """The server's tokens for each of ours, with a margin; at least 1."""
        return self.counts.of(self.counter.model).factor

    @property
    def ratio(self) -> float | None:
        """The server's tokens for each of ours as they were seen; None while not known."""
        return self.counts.of(self.counter.model).ratio

    @property
    def bound(self) -> int:
        """The most tokens of a request, by our count."""
        return int((self.limit - self.reserve) / self.factor)

    @property
    def tool_tokens(self) -> int:
        """The most that the tools' schemas may take of a request."""
        return int(self.bound * TOOL_SHARE)

    @property
    def memory_tokens(self) -> int:
        """The budget to recall with."""
        return min(self.shares.memory_tokens, int(self.bound * self.shares.memories))

    def observe(self, context: Context, reported: int) -> None:
        """Learn from the prompt tokens that the server reported for a request."""
        self.counts.observe(self.counter.model, counted=context.tokens, reported=reported)

    def learn_limit(self, named: int | None) -> None:
        """Lower the limit, after the server refused a request as too long.

        `named` is the limit that the server told. Where it told none, or none that is lower than
        the one that was kept to, the true limit is lower by an unknown amount.
        """
        limit = named if named is not None and named < self.limit else int(self.limit * 0.8)
        self.counts.learn_limit(self.counter.model, max(limit, self.reserve + 1))

    def summary_room(self, parts: Mapping[str, int]) -> int:
        """Return the room of the summary, in tokens, beside what cannot be left out."""
        return int(self._usual_room(parts) * self.shares.summary) - MESSAGE_TOKENS

    def window_room(self, parts: Mapping[str, int]) -> int:
        """Return the room that is left to the window where every other part uses its share."""
        room = self._usual_room(parts)
        room -= int(room * self.shares.summary)
        return room - self._memory_room(room)

    def turn_tokens(self, turn: Turn, judgements: Mapping[str, Judgement]) -> int:
        """Return the tokens of a turn as it stands in the window."""
        return self.counter.messages(show_turn(turn, self._view_of(judgements, False)))

    def _usual_room(self, parts: Mapping[str, int]) -> int:
        question = min(parts.get("question", 0), self.bound // 10)
        room = self.bound - parts.get("system", 0) - parts.get("tools", 0) - question
        with_tools = parts.get("tools", 0) or parts.get("steps", 0)
        return max(room - (self._stride if with_tools else 0), 0)

    @property
    def _stride(self) -> int:
        return max(int(self.bound * self.shares.steps), 1)

    def window_ids(self, request: ContextRequest) -> frozenset[str]:
        """Return the ids of the chunks that will stand in the window, for recall to exclude."""
        room = self._room(request, self._fixed(request))
        return chunk_ids(self._window(request, room - self._memory_room(room))[0])

    def fit(self, request: ContextRequest) -> Context:
        """Return the request's messages within the bound.

        Raises:
            ContextTooSmall: system, tools and question alone do not fit. Nothing is to be sent.
        """
        fixed = self._fixed(request)
        slack = 0
        while True:  # texts that are joined may count a few tokens more than their parts
            context = self._fit(request, fixed, slack)
            over = context.tokens - self.bound
            if over <= 0:
                self.last_parts = context.parts
                return context
            slack += over

    def _fit(self, request: ContextRequest, fixed: dict[str, int], slack: int) -> Context:
        room = self._room(request, fixed) - slack
        if room < 0:
            raise self._too_small(fixed)
        steps = self._steps(request, room)
        room = self._beside_steps(request, steps, room)
        summary = self._summary(request, room)
        room -= self.counter.messages(summary)
        turns, _ = self._window(request, room - self._memory_room(room))
        memories = self._memories(request, turns, self._memory_room(room))
        turns, window = self._window(request, room - self.counter.count(memories.text))
        question = "\n\n".join(filter(None, (memories.text, request.question)))
        messages = _joined(
            [
                request.say(message)
                for message in (
                    Message("system", request.system),
                    *summary,
                    *window,
                    Message("user", question),
                    *steps.messages,
                )
            ]
        )
        parts = {
            "system": fixed["system"],
            "tools": fixed["tools"],
            "summary": self.counter.messages(summary),
            "window": 0,
            "memories": self.counter.count(memories.text),
            "question": fixed["question"],
            "steps": steps.tokens,
        }
        tokens = fixed["tools"] + REPLY_TOKENS + self.counter.messages(messages)
        parts["window" if window else "question"] += tokens - sum(parts.values())
        return Context(
            messages,
            parts,
            tokens,
            self.limit,
            self.reserve,
            self.factor,
            memories.hits,
            tuple(_left_out(request, bool(summary), turns, memories, steps)),
        )

    def _fixed(self, request: ContextRequest) -> dict[str, int]:
        """Return the tokens of what cannot be left out."""
        system = request.say(Message("system", request.system))
        question = request.say(Message("user", request.question))
        return {
            "system": self.counter.message(system) + REPLY_TOKENS,
            "tools": self.counter.tools(request.tools, request.response_schema),
            "question": self.counter.message(question),
        }

    def _too_small(self, fixed: dict[str, int]) -> ContextTooSmall:
        longest = max(fixed, key=lambda part: fixed[part])
        return ContextTooSmall(
            phrase(
                "context.too_small",
                bound=self.bound,
                limit=self.limit,
                reserve=self.reserve,
                parts=tuple(
                    phrase("context.part", part=phrase(f"budget.{part}"), tokens=tokens)
                    for part, tokens in fixed.items()
                ),
            ),
            hint=phrase(f"context.longest_{longest}"),
        )

    def _room(self, request: ContextRequest, fixed: dict[str, int]) -> int:
        return self.bound - sum(fixed.values())

    def _view(self, request: ContextRequest) -> View:
        withhold = request.withhold_stale and not request.recall.past
        return self._view_of(request.judgements, withhold)

    def _view_of(self, judgements: Mapping[str, Judgement], withhold_stale: bool) -> View:
        result_tokens = max(int((self._limit - self.reserve) * self.shares.result), 1)
        return View(self.counter.count, self.zone, result_tokens, judgements, withhold_stale)

    def _steps(self, request: ContextRequest, room: int) -> FittedSteps:
        # The run's own results were made just now: none of them is out of date.
        view = replace(self._view(request), judgements={})
        language = language_of(request.question)

        def size(message: Message) -> int:
            return self.counter.message(request.say(message))

        return fit_steps(request.steps, room, view, language, size)

    def _beside_steps(self, request: ContextRequest, steps: FittedSteps, room: int) -> int:
        """Return what the steps leave, in a stride, so that it changes seldom during a run."""
        if not (request.tools or request.response_schema or steps.messages):
            return room
        reserved = ceil(max(steps.tokens, 1) / self._stride) * self._stride
        return room - (reserved if reserved <= room / 2 else steps.tokens)

    def _summary(self, request: ContextRequest, room: int) -> list[Message]:
        if request.summary is None:
            return []
        text = summary_message(
            request.summary,
            room=int(room * self.shares.summary) - MESSAGE_TOKENS,
            count=self.counter.count,
        )
        return [Message("user", text)] if text else []

    def _memory_room(self, room: int) -> int:
        return min(self.shares.memory_tokens, int(max(room, 0) * self.shares.memories))

    def _memories(self, request: ContextRequest, turns: Sequence[Turn], room: int) -> MemoryBlock:
        return memory_block(
            request.recall,
            room=room,
            count=self.counter.count,
            zone=self.zone,
            language=language_of(request.question),
            withhold_stale=request.withhold_stale,
            exclude=chunk_ids(turns) if not request.repeat_window else (),
        )

    def _window(self, request: ContextRequest, room: int) -> tuple[list[Turn], list[Message]]:
        """Return the newest turns that fit into `room` tokens, and their messages."""
        view = self._view(request)
        turns: list[Turn] = []
        shown: list[tuple[Message, ...]] = []
        for turn in reversed(request.window):
            messages = show_turn(turn, view)
            room -= self.counter.messages(map(request.say, messages))
            if room < 0:
                break
            turns.append(turn)
            shown.append(messages)
        return turns[::-1], [message for messages in shown[::-1] for message in messages]


def _joined(messages: Sequence[Message]) -> tuple[Message, ...]:
    """Join what the user says in a row: many chat templates want the roles to alternate."""
    joined: list[Message] = []
    for message in messages:
        if joined and message.role == "user" == joined[-1].role:
            joined[-1] = Message("user", f"{joined[-1].content}\n\n{message.content}")
        else:
            joined.append(message)
    return tuple(joined)


def _left_out(
    request: ContextRequest,
    summarised: bool,
    turns: Sequence[Turn],
    memories: MemoryBlock,
    steps: FittedSteps,
) -> list[LeftOut]:
    found: list[LeftOut] = []
    if request.summary is not None and not summarised:
        found.append(LeftOut(phrase("budget.summary"), phrase("budget.no_room_summary")))
    shown = {turn.id for turn in turns}
    missing = [turn.number for turn in request.window if turn.id not in shown]
    if missing:
        key = "budget.left_turn" if len(missing) == 1 else "budget.left_turns"
        turns_left = phrase(key, first=missing[0], last=missing[-1])
        found.append(LeftOut(turns_left, phrase("budget.no_room_window")))
    for hit in memories.left_out:
        kind = phrase(f"word.{hit.chunk.kind}")
        memory = phrase("budget.left_memory", kind=kind, id=hit.chunk.id)
        found.append(LeftOut(memory, phrase("budget.no_room_memories")))
    if steps.shortened:
        results = phrase("budget.left_results", count=steps.shortened)
        found.append(LeftOut(results, phrase("budget.shortened")))
    if steps.left_out:
        left = phrase("budget.left_steps", count=steps.left_out)
        found.append(LeftOut(left, phrase("budget.no_room_shortened")))
    return found
