"""A chat: what the user types is a question or a slash command; Ctrl-C stops only the answer."""

from __future__ import annotations

import sys
from collections.abc import Callable, Generator, Iterator, Mapping
from dataclasses import dataclass, replace
from difflib import get_close_matches
from threading import Thread
from typing import cast

from assistant.app import App
from assistant.cli.answering import Screen, drain
from assistant.cli.controls import without_controls
from assistant.cli.problems import explain
from assistant.context.wording import Language
from assistant.events import Event
from assistant.phrases import phrase, say
from assistant.sessions import Session


class Quit(Exception):
    """The user wants to leave."""


@dataclass(frozen=True, slots=True)
class Command:
    """A slash command: the message that helps, and what it does with the words after it."""

    help: str
    do: Callable[[str], None]


class Conversation:
    """One chat. Its session is made with the first question, so that none stays empty."""

    def __init__(self, app: App, session: Session | None, name: str | None = None) -> None:
        self._app = app
        self._session = session
        self._name = name
        self._after: Thread | None = None
        self._typed = app.sessions.last_question(session) if session else ""
        self.commands: Mapping[str, Command] = {
            "/help": Command("chat.help", self._help),
            "/context": Command("chat.context", self._context),
            "/memory": Command("chat.memory", self._memory),
            "/new": Command("chat.new", self._new),
            "/sessions": Command("chat.sessions", self._sessions),
            "/quit": Command("chat.quit", self._quit),
        }

    def hold(self, lines: Iterator[str]) -> None:
        """Answer every line until the lines end or the user leaves."""
        try:
            self._show_due()
            for line in lines:
                self._take(without_controls(line).strip())
                self._show_due()
        except Quit:
            pass
        finally:
            self._settle()

    @property
    def language(self) -> Language:
        """The language of what was typed last; before that, the user's."""
        return self._app.language(self._typed)

    @property
    def questions(self) -> Iterator[str]:
        """What was asked before, in any session, the newest first."""
        for session in self._app.sessions.list():
            for turn in reversed(self._app.sessions.turns(session)):
                yield turn.question

    def _show_due(self) -> None:
        from assistant.cli.due import show_due

        show_due(self._app, self._say)

    def _take(self, line: str) -> None:
        """Do what one line asks for; whatever goes wrong, the chat goes on."""
        try:
            self._typed = line.partition(" ")[2] or self._typed if line[:1] == "/" else line
            self._app.front = replace(self._app.front, words=self._typed)
            if line.startswith("/"):
                self._obey(line)
            else:
                self._ask(line)
        except Quit:
            raise
        except KeyboardInterrupt:
            self._say(self._words("chat.stopped"))
        except Exception as error:
            self._say(explain(error, self.language).line)

    def _ask(self, question: str) -> None:
        self._settle()
        # A run is a generator: closing it ends the run where it stands.
        events = cast("Generator[Event]", self._app.agent.run(self._here(), question))
        try:
            for _ in Screen(self._app.front.waiting, self.language).follow(events):
                pass
        except KeyboardInterrupt:
            events.close()
            raise
        self._after = Thread(target=drain, args=(events,), name="after-answer")
        self._after.start()

    def _here(self) -> Session:
        if self._session is None:
            self._session = self._app.sessions.open(self._name)
        return self._session

    def _settle(self) -> None:
        """Wait for the last run's work after its answer; it goes on while the user types."""
        after, self._after = self._after, None
        if after is not None:
            with self._app.waiting(phrase("waiting.tidying")):
                after.join()

    def _obey(self, line: str) -> None:
        name, _, words = line.partition(" ")
        command = self.commands.get(name)
        if command is not None:
            command.do(words.strip())
            return
        near = get_close_matches(name, self.commands, n=1)
        key = "chat.meant" if near else "chat.no_command"
        self._say(self._words(key, name=name, near="".join(near)))

    def _help(self, _words: str) -> None:
        for name, command in self.commands.items():
            print(f"{name:<10} {self._words(command.help)}")
        print(self._words("chat.keys"))

    def _context(self, _words: str) -> None:
        from assistant.cli.context_view import show_context

        session = self._session or self._app.sessions.unmade(self._name)
        show_context(self._app, session, language=self.language)

    def _memory(self, words: str) -> None:
        from assistant.cli.views import print_chunks, print_recall

        store = self._app.store
        if words:
            with self._app.waiting(phrase("waiting.searching")):
                found = store.recall(words, limit=10)
            print_recall(found, self._app.zone, self.language, every=False)
            return
        chunks = store.chunks(limit=10)
        judged = store.judge([chunk.id for chunk in chunks])
        rows = [(chunk, judged[chunk.id], chunk.text) for chunk in chunks]
        print_chunks(rows, store.now, self._app.zone, self.language)

    def _new(self, name: str) -> None:
        self._session = self._app.sessions.open(name) if name else None
        self._name = None
        self._say(self._words("chat.here" if name else "chat.here_new", name=name))

    def _sessions(self, _words: str) -> None:
        for session in self._app.sessions.list():
            here = "*" if self._session and session.id == self._session.id else " "
            used = session.used_at.astimezone(self._app.zone)
            at = f"{used:%Y-%m-%d %H:%M}"
            told = self._words("chat.session", name=session.label, turns=session.turns, at=at)
            print(f"{here} {told}")

    def _quit(self, _words: str) -> None:
        raise Quit

    def _words(self, key: str, **values: object) -> str:
        return say(key, self.language, **values)

    def _say(self, text: str) -> None:
        print(text, file=sys.stderr, flush=True)
