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

NUMBER = r"(?P<count>\d{1,3}(?:,\d{3})+|\d{1,5}|[一二两三四五六七八九十]{1,3}|好?几|数|半)"
UNIT = r"(?P<unit>个?(?:小时|钟头)|分钟|天|日|周|个?(?:星期|礼拜)|个?月|年)"
MONTH_NUMBER = r"(?:1[0-2]|0?[1-9]|十[一二]?|[一二三四五六七八九])"
_SHORT_YEAR = (  # 25年3月, while 25年 alone is a length
    rf"(?<![\d.第满近约])\d\d(?=年的?(?:{MONTH_NUMBER}月|[春夏秋冬][天季]|[上下]半年"
    r"|第?[一二三四1-4]季度|年[初中底末]))"
)
YEAR_DIGITS = (
    r"(?:(?<![\d.])(?:19|20)\d\d|二[〇零]\d\d|二[〇零][〇零一二三四五六七八九]{2}"
    rf"|{_SHORT_YEAR})年"
)
YEAR_WORD = (
    r"(?:大前年|上一年|(?<![以之从目])前年|(?<!过)去年|(?<!如)今年|明年|(?<![以之税])后年)"
    r"(?![轻纪龄级])"
)
YEAR = rf"(?P<year>{YEAR_DIGITS}|{YEAR_WORD})"
MONTH = (
    rf"(?P<month>(?<![\d.一二三四五六七八九十两每满]){MONTH_NUMBER})月"
    r"(?!天(?![气天])|河|球|之内|以内|之久|(?<=(?<![十在年])一月)(?:内(?![容部])|多少(?![号天])|[两三四五几]次))"
)
DAY_NUMBER = r"(?:3[01]|[12]\d|0?[1-9]|三十一?|二?十[一二三四五六七八九]?|[一二三四五六七八九])"
DAY_OF = rf"(?P<day>{DAY_NUMBER})[日号](?!线|楼|店|院|室|机|房|门|馆|路|桌|车|厅|舱|球)"
TO = r"\s*(?:到|至|—|–|-|~)\s*"
AND = r"(?:和|、|及|与)"
LUNAR_DAY = r"[一二三四五六七八九十](?![一二三四五六七八九十共直起定些样般个次天场])"
PART = rf"(?P<part>初(?!{LUNAR_DAY})|中旬|中(?![秋国文午学间考心的])|下旬|上旬|底|末)?"
NTH = r"第?(?P<nth>[一二三四1-4]|最后一)个?"
WEEK = r"个?(?:周|星期|礼拜)"
_GOES_ON = (  # 上周 and 一共, 日程, 天气, 三次 rather than 上周一, 上周日, 上周天, 上周三
    r"(?<=一)(?:共|直(?![播接])|起(?!床)|定(?![了好的])|些|样|般|同(?![学事])|切|边|下(?![午班课雨雪]))"
    r"|(?<=日)(?:程|历|志|均|常|报(?![名到销])|记(?![得录住]))|(?<=天)(?:子|气|天(?!气))"
    r"|[次遍趟餐顿圈个件篇]|天(?!气)|场(?!地)|项(?!目)|门(?![诊票口])|十(?![一二]?[点时])|[百千万]"
)
WEEKDAY = rf"(?P<weekday>[一二三四五六日天])(?!{_GOES_ON})"
YEAR_SHIFTS = {"大前": -3, "上一": -1, "前": -2, "去": -1, "今": 0, "明": 1, "后": 2}
SHIFTS = {"上上": -2, "上": -1, "这": 0, "本": 0, "下": 1, "下下": 2}
SHIFT = r"(?P<shift>上上|上|这|(?<![基根])本|下下|下)(?:一(?=[个周季月]))?"
NAMES = (
    r"《[^《》]{1,40}》|(?:黑色|疯狂|快乐)星期[一二三四五六日天]|星期[一二三四五六日天]餐厅|南方周末"
    rf"|(?:{MONTH_NUMBER}月|[正腊]月|大年)初{LUNAR_DAY}|([三五六七九])月\1(?![日号十百千万个次天到至])"
    r"|五月花号|六月雪|七月流火|十月(?:怀胎|革命)|三月不知|圣诞(?:老人|树|岛)"
)
"""Words that hold a time word and name no day: titles, days of the moon's calendar, sayings."""
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

OVER = re.compile(r"了(?![吗么没解])|曾|(?<![再不])过(?![敏年节期程])")
FUTURE = re.compile(
    r"将要|即将|打算|接下来|计划(?:在|于)|准备在|下一次|提醒我"
    rf"|\A(?![\s\S]*(?:{OVER.pattern}|[说聊讲写做]的))[\s\S]*(?:有(?:什么|哪些|没有|啥)?(?:安排|空)"
    r"|(?<![说想提])要(?:交|做|去|见|完成|参加|准备|提交|付)"
    r"|(?:周|星期|礼拜)[一二三四五六日天末](?:(?:之|以)?前|为止))"
)
HABIT = re.compile(r"通常|平时|一般|每[天周月年个到逢]|经常|习惯|总是|往往|常常")
_SAID = "[的是叫住在用说提聊问讲给做有养学喜想告讨推]"
PAST = re.compile(
    rf"(?:^|[我你他她它们咱家的，,。？?！!；;\s])(?:之前|以前|过去(?!了|吧|一趟))"
    rf"|(?<![底末月日号天周一二三四五六])(?:之前|以前){_SAID}|过去(?:的|是|住|叫|喜)"
    r"|原来(?!如此|是这样|这样|呢)|曾经|从前|当初|(?<![周期拜])一开始|最早的|起先|最初|起初|当时|早先|先前|那时候?|往年|历年"
    r"|历史(?:记录|版本|变化)|怎么变|变化过程|有(?:过)?(?:什么|哪些)变化|旧的"
)


def number(text: str) -> float:
    """The number that digits or Chinese numerals below 100 name; 几 is 3, 半 is a half.

    Raises:
        ValueError: `text` is no such number.
    """
    digits = text.replace(",", "")
    if digits.isdigit():
        return int(digits)
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
