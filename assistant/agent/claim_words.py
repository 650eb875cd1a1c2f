"""The words, English and Chinese, by which claims in an answer are recognised (see `claims`)."""

from __future__ import annotations

import re

from assistant.months import MONTHS


def _any(*patterns: str) -> re.Pattern[str]:
    return re.compile("|".join(patterns), re.IGNORECASE)


_DONE_BY = (
    r"\b(?:i'?ve|i\s+have|i|it'?s|it\s+(?:is|has\s+been|was)|that'?s|(?:has|have)\s+been|was|were"
    r"|(?:is|are)\s+now|successfully)\s+(?:(?:been|now|just|already|successfully|also)\s+)*"
)
_DONE_ZH = r"已(?:经)?(?:帮你|帮您|为你|为您|给你|给您)?(?:成功)?(?:把\S{1,12})?"

PROMISE = _any(
    r"\b(?:let\s+me|i'?ll|i\s+will|i\s+am\s+going\s+to|i'?m\s+going\s+to|allow\s+me\s+to)\s+"
    r"(?:(?:now|just|quickly|first|go\s+ahead\s+and)\s+)*"
    r"(?:look|check|search|find|fetch|get|call|calculate|compute|see|query|retrieve|use\s+the|pull"
    r"|verify)\b",
    r"\b(?:one|just\s+a)\s+moment\b",
    r"\bplease\s+wait\b",
    r"\bhold\s+on\b",
    r"(?:我|让我|我来|我去|我先|我会|我将|我现在|我马上|我这就)"
    r"(?:来|去|先|现在|马上|这就|帮你|为你|给你|帮您|为您)*"
    r"(?:查|看|搜|找|算|计算|检索|调用|获取|确认)(?:一查|一看|一下|询|看|找|一算|索)?(?!到|过|了)",
    r"(?:请)?稍等",
    r"马上(?:就)?查",
)
"""The model says what it is about to do."""

OFFER = _any(
    r"\b(?:if|once|would\s+you|do\s+you\s+want|shall\s+i|should\s+i|let\s+me\s+know|want\s+me)\b",
    r"如果|要不要|需要我|是否",
)
"""A condition or an offer, not a claim."""

SAVED = _any(
    _DONE_BY + r"(?:saved|stored|remembered|recorded|memorized|noted\s+(?:down|in\s+memory)"
    r"|added\s+(?:(?:it|this|that)\s+)?to\s+(?:my|your|the)\s+(?:memory|notes?))\b",
    r"\bi(?:'?ll|\s+will)\s+remember\b",
    r"^(?:saved|stored|remembered|recorded)\b",
    _DONE_ZH + r"(?:保存|记住|记下|存储|存好|记录|存档)",
    r"(?:记住|记下来?|保存好?)了",
    r"我会记住",
    r"已添加到(?:记忆|备忘)",
)
DELETED = _any(
    _DONE_BY + r"(?:deleted|removed|erased|forgotten|cleared)\b",
    r"^(?:deleted|removed|erased|forgotten)\b",
    _DONE_ZH + r"(?:删除|删掉|清除|移除|忘掉|抹去)",
    r"(?:删除|删掉|忘掉)了",
)
DONE = _any(
    r"\b(?:i'?ve|i\s+have|(?:has|have)\s+been|successfully)\s+"
    r"(?:(?:been|now|just|already|successfully)\s+)*"
    r"(?:sent|booked|ordered|scheduled|updated|created|set\s+up|cancell?ed|purchased|paid)\b",
    _DONE_ZH + r"(?:发送|预订|预定|订好|下单|安排|更新|创建|设置|取消|支付|提交)",
)
SAVERS = _any(r"remember|save|store|record|log|note|add|write|create|set|update|plan|memor|remind")
DELETERS = _any(r"forget|delete|remove|erase|clear|cancel")
ANY_TOOL = _any(r".")

UNSURE = _any(
    r"\b(?:do\s*n[o']t|do\s+not|does\s*n[o']t|did\s*n[o']t|have\s*n[o']t|have\s+not|has\s+not)\b",
    r"\b(?:can'?t|cannot|could\s*n[o']t|unable|unknown|failed)\b",
    r"\bnot\s+(?:sure|able|available|yet|been)\b|\bno\s+(?:information|data|current|tool)\b",
    r"\bout\s+of\s+date\b|\bas\s+of\b|\blast\s+known\b|[?？]",
    r"无法|不知道|不清楚|不确定|没有|未能|不能|过时|截至|失败|请问",
)
"""The sentence admits that it is not known, or was not done."""

UNKNOWN = _any(
    r"\b(?:do\s*n[o'’]?t|do\s+not|did\s*n[o'’]?t)\s+(?:\w+\s+)?(?:know|have\s+(?:any\s+)?information)\b",
    r"不知道|不清楚|没有(?:相关|这方面的?|任何)?(?:信息|记录)",
)
"""The sentence says that the answer is not known."""

ADMISSION = _any(
    r"\bI(?:\s+am|'m)?\s+(?:\w+\s+){0,2}?(?:do\s*n[o'’]?t|do\s+not|not)\s+(?:\w+\s+){0,2}?"
    r"(?:know|sure|aware|have\s+(?:\w+\s+){0,3}(?:information|records?|memor(?:y|ies)))\b",
    r"^\s*(?:抱歉|对不起|很遗憾|不好意思)?[，,\s]*(?:我|目前|暂时|现在|还|也|这里|并)*"
    r"(?:不知道|不清楚|不确定|没有(?:关于.{1,20})?(?:的)?(?:相关|这方面的?|任何)?(?:信息|记录))",
)
"""The assistant says of itself that it does not know."""

TODAY = _any(
    r"\b(?:today|it)\s+is\s+(?:(?:mon|tues|wednes|thurs|fri|satur|sun)day\b"
    r"|(?:the\s+)?\d{1,2}(?:st|nd|rd|th)\b|\d{4}-\d\d|\d{1,2}:\d\d"
    rf"|(?:{'|'.join(MONTHS)})[a-z]*\s+\d)",
    r"\btoday'?s\s+date\s+is\b|\bcurrent\s+(?:time|date)\s+is\b",
    r"今天是?(?:\d{4}年|\d{1,2}月|星期|周[一二三四五六日天])",
    r"现在是?(?:上午|下午|晚上|早上|凌晨|中午)?\d{1,2}[:：点]",
)
"""The sentence states today's date or the time."""

VALUE = _any(
    r"\d",
    r"\b(?:sunny|rain\w*|cloud\w*|snow\w*|warm|cold|windy|in\s+stock|sold\s+out|none\s+left|zero"
    r"|(?:is|are)\s+open|(?:is|are)\s+closed)\b",
    r"晴|雨|雪|多云|阴天|有货|缺货|售罄|[零一二两三四五六七八九十百]+[件个度元块]",
)
"""The sentence states a value."""

NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
"""A figure, as two texts may share it."""

COMMON = frozenset({
    "the", "and", "for", "you", "are", "how", "what", "many", "much", "get", "that", "thi", "with",
    "from", "have", "ha", "can", "which", "when", "where", "who", "doe", "did", "wa", "our", "your",
    "tell", "give", "now", "current", "today", "there", "any", "all", "not", "its", "their",
})  # fmt: skip
"""Words that say nothing about a matter (without their s)."""
