"""Hand, action and object of one action of the wearer: its edges in the scene graph, and what texts say of it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from expectations.derivations.actions import VERB, is_active, is_direct
from expectations.derivations.boxes import SIDES, boxes_near, place_in_words
from expectations.derivations.wording import SAID_S
from expectations.gates.base import Derived, Sight
from expectations.gates.statements import Choice, Each, Name, Number, Quote, Slot, Statement
from expectations.gates.tables import EvidenceTables
from expectations.gates.words import name_words

READS: dict[str, tuple[str, ...]] = {
    "relations": (
        "relation_id",
        "segment_id",
        "subject",
        "relation",
        "object",
        "role",
        "hand_side",
    ),
    "boxes": ("box_id", "recording_id", "segment_id", "t_s", "class_name", *SIDES),
    "graph_nodes": ("node_id", "recording_id", "name"),
    "graph_edges": (
        "edge_id",
        "recording_id",
        "segment_id",
        "from_node",
        "relation",
        "to_node",
        "role",
        "start_s",
        "end_s",
        "source_row",
    ),
}
# A box drawn for an action shows its object so near the moment.
_NEAR_S = 0.5
_HAND = re.compile(r"(?:(?:left|right|both) )?hands?")
# Explanations tell times with one decimal and shares of the picture with two.
_ROUNDED_S = 0.05
_ROUNDED = 0.005

# What is done, to what, and by which hand: what says most is tried first.
_DONE = (
    "{does} the {object} somewhere",
    "{moves} the {object} {way} something",
    'performs the action "{action}" on the {object}',
    "{does} the {object}",
)
_BY = (" with {both}", " with {hands}", "")
# How a thing comes to another that is not named.
_WAYS = ("from", "in", "into", "on", "onto", "to", "under")
_IRREGULAR = {"has": "have", "is": "be"}

Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Does(Slot):
    """A verb in the third person, with its particle.

    Attributes:
        verbs: Verbs in the rows; each of them is accepted.
    """

    verbs: tuple[str, ...]

    def pattern(self) -> str:
        """Words without marks."""
        return r"[a-z]+(?: [a-z]+)*?"

    def errors(self, text: str) -> Iterator[str]:
        """How the verb differs."""
        first, *rest = text.casefold().split()
        bases = {_IRREGULAR.get(first, first.removesuffix("s")), first.removesuffix("es")}
        bases |= {first.removesuffix("ies") + "y"} - {first + "y"}
        known = {tuple(re.findall("[a-z]+", verb.casefold())) for verb in self.verbs}
        if not known & {(base, *rest) for base in bases - {first}}:
            yield f"{text!r} instead of {' or '.join(self.verbs)!r}"


def done_forms(form: str, *, of_hands: bool = True) -> tuple[str, ...]:
    """Return a form in all wordings of what the wearer does.

    Args:
        form: The form; what is done stands at `{done}`.
        of_hands: Whether the hands may be said.
    """
    ways = _BY if of_hands else ("",)
    return tuple(form.replace("{done}", done + by) for done in _DONE for by in ways)


def verb_slots(verbs: tuple[str, ...]) -> dict[str, Slot]:
    """What may stand in the slots of `done_forms` that tell the verb.

    Args:
        verbs: Verbs in the rows; each of them is accepted.
    """
    words = [re.findall("[a-z]+", verb.casefold()) for verb in verbs]
    ways = {verb[-1]: " ".join(verb[:-1]) for verb in words if verb and verb[-1] in _WAYS}
    return {
        "does": Does(verbs),
        "moves": Does(tuple(ways.values())),
        "way": Choice(tuple(ways), _WAYS),
        "action": Quote(verbs),
    }


@dataclass(frozen=True, slots=True)
class ActionPath:
    """One action of the wearer at a moment, from the hand to the object.

    Attributes:
        segment: Row of `segments`.
        moment_s: The moment, in seconds of the recording.
        objects: Names of what the action is done to; each names the same thing.
        is_tool: Whether it is done with the object rather than to it.
        verbs: What is done.
        hands: Hands it is done with, as the relations name them.
        acts_on: Edges from the action to the object.
        does: Edges from the wearer to the action.
        hand_edges: Edges that tell the hand.
        boxes: Boxes that the object has then.
    """

    segment: Row
    moment_s: float
    objects: tuple[str, ...]
    is_tool: bool
    verbs: tuple[str, ...]
    hands: tuple[str, ...]
    acts_on: tuple[Row, ...]
    does: tuple[Row, ...]
    hand_edges: tuple[Row, ...]
    boxes: tuple[Row, ...]

    def rest_on(self, notes: Derived, role: str) -> None:
        """Note the evidence of the path; the object's stands under a role."""
        notes.rests_on(role, "segments", [str(self.segment["segment_id"])])
        notes.rests_on(role, "graph_edges", [e["edge_id"] for e in self.acts_on], "one")
        notes.rests_on("action", "graph_edges", [e["edge_id"] for e in self.does], "one")
        notes.rests_on(role, "boxes", [r["box_id"] for r in self.boxes], "none")
        needed = "one" if self.hands and self.hand_edges else "none"
        notes.rests_on("hand", "graph_edges", [e["edge_id"] for e in self.hand_edges], needed)

    def statements(self, clip_start_s: float, given: EvidenceTables) -> list[Statement]:
        """What an explanation says of the path: the hand, if one is known, the action, the object.

        Args:
            clip_start_s: Start of the clip, from which texts count seconds.
            given: The tables.
        """
        at_s = self.moment_s - clip_start_s
        hand = [self._hand_statement(at_s, given)] if self.hands else []
        return [*hand, self._action_statement(clip_start_s), self._object_statement(given)]

    def rest_whole_on(self, notes: Derived, number: int) -> None:
        """Note the evidence of one of several actions; roles end with its number."""
        role = f"contact_{number}"
        notes.rests_on(role, "segments", [str(self.segment["segment_id"])])
        notes.rests_on(role, "graph_edges", [e["edge_id"] for e in self.acts_on], "one")
        notes.rests_on(f"action_{number}", "graph_edges", [e["edge_id"] for e in self.does], "one")
        hands = [e["edge_id"] for e in self.hand_edges]
        needed = "one" if self.hands and hands else "none"
        notes.rests_on(f"hand_{number}", "graph_edges", hands, needed)

    def whole_statement(self, thing: str, number: int, clip_start_s: float) -> Statement:
        """What an explanation says of the whole of one of several actions.

        Args:
            thing: Name of what it is done to.
            number: Number of the action.
            clip_start_s: Start of the clip, from which texts count seconds.
        """
        links, does, hands = (
            frozenset(f"graph_edges:{e['edge_id']}" for e in edges)
            for edges in (self.acts_on, self.does, self.hand_edges)
        )
        return Statement(
            f"action {number}",
            done_forms("From {start} s to {end} s of the clip, the camera wearer {done}."),
            {
                "start": Number(self.segment["start_s"] - clip_start_s, _ROUNDED_S),
                "end": Number(self.segment["end_s"] - clip_start_s, _ROUNDED_S),
                **self.done_slots((thing,)),
            },
            (*links, *does, *hands),
            cited=(links, does),
        )

    def done_slots(self, things: tuple[str, ...]) -> dict[str, Slot]:
        """What may stand in the slots of `done_forms`.

        Args:
            things: Names of what it is done to.
        """
        hands = set(self.hands)
        both = ("both hands",) if hands == {"left hand", "right hand"} else ()
        return {
            **verb_slots(self.verbs),
            "object": Name(things),
            "hands": Each("[the ]{hand}", tuple({"hand": Name((hand,))} for hand in self.hands)),
            "both": Choice(both, ("both hands",)),
        }

    def _hand_statement(self, at_s: float, given: EvidenceTables) -> Statement:
        hands = tuple({"hand": Name((h,)), "box": self._place(h, given)} for h in self.hands)
        return Statement(
            "hand",
            ("At {time} s of the clip, the camera wearer is using {hands}.",),
            {
                "time": Number(at_s, _ROUNDED_S),
                "hands": Each("[the ]{hand}[, at {box} in the picture]", hands),
            },
            _keys(self.hand_edges, "to_node", "from_node"),
        )

    def _action_statement(self, clip_start_s: float) -> Statement:
        began_s = max(0.0, float(self.segment["start_s"]) - clip_start_s)
        return Statement(
            "action",
            (
                'The camera wearer\'s action is "{action}": it began at {start} s and is still going on at'
                " {time} s.",
            ),
            {
                "action": Quote(self.verbs),
                "start": Number(began_s, _ROUNDED_S),
                "time": Number(self.moment_s - clip_start_s, _ROUNDED_S),
            },
            _keys(self.does, "to_node"),
        )

    def _object_statement(self, given: EvidenceTables) -> Statement:
        done = "with" if self.is_tool else "on"
        return Statement(
            "object acted on",
            (f"The action is performed {done} the {{object}}[, at {{box}} in the picture].",),
            {"object": Name(self.objects), "box": self._place(self.objects[0], given)},
            (*_keys(self.acts_on, "to_node"), *(f"boxes:{r['box_id']}" for r in self.boxes)),
        )

    def _place(self, name: str, given: EvidenceTables) -> Any:
        recording = str(self.segment["recording_id"])
        rows = boxes_near(name, recording, self.moment_s, SAID_S, given)
        return place_in_words(rows, _ROUNDED)


def action_path(
    action: Row, thing: str, roles: tuple[str, ...], moment_s: float, given: EvidenceTables
) -> ActionPath:
    """Return the path of an action to one of the things it is done to.

    Args:
        action: Row of `segments`.
        thing: Name of the thing.
        roles: Roles that make a thing active, as `direct`.
        moment_s: Seconds in the recording.
        given: The tables.
    """
    segment, name = str(action["segment_id"]), name_words(thing)
    relations = given.rows("relations", segment_id=segment)
    edges = given.rows("graph_edges", segment_id=segment)
    active = [r for r in relations if is_active(r, roles)]
    acts_on = [
        e
        for e in edges
        if e["relation"] == "acts_on"
        and e["role"] in roles
        and name_words(_node_name(e["to_node"], given)) == name
    ]
    actions, things = {e["from_node"] for e in acts_on}, {e["to_node"] for e in acts_on}
    named = sorted(
        (str(r["object"]) for r in active if r["object"]), key=lambda n: name_words(n) != name
    )
    mine = [r for r in relations if name_words(str(r["object"] or "")) == name]
    verbs = [str(r["object"]) for r in relations if r["relation"] == VERB]
    joined = {str(r["subject"]) for r in active}
    near = boxes_near(thing, str(action["recording_id"]), moment_s, _NEAR_S, given)
    return ActionPath(
        segment=action,
        moment_s=moment_s,
        objects=tuple(named[:1]) or (thing,),
        is_tool=bool(mine) and not any(is_direct(r) for r in mine),
        verbs=tuple(v for v in verbs if v in joined) or tuple(verbs),
        hands=hand_names(relations),
        acts_on=tuple(acts_on),
        does=tuple(e for e in edges if e["relation"] == "does" and e["to_node"] in actions),
        hand_edges=_hand_edges(edges, relations, actions, things),
        boxes=tuple(r for r in near if r["segment_id"] in (segment, None)),
    )


def note_whole(
    segment: Row, number: int, clip_start_s: float, given: EvidenceTables, notes: Derived
) -> None:
    """Note the whole of one of several actions, on one thing: evidence, sight and explanation.

    Args:
        segment: Row of `segments`.
        number: Number of the action; roles of evidence end with it.
        clip_start_s: Start of the clip, from which texts count seconds.
        given: The tables.
        notes: Filled in, also where the action is done to several things.
    """
    rows = given.rows("relations", segment_id=segment["segment_id"])
    things = [str(row["object"]) for row in rows if is_direct(row)]
    start_s, end_s = float(segment["start_s"]), float(segment["end_s"])
    if len(things) != 1:
        message = f"the action at {start_s:.2f} s is done to {len(things)} things"
        notes.refuse("consistent", "done_to_several", message)
        return
    path = action_path(segment, things[0], ("direct",), start_s, given)
    path.rest_whole_on(notes, number)
    notes.statements.append(path.whole_statement(things[0], number, clip_start_s))
    notes.sights.append(
        Sight("query", ((start_s, end_s),), _NEAR_S, f"what is done to the {things[0]}")
    )


def _hand_edges(
    edges: Sequence[Row], relations: Sequence[Row], actions: set[str], things: set[str]
) -> tuple[Row, ...]:
    """Edges that tell the hand of an action, and do so from this action's relations."""
    own = {r["relation_id"] for r in relations}
    return tuple(
        e
        for e in edges
        if e["source_row"] in own
        and (
            (e["from_node"] in actions and e["role"] == "hand")
            or (e["relation"] == "holds" and e["to_node"] in things)
        )
    )


def hand_names(relations: Sequence[Row]) -> tuple[str, ...]:
    """Return the hands of an action as its relations name them, or by the side they state.

    Args:
        relations: Rows of `relations` of one segment.
    """
    words = [(r, " ".join(name_words(str(r["object"])))) for r in relations]
    names = [
        name
        for r, name in words
        if r["relation"] != VERB and (r["role"] == "hand" or _HAND.fullmatch(name))
    ]
    if not names:
        sides = [str(r["hand_side"]) for r in relations if r["hand_side"] is not None]
        names = ["both hands" if side == "both" else f"{side} hand" for side in sides]
    return tuple(dict.fromkeys(names))


def _node_name(node_id: str, given: EvidenceTables) -> str:
    node = given.one("graph_nodes", node_id=node_id)
    return "" if node is None else str(node["name"])


def _keys(edges: Iterable[Row], *ends: str) -> tuple[str, ...]:
    """Edges, and the nodes at some of their ends, as rows of evidence."""
    edges = list(edges)
    nodes = dict.fromkeys(f"graph_nodes:{e[end]}" for e in edges for end in ends)
    return (*(f"graph_edges:{e['edge_id']}" for e in edges), *nodes)
