"""What the stances of a reply come to: the last commitment that nothing takes back, or the only option that is left.

A commitment is an option that is chosen, or one that stands alone in the last statement; without one, the only option that
is stated; then the only one that is leaned to; then the only one of all that is not ruled out. Of two commitments the last one
counts where a word of correction or conclusion leads to it, and none does otherwise.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from assets.predictions.extract.stances import Kind, Stance, letters_of, stances_in

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
    foreground = {
        x for one in stances if one.kind == "mentioned" and one.by_text for x in one.options
    } - out
    doubted = letters_of(stances, "asked", "supposed", "leaning") - foreground
    background = letters_of(stances, "withdrawn", "ruled_out") - foreground
    if len(foreground) == 1 and foreground <= set(letters) and background and not doubted:
        # "He holds it in the left hand, while the right hand rests on the table."
        return Commitment(foreground.pop(), "stance_foreground")
    left = set(letters) - out
    if len(left) == 1 and len(letters) > 1:
        return Commitment(left.pop(), "stance_elimination")
    return None


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
    strong = last.kind == "chosen" or last.concludes
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
