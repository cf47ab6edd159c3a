"""Phrases that lead a parser of newspapers astray, written plainly before the parse.

Recipes and instructions are full of words that no label needs: "an appropriate amount of", "one by one", "all the",
"top left pot". Others say what a plainer word says: "as well as" is "and", "filled with" is "containing". And
"chopped" before a noun is an adjective, though between nouns it looks like one more thing that was done.
"""

from __future__ import annotations

from itertools import pairwise

from assets.labels.open.endings import singular
from assets.labels.open.english import DETERMINERS, HOLDERS, NOT_BARE, PAST_ALONE
from assets.labels.open.tokens import Token

_REPEATED = frozenset("one little bit piece step two drop".split())
_HEIGHTS = frozenset("top bottom upper lower up down".split())
_AMOUNTS = frozenset(["amount", "amounts", "quantity", "quantities", "mixture"])
_SIZES = frozenset(
    "small little large suitable appropriate moderate certain proper right big tiny generous good fair equal "
    "given".split()
)
# How food and materials are; before a noun these are adjectives and nothing that is done.
_PREPARED = frozenset(
    "chopped diced sliced minced shredded grated peeled crushed beaten fried boiled cooked roasted marinated mashed "
    "seasoned steamed blanched sauteed stewed smoked toasted melted halved quartered pickled thawed whisked "
    "trimmed cured braised crumpled crumbled julienned".split()
)
_BEFORE_ADJECTIVES = (DETERMINERS - {"that", "this", "these", "those"}) | frozenset(
    "of with in into onto from containing over".split()
)
_MANNERS = frozenset("finely freshly thinly roughly coarsely well evenly lightly thickly".split())


def write_plainly(words: list[Token]) -> list[Token]:
    """Leave out or replace phrases that mislead a parser and say nothing that labels have.

    Args:
        words: Words of a narration.
    """
    lowered = [word.text.lower() for word in words]
    is_past = any(
        (word in PAST_ALONE or word.endswith("ed")) and after in DETERMINERS
        for word, after in pairwise(lowered)
    )
    written: list[Token] = []
    at = 0
    while at < len(words):
        word, here = words[at], lowered[at : at + 5]
        if here[:3] == ["as", "well", "as"]:
            written.append(word._replace(text="and", end=words[at + 2].end))
            at += 3
        elif len(here) > 2 and here[0] in _REPEATED and here[1:3] == ["by", here[0]]:
            at += 3
        elif (here[:2] == ["all", "the"] and at) or _is_place(lowered, at):
            at += 1
        elif here[:2] == ["upside", "down"]:
            at += 2
        elif here[0] == "face" and here[1:2] and here[1] in ("up", "down") and at:
            at += 2  # "lays the card face down on the table"
        elif (length := _measure(here)) > 0:
            written.append(Token("some", word.start, word.start))
            at += length
        elif here[:2] == ["filled", "with"] and written and _holds(written[-1]):
            written.append(word._replace(text="containing", end=words[at + 1].end))
            at += 2
        elif here[:2] == ["full", "of"] and written and _holds(written[-1]):
            at += 1
        elif here[0] in _PREPARED and _describes(lowered, at, is_past):
            written.append(word._replace(text="small"))
            at += 1
        else:
            written.append(word)
            at += 1
    return written


def _measure(here: list[str]) -> int:
    """Number of words of "an appropriate amount of"; 0 where they say no such thing."""
    if here[0] not in ("a", "an", "the"):
        return 0
    at = 1
    while at < len(here) and here[at] in _SIZES:
        at += 1
    return (
        at + 2 if here[at : at + 1] and here[at] in _AMOUNTS and here[at + 1 :][:1] == ["of"] else 0
    )


def _is_place(lowered: list[str], at: int) -> bool:
    """Whether "up left" says which one, as in "the up left hob", and not where to: "picks up left shoe"."""
    if lowered[at] not in _HEIGHTS or lowered[at + 1 : at + 2] not in (["left"], ["right"]):
        return False
    return lowered[at] not in ("up", "down") or (at > 0 and lowered[at - 1] in DETERMINERS)


def _holds(word: Token) -> bool:
    lower = word.text.lower()
    return lower in HOLDERS or singular(lower) in HOLDERS


def _describes(lowered: list[str], at: int, is_past: bool) -> bool:
    """Whether a participle says how the noun behind it is: "and chopped onions"."""
    after = lowered[at + 1] if at + 1 < len(lowered) else "."
    if not at or not after.isalpha() or after in NOT_BARE:
        return False
    before = lowered[at - 1]
    if before in _MANNERS and at > 1:
        before = lowered[at - 2]
    if before in _BEFORE_ADJECTIVES:
        return True
    return before == "and" and not is_past
