"""The memory's face: remember, recall, judge, list, forget, for one owner over one ledger."""

from __future__ import annotations

import logging
from collections.abc import Collection, Iterable
from dataclasses import replace
from datetime import UTC, datetime, tzinfo
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from sqlalchemy import Connection

from memory_store import judging, lexical, records, tables, transfer
from memory_store.checking import check_listing, checked, several
from memory_store.chunk import Chunk, Draft, Interval, to_utc
from memory_store.defaults import estimate_tokens, utc_now
from memory_store.dense import Dense
from memory_store.echo import Echoes, said_again
from memory_store.embedding import load_embedder
from memory_store.erasure import erase
from memory_store.errors import MemoryStoreError, NotFound
from memory_store.forget import Forgotten, OnForget, Selection, forget
from memory_store.freshness import Judgement
from memory_store.history import Period, timeline
from memory_store.home import make_private
from memory_store.ledger import Ledger
from memory_store.once import once
from memory_store.pending import PendingVectors
from memory_store.protocols import Clock, Embedder, Progress, Reranker, TokenCounter, Validator
from memory_store.shared_index import SharedIndex
from memory_store.stats import Stats, read_stats
from memory_store.tombstones import bury
from memory_store.transfer import Transferred
from memory_store.verify import Verification, verify
from memory_store.waiting import Waiting, silent
from memory_store.writing import Writer

if TYPE_CHECKING:
    from memory_store.hits import Recall
    from memory_store.recall import Recaller

LEDGER_FILE = "ledger.db"
INDEX_FOLDER = "chroma"

EAGER = 100
"""So many vectors outside the index are taken into it at once; fewer wait for the close."""

AT_ONCE = 2000
"""About so many vectors one call takes into the index, so that none waits for all of a new one."""

_log = logging.getLogger(__name__)


class MemoryStore:
    """One owner's memory in one home folder. Opening it is light; use it as a context manager."""

    def __init__(
        self,
        home: Path,
        ledger: Ledger,
        *,
        owner: str,
        embedder: Embedder,
        clock: Clock,
        zone: tzinfo,
        count_tokens: TokenCounter,
        validator: Validator | None,
        reranker: Reranker | None,
        chroma: str | None,
        waiting: Waiting,
    ) -> None:
        self.home = home
        self.ledger = ledger
        self.owner = owner
        self.zone = zone
        self.embedder = embedder
        self.reranker = reranker
        self._clock = clock
        self._count_tokens = count_tokens
        self._validator = validator
        self._own_ledger = False
        self._used = False
        self._echoes = Echoes(owner)
        self._on_forget: list[OnForget] = []
        self._pending = PendingVectors(ledger, embedder, waiting)
        self._index = SharedIndex(ledger, home, chroma or home / INDEX_FOLDER)
        self.dense = Dense(ledger, owner, embedder.fingerprint, self._index)

    @classmethod
    def open(
        cls,
        home: Path | str,
        *,
        owner: str = "me",
        embedder: Embedder | str | None = None,
        clock: Clock = utc_now,
        zone: tzinfo = UTC,
        count_tokens: TokenCounter = estimate_tokens,
        validator: Validator | None = None,
        reranker: Reranker | None = None,
        chroma: str | None = None,
        ledger: Ledger | None = None,
        waiting: Waiting = silent,
    ) -> MemoryStore:
        """Open the memory in the folder `home`, which is created.

        Args:
            owner: whose memory it is; another owner's chunks are never seen.
            embedder: an embedder, a sentence-transformers model's name or path, or None for the
                default.
            zone: the user's time zone, for the times in questions.
            validator: tells a source's version now, for chunks past their max_age.
            chroma: the address of a Chroma server, `http://host:port?tenant=T&database=D`;
                None keeps the index in `home/chroma`.
            ledger: an open ledger to share; the store then leaves closing it to its owner.
            waiting: tells the user of long work, such as embedding all anew by another embedder.

        Raises:
            LedgerDamaged: the ledger is not readable as one; it is left as it is.
            StorageFull: the folder cannot be written.
        """
        home = Path(home)
        make_private(home)
        shared = ledger
        ledger = shared or Ledger(home / LEDGER_FILE)
        ledger.migrate((*tables.MIGRATIONS, *lexical.MIGRATIONS))
        if embedder is None or isinstance(embedder, str):
            embedder = load_embedder(embedder)
        store = cls(
            home,
            ledger,
            owner=owner,
            embedder=embedder,
            clock=clock,
            zone=zone,
            count_tokens=count_tokens,
            validator=validator,
            reranker=reranker,
            chroma=chroma,
            waiting=waiting,
        )
        store._own_ledger = shared is None
        return store

    @property
    def now(self) -> datetime:
        """The store's time, UTC."""
        return to_utc(self._clock(), "the clock's time")

    def remember(
        self, drafts: Iterable[Draft], *, joined: Connection | None = None
    ) -> tuple[Chunk, ...]:
        """Store drafts, durably when it returns, and return their chunks in the same order.

        Of what is said again word for word, or was brought by recall, the chunk that exists is
        returned. What was made from something forgotten is not stored, as it would have been
        forgotten with it; its chunk has no copies. Vectors follow after the text is safe.

        Args:
            joined: a ledger transaction of the caller's to be part of; the chunks are then
                durable when that commits.

        Raises:
            InvalidInput: a draft is not storable; none of them is stored.
            StorageFull: no space is left; none of them is stored.
        """
        drafts = checked(drafts)
        sizes = [self._count_tokens(draft.text) for draft in drafts]
        with self.ledger.write(joined) as connection:
            drafts = [said_again(connection, self.owner, draft) for draft in drafts]
            chunks = self._echoes.sources(connection, drafts)
            news = [place for place, chunk in enumerate(chunks) if chunk is None]
            writer = Writer(connection, self.owner, self.now, self.embedder.window)
            written = iter(writer.write([drafts[n] for n in news], [sizes[n] for n in news]))
        self._used = True
        if joined is None and drafts:
            self._follow_up(max(AT_ONCE, 2 * len(drafts)))
        return tuple(chunk or next(written) for chunk in chunks)

    def _follow_up(self, most: int = AT_ONCE, eager: int = EAGER) -> None:
        self._used = True
        try:
            erase(self.ledger, self._index)
            self._pending.embed()
            self._index.catch_up(eager=eager, most=most)
        except MemoryStoreError as error:  # the chunks are safe; what waits is done later
            _log.warning("vectors wait: %s", error)

    def recall(
        self,
        query: str,
        *,
        budget: int = 2000,
        context: str = "",
        exclude: Collection[str] = (),
        stale: Literal["mark", "drop"] = "mark",
        limit: int | None = None,
    ) -> Recall:
        """Find what helps to answer `query`, within `budget` tokens, judged for freshness.

        Args:
            context: what was said just before, by which "and how old is she?" is understood.
            exclude: ids of chunks that the prompt holds already.
            stale: whether stale chunks come marked, or are dropped.
            limit: the most hits.

        Raises:
            InvalidInput: an empty query or a negative budget.
        """
        self._follow_up()
        found = self._recaller.recall(
            query, budget=budget, context=context, exclude=exclude, stale=stale, limit=limit
        )
        self._echoes.recalled(hit.chunk for hit in found.hits)
        return found

    @once
    def _recaller(self) -> Recaller:
        from memory_store.recall import Recaller

        return Recaller(
            self.ledger,
            self.owner,
            embedder=self.embedder,
            dense=self.dense.search,
            validator=self._validator,
            now=lambda: self.now,
            zone=self.zone,
            count_tokens=self._count_tokens,
            reranker=self.reranker,
        )

    def judge(self, ids: Collection[str]) -> dict[str, Judgement]:
        """Judge chunks for now; unknown ids are left out.

        Validators of expired chunks are asked; an unchanged source restarts its chunk's clock.
        """
        wanted = several("ids", ids)
        return judging.judge_all(self.ledger, self.owner, wanted, self.now, self._validator)

    def get(self, chunk_id: str) -> Chunk:
        """Return one chunk.

        Raises:
            NotFound: the owner has no chunk of that id.
        """
        with self.ledger.read() as connection:
            found = records.by_id(connection, self.owner, [chunk_id])
        if chunk_id not in found:
            raise NotFound(f"No chunk {chunk_id!r}; 'assistant memory list' shows what there is.")
        return found[chunk_id]

    def chunks(
        self,
        *,
        kind: str | None = None,
        session: str | None = None,
        turn: str | None = None,
        subject: str | None = None,
        within: Interval | None = None,
        limit: int | None = None,
    ) -> list[Chunk]:
        """List the chunks that fit every condition, oldest first; `limit` keeps the newest.

        Raises:
            InvalidInput: an unknown kind, or a negative limit.
        """
        check_listing(kind, limit)
        with self.ledger.read() as connection:
            return records.listing(
                connection,
                self.owner,
                kind=kind,
                session=session,
                turn=turn,
                subject=subject,
                within=within,
                limit=limit,
            )

    def on_forget(self, callback: OnForget) -> None:
        """Have `callback` remove what else is kept of forgotten chunks, in one transaction."""
        self._on_forget.append(callback)

    def forget(
        self,
        *,
        ids: Collection[str] = (),
        subject: str | None = None,
        session: str | None = None,
        query: str | None = None,
        within: Interval | None = None,
        dry_run: bool = False,
    ) -> Forgotten:
        """Forget the chunks that fit every condition given, and all that was made from them.

        Args:
            session, within: name what was said there and then; said elsewhere too, it stays there.
            query: words that a text, or its call, must hold whole, in any case, form and order.
            dry_run: only say what would be forgotten.

        Raises:
            InvalidInput: no condition is given, or one is empty.
        """
        selection = Selection(several("ids", ids), subject, session, query, within)
        done = forget(
            self.ledger, self.owner, selection, self.now, self._on_forget, dry_run=dry_run
        )
        if dry_run:
            return done
        erased = erase(self.ledger, self._index, at_once=True)
        self._follow_up()
        return replace(done, erased=erased)

    def bury(self, digests: Collection[bytes]) -> int:
        """Forget, in a copy of the ledger, what these tombstones name; see `tombstones.bury`."""
        return bury(self.ledger, self.owner, digests, self.now, self._on_forget)

    def stats(self) -> Stats:
        """Count what is stored. Asks no validator, and loads neither embedder nor index."""
        return read_stats(
            self.ledger, self.owner, self.now, self.home / INDEX_FOLDER, self._index.holder
        )

    def history(self, subject: str) -> tuple[Period, ...]:
        """The timeline of a subject, oldest first: what was so, from when until when.

        Raises:
            NotFound: nothing is stored under that subject.
        """
        chunks = self.chunks(subject=subject)
        if not chunks:
            raise NotFound(f"Nothing is stored under the subject {subject!r}.")
        return timeline(chunks, self.judge([chunk.id for chunk in chunks]), self.now)

    def export(self, path: Path | str) -> Transferred:
        """Write every chunk to a JSONL file, from which `import_` makes the same again.

        Raises:
            StorageFull: the file cannot be written.
        """
        with self.ledger.read() as connection:
            return transfer.export(connection, self.owner, Path(path), self.now)

    def import_(self, path: Path | str) -> Transferred:
        """Take in a file that `export` wrote: all of it or nothing, nothing twice.

        What was forgotten here stays forgotten.

        Raises:
            NotFound: there is no such file.
            ImportRefused: the file is broken; the message names the line.
        """
        path = Path(path)
        entries = transfer.read(path, self.owner)
        with self.ledger.write() as connection:
            writer = Writer(connection, self.owner, self.now, self.embedder.window)
            done = transfer.take_in(writer, entries, path)
        self._follow_up(max(AT_ONCE, 2 * len(entries)))
        return done

    def verify(self) -> Verification:
        """Check that the ledger, its words, its vectors and the index hold the same."""
        return verify(self.ledger, self.owner, self._index, self.now)

    def catch_up(self, progress: Progress | None = None) -> None:
        """Embed and index what waits for it, and erase what does."""
        erase(self.ledger, self._index)
        self._pending.embed(progress)
        self._index.catch_up(progress=progress)

    def reindex(self, progress: Progress | None = None) -> int:
        """Build the index anew from the ledger; returns how many passages it holds.

        Only what has no vector in the ledger is embedded; an interrupted run goes on where it was.

        Raises:
            IndexUnavailable: another process writes the index, or it cannot be written.
        """
        self._pending.embed(progress)
        return self._index.renew(progress)

    def close(self) -> None:
        """Index and erase what waits, a killed process's too; release every file and lock."""
        try:
            erase(self.ledger, self._index)
            if self._used:
                self._follow_up(eager=1)
        finally:
            self._index.close()
            if self._own_ledger:
                self.ledger.close()

    def __enter__(self) -> MemoryStore:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
