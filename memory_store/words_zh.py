"""Chinese words for months, weekdays, numbers and units, and the cues of past and future."""

from __future__ import annotations

import re

DIGITS = {
    digit: value
    for value, digits in enumerate(("零〇", "一", "二两", "三", "四", "五", "六", "七", "八", "九"))
    for digit in digits
}
FULL_WIDTH = str.maketrans("０１２３４５６７８９：－～", "0123456789:-~")
"""One character for one character, so that positions in the text stay right."""

NUMBER = r"(?P<count>\d{1,4}|[一二两三四五六七八九十]{1,3}|好?几|数|半)"
UNIT = r"(?P<unit>个?(?:小时|钟头)|分钟|天|日|周|个?(?:星期|礼拜)|个?月|年)"
YEAR_DIGITS = r"(?:(?<![\d.])(?:19|20)\d\d|二[〇零]\d\d|二[〇零][〇零一二三四五六七八九]{2})年"
YEAR_WORD = (
    r"(?:大前年|上一年|(?<![以之从])前年|(?<!过)去年|(?<!如)今年|明年|(?<![以之])后年)(?![轻纪龄])"
)
YEAR = rf"(?P<year>{YEAR_DIGITS}|{YEAR_WORD})"
MONTH_NUMBER = r"(?:1[0-2]|0?[1-9]|十[一二]?|[一二三四五六七八九])"
MONTH = rf"(?P<month>(?<![\d.一二三四五六七八九十两]){MONTH_NUMBER})月(?!天(?!气)|河|球)"
DAY_NUMBER = r"(?:3[01]|[12]\d|0?[1-9]|三十一?|二?十[一二三四五六七八九]?|[一二三四五六七八九])"
DAY_OF = rf"(?P<day>{DAY_NUMBER})[日号](?!线|楼|店|院|室|机|房|门|馆|路|桌|车|厅|舱|球)"
TO = r"\s*(?:到|至|—|–|-|~)\s*"
AND = r"(?:和|、|及|与)"
PART = r"(?P<part>初|中旬|中(?![秋国文午学间考心的])|下旬|上旬|底|末)?"
NTH = r"第?(?P<nth>[一二三四1-4]|最后一)个?"
WEEK = r"个?(?:周|星期|礼拜)"
WEEKDAY = r"(?P<weekday>[一二三四五六日天])"
YEAR_SHIFTS = {"大前": -3, "上一": -1, "前": -2, "去": -1, "今": 0, "明": 1, "后": 2}
SHIFTS = {"上上": -2, "上": -1, "这": 0, "本": 0, "下": 1, "下下": 2}
SHIFT = r"(?P<shift>上上|上|这|本|下下|下)(?:一(?=个|周))?"
WEEKDAYS = "一二三四五六日"
PARTS = {"初": 0, "上旬": 0, "中": 1, "中旬": 1, "下旬": 2, "底": 2, "末": 2}
SEASONS = {"春": 3, "夏": 6, "秋": 9, "冬": 12}
UNITS = {
    "小时": "hour", "钟头": "hour", "分钟": "minute", "天": "day", "日": "day", "周": "week",
    "星期": "week", "礼拜": "week", "月": "month", "年": "year", "季度": "quarter",
}  # fmt: skip
HOLIDAYS = {
    "元旦": (1, 1, 1), "情人节": (2, 14, 1), "妇女节": (3, 8, 1), "愚人节": (4, 1, 1),
    "五一": (5, 1, 5), "劳动节": (5, 1, 5), "青年节": (5, 4, 1), "儿童节": (6, 1, 1),
    "六一": (6, 1, 1), "建军节": (8, 1, 1), "教师节": (9, 10, 1), "国庆": (10, 1, 7),
    "十一": (10, 1, 7), "万圣节": (10, 31, 1), "双十一": (11, 11, 1), "双11": (11, 11, 1),
    "平安夜": (12, 24, 1), "圣诞": (12, 25, 1),
}  # fmt: skip
"""Holidays of a fixed date: month, day, and how many days long."""

FUTURE = re.compile(r"将要|即将|打算|接下来|计划(?:在|于)|准备在|下一次|提醒我")
HABIT = re.compile(r"通常|平时|一般|每[天周月年个到逢]|经常|习惯|总是|往往|常常")
_SAID = "[的是叫住在用说提聊问讲给做有养学喜想告讨推]"
PAST = re.compile(
    rf"(?:^|[我你他她它们咱家的，,。？?！!；;\s])(?:之前|以前|过去(?!了|吧|一趟))"
    rf"|(?:之前|以前){_SAID}|过去(?:的|是|住|叫|喜)"
    r"|原来(?!如此|是这样|这样|呢)|曾经|从前|当初|一开始|最早的|起先|最初|起初|当时|早先|先前|那时候?|往年|历年"
    r"|历史(?:记录|版本|变化)|怎么变|变化过程|有(?:过)?(?:什么|哪些)变化|旧的"
)


def number(text: str) -> float:
    """The number that digits or Chinese numerals below 100 name; 几 is 3, 半 is a half.

    Raises:
        ValueError: `text` is no such number.
    """
    if text.isdigit():
        return int(text)
    if text in ("半", "几", "好几", "数"):
        return 0.5 if text == "半" else 3
    tens, ten, ones = text.rpartition("十")
    if not ten:
        tens, ones = "", text
    if len(tens) > 1 or len(ones) > 1:
        raise ValueError(f"{text} is not a number below 100")
    return 10 * (DIGITS[tens] if tens else bool(ten)) + (DIGITS[ones] if ones else 0)


def whole(text: str) -> int:
    """`number` as an integer."""
    return int(number(text))


def unit_name(text: str) -> str:
    """The English name of a Chinese unit, as `calendar_days` takes it."""
    return UNITS[text.removeprefix("个")]
