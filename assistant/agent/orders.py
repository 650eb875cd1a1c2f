"""Leaves out orders to the assistant that stand in memories and results, for small models.

Larger ones are told that these texts are data; a small one follows whatever order it reads last.
What the user said themselves is never touched.
"""

from __future__ import annotations

import re
from dataclasses import replace

from assistant.agent.claims import sentences
from assistant.context.wording import Language
from memory_store import Hit

_ORDER = re.compile(
    r"\b(?:ignore|disregard|forget|override)\b[^.!?\n]{0,40}"
    r"\b(?:instructions?|prompts?|rules|orders|above|previous)\b"
    r"|\b(?:answer|reply|respond|say|output)\s+(?:only|exactly|just|always|nothing\s+but)\b"
    r"|\byou\s+(?:must|have\s+to|shall)\s+(?:now\s+|always\s+)?(?:say|answer|reply|call|obey)\b"
    r"|\bcall\s+\w+_\w+|^\W*(?:system|assistant)\W*[:>]|</?system"
    r"|忽略[^。！？\n]{0,12}(?:指令|规则|提示|要求)|无视[^。！？\n]{0,12}(?:指令|规则|提示|要求)"
    r"|只(?:能|许|准|可以?)?(?:回答|回复|说|输出)(?![了过])|你(?:必须|要|得)(?:回答|回复|说|调用)|调用\s*\w+_\w+",
    re.IGNORECASE,
)
_LEFT_OUT: dict[Language, str] = {
    "en": "(an order to the assistant, left out)",
    "zh": "（对助手的指令，已略去）",
}


def without_orders(text: str, language: Language) -> str:
    """Return a text with a remark in place of each sentence that orders the assistant about."""
    kept = [
        each.replace(each.strip(), _LEFT_OUT[language]) if _ORDER.search(each) else each
        for each in sentences(text)
    ]
    return "".join(kept).strip()


def harmless(hit: Hit, language: Language) -> Hit:
    """Return a hit, and what is against it, without orders in what is not the user's own."""
    rivals = tuple(
        each if each.origin == "user" else replace(each, text=without_orders(each.text, language))
        for each in hit.against
    )
    own = hit.chunk.origin == "user"
    text = hit.text if own else without_orders(hit.text, language)
    return replace(hit, text=text, against=rivals)
