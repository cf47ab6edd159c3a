"""What an event is done to, with, from and to: its objects, the part of the body that acts, its direction.

Objects hang on the verb itself (direct, recipient), on its prepositions, or, where the parser chose the
nearer noun, on another object: "holds a cup in the left hand" hangs the hand on the cup.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from assets.labels.open.antecedents import antecedent, moved_part, verb_above
from assets.labels.open.body_parts import PARTS, Sides, body_part, together
from assets.labels.open.english import (
    ACTED_ON,
    DIRECTIONS,
    GIVING,
    HOLDERS,
    HOLDING,
    MOVING,
    NOUN_TAGS,
    POSSESSIVES,
    TURNS,
    USING,
)
from assets.labels.open.misread import has_article, is_unknown, misread_object
from assets.labels.open.people import People
from assets.labels.open.prepositions import role_of
from assets.labels.open.schema import Object
from assets.labels.open.status import status_of_below
from assets.labels.open.things import expanded, listed, noun_lemma, noun_phrase
from assets.labels.open.tokens import WEARER
from assets.labels.open.verbs import is_position, particle_of

if TYPE_CHECKING:
    from assets.labels.open.tree import Node

_SIDES = frozenset(["left", "right"])
_ONE_HAND = frozenset(["left_hand", "right_hand", "unspecified_hand"])
_SIDED = frozenset(["left_hand", "right_hand", "both_hands"])
# What is done with a part of one's own body.
_MOVING_PARTS = frozenset(
    "raise lower lift drop move swing bend stretch extend shake wave open close clench relax rotate straighten "
    "flex cross uncross clasp".split()
)
_TAKING = frozenset("take receive get collect grab borrow buy".split())
_WITH_PARTS = frozenset("with in by using between on via".split())
# Behind these, a hand is what bears or passes a thing, and no thing.
_WHERE = frozenset("in on at under beside above below near behind next".split())
_BEARING = frozenset("into onto from off to under against in".split())
_DRESSING = frozenset("put place strap fasten slide slip wear wrap tie remove pull fix".split())
_WORN = frozenset("sock sleeve glove ring bandage mitten watch bracelet band plaster mitt".split())
_WINDING = frozenset("wind wrap tie roll coil twist put loop".split())
_LEADING = frozenset("dribble drive ride lead wheel push chase".split())
_CLEANING = frozenset("remove wipe wash rinse shake dry scrub clean brush peel scrape".split())
_SWAPPING = frozenset("swap switch exchange change trade".split())
_PASSING = frozenset("pass kick throw roll slide crawl".split())
_BECOMING = frozenset(
    "shut open clean dry upright still apart loose tight flat free closed aside back".split()
)
_TELLING = frozenset("ask tell order instruct invite request remind teach command signal".split())
_WATCHING = frozenset("help watch observe notice".split())
# What of a part of the body stands for it: "with the inside of the left foot", "with a flick of her left hand".
_OF_A_PART = frozenset(
    "inside outside side back tip edge ball heel movement motion flick stroke twist jerk swing sweep tap push turn wave chop blow".split()
)
_BEARING_VERBS = frozenset("hold carry grip grasp".split())
# What the whole body does, and not the hand that has something.
_WHOLE_BODY = frozenset(
    "walk stand sit run enter leave exit come go laugh smile watch wait".split()
)
_LINKS = frozenset(["prep", "dative"])


class Arguments:
    """Objects of one verb, the part of the body it is done with, and its direction.

    Args:
        verb: The verb.
        people: People of the narration.
        sides: Sides of the body named so far.

    Attributes:
        objects: Objects, in the order they were found.
        part: Part of the body that acts, or None.
        direction: Word of direction, or None.
    """

    def __init__(self, verb: Node, people: People, sides: Sides) -> None:
        self._verb, self._people, self._sides = verb, people, sides
        self.objects: list[Object] = []
        self.part: str | None = None
        self._has_fingers = False
        self._resting: str | None = None
        self.direction: str | None = None
        particle, misread = particle_of(verb), misread_object(verb)
        for child in verb.children:
            if misread is not None and child == misread:
                self.objects.append(noun_phrase(misread, "direct", misread.dep_))
                self._prepositions(misread)
            elif child == particle:
                self._after_particle(child)
            else:
                self._child(child)
        self._of_the_verb_above()
        self._relative()
        self._tell_who_gets_what()
        seen: set[int] = set()
        for thing in self.objects:  # it grows: what hangs on an object may have more behind it
            if thing.node in seen:
                continue  # found again: it would be found for ever
            seen.add(thing.node)
            for noun in self._up_to_verb(verb.doc[thing.node]):
                self._behind(noun, thing.role)
                if noun.i < verb.i and thing.role == "tool":
                    self._holder_of(noun)
        self._turn()
        if self.part is None:
            self._hand_behind()
        if self.part is None:
            self.part, self._resting = self._resting, None
        self._further_hands()
        if verb.lemma_.lower() in _WHOLE_BODY and _is_along(verb):
            self.part = None

    def _child(self, child: Node) -> None:
        verb, people, sides = self._verb, self._people, self._sides
        if child.dep_ == "dobj" and child.text.lower() == "that" and verb.dep_ == "relcl":
            return  # "the tablet that she is holding": `_relative` finds it
        if child.dep_ == "dobj":
            self._direct(child)
        elif child.dep_ == "dative" and child.tag_ not in ("IN", "TO"):
            self.objects += expanded(child, "recipient", "dative", people, sides)
        elif _is_listed_apart(child, verb):
            role = self._role_before(child)
            self.objects += expanded(child, role, f"{child.dep_}:list", people, sides)
        elif child.dep_ == "nsubjpass":
            self._holder_of(child)
        elif child.dep_ in _LINKS:
            self._preposition(child)
        elif child.dep_ in ("advmod", "npadvmod", "acomp", "oprd"):
            self.direction = self.direction or DIRECTIONS.get(child.text.lower())
            # "Puts the celery back into the fridge" hangs the fridge on the adverb.
            self._prepositions(child)
            # "Picks cardboard from the table": an unknown noun right behind its verb.
            if child.i == verb.i + 1 and child.tag_ == "RB" and is_unknown(child, verb):
                self.objects.append(
                    Object(child.text.lower(), "direct", child.i, child.i, "advmod")
                )
        elif child.dep_ in ("advcl", "xcomp") and child.text.lower() == "using":
            tool = next((c for c in child.children if c.dep_ == "dobj"), None)
            if tool is not None:
                named = sides.part(tool)
                self.part = together(self.part, named)
                if named is None:
                    self.objects += expanded(tool, "tool", "advcl>dobj", people, sides)
        elif child.dep_ in ("ccomp", "xcomp") and verb.lemma_ in _TELLING | _WATCHING:
            for person in child.children:
                if person.dep_ == "nsubj" and people.who(person) is not None:
                    self.objects += expanded(person, "direct", "ccomp>nsubj", people, sides)
        elif child.dep_ == "ccomp" and child.tag_ == "JJ" and child.text.lower() not in _BECOMING:
            # "Holds it steady"
            for thing in child.children:
                if thing.dep_ == "nsubj" and thing.i > verb.i:
                    self.objects += expanded(thing, "direct", "ccomp>nsubj", people, sides)
        elif child.dep_ == "ccomp" and child.i > verb.i and verb.lemma_ in ("check", "ensure"):
            for thing in child.subtree:
                if thing.dep_ in ("nsubj", "nsubjpass"):
                    self.objects += expanded(thing, "direct", "ccomp>nsubjpass", people, sides)
        if child.text.lower() in _BECOMING and child.i > verb.i and child.dep_ != "conj":
            # "Kicks the drawer shut with the left foot" hangs the foot on the state.
            if child.dep_ == "ccomp" and not child.tag_.startswith("VB"):
                for thing in child.children:
                    if thing.dep_ == "nsubj":
                        self.objects += expanded(thing, "direct", "ccomp>nsubj", people, sides)
            self._prepositions(child)

    def _role_before(self, node: Node) -> str:
        """Role of what a list goes on from: the tool of "with a broom in one hand and a dustpan"."""
        before = [each for each in self.objects if each.node < node.i]
        return before[-1].role if before and before[-1].role == "tool" else "direct"

    def _direct(self, child: Node) -> None:
        verb, people, sides = self._verb, self._people, self._sides
        if not has_article(child):  # "turns left", but "uses the back of the knife"
            self.direction = self.direction or DIRECTIONS.get(child.text.lower())
        for state in child.children:
            if state.text.lower() in _BECOMING and state.i > child.i:
                self._prepositions(state)
        named = None if child.lemma_.lower() == "hair" else sides.part(child)
        moved = self._moved_again(child)
        if moved is not None:
            self.part = together(self.part, moved)
            return
        behind = child.nbor().text.lower() if child.i + 1 < len(child.doc) else ""
        acts = (
            verb.lemma_ not in ACTED_ON
            or behind == "together"
            or any(c.text.lower() == "together" for c in (*verb.children, *child.children))
        )
        if verb.lemma_ == "make":
            acts = False  # "makes a face"
        if verb.lemma_ == "hold" and any(c.dep_ == "prt" for c in verb.children):
            acts = True  # "holds out his hand"
        if named is not None and acts and not self._is_anothers(child):
            # "Raises the left hand": the hand is what acts, and no thing.
            self._has_fingers = child.lemma_ == "finger" and named == "both_hands"
            self.part = together(self.part, named)
            for prep in child.children:
                if prep.dep_ == "prep" and prep.text.lower() != "of":
                    self._preposition(prep)
        elif named is not None or child.lemma_.lower() == "hair":
            self.objects.append(Object(noun_lemma(child), "direct", child.i, child.i, "dobj"))
        elif (child.tag_ != "VBG" or has_article(child)) and child.tag_ not in ("WDT", "WP"):
            role = "recipient" if self._is_recipient(child) else "direct"
            role = "tool" if verb.lemma_.lower() in USING else role
            self.objects += expanded(child, role, "dobj", people, sides)

    def _moved_again(self, pronoun: Node) -> str | None:
        """The hands of "raises both hands and lowers them"; None where the pronoun is a thing."""
        if pronoun.text.lower() not in ("it", "them") or self._verb.lemma_ not in _MOVING_PARTS:
            return None
        if antecedent(pronoun, self._people) is not None:
            return None
        moved = moved_part(pronoun, self._people)
        return None if moved is None else body_part(moved)

    def _after_particle(self, particle: Node) -> None:
        word = particle.text.lower()
        for inner in particle.children:
            if inner.dep_ == "pobj" and self._sides.part(inner) is None:
                has_object = any(c.dep_ == "dobj" for c in self._verb.children)
                role = "source" if word == "off" and has_object else "direct"
                self.objects += expanded(inner, role, f"prep:{word}", self._people, self._sides)
            elif inner.dep_ == "pobj":
                self.part = together(self.part, self._sides.part(inner))
            elif inner.dep_ == "prep":
                self._preposition(inner)
            elif inner.dep_ == "advmod":  # "puts the lid back on"
                self.direction = self.direction or DIRECTIONS.get(inner.text.lower())

    def _prepositions(self, node: Node) -> None:
        for child in node.children:
            if child.dep_ == "prep" and child.i > node.i:
                self._preposition(child)

    def _preposition(self, prep: Node) -> None:
        """What a preposition adds: objects, the part of the body, a direction."""
        word = prep.text.lower()
        if word == "to" and prep.head.text.lower() in ("next", "close"):
            word = "beside"
        if word == "of" and prep.head.text.lower() in ("off", "out"):
            word = "off"
        direction = DIRECTIONS.get(word)
        if word == "with":
            # "With both palms interlocked"
            for state in prep.children:
                if state.dep_ == "pcomp" and state.tag_ == "VBN":
                    for hand in state.children:
                        if hand.dep_ == "nsubj":
                            self.part = together(self.part, self._sides.part(hand))
        if word == "out" and self._verb.lemma_ in ("look", "peek", "stare"):
            direction = "out"
        for child in prep.children:
            if child.dep_ == "prep" or (child.dep_ == "conj" and child.tag_ in ("IN", "TO")):
                self._preposition(child)
            if child.dep_ not in ("pobj", "pcomp") or child.tag_ == "VBG":
                continue
            side = _side(child)
            hand = self._hand_before(child) if word in ("with", "using") else None
            if hand is not None:
                self.part = together(self.part, hand)
                continue
            if word == "with" and child.text.lower() in _SIDES and has_article(child):
                self.part = together(self.part, f"{side}_hand")
                continue
            if child.text.lower() in _SIDES or (child.lemma_ in ("side", "direction") and side):
                direction = direction if word == "from" else side
                whole = [of for of in child.children if of.text.lower() == "of"]
                if not whole:
                    self._prepositions(child)
                    continue
                if child.text.lower() in _SIDES:
                    # "On the left of the plate"
                    child = next((c for c in whole[0].children if c.dep_ == "pobj"), child)
            if self._is_part(word, child):
                continue
            for owner in child.children:
                if owner.dep_ == "poss" and owner.tag_ in NOUN_TAGS:
                    # "From your right hand's bowl"
                    self.part = together(self.part, self._sides.part(owner))
            role = role_of(word, child, self._verb, self._people)
            if direction == side is not None and role not in ("target", "source"):
                continue
            if role is None and word == "with":
                continue  # what is along, or how: neither it nor what hangs on it
            if role is None:
                self._prepositions(child)
            elif role != "other":
                found = expanded(child, role, f"prep:{word}", self._people, self._sides)
                if role == "tool" or (self.part is not None and role in ("target", "location")):
                    # "With a knife and the left hand", "the left hand on the lid and the right on top"
                    hands = {
                        n.i: part
                        for n in listed(child)
                        if (part := self._sides.part(n))
                        and (role == "tool" or (n.i != child.i and part in _SIDED))
                    }
                    for part in hands.values():
                        self.part = together(self.part, part)
                    found = [each for each in found if each.node not in hands]
                self.objects += found
            if role == "target" and word in ("over", "around", "in"):
                direction = None if word == "over" else direction
        self.direction = self.direction or direction

    def _is_part(self, word: str, noun: Node) -> bool:
        """Take a part of the body behind a preposition for what acts; say whether it is that."""
        if noun.lemma_.lower() in _OF_A_PART:
            # "With the inside of the left foot"
            inner = [c for of in noun.children if of.text.lower() == "of" for c in of.children]
            noun = inner[0] if inner and inner[0].lemma_.lower() in PARTS else noun
        named = self._sides.part(noun)
        if named is None or self._is_anothers(noun):
            return False
        is_hand = named.endswith(("hand", "hands", "foot", "feet"))
        worn = any(c.dep_ == "dobj" and c.lemma_.lower() in _WORN for c in self._verb.children)
        if worn and word == "on" and self._verb.lemma_.lower() not in _BEARING_VERBS | {"drop"}:
            return False  # "adjusts the watch on his left wrist"
        dressed = self._verb.lemma_.lower() in _DRESSING and (
            worn or noun.lemma_.lower() not in ("hand", "palm")
        )
        if (
            is_hand
            and word in ("from", "off")
            and self._verb.lemma_.lower() in _CLEANING
            and any(c.dep_ == "dobj" for c in self._verb.children)
        ):
            return False  # "wipes the paint off her hands"
        if word == "between" and not is_hand and self._verb.lemma_.lower() in _PASSING:
            return False  # "kicks the ball between his legs"
        if dressed and word in ("on", "from", "to", "around", "onto"):
            return False
        if (
            word in ("on", "in")
            and self._verb.lemma_ not in ("hold", "carry", "balance")
            and not is_hand
            and any(c.dep_ == "dobj" for c in self._verb.children)
        ):
            return False
        swaps = word == "for" and self._verb.lemma_.lower() in _SWAPPING
        if word not in _WITH_PARTS and not swaps and not (is_hand and word in _BEARING):
            return False
        if word == "with" and noun.i < self._verb.i and is_hand and _rests(noun):
            # "With one hand on the lid, unscrews the cap with the other": that one does no more than lie there.
            self._resting = named
            return True
        is_sided = named.startswith(("left", "right"))
        # "Snaps her fingers with the left hand": those are the left hand's.
        self.part = named if is_sided and self._has_fingers else together(self.part, named)
        if any(c.text.lower() == "both" for c in noun.children):
            for hand in listed(noun):
                self.part = together(self.part, self._sides.part(hand))
        if word in ("with", "using"):
            # "With the left hand and a knife in the right hand"
            for tool in listed(noun):
                if tool.i == noun.i:
                    continue
                other = self._sides.part(tool)
                if other is not None:
                    self.part = together(self.part, other)
                else:
                    path = f"prep:{word}>conj"
                    behind = tool.nbor().text.lower() if tool.i + 1 < len(tool.doc) else "."
                    # "Holds the pan with the left hand and the lid with the right"
                    role = "direct" if behind in ("with", "in") else "tool"
                    self._add(expanded(tool, role, path, self._people, self._sides))
        fronted = word == "with" and noun.i < self._verb.i
        for prep in noun.children:
            if prep.dep_ == "prep" and prep.text.lower() != "of" and not fronted:
                self._preposition(
                    prep
                )  # "with one hand on the lid, turns the jar": where the hand is
        return True

    def _hand_before(self, pronoun: Node) -> str | None:
        """The hand of "lets go of the rail with his left hand and waves with it"; None where it is a thing."""
        if pronoun.text.lower() not in ("it", "them"):
            return None
        thing = antecedent(pronoun, self._people)
        if thing is not None and thing.dep_ != "pobj":
            return None
        own = verb_above(pronoun)
        for before in reversed(list(pronoun.doc[: pronoun.i])):
            part = body_part(before) if before.tag_ in NOUN_TAGS else None
            acts = before.dep_ == "dobj" or (
                before.dep_ == "pobj" and before.head.text.lower() in ("with", "using")
            )
            if part is not None and acts and verb_above(before) != own:
                is_thing = verb_above(before).lemma_.lower() in ACTED_ON and before.dep_ == "dobj"
                return None if is_thing or not part.endswith(("hand", "hands")) else part
        return None

    def _is_anothers(self, noun: Node) -> bool:
        """Whether a part of the body belongs to somebody named: "the man's hand"."""
        owner = next((c for c in noun.children if c.dep_ == "poss"), None)
        if owner is None:
            return False
        if owner.text.lower() in POSSESSIVES:  # the parser takes some of "her" for an object
            mine = owner.text.lower() in ("my", "our")
            doer = next((c for c in self._verb.children if c.dep_ == "nsubj"), None)
            name = None if doer is None else self._people.who(doer)
            return owner.text.lower() == "its" or (mine and bool(name))
        # "The manikin's head" is nobody's who acts, nor is "the man's hand".
        return self._people.who(owner) != WEARER

    def _of_the_verb_above(self) -> None:
        """What a verb of status is said with: "with the right hand, begin stirring"."""
        above = self._verb.head
        if self._verb.dep_ != "xcomp" or status_of_below(above) is None:
            return
        for prep in above.children:
            if prep.dep_ == "prep" and prep.text.lower() in ("with", "using"):
                self._preposition(prep)

    def _relative(self) -> None:
        """Take the sandwich of "a sandwich that they eat" for what is eaten."""
        verb = self._verb
        top = verb
        while top.dep_ in ("xcomp", "acomp") and top.head.i != top.i:
            top = top.head
        if top.dep_ != "relcl" or top.head.tag_ not in NOUN_TAGS:
            return
        if any(o.role == "direct" for o in self.objects) or verb.lemma_ in MOVING:
            return
        own = [c for c in top.children if c.dep_ in ("nsubj", "nsubjpass")]
        if not own or own[0].tag_ in ("WDT", "WP") or own[0].text.lower() in ("that", "which"):
            return
        if verb.text.lower() in ("is", "are"):
            return
        self.objects += expanded(top.head, "direct", "relcl", self._people, self._sides)

    def _tell_who_gets_what(self) -> None:
        """Tell who gets something from what they get, where the parse takes both for one kind.

        "Hands C the wrench" and "passes to the woman the ball" come out as two objects in a row.
        """
        lemma = self._verb.lemma_.lower()
        if lemma in _TELLING | frozenset(["thank"]):
            self.objects = [
                replace(o, role="recipient")
                if lemma != "thank" and o.role == "direct" and self._names_person(o)
                else o
                for o in self.objects
            ]
            return
        if lemma not in GIVING | _TAKING or len(self.objects) < 2:
            return
        persons = [o for o in self.objects if self._names_person(o)]
        things = [o for o in self.objects if o not in persons]
        if not persons or not things:
            return
        has_direct = any(o.role == "direct" for o in things)
        for at, each in enumerate(self.objects):
            if each in persons and each.role == "direct" and lemma in GIVING:
                self.objects[at] = replace(each, role="recipient")
            elif each in things and each.role == "recipient" and not has_direct:
                self.objects[at] = replace(each, role="direct")

    def _names_person(self, each: Object) -> bool:
        return self._people.who(self._verb.doc[each.node]) is not None

    def _is_recipient(self, node: Node) -> bool:
        others = [
            c
            for c in self._verb.children
            if c.i > node.i
            and (
                c.dep_ == "dobj"
                or (c.dep_ in ("ccomp", "xcomp", "advcl") and self._verb.lemma_.lower() in GIVING)
            )
        ]
        return self._people.who(node) is not None and bool(others)

    def _up_to_verb(self, noun: Node) -> Iterator[Node]:
        """A noun and those it hangs on: the drawer of "a pair of scissors from the drawer" is the pair's."""
        node = noun
        while node.i != self._verb.i and node.head.i != node.i:
            if node.tag_ in NOUN_TAGS or node.i == noun.i:
                yield node
            node = node.head

    def _behind(self, noun: Node, role: str) -> None:
        """What hangs on an object though it belongs to the verb: a tool, a place, a hand."""
        if noun.i < self._verb.i and noun.dep_ != "nsubjpass" and noun.dep_ != "nsubj":
            return
        for prep in noun.children:
            word = prep.text.lower()
            holds = noun.lemma_.lower() in HOLDERS and (
                word == "of"
                or (word == "with" and self._verb.lemma_.lower() in HOLDING)
                or word == "containing"
            )
            if holds:
                # "A bowl with meat": what is done with the one is done with the other.
                for child in prep.children:
                    if child.dep_ in ("pobj", "dobj"):
                        if self._people.who(child) is None and not self._is_part(word, child):
                            self._add(
                                expanded(child, role, f"contents:{word}", self._people, self._sides)
                            )
                    elif child.dep_ == "prep":
                        self._hanging(child, role)
            elif prep.dep_ == "prep" and word != "of":
                self._hanging(prep, role)
            elif word in ("next", "close"):
                for inner in prep.children:  # "the knife next to the sink"
                    if inner.dep_ == "prep":
                        self._hanging(inner, role)
            elif prep.tag_ == "VBG" and is_position(prep):
                self._prepositions_of_position(prep)

    def _prepositions_of_position(self, lying: Node) -> None:
        """Where a thing is: the stand of "grabs the phone lying on the stand"."""
        for prep in lying.children:
            for place in prep.children:
                if prep.dep_ == "prep" and place.dep_ == "pobj" and place.tag_ in NOUN_TAGS:
                    path = f"lying>prep:{prep.text.lower()}"
                    self._add(expanded(place, "location", path, self._people, self._sides))

    def _hanging(self, prep: Node, of: str) -> None:
        """What hangs on an object of some role: "in the box on the table" says where the box is."""
        word = "beside" if prep.head.text.lower() in ("next", "close") else prep.text.lower()
        self.direction = self.direction or (
            DIRECTIONS.get(word)
            if word in ("towards", "toward", "across", "through")
            or (word == "around" and self._verb.lemma_.lower() in _WINDING | _LEADING)
            else None
        )
        for child in prep.children:
            if child.dep_ != "pobj" or self._is_part(word, child):
                continue
            role = role_of(word, child, self._verb, self._people)
            if role == "target" and of == "target" and word in _WHERE:
                role = "location"
            if role is not None and role != "other":
                self._add(expanded(child, role, f"noun>prep:{word}", self._people, self._sides))
                self._behind(child, role)

    def _add(self, found: list[Object]) -> None:
        known = {each.node for each in self.objects}
        self.objects += [each for each in found if each.node not in known]

    def _holder_of(self, tool: Node) -> None:
        """The hand of "with the tongs in my right hand, I turn the meat"."""
        for prep in tool.children:
            if prep.dep_ == "prep" and prep.text.lower() in ("in", "on"):
                for hand in prep.children:
                    self._is_part("in", hand)

    def _hand_behind(self) -> None:
        """The hand that acts, wherever in the clause the parser hung it: "closes the lid of the jar with it"."""
        for node in self._verb.doc[self._verb.i + 1 :]:
            word = node.text.lower()
            describes = node.tag_ == "VBN" and node.dep_ in ("acl", "amod")
            if word in (".", ";") or (
                node.tag_.startswith("VB") and word != "containing" and not describes
            ):
                return
            if node.dep_ != "prep" or word not in ("with", "in", "on", "using", "from"):
                continue
            if node.head.dep_ == "acl" and node.head.lemma_ in _BEARING_VERBS:
                continue
            if not any(above.i == self._verb.i for above in node.ancestors):
                continue
            hand = next((c for c in node.children if c.dep_ == "pobj"), None)
            if word == "with" and hand is not None and PARTS.get(hand.lemma_.lower()) == "head":
                self.part = self._sides.part(hand)  # "opens the cap of the pen with her teeth"
                return
            if hand is None and word == "with" and node.nbor(-1).text != ",":
                # "Stirs the soup with the right hand holding the ladle"
                hand = next(
                    (
                        c
                        for clause in node.children
                        if clause.dep_ == "pcomp" and clause.tag_ == "VBG"
                        for c in clause.children
                        if c.dep_ == "nsubj"
                    ),
                    None,
                )
            named = None if hand is None else self._sides.part(hand)
            if hand is None or named is None or not named.endswith(("hand", "hands")):
                continue
            # "With a wrench on his right hand" is not "puts the ring on the left hand".
            holds = word != "on" or (node.head.dep_ == "pobj" and node.head.head.text == "with")
            if holds and not self._is_anothers(hand) and not self._is_object(hand):
                self.part = named
                return

    def _further_hands(self) -> None:
        """The second hand of "lifts the pan with one hand and its lid with the other"."""
        if self.part not in _ONE_HAND:
            return
        parts: list[str] = []
        for node in self._verb.subtree:
            if PARTS.get(node.lemma_.lower()) != "hand" or node.dep_ not in ("pobj", "conj"):
                continue
            if node.i < self._verb.i and self._resting is not None and _rests(node):
                continue
            first = node
            while first.dep_ == "conj" and first.head.tag_ in NOUN_TAGS:
                first = first.head
            if first.head.text.lower() not in ("with", "in", "using"):
                continue
            if verb_above(first) != self._verb or self._is_object(node) or self._is_anothers(node):
                continue
            part = body_part(node)
            if part is not None and part.endswith(("hand", "hands")):
                parts.append(part)
        hands = set(parts)
        two = {"left_hand", "right_hand"} <= hands or (
            hands == {"unspecified_hand"} and len(parts) > 1
        )
        if two and self.part in hands:
            self.part = "both_hands"

    def _is_object(self, node: Node) -> bool:
        return any(each.node == node.i for each in self.objects)

    def _turn(self) -> None:
        """A word that can only be a direction, wherever in the clause the parser hung it."""
        if self.direction is not None:
            return
        for node in self._verb.doc[self._verb.i + 1 :]:
            if node.tag_.startswith("VB") or node.text in (".", ";"):
                return
            is_next = node.i == self._verb.i + 1 and self._verb.lemma_ in MOVING
            if node.text.lower() in TURNS or (is_next and node.text.lower() in _SIDES):
                self.direction = DIRECTIONS[node.text.lower()]
                return


def _rests(hand: Node) -> bool:
    """Whether a hand lies on something: "with one hand on the lid"."""
    return any(c.dep_ == "prep" and c.text.lower() == "on" for c in hand.children)


def _is_along(verb: Node) -> bool:
    """Whether a hand behind a verb only bears something or rests: "walks in with a box in his hands".

    Who says in which hand says more.
    """
    doc = verb.doc
    for hand in doc[verb.i + 1 :]:
        if hand.lemma_.lower() != "hand":
            continue
        before = [node.text.lower() for node in doc[verb.i + 1 : hand.i]]
        if "with" not in before or {"left", "right", "both"} & {*before}:
            return False
        after = hand.nbor().text.lower() if hand.i + 1 < len(doc) else "."
        bears = "in" in before[before.index("with") :]
        return bears or after in ("on", "in", "at", "against")
    return False


def _is_listed_apart(node: Node, verb: Node) -> bool:
    """Whether a noun is the second of a list whose first is the verb's object: "the fork and the knife"."""
    if node.tag_ not in NOUN_TAGS or node.dep_ not in (
        "conj",
        "punct",
        "dep",
        "appos",
        "npadvmod",
    ):
        return False
    first = node.left_edge.i
    joined = first > 0 and node.doc[first - 1].text.lower() in ("and", ",", "&", "or")
    return joined and any(c.dep_ == "dobj" and c.i < node.i for c in verb.children)


def _side(node: Node) -> str | None:
    if node.text.lower() in _SIDES:
        return node.text.lower()
    return next((c.text.lower() for c in node.children if c.text.lower() in _SIDES), None)
