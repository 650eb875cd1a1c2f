"""What kind of message the user sent, by its form: for models that confuse telling with asking."""

from __future__ import annotations

import re
from typing import Literal

Intent = Literal["question", "statement", "small_talk"]

_SMALL_TALK = re.compile(
    r"(?:(?:hi|hey|hello|hiya|yo|good\s+(?:morning|afternoon|evening|night)|how\s+are\s+you(?:\s+(?:doing|today))?"
    r"|thanks?(?:\s+(?:a\s+lot|so\s+much|very\s+much))?|thank\s+you(?:\s+(?:so|very)\s+much)?|cheers|great|nice|cool|perfect"
    r"|awesome|wonderful|ok(?:ay)?|got\s+it|bye|goodbye|see\s+you(?:\s+\w+)?|you'?re\s+welcome|well\s+done|good\s+job"
    r"|nice\s+to\s+meet\s+you|what'?s\s+up|who\s+are\s+you|what\s+(?:can|do)\s+you\s+do|that'?s\s+(?:great|good|nice|all)"
    r"|there|everyone|my\s+friend|lol|haha+|again|for\s+(?:that|your\s+help|the\s+help|everything))[\s,.!?~:)]*)+"
    r"|(?:(?:你好|您好|嗨|哈喽|大家好|早上好|早安|早|上午好|中午好|下午好|晚上好|晚安|谢谢(?:你|您)?(?:了|啦)?|多谢|感谢|太感谢了|辛苦了"
    r"|好的|好呀|好吧|行|嗯+|收到|明白了?|知道了|太好了|太棒了|真棒|不错|厉害|哈+|再见|拜拜|回头见|你是谁|你(?:能|会|可以)(?:做|干)(?:什么|啥)"
    r"|你叫什么(?:名字)?|最近怎么样|你好吗|吃了吗|啊|呀|啦|哦)[\s，。！？~、!?.,]*)+",
    re.IGNORECASE,
)
_ASKS_EN = re.compile(
    r"^(?:(?:and|so|but|now|please|ok(?:ay)?|hey|hi|hello|also|then|well)[\s,]+)*"
    r"(?:who|whom|whose|what|which|when|where|why|how|is|are|am|was|were|do|does|did|can|could|shall|should"
    r"|will|would|may|might|must|has|have|had|isn't|aren't|don't|doesn't|didn't|can't|tell|show|list|give|find"
    r"|calculate|compute|count|remind|explain|describe|write|draft|summari[sz]e|translate|compare|suggest"
    r"|recommend|name|define|convert|look|search|check|read|repeat|help|plan|make|create|set|add|delete|remove"
    r"|forget|erase|remember|note|save|let\s+me\s+know|let's|please)\b(?!\s+(?:i|we)\b\s+(?!have|need|do))",
    re.IGNORECASE,
)
_ASKS_ZH = re.compile(
    r"吗[。！!.]?$|呢[。！!.]?$|什么|多少|几(?!乎)[个点号岁天年月次本种位口周日楼层分页课章]|几乎?时|哪|谁(?!都)|怎么|怎样|为何|为什么|如何"
    r"|是否|能不能|可不可以|有没有|是不是|会不会|要不要|多久|多大|多长|多远|多高|多重"
    r"|^(?:请|帮我|帮忙|麻烦|告诉我|列出|列一下|计算|算一?下|算算|写|解释|说明|总结|翻译|提醒我|给我|查|找|推荐"
    r"|比较|介绍|回顾|复述|记住|记下|忘掉|忘记|删除|删掉|显示|安排|制定)",
)


def intent_of(text: str) -> Intent:
    """Return whether a message asks, tells, or is small talk."""
    plain = text.strip()
    if len(plain) < 80 and _SMALL_TALK.fullmatch(plain):
        return "small_talk"
    if plain.rstrip("\"'”’」）) ").endswith(("?", "？")):
        return "question"
    last = re.split(r"(?<=[.!。！\n])\s*", plain)
    sentences = [sentence for sentence in last if sentence.strip()] or [plain]
    if any("?" in each or "？" in each for each in sentences):
        return "question"
    asks = any(
        _ASKS_EN.search(each) or _ASKS_ZH.search(each) for each in (sentences[0], sentences[-1])
    )
    return "question" if asks else "statement"
