"""An assistant over a temporary folder and a scripted model, with every other part real."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from zoneinfo import ZoneInfo

from assistant.agent.guards import Limits
from assistant.agent.loop import Agent
from assistant.agent.protocols.choice import Choice, Protocols
from assistant.context.budget import ContextManager
from assistant.context.learned import ModelCounts
from assistant.context.tokens import Counter
from assistant.events import Event
from assistant.model.client import OpenAIChatModel
from assistant.run_record import RunRecord, record_run
from assistant.sessions import Sessions
from assistant.testing import Rule, ScriptedServer, Step
from assistant.tools import Tool, ToolRegistry, calculate, clock
from assistant.tools.definition import Confirm
from assistant.tools.memory import memory_tools
from memory_store import Chunk
from memory_store.protocols import Embedder
from memory_store.store import MemoryStore

ZONE = ZoneInfo("Asia/Shanghai")
MONDAY = datetime(2026, 3, 2, 9, 0, tzinfo=ZONE)
MODEL = "scripted"


@dataclass(slots=True)
class AgentHome:
    """The parts of an assistant, and its clock, which stands still until `at` moves it."""

    server: ScriptedServer
    store: MemoryStore
    sessions: Sessions
    tools: ToolRegistry
    agent: Agent
    now: datetime = MONDAY

    def at(self, iso: str) -> None:
        """Set the clock to an aware ISO time."""
        self.now = datetime.fromisoformat(iso)

    def events(self, question: str, session: str | None = None) -> list[Event]:
        """Ask, and return everything that happened."""
        return list(self.agent.run(self.sessions.open(session), question))

    def ask(self, question: str, session: str | None = None) -> RunRecord:
        """Ask, and return the run's record."""
        return record_run(self.events(question, session))

    def sent(self, number: int = -1) -> str:
        """Return all that a request said, as one text."""
        messages = self.server.requests[number]["messages"]
        return "\n".join(str(message["content"]) for message in messages)


@contextmanager
def agent_home(
    folder: Path,
    script: Sequence[Step] | Rule,
    tools: Iterable[Tool] = (),
    *,
    protocol: Choice = "auto",
    small: bool = False,
    limits: Limits | None = None,
    limit: int = 8192,
    marker: str | None = None,
    confirm: Confirm | None = None,
    rejects: Sequence[str] = (),
    embedder: Embedder | None = None,
) -> Generator[AgentHome]:
    """Open an assistant whose model follows `script`; leaving checks that it was followed.

    Args:
        small: the model is asked in the `schema` protocol.
        limit: the model's context in tokens.
        rejects: request parameters that the server refuses.
    """
    homes: list[AgentHome] = []

    def clock_now() -> datetime:
        return homes[0].now if homes else MONDAY

    def validate(chunk: Chunk) -> str | None:
        return homes[0].tools.validator(chunk)

    with ExitStack() as stack:
        server = stack.enter_context(ScriptedServer(script, name=MODEL, rejects=rejects))
        store = stack.enter_context(
            MemoryStore.open(
                folder, embedder=embedder, clock=clock_now, zone=ZONE, validator=validate
            )
        )
        registry = ToolRegistry(
            (*clock.TOOLS, *calculate.TOOLS, *memory_tools(store, ZONE), *tools)
        )
        sessions = Sessions(store.ledger, clock=clock_now)
        manager = ContextManager(Counter(MODEL), ModelCounts(store.ledger), zone=ZONE, limit=limit)
        agent = Agent(
            model=OpenAIChatModel(MODEL, base_url=server.url, api_key="test"),
            store=store,
            sessions=sessions,
            manager=manager,
            tools=registry,
            protocols=Protocols.over(
                store, registry, manager=manager, choice=protocol, small=small
            ),
            clock=clock_now,
            zone=ZONE,
            limits=limits,
            marker=marker,
            confirm=confirm,
        )
        homes.append(AgentHome(server, store, sessions, registry, agent))
        yield homes[0]
