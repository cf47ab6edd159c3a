"""What the stances of a reply come to: the last commitment that nothing takes back, or the only option that is left.

A commitment is an option that is chosen, or one that stands alone in the last statement; without one, the only option that
is stated; then the only one that is leaned to; then the only one of all that is not ruled out. Of two commitments the last one
counts where a word of correction or conclusion leads to it, and none does otherwise.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from assets.extract.option_mentions import ONE_OPTION, option_of
from assets.extract.stances import Kind, Stance, letters_of, stances_in

_COMMITTED: tuple[Kind, ...] = ("chosen", "stated", "alone")

_LONG = 600


class Commitment(NamedTuple):
    """Letter a reply commits to (None where it commits to several) and the rule that found it."""

    letter: str | None
    rule: str


def committed(marked: str, letters: Sequence[str]) -> Commitment | None:
    """The option a reply commits to; None where it commits to none.

    Args:
        marked: Reply in which each mention of an option is a token (`option_mentions.py`).
        letters: Letters of the question.
    """
    stances = stances_in(marked)
    if not stances:
        return None
    out = letters_of(stances, "ruled_out")
    found = _last_choice(stances)
    if found is not None and len(marked) > _LONG and not (found.concludes or found.ends):
        # What is said in the middle of a long account is a part of the account.
        return None
    if found is not None:
        named = set(found.options) | _rivals(stances, found)
        if len(named) > 1:
            left = named - out
            single = left.pop() if len(left) == 1 else None
            return Commitment(single, "stance_left" if single else "stance_several")
        letter = named.pop()
        if letter not in letters or _ruled_out_later(stances, found):
            return Commitment(None, "stance_withdrawn")
        return Commitment(letter, f"stance_{found.kind}")
    leaning = letters_of(stances, "leaning") - out
    standing = letters_of(stances, "leaning", "mentioned") - out
    if len(leaning) == 1 and len(standing) == 1 and leaning <= set(letters):
        return Commitment(leaning.pop(), "stance_leaning")
    other = _other_of_two(marked, stances)
    if other is not None and other in letters:
        return Commitment(other, "stance_other_of_two")
    foreground = {
        x for one in stances if one.kind == "mentioned" and one.by_text for x in one.options
    } - out
    doubted = letters_of(stances, "asked", "supposed", "leaning") - foreground
    background = letters_of(stances, "withdrawn", "ruled_out") - foreground
    if len(foreground) == 1 and foreground <= set(letters) and background and not doubted:
        # "He holds it in the left hand, while the right hand rests on the table."
        return Commitment(foreground.pop(), "stance_foreground")
    apart = _set_apart(marked, stances, letters)
    if apart is not None:
        return Commitment(apart, "stance_apart")
    left = set(letters) - out
    if len(left) == 1 and len(letters) > 1:
        return Commitment(left.pop(), "stance_elimination")
    return None


# "Between C and D", "it is either C or D": the answer is one of two.
_ONE_OF_TWO = re.compile(
    rf"\b(?:between|either|torn between|narrow\w* (?:it |this |things |the choice )?(?:down )?to|(?:comes|came|boils|boiled) down to|leav(?:es|ing)(?: us with| me with)?|left with|remaining(?: options| candidates)?(?: are)?|both|zwischen|entre)\s*:?\s*(?:options?\s+)?(?P<first>{ONE_OPTION})\s*(?:and|or|&|/|und|oder|y|o|et|ou)\s*(?P<second>{ONE_OPTION})",
    re.IGNORECASE,
)


def _other_of_two(marked: str, stances: Sequence[Stance]) -> str | None:
    """The other of two options that a reply has come down to, where it then rules one of them out."""
    two = _ONE_OF_TWO.search(marked)
    if two is None:
        return None
    pair = {option_of(two["first"]), option_of(two["second"])}
    joined = [one for one in stances if set(one.options) == pair]
    single = [one for one in stances if len(one.options) == 1 and set(one.options) <= pair]
    others = [one for one in stances if not set(one.options) & pair and one.kind != "ruled_out"]
    if len(pair) != 2 or not joined or others or joined[0].kind in ("ruled_out", "asked"):
        return None
    out = {x for one in single for x in one.options if one.kind == "ruled_out"}
    named = {x for one in single for x in one.options}
    return (pair - out).pop() if len(out) == 1 and named == out else None


# What sets the one option apart that is the answer.
_AGREES = re.compile(
    r"\b(?:same|match(?:es|ing)?|agrees?|consistent|identical|exactly|corresponds?|like (?:in )?the (?:query|reference|ego))\b",
    re.IGNORECASE,
)
_DIFFERS = re.compile(
    r"\b(?:other|others|another|different|differs?|elsewhere|instead|opposite|without|lacks?|missing|wrong|not|no|never|none)\b|n't\b",
    re.IGNORECASE,
)


def _set_apart(marked: str, stances: Sequence[Stance], letters: Sequence[str]) -> str | None:
    """The option that a reply sets apart from all others: "A is of the same time, whereas B, C and D are of other times"."""
    named = [one for one in stances if one.kind == "mentioned" and not one.by_text]
    together = [one for one in named if len(one.options) == len(letters) - 1 > 1]
    if len(together) != 1 or len(named) != len(stances):
        return None
    single = set(letters) - set(together[0].options)
    alone = [one for one in named if one is not together[0]]
    if not alone or any(set(one.options) != single for one in alone):
        return None
    group = re.search(rf"{ONE_OPTION}(?:[^\w.;]*(?:and |or )?{ONE_OPTION})+", marked)
    if group is None:
        return None
    before, behind = marked[: group.start()], marked[group.end() :]
    own, others = (before, behind) if re.search(ONE_OPTION, before) else (behind, behind)
    if own is behind:
        pieces = re.split(ONE_OPTION, behind, maxsplit=1)
        if len(pieces) < 2:
            return None
        others, own = pieces
    if _DIFFERS.search(own) or not (_AGREES.search(own) or _DIFFERS.search(others)):
        return None
    return None if _AGREES.search(others) else single.pop()


def _last_choice(stances: Sequence[Stance]) -> Stance | None:
    """The statement that the reading rests on."""
    last = stances[-1]
    if last.kind == "alone" and last.ends:
        return last
    for kinds in (("chosen",), ("stated", "alone")):
        for one in reversed(stances):
            if one.kind in kinds:
                return one
    return None


def _rivals(stances: Sequence[Stance], last: Stance) -> set[str]:
    """Letters that other statements choose and that neither a correction nor a conclusion leaves behind."""
    at = stances.index(last)
    # A letter that is a last sentence of its own.
    by_itself = last.kind == "alone" and last.ends and not last.by_text
    by_itself = by_itself and not any(one.ends for one in stances if one is not last)
    strong = last.kind == "chosen" or last.concludes or by_itself
    rivals: set[str] = set()
    for place, one in enumerate(stances):
        if place == at:
            continue
        if one.kind == "mentioned" and last.options[0] in one.options:
            # "Between A and B, B."
            continue
        if (
            place < at
            and last.kind == "stated"
            and last.by_text
            and one.by_text
            and one.kind == "mentioned"
            and one.ends == last.ends
        ):
            # "A mug stands there, but he takes the jar": what the turn leads to.
            continue
        if one.kind not in (("chosen",) if strong else (*_COMMITTED, "mentioned")):
            continue
        if place < at and (
            last.concludes or last.corrects or any(x.corrects for x in stances[place + 1 : at])
        ):
            continue
        rivals |= set(one.options)
    out = {x for one in stances[at:] if one.kind == "ruled_out" for x in one.options}
    return rivals - set(last.options) - out


def _ruled_out_later(stances: Sequence[Stance], chosen: Stance) -> bool:
    later = stances[stances.index(chosen) + 1 :]
    return any(one.kind == "ruled_out" and set(one.options) & set(chosen.options) for one in later)
