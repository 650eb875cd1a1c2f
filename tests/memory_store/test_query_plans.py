"""What is looked up by id is looked up, however much the owner has stored."""

from __future__ import annotations

import re
import sqlite3
from pathlib import Path

from sqlalchemy import event

from memory_store import Draft, Freshness, MemoryStore
from memory_store.testing import TinyEmbedder

WALKS = re.compile(r"SCAN (chunks|passages|vectors|occurrences|c|p|v|o)\b|\(owner=\?\)")


def test_recall_and_judging_walk_through_no_table(tmp_path: Path):
    """No statement of a recall, a judgement or a remembering reads all of an owner's rows."""
    with MemoryStore.open(tmp_path, embedder=TinyEmbedder()) as store:
        chunks = store.remember(
            [
                Draft("tool_result", f"thing {n}", session="s", turn=f"t{n}", subject=f"k{n % 9}",
                      origin="tool", freshness=Freshness(validator="v", tag="1"))
                for n in range(150)
            ]
        )  # fmt: skip
        statements: dict[str, object] = {}

        def note(*call) -> None:
            _connection, _cursor, statement, parameters, _context, many = call
            if statement.lstrip().startswith(("SELECT", "WITH")):
                statements[statement] = parameters[0] if many else parameters

        engine = store.ledger._engine  # pyright: ignore[reportPrivateUsage]
        event.listen(engine, "before_cursor_execute", note, named=False)
        store.recall("thing 7 of 12")
        store.judge([chunk.id for chunk in chunks])
        store.remember([Draft("answer", "about it", derived_from=(chunks[3].id,))])
        store.get(chunks[5].id)
    assert len(statements) > 15
    database = sqlite3.connect(tmp_path / "ledger.db")
    walks: list[str] = []
    for statement, parameters in statements.items():
        plan = database.execute(f"EXPLAIN QUERY PLAN {statement}", parameters)  # pyright: ignore
        details = [str(row[3]) for row in plan]
        walks += [f"{each}: {statement}" for each in details if WALKS.search(each)]
    allowed = ("passages_pending", "count(*)", "lexical_owners")
    assert [walk for walk in walks if not any(part in walk for part in allowed)] == []
