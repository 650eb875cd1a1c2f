"""Runs one peer in its own environment: reads records and questions, a line of JSON each.

    python recall_peer_worker.py NAME FOLDER DIMENSIONS

The peers' embedder is a loopback server that hands out the vectors which came with the texts, so
that no peer downloads a model and all of them have the same one. How each is set up stands with
its class. `--check` instead of the folder only tells whether it can be imported.
"""

from __future__ import annotations

import json
import os
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

VECTORS: dict[str, list[float]] = {}


class Embeddings(BaseHTTPRequestHandler):
    """OpenAI's embeddings endpoint over the vectors that are known."""

    def do_POST(self) -> None:
        length = int(self.headers["Content-Length"])
        texts = json.loads(self.rfile.read(length))["input"]
        texts = [texts] if isinstance(texts, str) else texts
        known = next(iter(VECTORS.values()))
        data = [
            {"object": "embedding", "index": i, "embedding": VECTORS.get(t) or [0.0] * len(known)}
            for i, t in enumerate(texts)
        ]
        body = json.dumps(
            {"object": "list", "data": data, "model": "m", "usage": {"prompt_tokens": 0}}
        ).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        return


class MemPalace:
    """Each record a drawer of one room; `search_memories` with its union of vectors and BM25."""

    def __init__(self, folder: Path, dimensions: int, address: str) -> None:
        os.environ["HOME"] = str(folder)
        os.environ["MEMPALACE_EMBEDDING_MODEL"] = "openai-compat"
        os.environ["MEMPALACE_EMBEDDING_API_URL"] = address
        os.environ["MEMPALACE_EMBEDDING_API_MODEL"] = "m"
        from mempalace.palace import get_collection

        self._path = str(folder / "palace")
        self._collection = get_collection(self._path, create=True)

    def add(self, rows: list[dict[str, Any]]) -> None:
        from mempalace.miner import add_drawer

        for row in rows:
            add_drawer(self._collection, "bench", "room", row["text"], str(row["place"]), 0, "x")

    def ask(self, question: str, depth: int) -> list[str]:
        from mempalace.searcher import search_memories

        found = search_memories(
            question, self._path, wing="bench", n_results=min(depth, 50), candidate_strategy="union"
        )
        if "results" not in found:
            raise RuntimeError(str(found)[:300])
        return [str(hit["source_file"]) for hit in found["results"]]


class Mem0:
    """`add(infer=False)`: each record one memory as it is; Qdrant on disk, no language model."""

    def __init__(self, folder: Path, dimensions: int, address: str) -> None:
        os.environ["MEM0_DIR"] = str(folder)
        os.environ["MEM0_TELEMETRY"] = "False"
        from mem0 import Memory

        key = {"api_key": "none"}
        self._memory = Memory.from_config(
            {
                "vector_store": {
                    "provider": "qdrant",
                    "config": {
                        "path": str(folder / "qdrant"),
                        "on_disk": True,
                        "embedding_model_dims": dimensions,
                    },
                },
                "embedder": {
                    "provider": "openai",
                    "config": {"openai_base_url": address, "embedding_dims": dimensions, **key},
                },
                "llm": {"provider": "openai", "config": key},
                "history_db_path": str(folder / "history.db"),
            }
        )

    def add(self, rows: list[dict[str, Any]]) -> None:
        for row in rows:
            self._memory.add(
                row["text"], user_id="bench", metadata={"place": row["place"]}, infer=False
            )

    def ask(self, question: str, depth: int) -> list[str]:
        found = self._memory.search(
            question, filters={"user_id": "bench"}, top_k=depth, threshold=0.0
        )
        return [str(hit["metadata"]["place"]) for hit in found["results"]]


class LangGraph:
    """LangGraph's long-term memory: `InMemoryStore` with an index over the text."""

    def __init__(self, folder: Path, dimensions: int, address: str) -> None:
        from langgraph.store.memory import InMemoryStore

        def embed(texts: list[str]) -> list[list[float]]:
            return [VECTORS[text] for text in texts]

        self._store = InMemoryStore(index={"dims": dimensions, "embed": embed, "fields": ["text"]})

    def add(self, rows: list[dict[str, Any]]) -> None:
        for row in rows:
            self._store.put(("bench",), str(row["place"]), {"text": row["text"]})

    def ask(self, question: str, depth: int) -> list[str]:
        return [item.key for item in self._store.search(("bench",), query=question, limit=depth)]


PEERS = {"mempalace": MemPalace, "mem0": Mem0, "langgraph": LangGraph}
MODULES = {"mempalace": "mempalace.searcher", "mem0": "mem0", "langgraph": "langgraph.store.memory"}


def main() -> None:
    """Answer each line of the standard input with one on the standard output."""
    name, folder = sys.argv[1], sys.argv[2]
    if folder == "--check":
        __import__(MODULES[name])
        return
    server = ThreadingHTTPServer(("127.0.0.1", 0), Embeddings)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    address = f"http://127.0.0.1:{server.server_address[1]}/v1"
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what a peer prints must not be taken for an answer
    peer = PEERS[name](Path(folder), int(sys.argv[3]), address)
    for line in sys.stdin:
        message = json.loads(line)
        if "add" in message:
            VECTORS.update({row["text"]: row["vector"] for row in message["add"]})
            peer.add(message["add"])
            answer: Any = True
        else:
            VECTORS[message["ask"]] = message["vector"]
            answer = peer.ask(message["ask"], message["depth"])
        answers.write(json.dumps(answer) + "\n")
        answers.flush()


if __name__ == "__main__":
    main()
