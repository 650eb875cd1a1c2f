"""A long conversation that is made up: small talk with facts in between, asked about at the end."""

from __future__ import annotations

import random
from datetime import UTC, datetime, timedelta
from typing import Any

_FACTS = (
    ("My locker at the pool is number {}.", "What is the number of my locker at the pool?"),
    ("The dentist charged {} euros for the filling.", "How much did the dentist charge me?"),
    ("I parked the car on level {} of the garage.", "On which level of the garage is the car?"),
    ("My sister's new flat has {} square metres.", "How large is my sister's new flat?"),
    ("The boiler's service code is {}.", "What is the service code of the boiler?"),
    ("We sold {} tickets for the school concert.", "How many tickets for the concert were sold?"),
    ("The parcel's tracking number ends in {}.", "How does the parcel's tracking number end?"),
    ("Our bike trip along the river was {} kilometres.", "How long was the bike trip?"),
    ("The allotment costs {} euros a year.", "What does the allotment cost a year?"),
    ("Grandmother's recipe takes {} grams of butter.", "How much butter is in the recipe?"),
    ("我的健身房储物柜是{}号。", "我健身房的储物柜是几号？"),
    ("妈妈的新药每次吃{}毫克。", "妈妈的新药一次吃多少毫克？"),
    ("去苏州的高铁票花了{}块。", "去苏州的高铁票多少钱？"),
    ("书架的第{}层放着相册。", "相册放在书架的第几层？"),
    ("小区健身卡一年{}块。", "小区的健身卡一年多少钱？"),
    ("论文已经写了{}页。", "我的论文写了多少页？"),
)
_TALK = (
    "I read a chapter about {} this morning and it went well, though the middle was slow.",
    "Could you explain again what people mean when they speak of {}? I keep mixing it up.",
    "A colleague told me about {} over lunch; I would like to look into it some day.",
    "The weather was fine, so I walked for an hour and thought about {} on the way.",
    "今天又看了一会儿{}，有些地方还是不太明白，明天再继续。",
    "朋友推荐我了解一下{}，说以后会用得上。",
)
_ANSWERS = (
    "That sounds like a good day. With {} it helps to begin with one small example, to work it"
    " through by hand, and to write down in your own words what surprised you.",
    "In short, {} is easier when you look at what it is for. People met a problem first, and the"
    " idea came later; so begin with the problem and the idea will feel natural.",
    "关于{}，可以先从一个简单的例子入手，把每一步写下来，再和书上的说法对照，这样印象会更深。",
)
_SUBJECTS = (
    "matrix ranks", "tide tables", "bread starters", "old maps", "bird songs", "tax brackets",
    "bridge building", "sleep rhythms", "poetry metres", "garden soil", "概率论", "古代建筑",
    "茶叶的分类", "城市交通", "天气预报", "摄影构图",
)  # fmt: skip


def long_talk(turns: int = 500, facts: int = 16, seed: int = 3) -> dict[str, Any]:
    """Return a conversation in the corpora's form: `facts` of its turns are asked about.

    They are spread evenly; the others are small talk, English and Chinese, three a day.
    """
    rng = random.Random(seed)
    places = {round((n + 0.5) * turns / facts): n for n in range(min(facts, len(_FACTS)))}
    order = rng.sample(range(len(_FACTS)), len(_FACTS))
    start = datetime(2026, 1, 5, 9, tzinfo=UTC)
    records: list[dict[str, Any]] = []
    questions: list[dict[str, Any]] = []
    for turn in range(turns):
        said, question = rng.choice(_TALK).format(rng.choice(_SUBJECTS)), None
        if turn in places:
            text, question = _FACTS[order[places[turn]]]
            said = text.format(rng.randrange(11, 999))
        answer = rng.choice(_ANSWERS).format(rng.choice(_SUBJECTS))
        at = start + timedelta(hours=8 * turn)
        for who, text in (("user", said), ("assistant", "Noted." if question else answer)):
            records.append(
                {
                    "id": f"{turn}-{who}",
                    "session": "talk",
                    "time": at.isoformat(),
                    "who": who,
                    "kind": "turn",
                    "text": text,
                }
            )
        if question:
            questions.append(
                {
                    "id": f"q{turn}",
                    "text": question,
                    "category": "fact",
                    "evidence": [f"{turn}-user"],
                    "answer": said,
                    "answerable": True,
                }
            )
    return {
        "id": "long talk",
        "dataset": "made up",
        "lang": "en",
        "records": records,
        "questions": questions,
    }
