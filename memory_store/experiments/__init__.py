"""Memory experiments: corpora, replay with their times, sweeps of settings, measures, pictures.

Needs the `notebooks` extra (pandas, scipy, ir_measures …), which is imported where it is used.
"""

from memory_store.experiments.corpora import SHIPPED, Conversation, Question, load_corpus
from memory_store.experiments.embedding_cache import CachedEmbedder
from memory_store.experiments.measures import MEASURES, measure, summary
from memory_store.experiments.replay import code_version, replay
from memory_store.experiments.sweep import Setting, load, misses, save, sweep

__all__ = [
    "MEASURES",
    "SHIPPED",
    "CachedEmbedder",
    "Conversation",
    "Question",
    "Setting",
    "code_version",
    "load",
    "load_corpus",
    "measure",
    "misses",
    "replay",
    "save",
    "summary",
    "sweep",
]
