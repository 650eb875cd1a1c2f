"""Shows an answer as it comes, sentence by sentence, and holds back what may yet be withdrawn."""

from __future__ import annotations

from collections.abc import Callable

from assistant.agent.claims import sentences
from assistant.agent.reading import without_thinking

LONGEST = 20_000
"""Characters up to which a reply is shown as it comes; a longer one comes at its end."""
_ENDS = frozenset(".!?。！？\n")


class Stream:
    """Takes the pieces of one reply and says what of them can be shown."""

    def __init__(self, doubtful: Callable[[str], bool]) -> None:
        """Take what says of a text whether it makes a claim that may have to be withdrawn."""
        self._doubtful = doubtful
        self._text = ""
        self._shown = ""
        self._held = False

    def feed(self, piece: str) -> str:
        """Return what can be shown now that `piece` has come; empty while it is held back."""
        self._text += piece
        if self._held or len(self._text) > LONGEST or _ENDS.isdisjoint(piece):
            return ""
        if "<think" in self._text and "</think" not in self._text:
            return ""
        complete = sentences(without_thinking(self._text))[:-1]
        safe = ""
        for sentence in complete:
            if self._doubtful(sentence):
                self._held = True
                break
            safe += sentence
        if not safe.startswith(self._shown):
            return ""
        new, self._shown = safe[len(self._shown) :], safe
        return new
