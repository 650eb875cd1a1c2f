"""One model call of a run: fitted to the context, streamed, counted."""

from __future__ import annotations

import logging
from collections.abc import Callable, Generator
from dataclasses import dataclass

from assistant.agent.guards import Guards
from assistant.agent.protocols.protocol import Ask
from assistant.agent.run import Run
from assistant.agent.streaming import Stream
from assistant.context.budget import ContextManager
from assistant.context.request import Context
from assistant.errors import ContextOverflow
from assistant.events import Event, ModelCalled, Notice, TextDelta
from assistant.model.chat_model import ChatModel, ModelReply, ModelRequest
from assistant.phrases import in_words, say, sentences

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Asker:
    """Asks the model of an agent."""

    model: ChatModel
    manager: ContextManager
    temperature: float

    def ask(
        self, run: Run, ask: Ask, guards: Guards, doubtful: Callable[[str], bool]
    ) -> Generator[Event, None, ModelReply]:
        """Send what fits and return the reply; a request that proves too long is made shorter once.

        Args:
            doubtful: says of a sentence whether it must be held back while it streams.
        """
        context = self.manager.fit(ask.request)
        try:
            reply = yield from self._complete(context, ask, doubtful)
        except ContextOverflow as error:
            self.manager.learn_limit(error.limit)
            told = in_words(error.said, run.language)
            yield Notice(sentences(told, say("run.shorter", run.language)))
            context = self.manager.fit(ask.request)
            reply = yield from self._complete(context, ask, doubtful)
        run.sent = context
        guards.tokens += context.tokens
        if reply.usage is not None:
            guards.tokens += reply.usage.completion
            self.manager.observe(context, reply.usage.prompt)
        called = ModelCalled(
            run.number,
            reply.request_id,
            len(context.messages),
            context.tokens,
            context.parts,
            reply.usage,
            reply.seconds,
        )
        _log.info("%s", called)
        yield called
        return reply

    def _complete(
        self, context: Context, ask: Ask, doubtful: Callable[[str], bool]
    ) -> Generator[Event, None, ModelReply]:
        request = ModelRequest(
            context.messages,
            self.manager.reserve,
            ask.request.tools,
            ask.request.response_schema,
            self.temperature,
            ask.stop,
        )
        stream = Stream(doubtful)
        reply: ModelReply | None = None
        for piece in self.model.complete(request):
            if isinstance(piece, ModelReply):
                reply = piece
            elif ask.shown and (text := stream.feed(piece)):
                yield TextDelta(text)
        assert reply is not None, "a model ends with its whole reply"
        return reply
