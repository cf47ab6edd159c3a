"""Where language leaves a choice, what the labels of a vocabulary follow; declared, not coded.

A vocabulary tells its own notation by how its terms of several words are written. The supplement
declares which conventions hold for which notation, so that a new dataset needs a row, not a rule.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from typing import Final

KIND: Final = "convention"
"""Kind of the rows of the supplement that declare a convention for a notation."""
HEAD_MODIFIER: Final = "head:modifier"
"""Nouns are written head first: `board:cutting`."""
VERB_PARTICLE: Final = "verb-particle"
"""Verbs are written with what goes with them: `pick-up`, `put-in`."""
_SIGNS = {HEAD_MODIFIER: ("noun", ":"), VERB_PARTICLE: ("verb", "-")}


@dataclass(frozen=True, slots=True)
class Convention:
    """Choices; all off is how the narrations of EgoExoLearn were labelled.

    Attributes:
        compound: A noun phrase is one thing, named by its longest term or else its head: "tuna
            patty" is not tuna. Otherwise the nouns inside it count too.
        longest_verb: "Turn on" is not also *turn*.
        hands_named: A hand that something is done to is a thing: "wash your hands".
        object_tells: The supplement's verbs with an object hold: to open a tap is to turn it on.
        particle_apart: A verb's particle may stand behind its object: "turn the tap on".
        preposition_apart: So may the preposition of a further object: "put the lid on the pan" is
            *put-on*.
        use_serves: To use a thing to do something, or to start doing it, is to do it alone.
    """

    compound: bool = False
    longest_verb: bool = False
    hands_named: bool = False
    object_tells: bool = False
    particle_apart: bool = False
    preposition_apart: bool = False
    use_serves: bool = False


NAMES: Final = frozenset(field.name for field in fields(Convention))


def notations(terms: Iterable[tuple[str, str]]) -> frozenset[str]:
    """Notations of a vocabulary: those in which most of its terms of several words are written.

    Args:
        terms: Kind (`verb` or `noun`) and term.
    """
    several = [(kind, term) for kind, term in terms if re.search(r"\w[\W_]+\w", term)]
    found = set()
    for name, (of, sign) in _SIGNS.items():
        own = [term for kind, term in several if kind == of]
        if own and 2 * sum(sign in term for term in own) > len(own):
            found.add(name)
    return frozenset(found)


def choose(notation: frozenset[str], rows: Sequence[tuple[str, str]]) -> Convention:
    """Convention of a vocabulary.

    Args:
        notation: Its notations.
        rows: Declared name of a choice and the notation for which it holds.

    Raises:
        ValueError: An unknown name or notation.
    """
    for name, sign in rows:
        if name not in NAMES or sign not in _SIGNS:
            raise ValueError(
                f"supplement: convention {name!r} for {sign!r} is unknown; choose among "
                f"{sorted(NAMES)} and {sorted(_SIGNS)}"
            )
    return Convention(**{name: True for name, sign in rows if sign in notation})
