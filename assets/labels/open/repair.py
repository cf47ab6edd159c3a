"""Words that a parser of newspapers takes for another kind, put right before anything is read off the parse.

A parse is changed only where the words around one leave no doubt: an adjective that English does not
know is a noun, two bare nouns in a row are one name, what follows "stops" in -ing is an action.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from assets.labels.open.endings import base_of_ing, base_of_past, bases_of_s, singular
from assets.labels.open.english import (
    BEFORE_CLAUSES,
    GIVING,
    HOLDERS,
    MOVING,
    NO_OBJECTS,
    person_noun,
)

if TYPE_CHECKING:
    from assets.labels.open.tree import Doc, Node

_BEFORE_ACTIONS = frozenset(
    "stop pause quit cease start begin continue keep finish resume practise practice avoid".split()
)
_NAMES = frozenset(
    [
        ("olive", "oil"),
        ("light", "bulb"),
        ("front", "door"),
        ("light", "switch"),
    ]
)
_SIDES = frozenset(["left", "right"])
_BEING = frozenset("be sit stand lie lay rest kneel squat stay walk run".split())
_COOKING = frozenset(
    "fry stir-fry cook steam drain marinate eat taste distribute flatten blanch thaw boil simmer soak cool bake roast brown ferment soften".split()
)
_ONE_NOUN = frozenset(["NN", "NNP"])
_NOUNS = frozenset(["NN", "NNS", "NNP", "NNPS"])
_PLACES = frozenset(["dobj", "pobj", "conj", "nsubj", "nsubjpass"])
_NEVER_TAILS = frozenset(
    "left right home today time times inside outside forward clockwise anticlockwise".split()
)

# Things named after an action; English has no other noun for them.
_GERUND_NOUNS = frozenset(
    "packaging wrapping seasoning stuffing icing filling dressing topping bedding clothing coating casing "
    "railing tubing piping wiring lettering padding stocking recycling".split()
)
_BETWEEN_CLAUSES = frozenset([*",;.:!?"]) | frozenset(
    "and but so as while when because until then whereupon".split()
)
_SHUTTING = frozenset(
    "zip pull push kick slam press snap tape bang clip slide swing squeeze".split()
)
_NO_NOUNS = frozenset("other others left right same next rest upright aside".split())
_TIMES = frozenset("hour day night morning evening week bit lot direction distance step".split())
_GETTING = GIVING | frozenset("get make buy find take fetch cook pour teach tell ask call".split())


def repair(doc: Doc, is_verb: Callable[[str], bool], is_adjective: Callable[[str], bool]) -> None:
    """Put words of a parse right, in place.

    Args:
        doc: The parse.
        is_verb: Whether a word, in lower case, can be the base form of a verb.
        is_adjective: Whether a word, in lower case, can be an adjective.
    """
    for node in doc:
        if not node.tag_.startswith("VB") and node.i and node.nbor(-1).text == "you":
            _as_order(node, is_verb)
        if node.tag_ in ("JJ", "JJR", "JJS", "NN", "NNP", "VBG"):
            _as_action(node, is_verb)
            _as_what_goes_on(node, is_verb)
            _as_cooking(node)
        if node.tag_ == "VBG" and node.text.lower() in _GERUND_NOUNS:
            _as_material(node)
        if node.text.lower() in _SIDES:
            _as_direction(node)
        if node.text.lower() == "back" and node.tag_ == "RB":
            _as_back(node)
        if node.text.lower() == "shut" and node.head.lemma_ in _SHUTTING:
            _as_state(node)
        if node.text.lower() == "forgot":
            node.tag_, node.lemma_ = "VBD", "forget"
        if node.tag_ in ("VB", "VBP", "VBZ", "VBN") and node.dep_ == "conj":
            _as_what_is_listed(node, is_verb)
        if node.tag_ in ("VB", "VBP", "VBZ"):
            _as_tail(node)
            _as_purpose(node)
        if node.tag_ == "PRP" and node.text.lower() == "her":
            _as_owner(node)
        if node.tag_ in ("JJ", "JJR", "JJS"):
            _as_noun(node, is_adjective)
        if node.tag_ in _NOUNS:
            _as_name(node)
            _as_object(node)
            _as_listed(node)
            _as_one_name(node)
        if node.tag_ == "VBG" and node.dep_ == "amod":
            _as_what_somebody_does(node)
        if (
            node.dep_ == "compound"
            and node.text.lower().endswith("ing")
            and _is_said_of_where(node)
        ):
            _as_what_somebody_does(node)
        if node.tag_ == "VBG" and node.dep_ == "pcomp" and node.head.text.lower() == "of":
            _as_state_of_contents(node)
        if node.tag_ in ("VBN", "VBD") and node.dep_ == "conj":
            _as_description(node)
        if node.tag_ in ("NN", "NNS") and node.dep_ == "dobj" and node.head.lemma_ == "let":
            _as_what_is_let(node, is_verb)
        if node.tag_ in ("NNS", "NNP", "NNPS"):
            _as_deed(node, is_verb)
            _as_event(node, is_verb)
        elif node.tag_ == "NN" and base_of_past(node.text.lower()):
            _as_event(node, is_verb)


def _as_back(node: Node) -> None:
    """Take the back of "pats the dog's back" for a part of the dog."""
    owner = node.nbor(-2) if node.i > 2 and node.nbor(-1).text == "'s" else None
    if owner is None or owner.tag_ not in _NOUNS or owner.dep_ not in _PLACES:
        return
    node.tag_, node.pos_, node.lemma_ = "NN", "NOUN", "back"
    node.head, node.dep_ = owner.head, owner.dep_
    owner.head, owner.dep_ = node, "poss"


def _as_state(node: Node) -> None:
    """Take the bag of "zips the bag shut" for what is zipped."""
    verb = node.head
    if verb.i < node.i and node.dep_ in ("ccomp", "xcomp", "advcl", "oprd"):
        for child in list(node.children):
            if child.dep_ in ("nsubj", "dobj") and child.i < node.i:
                child.head, child.dep_ = verb, "dobj"
            else:
                child.head = verb
        node.tag_, node.pos_, node.dep_ = "JJ", "ADJ", "acomp"


def _as_action(node: Node, is_verb: Callable[[str], bool]) -> None:
    """Take "sweeping" of "stops sweeping" for an action."""
    above = node.head
    if (
        node.text.lower().endswith("ing")
        and above.i == node.i - 1
        and above.lemma_.lower() in _BEFORE_ACTIONS
        and base_of_ing(node.text.lower(), is_verb)
    ):
        node.tag_, node.pos_, node.dep_ = "VBG", "VERB", "xcomp"
        base = base_of_ing(node.text.lower(), is_verb)
        node.lemma_ = base or node.text.lower()


def _as_what_goes_on(node: Node, is_verb: Callable[[str], bool]) -> None:
    """Take the tidying of "stands in the hallway tidying up shoes" for what somebody does."""
    lower = node.text.lower()
    if node.tag_ != "NN" or not lower.endswith("ing") or node.dep_ not in ("advcl", "xcomp", "acl"):
        return
    base = base_of_ing(lower, is_verb)
    if base and any(c.dep_ in ("dobj", "prt") and c.i > node.i for c in node.children):
        node.tag_, node.pos_, node.lemma_ = "VBG", "VERB", base


def _as_cooking(node: Node) -> None:
    """Take the fry of "puts it into the pan to fry" for what is meant to happen."""
    if node.dep_ != "pobj" or node.text.lower() not in _COOKING:
        return
    if any(c.dep_ in ("det", "amod", "compound", "poss") for c in node.children):
        return
    mark = node.head
    if mark.text.lower() != "to" or mark.i != node.i - 1 or mark.head.i == mark.i:
        return
    above = mark.head
    if above.lemma_ == "bring":
        return  # "brings the water to boil"
    node.tag_, node.pos_, node.dep_, node.lemma_ = "VB", "VERB", "advcl", node.text.lower()
    node.head = above
    mark.tag_, mark.pos_, mark.dep_, mark.head = "TO", "PART", "aux", node


def _as_direction(node: Node) -> None:
    """Take the left of "turns left at the corner" for where to, and not for leaving."""
    if node.i == 0 or not node.tag_.startswith("VB"):
        return
    before = node.nbor(-1)
    if before.tag_.startswith("VB") and before.lemma_.lower() in MOVING and node.head.i == before.i:
        node.tag_, node.pos_, node.dep_, node.lemma_ = "RB", "ADV", "advmod", node.text.lower()
        for child in list(node.children):
            child.head = before


def _as_what_is_listed(node: Node, is_verb: Callable[[str], bool]) -> None:
    """Take the scarf of "hangs the hat and scarf on a hook" for what is hung.

    A verb in its base form has no place behind "hangs", and a word that is not a verb of English has none at all.
    """
    above, lower = node.head, node.text.lower()
    if any(c.dep_ in ("nsubj", "dobj", "aux", "mark", "neg", "prt") for c in node.children):
        return
    if above.tag_ not in _NOUNS or above.dep_ not in ("dobj", "pobj", "conj"):
        return
    base = node.lemma_.lower()
    is_finite = node.tag_ in ("VB", "VBP") and _is_in_third_person(above)
    if is_finite or not is_verb(base):
        node.tag_ = "NNS" if lower.endswith("s") else "NN"
        node.pos_ = "NOUN"
        node.lemma_ = singular(lower) if node.tag_ == "NNS" else lower


def _is_in_third_person(node: Node) -> bool:
    while node.head.i != node.i and not node.tag_.startswith("VB"):
        node = node.head
    return node.tag_ == "VBZ"


def _as_order(node: Node, is_verb: Callable[[str], bool]) -> None:
    """Take the unscrew of "you unscrew the cap" for what is done."""
    lower, subject = node.text.lower(), node.nbor(-1)
    if is_verb(lower) and subject.dep_ == "nsubj" and subject.head.i == node.i:
        node.tag_, node.pos_, node.lemma_ = "VBP", "VERB", lower


def _as_material(node: Node) -> None:
    """Take the packaging of "opens packaging" for what is opened."""
    above = node.head
    bare = not any(c.dep_ == "dobj" for c in node.children)
    if node.dep_ == "conj" and above.tag_ in _NOUNS and bare:
        node.tag_, node.pos_, node.lemma_ = "NN", "NOUN", node.text.lower()
        return
    if node.dep_ == "pcomp" and above.text.lower() in ("in", "into", "from", "to") and bare:
        node.tag_, node.pos_, node.dep_, node.lemma_ = "NN", "NOUN", "pobj", node.text.lower()
        return
    if (
        node.dep_ in ("xcomp", "ccomp", "advcl", "prep")
        and above.i < node.i
        and above.tag_.startswith("VB")
        and not any(c.i > node.i and c.dep_ != "punct" for c in node.children)
        and not any(c.dep_ in ("dobj", "nsubjpass") for c in above.children)
    ):
        node.tag_, node.pos_, node.dep_, node.lemma_ = "NN", "NOUN", "dobj", node.text.lower()


def _as_tail(node: Node) -> None:
    """Take the wrench of "drops the socket wrench and screwdriver" and the rack of "clothes rack" for things."""
    above, before = node.head, node.nbor(-1) if node.i else None
    if before is None or before.tag_ not in _NOUNS or person_noun(before.text.lower()):
        return
    if any(c.dep_ in ("aux", "mark", "neg", "dobj", "advmod", "prt") for c in node.children):
        return
    if node.dep_ == "ccomp" and before.dep_ == "nsubj" and before.head.i == node.i:
        follows = before.left_edge.i == above.i + 1 or (
            before.left_edge.i == above.i + 2 and above.nbor().dep_ == "prt"
        )
        if (
            not follows
            or not above.tag_.startswith("VB")
            or above.lemma_.lower() in BEFORE_CLAUSES
            or before.tag_ in ("NNS", "NNPS")
            or any(c.dep_ == "dobj" for c in above.children)
            or not any(c.dep_ in ("det", "poss") for c in before.children)
        ):
            return
        _become_noun(node, above, "dobj")
        before.dep_ = "compound"
    elif (
        node.dep_ == "conj"
        and node.tag_ != "VBZ"
        and before.text.lower() == "clothes"
        and not any(c.i < node.i for c in node.children)
    ):
        head, dep = before.head, before.dep_
        _become_noun(node, head, dep)
        for child in list(before.children):
            if child.i < before.i:
                child.head = node
        before.head, before.dep_ = node, "compound"


def _as_purpose(node: Node) -> None:
    """Take the knife of "holds the knife to cut the onion" for what is held, not for what cuts."""
    above = node.head
    if node.dep_ not in ("ccomp", "xcomp", "advcl") or not above.tag_.startswith("VB"):
        return
    if above.lemma_.lower() in BEFORE_CLAUSES | {"enable", "cause", "allow", "force", "ask"}:
        return
    thing = next((c for c in node.children if c.dep_ == "nsubj"), None)
    mark = next((c for c in node.children if c.dep_ == "aux" and c.text.lower() == "to"), None)
    if thing is None or mark is None or not above.i < thing.i < mark.i:
        return
    if thing.tag_ not in _NOUNS or person_noun(thing.text.lower()):
        return
    if not any(c.dep_ == "dobj" for c in above.children):
        thing.head, thing.dep_, node.dep_ = above, "dobj", "advcl"


def _become_noun(node: Node, head: Node, dep: str) -> None:
    lower = node.text.lower()
    node.tag_ = "NNS" if node.tag_ == "VBZ" else "NN"
    node.lemma_ = singular(lower) if node.tag_ == "NNS" else lower
    node.pos_, node.dep_, node.head = "NOUN", dep, head
    for child in node.children:
        is_bare = not any(c.dep_ in ("dobj", "nsubj") for c in child.children)
        if child.dep_ == "conj" and child.tag_ in ("VB", "VBP") and is_bare:
            child.tag_, child.pos_, child.lemma_ = "NN", "NOUN", child.text.lower()


def _as_name(node: Node) -> None:
    """Take the dough of "and the dough cutter" for a part of the name: nouns have no subjects."""
    if node.i == 0 or node.dep_ == "ROOT":
        return
    before = node.nbor(-1)
    is_clause = any(c.dep_ in ("cop", "aux", "mark") for c in node.children)
    is_subject = before.dep_ == "nsubj" and before.head.i == node.i
    if is_subject and before.tag_ in _ONE_NOUN and not is_clause:
        before.dep_ = "compound"


def _as_owner(node: Node) -> None:
    """Take the her of "extends her right leg" for the leg's owner, not for who gets it."""
    above = node.head
    if node.dep_ not in ("dative", "dobj") or not above.tag_.startswith("VB") or node.i < above.i:
        return
    thing = next((c for c in above.children if c.dep_ == "dobj" and c.i > node.i), None)
    if thing is None or thing.left_edge.i != node.i + 1 or above.lemma_.lower() in _GETTING:
        return
    if any(c.dep_ in ("det", "poss") for c in thing.children):
        return
    node.tag_, node.dep_, node.head = "PRP$", "poss", thing


def _as_noun(node: Node, is_adjective: Callable[[str], bool]) -> None:
    """Take the petri of "petri dish" and the peeler of "sponge and the peeler" for nouns."""
    lower = node.text.lower()
    after = node.nbor() if node.i + 1 < len(node.doc) else None
    if node.dep_ == "amod" and after is not None and after.i == node.head.i:
        names_it = (lower, after.text.lower()) in _NAMES
        unknown = (
            not is_adjective(lower)
            and lower.isalpha()
            and not lower.endswith(
                ("ed", "est", "y", "ful", "less", "shaped", "sized", "ous", "ish", "able")
            )
            and not _is_comparative(lower, is_adjective)
        )
        if names_it or unknown:
            node.tag_, node.pos_, node.dep_ = "NN", "NOUN", "compound"
    elif (
        node.dep_ in _PLACES
        and (any(c.dep_ == "det" for c in node.children) or node.dep_ in ("dobj", "pobj"))
        and (not is_adjective(lower) or lower == "lighter")
        and (lower not in _NO_NOUNS)
        and not _is_comparative(lower.removesuffix("lighter"), is_adjective)
    ):
        node.tag_, node.pos_, node.lemma_ = "NN", "NOUN", lower


def _is_comparative(word: str, is_adjective: Callable[[str], bool]) -> bool:
    if not word.endswith("er"):
        return False
    stem = word[:-2]
    doubled = stem[:-1] if len(stem) > 2 and stem[-1] == stem[-2] else stem
    return any(map(is_adjective, (stem, f"{stem}e", doubled, f"{stem[:-1]}y")))


def _as_object(node: Node) -> None:
    """Take the purse of "drops purse" for what is dropped."""
    above = node.head
    if (
        (
            node.dep_ in ("advmod", "npadvmod", "oprd", "attr")
            or (node.dep_ in ("ccomp", "appos", "dep") and _is_thing(node))
        )
        and not any(c.dep_ in ("nsubj", "aux", "mark") for c in node.children)
        and (above.i == node.left_edge.i - 1 or _is_given(node))
        and (above.i == node.i - 1 or _is_thing(node))
        and above.tag_ in ("VB", "VBP", "VBZ", "VBG", "VBD")
        and above.lemma_ != "be"
        and node.text.lower() not in _NEVER_TAILS
        and not any(c.dep_ in ("dobj", "nsubjpass") for c in above.children)
    ):
        node.dep_ = "dobj"


def _is_given(node: Node) -> bool:
    """Whether only who gets it stands between a verb and a thing: the screw of "hands me a screw"."""
    before = node.doc[node.left_edge.i - 1] if node.left_edge.i else node
    return before.dep_ == "dative" and before.head.i == node.head.i == before.i - 1


def _is_thing(node: Node) -> bool:
    """Whether a noun with an article is not a time, way or number of times."""
    has_article = any(
        c.text.lower() in ("the", "a", "an") or c.dep_ == "poss" for c in node.children
    )
    return has_article and node.lemma_.lower() not in NO_OBJECTS | _TIMES


def _as_listed(node: Node) -> None:
    """Take the tomato of "get lettuce, tomato and cheese, put to plate" for what is got."""
    first = node.left_edge.i
    if node.dep_ not in ("npadvmod", "dep") or node.head.i < node.i or first < 2:
        return
    before = node.doc[first - 2]
    if (
        node.doc[first - 1].text == ","
        and before.dep_ in ("dobj", "pobj", "conj")
        and before.tag_ in _NOUNS
    ):
        node.head, node.dep_ = before, "conj"


def _is_said_of_where(node: Node) -> bool:
    """Whether a name says where somebody is: the couch drinking coffee of "sits on the couch drinking coffee"."""
    place = node.head.head
    return place.dep_ == "prep" and place.head.lemma_.lower() in _BEING


def _as_state_of_contents(node: Node) -> None:
    """Take the simmering of "a pot of simmering vegetables" for how they are."""
    of, thing = node.head, next((c for c in node.children if c.dep_ == "dobj"), None)
    if thing is None or of.head.lemma_.lower() not in HOLDERS or thing.left_edge.i != node.i + 1:
        return
    thing.head, thing.dep_ = of, "pobj"
    for child in list(node.children):
        child.head = thing
    node.head, node.dep_ = thing, "amod"


def _as_what_somebody_does(node: Node) -> None:
    """Take the holding of "walks into a bedroom holding clothes" for what somebody does."""
    thing = node.head
    if node.i < 2 or thing.i < node.i or node.text[0].isupper():
        return
    place = node.nbor(-1)
    determiners = [c for c in thing.children if c.dep_ == "det" and c.i < place.i]
    if place.tag_ not in _NOUNS or place.head.i not in (node.i, thing.i) or not determiners:
        return
    if place.dep_ not in ("npadvmod", "compound", "nmod", "nsubj"):
        return
    place.head, place.dep_ = thing.head, thing.dep_
    for child in list(thing.children):
        if child.i < place.i:
            child.head = place
    node.head, node.dep_ = place, "acl"
    thing.head, thing.dep_ = node, "dobj"


def _as_description(node: Node) -> None:
    """Take the minced of "hold the onions and minced ginger" for how the ginger is."""
    above = node.head
    thing = next((c for c in node.children if c.dep_ == "dobj"), None)
    direct_object = next((c for c in above.children if c.dep_ == "dobj" and c.i < node.i), None)
    if (
        thing is None
        or direct_object is None
        or above.tag_ not in ("VB", "VBP", "VBZ", "VBG")
        or thing.left_edge.i != node.i + 1
        or thing.tag_ not in _NOUNS
        or any(c.dep_ in ("det", "poss") for c in thing.children)
        or any(c.dep_ in ("nsubj", "nsubjpass", "aux") for c in node.children)
    ):
        return
    for child in list(node.children):
        if child.i != thing.i:
            child.head = above
    thing.head, thing.dep_ = direct_object, "conj"
    node.head, node.dep_ = thing, "amod"


def _as_deed(node: Node, is_verb: Callable[[str], bool]) -> None:
    """Take the sings of "a person sings" for what the person does."""
    if node.i == 0 or node.dep_ not in ("ROOT", "conj", "ccomp", "advcl", "appos", "dobj"):
        return
    first = node.left_edge.i
    if node.dep_ == "dobj" and (first == 0 or node.doc[first - 1].text not in (",", ";")):
        return  # "moves the mouse, the left hand types"
    who = node.nbor(-1)
    lower = node.text.lower()
    base = next((base for base in bases_of_s(lower) if is_verb(base)), None)
    is_doer = person_noun(who.text.lower()) or (
        who.lemma_.lower() in ("hand", "finger", "thumb") and who.i > 1
    )
    if base is None or not is_doer or who.head.i != node.i:
        return
    if any(c.dep_ in ("det", "poss", "amod") and c.i > who.i for c in node.children):
        return
    node.tag_, node.pos_, node.lemma_ = "VBZ", "VERB", base
    if node.dep_ in ("appos", "dobj"):
        node.dep_ = "conj"
    for child in list(node.children):
        if child.i < who.i:
            child.head = who
    who.dep_ = "nsubj"


def _as_event(node: Node, is_verb: Callable[[str], bool]) -> None:
    """Take the rings of "The phone rings, so I answer" for what happens: its clause has no other verb."""
    lower = node.text.lower()
    past = base_of_past(lower)
    base = past or next((base for base in bases_of_s(lower) if is_verb(base)), None)
    before = node.nbor(-1) if node.i else None
    if base is None or before is None or before.tag_ not in ("NN", "NNP", "NNS"):
        return
    if before.head.i != node.i or before.dep_ not in ("compound", "nmod", "nsubj"):
        return
    if node.dep_ not in _PLACES | {"ROOT", "npadvmod", "ccomp", "dep", "intj", "advcl"}:
        return
    doc, first, last = node.doc, node.i, node.i + 1
    while first > 0 and doc[first - 1].text.lower() not in _BETWEEN_CLAUSES:
        first -= 1
    while last < len(doc) and doc[last].text.lower() not in _BETWEEN_CLAUSES:
        last += 1
    clause = doc[first:last]
    opens = doc[first].tag_ in ("DT", "PRP$") or (first == 0 and doc[0].tag_ in _NOUNS)
    behind = clause[node.i + 1 - first].tag_ if node.i + 1 < last else "IN"
    if not opens or behind not in ("IN", "RB", "RP", "DT", "PRP", "PRP$"):
        return
    if any(t.tag_.startswith(("VB", "MD")) for t in clause) or (
        first == 0 and last == len(doc) and doc[0].tag_ not in ("DT", "PRP$", "NNP")
    ):
        return
    mark = node.head if node.head.text.lower() in _BETWEEN_CLAUSES else None
    if mark is None and node.dep_ in ("pobj", "dobj"):
        return
    if mark is not None:
        node.head, node.dep_ = mark.head, "advcl"
        mark.head, mark.dep_ = node, "mark"
    elif node.dep_ != "ROOT":
        node.dep_ = "ccomp"
    node.tag_, node.pos_, node.lemma_ = "VBZ", "VERB", base
    for child in list(node.children):
        if first <= child.i < before.i:
            child.head = before
    before.dep_ = "nsubj"


def _as_what_is_let(node: Node, is_verb: Callable[[str], bool]) -> None:
    """Take the rise of "lets the dough rise" for what happens."""
    before = node.nbor(-1)
    lower = node.text.lower()
    if (
        node.tag_ != "NN"
        or before.dep_ != "compound"
        or before.head.i != node.i
        or not is_verb(lower)
    ):
        return
    node.tag_, node.pos_, node.dep_, node.lemma_ = "VB", "VERB", "ccomp", lower
    for child in list(node.children):
        if child.i < before.i:
            child.head = before
    before.dep_ = "nsubj"


def _as_one_name(node: Node) -> None:
    """Take the bread and the bin of "take bread bin" for one thing."""
    if node.i == 0 or node.dep_ not in ("npadvmod", "appos", "dobj", "dep", "oprd"):
        return
    before = node.nbor(-1)
    if (
        before.tag_ not in _ONE_NOUN
        or before.dep_ not in _PLACES
        or any(child.i < node.i for child in node.children)
        or node.text.lower() in _NEVER_TAILS
        or node.head.i not in (before.i, before.head.i)
        or any(c.i > before.i and c.i != node.i for c in before.children)
    ):
        return
    dep, head = before.dep_, before.head
    node.head, node.dep_ = head, dep
    for child in list(before.children):
        if child.i < before.i:
            child.head = node
    before.head, before.dep_ = node, "compound"
