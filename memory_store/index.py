"""The vector index in Chroma, on disk or on a server: the only module that imports chromadb.

An index belongs to one identity (ledger, embedder and generation); each owner has a collection of
its own in it, so that no query can reach another owner's passages.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import struct
import sys
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from itertools import groupby
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, urlsplit

from memory_store.errors import IndexUnavailable, InvalidInput, StorageFull
from memory_store.protocols import VectorEntry

if TYPE_CHECKING:
    from chromadb.api import ClientAPI
    from chromadb.api.models.Collection import Collection

SETTINGS = {"space": "cosine", "ef_construction": 100, "ef_search": 200, "max_neighbors": 24}
"""HNSW (Malkov and Yashunin, 2016), set so that it misses 3 in 1,000 of the exact 150 nearest."""

BATCH = 500

SLOW_AND_UNUSED = "rfc3987_syntax"
"""Where jupyter is installed, chromadb imports jsonschema, and that this, which builds a parser of
international addresses for 2 s. Neither chromadb nor we have any to check."""


class ChromaIndex:
    """Passage vectors of one identity, in a folder or on a server. Opened at its first use."""

    def __init__(self, location: Path | str, ledger: str, identity: str) -> None:
        """Name the index.

        Args:
            location: a folder, or `http://host:port?tenant=T&database=D`.
            ledger: the ledger that it is an index of; several may share one server.
            identity: what it was built for (embedder, generation); two never mix.

        Raises:
            IndexUnavailable: by every method, when the folder is damaged or the server is away.
        """
        self._family = f"memory-{ledger}-"
        self._name = f"{self._family}{_short(identity)}"
        self._shelf = location
        self._location = location / self._name if isinstance(location, Path) else location
        self._client: ClientAPI | None = None
        self._collections: dict[str, Collection] = {}

    def upsert(self, entries: Sequence[VectorEntry]) -> None:
        """Add or replace passages."""

        def owner(entry: VectorEntry) -> str:
            return entry.owner

        for name, group in groupby(sorted(entries, key=owner), key=owner):
            batch = list(group)
            for start in range(0, len(batch), BATCH):
                self._upsert(name, batch[start : start + BATCH])
        if isinstance(self._location, Path):
            _blank_unused(self._location)

    def _upsert(self, owner: str, entries: Sequence[VectorEntry]) -> None:
        with _index_errors(self._location):
            self._collection(owner, create=True).upsert(  # pyright: ignore
                ids=[entry.id for entry in entries],
                embeddings=[entry.vector for entry in entries],
                documents=[entry.text for entry in entries],
                metadatas=[
                    {
                        "owner": entry.owner,
                        "chunk": entry.chunk_id,
                        "session": entry.session,
                        "kind": entry.kind,
                        "created_at": entry.created_at,
                    }
                    for entry in entries
                ],
            )

    def load(self) -> None:
        """Read the whole index into memory, so that later queries need no file of it."""
        with _index_errors(self._location):
            for collection in self._all():
                probe: Any = collection.peek(1)["embeddings"]
                if len(probe):
                    collection.query(query_embeddings=probe, n_results=1)  # pyright: ignore

    def query(
        self, owner: str, vector: Sequence[float], limit: int, *, kinds: Sequence[str] = ()
    ) -> list[tuple[str, float]]:
        """Return (passage id, cosine similarity), best first, of that owner only."""
        with _index_errors(self._location):
            collection = self._collection(owner)
            if collection is None:
                return []
            found: Any = collection.query(  # pyright: ignore
                query_embeddings=[vector],
                n_results=limit,
                where={"kind": {"$in": list(kinds)}} if kinds else None,
                include=["distances"],
            )
        pairs = zip(found["ids"][0], found["distances"][0], strict=True)
        return [(str(name), 1.0 - float(distance)) for name, distance in pairs]

    def delete(self, ids: Sequence[str]) -> None:
        """Remove passages; unknown ids are passed over."""
        with _index_errors(self._location):
            for collection in self._all():
                for start in range(0, len(ids), BATCH):
                    collection.delete(ids=list(ids[start : start + BATCH]))

    def ids(self) -> set[str]:
        """Return the id of every passage that is indexed."""
        with _index_errors(self._location):
            return {name for each in self._all() for name in each.get(include=[])["ids"]}

    def count(self) -> int:
        """Return how many passages are indexed."""
        with _index_errors(self._location):
            return sum(collection.count() for collection in self._all())

    def reset(self) -> None:
        """Remove everything of this identity, so that the index can be rebuilt."""
        with _index_errors(self._location):
            for collection in self._all():
                self._open().delete_collection(collection.name)
            self._collections.clear()

    def prune(self) -> None:
        """Remove what the same ledger's earlier identities left, files included."""
        with _index_errors(self._location):
            if isinstance(self._shelf, Path):
                for folder in self._shelf.glob(f"{self._family}*"):
                    if folder != self._location:
                        shutil.rmtree(folder)
                return
            for each in self._open().list_collections():
                if each.name.startswith(self._family) and not each.name.startswith(self._name):
                    self._open().delete_collection(each.name)

    def close(self) -> None:
        """Release the folder or the connection."""
        self._collections.clear()
        if self._client is not None:
            self._client.close()  # pyright: ignore
            self._client = None

    def _open(self) -> ClientAPI:
        if self._client is None:
            self._client = _client(self._location)
        return self._client

    def _collection(self, owner: str, *, create: bool = False) -> Any:
        if owner not in self._collections:
            name = f"{self._name}-{_short(owner)}"
            if create:
                self._collections[owner] = self._open().get_or_create_collection(
                    name,
                    configuration={"hnsw": SETTINGS},  # pyright: ignore
                    embedding_function=None,
                )
            elif name in {each.name for each in self._open().list_collections()}:
                self._collections[owner] = self._open().get_collection(
                    name, embedding_function=None
                )
        return self._collections.get(owner)

    def _all(self) -> list[Collection]:
        return [
            self._open().get_collection(each.name, embedding_function=None)
            for each in self._open().list_collections()
            if each.name.startswith(f"{self._name}-")
        ]


def _client(location: Path | str) -> ClientAPI:
    chromadb = import_chromadb()
    from chromadb.config import Settings

    quiet = Settings(anonymized_telemetry=False)
    if isinstance(location, Path):
        location.mkdir(parents=True, exist_ok=True)
        return chromadb.PersistentClient(path=str(location), settings=quiet)
    address = urlsplit(location)
    if address.scheme not in {"http", "https"} or not address.hostname:
        raise InvalidInput(f"Chroma server {location!r} is not an address; give http://host:port.")
    place = {name: values[-1] for name, values in parse_qs(address.query).items()}
    return chromadb.HttpClient(
        host=address.hostname,
        port=address.port or (443 if address.scheme == "https" else 8000),
        ssl=address.scheme == "https",
        tenant=place.get("tenant", "default_tenant"),
        database=place.get("database", "default_database"),
        settings=quiet,
    )


def import_chromadb() -> ModuleType:
    """Import chromadb without what is slow and unused, unless that is here already."""
    here = SLOW_AND_UNUSED in sys.modules
    sys.modules.setdefault(SLOW_AND_UNUSED, None)  # pyright: ignore  as if it were not installed
    try:
        import chromadb
    finally:
        if not here:
            sys.modules.pop(SLOW_AND_UNUSED, None)
    return chromadb


def _blank_unused(folder: Path) -> None:
    """Fill with zeros what hnswlib wrote of slots that hold no vector yet.

    It allocates them without clearing them, so a new index would put on disk whatever text the
    process had in that memory before. Its header says how many slots are used, and their bytes.
    """
    for header in folder.glob("*/header.bin"):
        _version, _offset, _slots, used, size = struct.unpack("<i4Q", header.read_bytes()[:36])
        for name, each in (("data_level0.bin", size), ("length.bin", 4)):
            path = header.with_name(name)
            length = path.stat().st_size
            if length > used * each:
                os.truncate(path, used * each)
                os.truncate(path, length)


def _short(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:12]


@contextmanager
def _index_errors(location: Path | str) -> Generator[None]:
    try:
        yield
    except (InvalidInput, IndexUnavailable):
        raise
    except Exception as error:  # chromadb raises its own, httpx's and Rust's errors
        text = str(error)
        if "disk is full" in text or "No space left" in text or "readonly" in text:
            raise StorageFull(
                f"The vector index at {location} cannot be written: {text}"
            ) from error
        raise IndexUnavailable(f"The vector index at {location} failed: {text}") from error
