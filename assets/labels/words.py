"""Words of a narration with their places, and the inflected forms of a term.

Matching works on surface forms made from the terms, not on stems of the narration: a stem puts
"disposable" with *dispose* and "containing" with *container*, a list of forms does not.
"""

from __future__ import annotations

import re
from typing import NamedTuple

_TOKEN = re.compile(r"[a-z0-9]+|[.,;:!?()]|-")
_VOWELS = "aeiou"

DETERMINERS = frozenset(
    "a an the this that these those my your his her its their our each every some any no "
    "another one two three four five six several both all".split()
)
PREPOSITIONS = frozenset(
    "of in on into onto from with for at by under over inside between through along "
    "against near behind upon within without during after before until about around as "
    "via towards toward".split()
)
PRONOUNS = frozenset("i you he she we they it them him us me itself who which".split())
BE = frozenset("is are was were be been being am".split())
MODALS = frozenset("will would can could should must may might do does did not let to".split())
PARTICLES = frozenset("up out off down away aside back together over on well evenly".split())
TAIL_WORDS = PARTICLES | PREPOSITIONS  # what goes with a verb: "put down", "put in"
CONJUNCTIONS = frozenset("and or while but then so when once as".split())
STOPS = frozenset(".;:!?()")
ADVERBS = frozenset(
    "then again also next finally now first continuously just still here either".split()
)
PEOPLE = frozenset(
    "person people man men woman women lady boy girl child kid friend partner chef cook player "
    "teacher student doctor surgeon someone somebody".split()
)
# Who acts, as narrations call them; they take a verb even where it could be a noun.
SUBJECTS = frozenset("camerawearer wearer c o person man woman lady boy girl chef player".split())
ASKS_VERB = frozenset(
    "continue continues keep help helps go start starts begin begins finish finishes stop "
    "stops".split()
)

# Past and participle forms that no suffix rule gives.
IRREGULAR_VERBS: dict[str, tuple[str, ...]] = {
    "beat": ("beat", "beaten"),
    "bind": ("bound",),
    "break": ("broke", "broken"),
    "bring": ("brought",),
    "catch": ("caught",),
    "cut": ("cut",),
    "dig": ("dug",),
    "draw": ("drew", "drawn"),
    "drink": ("drank", "drunk"),
    "drive": ("drove", "driven"),
    "eat": ("ate", "eaten"),
    "feed": ("fed",),
    "fling": ("flung",),
    "get": ("got", "gotten"),
    "give": ("gave", "given"),
    "hang": ("hung",),
    "hit": ("hit",),
    "hold": ("held",),
    "keep": ("kept",),
    "lay": ("laid",),
    "leave": ("left",),
    "let": ("let",),
    "light": ("lit",),
    "put": ("put",),
    "ride": ("rode", "ridden"),
    "run": ("ran",),
    "see": ("saw", "seen"),
    "set": ("set",),
    "sew": ("sewn",),
    "shake": ("shook", "shaken"),
    "shut": ("shut",),
    "sit": ("sat",),
    "slide": ("slid",),
    "spin": ("spun",),
    "split": ("split",),
    "spread": ("spread",),
    "stand": ("stood",),
    "stick": ("stuck",),
    "sweep": ("swept",),
    "swing": ("swung",),
    "take": ("took", "taken"),
    "tear": ("tore", "torn"),
    "throw": ("threw", "thrown"),
    "wear": ("wore", "worn"),
    "weave": ("wove", "woven"),
    "write": ("wrote", "written"),
}
IRREGULAR_NOUNS: dict[str, str] = {
    "foot": "feet",
    "knife": "knives",
    "leaf": "leaves",
    "loaf": "loaves",
    "man": "men",
    "mouse": "mice",
    "person": "people",
    "shelf": "shelves",
    "tooth": "teeth",
    "woman": "women",
}


class Word(NamedTuple):
    """A word or mark of a narration.

    Attributes:
        text: Lower case; `#` stands for a masked mention of a hand.
        start: First character in the narration.
        end: Character after it.
        hyphened: Whether a hyphen joins it to the word before ("fry" of "stir-fry").
    """

    text: str
    start: int
    end: int
    hyphened: bool = False


def tokenise(text: str) -> list[Word]:
    """Words and sentence marks of `text`, lower case, with character places."""
    words: list[Word] = []
    hyphen = False
    lowered = text.lower()
    if len(lowered) != len(text):  # a few letters change length; keep places true
        lowered = "".join(c.lower() if len(c.lower()) == 1 else c for c in text)
    for found in _TOKEN.finditer(lowered):
        start, end = found.span()
        text = lowered[start:end]
        if text == "-":
            hyphen = bool(words) and words[-1].end == start
            continue
        words.append(Word(text, start, end, hyphen and lowered[start - 1] == "-"))
        hyphen = False
    return words


def term_words(term: str) -> tuple[str, ...]:
    """Words of a taxonomy term: lower case, underscores and hyphens read as blanks."""
    return tuple(re.findall(r"[a-z0-9]+", term.lower().replace("_", " ")))


def plurals(noun: str) -> set[str]:
    """Plural forms of a noun."""
    if noun in IRREGULAR_NOUNS:
        return {IRREGULAR_NOUNS[noun]}
    return {_with_s(noun), noun + "es"} if noun.endswith("i") else {_with_s(noun)}


def verb_forms(verb: str) -> dict[str, str]:
    """Surface forms of a verb, each with its kind: `base`, `s`, `ing` or `participle`.

    A form that is both base and participle ("cut") counts as `base`; the reader of the context
    looks at `same_participle`.
    """
    stems = {verb}
    if _doubles(verb):
        stems.add(verb + verb[-1])
    forms: dict[str, str] = {}
    for stem in stems:
        if verb.endswith("ie"):
            forms[verb[:-2] + "ying"] = "ing"
        elif verb.endswith("e") and not verb.endswith(("ee", "oe", "ye")):
            forms[verb[:-1] + "ing"] = "ing"
        else:
            forms[stem + "ing"] = "ing"
        if verb not in IRREGULAR_VERBS:
            forms[_with_ed(stem)] = "participle"
    for form in IRREGULAR_VERBS.get(verb, ()):
        forms[form] = "participle"
    forms[_with_s(verb)] = "s"
    forms[verb] = "base"
    return forms


def same_participle(word: str) -> bool:
    """Whether the base form is also the participle ("cut onions")."""
    return word in IRREGULAR_VERBS.get(word, ())


def _doubles(verb: str) -> bool:
    """Whether the last consonant may double before a vowel suffix (chop, unplug, transfer)."""
    return (
        len(verb) >= 3
        and verb[-1] not in _VOWELS + "wxy"
        and verb[-2] in _VOWELS
        and verb[-3] not in _VOWELS
    )


def _with_s(word: str) -> str:
    if word.endswith("y") and len(word) > 1 and word[-2] not in _VOWELS:
        return word[:-1] + "ies"
    if word.endswith(("s", "sh", "ch", "x", "z", "o")):
        return word + "es"
    return word + "s"


def _with_ed(word: str) -> str:
    if word.endswith("e"):
        return word + "d"
    if word.endswith("y") and len(word) > 1 and word[-2] not in _VOWELS:
        return word[:-1] + "ied"
    return word + "ed"
