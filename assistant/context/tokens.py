"""Counting tokens as a model does: its encoding (the only tiktoken import) and its overheads."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

from assistant.context import encodings
from assistant.errors import SettingsError
from assistant.messages import Json, Message, ToolSchema
from assistant.phrases import phrase

if TYPE_CHECKING:
    import tiktoken

# Upper bounds, measured on the packaged model's server (Qwen2.5's template: 5 a message, 3 to begin
# the reply, 80 for the frame of the tools, 0 a tool beside its JSON); OpenAI documents less
# (cookbook, "How to count tokens with tiktoken").
MESSAGE_TOKENS = 5
CALL_TOKENS = 4
TOOLS_TOKENS = 80
TOOL_TOKENS = 8
REPLY_TOKENS = 3

_PIECE = 10_000
"""Characters that tiktoken is given at once: on a million spaces its regex overflows the stack."""

_CACHED_TEXTS = 8_192

_OLD_MODELS = ("gpt-4-", "gpt-3.5", "gpt-35", "text-embedding")


def encoding_for(model: str) -> str:
    """Return the encoding of an OpenAI model; `o200k_base`, the newest, for every other one."""
    name = model.rsplit("/", 1)[-1].removeprefix("ft:")
    if name == "gpt-4" or name.startswith(_OLD_MODELS):
        return "cl100k_base"
    return encodings.NAMES[0]


class Counter:
    """Counts tokens for one model. What was counted once is not counted again."""

    def __init__(self, model: str, *, encoding: str | None = None) -> None:
        """Take the encoding that is named, or else the model's own.

        Raises:
            SettingsError: no encoding of that name.
        """
        if encoding is not None and encoding not in encodings.NAMES:
            names = ", ".join(encodings.NAMES)
            raise SettingsError(phrase("context.bad_encoding", encoding=encoding, names=names))
        self.model = model
        self.encoding = encoding or encoding_for(model)
        self.count = lru_cache(_CACHED_TEXTS)(self._count)
        self._loaded: tiktoken.Encoding | None = None

    def message(self, message: Message) -> int:
        """Return the tokens of one message with what the model's chat template adds to it."""
        tokens = MESSAGE_TOKENS + self.count(message.content)
        for call in message.calls:
            tokens += CALL_TOKENS + self._json(call.wire())
        if message.call_id is not None:
            tokens += self.count(message.call_id)
        return tokens

    def messages(self, messages: Iterable[Message]) -> int:
        """Return the tokens of messages, without what begins the reply."""
        return sum(map(self.message, messages))

    def tool(self, tool: ToolSchema) -> int:
        """Return the tokens that one more tool adds."""
        return TOOL_TOKENS + self._json(tool.wire())

    def tools(
        self,
        tools: Sequence[ToolSchema],
        response_schema: Mapping[str, Json] | None = None,
    ) -> int:
        """Return the tokens of the tools' schemas and of the reply's."""
        tokens = sum(map(self.tool, tools))
        tokens += TOOLS_TOKENS if tools else 0
        if response_schema is not None:
            tokens += TOOL_TOKENS + self._json(response_schema)
        return tokens

    def _json(self, value: Json) -> int:
        """Return a value's tokens in whichever way of writing it takes more."""
        spaced = json.dumps(value, ensure_ascii=False)
        compact = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
        return max(self.count(spaced), self.count(compact))

    def _count(self, text: str) -> int:
        encoding = self._loaded or self._load()
        # Special tokens in a text count as the text that they are.
        return sum(len(encoding.encode_ordinary(piece)) for piece in _pieces(text))

    def _load(self) -> tiktoken.Encoding:
        import tiktoken

        encodings.provide(self.encoding)
        try:
            self._loaded = tiktoken.get_encoding(self.encoding)
        except Exception as error:  # requests' errors, where the user's own folder lacks the file
            raise SettingsError(
                phrase("context.no_ranks", encoding=self.encoding, problem=error),
                hint=phrase("context.no_ranks_hint"),
            ) from error
        return self._loaded


def _pieces(text: str) -> Iterable[str]:
    """Split a long text, where possible before a word, so that the sum is the whole's count."""
    start = 0
    while len(text) - start > _PIECE:
        end = text.rfind(" ", start + 1, start + _PIECE)
        # A token may begin with one space; before several, or where there is none, cut anyway.
        while end > start and text[end - 1].isspace():
            end = text.rfind(" ", start + 1, end)
        end = end if end > start else start + _PIECE
        yield text[start:end]
        start = end
    yield text[start:]
