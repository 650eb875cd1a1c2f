"""Shows what stands in the window, judged anew, beside what recall found."""

from __future__ import annotations

from dataclasses import replace

from assistant.context.request import ContextRequest
from assistant.context.window import chunk_ids
from memory_store import Chunk, Dropped, Hit, Recall, Score
from memory_store.store import MemoryStore

_IN_WINDOW = "it stands in the conversation's window and is marked there as out of date"


def with_window(request: ContextRequest, store: MemoryStore) -> Recall:
    """Return the recall with the perishable chunks of the window added to it.

    Those that are current count as hits; the others were not given as current and count as
    dropped.
    """
    recall = request.recall
    known = {hit.chunk.id for hit in recall.hits} | {each.chunk.id for each in recall.dropped}
    hits: list[Hit] = []
    dropped: list[Dropped] = []
    for chunk_id in sorted(chunk_ids(request.window) - known):
        judgement = request.judgements.get(chunk_id)
        if judgement is None:
            continue
        chunk = store.get(chunk_id)
        if not _perishable(chunk):
            continue
        if judgement.verdict.current:
            hits.append(Hit(chunk, chunk.text, Score(0.0), judgement))
        else:
            dropped.append(Dropped(chunk, Score(0.0), judgement, _IN_WINDOW))
    return replace(recall, hits=(*recall.hits, *hits), dropped=(*recall.dropped, *dropped))


def _perishable(chunk: Chunk) -> bool:
    return chunk.freshness.max_age is not None or bool(chunk.derived_from)
