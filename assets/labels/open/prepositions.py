"""What part a noun plays behind a preposition: tool, source, target, location."""

from __future__ import annotations

from typing import TYPE_CHECKING

from assets.labels.open.english import GIVING, HOLDERS, HOLDING, NO_OBJECTS, PLACES
from assets.labels.open.forms import is_joined
from assets.labels.open.measures import MEASURES, measured
from assets.labels.open.people import People

if TYPE_CHECKING:
    from assets.labels.open.tree import Node

_PLACES = frozenset(
    "in on at under beneath behind beside near above below between inside by along across within "
    "among around next over outside up down past through".split()
)
_GOALS = frozenset("into onto to towards toward against upon at".split())
_ALSO_GOALS = frozenset(
    "in on inside over around under beneath behind beside above below between near by".split()
)
_LOOKING = frozenset(
    "look point wave throw aim stare glance shout smile laugh gaze peek nod yell kick shoot".split()
)
# What moves a thing: the phrase after "in" or "on" is where it goes.
_PUTTING = frozenset(
    "put place pour drop set lay insert throw toss dip hang add stick pack load store keep slide "
    "push press fix mount attach plug spread sprinkle dump stack lower return arrange roll "
    "write draw print sew glue tape nail screw pin clip tie fasten lock buckle strap apply "
    "transfer empty fill position soak dunk wrap spray squeeze tap hit leave spill raise lift "
    "drill punch click knock step pull fall engrave crack hide lean pass wind coil discard deposit dispose "
    "rest plant bury immerse submerge balance dab jam stuff loop wedge slot tuck tip deal smear bang drizzle unroll".split()
)
# Of these, only what they put something into or onto is a target.
_ONLY_IN_OR_ON = frozenset("pull raise lift pass lean crack leave fill keep roll".split())
_SEARCHING = frozenset("look search wait reach grope feel fish rummage aim ask call".split())
_RESULTS = frozenset(
    "boil simmer piece half slice strip chunk cube shape quarter bit ring ball bow pile round place circle row accident "
    "consistency line knot hurry turn order part portion section shred wedge segment third dice".split()
)
# What these make of a thing is new, where what something is put into was there before.
_SHAPING = frozenset(
    "knead form shape mold mould cut slice chop dice mince shred grind mash crush tear fold split process turn transform "
    "combine".split()
)
_PLACES_OF_NOTHING = frozenset(
    "side middle center centre top bottom back end start beginning".split()
)
_MANNERS = frozenset(
    "manner fashion darkness silence rhythm style flick motion movement force care ease help speed effort strength difficulty caution pressure".split()
)
_MEASURED_BY = frozenset(
    "size colour color length type weight name number accident mistake turn".split()
)
_GRIPS = frozenset("handle edge rim neck stem tail hand corner end lid strap collar".split())
_TOOLS_OF_HOLDING = frozenset(
    "tongs chopstick spoon fork glove cloth towel tissue napkin tweezers pliers rag spatula clamp mitt".split()
)


def role_of(word: str, noun: Node, verb: Node, people: People) -> str | None:
    """Part that a noun plays behind a preposition of a verb.

    Args:
        word: The preposition, lower case.
        noun: Head of the phrase behind it.
        verb: The verb that the phrase belongs to.
        people: People of the narration.

    Returns:
        A role; `other` where labels have no such role; None where the noun is not an object at all: a
        result ("into pieces"), a manner, a time.
    """
    lemma = verb.lemma_.lower()
    if people.who(noun) is not None:
        return _role_of_person(word, verb)
    is_named = is_joined(noun) or any(c.dep_ == "compound" for c in noun.children)
    if (noun.lemma_.lower() in NO_OBJECTS and not is_named) or (
        word in ("into", "in", "to", "by") and noun.lemma_.lower() in _RESULTS
    ):
        return None
    if (word == "into" and _is_result(noun, lemma, people)) or (word == "in" and _is_number(noun)):
        return None
    if word in ("with", "in") and noun.lemma_.lower() in _MANNERS:
        return None
    if word == "by" and noun.lemma_.lower() in _MEASURED_BY:
        return None
    if noun.lemma_.lower() in _PLACES_OF_NOTHING and not any(
        c.dep_ in ("prep", "compound", "poss", "amod", "nmod") for c in noun.children
    ):
        return None  # "from the middle", "to the side": no thing is named
    if word == "for":
        return "target" if lemma in _SEARCHING else None
    if word == "after":
        return "target" if lemma in ("run", "chase", "reach", "go", "look") else None
    if word in ("from", "off"):
        return "source"
    if word in ("with", "using", "via"):
        return _role_of_with(noun, verb)
    if word == "by":
        # "By the handle" says where it is held.
        is_part = noun.lemma_.lower() in _GRIPS
        return None if is_part else "location"
    if word == "at" and lemma not in _LOOKING:
        return "location"
    if word in _GOALS:
        return "target"
    if word == "out":
        return "location"
    if word in _ALSO_GOALS:
        has_object = any(c.dep_ in ("dobj", "nsubjpass") for c in verb.children)
        # "Lays on the couch" is lying there.
        puts = lemma in _PUTTING and (has_object or (word in ("in", "on") and lemma != "lay"))
        if lemma in _ONLY_IN_OR_ON and word not in (
            "in",
            "on",
            "inside",
            "over",
            "under",
            "around",
        ):
            puts = False
        if word in ("near", "by", "above", "below", "between") and lemma not in (
            "put",
            "place",
            "keep",
            "set",
            "lay",
            "raise",
            "drop",
            "insert",
        ):
            puts = False
        return "target" if puts else "location"
    if word in _PLACES:
        return "location"
    if word == "of":
        return "source" if any(c.text.lower() == "out" for c in verb.children) else "direct"
    return "other"


def _is_result(noun: Node, deed: str, people: People) -> bool:
    """Whether something is made into a thing and not put there: "slices it in two", "kneads it into dough"."""
    if _is_number(noun):
        return True
    lemma, children = noun.lemma_.lower(), list(noun.children)
    if lemma in MEASURES:
        return not any(c.text.lower() == "of" for c in children)
    is_new = not any(
        (c.text.lower() == "the" and people.is_written(c)) or c.dep_ == "poss" for c in children
    )
    return deed in _SHAPING and is_new and lemma not in PLACES


def _is_number(noun: Node) -> bool:
    return noun.tag_ == "CD" and measured(noun).i == noun.i


def _role_of_person(word: str, verb: Node) -> str:
    lemma = verb.lemma_.lower()
    if word == "to":
        moves = any(c.dep_ in ("dobj", "nsubjpass") for c in verb.children)
        return (
            "recipient"
            if moves or lemma in GIVING | frozenset(["talk", "speak", "listen"])
            else "target"
        )
    if word == "with":
        return "recipient" if lemma in ("talk", "speak", "chat", "converse", "discuss") else "other"
    return {
        "from": "source",
        "for": "recipient",
        "at": "target",
        "towards": "target",
        "toward": "target",
        "after": "target",
        "on": "target",
        "past": "location",
        "behind": "location",
        "beside": "location",
    }.get(word, "other")


def _role_of_with(noun: Node, verb: Node) -> str | None:
    """A tool; of what is held, its contents: "holds the plate with cucumbers"."""
    lemma = verb.lemma_.lower()
    direct_object = next((c for c in verb.children if c.dep_ == "dobj"), None)
    if (
        direct_object is not None
        and (direct_object.lemma_.lower() in HOLDERS or direct_object.lemma_.lower() == "board")
        and lemma in HOLDING
        and noun.lemma_.lower() not in _TOOLS_OF_HOLDING
    ):
        return "direct"
    is_along = (
        lemma in ("leave", "walk", "run", "enter", "come", "go", "exit", "return")
        and direct_object is None
    )
    return None if is_along else "tool"
