"""Numbers in words: "twelve", "eighth", 九, as figures."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from assets.words.case import fold

_ONES: Sequence[str] = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen"
    " seventeen eighteen nineteen"
).split()
_TENS = {
    "twenty": 20, "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "seventy": 70, "eighty": 80, "ninety": 90,
}  # fmt: skip
_ORDINALS: Sequence[str] = (
    "zeroth first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth"
).split()
_HAN = {digit: n for n, digit in enumerate("零一二三四五六七八九")} | {"两": 2, "兩": 2}
NUMBERS: Mapping[str, int] = {
    **{word: n for n, word in enumerate(_ONES)},
    **_TENS,
    **{
        f"{ten}{link}{one}": _TENS[ten] + n
        for ten in _TENS
        for n, one in enumerate(_ONES[1:10], 1)
        for link in ("-", " ")
    },
}
"""English words for the numbers up to 99, also as "twenty-one" and "twenty one"."""
_NUMBER = re.compile(
    rf"\b(?:(?:{'|'.join(_TENS)})(?:[ -](?:{'|'.join(_ONES[1:10])}))?|(?:{'|'.join(_ONES)}))\b",
    re.IGNORECASE,
)
_ORDINAL = re.compile(rf"\b(?:{'|'.join(_ORDINALS)})\b", re.IGNORECASE)
_HAN_NUMBER = re.compile(
    r"[一二三四五六七八九两兩]?十[一二三四五六七八九]?|[零一二三四五六七八九两兩]"
)


def figures(text: str, *, ordinals: bool = False) -> str:
    """Text with numbers up to 99 in figures.

    Args:
        text: Any text.
        ordinals: Whether "eighth" becomes "8" too ("second" is then no unit of time).
    """
    text = _NUMBER.sub(lambda match: str(NUMBERS[fold(match[0])]), text)
    if ordinals:
        text = _ORDINAL.sub(lambda match: str(_ORDINALS.index(fold(match[0]))), text)
        text = re.sub(r"\b(\d{1,3})(?:st|nd|rd|th)\b", r"\1", text)
    return text if text.isascii() else _HAN_NUMBER.sub(lambda match: str(_han(match[0])), text)


def _han(text: str) -> int:
    tens, ten, ones = text.rpartition("十")
    if not ten:
        return _HAN[text]
    return 10 * (_HAN[tens] if tens else 1) + (_HAN[ones] if ones else 0)
