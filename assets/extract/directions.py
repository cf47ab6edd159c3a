"""Directions in words: left, right, front, back and the four between, in four languages.

"right" that means correct, "left" that means went away, and the side of a hand or foot are not directions.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from assets.words.case import fold

_FRONT = r"front|forwards?|ahead|straight on"
_BACK = r"back|rear|behind|backwards?|backward"
_WHOM = r"(?:\s+(?:of\s+)?(?:you|me|him|her|them|it|(?:the|your|my|his|her|their)\s+\w+(?:\s+(?:wearer|person))?))?"
_JOIN = (
    rf"(?:\s*[-‐‑‒–—_/]\s*|{_WHOM}\s*,?\s*(?:\b(?:and|but)\s+)?(?:\b(?:slightly|somewhat|a\s+(?:bit|little)|more|also)\s+)?)"
    r"(?:(?:to|towards?|on)\s+(?:the|your|his|her|their|my|its)\s+|of\s+the\s+)?"
)
_ENGLISH = re.compile(
    rf"\b(?:(?P<fb>{_FRONT}|{_BACK}){_JOIN}(?P<lr>left|right)"
    rf"|(?P<lr2>left|right){_JOIN}(?P<fb2>{_FRONT}|{_BACK})"
    rf"|(?P<one>left|right|{_FRONT}|{_BACK}))\b",
    re.IGNORECASE,
)
_NOT_A_SIDE = re.compile(
    r"[- ]\s?(?:hand(?!\s+side)|arm|foot|leg|eye|ear|wrist|thumb|finger|shoulder|knee|palm|away|there|here|in|behind|beside|next|above|below|under|at|on|away|now|after|before"
    r"|answer|option|choice|one|to\s+\w+\s+(?:that|it)|and\s+wrong)\b",
    re.IGNORECASE,
)
_VERB_BEFORE = re.compile(
    r"\b(?:has|have|had|he|she|they|it|who|person|wearer|just|is\s+nothing|are|go(?:es)?|went|come|comes|came|look|looks|"
    r"put|puts|turn|turns|that's|that\s+is|be|all)\s+$",
    re.IGNORECASE,
)
_HAN = re.compile(
    r"(?P<lr>[左右])\s*(?:侧|側|边|邊|斜め|斜)?\s*の?\s*(?P<fb>[前后後])|(?P<fb2>[前后後])\s*(?:ろ|方)?\s*の?\s*(?P<lr2>[左右])"
    r"|(?P<one>[左右](?![手脚腳腕足])|(?<![以之目当以先])前(?!者|に|回)|(?<![最以然之今随午])[后後](?![者续續でに]))"
)
_KOREAN = re.compile(
    r"(?P<lr>왼|오른|좌|우)(?:쪽|측)?\s*(?P<fb>앞|뒤|전방|후방)|(?P<fb2>앞|뒤|전방|후방)(?:쪽)?\s*(?P<lr2>왼|오른)쪽?"
    r"|(?P<one>왼쪽|오른쪽|앞|뒤|전방|후방)"
)
_SIDES = {"left": "left", "right": "right", "左": "left", "右": "right", "왼": "left", "좌": "left",
          "오른": "right", "우": "right", "왼쪽": "left", "오른쪽": "right"}  # fmt: skip


class Direction(NamedTuple):
    """A direction ("back-left") and where its words stand."""

    name: str
    start: int
    end: int


def directions_in(text: str, *, bare: bool = False) -> list[Direction]:
    """Directions that a text names, in order.

    Args:
        text: Text without its wrapping.
        bare: Whether nothing but directions is expected, as in a list: then "back" is one in any company.
    """
    found: list[Direction] = []
    patterns = (_ENGLISH,) if text.isascii() else (_ENGLISH, _HAN, _KOREAN)
    for pattern in patterns:
        for match in pattern.finditer(text):
            if pattern is _ENGLISH and not bare and _is_other_word(text, match):
                continue
            found.append(Direction(_name(match), *match.span()))
    return sorted(found, key=lambda one: one.start)


def _is_other_word(text: str, match: re.Match[str]) -> bool:
    if match["one"] is None:
        return False
    if _NOT_A_SIDE.match(text, match.end()):
        return True
    before = text[max(0, match.start() - 20) : match.start()]
    word = match["one"].lower()
    return word in ("left", "right", "back") and bool(_VERB_BEFORE.search(before))


def _name(match: re.Match[str]) -> str:
    one = match["one"]
    if one is not None:
        return _SIDES.get(fold(one)) or _depth(one)
    side = match["lr"] or match["lr2"]
    # "right behind" is straight behind.
    if match["lr2"] and re.fullmatch(r"right (?:behind|ahead)", match[0], re.IGNORECASE):
        return _depth(match["fb2"])
    return f"{_depth(match['fb'] or match['fb2'])}-{_SIDES[fold(side)]}"


def _depth(word: str) -> str:
    return "front" if re.fullmatch(rf"{_FRONT}|前|앞|전방", word.lower()) else "back"


def as_direction(text: str) -> str | None:
    """Direction that a text consists of, such as an option "Back left"; None if it is not a direction."""
    words = text.strip(" .,;:!?\"'()[]")
    found = directions_in(words, bare=True)
    if len(found) != 1:
        return None
    rest = words[: found[0].start] + words[found[0].end :]
    rest = re.sub(
        r"\b(?:to|at|on|in|the|of|it|side|hand|is)\b|[方边邊侧側面의쪽]|ろ", "", rest.lower()
    )
    return None if re.search(r"\w", rest) else found[0].name
