"""Turns an answer that speaks as the user, or of them, into one that speaks to them.

Small models repeat a memory as it stands ("My dog is Rex", "The user said: …").
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from assistant.agent.claims import sentences

_MINE = re.compile(r"\b(my)(\s+\w+)", re.IGNORECASE)
_I = re.compile(r"\bI('m|\s+\w+)")
_CHINESE = re.compile(r"我(.)")
_YOU = {"'m": "'re", "am": "are", "was": "were"}

_REPORTED = re.compile(
    r"^\s*(?:the\s+user|you)\s+(?:(?:has|have|had|also)\s+)?"
    r"(?:said|told\s+(?:you|me|us)|mentioned|stated)(?:\s+(?:earlier|before))?"
    r"\s*(?:that\b|[:,])?\s*"
    r"|^\s*(?:用户|你)(?:以前|之前|曾经?|也)?(?:说过?|告诉过?[你我](?:的是)?|提到过?)[：:，,]?\s*",
    re.IGNORECASE,
)
_SPOKEN = {
    "i'm": "you're", "i am": "you are", "i was": "you were", "we are": "you are", "i": "you",
    "we": "you", "me": "you", "us": "you", "my": "your", "our": "your",
    "myself": "yourself",
}  # fmt: skip
_OF_THEM = {"they": "you", "their": "your", "theirs": "yours", "them": "you"}
_VERB = (
    r"(?:('s)\b"
    r"|((?:\s+(?:usually|often|always|never|also|still|currently|already|really|just|now|\w+ly)\b)*)"
    r"(\s+(?:has|is|was|does|goes|\w+s))?\b)"
)
_USER = re.compile(rf"\bthe\s+user{_VERB}", re.IGNORECASE)
_NAME = re.compile(
    r"\b(?:I['’]m|I\s+am|[Mm]y\s+name\s+is|[Cc]all\s+me)\s+([A-Z][a-z]+)\b(?=\s*[,.!]|\s+and\b|\s*$)"
    r"|我(?:叫|的名字[是叫])([㐀-鿿]{2,3})(?=[，,。！\s]|$)"
)
_ABOUT_USERS = re.compile(r"\busers?\b|用户", re.IGNORECASE)
_VERBS = {"has": "have", "is": "are", "was": "were", "does": "do", "goes": "go"}
_QUOTES = " \n\"'“”‘’「」"


def to_user(answer: str, question: str, told: Iterable[str] = ()) -> str:
    """Return the answer with what the user said of themselves, or it says of them, turned round.

    Only words that the user said of themselves are turned: "I" is the assistant where they are not.

    Args:
        told: what the user said earlier; a sentence that stands in it is theirs.
    """
    told = [*told, question]
    names = {name for text in told for match in _NAME.findall(text) for name in match if name}
    said = [_plain(text) for text in told]
    return "".join(
        _unnamed(_turned(sentence, question, said), names) for sentence in sentences(answer)
    )


def _unnamed(sentence: str, names: Iterable[str]) -> str:
    """Say "you" where a sentence begins with the user's name."""
    for name in names:
        begins = re.match(rf"\s*{name}(?:(?!\w)|(?=[㐀-鿿]))", sentence)
        if begins and name.isascii():
            return re.sub(rf"\b{name}{_VERB}", _named, sentence, count=1)
        if begins:
            return sentence.replace(name, "你", 1)
    return sentence


def _turned(sentence: str, question: str, said: Sequence[str]) -> str:
    reported = _REPORTED.match(sentence)
    rest = sentence[reported.end() :] if reported else sentence
    core = _plain(rest).strip(_QUOTES + ".。!！")
    if core and any(core in each for each in said):
        spoken = rest.strip(_QUOTES) if reported else rest
        turned = _replaced(spoken, _SPOKEN).replace("我们", "你们").replace("我", "你")
    else:
        turned = _by_question(_replaced(rest, _OF_THEM) if reported else rest, question)
        if not _ABOUT_USERS.search(question):
            turned = _USER.sub(_named, turned).replace("用户", "你")
    return turned[:1].upper() + turned[1:] if reported else turned


def _plain(text: str) -> str:
    return " ".join(text.lower().replace("’", "'").split())


def _replaced(text: str, words: dict[str, str]) -> str:
    def other(match: re.Match[str]) -> str:
        if match[0] == "US":  # the country
            return match[0]
        word = words[match[0].lower().replace("’", "'")]
        begins = match[0][0].isupper() and (match[0][:1] != "I" or _begins(text, match.start()))
        return word.capitalize() if begins else word

    choices = "|".join(re.escape(word).replace("'", "['’]") for word in words)
    return re.sub(rf"\b(?:{choices})\b", other, text, flags=re.IGNORECASE)


def _begins(text: str, at: int) -> bool:
    return not text[:at].strip(_QUOTES) or text[:at].rstrip()[-1:] in ".!?"


def _named(match: re.Match[str]) -> str:
    you = "You" if match[0][0].isupper() else "you"
    if match[1]:
        return f"{you}r"
    verb = (match[3] or "").strip()
    if not verb or verb.endswith("ss"):
        return you + match[2] + (match[3] or "")
    base = _VERBS.get(verb) or re.sub("ies$", "y", re.sub("(?<=[cs]h|ss|.[xz])es$", "", verb))
    base = base.removesuffix("s") if base == verb else base
    return f"{you}{match[2]} {base}"


def _by_question(answer: str, said: str) -> str:
    low = " ".join(said.lower().split())

    def mine(match: re.Match[str]) -> str:
        your = "Your" if match[1][0].isupper() else "your"
        return your + match[2] if match[0].lower() in low else match[0]

    def me(match: re.Match[str]) -> str:
        verb = match[1].strip()
        if re.search(rf"\bi\s*{re.escape(verb.lower())}(?!\w)", low) is None:
            return match[0]
        start = match.start() == 0 or answer[: match.start()].rstrip()[-1:] in ".!?"
        space = "" if verb.startswith("'") else " "
        return f"{'You' if start else 'you'}{space}{_YOU.get(verb, verb)}"

    def chinese(match: re.Match[str]) -> str:
        return f"你{match[1]}" if match[0] in said else match[0]

    return _CHINESE.sub(chinese, _I.sub(me, _MINE.sub(mine, answer)))
