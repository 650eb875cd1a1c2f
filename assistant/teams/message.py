"""The one message format of a team, validated at every hand-over."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

USER = "user"
"""The sender of the request and the receiver of the answer."""

Status = Literal["request", "complete", "incomplete", "returned", "failed"]
"""`request` asks for work; the others are what came of it."""


class TeamMessage(BaseModel):
    """What one member hands to another. `step` counts the hand-overs of a run from 1."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    session_id: str = Field(min_length=1)
    step: int = Field(ge=1)
    sender: str = Field(min_length=1)
    receiver: str = Field(min_length=1)
    task: str = Field(min_length=1)
    content: str
    status: Status


Printer = Callable[[TeamMessage], None]
"""Is shown every message as it is handed over."""


class Transcript:
    """The messages of one run, in order. Nothing in it is ever replaced."""

    def __init__(self, session_id: str, printer: Printer | None = None) -> None:
        self.session_id = session_id
        self._printer = printer
        self._messages: list[TeamMessage] = []

    @property
    def messages(self) -> tuple[TeamMessage, ...]:
        """Every message so far."""
        return tuple(self._messages)

    def hand_over(
        self, sender: str, receiver: str, task: str, content: str, status: Status
    ) -> TeamMessage:
        """Validate a message, keep it, show it, and return it."""
        message = TeamMessage(
            session_id=self.session_id,
            step=len(self._messages) + 1,
            sender=sender,
            receiver=receiver,
            task=task,
            content=content,
            status=status,
        )
        self._messages.append(message)
        if self._printer is not None:
            self._printer(message)
        return message

    def received_by(self, name: str) -> tuple[TeamMessage, ...]:
        """The messages to one member: all that it may see."""
        return tuple(message for message in self._messages if message.receiver == name)


def as_text(messages: Sequence[TeamMessage]) -> str:
    """Return messages as the text that a member reads; their content is quoted, as data."""
    return "\n\n".join(
        f"From {one.sender} ({one.status}), task: {one.task}\n{_quoted(one.content)}"
        for one in messages
    )


def _quoted(content: str) -> str:
    return "\n".join(f"> {line}" for line in content.splitlines() or [""])
