"""One contract for the vector index, over a folder and over a `chroma run` server."""

from __future__ import annotations

import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import httpx
import numpy as np
import pytest

from memory_store import Draft, MemoryStore
from memory_store.errors import IndexUnavailable, InvalidInput
from memory_store.index import ChromaIndex
from memory_store.protocols import VectorEntry, VectorIndex
from memory_store.testing import TinyEmbedder

Open = Callable[..., ChromaIndex]


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a real Chroma server on loopback."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    chroma = Path(sys.executable).with_name("chroma")
    folder = tmp_path_factory.mktemp("server")
    command = [chroma, "run", "--path", folder, "--port", str(port), "--host", "127.0.0.1"]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        address = f"http://127.0.0.1:{port}"
        try:
            for _ in range(150):
                try:
                    httpx.get(f"{address}/api/v2/heartbeat").raise_for_status()
                    break
                except httpx.HTTPError:
                    time.sleep(0.2)
            yield address
        finally:
            process.terminate()


@pytest.fixture(params=["folder", "server"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Path | str:
    return tmp_path / "chroma" if request.param == "folder" else request.getfixturevalue("server")


@pytest.fixture
def opened(place: Path | str, request: pytest.FixtureRequest) -> Iterator[Open]:
    """Opens indexes of a ledger of this test's own, and closes them."""
    ledger = f"{abs(hash(request.node.name)):x}"[:12]
    indexes: list[ChromaIndex] = []

    def open_(identity: str = "one", ledger: str = ledger) -> ChromaIndex:
        indexes.append(ChromaIndex(place, ledger, identity))
        return indexes[-1]

    yield open_
    for index in indexes:
        index.close()


def entry(number: int, owner: str = "me", kind: str = "note", dimensions: int = 8) -> VectorEntry:
    vector = np.random.default_rng(number).normal(size=dimensions).astype(np.float32)
    vector /= np.linalg.norm(vector)
    return VectorEntry(
        f"c{number}#1", f"c{number}", owner, "s", kind, 1.0, f"text {number}", vector.tolist()
    )


def test_it_keeps_to_the_protocol(opened: Open):
    """The class has what the protocol names."""
    index: VectorIndex = opened()
    assert index.count() == 0
    assert index.ids() == set()
    assert index.query("me", entry(1).vector, 5) == []


def test_the_nearest_come_first_with_their_cosine(opened: Open):
    """A passage's own vector finds it first with similarity 1; the rest is in exact order."""
    index = opened()
    entries = [entry(n) for n in range(300)]
    index.upsert(entries)
    matrix = np.array([each.vector for each in entries])
    for n in (0, 7, 299):
        found = index.query("me", entries[n].vector, 10)
        exact = matrix @ matrix[n]
        order = np.argsort(-exact)[:10]
        assert [name for name, _ in found] == [entries[i].id for i in order]
        assert np.allclose([score for _, score in found], exact[order], atol=1e-5)


def test_an_owner_never_sees_another(opened: Open):
    """A query returns its owner's passages only, however near another's are."""
    index = opened()
    index.upsert([entry(1, "ann"), entry(2, "bob"), entry(3, "ann")])
    assert {name for name, _ in index.query("ann", entry(2).vector, 10)} == {"c1#1", "c3#1"}
    assert [name for name, _ in index.query("bob", entry(1).vector, 10)] == ["c2#1"]
    assert index.query("eve", entry(1).vector, 10) == []


def test_kinds_narrow_a_query(opened: Open):
    """Only passages of the kinds asked for are returned."""
    index = opened()
    index.upsert([entry(1, kind="note"), entry(2, kind="answer"), entry(3, kind="fact")])
    found = index.query("me", entry(1).vector, 10, kinds=["answer", "fact"])
    assert {name for name, _ in found} == {"c2#1", "c3#1"}


def test_upserting_again_replaces(opened: Open):
    """The same id twice is one passage, with the later vector."""
    index = opened()
    index.upsert([entry(1)])
    moved = entry(2)
    index.upsert([VectorEntry("c1#1", "c1", "me", "s", "note", 1.0, "moved", moved.vector)])
    assert index.count() == 1
    assert index.query("me", moved.vector, 1)[0][1] == pytest.approx(1.0, abs=1e-5)


def test_delete_and_reset_remove(opened: Open):
    """Deleted passages are not found; unknown ids are passed over; a reset index is empty."""
    index = opened()
    index.upsert([entry(n) for n in range(5)])
    index.delete(["c1#1", "c3#1", "nothing#1"])
    assert index.ids() == {"c0#1", "c2#1", "c4#1"}
    index.reset()
    assert (index.count(), index.ids()) == (0, set())
    index.upsert([entry(9)])
    assert index.ids() == {"c9#1"}


def test_it_is_there_after_reopening(opened: Open):
    """What was written is found by the next one who opens it."""
    index = opened()
    index.upsert([entry(n) for n in range(50)])
    index.close()
    again = opened()
    again.load()
    assert again.count() == 50
    assert again.query("me", entry(7).vector, 1)[0][0] == "c7#1"


def test_identities_and_ledgers_never_mix(opened: Open):
    """Another embedder's or ledger's index is another one; pruning keeps only its own."""
    index = opened("one")
    index.upsert([entry(1)])
    other = opened("two")
    other.upsert([entry(2, dimensions=4)])
    stranger = opened("one", ledger="feedbeef0000")
    stranger.upsert([entry(3)])
    assert (index.ids(), other.ids(), stranger.ids()) == ({"c1#1"}, {"c2#1"}, {"c3#1"})
    index.close()
    other.prune()
    assert opened("one").ids() == set()
    assert other.ids() == {"c2#1"}
    assert stranger.ids() == {"c3#1"}
    stranger.reset()


def test_a_store_works_over_it(place: Path | str, tmp_path: Path):
    """A memory stores, finds, forgets and reindexes over either."""
    chroma = None if isinstance(place, Path) else place
    home = tmp_path / "home"
    with MemoryStore.open(home, embedder=TinyEmbedder(), chroma=chroma) as store:
        chunks = store.remember([Draft("note", f"thing {n} is kept") for n in range(120)])
        assert store.stats().pending == 0
        assert store.forget(ids=[chunks[5].id]).erased
        assert store.verify().ok
    with MemoryStore.open(home, embedder=TinyEmbedder(), chroma=chroma) as store:
        assert store.reindex() == 119
        assert store.verify().ok
        assert store.verify().indexed == 119
        assert store.recall("thing 7 is kept").hits[0].chunk.id == chunks[7].id


def test_a_server_is_asked_for_the_tenant_and_database_that_are_named(server: str, tmp_path: Path):
    """The address's own ones are used, and the default ones hold nothing of it."""
    admin = f"{server}/api/v2/tenants"
    httpx.post(admin, json={"name": "firm"}).raise_for_status()
    httpx.post(f"{admin}/firm/databases", json={"name": "notes"}).raise_for_status()
    place = f"{server}?tenant=firm&database=notes"
    with MemoryStore.open(tmp_path / "home", embedder=TinyEmbedder(), chroma=place) as store:
        store.remember([Draft("note", f"thing {n} is kept") for n in range(120)])
        assert store.stats().pending == 0
    collections = f"{admin}/firm/databases/notes/collections_count"
    assert httpx.get(collections).raise_for_status().json() == 1


def test_a_folder_that_is_no_index_is_unavailable(tmp_path: Path):
    """A damaged folder is named as unavailable, never a traceback of another library."""
    index = ChromaIndex(tmp_path, "a", "one")
    index.upsert([entry(1)])
    index.close()
    for path in tmp_path.rglob("*"):
        if path.is_file():
            path.write_bytes(b"damage" * 1000)
    with pytest.raises(IndexUnavailable, match="failed"):
        ChromaIndex(tmp_path, "a", "one").count()
    shutil.rmtree(tmp_path)


@pytest.mark.parametrize("address", ["localhost:8000", "ftp://x", "http://"])
def test_an_address_that_is_none_is_named(address: str):
    """A server setting that is no address says what one looks like."""
    with pytest.raises(InvalidInput, match="http://host:port"):
        ChromaIndex(address, "a", "one").count()


def test_a_server_that_is_away_is_unavailable():
    """A server that does not answer is named with its address."""
    with pytest.raises(IndexUnavailable, match=r"127\.0\.0\.1:9"):
        ChromaIndex("http://127.0.0.1:9", "a", "one").count()
