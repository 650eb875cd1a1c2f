"""Turns an answer that speaks as the user into one that speaks to them: "my dog" to "your dog"."""

from __future__ import annotations

import re

_MINE = re.compile(r"\b(my)(\s+\w+)", re.IGNORECASE)
_I = re.compile(r"\bI('m|\s+\w+)")
_CHINESE = re.compile(r"我(.)")
_YOU = {"'m": "'re", "am": "are", "was": "were"}


def to_user(answer: str, said: str) -> str:
    """Return the answer with the user's own words about themselves turned round.

    Only words that the user said of themselves are turned: "I" is the assistant where they are not.
    """
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
