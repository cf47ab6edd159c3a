"""Class names of actions as English, for people and models who read explanations and options.

Datasets write `Turn-on sink using hand`; somebody who reads a question should not. Only the wording
changes: verb and things stay, so that a reader of the class name finds the same action.
"""

from __future__ import annotations

import re
from functools import cache

from expectations.word_kinds import NOUN, words_of

_PREPOSITIONS = frozenset(
    {
        "from",
        "off",
        "to",
        "into",
        "onto",
        "in",
        "inside",
        "on",
        "at",
        "using",
        "with",
        "for",
        "under",
    }
)
# A preposition whose thing is not said.
_EMPTY = re.compile(r"\b\w+\s*\[\s*\]")
_HANDS = frozenset({"hand", "hands"})
_ARTICLES = frozenset({"a", "an", "the", "some", "his", "her", "their", "both"})


def readable_name(name: str) -> str:
    """A name without the marks that datasets join its words by: `turn-on` is turn on."""
    return " ".join(re.sub(r"[_\-]+", " ", name).split())


@cache
def readable_action(name: str) -> str:
    """The class name of an action as English.

    Args:
        name: A verb, its direct objects and phrases with prepositions, as LEMMA writes them without
            brackets (`Get cup from table using hand`) or with them (`Wash [kettle] using [sink, hand]`).

    Returns:
        For example `get the cup from the table` and `wash the kettle in the sink`. That something
        is done by hand goes without saying, unless it says which. An empty name stays empty.
    """
    bare = re.sub(r"[\[\]]", "", _EMPTY.sub("", name))
    pieces = bare.replace(",", " , ").split()
    if not pieces:
        return ""
    verb, *rest = pieces
    phrases: list[tuple[str, list[str]]] = [("", [])]
    for piece in rest:
        if piece.casefold() in _PREPOSITIONS:
            phrases.append((piece.casefold(), []))
        else:
            phrases[-1][1].append(piece)
    verb = readable_name(verb.casefold())
    said = [verb]
    for preposition, words in phrases:
        things = _things(words, by_hand=preposition == "using")
        if not things:
            # A preposition without a thing belongs to the verb, unless a hand was all it had.
            said += [preposition] if preposition and not words else []
            continue
        if verb == "put" and preposition == "to":
            # Things are put into what is hollow, and onto all others.
            hollow = things[0].split()[-1] in words_of(NOUN, "holder")
            preposition = "in" if hollow else "on"
        elif preposition == "using" and things[0].split()[-1] in words_of(NOUN, "place"):
            preposition = "in"  # a dataset says what is used, and means where
        said += [*([preposition] if preposition else []), _listed(things)]
    return " ".join(said)


def _things(words: list[str], *, by_hand: bool) -> list[str]:
    """Things between commas, each with an article; a bare hand is left out where it is a tool."""
    things = [readable_name(part.strip()) for part in " ".join(words).split(",")]
    kept = [t for t in things if t and not (by_hand and t.casefold() in _HANDS)]
    return [t if t.split()[0].casefold() in _ARTICLES else f"the {t}" for t in kept]


def _listed(things: list[str]) -> str:
    return things[0] if len(things) == 1 else f"{', '.join(things[:-1])} and {things[-1]}"
