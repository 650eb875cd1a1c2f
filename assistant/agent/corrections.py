"""Whether a message corrects or replaces what the user said before, by its form, en and zh.

A miss costs the wait for a batch; a false alarm costs one call of the model.
"""

from __future__ import annotations

import re

from assistant.agent.claims import sentences

LONGEST = 600
"""A correction is short: of a longer message only the beginning is read."""

_REFUSAL = re.compile(
    r"^\W*(no|nope|nah|wrong|sorry|oops|不|不是|不对|错了)\s*[.!。！]+\s*(?=\S)", re.I
)
_ASKS = re.compile(
    r"[?？]\s*$|[吗呢吧][。！!.\s]*$|什么|几[点号个岁]|多少|怎么|哪[里个儿]"
    r"|(?:^|[,;，]\s*)(?:who|what|where|when|why|how|which|can\s+you|could\s+you|do\s+you|is\s+there)\b",
    re.IGNORECASE,
)
_CONVERSES = re.compile(
    r"\b(?:thanks?|thank\s+you|problem|worr(?:y|ies)|idea|rush|bother|never\s?mind|forget\s+it"
    r"|understand|(?:don'?t|didn'?t|do\s+not)\s+(?:know|mean)|not\s+sure"
    r"|(?:that|it)'?s\s+(?:all|ok(?:ay)?|fine|good|great|enough)|i'?m\s+(?:good|fine|ok(?:ay)?|done))\b"
    r"|谢|没事|没关系|没问题|不用|不必|算了|随便|不知道|不确定|不清楚|抱歉|不好意思",
    re.IGNORECASE,
)
_OPENS = re.compile(
    r"^\W*(?:(?:oh|ah|hm+|um|but|ok(?:ay)?)\W+)?(?:"
    r"(?:no|nope|nah|actually|correction|wrong)\s*[,:;—–-]+\s*\S"
    r"|(?:no|actually)\s+(?:it|i|i'?m|my|we|our|he|she|the|they|not)\b"
    r"|(?:wait|hold\s+on|sorry|oops)\s*[,:;—–-]+\s*(?:it|that|this|i'?m|i\s+(?:am|meant|live|have|work)"
    r"|my|the|make|not|no|actually|\d|(?-i:[A-Z]\w+)\W*$))"
    r"|^\W*not\s+(?!really|now|yet|bad|today|tomorrow|much|only|everyone|all\b|that\b|too\b|so\b|at\b|an?\b)"
    r"[^,;:—–.!?]{1,40}(?:[,;:—–]|\bbut\b)"
    r"|^\W*(?:不对|错了|更正|纠正|不是|不|等等|等一下)[，,：:]\s*\S|^\W*(?:更正|其实|实际上)",
    re.IGNORECASE,
)
_SAYS = re.compile(
    # one thing and not the other
    r"\b(?:it|that|this|i|he|she|we|they|my|is|are)\b[^.!?]*,\s*(?:and\s+)?not\s+"
    r"(?!sure|really|that\b|yet\b|to\b|only|because|bad|so\b|too\b|just|very)"
    r"|\bnot\s+[^,.;:!?]{1,30}[,;:—–-]+\s*(?:but\s+)?(?:it|that|i|he|she|we|they)(?:'s|'m|'re|\s+(?:is|am|are))\b"
    r"|(?<![不是])是(?!不是)[^。！？]{1,20}[，,、]\s*(?:而)?不是"
    r"|^\W*不是[^，。]{1,20}[，,]\s*(?:而)?(?:是|应该)"
    # it was wrong
    r"|(?<!if )(?<!whether )\b(?:that|this|it|you|i)(?:'?s|'?re|\s+(?:is|are|was|were))\s+"
    r"(?:\w+\s+)?(?:wrong|incorrect|mistaken|outdated|not\s+(?:right|correct|true))\b"
    r"|\b(?:isn|wasn)['’]?t\s+(?:right|correct|true)\b|\bmy\b[^.!?]*\b(?:has|have)\s+changed\b"
    r"|\b(?:got|get|have|had|remember(?:ed)?)\s+(?:that|it|this|my\s+\w+)\s+wrong\b"
    r"|\b(?:mix(?:ed|ing)|mess(?:ed|ing))\s+(?:\w+\s+){1,2}up\b|\bconfus(?:ed|ing)\s+(?:that|it|me|my)\b"
    r"|\byou\s+mis(?:understood|heard|read)\b|\bi\s+(?:said|told|gave)\b[^.!?]*(?:\bbut\b|\bwrong\b)"
    r"|\bmy\s+(?:mistake|bad)\b|\bi\s+mis(?:spoke|typed)\b|\bscratch\s+that\b"
    r"|[记说搞弄听打]错|(?:说|记|这个?|那个?)[^，。]{0,4}不对"
    # it is otherwise now
    r"|\bi\s+meant\b|\bchanged?\s+my\s+mind\b|\b(?:let\s+me|i)\s+correct\b"
    r"|^\W*(?:please\s+)?(?:correct|change|update|fix)\s+(?:that|this|it|my\s+\w+|the\s+\w+)[^.!?]{0,30}"
    r"(?::|\bto\b|[,;]\s*(?:it|that|i|my)\b)"
    r"|\bmake\s+(?:it|that)\s+\d|\b(?:changed|switched)\s+(?:from\s+[^.!?]{1,30}\s+)?to\b"
    r"|\b(?:i|we)(?:'ve|\s+have)?\s+(?:\w+\s+)?moved\b(?!\s+(?:on|the|my|it|this)\b)"
    r"|\bno\s+longer\b|n['’]t\b[^.!?]*\bany\s?more\b|\bfrom\s+now\s+on\b"
    r"|\b(?:live|work|study)\b[^.!?]*\bnow\b|\bnow\s+(?:live|work|study)\b"
    r"|\bmy\b[^.!?]*\bis\s+now\b|\bmy\s+new\s+\w+\s+(?:is|are)\b"
    r"|改(?:了)?主意|改变主意|改[成为到]|换(?:[成到]|了?工作)|搬[到去回]|不再|从现在起|从今以后|已经不|(?:应该|应)是"
    r"|不(?:住|在)[^。，]{0,12}了|现在(?:我)?(?:住|改|换)|(?:我现在|现在我)在[^。，]{1,12}(?:工作|上班|上学|读)"
    r"|我的?新\S{1,8}是",
    re.IGNORECASE,
)


def corrects(message: str) -> bool:
    """Whether a message corrects or replaces something that was said before."""
    joined = _REFUSAL.sub(r"\1, ", message[:LONGEST])
    return any(_corrects(sentence) for sentence in sentences(joined))


def _corrects(sentence: str) -> bool:
    if _ASKS.search(sentence):
        return False
    opens = _OPENS.search(sentence) is not None and _CONVERSES.search(sentence) is None
    return opens or _SAYS.search(sentence) is not None
