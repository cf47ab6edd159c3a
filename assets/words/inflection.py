"""Whether two words are forms of one word: plurals, and the endings of verbs.

Snowball (NLTK) says which words share a stem. Alone it goes too far: to it "organ" and "organization",
"hand" and "handful", "past" and "paste" are one word. Two words are forms of one only if they share a stem
and also differ in nothing but an ending of inflection.
"""

from __future__ import annotations

from functools import cache, lru_cache
from itertools import takewhile
from typing import Any

_ENDINGS = frozenset("s es ed d ing ies ied ying".split())
_BARE = frozenset({"", "e", "y"})
_SHORTEST_STEM = 2
# Nouns of their own: "clothes" are not a cloth, "bedding" is not a bed.
_OWN_WORDS = frozenset(
    "clothes glasses goods pants shorts scales news means works arms woods customs contents spectacles"
    " building ceiling clothing dressing filling frosting icing painting pudding railing seasoning"
    " shaving shavings sling spring stocking string stuffing topping wedding wing bedding lining"
    " coating serving bearing wiring ring king thing during bring sing red bed shed sled seed need feed weed"
    " hundred past ad even evening singe severe suite unit united rug rugged dogged wooded slacks grounds"
    " greens spirits odds morals mechanics electronics politics athletics".split()
)
_IRREGULAR: dict[str, str] = {
    "knives": "knife", "shelves": "shelf", "loaves": "loaf", "halves": "half", "scarves": "scarf",
    "wolves": "wolf", "calves": "calf", "men": "man", "women": "woman", "children": "child", "feet": "foot",
    "teeth": "tooth", "mice": "mouse", "geese": "goose", "people": "person", "dice": "die",
    "took": "take", "taken": "take", "held": "hold", "wrote": "write", "written": "write", "went": "go",
    "gone": "go", "goes": "go", "threw": "throw", "thrown": "throw", "broke": "break", "broken": "break",
    "swept": "sweep", "fed": "feed", "built": "build", "ate": "eat", "eaten": "eat", "drank": "drink",
    "wore": "wear", "worn": "wear", "gave": "give", "given": "give", "brought": "bring", "caught": "catch",
    "shook": "shake", "shaken": "shake", "made": "make", "slid": "slide", "poured": "pour",
}  # fmt: skip
"""Forms that no ending explains; none that is also another word ("left", "ground", "found", "leaves")."""


def same_word(first: str, second: str) -> bool:
    """Whether two lower-case words are forms of one English word."""
    if first == second:
        return True
    one, two = _IRREGULAR.get(first, first), _IRREGULAR.get(second, second)
    if one == two:
        return True
    # Cheap, and spares most replies the import of NLTK.
    if not (one.isalpha() and two.isalpha() and one.isascii() and two.isascii()):
        return False
    return _differ_by_ending(one, two) and stem(one) == stem(two)


@lru_cache(8192)
def stem(word: str) -> str:
    """Snowball's stem of a lower-case English word."""
    return _stemmer().stem(word)


@cache
def _stemmer() -> Any:
    from nltk.stem.snowball import EnglishStemmer  # takes two seconds to import

    return EnglishStemmer()


def _differ_by_ending(first: str, second: str) -> bool:
    pairs = takewhile(lambda pair: pair[0] == pair[1], zip(first, second, strict=False))
    shared = "".join(letter for letter, _ in pairs)
    if len(shared) < _SHORTEST_STEM:
        return False
    rests = [_ending(word[len(shared) :], shared) for word in (first, second)]
    if {first, second} & _OWN_WORDS:
        # Only a plural of it is a form of it.
        return sorted(rests) == ["", "s"] and min(first, second, key=len) in _OWN_WORDS
    return any(rest in _ENDINGS for rest in rests) and all(
        rest in _ENDINGS or rest in _BARE for rest in rests
    )


def _ending(rest: str, shared: str) -> str:
    """An ending without the doubled consonant before it ("cut", "cutting")."""
    return rest[1:] if rest and rest[0] == shared[-1] and rest[1:] in ("ing", "ed") else rest
