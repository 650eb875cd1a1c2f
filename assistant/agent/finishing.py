"""What a reply's finish reason makes of it: cut off at its length, or withheld by a filter."""

from __future__ import annotations

import json

from assistant.agent.protocols.protocol import Answer, Calls, Reading, Unreadable
from assistant.context.wording import Language
from assistant.messages import ToolCall
from assistant.model.chat_model import ModelReply

_CUT_CALL = {
    "en": "Your reply was cut off before the call was complete. Make it shorter.",
    "zh": "你的回复在调用写完之前被截断了。请写短一些。",
}
_CUT_ANSWER = {
    "en": "The answer was cut off at the reply reserve; raise it for longer answers.",
    "zh": "回答达到了回复长度上限，被截断；可以调大上限。",
}
_WITHHELD = {
    "en": "The model's provider withheld the reply (content filter).",
    "zh": "模型提供方拦截了这次回复（内容过滤）。",
}


def finished(reply: ModelReply, reading: Reading, language: Language) -> tuple[Reading, str]:
    """Return the reading as the finish reason leaves it, and what the user is told of it."""
    if reply.finish == "length":
        match reading:
            case Answer(text):
                return Answer(f"{text} …"), _CUT_ANSWER[language]
            case Calls(calls=calls) if any(map(_broken, calls)):
                # Repaired, it would be another call than the one that was meant.
                return Unreadable(reply.text, _CUT_CALL[language]), ""
            case _:
                pass
    if reply.finish == "content_filter" and not isinstance(reading, Calls):
        if isinstance(reading, Answer):
            return reading, _WITHHELD[language]
        return Answer(_WITHHELD[language], "failed"), ""
    return reading, ""


def _broken(call: ToolCall) -> bool:
    try:
        json.loads(call.arguments or "{}")
    except ValueError:
        return True
    return False
