"""Measures what one run adds around the model call, part by part, beside a plain Chroma query.

python scripts/bench_run.py [--chunks 10000] [--runs 30] [--json FILE]

The scripted server answers at once; the time it takes is not counted. The plain query is Chroma's
own over the same folder: the owner as its filter, 100 results, plus the embedding of its question.
"""

from __future__ import annotations

import argparse
import json
import random
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from assistant.app import App
from assistant.events import Answered, ModelCalled, Recalled
from assistant.settings import Settings
from assistant.testing import ScriptedServer
from memory_store import Draft
from memory_store.embedding import load_embedder


class Spent(NamedTuple):
    """Seconds of one piece of work, on the clock and on the processors."""

    wall: float
    cpu: float


CHINESE = (
    ("线性代数", "阳台的花", "旅行计划", "妹妹的生日", "这本小说", "周会"),
    ("改到了", "比不上", "提醒我想起", "花的时间多于", "推迟到"),
    ("星期三", "去年春天", "上一次", "下个月初", "图书馆那天", "考试之后"),
)


def main() -> int:
    """Measure, print the table, and write the JSON."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--chunks", type=int, default=10_000)
    parser.add_argument("--runs", type=int, default=30)
    parser.add_argument("--json", type=Path, help="write the figures here")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as home:
        figures = measure(Path(home), options.chunks, options.runs)
    for name, value in figures.items():
        print(f"{name:58} {value:10.2f}")
    if options.json:
        options.json.write_text(json.dumps(figures, indent=1), encoding="utf-8")
    return 0


def measure(home: Path, chunks: int, runs: int) -> dict[str, float]:
    """Return medians in milliseconds, their ratio, and the memory of one `ask` in MB."""
    with ScriptedServer(lambda _body: "I have noted that.") as server:
        settings = Settings.load(
            home, openai_base_url=server.url, openai_api_key="bench", model="scripted"
        )
        with App.open(settings) as app:
            texts = list(_texts(chunks))
            for start in range(0, chunks, 500):
                app.store.remember([Draft("note", text) for text in texts[start : start + 500]])
            _parts(app, "warm", "What does a lambda expression yield?")
            questions = list(_texts(runs))
            parts: list[dict[str, float]] = []

            def run(number: int, question: str) -> None:
                parts.append(_parts(app, f"run {number}", question))

            added = [_spent(lambda n=n, q=q: run(n, q)) for n, q in enumerate(questions)]
            plain = _plain(home, questions)
        memory = _ask_memory(home, server.url)
    figures = {
        f"{name}, ms": 1000 * statistics.median(each.get(name, 0.0) for each in parts)
        for name in parts[0]
    }
    whole = 1000 * statistics.median(sum(_outer(each)) for each in parts)
    query = 1000 * statistics.median(spent.wall for spent in plain)
    # Processor time tells more than wall time on a machine that does other work besides. That of
    # a run includes what the scripted server and the client spend on the model call.
    whole_cpu = 1000 * statistics.median(spent.cpu for spent in added)
    query_cpu = 1000 * statistics.median(spent.cpu for spent in plain)
    return {
        "chunks": float(chunks),
        **figures,
        "all that a run adds, ms": whole,
        "plain Chroma query and its embedding, ms": query,
        "a run adds, times the plain query": whole / query,
        "a whole run, processor ms": whole_cpu,
        "plain query and its embedding, processor ms": query_cpu,
        "a whole run, times the plain query (processor)": whole_cpu / query_cpu,
        "memory of one ask, MB": memory,
    }


def _parts(app: App, session: str, question: str) -> dict[str, float]:
    """Seconds of each part of one run, by name; what is indented is part of the line above."""
    last = started = time.perf_counter()
    parts: dict[str, float] = {}
    for event in app.agent.run(app.sessions.open(session), question):
        now = time.perf_counter()
        match event:
            case Recalled(recall):
                parts["record the question, recall, freshness"] = now - started
                for name, seconds in recall.seconds.items():
                    parts[f"  recall: {name}"] = seconds
            case ModelCalled():
                parts["fit the context"] = now - last - event.seconds
            case Answered():
                parts["remember the answer"] = now - last
            case _:
                continue
        last = now
    parts["after the answer"] = time.perf_counter() - last
    return parts


def _outer(parts: dict[str, float]) -> Iterator[float]:
    return (seconds for name, seconds in parts.items() if not name.startswith(" "))


def _plain(home: Path, questions: Sequence[str]) -> list[Spent]:
    import chromadb
    from chromadb.config import Settings as ChromaSettings

    (folder,) = (home / "chroma").iterdir()
    embedder = load_embedder()  # one that has not seen the questions yet
    client = chromadb.PersistentClient(str(folder), ChromaSettings(anonymized_telemetry=False))
    (entry,) = client.list_collections()
    collection: Any = client.get_collection(entry.name, embedding_function=None)

    def query(question: str) -> None:
        vector = embedder.embed([question])[0]
        found = collection.query(query_embeddings=[vector], n_results=100, where={"owner": "me"})
        assert found["ids"][0]

    query("warm")
    return [_spent(lambda question=question: query(question)) for question in questions]


def _spent(work: Callable[[], object]) -> Spent:
    wall, cpu = time.perf_counter(), time.process_time()
    work()
    return Spent(time.perf_counter() - wall, time.process_time() - cpu)


def _texts(count: int) -> Iterator[str]:
    """Texts of a sentence or two: Python's own manual, and one in five Chinese; always the same."""
    from pydoc_data.topics import topics

    sentences = [
        " ".join(sentence.split())
        for topic in sorted(topics)
        for sentence in topics[topic].split(". ")
        if 6 <= len(sentence.split()) <= 60
    ]
    chance = random.Random(7)
    for number in range(count):
        if number % 5 == 0:
            yield "".join(chance.choice(words) for words in CHINESE) + f"（{number}）。"
        else:
            yield f"{chance.choice(sentences)} ({number})"


def _ask_memory(home: Path, url: str) -> float:
    """The most resident memory of `assistant ask` in a process of its own, in MB."""
    subprocess.run(
        [sys.executable, "-m", "assistant", "--home", str(home), "ask", "What is a lambda?"],
        env={"OPENAI_BASE_URL": url, "ASSISTANT_MODEL": "scripted", "PATH": "/usr/bin:/bin"},
        check=True,
        stdout=subprocess.DEVNULL,
    )
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024


if __name__ == "__main__":
    raise SystemExit(main())
