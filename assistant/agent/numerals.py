"""Numbers that are written as words, English and Chinese: `twenty-three`, 三, 一千二百, 3万."""

from __future__ import annotations

import re
import unicodedata

_DIGITS = {
    character: value
    for value, characters in enumerate(
        ("零〇", "一壹", "二两贰", "三叁", "四肆", "五伍", "六陆", "七柒", "八捌", "九玖")
    )
    for character in characters
}
_UNITS = {"十": 10, "拾": 10, "百": 100, "佰": 100, "千": 1000, "仟": 1000}
_LARGE = {"万": 10_000, "亿": 100_000_000}
_CHINESE = re.compile(rf"[负]?[{''.join(_DIGITS)}{''.join(_UNITS)}{''.join(_LARGE)}\d.点半]+")

_ENGLISH = {
    "zero": 0, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7,
    "eight": 8, "nine": 9, "ten": 10, "eleven": 11, "twelve": 12, "thirteen": 13, "fourteen": 14,
    "fifteen": 15, "sixteen": 16, "seventeen": 17, "eighteen": 18, "nineteen": 19, "twenty": 20,
    "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "seventy": 70, "eighty": 80, "ninety": 90,
}  # fmt: skip
_MULTIPLES = {"hundred": 100, "thousand": 1000, "million": 1_000_000}
_GROUPED = re.compile(r"[-+]?\d{1,3}(?:[,_' ]\d{3})+(?:\.\d+)?")


def number_in_words(text: str) -> int | float | None:
    """Return the number that `text` says, in words or digits of either language, or None."""
    plain = unicodedata.normalize("NFKC", text).strip().lower().rstrip("。.")
    if _GROUPED.fullmatch(plain):
        plain = re.sub(r"[,_' ]", "", plain)
    try:
        return int(plain) if re.fullmatch(r"[-+]?\d+", plain) else float(plain)
    except ValueError:
        pass
    if _CHINESE.fullmatch(plain):
        return _chinese(plain)
    return _english(plain)


def _chinese(text: str) -> int | float | None:
    sign, text = (-1, text[1:]) if text.startswith("负") else (1, text)
    if text == "半":
        return sign * 0.5
    whole, point, fraction = text.partition("点")
    if point:
        digits = [_DIGITS.get(each) for each in fraction]
        left = _whole(whole)
        if left is None or not digits or None in digits:
            return None
        return sign * float(f"{left}.{''.join(map(str, digits))}")
    value = _whole(text)
    return None if value is None else sign * value


def _whole(text: str) -> int | float | None:
    if text and all(each in _DIGITS for each in text):  # 二〇二六, read digit by digit
        return int("".join(str(_DIGITS[each]) for each in text))
    total, section, digit = 0.0, 0.0, None
    for part in re.findall(r"\d+(?:\.\d+)?|.", text):
        if part[0].isdigit() and part.isascii():
            digit = float(part)
        elif part in _DIGITS:
            digit = float(_DIGITS[part])
        elif part in _UNITS:
            section += (1 if digit is None else digit) * _UNITS[part]
            digit = None
        elif part in _LARGE:
            total = (total + section + (digit or 0)) * _LARGE[part]
            section, digit = 0.0, None
        else:
            return None
    value = total + section + (digit or 0)
    return int(value) if value.is_integer() else value


def _english(text: str) -> int | None:
    words = [word for word in re.split(r"[\s-]+", text) if word and word != "and"]
    if not words:
        return None
    total, section = 0, 0
    for word in words:
        if word in _ENGLISH:
            section += _ENGLISH[word]
        elif word in ("a", "an") and len(words) > 1:
            section += 1
        elif word == "dozen":
            section = max(section, 1) * 12
        elif word == "hundred":
            section = max(section, 1) * 100
        elif word in _MULTIPLES:
            total += max(section, 1) * _MULTIPLES[word]
            section = 0
        else:
            return None
    return total + section
