"""Words without their endings, so that "opens the cupboard" is the option "open the cupboard"."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

_IRREGULAR = {
    "took": "take", "taken": "take", "put": "put", "putting": "put", "held": "hold", "made": "make",
    "wrote": "write", "written": "write", "went": "go", "goes": "go", "threw": "throw", "thrown": "throw",
    "broke": "break", "broken": "break", "swept": "sweep", "fed": "feed", "built": "build", "ran": "run",
    "rode": "ride", "ate": "eat", "eaten": "eat", "drank": "drink", "wore": "wear", "gave": "give",
    "given": "give", "brought": "bring", "caught": "catch", "drew": "draw", "drawn": "draw", "hung": "hang",
    "shook": "shake", "shaken": "shake", "laid": "lay", "lit": "light", "spread": "spread", "ground": "grind",
    "tied": "tie", "tying": "tie", "lying": "lie", "left": "leave", "got": "get", "stuck": "stick",
    "knives": "knife", "shelves": "shelf", "loaves": "loaf", "leaves": "leaf", "halves": "half",
}  # fmt: skip
_NO_ENDING = frozenset(
    "this is has was his its yes thing ring string spring sing bring during bed red".split()
)
_WORD = re.compile(r"[^\W_]+(?:'(?!s\b)\w+)?")
_LITTLE = frozenset("a an the his her their its my your some to of".split())


@lru_cache(8192)
def stem(word: str) -> str:
    """A lower-case English word without the endings of verbs and plurals."""
    word = _IRREGULAR.get(word, word)
    if word in _NO_ENDING or not word.isascii():
        return word
    if len(word) > 4 and word.endswith("ies"):
        return word[:-3] + "i"
    for ending in ("ing", "ed", "es", "s"):
        if len(word) > len(ending) + 2 and word.endswith(ending) and not word.endswith("ss"):
            word = word[: -len(ending)]
            break
    if len(word) > 3 and word[-1] == word[-2] and word[-1] not in "sle":
        word = word[:-1]
    return word[:-1] + "i" if word.endswith("y") else word.rstrip("e")


def each_stem(text: str) -> Iterator[str]:
    """Stems of the words that say something, one by one."""
    for match in _WORD.finditer(text):
        if (word := match[0].lower()) not in _LITTLE and match[0] != "s":
            yield stem(word)


@lru_cache(256)
def stems(text: str) -> tuple[tuple[str, int, int], ...]:
    """Stems of the words that say something, each with its start and end in the text."""
    return tuple(
        (stem(word), match.start(), match.end())
        for match in _WORD.finditer(text)
        if (word := match[0].lower()) not in _LITTLE and match[0] != "s"
    )
