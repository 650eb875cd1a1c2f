"""Chinese time expressions, as rules: a pattern, and the local days that a match names."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date
from functools import cache

from memory_store.calendar_days import (
    DAY,
    Days,
    Here,
    back,
    calendar_unit,
    day_near,
    month_near,
    months,
    one_day,
    shifted,
    third,
    week_of,
    weekday_near,
    weekend_near,
    weekend_of,
    year_of,
)

Resolve = Callable[[re.Match[str], Here], Days | None]
Rule = tuple[re.Pattern[str], Resolve]

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
YEAR_WORD = r"(?:大前年|(?<![以之从])前年|(?<!过)去年|(?<!如)今年|明年|(?<![以之])后年)(?![轻纪龄])"
YEAR = rf"(?P<year>{YEAR_DIGITS}|{YEAR_WORD})"
MONTH_NUMBER = r"(?:1[0-2]|0?[1-9]|十[一二]?|[一二三四五六七八九])"
MONTH = rf"(?P<month>(?<![\d.一二三四五六七八九十两]){MONTH_NUMBER})月(?!天(?!气)|河|球)"
DAY_NUMBER = r"(?:3[01]|[12]\d|0?[1-9]|三十一?|二?十[一二三四五六七八九]?|[一二三四五六七八九])"
DAY_OF = rf"(?P<day>{DAY_NUMBER})[日号](?!线|楼|店)"
TO = r"\s*(?:到|至|—|–|-|~|和|、)\s*"
PART = r"(?P<part>初|中旬|中|下旬|上旬|底|末)?"
WEEK = r"(?:周|个?星期|个?礼拜)"
WEEKDAY = r"(?P<weekday>[一二三四五六日天])"
YEAR_SHIFTS = {"大前": -3, "前": -2, "去": -1, "今": 0, "明": 1, "后": 2}
SHIFTS = {"上上": -2, "上": -1, "这": 0, "本": 0, "下": 1, "下下": 2}
SHIFT = r"(?P<shift>上上|上|这|本|下下|下)(?:一(?=个|周))?"
WEEKDAYS = "一二三四五六日"
PARTS = {"初": 0, "上旬": 0, "中": 1, "中旬": 1, "下旬": 2, "底": 2, "末": 2}
SEASONS = {"春": 3, "夏": 6, "秋": 9, "冬": 12}
UNITS = {
    "小时": "hour",
    "钟头": "hour",
    "分钟": "minute",
    "天": "day",
    "日": "day",
    "周": "week",
    "星期": "week",
    "礼拜": "week",
    "月": "month",
    "年": "year",
    "季度": "quarter",
}
HOLIDAYS = {
    "元旦": (1, 1, 1),
    "情人节": (2, 14, 1),
    "妇女节": (3, 8, 1),
    "愚人节": (4, 1, 1),
    "五一": (5, 1, 5),
    "劳动节": (5, 1, 5),
    "青年节": (5, 4, 1),
    "儿童节": (6, 1, 1),
    "六一": (6, 1, 1),
    "建军节": (8, 1, 1),
    "教师节": (9, 10, 1),
    "国庆": (10, 1, 7),
    "十一": (10, 1, 7),
    "万圣节": (10, 31, 1),
    "双十一": (11, 11, 1),
    "双11": (11, 11, 1),
    "平安夜": (12, 24, 1),
    "圣诞": (12, 25, 1),
}

FUTURE = re.compile(r"将要|即将|打算|接下来|计划(?:在|于)|准备在|下一次|提醒我")
HABIT = re.compile(r"通常|平时|一般|每[天周月年个到逢]|经常|习惯|总是|往往|常常")
_SAID = "[的是叫住在用说提聊问讲给做有养学喜想告讨推]"
PAST = re.compile(
    rf"(?:^|[我你他她它们咱家的，,。？?！!；;\s])(?:之前|以前|过去(?!了|吧|一趟))"
    rf"|(?:之前|以前){_SAID}|过去(?:的|是|住|叫|喜)"
    r"|原来(?!如此|是这样|这样|呢)|曾经|从前|当初|最初|起初|当时|早先|先前|那时候?|往年|历年"
    r"|历史(?:记录|版本|变化)|怎么变|变化过程|有(?:过)?(?:什么|哪些)变化|旧的"
)


@cache
def rules() -> tuple[Rule, ...]:
    """Every rule. Where matches overlap, the longest one wins."""
    return tuple((re.compile(pattern), resolve) for pattern, resolve in _RULES)


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


def _year(text: str | None, here: Here) -> int | None:
    if not text:
        return None
    word = text.removesuffix("年")
    if word in YEAR_SHIFTS:
        return here.today.year + YEAR_SHIFTS[word]
    return int("".join(str(DIGITS.get(digit, digit)) for digit in word))


def _part(match: re.Match[str], days: Days) -> Days:
    part = match["part"]
    return third(days, PARTS[part]) if part else days


def _month(match: re.Match[str], here: Here) -> Days | None:
    first, year = whole(match["month"]), _year(match["year"], here)
    count = 1
    if match["last"]:
        count = (whole(match["last"]) - first) % 12 + 1
    days = month_near(here, first, count) if year is None else months(year, first, count)
    return _part(match, days)


def _dated(match: re.Match[str], here: Here) -> Days | None:
    month, day, year = whole(match["month"]), whole(match["day"]), _year(match["year"], here)
    last_month = whole(match["last_month"]) if match["last_month"] else month
    last_day = whole(match["last"]) if match["last"] else day
    if year is None:
        year = day_near(here, last_month, last_day).first.year - (last_month < month)
    end = date(year + (last_month < month), last_month, last_day)
    return Days(date(year, month, day), end + DAY)


def _day_of_month(match: re.Match[str], here: Here) -> Days | None:
    offset = SHIFTS[match["shift"]] if match["shift"] else 0
    month = months(here.today.year, here.today.month + offset).first
    found = month.replace(day=whole(match["day"]))
    if not match["shift"] and not here.ahead and found > here.today:
        found = months(month.year, month.month - 1).first.replace(day=found.day)
    elif not match["shift"] and here.ahead and found < here.today:
        found = months(month.year, month.month + 1).first.replace(day=found.day)
    return one_day(found)


def _iso(match: re.Match[str], here: Here) -> Days | None:
    return one_day(date(_year(match["year"], here) or 0, int(match["m"]), int(match["d"])))


def _shifted_unit(match: re.Match[str], here: Here) -> Days | None:
    return _part(match, calendar_unit(here, unit_name(match["unit"]), SHIFTS[match["shift"]]))


def _weekday(match: re.Match[str], here: Here) -> Days | None:
    weekday = WEEKDAYS.index(match["weekday"].replace("天", "日"))
    if match["shift"]:
        monday = week_of(here.today).first + 7 * DAY * SHIFTS[match["shift"]]
        return one_day(monday + DAY * weekday)
    return None if here.habit else weekday_near(here, weekday)


def _weekend(match: re.Match[str], here: Here) -> Days | None:
    if match["shift"]:
        weekend, weeks = weekend_of(here.today), 7 * DAY * SHIFTS[match["shift"]]
        return Days(weekend.first + weeks, weekend.after + weeks)
    return None if here.habit else weekend_near(here)


def _ago(match: re.Match[str], here: Here) -> Days | None:
    count, unit = number(match["count"]), unit_name(match["unit"])
    if match["half"]:
        count += 0.5
    if match["count"][-1] in "几数":
        return Days(back(here, count + 2, unit).first, back(here, count - 1, unit).after)
    return back(here, count, unit)


def _rolling(match: re.Match[str], here: Here) -> Days | None:
    """前两周, 最近三天: the N units up to now; 前 leaves today out."""
    count, unit = number(match["count"]), unit_name(match["unit"])
    if match["count"][-1] in "几数":
        count += 2
    lead = match["lead"]
    after = here.today if lead == "前" else here.today + DAY
    if lead.startswith(("未来", "接下来")):
        return Days(here.today, shifted(here, count, unit) + DAY)
    return Days(shifted(here, -count, unit), after)


def _calendar_year(match: re.Match[str], here: Here) -> Days | None:
    year = _year(match["year"], here) or here.today.year
    half, season, quarter = match["half"], match["season"], match["quarter"]
    if half:
        return months(year, 1 if half[0] == "上" else 7, 6)
    if season:
        return months(year, SEASONS[season[0]], 3)
    if quarter:
        return months(year, whole(quarter) * 3 - 2, 3)
    return _part(match, year_of(year))


def _quarter(match: re.Match[str], here: Here) -> Days | None:
    return month_near(here, whole(match["quarter"]) * 3 - 2, 3)


def _holiday(match: re.Match[str], here: Here) -> Days | None:
    month, day, length = HOLIDAYS[
        match["holiday"].removesuffix("节")
        if match["holiday"][:2] in ("国庆", "圣诞")
        else match["holiday"]
    ]
    year = _year(match["year"], here)
    if year is None:
        year = day_near(here, month, day).first.year
    first = date(year, month, day)
    return Days(first, first + length * DAY)


def _days_off(first: int, last: int | None = None) -> Resolve:
    def resolve(match: re.Match[str], here: Here) -> Days:
        end = first if last is None else last
        return Days(here.today + DAY * first, here.today + DAY * (end + 1))

    return resolve


_RULES: tuple[tuple[str, Resolve], ...] = (
    (r"(?<!如)今(?:天(?!真)|日(?!头条)|早|晚|晨|儿个)|刚才", _days_off(0)),
    (r"昨(?:天|晚|夜|儿个|日(?!重现|之|世界))", _days_off(-1)),
    (r"(?<![从以之目生眼面大])前(?:天(?!气|天|空|文|真)|晚)", _days_off(-2)),
    (r"大前天", _days_off(-3)),
    (r"(?<![聪光文透说证声])明(?:天(?!真)|早|晚|日(?!方舟|香|之|报))", _days_off(1)),
    (r"(?<![以之然最今大])后天(?!气|天|空|性|努力|培养|因素|的努力)", _days_off(2)),
    (r"大后天", _days_off(3)),
    (r"(?:前些|前阵子|前一阵子?|前段时间)天?", _days_off(-30, -1)),
    (r"这(?:几|两|些)天", _days_off(-5, 0)),
    (
        r"(?<!\d)(?P<year>(?:19|20)\d\d)(?P<sep>[-/.])(?P<m>0?[1-9]|1[0-2])(?P=sep)"
        r"(?P<d>0?[1-9]|[12]\d|3[01])(?![\d-])",
        _iso,
    ),
    (rf"(?:{YEAR}的?)?{MONTH}份?(?:{TO}(?P<last>{MONTH_NUMBER})月份?)?{PART}", _month),
    (
        rf"(?:{YEAR}的?)?{MONTH}(?P<day>{DAY_NUMBER})[日号]?"
        rf"{TO}(?:(?P<last_month>{MONTH_NUMBER})月)?(?P<last>{DAY_NUMBER})[日号]",
        _dated,
    ),
    (rf"(?:{YEAR}的?)?{MONTH}{DAY_OF}(?P<last_month>)(?P<last>)", _dated),
    (rf"{SHIFT}个?月的?{DAY_OF}", _day_of_month),
    (
        rf"(?:(?<=[在于从到至我你他她这])|^)(?P<shift>){DAY_OF}(?=[^楼线店院室机房门馆路桌位车厅舱码球]|$)",
        _day_of_month,
    ),
    (
        rf"(?<![一二两三四五六七八九十几每隔半不身早晚]){SHIFT}(?P<unit>个?月){PART}(?!球|台|亮|光|饼)",
        _shifted_unit,
    ),
    (
        rf"(?<![一二两三四五六七八九十几每半不身早晚]){SHIFT}(?P<unit>周|个?星期|个?礼拜|个?季度)"
        r"(?P<part>)(?!边|围|长|到|岁|年|遍)",
        _shifted_unit,
    ),
    (rf"(?P<shift>上上|上|这|本|下下|下){WEEK}{WEEKDAY}", _weekday),
    (
        rf"(?<![一二两三四五六七八九十几每个隔第\d])(?P<shift>)(?:周|星期|礼拜){WEEKDAY}"
        r"(?!次|回|遍|趟|常|圈|围|边|个|起)",
        _weekday,
    ),
    (r"(?P<shift>上上|上|这|本|下下|下)个?(?:周|星期)末", _weekend),
    (r"(?<![每个])(?P<shift>)周末(?!愉快)", _weekend),
    (
        rf"(?<![第\d.]){NUMBER}{UNIT}(?P<half>半)?(?:以|之)?前(?![\w]?端|后|台|面|任|卫|锋|言|往|天)",
        _ago,
    ),
    (rf"(?<![之以从目生])(?P<lead>前){NUMBER}(?P<unit>天|周|个(?:星期|礼拜|月)|年)", _rolling),
    (
        rf"(?P<lead>(?:在?过去|最近|近|这|未来|接下来)的?){NUMBER}(?P<unit>天|周|个(?:星期|礼拜|月|小时)|年)",
        _rolling,
    ),
    (
        rf"{YEAR}的?(?:(?P<half>[上下]半年)|(?P<season>[春夏秋冬][天季])"
        rf"|第?(?P<quarter>[一二三四1-4])季度|{PART})",
        _calendar_year,
    ),
    (
        r"(?P<year>)(?<![\w])(?:(?P<half>[上下]半年)(?P<season>)(?P<quarter>)(?P<part>))",
        _calendar_year,
    ),
    (r"(?<![年一二三四\d])第?(?P<quarter>[一二三四1-4])季度", _quarter),
    (
        rf"(?:{YEAR}的?)?(?<![李王张刘陈赵周吴])(?P<holiday>元旦|情人节|妇女节|愚人节|五一(?!广场|路|大道)"
        r"|劳动节|青年节|儿童节|六一(?!居)|建军节|教师节|国庆节?|万圣节|双十一|双11|平安夜|圣诞节?"
        r"|十一(?=期间|假期|黄金周|长假))",
        _holiday,
    ),
)
