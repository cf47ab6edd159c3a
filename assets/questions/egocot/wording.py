"""What the camera wearer does to a thing, in the words of a person who tells it.

Annotations name actions by bare verbs (`pick-up`) that need not be English. A verb that can be put into the third person
without doubt is; any other is quoted.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from expectations.action_words import readable_name

# They stand between a verb and its thing; prepositions such as "into" would need a second thing.
_PARTICLES = frozenset("apart around aside away back down off on open out over together up".split())
# Without a place these are no English: "puts the cup".
_NEED_A_PLACE = frozenset(("lay", "place", "put", "set"))
# What moves a thing to or from another that these words leave out: "put-on", "pour-into", "take-from".
_MOVES = frozenset("add drop insert lay move place pour put remove set take throw transfer".split())
_WAYS = frozenset("from in into on onto to under".split())
# These are put on, and not on something.
_WORN = frozenset(
    "apron cap coat glasses glove gloves hat helmet jacket mask ring shirt shoe shoes sock socks watch".split()
)
_IRREGULAR = {"be": "is", "have": "has"}
_INFLECTED = re.compile(r".+(?:ing|ed|[^s]s)")
_BARE = frozenset(
    "bleed breed bring cling embed feed fling heed need ring seed shed sing sling speed spring sting string"
    " swing weed wring".split()
)
_SIBILANT = ("s", "x", "z", "ch", "sh", "o")
_ARTICLE = re.compile(r"(?:the|an?)\s+(?=\S)", re.IGNORECASE)


def without_article(name: str) -> str:
    """A thing's name without the article that an annotator began it with."""
    return _ARTICLE.sub("", name, count=1) if _ARTICLE.match(name) else name


def described(verb: str, thing: str) -> str:
    """An action as an option reads: `open the jar`, `put the cup somewhere`, `pour the milk into something`.

    Args:
        verb: Name of the action.
        thing: Name of what it is done to, as it is read.
    """
    moved = _moved(verb, thing)
    if moved is not None:
        return f"{moved[0]} the {thing} {moved[1]} something"
    return f"{readable_name(verb)} the {thing}{_somewhere(verb)}"


def done(verb: str, thing: str, hands: Sequence[str]) -> str:
    """What the wearer does, to follow a subject: `takes the knife with the right hand`.

    Args:
        verb: Name of the action.
        thing: Name of what it is done to, as it is read.
        hands: Names of the hands.
    """
    moved = _moved(verb, thing)
    if moved is not None:
        return f"{_inflected(moved[0])} the {thing} {moved[1]} something{_with(hands)}"
    does = in_third_person(verb)
    if does is None:
        return f'performs the action "{readable_name(verb)}" on the {thing}{_with(hands)}'
    return f"{does} the {thing}{_somewhere(verb)}{_with(hands)}"


def _moved(verb: str, thing: str) -> tuple[str, str] | None:
    """Verb and preposition of what moves a thing to or from another; None for anything else."""
    first, *rest = readable_name(verb).casefold().split() or [""]
    if first not in _MOVES or len(rest) != 1 or rest[0] not in _WAYS:
        return None
    worn = rest == ["on"] and _WORN.intersection(thing.casefold().split())
    return None if worn else (first, rest[0])


def in_third_person(verb: str) -> str | None:
    """A verb as in "he opens", with its particle; None if it may be none, or need a second thing."""
    first, *rest = readable_name(verb).casefold().split() or [""]
    inflected = first not in _BARE and _INFLECTED.fullmatch(first)
    if first in _NEED_A_PLACE and rest == ["on"]:
        # Of a name that is no garment nobody knows which is meant.
        return None
    if not re.fullmatch("[a-z]{2,}", first) or inflected or not _PARTICLES.issuperset(rest):
        return None
    return " ".join((_inflected(first), *rest))


def _inflected(verb: str) -> str:
    if verb in _IRREGULAR:
        return _IRREGULAR[verb]
    if verb.endswith(_SIBILANT):
        return f"{verb}es"
    return f"{verb[:-1]}ies" if re.fullmatch(r".*[^aeiou]y", verb) else f"{verb}s"


def _somewhere(verb: str) -> str:
    return " somewhere" if readable_name(verb).casefold() in _NEED_A_PLACE else ""


def _with(hands: Sequence[str]) -> str:
    # A hand of an unknown side goes without saying.
    named = sorted(set(hands) - {"hand"})
    if not named:
        return ""
    if named == ["left hand", "right hand"]:
        return " with both hands"
    listed = [name if name.startswith("both") else f"the {name}" for name in named]
    return f" with {' and '.join(listed)}"
