"""Terms: the words of a text as the lexical index keeps them, in English, Chinese and code."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from functools import cache

from memory_store.passages import CJK

# Scripts written without spaces, whose characters are indexed singly and in pairs.
_RUN = f"[{CJK}\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff]"
_TOKEN = re.compile(
    f"(?P<run>{_RUN}+)"
    rf"|(?P<word>(?:(?!{_RUN})[^\W_])+(?:[-_.:/@'’]+(?:(?!{_RUN})[^\W_])+)*(?:\+\+|#)?)"
)
_PARTS = re.compile(r"[^\W_]+")
_APOSTROPHE = re.compile(r"['’](?:s|re|ve|ll|d|m|t)\b|['’]")
_ACCENTS = re.compile("[\u0300-\u036f]")
_LONGEST = 64

STOP_WORDS = """
    a about after again all also am an and any are as at be because been before being but by can
    could did do does doing don down during each either few for from further get got had has
    have having he her here hers him his how i if in into is isn it its just let like ll me
    might more most must my no nor not now of off on once only or other our ours out over own
    please re same she should so some such tell than that the their theirs them then there these
    they this those through to too under until up us very was wasn we were what when where which
    while who whom whose why will with would yes you your yours
"""
"""English words that match everything. A query of nothing else is searched with them."""


def terms(text: str) -> list[str]:
    """The terms of `text`, in order, repeats kept.

    Case, accents and width are folded, English words are stemmed (Snowball). What holds a joiner
    (`sku-42`, `3.14`, `192.168.0.1`, `a@b.org`) yields the whole and its parts. Text in scripts
    without spaces yields each pair of neighbouring characters and each single one.
    """
    found: list[str] = []
    words: list[str] = []

    def flush() -> None:
        found.extend(_stem(words))
        words.clear()

    for match in _TOKEN.finditer(_fold(text)):
        run = match["run"]
        if run is not None:
            flush()
            found.extend(run)
            found.extend(run[i : i + 2] for i in range(len(run) - 1))
            continue
        word = match["word"]
        if word.isalnum():
            words.append(word[:_LONGEST])
            continue
        word = _APOSTROPHE.sub("", word)
        parts = _PARTS.findall(word)
        if len(parts) > 1 or word != "".join(parts):
            flush()
            found.append(word[:_LONGEST])
        words.extend(part[:_LONGEST] for part in parts)
    flush()
    return found


def runs(text: str) -> list[str]:
    """The runs of characters of scripts without spaces, folded."""
    return [match["run"] for match in _TOKEN.finditer(_fold(text)) if match["run"]]


def query_terms(text: str) -> list[str]:
    """The distinct terms to search for, in order: without stop words, unless nothing is left.

    Of a run of characters only the pairs count, unless it is one character long.
    """
    seen = dict.fromkeys(terms(text))
    whole = set(runs(text))
    kept = [t for t in seen if len(t) > 1 or not _is_run(t) or t in whole]
    return [t for t in kept if t not in _stopped()] or kept


def _fold(text: str) -> str:
    if text.isascii():
        return text.lower()
    bare = _ACCENTS.sub("", unicodedata.normalize("NFKD", text))
    return unicodedata.normalize("NFC", bare).casefold()


def _is_run(term: str) -> bool:
    return re.match(_RUN, term) is not None


def _stem(words: list[str]) -> list[str]:
    return _stemmer()(words)


@cache
def _stemmer() -> Callable[[list[str]], list[str]]:
    from Stemmer import Stemmer  # pyright: ignore

    return Stemmer("english").stemWords  # pyright: ignore


@cache
def _stopped() -> frozenset[str]:
    words = list(map(str, STOP_WORDS.split()))
    return frozenset(words) | frozenset(_stem(words))
