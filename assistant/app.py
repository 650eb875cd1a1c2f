"""The composition root: builds every part from the settings, when first used, and closes all."""

from __future__ import annotations

from collections.abc import Callable, Collection
from contextlib import AbstractContextManager, ExitStack, suppress
from datetime import UTC, datetime, tzinfo
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Self

from assistant.context.wording import Language, language_of
from assistant.front import Front
from assistant.phrases import Phrase, phrase
from assistant.settings import Settings, prepare_home
from memory_store.once import once
from memory_store.protocols import Clock, Embedder, Progress, Reranker

if TYPE_CHECKING:
    from assistant.agent.facts import FactExtractor
    from assistant.agent.loop import Agent
    from assistant.agent.protocols.choice import Protocols
    from assistant.context.budget import ContextManager
    from assistant.context.rolling import Roller
    from assistant.jobs.backup import Backups
    from assistant.jobs.schedule import Schedule
    from assistant.model.choice import ListedModel
    from assistant.sessions import Sessions
    from assistant.study.companion import Study
    from assistant.tools.registry import ToolRegistry
    from memory_store.chunk import Chunk
    from memory_store.ledger import Ledger, Migration
    from memory_store.store import MemoryStore


def utc_now() -> datetime:
    """Return the system's time."""
    return datetime.now(UTC)


class App:
    """The assistant's parts. Each is built when it is first asked for; closing closes those."""

    def __init__(self, settings: Settings, clock: Clock, front: Front) -> None:
        self.settings = settings
        self.clock = clock
        self.front = front
        self._closing = ExitStack()

    @classmethod
    def open(
        cls, settings: Settings, *, clock: Clock | None = None, front: Front | None = None
    ) -> App:
        """Return the assistant of these settings, its home made. Nothing else is opened yet.

        Args:
            clock: returns the time of the runs; None means the system's.

        Raises:
            SettingsError: the home is a file, or it cannot be written.
        """
        prepare_home(settings.home)
        return cls(settings, clock or utc_now, front or Front())

    @property
    def zone(self) -> tzinfo:
        """The user's time zone."""
        return self.settings.zone

    def language(self, text: str = "") -> Language:
        """The language in which commands speak: the chosen one, or else the user's.

        That is Chinese where they typed any; else the language of `text`, such as their plan's
        goal; without a text, that of the plan made last, or the system's.
        """
        if self.settings.language != "auto":
            return self.settings.language
        if language_of(self.front.words) == "zh":
            return "zh"
        with suppress(Exception):  # the ledger that holds the plan may be damaged
            text = text or self.study.last_goal
        return language_of(text) if text else self.settings.spoken

    def waiting(self, what: Phrase) -> AbstractContextManager[Progress]:
        """Show the user, in their language, what they wait for while a block runs."""
        return self.front.waiting(what.text(self.language()))

    def notify(self, line: Phrase) -> None:
        """Tell the user one line that they should know, in their language."""
        self.front.notify(line.text(self.language()))

    @once
    def ledger(self) -> Ledger:
        """The database that all parts share."""
        from memory_store.ledger import Ledger

        ledger = Ledger(self.settings.home / "ledger.db")
        self._closing.callback(ledger.close)
        # All tables at once: parts that are built later may be built inside a transaction.
        ledger.migrate(_migrations())
        return ledger

    @once
    def embedder(self) -> Embedder | str | None:
        """What turns texts into vectors: a loaded one, a model's name, or None for the default."""
        return self.settings.embedder

    @once
    def store(self) -> MemoryStore:
        """The owner's memory."""
        from memory_store.store import MemoryStore

        store = MemoryStore.open(
            self.settings.home,
            owner=self.settings.owner,
            embedder=self.embedder,
            clock=self.clock,
            zone=self.zone,
            count_tokens=self._count_tokens,
            validator=self._validate,
            reranker=self._reranker(),
            chroma=self.settings.chroma,
            ledger=self.ledger,
            waiting=lambda _english: self.waiting(phrase("waiting.embedding")),
        )
        self._closing.callback(store.close)
        store.on_forget(self.sessions.forget)
        store.on_forget(self.schedule.reminders.forget)
        return store

    @once
    def sessions(self) -> Sessions:
        """The conversations and their turns."""
        from assistant.sessions import Sessions

        return Sessions(self.ledger, clock=self.clock, owner=self.settings.owner)

    @once
    def tools(self) -> ToolRegistry:
        """The tools that the model may call: ours, the user's, those of installed packages."""
        from assistant.jobs.tools import reminder_tools
        from assistant.study.tools import study_tools
        from assistant.tools import ToolRegistry, calculate, clock
        from assistant.tools.loading import tools_from_file, tools_from_packages
        from assistant.tools.memory import memory_tools
        from assistant.tools.weather import weather_tools

        named = self.settings.tools
        with self.waiting(phrase("waiting.tools")):
            theirs = (
                *(tools_from_file(named) if named is not None else ()),
                *tools_from_packages(),
            )
        return ToolRegistry(
            (
                *clock.TOOLS,
                *calculate.TOOLS,
                *weather_tools(self.settings.weather_url),
                *memory_tools(self.store, self.zone),
                *reminder_tools(self.schedule.reminders),
                *study_tools(lambda: self.study),
                *theirs,
            )
        )

    @once
    def model(self) -> ListedModel:
        """The model that answers."""
        from assistant.model.choice import choose_model

        model = choose_model(
            self.settings,
            waiting=self.waiting,
            notify=self.notify,
            tell_small=self._tell_once,
        )
        self._closing.callback(model.close)
        return model

    @once
    def context(self) -> ContextManager:
        """What fits every request to the model's context."""
        from assistant.context.budget import DEFAULT_RESERVE, ContextManager, Shares
        from assistant.context.learned import ModelCounts
        from assistant.context.tokens import Counter
        from assistant.model.choice import local_context

        settings = self.settings
        encoding = settings.encoding if settings.encoding != "auto" else None
        share = settings.memory_share
        return ContextManager(
            Counter(self.model.name, encoding=encoding),
            ModelCounts(self.ledger),
            zone=self.zone,
            limit=local_context(settings) if settings.local else settings.context_limit,
            reserve=settings.reply_reserve or DEFAULT_RESERVE,
            shares=Shares() if share is None else Shares(memories=share),
        )

    @once
    def protocols(self) -> Protocols:
        """How models are asked to call tools."""
        from assistant.agent.protocols.choice import Protocols

        settings = self.settings
        return Protocols.over(
            self.store,
            self.tools,
            manager=self.context,
            choice=settings.protocol,
            small=settings.local,
        )

    @once
    def agent(self) -> Agent:
        """What answers questions."""
        from assistant.agent.loop import Agent

        return Agent(
            model=self.model,
            store=self.store,
            sessions=self.sessions,
            manager=self.context,
            tools=self.tools,
            protocols=self.protocols,
            clock=self.clock,
            zone=self.zone,
            language=self.settings.language,
            temperature=self.settings.temperature,
            marker=self.settings.completion_marker,
            confirm=self.front.confirm,
            afterwards=[self.roller.afterwards, *(each.afterwards for each in self.facts())],
        )

    def facts(self) -> list[FactExtractor]:
        """What extracts facts, if that is on. Small models get too many of them wrong."""
        from assistant.agent.facts import FactExtractor

        wanted, local = self.settings.facts, self.settings.local
        on = wanted == "on" or (wanted == "auto" and not local)
        return [FactExtractor(self.model, self.store)] if on else []

    @once
    def roller(self) -> Roller:
        """What writes the sessions' summaries."""
        from assistant.context.rolling import Roller

        return Roller(self.context, self.sessions, self.store, self.model, self.settings.language)

    @once
    def backups(self) -> Backups:
        """The backups of the ledger. They can be restored also where the ledger is damaged."""
        from assistant.jobs.backup import Backups

        return Backups(self.settings.home, clock=self.clock, bury=self._bury)

    @once
    def schedule(self) -> Schedule:
        """What happens on schedule: jobs and reminders."""
        from assistant.jobs.notifiers import notifiers_of
        from assistant.jobs.schedule import Schedule

        settings = self.settings
        return Schedule(
            self.ledger,
            settings.home,
            clock=self.clock,
            zone=self.zone,
            notifiers=notifiers_of(
                desktop=settings.notify_desktop,
                command=settings.notify_command,
                webhook=settings.notify_webhook,
            ),
            backups=self.backups,
            study=lambda: self.study,
            study_at=settings.study_at,
            language=settings.language,
            told_in=self.language,
            upkeep=self._upkeep(),
            owner=settings.owner,
        )

    def _upkeep(self) -> dict[str, Callable[[], Phrase]]:
        """The upkeep's parts, by their names' keys. Each opens what it needs anew: a scheduler that
        runs for weeks must not hold index and embedder, nor share them with other threads."""
        from assistant.agent.fact_queue import FactQueue
        from assistant.jobs.upkeep import index_pending, read_facts, redo_summaries, refresh_results

        def apart(task: Callable[[App], Phrase]) -> Callable[[], Phrase]:
            def run() -> Phrase:
                with App.open(self.settings, clock=self.clock, front=self.front) as app:
                    return task(app)

            return run

        return {
            "jobs.index": apart(lambda app: index_pending(app.store)),
            "jobs.summaries": apart(lambda app: redo_summaries(app.sessions, lambda: app.roller)),
            "jobs.facts": apart(lambda app: read_facts(FactQueue(app.store).waiting, app.facts)),
            "jobs.results": apart(
                lambda app: refresh_results(
                    app.store, lambda: app.tools, app.clock().astimezone(app.zone)
                )
            ),
        }

    def _bury(self, home: Path, tombstones: Collection[bytes]) -> int:
        """Forget in a copy of the ledger, for every owner, with all that hangs on the memories."""
        from memory_store.ledger import Ledger
        from memory_store.tombstones import owners

        copy = Ledger(home / "ledger.db")
        try:
            everyone = {self.settings.owner, *owners(copy)}
        finally:
            copy.close()
        forgotten = 0
        for owner in sorted(everyone):
            there = self.settings.model_copy(update={"home": home, "owner": owner})
            with App.open(there, clock=self.clock) as app:
                forgotten += app.store.bury(tombstones)
        return forgotten

    def _reranker(self) -> Reranker | None:
        if self.settings.reranker is None:
            return None
        from memory_store.rerank import CrossEncoderReranker

        return CrossEncoderReranker(self.settings.reranker)

    def _count_tokens(self, text: str) -> int:
        return self.context.counter.count(text)

    def _validate(self, chunk: Chunk) -> str | None:
        return self.tools.validator(chunk)

    def _memory_to_join(self) -> MemoryStore:
        """The memory, its token counter ready, so that it opens no table in a transaction."""
        self._count_tokens("")
        return self.store

    def _tell_once(self, line: Phrase) -> None:
        """Tell the user that the packaged model is small, once in the life of a home."""
        told = self.settings.home / "small-model-told"
        if not told.exists():
            self.notify(line)
            told.touch()

    @once
    def study(self) -> Study:
        """The study companion."""
        from assistant.study.companion import Study

        return Study(
            self.ledger,
            owner=self.settings.owner,
            clock=self.clock,
            zone=self.zone,
            memory=self._memory_to_join,
            embedder=lambda: self.store.embedder,
            language=self.settings.language,
            folder=self.settings.home / "plans",
        )

    def close(self) -> None:
        """Close every part that was built, the last one first."""
        self._closing.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


def _migrations() -> tuple[Migration, ...]:
    """Return what every part keeps in the ledger."""
    from assistant import session_rows
    from assistant.context import learned
    from assistant.jobs import rows
    from assistant.model import capabilities
    from assistant.study import catalogue, plan_store, study_log
    from memory_store import lexical, tables

    return (
        *tables.MIGRATIONS,
        *lexical.MIGRATIONS,
        *session_rows.MIGRATIONS,
        *learned.MIGRATIONS,
        *capabilities.MIGRATIONS,
        *catalogue.MIGRATIONS,
        *plan_store.MIGRATIONS,
        *study_log.MIGRATIONS,
        *rows.MIGRATIONS,
    )
