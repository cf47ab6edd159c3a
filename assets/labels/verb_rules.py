"""When a word that could be a verb is one: the words beside it decide."""

from __future__ import annotations

from typing import NamedTuple

from assets.labels.hands import MASK, UNSIDED
from assets.labels.lexicon import Lexicon
from assets.labels.words import (
    ADVERBS,
    ASKS_VERB,
    BE,
    CONJUNCTIONS,
    DETERMINERS,
    MODALS,
    PARTICLES,
    PREPOSITIONS,
    PRONOUNS,
    STOPS,
    SUBJECTS,
    same_participle,
)

# "Use the right hand" is labelled *operate* in the release, "use both hands" is not.
_USE = frozenset(["use", "uses"])
# Nouns that may stand bare after the preposition "to": "add it to water".
_MASS = frozenset(["glue", "paint", "sand", "tape", "water"])
CLOSED = (
    DETERMINERS | PREPOSITIONS | PRONOUNS | BE | MODALS | PARTICLES | CONJUNCTIONS | STOPS | ADVERBS
) | {",", MASK, UNSIDED, "^", "$", "not", "if", "have", "has", "had", "there"}
OBJECT_STARTS = (DETERMINERS | PRONOUNS | {MASK, UNSIDED}) - {"that", "who", "which"}
_ENDS = STOPS | BE | MODALS | {"$", ","}
_OPENS_GERUND = ADVERBS | ASKS_VERB | STOPS | {"^"}


class Place(NamedTuple):
    """A word that could be a verb, and what stands around it.

    Attributes:
        text: The word.
        before: Word before it; `^` at the beginning.
        after: Word after it; `$` at the end.
        also_noun: Whether the vocabulary has it as a noun too.
        opens: Whether its sentence has no verb before it.
        near: The words up to two places away.
        listed: Whether a comma or conjunction and another verb follow.
        left_from: Whether its sentence says "from" before it.
    """

    text: str
    before: str
    after: str
    also_noun: bool
    opens: bool = False
    near: tuple[str, ...] = ()
    listed: bool = False
    left_from: bool = False

    @property
    def takes_object(self) -> bool:
        """Whether an object or a particle follows."""
        return self.after in OBJECT_STARTS or self.after in PARTICLES


def verb_rule(form: str, place: Place, lexicon: Lexicon) -> str | None:
    """Name of the rule by which a word is a verb here, or None."""
    if place.text in _USE and place.after == UNSIDED:
        return None
    if place.text == "left" and _side(place):
        return None
    if form == "participle":
        return "participle" if not place.also_noun or place.before in BE else None
    if form == "ing":
        return _gerund(place)
    if same_participle(place.text):
        return _finite(form, place, lexicon) or _same_participle(place)
    return _finite(form, place, lexicon)


def _is_adverb(text: str, lexicon: Lexicon) -> bool:
    return text.endswith("ly") and (text,) not in lexicon.verbs  # not "apply"


def _side(place: Place) -> bool:
    """Whether "left" is a side: "the left drawer", "to the left", "left and right"."""
    listed = place.before in ("and", "or") or place.after in ("and", "or")
    return place.before in DETERMINERS or place.after == ":" or (listed and "right" in place.near)


def _gerund(place: Place) -> str | None:
    modifies = place.before in DETERMINERS and place.after not in CLOSED  # "the frying spoon"
    # "Still washing pans", "continue dressing the salad"; but "dressing is poured", "the dressing".
    opens = place.before in _OPENS_GERUND and place.after not in _ENDS
    if modifies or (place.also_noun and not place.takes_object and not opens):
        return None
    return "gerund"


def _same_participle(place: Place) -> str | None:
    """As in "the cut onions" and "neatly cut onions", but not in "a cut on the onion"."""
    if place.before in BE:
        return "participle"
    if place.before in PREPOSITIONS or place.before in MODALS or place.before in CONJUNCTIONS:
        return None
    if place.before in DETERMINERS:
        return None if place.after in CLOSED else "participle"
    return None if place.after in PREPOSITIONS else "participle"


def _finite(form: str, place: Place, lexicon: Lexicon) -> str | None:
    """A base or s-form: what stands before decides, then what follows."""
    before, after = place.before, place.after
    if place.text in PARTICLES and before not in _OPENS_GERUND:
        return None  # "put it back"
    if before in (MASK, UNSIDED) or before in PRONOUNS or before in ASKS_VERB:
        return "finite"
    if before in BE or before in PREPOSITIONS or before in DETERMINERS:
        return None
    if before == "^" or before in STOPS or before in ADVERBS or _is_adverb(before, lexicon):
        ends = place.also_noun and (after in STOPS or after in BE or after in ("$", ","))
        alone = before == "^" and after == "$"
        return None if ends and not (alone or place.listed) else "imperative"
    if before == "to":
        bare = place.also_noun and (after in _ENDS or after in PREPOSITIONS or after == "to")
        goal = (bare and place.left_from) or place.text in _MASS
        return None if goal else "infinitive"  # "from pan to plate", "add it to water"
    if before in MODALS or before in CONJUNCTIONS or before == ",":
        return _coordinate(form, place, lexicon)
    after_verb = (before,) in lexicon.verbs
    if after_verb and after in PARTICLES:
        return None  # "put plate down", "pull end off"
    opens = place.opens and not place.also_noun and before not in CLOSED and after not in _ENDS
    if form == "s" and opens:
        return "finite"  # "the chef rinses cups", not "add the onion slices"
    if before in SUBJECTS and after not in _ENDS and after not in BE:
        return "finite"
    follows = form == "s" or after_verb  # "the man cuts the", "stir fry the"
    return "finite" if follows and place.takes_object else None


def _coordinate(form: str, place: Place, lexicon: Lexicon) -> str | None:
    if place.listed or place.takes_object or not (place.also_noun or form == "s"):
        return "coordinate"
    listed = place.before in (",", "and", "or")  # "oil, salt and cover"
    return "coordinate" if place.after in lexicon.noun_words and not listed else None
