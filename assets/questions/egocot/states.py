"""States of two things at a moment: what the questions about states ask, and in which clip it can be seen.

What a verb leaves behind and what annotators say are joined in the scene graph (`has_state`). A state is
asked about only if it has an opposite that excludes it (`OPPOSITES`), so that every wrong option is
known to be wrong. One thing has too few such states for four options, and those of other things are ruled
out by the thing's name alone; so each option names the states of two things, and the options are all four
combinations.

Things are put down more often than they are held, and doors are left closed: of a source as many
questions are kept with each of the four combinations, for each two kinds of state.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, product
from typing import Any

import polars as pl

from assets.pairs.choice import stable_hash
from assets.questions.egocot.scene import READS as SCENE_READS
from assets.questions.egocot.scene import Action, Scene, name_shown
from assets.questions.kit.builder import Need, Tables
from assets.questions.kit.choice import Apart
from assets.questions.kit.funnel import NEAR, refuse
from assets.questions.kit.names import distinct, is_thing
from assets.questions.kit.recipe import Evidence, Option, Row

READS = SCENE_READS
_PAIRS = (
    ("open", "closed"),
    ("on", "off"),
    ("full", "empty"),
    ("folded", "unfolded"),
    ("held", "released"),
)
OPPOSITES = {one: two for pair in _PAIRS for one, two in (pair, pair[::-1])}
"""States that exclude each other, as the scene graph names them."""
# Sixteen frames of a longer clip may miss an action of a second.
LENGTHS_S = (8.0, 12.0, 16.0, 20.0)
# For so long before and after the moment the states hold and nothing is done with the things.
SETTLED_S = 0.5
# So long after an action it is asked what it left behind, and so long before one what was so before.
BESIDE_S = 0.75
# The same two things in the same states are not asked about again for so long.
APART_S = 20.0
TWO_KNOWN, EITHER_STATE = "two_states_known", "each_combination_as_often"
_EDGE_S = 1e-6


@dataclass(frozen=True, slots=True)
class Held:
    """A state that a thing is in.

    Attributes:
        edge: Edge from the thing to the state.
        state: Name of the state.
        action: What the wearer last did to the thing.
    """

    edge: Mapping[str, Any]
    state: str
    action: Action

    @property
    def name(self) -> str:
        """Name of the thing as it is read."""
        return name_shown(self.action.thing)

    @property
    def kind(self) -> str:
        """The same for a state and its opposite."""
        return min(self.state, OPPOSITES[self.state])


Pair = tuple[Held, Held]
"""States of two things, in the order of the things' names."""


@dataclass(frozen=True, slots=True)
class Asked:
    """States of two things at a moment of a clip.

    Attributes:
        scene: Scene graph of the recording.
        t_s: The moment (s in the recording).
        start_s: Start of the clip.
        end_s: End of the clip.
        pair: The states.
        change: The action that makes this a candidate.
    """

    scene: Scene
    t_s: float
    start_s: float
    end_s: float
    pair: Pair
    change: Action

    @property
    def anchor(self) -> tuple[str, ...]:
        """Keys of the rows that it is about: recording, states and action."""
        states = (str(held.edge["edge_id"]) for held in self.pair)
        return (
            str(self.scene.recording["recording_id"]),
            *states,
            str(self.change.acts_on["edge_id"]),
        )

    @property
    def in_turn(self) -> list[Held]:
        """The states in the order in which the things were last acted on."""
        return sorted(self.pair, key=lambda held: held.action.acts_on["start_s"])

    @property
    def cell(self) -> tuple[tuple[str, str], tuple[str, str]]:
        """Kinds of the two states, and the combination; the order of the kinds is always the same."""
        one, two = sorted(self.pair, key=lambda held: held.kind)
        return (one.kind, two.kind), (one.state, two.state)


class States:
    """States of the things of one recording that can be asked about."""

    def __init__(self, scene: Scene) -> None:
        """Index the states of the things of a recording."""
        self.scene = scene
        named = Counter(name_shown(n) for n in scene.nodes.values() if n["kind"] == "object")
        # Of two things of one name nobody knows which is meant.
        self._named_once = {name for name, n in named.items() if n == 1 and is_thing(name)}
        self._edges: dict[str, list[Mapping[str, Any]]] = defaultdict(list)
        for edge in scene.edges:
            if edge["relation"] == "has_state" and self._state(edge) in OPPOSITES:
                self._edges[edge["from_node"]].append(edge)

    def _state(self, edge: Mapping[str, Any]) -> str:
        return str(self.scene.nodes[edge["to_node"]]["name"])

    def at(self, action: Action, t_s: float) -> list[Held]:
        """States with an opposite that an action's object is in around a time since the action.

        Nothing may be done with the thing then, and a state and its opposite may not meet.
        """
        thing, start_s, end_s = action.thing, t_s - SETTLED_S, t_s + SETTLED_S
        if name_shown(thing) not in self._named_once:
            return []
        if str(thing["name"]) in self.scene.used(start_s, end_s):
            return []
        near = {
            self._state(edge): edge
            for edge in self._edges.get(thing["node_id"], ())
            if edge["start_s"] <= end_s and edge["end_s"] >= start_s
        }
        return [
            Held(edge, state, action)
            for state, edge in near.items()
            if OPPOSITES[state] not in near
            and edge["start_s"] <= action.acts_on["end_s"] + _EDGE_S
            and edge["end_s"] >= end_s
            and self._is_whole(edge)
        ]

    def _is_whole(self, edge: Mapping[str, Any]) -> bool:
        """Whether no change is missing between a state and the next of its kind.

        What is opened twice was closed in between. What is taken is held only until it is put down.
        """
        state = self._state(edge)
        later = [
            other
            for other in self._edges[edge["from_node"]]
            if self._state(other) in (state, OPPOSITES[state])
            and other["start_s"] > edge["start_s"]
        ]
        if not later:
            return state != "held"
        return self._state(min(later, key=lambda e: e["start_s"])) != state

    def pairs(self, start_s: float, t_s: float) -> Iterator[Pair]:
        """States of two things at a time, each acted on in a span that ends then."""
        last: dict[str, Action] = {}
        for action in sorted(self.scene.actions, key=lambda a: a.acts_on["end_s"]):
            if action.acts_on["start_s"] >= start_s and action.acts_on["end_s"] <= t_s:
                last[action.thing["node_id"]] = action
        held = [state for action in last.values() for state in self.at(action, t_s)]
        for one, two in combinations(sorted(held, key=lambda h: (h.name, h.state)), 2):
            if len(distinct([one.name, two.name], str)) == 2:
                yield one, two


def chosen(candidates: Iterable[Sequence[Asked]], all_kept: bool) -> list[Asked]:
    """One question of each moment, of which each combination of states is right equally often.

    Args:
        candidates: What can be asked of each moment, in time order; the first rule refuses a moment of
            which nothing can be asked.
        all_kept: Whether combinations may be right more or less often.
    """
    moments = [moment for moment in candidates if moment]
    cells = Counter(asked.cell for moment in moments for asked in moment)
    rarest = {
        kinds: min(cells[kinds, states] for states in _combinations(kinds)) for kinds, _ in cells
    }
    kept: list[Asked] = []
    asked_before = Apart(APART_S)
    for moment in moments:
        one = min(
            moment, key=lambda a: (rarest[a.cell[0]] == 0, cells[a.cell], stable_hash(*a.anchor))
        )
        about = "|".join((one.anchor[0], *(f"{h.name}={h.state}" for h in one.pair)))
        if asked_before.is_near(about, one.t_s):
            refuse(NEAR)
            continue
        asked_before.add(about, one.t_s)
        kept.append(one)
    return kept if all_kept else _as_many_of_each(kept)


def _as_many_of_each(asked: Sequence[Asked]) -> list[Asked]:
    by_cell: dict[Any, list[tuple[str, ...]]] = defaultdict(list)
    for one in asked:
        by_cell[one.cell].append(one.anchor)
    keep = {
        anchor
        for (kinds, _), anchors in by_cell.items()
        for anchor in sorted(anchors, key=lambda a: stable_hash("kept", *a))[
            : min(len(by_cell.get((kinds, states), ())) for states in _combinations(kinds))
        ]
    }
    refuse(EITHER_STATE, len(asked) - len(keep))
    return [one for one in asked if one.anchor in keep]


def _combinations(kinds: tuple[str, str]) -> Iterator[tuple[str, str]]:
    one, two = kinds
    return product((one, OPPOSITES[one]), (two, OPPOSITES[two]))


def options(pair: Pair) -> tuple[Option, list[Option]]:
    """The states of two things, and the three other combinations."""
    each = ((held.state, OPPOSITES[held.state]) for held in pair)
    answer, *others = (_option(pair, states) for states in product(*each))
    return answer, others


def _option(pair: Pair, states: Sequence[str]) -> Option:
    named = list(zip(pair, states, strict=True))
    nodes = [str(held.action.thing["node_id"]) for held in pair]
    return Option(
        " and ".join(f"the {held.name} is {state}" for held, state in named),
        " & ".join(f"{node}={state}" for node, state in zip(nodes, states, strict=True)),
        evidence=tuple(("graph_nodes", node) for node in nodes),
    )


def told(asked: Asked, answer: Option) -> Row:
    """Values for the template; times count from the start of the clip."""
    return {
        "t_s": asked.t_s - asked.start_s,
        "names": [held.name for held in asked.pair],
        "held": [
            {**asked.scene.told(held.action, asked.start_s), "state": held.state}
            for held in asked.in_turn
        ],
        "states": answer.text,
    }


def evidence(asked: Asked) -> Iterator[Evidence]:
    """What was last done to each thing, and the state it is in since."""
    for number, held in enumerate(asked.in_turn, 1):
        yield from asked.scene.evidence(held.action, number)
        yield "graph_edges", str(held.edge["edge_id"]), f"state_{number}"


def steps(asked: Asked) -> Iterator[list[str]]:
    """Rows of each step of the rationale."""
    for held in asked.in_turn:
        yield asked.scene.step(held.action)
        yield [f"graph_edges:{held.edge['edge_id']}"]
    yield [f"graph_nodes:{held.action.thing['node_id']}" for held in asked.pair]


def _missing(tables: Tables) -> str | None:
    states = tables["graph_nodes"].filter(pl.col("kind") == "state")["name"]
    if states.is_empty():
        return "no scene graph says in which state a thing is"
    return (
        None
        if states.is_in(list(OPPOSITES)).any()
        else "no thing is in a state that has an opposite"
    )


NEEDS_STATES = Need({"graph_nodes": ("kind", "name")}, _missing)
