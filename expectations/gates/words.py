"""Words as a reader sees them: two texts that look the same are the same here."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

SECTORS = (
    "front",
    "front-right",
    "right",
    "back-right",
    "back",
    "back-left",
    "left",
    "front-left",
)
CELLS = tuple(
    f"{row}-{column}" if (row, column) != ("center", "center") else "center"
    for row in ("top", "center", "bottom")
    for column in ("left", "center", "right")
)
_INVISIBLE = re.compile("[\u00ad\u034f\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufeff]")
_DASH = re.compile("[\u2010-\u2015\u2212\ufe58\ufe63\uff0d]")
_QUOTE = re.compile("[\u2018\u2019\u02bc\u0060\u00b4]")
_TOKEN = re.compile(r"[^\W_]+(?:['.][^\W_]+)*")
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")
_ARTICLES = frozenset(("the", "a", "an"))
# Ways to write one narration: LEMMA's "using hand" may be told as "with the hand".
_SAME_WORD = {"using": "with"}
_FRONT = frozenset(("front", "forward", "ahead", "forwards"))
_BACK = frozenset(("back", "behind", "rear", "backward", "backwards"))
_TOP = frozenset(("top", "upper"))
_BOTTOM = frozenset(("bottom", "lower"))
_CENTRE = frozenset(("center", "centre", "middle", "central"))
_TIME = re.compile(
    r"(?<![\w.:])(\d+(?:\.\d+)?)\s*(?:s|sec|secs|second|seconds)(?![\w])", re.IGNORECASE
)
# Lookalikes of Latin letters in Cyrillic and Greek, which NFKC leaves apart.
_LOOKALIKES = str.maketrans("аеорсухіјѕԁοανρ", "aeopcyxijsdoavp")


@lru_cache(maxsize=4096)
def plain(text: str) -> str:
    """Text as it looks: one case, one kind of blank, dash and quote, nothing invisible."""
    text = unicodedata.normalize("NFKC", text).casefold()
    text = _QUOTE.sub("'", _DASH.sub("-", _INVISIBLE.sub("", text))).replace("_", " ")
    return re.sub(r"\s+", " ", text.translate(_LOOKALIKES)).strip()


@lru_cache(maxsize=4096)
def tokens(text: str) -> tuple[str, ...]:
    """Words and numbers of a text; a possessive `'s` is dropped."""
    found = _TOKEN.findall(plain(text))
    return tuple(t.removesuffix("'s") for t in found)


def holds(text: str, phrase: str) -> bool:
    """Whether the words of a phrase stand in the text, in a row."""
    words, part = tokens(text), tokens(phrase)
    n = len(part)
    return n > 0 and any(words[i : i + n] == part for i in range(len(words) - n + 1))


def name_words(name: str) -> tuple[str, ...]:
    """Words of a thing's name: `BlackBowl_1` is black bowl 1, `cup:0` is cup, `the cup` is cup."""
    name = re.sub(r":\d+$", "", name.strip())
    return tuple(t for t in tokens(_CAMEL.sub(" ", name)) if t not in _ARTICLES)


def bare_name(name: str) -> tuple[str, ...]:
    """Words of a name without the numbers that tell instances apart."""
    kept = tuple(t for t in name_words(name) if not t.isdigit())
    return kept or name_words(name)


@lru_cache(maxsize=4096)
def spoken_words(text: str) -> tuple[str, ...]:
    """Words of a narration as it may be quoted: without articles, marks and capitals."""
    return tuple(_SAME_WORD.get(t, t) for t in tokens(text) if t not in _ARTICLES)


def sector_of(text: str | None) -> int | None:
    """Sector on the ring (0 front, clockwise) that words or a digit name; None if none or two."""
    if text is None:
        return None
    if text.strip().isdigit():
        number = int(text)
        return number if number < 8 else None
    words = set(tokens(text))
    ahead, behind = bool(words & _FRONT), bool(words & _BACK)
    left, right = "left" in words, "right" in words
    if (ahead and behind) or (left and right) or not (ahead or behind or left or right):
        return None
    along = "front" if ahead else "back" if behind else ""
    across = "right" if right else "left" if left else ""
    return SECTORS.index("-".join(p for p in (along, across) if p))


def cell_of(text: str | None) -> tuple[int, int] | None:
    """Row and column (0 to 2) of a cell of the 3 x 3 grid that words name; None if none."""
    if text is None:
        return None
    words = set(tokens(text))
    top, bottom = bool(words & _TOP), bool(words & _BOTTOM)
    left, right = "left" in words, "right" in words
    if (top and bottom) or (left and right):
        return None
    if not (top or bottom or left or right or words & _CENTRE):
        return None
    return (0 if top else 2 if bottom else 1), (0 if left else 2 if right else 1)


def times_in(text: str) -> list[float]:
    """Times a text names in seconds (`around 3.5 s`, `12 seconds`)."""
    return [float(t) for t in _TIME.findall(unicodedata.normalize("NFKC", text))]
