"""Replays a conversation with its times: records arrive, questions are asked of what had arrived.

Finished conversations are kept on disk, so that an experiment that was stopped goes on where it
was; a change of the data, of the setting or of this package begins anew.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from memory_store.experiments.corpora import Conversation
from memory_store.experiments.embedding_cache import CachedEmbedder
from memory_store.experiments.systems import Answer, Opener, emptied
from memory_store.protocols import Embedder

Step = Callable[[int], object]
"""Told how many records and questions were done since the last call."""

BATCH = 200


@cache
def code_version() -> str:
    """The version of the package, and a digest of `memory_store`'s source."""
    digest = hashlib.sha256()
    for path in sorted(Path(__file__).parent.parent.rglob("*.py")):
        digest.update(path.read_bytes())
    try:
        released = version("memory-assistant")
    except PackageNotFoundError:
        released = "0"
    return f"{released}+{digest.hexdigest()[:12]}"


def answers(
    conversation: Conversation,
    name: str,
    opener: Opener,
    embedder: CachedEmbedder,
    folder: Path,
    *,
    step: Step = lambda _: None,
) -> list[Answer]:
    """Return what a system answers to a conversation's questions, from `folder` if it is there.

    Args:
        name: the system with all its settings: other settings need another name.
    """
    words = (name, conversation.digest, embedder.fingerprint, embedder.window, code_version())
    mark = hashlib.sha256(json.dumps(words).encode()).hexdigest()[:16]
    kept = folder / "answers" / f"{mark}.json"
    if kept.exists():
        step(len(conversation.drafts) + len(conversation.questions))
    else:
        store = emptied(folder / "stores" / mark)
        try:
            asked = replay(conversation, opener, embedder, store, step)
        finally:
            emptied(store).rmdir()
        kept.parent.mkdir(parents=True, exist_ok=True)
        part = kept.with_suffix(".part")
        part.write_text(json.dumps([[a.places, sorted(a.current), a.confidence] for a in asked]))
        part.rename(kept)
    found = json.loads(kept.read_text())
    return [Answer(places, frozenset(current), sure) for places, current, sure in found]


def replay(
    conversation: Conversation,
    opener: Opener,
    embedder: Embedder,
    folder: Path,
    step: Step = lambda _: None,
) -> list[Answer]:
    """Let the records arrive, and ask each question when its time has come."""
    system = opener(folder, conversation, embedder)
    asked: dict[str, Answer] = {}
    arrived = 0
    try:
        for question in sorted(conversation.questions, key=lambda question: question.before):
            while arrived < question.before:
                upto = min(arrived + BATCH, question.before)
                system.add(conversation.drafts[arrived:upto])
                step(upto - arrived)
                arrived = upto
            asked[question.id] = system.ask(question) if arrived else Answer([])
            step(1)
    finally:
        system.close()
    return [asked[question.id] for question in conversation.questions]
