"""A streamed reply, assembled from its fragments. What servers send is read with tolerance."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import cast

from assistant.messages import Json, ToolCall
from assistant.model.chat_model import ModelReply, Usage

CHARACTERS_PER_TOKEN = 64
"""No reply of n tokens is longer than this times n; a server that sends more ignores the bound."""


@dataclass(slots=True)
class _PartialCall:
    id: str = ""
    name: str = ""
    arguments: list[str] = field(default_factory=list[str])


class Assembly:
    """Takes the events of a stream of chat completion chunks and gives the whole reply.

    Attributes:
        finish: the server's finish reason; empty until it comes.
        usage: the tokens as the server counted them, if it did.
    """

    def __init__(self, reply_tokens: int) -> None:
        self.finish = ""
        self.usage: Usage | None = None
        self.events = 0
        self._text: list[str] = []
        self._calls: list[_PartialCall] = []
        self._at_index: dict[int, _PartialCall] = {}
        self._room = reply_tokens * CHARACTERS_PER_TOKEN

    @property
    def full(self) -> bool:
        """Whether the reply is longer than any reply of that many tokens can be."""
        return self._room <= 0

    @property
    def characters(self) -> int:
        """How much text has come."""
        return sum(map(len, self._text))

    def add(self, event: Json) -> str:
        """Take one event; return the text that it adds."""
        self.events += 1
        fields = _object(event)
        if usage := _object(fields.get("usage")):
            self.usage = _usage(usage)
        choices = fields.get("choices")
        if not isinstance(choices, list) or not choices:
            return ""
        choice = _object(cast("list[Json]", choices)[0])
        self.finish = str(choice.get("finish_reason") or self.finish)
        # A server that does not stream sends the whole `message` where a delta would be.
        delta = _object(choice.get("delta")) or _object(choice.get("message"))
        for position, fragment in enumerate(_list(delta.get("tool_calls"))):
            self._add_call(_object(fragment), position)
        return self._add_text(_plain(delta.get("content")) or _plain(delta.get("refusal")))

    def reply(self, request_id: str, seconds: float) -> ModelReply:
        """Return the whole reply. Call ids that are missing or double are made unique."""
        finish = "length" if self.full else self.finish
        text = "".join(self._text)
        return ModelReply(text, self._whole_calls(), finish, self.usage, request_id, seconds)

    def _add_text(self, text: str) -> str:
        text = text[: max(0, self._room)]
        self._room -= len(text)
        if text:
            self._text.append(text)
        return text

    def _add_call(self, fragment: dict[str, Json], position: int) -> None:
        index = fragment.get("index")
        index = index if isinstance(index, int) else position
        call_id = str(fragment.get("id") or "")
        call = self._at_index.get(index)
        # Some servers give every call of a message the index 0: another id is another call.
        if call is None or (call_id and call.id and call_id != call.id):
            call = self._at_index[index] = _PartialCall()
            self._calls.append(call)
        call.id = call.id or call_id
        function = _object(fragment.get("function"))
        name = str(function.get("name") or "")
        if name and name != call.name:  # some repeat the name in every fragment
            call.name += name
        arguments = function.get("arguments")
        if arguments is None:
            return
        written = arguments if isinstance(arguments, str) else json.dumps(arguments)
        self._room -= len(written)
        call.arguments.append(written)

    def _whole_calls(self) -> tuple[ToolCall, ...]:
        used: set[str] = set()
        calls: list[ToolCall] = []
        for number, call in enumerate(self._calls, start=1):
            call_id = call.id or f"call_{number}"
            call_id = call_id if call_id not in used else f"{call_id}_{number}"
            used.add(call_id)
            calls.append(ToolCall(call_id, call.name, "".join(call.arguments)))
        return tuple(calls)


def read_names(content: Json) -> list[str]:
    """Return the models' names in the answer of `/models`, sorted."""
    models = [_object(model) for model in _list(_object(content).get("data"))]
    return sorted(str(model["id"]) for model in models if model.get("id"))


def _usage(fields: dict[str, Json]) -> Usage:
    details = _object(fields.get("prompt_tokens_details"))
    return Usage(
        prompt=_count(fields.get("prompt_tokens")),
        completion=_count(fields.get("completion_tokens")),
        cached=_count(details.get("cached_tokens")),
    )


def _count(value: Json) -> int:
    return value if isinstance(value, int) else 0


def _object(value: Json) -> dict[str, Json]:
    return cast("dict[str, Json]", value) if isinstance(value, dict) else {}


def _list(value: Json) -> list[Json]:
    return cast("list[Json]", value) if isinstance(value, list) else []


def _plain(content: Json) -> str:
    """The text of a content, which is a string or, with some servers, a list of parts."""
    if isinstance(content, str):
        return content
    return "".join(_plain(_object(part).get("text")) for part in _list(content))
