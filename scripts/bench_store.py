"""Speed and size of the memory beside plain Chroma with the same embedder, in one run.

    python scripts/bench_store.py [--sizes 1000 10000 100000] [--embedder NAME] [--json FILE]

For each size, both stores are filled with the same generated texts in batches of 100, each in a
process of its own. The texts are embedded once, for both, and kept in the cache folder; that time
counts for each of them. Measured are the time of a remembered chunk against an upserted one, of a
recall against a plain query (the same owner filter, n_results 100) with its query's embedding, of
opening, and the disk and memory that 1,000 chunks take. `tiny` as embedder leaves the embedding's
share out. A ratio of 1 means as plain Chroma; on a busy machine read the CPU times' ratios.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import random
import resource
import shutil
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

BATCH = 100
QUERIES = 40
OWNER = "me"
SPAWN = multiprocessing.get_context("spawn")

WHO = [
    "Ana",
    "Ben",
    "Chen",
    "Dora",
    "Emil",
    "Fatima",
    "Goran",
    "Hana",
    "Ivan",
    "Jun",
    "Kofi",
    "Lea",
]
DID = [
    "bought",
    "sold",
    "painted",
    "repaired",
    "lost",
    "found",
    "promised",
    "cancelled",
    "moved",
    "planned",
]
WHAT = [
    "a bicycle",
    "the greenhouse",
    "two tickets",
    "a piano",
    "the old boat",
    "her thesis",
    "a recipe",
]
WHERE = [
    "in Lisbon",
    "near the harbour",
    "at the office",
    "on the train",
    "in 上海",
    "behind the school",
]


def texts(count: int) -> Iterator[str]:
    """Generated sentences of a dozen words, half of them common ones, none twice."""
    chance = random.Random(7)
    for number in range(count):
        yield (
            f"{chance.choice(WHO)} {chance.choice(DID)} {chance.choice(WHAT)}"
            f" {chance.choice(WHERE)} on day {chance.randrange(9999)} for {number} crowns,"
            f" and {chance.choice(WHO)} was told about it by {chance.choice(WHO)}."
        )


def questions() -> list[str]:
    """Questions of common and of rare words."""
    chance = random.Random(8)
    return [
        f"What did {chance.choice(WHO)} do with {chance.choice(WHAT)} on day"
        f" {chance.randrange(9999)}?"
        for _ in range(QUERIES)
    ]


def load(name: str | None) -> Any:
    """The embedder of that name."""
    if name == "tiny":
        from memory_store.testing import TinyEmbedder

        return TinyEmbedder(512)
    from memory_store.embedding import load_embedder

    return load_embedder(name)


class Prepared:
    """An embedder that has embedded the texts to be stored already."""

    def __init__(self, embedder: Any, count: int, cache: Path) -> None:
        import numpy as np

        self._embedder = embedder
        self.fingerprint, self.window = embedder.fingerprint, embedder.window
        self.dimensions = embedder.dimensions
        kept = cache / f"{embedder.fingerprint.replace('/', '-')}-{count}.npy"
        every = list(texts(count))
        if not kept.exists():
            taken, vectors = timed(
                lambda: np.concatenate(
                    [embedder.embed(every[s : s + BATCH]) for s in range(0, count, BATCH)]
                )
            )
            kept.with_suffix(".json").write_text(json.dumps([taken / count, taken.cpu / count]))
            np.save(kept, vectors)
        # What embedding one text takes, in seconds by the clock and of the processor.
        self.seconds, self.cpu = json.loads(kept.with_suffix(".json").read_text())
        self._vectors = np.load(kept)
        self._rows = {text: row for row, text in enumerate(every)}

    def embed(self, some: list[str]) -> Any:
        """The vectors of these texts, kept or made."""
        if all(text in self._rows for text in some):
            return self._vectors[[self._rows[text] for text in some]]
        return self._embedder.embed(some)


def plain_chroma(home: Path, count: int, embedder: Prepared) -> dict[str, float]:
    """Plain Chroma as one would write it: one collection, an owner in the metadata."""
    import chromadb
    from chromadb.config import Settings

    before = resident()

    def open_() -> Any:
        client = chromadb.PersistentClient(
            path=str(home), settings=Settings(anonymized_telemetry=False)
        )
        return client, client.get_or_create_collection(
            "plain", configuration={"hnsw": {"space": "cosine"}}, embedding_function=None
        )

    client, collection = open_()

    def add(batch: list[str], start: int) -> None:
        collection.upsert(
            ids=[str(start + n) for n in range(len(batch))],
            embeddings=embedder.embed(batch),
            documents=batch,
            metadatas=[{"owner": OWNER}] * len(batch),
        )

    each = fill(add, count)
    client.close()
    opened, (client, collection) = timed(open_)

    def ask(question: str) -> None:
        vector = embedder.embed([question])[0]
        collection.query(query_embeddings=[vector], n_results=100, where={"owner": OWNER})

    ask("warm")
    asked = [timed(lambda q=question: ask(q))[0] for question in questions()]
    return figures(home, count, each, opened, asked, resident() - before)


def ours(home: Path, count: int, embedder: Prepared) -> dict[str, float]:
    """The memory store with its default settings."""
    import chromadb  # noqa: F401  as above: its import is measured by bench_startup.py

    from memory_store import Draft, MemoryStore

    before = resident()

    def open_() -> Any:
        return MemoryStore.open(home, owner=OWNER, embedder=embedder)

    store = open_()

    def add(batch: list[str], start: int) -> None:
        store.remember([Draft("note", text) for text in batch])

    each = fill(add, count)
    store.close()
    opened, store = timed(open_)
    first, _ = timed(lambda: store.recall("warm"))
    asked: list[Taken] = []
    parts: dict[str, list[float]] = {}
    for question in questions():
        taken, found = timed(lambda q=question: store.recall(q))
        asked.append(taken)
        for part, seconds in found.seconds.items():
            parts.setdefault(part, []).append(seconds)
    result = figures(home, count, each, opened, asked, resident() - before)
    result["first_recall_ms"] = first * 1e3
    result |= {f"recall_{part}_ms": statistics.median(all_) * 1e3 for part, all_ in parts.items()}
    one, _ = timed(lambda: store.remember([Draft("note", "one more, alone")]))
    result["remember_one_ms"] = one * 1e3
    store.close()
    return result


def fill(add: Callable[[list[str], int], None], count: int) -> list[Taken]:
    """Add `count` texts in batches; the seconds of each batch."""
    every = list(texts(count))
    return [
        timed(lambda s=start: add(every[s : s + BATCH], s))[0] for start in range(0, count, BATCH)
    ]


def figures(  # noqa: PLR0917  one caller a system, each names them in this order
    home: Path, count: int, batches: list[Taken], opened: Taken, asked: list[Taken], memory: float
) -> dict[str, float]:
    """What is reported of one store."""
    size = sum(path.stat().st_size for path in home.rglob("*") if path.is_file())
    return {
        "remember_ms": sum(batches) / count * 1e3,
        "remember_cpu_ms": sum(batch.cpu for batch in batches) / count * 1e3,
        "recall_cpu_ms": statistics.median(one.cpu for one in asked) * 1e3,
        "recall_p50_ms": statistics.median(asked) * 1e3,
        "recall_p95_ms": sorted(asked)[int(len(asked) * 0.95)] * 1e3,
        "open_ms": opened * 1e3,
        "disk_mb_per_1000": size / count / 1e3,
        "memory_mb_per_1000": memory / count * 1e3,
    }


class Taken(float):
    """Seconds by the clock; `cpu` of them were this process's own."""

    cpu: float


def timed(call: Callable[[], Any]) -> tuple[Taken, Any]:
    """What the call took, and what it returned."""
    start, cpu = time.perf_counter(), time.process_time()
    result = call()
    taken = Taken(time.perf_counter() - start)
    taken.cpu = time.process_time() - cpu
    return taken, result


def resident() -> float:
    """The most memory that this process has held, in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def child(pipe: Connection, system: str, home: Path, count: int, name: str | None) -> None:
    """Measure one system in a process of its own."""
    measure = {"plain": plain_chroma, "ours": ours}[system]
    embedder = Prepared(load(name), count, home.parent)
    embedder.embed(["warm"])
    result = measure(home, count, embedder)
    result["remember_ms"] += embedder.seconds * 1e3
    result["remember_cpu_ms"] += embedder.cpu * 1e3
    result["embed_cpu_ms"] = embedder.cpu * 1e3
    pipe.send(result)


def measure(system: str, count: int, embedder: str | None, cache: Path) -> dict[str, float]:
    """The figures of one system at one size; its files are removed."""
    home = cache / f"{system}-{count}"
    shutil.rmtree(home, ignore_errors=True)
    home.mkdir(parents=True)
    here, there = SPAWN.Pipe(duplex=False)
    process = SPAWN.Process(target=child, args=(there, system, home, count, embedder))
    process.start()
    there.close()
    result = here.recv()
    process.join()
    shutil.rmtree(home)
    return result


RATIOS = (
    "remember_ms",
    "remember_cpu_ms",
    "recall_p50_ms",
    "recall_cpu_ms",
    "recall_p95_ms",
    "open_ms",
    "disk_mb_per_1000",
    "memory_mb_per_1000",
)


def table(results: list[dict[str, Any]]) -> str:
    """The results as a Markdown table."""
    lines = ["| chunks | figure | plain Chroma | ours | ratio |", "| --- | --- | --- | --- | --- |"]
    for result in results:
        for name in RATIOS:
            plain, own = result["plain"][name], result["ours"][name]
            lines.append(
                f"| {result['chunks']:,} | {name} | {plain:.2f} | {own:.2f} |"
                f" {own / max(plain, 1e-9):.2f} |"
            )
    return "\n".join(lines)


def main() -> int:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--sizes", type=int, nargs="+", default=[1_000, 10_000, 100_000])
    parser.add_argument("--embedder", help="as in the settings; 'tiny' for next to none")
    parser.add_argument("--json", type=Path, help="write the figures there too")
    parser.add_argument("--cache", type=Path, default=Path(tempfile.gettempdir()) / "bench_store")
    options = parser.parse_args()
    results: list[dict[str, Any]] = []
    for count in options.sizes:
        result: dict[str, Any] = {"chunks": count}
        for system in ("plain", "ours"):
            print(f"{count:,} chunks: {system} …", file=sys.stderr, flush=True)
            result[system] = measure(system, count, options.embedder, options.cache)
        results.append(result)
        if options.json is not None:
            options.json.write_text(json.dumps({"results": results}, indent=2))
    print(table(results))
    return 0


if __name__ == "__main__":
    sys.exit(main())
