"""Hands that a narration names without saying "with" or "hand", spelled out before the parse.

"Catches it with the left one", "(right hand)", "in her right hand and a fork in her left": a parser takes the
left for a side or an adjective. A word that is filled in stands at no place of the narration.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Collection

from assets.labels.open.compounds import is_thing
from assets.labels.open.english import HOLDERS, POSSESSIVES
from assets.labels.open.tokens import Token

_LIMBS = {
    **dict.fromkeys("hand hands palm palms thumb finger".split(), "hand"),
    **{word: word for word in "foot leg arm wrist ankle".split()},
}
_NAMED = (
    "hand",
    "hands",
    "handed",
    "handedly",
    "palm",
    "palms",
    "thumb",
    "finger",
    "foot",
    "leg",
    "arm",
)
_SIDES = frozenset(["left", "right"])
_OWNERS = frozenset("the his her my your their its".split())
_HELD_WITH = frozenset("with in using by into".split())
_ENDS = frozenset([*",.;:()"]) | frozenset(
    "and but while then as when to with in on from at by into onto for over under until or so".split()
)
# Behind "left-handed" a reason or another clause may begin.
_BEHIND_HANDED = _ENDS | frozenset(
    "because since although though if after before without instead along again this".split()
)
_FINGERS = frozenset("finger fingers fingertip fingertips thumb palm heel knuckles tips".split())
_SWITCHING = frozenset("switch switches switched change changes changed".split())
_USING = frozenset("use uses using used".split())
_BEFORE_LIMBS = _HELD_WITH | frozenset("to from behind over on under against".split())
_RESTING = frozenset("on in at under over around behind against".split())
_CLAUSES = frozenset([",", "and", "while", "as", "but", ";", "."])
_HANDED = re.compile(r"(left|right|one|single|two|both)-handed(?:ly)?")
_HELP = frozenset("coordination cooperation help aid assistance use".split())
_STATES = frozenset("is am are be was were 'm 're i'm".split())


def spell_out_hands(words: list[Token]) -> list[Token]:
    """Fill in the words that a hand named in short leaves out.

    Args:
        words: Words of a narration.
    """
    if not any(word.text.lower().endswith(_NAMED) or word.text.lower() in _SIDES for word in words):
        return words
    plain = _without_help(_as_phrases(words))
    return _with_limbs(_with_prepositions(_without_sides_of_places(plain)))


def _without_help(words: list[Token]) -> list[Token]:
    """Write "with the help of both hands" as "with both hands"."""
    written: list[Token] = []
    at = 0
    while at < len(words):
        written.append(words[at])
        here = [word.text.lower() for word in words[at + 1 : at + 9]]
        skip = 1 if here[:1] == ["the"] else 0
        helps = here[skip : skip + 1] and here[skip] in _HELP
        linked = here[skip + 1 : skip + 2] and here[skip + 1] in ("of", "between", "from")
        named = {"hand", "hands"} & set(here[skip + 2 :])
        at += 3 + skip if words[at].text.lower() == "with" and helps and linked and named else 1
    return written


def _as_phrases(words: list[Token]) -> list[Token]:
    """Write "Right hand: pick up the tweezers" as done with that hand."""
    written: list[Token] = []
    for at, word in enumerate(words):
        here = [w.text.lower() for w in words[at : at + 3]]
        opens = at == 0 or words[at - 1].text in (".", ";", ",")
        if opens and here[:1] and here[0] in _SIDES and here[1:] == ["hand", ":"]:
            written += [Token(text, word.start, word.start) for text in ("With", "the")]
        is_mark = word.text == ":" and at > 1 and words[at - 1].text.lower() == "hand"
        written.append(word._replace(text=",") if is_mark else word)
    return written


def _with_prepositions(words: list[Token]) -> list[Token]:
    """Write "(left hand)", ", both hands." and "left-handed" with the words they leave out."""
    written: list[Token] = []
    at = 0
    while at < len(words):
        word = words[at]
        lower = word.text.lower()
        length = _apposition(words, at)
        if length:
            inner = words[at + 1 : at + 1 + length]
            if inner[0].text.lower() not in _HELD_WITH:
                written.append(Token("with", word.end, word.end))
            if inner[0].text.lower() in _SIDES:
                written.append(Token("the", word.end, word.end))
            written += inner
            # The closing bracket goes with the opening one; a comma or a full stop stays.
            at += 1 + length + (word.text == "(")
            continue
        if lower in ("left-hand", "right-hand") and _next_in(words, at, _LIMBS):
            written.append(word._replace(text=lower.partition("-")[0]))
            at += 1
            continue
        handed = _HANDED.fullmatch(lower)
        if handed and _is_how(words, at):
            side = handed[1]
            written.append(Token("with", word.start, word.start))
            if side in _SIDES:
                written.append(Token("the", word.start, word.start))
            several = side in ("two", "both")
            says = "both" if several else "one" if side == "single" else side
            written.append(Token(says, word.start, word.start))
            written.append(word._replace(text="hands" if several else "hand"))
        else:
            written.append(word)
        at += 1
    return written


def _apposition(words: list[Token], at: int) -> int:
    """Number of words behind a bracket or a comma that name a hand and say nothing else; 0 where they do more."""
    if words[at].text not in ("(", ",") or at == 0:
        return 0
    phrase = [word.text.lower() for word in words[at + 1 : at + 7]]
    length = 0
    if phrase[:1] and phrase[0] in _HELD_WITH and words[at].text == "(":
        length = 1
    if phrase[length : length + 1] and phrase[length] in _OWNERS and words[at].text == "(":
        length += 1
    named = phrase[length : length + 2]
    if (
        len(named) < 2
        or named[0] not in _SIDES | {"both", "one"}
        or named[1] not in ("hand", "hands")
    ):
        return 0
    length += 2
    behind = phrase[length] if length < len(phrase) else "."
    if words[at].text == "(":
        return length if behind == ")" else 0
    return length if behind in (".", ";") else 0


def _is_how(words: list[Token], at: int) -> bool:
    """Whether "left-handed" says how something is done, and not what somebody or something is."""
    after = words[at + 1].text.lower() if at + 1 < len(words) else "."
    if at == 0 or words[at - 1].text in (".", ";"):
        return after == ","  # "Two-handed, I swing the axe."
    return words[at - 1].text.lower() not in _STATES | {"a", "the"} and after in _BEHIND_HANDED


def _next_in(words: list[Token], at: int, known: Collection[str]) -> bool:
    return at + 1 < len(words) and words[at + 1].text.lower() in known


def _without_sides_of_places(words: list[Token]) -> list[Token]:
    """Write "on the right hand side" without a hand, and "your right hand's bowl" as the bowl in that hand."""
    written: list[Token] = []
    at = 0
    while at < len(words):
        here = [word.text.lower() for word in words[at : at + 5]]
        pair = _pair_of_hands(here, words, at)
        if pair:
            # "Both of her hands", "both the left and the right hand"
            written += [words[at], words[at + pair - 1]._replace(text="hands")]
            at += pair
            continue
        if here[1:3] == ["hand", "side"] and here[0] in _SIDES:
            written += [words[at], words[at + 2]]
            at += 3
            continue
        skip = 4 if here[3:4] == ["'s"] else 3
        thing = words[at + skip] if at + skip < len(words) else None
        if (
            here[:1]
            and here[0] in _OWNERS
            and here[1:2]
            and here[1] in _SIDES
            and here[2:3] == ["hand"]
            and thing is not None
            and thing.text.lower() != "can"  # "the right hand can turn"
            and not _names_finger(words, at + skip)
            and (thing.text.lower() in HOLDERS or is_thing(thing.name or thing.text.lower()))
        ):
            end = thing.end
            written += [words[at], thing]
            written += [Token(text, end, end) for text in ("in", "the", here[1], "hand")]
            at += skip + 1
            continue
        if here[:1] and here[0] in _OWNERS and here[1:2] == ["both"] and here[2:3] == ["hands"]:
            at += 1  # "with her both hands"
            continue
        if (
            here[:1] == ["on"]
            and written
            and written[-1].text.lower().rstrip("s") in _NAMED
            and here[1:2]
            and here[1] in _OWNERS
            and "hand" in here[2:4]
        ):
            written.append(words[at]._replace(text="of"))  # "with the fingers on his right hand"
            at += 1
            continue
        if (
            here[:1]
            and here[0] in _SIDES
            and here[1:2] == ["to"]
            and "hand" in (here[3:4] or here[4:])
        ) or (
            here[4:5] == ["hand"] and here[0] in _SIDES and here[1] == "to" and here[2] in _OWNERS
        ):
            # "From left to right hand"
            written += [words[at], Token("hand", words[at].end, words[at].end)]
            at += 1
            continue
        written.append(words[at])
        at += 1
    return written


def _pair_of_hands(here: list[str], words: list[Token], at: int) -> int:
    """Number of words that name both hands in a roundabout way; 0 where they do not."""
    if here[:1] != ["both"]:
        return 0
    if here[1:2] == ["of"] and here[2:3] and here[2] in _OWNERS and here[3:4] == ["hands"]:
        return 4
    named = [word.text.lower() for word in words[at + 1 : at + 7]]
    sides = [one for one in named if one not in _OWNERS]
    if sides[:1] and sides[0] in _SIDES and sides[1:2] == ["and"] and sides[2:3] != sides[:1]:
        hand = next((i for i, one in enumerate(named) if one in ("hand", "hands")), None)
        if hand is not None and {*named[:hand]} <= _OWNERS | _SIDES | {"and"}:
            return hand + 2
    return 0


def _names_finger(words: list[Token], at: int) -> bool:
    """Whether a word tells which finger: "the left hand's ring finger"."""
    return at + 1 < len(words) and words[at + 1].text.lower() in ("finger", "fingers")


def _with_limbs(words: list[Token]) -> list[Token]:
    """Add the hand of "with the left", "in her left" and "with the other one", where one was named before."""
    written: list[Token] = []
    limb: str | None = None
    for at, word in enumerate(words):
        lower = word.text.lower()
        before = [w.text.lower() for w in words[max(0, at - 3) : at]]
        if lower in _LIMBS and {"left", "right", "one", "other", "both", "each"} & set(before):
            limb = _LIMBS[lower]
        if (
            limb is not None
            and lower == "one"
            and len(before) > 2
            and before[-1] in _SIDES | {"other"}
            and before[-2] in _OWNERS
            and (
                before[-3] in _BEFORE_LIMBS | _USING
                or (before[-3] in _CLAUSES and _acts_next(words, at))
            )
        ):
            written.append(word._replace(text=limb))
            continue
        written.append(word)
        if (limb is not None or _is_held(before, lower)) and _stands_for_limb(words, at):
            limb_here = (limb or "hand") + ("s" if lower == "both" and limb != "foot" else "")
            written.append(Token(limb_here, word.end, word.end))
    return written


def _is_held(before: list[str], side: str) -> bool:
    """Whether a side with an owner can only be a hand: the left of "holds the chisel in my left"."""
    return side in _SIDES and before[-1:] != [] and before[-1] in POSSESSIVES


def _acts_next(words: list[Token], at: int) -> bool:
    """Whether a verb follows: ", the left one steadying the base"."""
    after = words[at + 1].text.lower() if at + 1 < len(words) else "."
    return after.endswith(("ing", "s")) and after not in _ENDS and len(after) > 3


def _stands_for_limb(words: list[Token], at: int) -> bool:
    """Whether "the left", "her right" or "the other" is a hand or a foot."""
    lower = words[at].text.lower()
    if lower == "both" and at > 0 and words[at - 1].text.lower() == "with":
        return _next_in(words, at, _ENDS) or at + 1 == len(words)  # "pulls it tight with both"
    if lower not in _SIDES | {"other"} or at < 2:
        return False
    owner, lead = words[at - 1].text.lower(), words[at - 2].text.lower()
    after = words[at + 1].text.lower() if at + 1 < len(words) else "."
    if owner == "with" and lower in _SIDES and after in _ENDS:
        return True  # "hold lid with left hand, stir soup with right"
    if owner not in _OWNERS:
        return False
    if lead == "on" and owner in POSSESSIVES and after in _ENDS and lower != "other":
        # "A watch on his left wrist and a bracelet on his right"
        limbs = [w.text.lower() for w in words[max(0, at - 7) : at - 2]]
        return any(one == "on" and where in _OWNERS for one, where in itertools.pairwise(limbs))
    if lead in ("and", ",", "while") and lower != "other" and after in _RESTING:
        # "With my left hand on the knob and my right on the handle"
        before = [word.text.lower() for word in words[:at]]
        return any(one in _LIMBS and where in _RESTING for one, where in itertools.pairwise(before))
    if lead in _CLAUSES and lower != "other":
        acts = after.endswith("s") and after not in _ENDS
        return acts and len(after) > 3
    if lead == "while" and lower == "other":
        return after.endswith("s") and after not in _ENDS and len(after) > 3
    if after not in _ENDS:
        # "Holding a cup with one hand and a phone with the other walks in"
        named = any(word.text.lower() == "one" for word in words[: at - 2])
        acts = after.endswith(("s", "ing")) and len(after) > 3
        return lower == "other" and lead in ("with", "in") and named and acts
    if lead in _USING:
        return True  # "holds the cup in the left hand, uses the other to stir"
    if lead == "of":
        return words[at - 3].text.lower() in _FINGERS  # "with the fingers of her left"
    if lead == "to" and words[at - 3].text.lower() in _SWITCHING:
        return True  # "dribbles with the left hand, switches to the right"
    if lead == "to":
        if words[at - 3].text.lower() == "over" and owner in POSSESSIVES:
            return True  # "with the right hand, crosses it over to his left"
        # "From her right hand to her left"
        return (
            at > 4
            and words[at - 3].text.lower() in _LIMBS
            and "from" in (word.text.lower() for word in words[max(0, at - 7) : at - 3])
        )
    return lead in _HELD_WITH
