"""Which protocol a model is asked in: set, or found out once for each model and remembered."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from assistant.agent.protocols.native import NativeProtocol
from assistant.agent.protocols.protocol import Protocol
from assistant.agent.protocols.react import TextProtocol
from assistant.agent.protocols.schema import SchemaProtocol
from assistant.agent.protocols.schema_arguments import Known
from assistant.agent.shortlist import Similarity, fitting
from assistant.context.budget import ContextManager
from assistant.context.tokens import TOOLS_TOKENS
from assistant.model.capabilities import Capabilities
from assistant.model.chat_model import ChatModel
from assistant.tools import ToolRegistry
from memory_store import Chunk, Hit, Score
from memory_store.store import MemoryStore

Choice = Literal["auto", "tools", "schema", "text"]
Name = Literal["tools", "schema", "text"]


@dataclass(frozen=True, slots=True)
class Protocols:
    """Makes the protocol of each run.

    Attributes:
        choice: the setting; `auto` asks the capability record.
        first: what `auto` begins with for a model that nothing is known of.
        manager: knows what tools cost, and what they may; beyond that only the likeliest for
            the question are shown.
    """

    choice: Choice
    first: Name
    tools: ToolRegistry
    similarity: Similarity
    known: Known
    capabilities: Capabilities
    manager: ContextManager

    @classmethod
    def over(
        cls,
        store: MemoryStore,
        tools: ToolRegistry,
        *,
        choice: Choice = "auto",
        manager: ContextManager,
        small: bool = False,
    ) -> Protocols:
        """Return the protocols over a store; `small` models begin with schemas, not with tools."""
        first: Name = "schema" if small else "tools"
        record = Capabilities(store.ledger)
        return cls(choice, first, tools, similarity_of(store), known_in(store), record, manager)

    def choose(self, model: ChatModel, question: str) -> Protocol:
        """Return the protocol for a run with `model`."""
        return self._make(self.name_for(model), question)

    def name_for(self, model: ChatModel) -> Name:
        """Return the name of the protocol that `model` is asked in."""
        if self.choice != "auto":
            return self.choice
        able = self.capabilities.of(model)
        works = able.tools if self.first == "tools" else able.response_schema
        return "text" if works is False else self.first

    def fall_back(self, model: ChatModel, failed: Protocol, question: str) -> Protocol | None:
        """Return what to use in place of a protocol that `model` cannot do, and remember it.

        None where the user has set the protocol, or where there is no other.
        """
        if self.choice != "auto" or failed.name == "text":
            return None
        feature = "tools" if failed.name == "tools" else "response_schema"
        self.capabilities.learn(model, feature, works=False)
        return self._make("text", question)

    def _make(self, name: Name, question: str) -> Protocol:
        if name == "schema":
            return SchemaProtocol(self.tools, self.similarity, self.known)
        shown = fitting(
            question,
            self.tools,
            self.similarity,
            size=lambda tool: self.manager.counter.tool(tool.schema),
            room=self.manager.tool_tokens - TOOLS_TOKENS,
        )
        return NativeProtocol(shown) if name == "tools" else TextProtocol(shown)


def similarity_of(store: MemoryStore) -> Similarity:
    """Return cosines by the store's own embedder."""

    def similarity(question: str, texts: Sequence[str]) -> list[float]:
        vectors = store.embedder.embed([question, *texts])
        return [float(score) for score in vectors[1:] @ vectors[0]]

    return similarity


def known_in(store: MemoryStore) -> Known:
    """Return the look-up of a subject's current memory in `store`."""

    def known(subject: str) -> Hit | None:
        found: list[Chunk] = store.chunks(subject=subject)
        judged = store.judge([chunk.id for chunk in found])
        current = [chunk for chunk in found if judged[chunk.id].verdict.current]
        if not current:
            return None
        chunk = current[-1]
        return Hit(chunk, chunk.text, Score(0.0), judged[chunk.id])

    return known
