"""Measures how many facts the configured model reads rightly from 54 messages, en and zh.

    python scripts/measure_facts.py [--batch 8]

A fact is right when its slot and its value fit what the message says. Prints one line a message and
the rates: right of those read, and read of those that were there.
"""

from __future__ import annotations

import argparse
import re
import tempfile
from pathlib import Path

from assistant.agent.corrections import corrects
from assistant.agent.fact_queue import FactQueue
from assistant.agent.facts import FactExtractor
from assistant.app import App
from assistant.settings import Settings
from memory_store import Chunk

Expected = list[tuple[str, str]]
"""Patterns of slot and value, one pair a fact."""

MESSAGES: list[tuple[str, Expected]] = [
    (
        "I live in Lisbon with my wife Marta.",
        [
            ("city|home|live|resid|location|place", "Lisbon"),
            ("wife|spouse|partner|family|marta", "Marta"),
        ],
    ),
    (
        "My dog is called Rex and he is four years old.",
        [("dog|pet", "Rex"), ("dog|pet|age", "4|four")],
    ),
    ("What's the weather like today?", []),
    ("I'm allergic to peanuts.", [("allerg|health", "peanut")]),
    (
        "I work as a nurse at Santa Maria hospital.",
        [("job|work|occupation|profession|employer|hospital", "nurse|Santa Maria")],
    ),
    ("Thanks, that was helpful!", []),
    (
        "I am learning linear algebra and have 6 hours a week for it.",
        [("algebra|study|learn|course|hours", "6|linear algebra")],
    ),
    ("My budget for the trip to Japan is 2500 euros.", [("budget|trip|japan", "2500|Japan")]),
    ("I feel a bit tired today.", []),
    ("My sister Ana studies medicine in Porto.", [("sister|ana|family", "Ana|medicine|Porto")]),
    ("No, Coimbra. My sister studies in Coimbra.", [("sister|ana|study|city", "Coimbra")]),
    ("How do I make pancakes?", []),
    ("I drive a red Toyota Yaris.", [("car|vehicle|drive", "Toyota|Yaris|red")]),
    (
        "I get up at 6:30 every weekday.",
        [("wake|get_up|routine|morning|habit|up|schedule|rise", "6:30")],
    ),
    ("My birthday is on 14 May 1990.", [("birth|age", "14 May|1990")]),
    (
        "I'd love to visit Iceland one day.",
        [("wish|travel|dream|iceland|visit|prefer|want|trip", "Iceland")],
    ),
    (
        "My dentist is Dr. Costa and my next appointment is on 12 June.",
        [("dentist|doctor|health", "Costa"), ("dentist|appointment|health", "12 June")],
    ),
    ("Can you recommend a good book?", []),
    ("I don't eat meat.", [("diet|food|eat|vegetarian|meat|prefer", "meat|vegetarian")]),
    (
        "I have two children, Leo and Mia.",
        [("child|kid|famil|leo|mia|son|daughter", "2|two|Leo|Mia")],
    ),
    ("Leo is 7 and Mia is 10.", [("leo|child|age|mia", "7"), ("mia|child|age|leo", "10")]),
    ("I moved to Porto last month.", [("city|home|live|moved|resid|location", "Porto")]),
    ("My phone is a Pixel 8.", [("phone|device", "Pixel")]),
    ("My favourite colour is green.", [("colou?r|favou?rite|prefer", "green")]),
    ("Maybe I should buy a bike, what do you think?", []),
    (
        "I play tennis on Thursdays with Rui.",
        [("tennis|sport|hobb|thursday|rui|habit|activity", "tennis|Thursday|Rui")],
    ),
    ("Our rent is 950 euros a month.", [("rent|home|hous|expens|budget", "950")]),
    ("我住在杭州。", [("city|home|live|resid|location", "杭州")]),
    ("我家的猫叫咪咪，今年3岁。", [("cat|pet", "咪咪"), ("cat|pet|age", "3")]),
    ("今天天气怎么样？", []),
    ("我对花生过敏。", [("allerg|health", "花生")]),
    ("我在医院当护士。", [("job|work|occupation|profession", "护士|医院")]),
    ("谢谢你！", []),
    ("我在学线性代数，每周有6小时。", [("algebra|study|learn|course|hours", "6|线性代数")]),
    ("我妹妹小雨在上海读大学。", [("sister|famil|xiaoyu|study", "小雨|上海|大学")]),
    ("不对，我妹妹在南京读大学。", [("sister|famil|study|city|xiaoyu", "南京")]),
    ("怎么做番茄炒蛋？", []),
    (
        "我每天早上六点半起床。",
        [("wake|get_up|routine|morning|habit|up|rise|schedule|bed", "六点半|6:30|6点半")],
    ),
    ("我的生日是5月14日。", [("birth", "5月14日|5-14|05-14")]),
    ("我开一辆白色的比亚迪。", [("car|vehicle|drive", "比亚迪|白色")]),
    ("我今天有点累。", []),
    ("我不吃辣。", [("diet|food|eat|spic|taste|prefer|dislike", "辣")]),
    (
        "我和李雷每周四打羽毛球。",
        [("badminton|sport|hobb|activity|thursday|habit|lilei|exercise", "羽毛球|周四|李雷|四")],
    ),
    ("我的房租每个月3500元。", [("rent|home|hous|expens|budget", "3500")]),
    ("我搬到苏州了。", [("city|home|live|moved|resid|location", "苏州")]),
    ("我最喜欢的颜色是蓝色。", [("colou?r|favou?rite|prefer", "蓝")]),
    ("你能推荐一本书吗？", []),
    (
        "我有一个儿子，叫小明，今年上小学二年级。",
        [("son|child|kid|famil|ming", "小明|二年级|一个|1")],
    ),
    ("我打算明年去冰岛旅行。", [("travel|trip|plan|iceland|visit", "冰岛|明年")]),
    (
        "我的牙医是王医生，6月12日复诊。",
        [("dentist|doctor|health", "王"), ("dentist|appointment|health|visit", "6月12日")],
    ),
    ("我的预算是八千元。", [("budget|expens", "八千|8000")]),
    ("我戴眼镜，近视400度。", [("eye|glass|vision|health|myopia|sight", "400|眼镜|近视")]),
    ("It's raining here right now.", []),
    (
        "My manager is called Helen and our team has 9 people.",
        [("manager|boss|work|helen|team", "Helen|9")],
    ),
]


def fits(chunk: Chunk, expected: Expected) -> list[bool]:
    """Return for each expected fact whether the chunk is it."""
    slot, text = chunk.subject or "", chunk.text
    return [
        bool(re.search(where, slot, re.IGNORECASE) and re.search(value, text, re.IGNORECASE))
        for where, value in expected
    ]


def main() -> None:
    """Tell the messages one after the other, and read their facts in batches."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--batch", type=int, default=8)
    batch = parser.parse_args().batch
    right = wrong = found = wanted = 0
    with tempfile.TemporaryDirectory() as folder, App.open(Settings.load(Path(folder))) as app:
        extractor = FactExtractor(app.model, app.store, batch=batch)
        queue = FactQueue(app.store)
        session = app.sessions.open()
        waiting: dict[str, tuple[str, Expected]] = {}
        for number, (message, expected) in enumerate(MESSAGES, start=1):
            turn = app.agent.record(session, message)
            queue.add(session, turn, with_before=corrects(message))
            waiting[turn.id] = (message, expected)
            if len(waiting) < batch and not corrects(message) and number < len(MESSAGES):
                continue
            facts = extractor.extract()
            for turn_id, (told, meant) in waiting.items():
                own = [fits(chunk, meant) for chunk in facts if chunk.scope.turn == turn_id]
                right += sum(any(each) for each in own)
                wrong += sum(not any(each) for each in own)
                found += sum(any(each[at] for each in own) for at in range(len(meant)))
                wanted += len(meant)
                print(told, "->", [c.text for c in facts if c.scope.turn == turn_id], flush=True)
            waiting.clear()
            print(f"  so far: {right} right, {wrong} wrong; {found} of {wanted} found", flush=True)


if __name__ == "__main__":
    main()
