"""How the released EgoProx evaluator reads letters and chains of actions.

A letter is the one behind the last "The correct answer is", in angle brackets or not, A to E; nothing
else is read ("Answer: B" is not), and the first letter of a word counts ("is apple" reads A).

A chain is `[[steps], [directions]]`. Where the reply is JSON of two parts, steps are its integers, floats cut to
integers and the first number of a text; directions are all letters A to H of the upper-cased texts among its items, so
that "front" reads F. Where it is not, or a step has no number, the numbers of the first `[[...],` count, and as directions every
letter A to H of the whole upper-cased reply. Of the directions the first k - 1 are kept, where k is the
number of steps of the first answer; JSON with another number of steps is read as text too, and a reply that
then has another number still is not a chain.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

_LETTER = re.compile(r"the\s+correct\s+answer\s+is\s+<?\s*([A-E])", re.IGNORECASE)
_OPENING = re.compile(r"\[\s*\[")
_COMMA = re.compile(r"\s*,")
# Not a number (NaN, Infinity), too many digits, brackets too deep, or no two parts.
_UNREADABLE = (ValueError, OverflowError, RecursionError, TypeError)
_DIRECTION = re.compile("[A-H]")
# Letters of the directions, clockwise from the front.
_RING = "CEAHDGBF"

Chain = tuple[tuple[int, ...], tuple[str, ...]]


def read_letter(reply: str) -> str | None:
    """Letter behind the last "The correct answer is", upper case; None if there is none."""
    found = _LETTER.findall(reply)
    return found[-1].upper() if found else None


def read_chain(reply: str, steps: int) -> Chain | None:
    """Steps and directions of a reply.

    Args:
        reply: Reply as it came.
        steps: Number of steps of the question's first answer.

    Returns:
        Numbers of the steps and letters of the directions, at most `steps` - 1 of them; None where the
        evaluator reads no chain of so many steps and leaves the reply out of its denominator.
    """
    text = reply.strip()
    # A chain of another length in JSON is read once more as text, where "4.5" are two numbers.
    for read in (_from_json, _from_text):
        try:
            numbers, letters = read(text)
        except _UNREADABLE:
            continue
        if len(numbers) == steps:
            return tuple(numbers), tuple(_DIRECTION.findall(letters.upper())[: steps - 1])
    return None


def _from_json(text: str) -> tuple[list[int], str]:
    """Steps, and texts with directions, of JSON of two parts.

    Raises:
        ValueError: It is not a chain, or a step has no number; also a TypeError of what has no parts.
    """
    steps, directions = json.loads(text)
    if not isinstance(steps, list) or text[0] != "[":
        raise ValueError("not a list with a list of steps")
    listed = directions if isinstance(directions, list) else [directions]
    return [_step(one) for one in steps], " ".join(one for one in listed if isinstance(one, str))


def _step(value: Any) -> int:
    if isinstance(value, bool):
        raise TypeError("true and false are no steps")
    if isinstance(value, int | float):
        return int(value)
    found = re.search(r"\d+", value) if isinstance(value, str) else None
    if found is None:
        raise ValueError("a step without a number")
    return int(found[0])


def _from_text(text: str) -> tuple[list[int], str]:
    """Numbers of the first list in a list, and the whole text for its directions.

    Raises:
        ValueError: There is no such list, or a number has too many digits.
    """
    # A pattern for the whole list would take minutes on a reply of nothing but brackets.
    parts = text.split("]")
    for part, rest in pairwise(parts):
        opening = _OPENING.search(part)
        if opening is not None and opening.end() < len(part) and _COMMA.match(rest):
            return [int(n) for n in re.findall(r"\d+", part[opening.end() :])], text
    raise ValueError("no list in a list")


@dataclass(frozen=True, slots=True)
class ChainScore:
    """What the evaluator counts of a chain.

    Attributes:
        right: Whether its steps are those of a valid answer, in order.
        strict: Share of its directions that are right; None where the steps are not.
        relaxed: Share of its directions that are right or a neighbour on the ring of eight.
    """

    right: bool
    strict: float | None = None
    relaxed: float | None = None


def score_chain(reply: str, answers: Sequence[Chain]) -> ChainScore | None:
    """What the evaluator counts of a reply to a question about a chain.

    Of several valid answers with the same steps the first counts, whatever its directions; a direction that
    is missing is wrong.

    Args:
        reply: Reply as it came.
        answers: Valid answers, the first of which says how many steps a chain has.

    Returns:
        What counts; None where the reply leaves the evaluator's denominator.
    """
    chain = read_chain(reply, len(answers[0][0]))
    if chain is None:
        return None
    steps, directions_read = chain
    expected = next((directions for nodes, directions in answers if nodes == steps), None)
    if expected is None:
        return ChainScore(False)
    turns = len(answers[0][0]) - 1
    pairs = [*zip(directions_read, expected, strict=False)]
    strict = sum(one == other for one, other in pairs)
    relaxed = sum(_are_near(one, other) for one, other in pairs)
    return ChainScore(True, strict / turns, relaxed / turns)


def _are_near(one: str, other: str) -> bool:
    apart = abs(_RING.index(one) - _RING.index(other)) % len(_RING)
    return min(apart, len(_RING) - apart) <= 1
