"""Chinese time expressions, as rules: a pattern, and the local days that a match names."""

from __future__ import annotations

import re
from datetime import date
from functools import cache

from memory_store.calendar_days import (
    DAY,
    Days,
    Here,
    Resolve,
    Rule,
    back,
    calendar_unit,
    day_near,
    month_near,
    months,
    nth_in,
    one_day,
    season_near,
    shifted,
    third,
    week_of,
    weekday_near,
    weekend_near,
    weekend_of,
    year_of,
)
from memory_store.words_zh import (
    AND,
    DAY_NUMBER,
    DAY_OF,
    DIGITS,
    HOLIDAYS,
    LUNAR_DAY,
    MONTH,
    MONTH_NUMBER,
    NAMES,
    NTH,
    NUMBER,
    OVER,
    PART,
    PARTS,
    SEASONS,
    SHIFT,
    SHIFTS,
    TO,
    UNIT,
    WEEK,
    WEEKDAY,
    WEEKDAYS,
    YEAR,
    YEAR_SHIFTS,
    number,
    unit_name,
    whole,
)


@cache
def rules() -> tuple[Rule, ...]:
    """Every rule. Where matches overlap, the longest one wins."""
    return tuple((re.compile(pattern), days_of) for pattern, days_of in _RULES)


def _year(text: str | None, here: Here) -> int | None:
    if not text:
        return None
    word = text.removesuffix("年")
    if word in YEAR_SHIFTS:
        return here.today.year + YEAR_SHIFTS[word]
    digits = "".join(str(DIGITS.get(digit, digit)) for digit in word)
    return int(digits) + (0 if len(digits) > 2 else 1900 if digits >= "70" else 2000)


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


def _day_list(match: re.Match[str], here: Here) -> Days | None:
    """6月9日、12日和14日: from the first of the days named to the last."""
    days = [whole(day) for day in re.findall(rf"({DAY_NUMBER})[日号]", match["days"])]
    month, year = whole(match["month"]), _year(match["year"], here)
    if year is None:
        year = day_near(here, month, max(days)).first.year
    return Days(date(year, month, min(days)), date(year, month, max(days)) + DAY)


def _nth(match: re.Match[str], here: Here) -> Days | None:
    """三月的第一周, 上个月最后一个周末."""
    groups = match.groupdict()
    if groups.get("month"):
        year, month = _year(match["year"], here), whole(match["month"])
        days = month_near(here, month) if year is None else months(year, month)
    else:
        days = calendar_unit(here, "month", SHIFTS[match["shift"]])
    nth = 0 if match["nth"].startswith("最后") else whole(match["nth"])
    return nth_in(days, nth, "weekend" if match["weekend"] else "week")


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


def _this_part(match: re.Match[str], here: Here) -> Days | None:
    """年初, 月底: of this year or month."""
    return _part(match, calendar_unit(here, unit_name(match["unit"]), 0))


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


def _away(match: re.Match[str], here: Here, sign: int) -> Days:
    count, unit = number(match["count"]), unit_name(match["unit"])
    if match["half"]:
        count += 0.5
    if match["count"][-1] not in "几数":
        return back(here, sign * count, unit)
    near, far = (back(here, sign * (count + more), unit) for more in (-1, 2))
    return Days(min(near.first, far.first), max(near.after, far.after))


def _ago(match: re.Match[str], here: Here) -> Days | None:
    return _away(match, here, 1)


def _later(match: re.Match[str], here: Here) -> Days | None:
    """三天后, from now: in a tale (三天后他又来了) it counts from what came before."""
    sentence = re.split(r"[。？?！!\n]", match.string[match.end() :], maxsplit=1)[0]
    return None if here.habit or OVER.search(sentence) else _away(match, here, -1)


def _season(match: re.Match[str], here: Here) -> Days | None:
    return season_near(here, SEASONS[match["season"]], SHIFTS[match["shift"]])


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


def _no_day(match: re.Match[str], here: Here) -> Days | None:
    raise ValueError(f"{match[0]} is a name")


_RULES: tuple[tuple[str, Resolve], ...] = (
    (NAMES, _no_day),
    (r"(?<!如)今(?:天(?!真)|日(?!头条)|早|晚|晨|儿个)|刚才", _days_off(0)),
    (r"昨(?:天|晚|夜|儿个|日(?!重现|之|世界))", _days_off(-1)),
    (r"(?<![从以之目生眼面大])前(?:天(?!气|天|空|文|真)|晚)", _days_off(-2)),
    (r"大前天", _days_off(-3)),
    (r"(?<![聪光文透证声])明(?:天(?!真)|早|晚|日(?!方舟|香|之|报))", _days_off(1)),
    (
        r"(?<![以之然最今大])(?<!先天)后天(?!气|天|空|性|晴|台(?![风北湾州])|努力|培养|因素|的努力)",
        _days_off(2),
    ),
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
    (
        rf"(?:{YEAR}的?)?{MONTH}(?P<days>(?:{DAY_NUMBER}[日号]{AND})+{DAY_NUMBER}[日号])",
        _day_list,
    ),
    (rf"{SHIFT}个?月的?{DAY_OF}", _day_of_month),
    (
        rf"(?:{YEAR}的?)?{MONTH}份?的?{NTH}(?:周(?P<weekend>末)?|星期(?![一二三四五六日天]))",
        _nth,
    ),
    (rf"{SHIFT}个?月的?{NTH}(?:周(?P<weekend>末)?|星期(?![一二三四五六日天]))", _nth),
    (
        rf"(?<![\d年去今明前后正腊])(?P<unit>[年月])(?P<part>初(?!{LUNAR_DAY})|中(?=旬|[，,。？?])|底|末)",
        _this_part,
    ),
    (r"这(?P<count>[几两])(?P<unit>周|个(?:星期|月)|年)(?P<lead>)", _rolling),
    (
        rf"(?:(?<=[在于从到至我你他她这])|^)(?P<shift>){DAY_OF}(?=[那这晚早上下中的我他她你去到至和、，。？?,.是]|$)",
        _day_of_month,
    ),
    (
        rf"(?<![一二两三四五六七八九十几每隔半不身早晚]){SHIFT}(?P<unit>个?月){PART}(?!球|台|亮|光|饼)",
        _shifted_unit,
    ),
    (
        rf"(?<![一二两三四五六七八九十几每半不身早晚马以]){SHIFT}(?P<unit>周|个?星期|个?礼拜|个?季度)"
        r"(?P<part>)(?!边|围|长|到|岁|年|遍|刊|期|转)",
        _shifted_unit,
    ),
    (rf"(?<![早晚马以]){SHIFT}{WEEK}{WEEKDAY}", _weekday),
    (
        rf"(?<![一二两三四五六七八九十几每逢个隔第\d])(?P<shift>)(?:周|星期|礼拜){WEEKDAY}",
        _weekday,
    ),
    (rf"(?<![早晚马以]){SHIFT}个?(?:周|星期)末", _weekend),
    (r"(?<![每个])(?P<shift>)周末(?!愉快)", _weekend),
    (
        rf"(?<![第\d.])(?!{MONTH_NUMBER}月){NUMBER}{UNIT}(?P<half>半)?(?:以|之)?前(?![\w]?端|后|台|面|任|卫|锋|言|往|天)",
        _ago,
    ),
    (
        rf"(?:(?<!\w)|(?<=[我你您呢]))(?:再过)?(?!{MONTH_NUMBER}月){NUMBER}{UNIT}(?P<half>半)?"
        r"(?:以|之)?后(?![来面台续勤期端门院悔])",
        _later,
    ),
    (rf"再过{NUMBER}{UNIT}(?P<half>半)?", _later),
    (r"(?P<shift>[上这下](?=一?个)|这)一?个?(?P<season>[春夏秋冬])[天季]", _season),
    (
        rf"(?<![之以从目生的提考赛检动期发试会课睡饭班业婚演节术])(?P<lead>前)(?!一天|1天){NUMBER}"
        r"(?P<unit>天|周|个(?:星期|礼拜)|个?月(?!份)|年)",
        _rolling,
    ),
    (
        rf"(?P<lead>(?:在?过去|最近|(?<![附接将靠临])近|未来|接下来)的?){NUMBER}"
        r"(?P<unit>天|周|个(?:星期|礼拜|小时)|个?月(?!份)|年)",
        _rolling,
    ),
    (
        rf"{YEAR}的?(?:年(?=[初中底末]))?(?:(?P<half>[上下]半年)|(?P<season>[春夏秋冬][天季])"
        rf"|第?(?P<quarter>[一二三四1-4])季度|{PART})",
        _calendar_year,
    ),
    (
        r"(?P<year>)(?<![\d年])(?:(?P<half>[上下]半年)(?P<season>)(?P<quarter>)(?P<part>))",
        _calendar_year,
    ),
    (r"(?<![年一二三四\d])第?(?P<quarter>[一二三四1-4])季度", _quarter),
    (
        rf"(?:{YEAR}的?)?(?<![李王张刘陈赵周吴黄孙徐朱马胡郭林何高罗])"
        r"(?P<holiday>元旦|情人节|妇女节|愚人节|(?<![\d一二三四五六七八九十周期拜])五一(?!广场|路|大道)"
        r"|劳动节|青年节|儿童节|(?<![\d一二三四五六七八九十周期拜])六一(?![居堂路]|小学)|建军节|教师节|国庆节?|万圣节|双十一|双11|平安夜|圣诞节?"
        r"|十一(?=期间|假期|黄金周|长假))",
        _holiday,
    ),
)
