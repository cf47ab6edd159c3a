"""Names of things as a viewer reads them, and whether a name points at one thing."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import TypeVar

T = TypeVar("T")
# The wearer's own body is not among the things.
BODY = frozenset({"hand", "hands", "finger", "fingers", "arm", "foot", "skeleton", "person"})
# What encloses a scene is never out of view.
ENCLOSURE = frozenset({"wall", "floor", "ceiling", "room"})
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")


def words(name: str) -> tuple[str, ...]:
    """Words of a name, lower case: `BlackMug_2` is black, mug.

    Numbers are left out, since they tell instances apart to the dataset but not to a viewer.
    """
    return tuple(word.lower() for word in _WORD.findall(name))


def is_thing(name: str) -> bool:
    """Whether a name is that of a thing one can act on."""
    said = words(name)
    return bool(said) and said[-1] not in BODY


def is_goal(name: str) -> bool:
    """Whether a name is that of a thing one can look for."""
    return is_thing(name) and words(name)[-1] not in ENCLOSURE


def may_mean(name: str, other: str) -> bool:
    """Whether a viewer who reads a name may think of another thing.

    That is one of the same name, or of a longer one that ends in it: "mug" may also mean the "red
    mug", but "red mug" not the "mug".
    """
    said = words(name)
    return words(other)[-len(said) :] == said


def points_at_one(name: str, others: Iterable[str]) -> bool:
    """Whether a viewer who reads a name can mean none of the other things."""
    return not any(may_mean(name, other) for other in others)


def are_confusable(one: str, other: str) -> bool:
    """Whether a viewer may take one name for the other ("mug", "red mug"; "cover", "cover lid")."""
    begins = one.startswith(other) or other.startswith(one)
    return begins or may_mean(one, other) or may_mean(other, one)


def distinct(items: Iterable[T], name: Callable[[T], str], *taken: str) -> list[T]:
    """Items, in their order, whose names a viewer can take for no other that is kept.

    Args:
        items: What is chosen from.
        name: Name of an item.
        taken: Names that are kept already, as that of the answer.
    """
    names, kept = [*taken], []
    for item in items:
        if not any(are_confusable(name(item), other) for other in names):
            names.append(name(item))
            kept.append(item)
    return kept
