"""Which thing a pronoun stands for: the onion of "takes an onion and peels it".

The last direct object counts most, then subjects, then the rest. Where the verbs say more, they decide: what
was opened is closed, what was spread on a thing is no longer apart from it, a tool is not what is worked on.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from assets.labels.open.body_parts import PARTS, body_part
from assets.labels.open.english import ACTED_ON, HOLDERS, NOUN_TAGS, USING, WORN
from assets.labels.open.measures import LIGHT_NOUNS, MEASURES, listed, measured
from assets.labels.open.people import People
from assets.labels.open.verbs import particle_of

if TYPE_CHECKING:
    from assets.labels.open.tree import Node

_PLURAL = frozenset(["them", "these", "those", "they", "ones", "each", "both"])
# What is cut or stirred is not one of these, though they were taken up just before.
_WORKING_TOOLS = frozenset(
    "knife peeler scissors spatula spoon ladle whisk brush sponge cloth rag towel pen pencil hammer "
    "screwdriver wrench spanner pliers drill saw grater chopstick tongs fork needle iron razor comb".split()
)
_WORKING = frozenset(
    "cut slice peel chop dice mince trim carve grate stir flip beat whisk scrub scrape wipe polish sew "
    "iron saw tighten loosen unscrew comb shave knead fry drill sand paint mix taste eat chew swallow".split()
)
_WIPING = frozenset("wipe scrub polish rub clean dry".split())
# What is put on a thing and is then a part of it: "dabs glue on the dowel and pushes it in".
_APPLIED = frozenset(
    "water soap detergent foam cleaner spray liquid polish glue paint oil butter salt pepper sugar powder "
    "cream lotion seasoning grease paste tape label primer varnish".split()
)
_APPLYING = frozenset(
    "apply dab put spread spray squirt rub brush sprinkle drip squeeze smear pour add".split()
)
_SPREADING = frozenset("spread smear rub distribute massage leave smooth even mix stir".split())
# What is taken off a thing is thrown away, and what is left is gone on with.
_STRIPPING = frozenset(
    "peel strip scrape cut wipe rinse wash shake trim shave pull remove chop".split()
)
_WASTE = frozenset(
    "skin peel shell core stem stalk seed dirt dust crumb husk rind soil mud leaf wrapping wrapper label root end "
    "sticker bark fat leftover scrap residue fluff lint".split()
)
_KEEPING_WASTE = frozenset(
    "throw discard drop toss put place collect dispose bin keep eat move gather set lay push slide sweep scoop".split()
)
_LIDS = frozenset("lid cap cover cork stopper top cap".split())
_FITTING = frozenset("screw put place close press snap fit attach twist push replace".split())
_OF_LIDS = frozenset("drop tighten twist turn press push screw tap remove loosen hold take".split())
_CLOSING = {
    "close": frozenset(["open", "unlock", "uncover", "slide"]),
    "shut": frozenset(["open", "unlock"]),
    "lock": frozenset(["open", "unlock", "close", "shut"]),
    "zip": frozenset(["open", "unzip"]),
    "cover": frozenset(["uncover", "open"]),
    "turn off": frozenset(["turn on", "switch on"]),
    "switch off": frozenset(["turn on", "switch on"]),
}
# What is done to the thing that something was put into.
_OF_HOLDERS = frozenset("close seal shut cover zip lock tap swirl fasten microwave cork".split())
# What is done to a container, and not to what it holds.
_MOVING_HOLDERS = frozenset(
    "put place set lay hold lift carry pick pass hand return take move bring grab drop".split()
)
_CLOTHS = frozenset("towel cloth rag sponge tissue napkin flannel wipe mop dishcloth".split())
_WRINGING = frozenset("squeeze wring rinse fold hang".split())
_TAKING = frozenset("take remove pull get grab pick lift bring unhook unplug".split())
_FILLING = frozenset("fill refill".split())
_CASES = HOLDERS | frozenset(
    "case suitcase envelope wallet purse pocket drawer cupboard sleeve".split()
)
_INTO = frozenset(["in", "into", "inside", "from"])
_BY = frozenset("around beside under behind near below".split())
_ONTO = frozenset("in into on onto".split())
_MIXING = frozenset("mix stir whisk blend toss combine knead beat".split())
_ADDING = frozenset("add put pour drop tip".split())


def antecedent(pronoun: Node, people: People) -> Node | None:
    """The noun that a pronoun for a thing stands for.

    Args:
        pronoun: `it`, `them`, `one` and the like.
        people: People of the narration.

    Returns:
        The noun; None where none is named before that fits.
    """
    own = verb_above(pronoun)
    candidates = [
        (weight, before)
        for before in pronoun.doc[: pronoun.i]
        if before.tag_ in NOUN_TAGS
        and (weight := _weight(before, pronoun, own, people)) is not None
    ]
    if not candidates:
        return None
    best = max(weight for weight, _ in candidates)
    before = _same_before(pronoun)
    same = antecedent(before, people) if best < _SURE and before is not None else None
    if same is not None and not _works_itself(own, same):
        return same
    return next(noun for weight, noun in reversed(candidates) if weight == best)


def moved_part(pronoun: Node, people: People) -> Node | None:
    """The arm of "stretches out the left arm and pulls it across the chest"; None without one."""
    own = verb_above(pronoun)
    moved = None
    for before in pronoun.doc[: pronoun.i]:
        is_part = before.tag_ in NOUN_TAGS - {"CD"} and before.lemma_.lower() in PARTS
        if is_part and before.dep_ == "dobj" and people.who(before) is None:
            above = verb_above(before)
            moved = before if above != own and above.lemma_.lower() not in ACTED_ON else moved
    return moved


def several(pronoun: Node, people: People) -> list[Node]:
    """Things that "them" stands for together: "draws a circle and a triangle, then colours them"."""
    if pronoun.text.lower() not in ("them", "these", "those", "both"):
        return []
    own = verb_above(pronoun)
    last: list[Node] = []
    for before in pronoun.doc[: pronoun.i]:
        if before.dep_ not in ("dobj", "nsubjpass") or before.tag_ not in NOUN_TAGS:
            continue
        above = verb_above(before)
        if above == own:
            last = []
            continue
        things = list(listed(before))
        if own.lemma_.lower() in _MIXING and above.lemma_.lower() in _ADDING:
            # "Adds the tomatoes to the eggs and mixes them"
            things += [
                goal
                for prep in above.children
                if prep.dep_ == "prep" and prep.text.lower() in ("to", "into", "with")
                for goal in prep.children
                if goal.dep_ == "pobj" and goal.tag_ in ("NNS", "NNPS")
            ]
        is_list = len(things) > 1 and all(people.who(each) is None for each in things)
        last = things if is_list else []
    return last or _one_by_one(pronoun, own, people)


def _one_by_one(pronoun: Node, own: Node, people: People) -> list[Node]:
    """The pot and the lid of "rinses the pot, dries the lid and stacks them"; none where one thing is plural."""
    if pronoun.text.lower() == "both" or antecedent(pronoun, people) is not None:
        return []
    things: dict[str, Node] = {}
    for before in pronoun.doc[: pronoun.i]:
        if before.text in (".", ";"):
            things = {}
        is_thing = before.dep_ == "dobj" and before.tag_ in ("NN", "NNP")
        is_part = before.lemma_.lower() in PARTS
        if is_thing and not is_part and people.who(before) is None and verb_above(before) != own:
            things[before.lemma_.lower()] = before
    return list(things.values())[-2:] if len(things) > 1 else []


def first_of_two(other: Node) -> Node | None:
    """The jar of "from one jar into the other"; None where nothing is called one of several."""
    for before in reversed(list(other.doc[: other.i])):
        ones = (c.text.lower() for c in before.children if c.i < before.i)
        if before.tag_ in NOUN_TAGS and "one" in ones and before.lemma_.lower() not in PARTS:
            return before
    return None


def verb_above(node: Node) -> Node:
    """The verb whose clause a word belongs to."""
    while node.head.i != node.i and not node.tag_.startswith("VB"):
        node = node.head
    return node


_RESTING = frozenset("sit stand wait work stay kneel arrive eat".split())
_SURE = 4
_NUMBER_DIFFERS = 10
_UNNAMED = frozenset("something anything everything nothing".split())
# Of something nothing more is known than that it was seen or held; what is opened or shut is a thing with a lid.
_OF_WHOLES = frozenset("open close shut turn switch".split())
_OF_SEVERAL = frozenset("each every first last".split())


def _weight(before: Node, pronoun: Node, own: Node, people: People) -> int | None:
    """How likely a pronoun stands for a noun before it; None where it cannot."""
    word, noun, deed = pronoun.text.lower(), before.lemma_.lower(), own.lemma_.lower()
    is_one_of = before.tag_ == "CD" and measured(before).i != before.i  # "one of the doors"
    if not (is_one_of or before.tag_ in NOUN_TAGS - {"CD"}) or before.dep_ in (
        "compound",
        "nmod",
        "poss",
        "npadvmod",
    ):
        return None
    above = verb_above(before)
    done = above.lemma_.lower()
    if noun in _UNNAMED and (noun != "something" or deed in _OF_WHOLES):
        return None
    is_baby = noun == "baby" and word == "it"
    is_part = body_part(before) is not None and (
        done not in ACTED_ON or before.head.text.lower() in ("in", "with")
    )
    if (people.who(before) is not None and not is_baby) or is_part:
        return None
    if word in ("other", "another") and noun in PARTS:
        return None
    if done in USING and any(up.i == above.i for up in own.ancestors):
        return None  # "uses pliers to open it": it is not the pliers
    if above == own:
        return None  # "adds some salt to it": it is not the salt
    if pronoun.dep_ in ("dobj", "nsubjpass") and _works_itself(own, before):
        return None  # "holds the knife and peels it": it is not the knife
    of = measured(before)
    if of.tag_ not in NOUN_TAGS or (noun in MEASURES and before.head.text.lower() == "into"):
        return None  # "a piece of it", "tears it into pieces"
    if _is_part_of_another(before, above, deed) or _is_worn(before, people):
        return None
    if _is_taken_for(before, above, own):
        return None
    weight = _salience(before) + _boost(before, above, own, pronoun)
    is_plural = of.tag_ in ("NNS", "NNPS")
    of_several = word == "one" and any(c.text.lower() in _OF_SEVERAL for c in pronoun.children)
    if word in _PLURAL or of_several:
        is_plural = is_plural or before.tag_ == "NNS" or before.i in before.doc.user_data["tails"]
        is_plural = is_plural or _is_in_pieces(before, above)
        if not is_plural and not any(c.dep_ == "conj" for c in before.children):
            return None
    elif is_plural and not is_one_of:
        weight -= _NUMBER_DIFFERS
    if word == "it" and _is_listed(before):
        weight -= 2  # "rubs oil and salt into the lamb and cooks it"
    return weight


def _is_listed(noun: Node) -> bool:
    """Whether a noun is one of several things that a verb has together."""
    if noun.dep_ == "conj" and noun.head.tag_ in NOUN_TAGS:
        return True
    return noun.dep_ == "dobj" and any(
        c.dep_ == "conj" and c.tag_ in NOUN_TAGS for c in noun.children
    )


def _is_worn(noun: Node, people: People) -> bool:
    """Whether a thing only says who somebody is: the pyjamas of "a woman in pyjamas takes a laptop and closes it"."""
    link = noun.head
    if noun.dep_ != "pobj" or link.text.lower() != "in" or link.head.dep_ != "nsubj":
        return False
    is_clothing = noun.tag_ == "NNS" or noun.lemma_.lower() in WORN
    return is_clothing and people.who(link.head) is not None


def _is_taken_for(tool: Node, above: Node, own: Node) -> bool:
    """Whether a tool is taken up for what is done to "it": "takes a spatula to turn it"."""
    return (
        tool.dep_ == "dobj"
        and tool.lemma_.lower() in _WORKING_TOOLS
        and own.dep_ in ("advcl", "xcomp", "acl", "relcl")
        and own.tag_ == "VB"
        and any(up.i == above.i for up in own.ancestors)
    )


def _is_in_pieces(thing: Node, verb: Node) -> bool:
    """Whether a thing has become several: "tears the seaweed into pieces and throws them in"."""
    return thing.dep_ == "dobj" and any(
        prep.text.lower() == "into" and any(c.tag_ == "NNS" for c in prep.children)
        for word in (thing, verb)
        for prep in word.children
    )


def _works_itself(deed: Node, thing: Node) -> bool:
    """Whether a thing is what a verb is done with, and not what it is done to: a spoon is not stirred."""
    return deed.lemma_.lower() in _WORKING and thing.lemma_.lower() in _WORKING_TOOLS


def _is_part_of_another(before: Node, above: Node, deed: str) -> bool:
    """Whether a thing went into or off another, which is what the narration goes on with."""
    if before.dep_ != "dobj":
        return False
    noun, done = before.lemma_.lower(), above.lemma_.lower()
    links = {prep.text.lower() for prep in _links(before, above)}
    if deed in _WIPING and noun in _APPLIED:
        return True  # "sprays water on the mirror and wipes it"
    if done in _APPLYING and noun in _APPLIED and links & {"on", "onto", "over", "to"}:
        return deed not in _SPREADING or (done == "pour" and "over" in links)
    particle = particle_of(above)
    if particle is not None:
        links.add(particle.text.lower())  # "wipes off the dust and paints it"
    if done in _STRIPPING and noun in _WASTE and links & {"off", "from"}:
        return deed not in _KEEPING_WASTE
    if done in _FITTING and noun in _LIDS and links & {"on", "onto", "to"}:
        return deed not in _OF_LIDS
    return False


def _links(noun: Node, verb: Node) -> Iterator[Node]:
    """Prepositions with a noun behind them, of a noun and of its verb."""
    for word in (noun, verb):
        for prep in word.children:
            if prep.dep_ == "prep" and any(c.dep_ == "pobj" for c in prep.children):
                yield prep
            elif prep.dep_ in ("advmod", "prt"):  # "back onto the bottle"
                yield from (c for c in prep.children if c.dep_ == "prep")


def _boost(before: Node, above: Node, own: Node, pronoun: Node) -> int:
    """How much more the verbs and prepositions make of a noun than its place in its clause does."""
    noun, deed, done = before.lemma_.lower(), own.lemma_.lower(), above.lemma_.lower()
    particle = next((c.text.lower() for c in own.children if c.dep_ == "prt"), None)
    closes = _CLOSING.get(f"{deed} {particle}" if particle else deed, frozenset())
    is_object = pronoun.dep_ == "dobj"
    if is_object and before.dep_ == "dobj" and done in closes:
        return _SURE
    if pronoun.dep_ == "pobj" and pronoun.head.text.lower() == "with" and noun in _WORKING_TOOLS:
        return _SURE
    behind = before.head.text.lower() if before.dep_ == "pobj" else ""
    if behind == "of" and deed in _MOVING_HOLDERS and before.head.head.lemma_.lower() in HOLDERS:
        return -1  # "drinks from a cup of coffee and puts it down": the cup
    if is_object and deed in _OF_HOLDERS and behind in ("in", "into", "inside"):
        return _SURE
    if is_object and deed in _WRINGING and noun in _CLOTHS and behind in ("with", "using"):
        return _SURE
    into = pronoun.dep_ == "pobj" and (
        pronoun.head.text.lower() in _INTO
        or (pronoun.head.text.lower() == "of" and pronoun.head.head.text.lower() == "out")
    )
    if into and noun in _CASES and behind not in ("from", "off") and not _is_out_of(before):
        return _SURE  # "puts a straw in the box and drinks from it"
    if is_object and deed in _FILLING and noun in HOLDERS:
        return _SURE
    if is_object and particle == "in" and noun in _APPLIED and behind == "with":
        return _SURE  # "seasons the steak with salt and rubs it in"
    goes_back = any(c.text.lower() == "back" for c in own.children)
    if is_object and goes_back and before.dep_ == "dobj" and done in _TAKING:
        return _SURE
    if pronoun.dep_ == "pobj" and pronoun.head.text.lower() in _BY and behind in _ONTO:
        return _SURE  # "throws the box into the bin and sweeps around it"
    return 0


def _is_out_of(noun: Node) -> bool:
    """Whether something is taken out of a thing: the oven of "takes the cake out of the oven"."""
    link = noun.head
    return noun.dep_ == "pobj" and link.text.lower() == "of" and link.head.text.lower() == "out"


def _same_before(pronoun: Node) -> Node | None:
    """The same pronoun as the object of the verb before, with no other object between: "washes it, dries it"."""
    if pronoun.dep_ != "dobj" or pronoun.text.lower() not in ("it", "them"):
        return None
    own = verb_above(pronoun)
    for before in reversed(list(pronoun.doc[: pronoun.i])):
        if before.dep_ in ("dobj", "nsubjpass"):
            is_same = before.text.lower() == pronoun.text.lower()
            return before if is_same and verb_above(before) != own else None
    return None


def _salience(noun: Node) -> int:
    if noun.dep_ == "pobj" and noun.head.dep_ == "prep":
        link = noun.head
        if link.text.lower() == "of":
            whole = link.head.lemma_.lower()
            return 1 if whole in HOLDERS | MEASURES | LIGHT_NOUNS else 0
        if particle_of(verb_above(noun)) == link:
            return 3  # "takes off the lid": an object behind its particle
        is_aim = link.text.lower() in ("after", "for", "at") and link.head.tag_.startswith("VB")
        is_aim = is_aim and link.head.lemma_.lower() not in _RESTING  # "sits at the desk"
        if is_aim and not any(c.dep_ == "dobj" for c in link.head.children):
            return 3  # "runs after the ball and kicks it"
    return {"dobj": 3, "nsubjpass": 3, "nsubj": 2, "conj": 2, "attr": 2}.get(noun.dep_, 1)
