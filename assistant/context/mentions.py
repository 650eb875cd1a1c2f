"""What a text names that a summary must not lose: numbers, dates, names, files and open tasks."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from assistant.months import MONTH

_DAY = r"(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day"
_NAME = r"[A-Z][A-Za-z']+(?:-[A-Za-z]+)*(?![A-Za-z0-9-])"
_PATTERNS = (
    # the first that matches at a place wins
    r"https?://[^\s<>\"'，。；）]+",
    r"[\w.+-]+@[\w-]+\.[\w.-]+\w",
    r"[\w~-]*(?:[/\\][\w.~-]+)+",  # paths
    r"[A-Za-z_][\w-]*\.[A-Za-z]{1,5}[0-9]?(?!\w|\.\w)",  # file names
    r"(?<![A-Za-z])[A-Za-z]{1,12}[-_]?\d[A-Za-z0-9_-]*",  # codes, such as ORD-9917
    r"\d{4}-\d{1,2}-\d{1,2}",
    r"(?:\d{4}年)?\d{1,2}月(?:\d{1,2}[日号])?|\d{4}年",
    rf"\d{{1,2}}(?:st|nd|rd|th)? {MONTH}\b(?:,? \d{{4}})?",
    rf"\b{MONTH} \d{{1,2}}(?:st|nd|rd|th)?\b(?:,? \d{{4}})?",
    rf"\b{_DAY}\b|\b{MONTH} \d{{4}}\b",
    r"(?:周|星期)[一二三四五六日天]",
    r"\d+(?:[.,:]\d+)*%?",
    r"[一二两三四五六七八九十百千万]+(?=[个小天周月年点次元块岁号层页章本门])",
    r"《[^》\n]{1,40}》|「[^」\n]{1,40}」",
    r"(?<=叫)[一-鿿]{2,4}(?=[，。！？、\s]|$)",
    # names: capitalised words, not alone at the beginning of a sentence
    r"(?:(?<=[a-z,;(] )|(?<=[一-鿿]))"
    rf"{_NAME}(?: (?:of |de |van |von )?{_NAME})*",
    rf"(?<![A-Za-z])(?:[A-Z][a-z]+(?: {_NAME})+|[A-Z]{{2,}}(?![A-Za-z0-9-]))",
)
_MENTION = re.compile("|".join(f"(?:{pattern})" for pattern in _PATTERNS))
_TASK = re.compile(
    r"\b(?:to-?do|need to|needs to|have to|has to|must|remind me|don't forget|deadline|is due"
    r"|still open|not done|next step)\b|待办|必须|记得|提醒我|别忘|还没|截止|打算|下一步",
    re.IGNORECASE,
)
_CLAUSE_END = re.compile(r"(?<=[.!?;])\s+|(?<=[。！？；])|\n+")
_NOT_NAMES = frozenset({"I", "I'm", "I'll", "I've", "I'd", "OK", "The", "A", "An"})

_CLAUSE_CHARACTERS = 160
_TOLD = 0.6  # of a task's words


@dataclass(frozen=True, slots=True)
class Clause:
    """A clause of a text, and what it mentions."""

    text: str
    mentions: tuple[str, ...]
    task: bool


def mentions(text: str) -> tuple[str, ...]:
    """Return what `text` names, each once, in order."""
    found = (match.group().strip(" .,:;") for match in _MENTION.finditer(text))
    return tuple(dict.fromkeys(name for name in found if name and name not in _NOT_NAMES))


def clauses(text: str) -> Iterator[Clause]:
    """Divide a text into clauses with what each mentions."""
    for part in _CLAUSE_END.split(text):
        clause = part.strip()
        if clause:
            yield Clause(clause, mentions(clause), _TASK.search(clause) is not None)


def missing(texts: Iterable[str], summary: str) -> list[Clause]:
    """Return the clauses of which `summary` lacks a mention or an open task, each once."""
    known = _plain(summary)
    found: list[Clause] = []
    for clause in (clause for text in texts for clause in clauses(text)):
        lost = tuple(name for name in clause.mentions if not _names(known, name))
        if lost or (clause.task and not _tells(known, clause.text)):
            shown = _shortened(clause.text, lost)
            found.append(Clause(shown, lost, clause.task))
            known += "\n" + _plain(shown)
    return found


def holds(summary: str, name: str) -> bool:
    """Whether a summary mentions `name`, whatever the case and the way a number is written."""
    return _names(_plain(summary), name)


def _names(plain: str, name: str) -> bool:
    wanted = _plain(name)
    if wanted[:1].isdigit() or wanted[-1:].isdigit():
        return re.search(rf"(?<!\d)(?<!\d\.){re.escape(wanted)}(?!\d|\.\d)", plain) is not None
    return wanted in plain


def _plain(text: str) -> str:
    """Fold case, and write `1,234` as `1234`."""
    return re.sub(r"(?<=\d),(?=\d{3})", "", " ".join(text.split()).casefold())


def _tells(plain: str, task: str) -> bool:
    """Whether a summary tells of a task in words of its own: most of the task's words are there."""
    words = set(re.findall(r"[a-z0-9]{4,}|[㐀-鿿]{2}", _plain(task)))
    return sum(word in plain for word in words) >= _TOLD * len(words)


def _shortened(clause: str, lost: tuple[str, ...]) -> str:
    """Return what stands around the lost mentions, where a clause is long."""
    if len(clause) <= _CLAUSE_CHARACTERS:
        return clause
    shown = "" if lost else clause[:_CLAUSE_CHARACTERS]
    for name in lost:
        if name not in shown:
            at = clause.find(name)
            around = clause[max(at - 40, 0) : at + len(name) + 40]
            shown = f"{shown}… {around}" if shown else around
    return shown
