"""Many processes on one home: each sees what any other has stored; nothing is lost or doubled."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from memory_store import Draft, MemoryStore
from memory_store.testing import TinyEmbedder

PROCESSES = 4
EACH = 2500

WORKER = """
import json, sys
from pathlib import Path
import memory_store.dense
from memory_store import Draft, MemoryStore
from memory_store.testing import TinyEmbedder

memory_store.dense.EXACT = 600  # so that the index is opened while others write
home, me, each = Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
unseen = 0
with MemoryStore.open(home, embedder=TinyEmbedder()) as store:
    said = []
    for start in range(0, each, 500):
        lines = range(start, start + 500)
        texts = [f"process {me} says its line {n} of row {n * 31}" for n in lines]
        said += [chunk.id for chunk in store.remember([Draft("note", text) for text in texts])]
        print(json.dumps(texts[-1]), flush=True)
        heard = sys.stdin.readline()  # what another process has just had acknowledged
        if heard.strip():
            text = json.loads(heard)
            [(_, score), *_] = store.dense.search(store.embedder.embed([text])[0], 1)
            unseen += score < 0.999
            unseen += not any(hit.text == text for hit in store.recall(text, limit=5))
print(json.dumps({"ids": said, "unseen": unseen}), flush=True)
"""


@pytest.mark.long
def test_four_processes_write_and_read_ten_thousand_chunks(tmp_path: Path):
    """What one process has acknowledged, every other finds at once; at the end all is indexed."""
    home = tmp_path / "home"
    MemoryStore.open(home, embedder=TinyEmbedder()).close()
    command = [sys.executable, "-c", WORKER, str(home)]
    workers = [
        subprocess.Popen(
            [*command, str(n), str(EACH)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        for n in range(PROCESSES)
    ]
    for _ in range(EACH // 500):
        lines = [worker.stdout.readline() for worker in workers]  # pyright: ignore
        for n, worker in enumerate(workers):
            worker.stdin.write(lines[(n + 1) % PROCESSES])  # pyright: ignore
            worker.stdin.flush()  # pyright: ignore
    results = [json.loads(worker.communicate()[0]) for worker in workers]
    assert [result["unseen"] for result in results] == [0] * PROCESSES
    ids = [id_ for result in results for id_ in result["ids"]]
    assert len(set(ids)) == PROCESSES * EACH
    with MemoryStore.open(home, embedder=TinyEmbedder()) as store:
        store.catch_up()
        chunks = store.chunks()
        assert {chunk.id for chunk in chunks} == set(ids)
        assert len({chunk.text for chunk in chunks}) == len(chunks)
        checked = store.verify()
        assert checked.problems == ()
        assert checked.indexed == PROCESSES * EACH


def test_the_next_process_catches_up_when_the_holder_ends(tmp_path: Path):
    """One that could not write the index does so as soon as its holder is gone."""
    holder = MemoryStore.open(tmp_path, embedder=TinyEmbedder())
    other = MemoryStore.open(tmp_path, embedder=TinyEmbedder())
    holder.remember([Draft("note", f"holder's {n}") for n in range(120)])
    other.remember([Draft("note", f"other's {n}") for n in range(120)])
    assert other.stats().unindexed == 120
    holder._index.close()  # pyright: ignore[reportPrivateUsage]  as when its process is killed
    other.remember([Draft("note", "one more")])
    assert other.stats().unindexed == 0
    assert other.verify().ok
    other.close()
    holder.close()


def test_forgetting_reaches_what_another_process_holds(tmp_path: Path):
    """What one process forgets, the index's holder erases at its next step."""
    holder = MemoryStore.open(tmp_path, embedder=TinyEmbedder())
    other = MemoryStore.open(tmp_path, embedder=TinyEmbedder())
    holder.remember([Draft("note", f"garden bed {n}") for n in range(120)])
    secret = holder.remember([Draft("note", "the code is 8J-KK-21")])[0]
    holder.catch_up()
    assert not other.forget(ids=[secret.id]).erased
    assert "8J-KK-21" not in {hit.text for hit in holder.recall("the code is 8J-KK-21")}
    holder.close()
    other.close()
    for path in tmp_path.rglob("*"):
        assert not path.is_file() or b"8J-KK-21" not in path.read_bytes(), path


@pytest.mark.long
def test_killed_processes_lose_nothing_that_they_acknowledged(tmp_path: Path):
    """A few SIGKILLs at random instants; by hand the script does the same hundreds of times."""
    script = Path(__file__).parents[2] / "scripts" / "kill_test.py"
    command = [sys.executable, script, "--kills", "4", "--seed", "11", "--home", tmp_path]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    result = json.loads(done.stdout)
    assert result["problems"] == []
    assert result["kills"] == 4
