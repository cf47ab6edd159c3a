"""States of two things at a moment: what the questions about states ask, and in which clip it can be seen.

What a verb leaves behind and what annotators say are joined in the scene graph (`has_state`). A state is
asked about only if it has an opposite that excludes it (`OPPOSITES`), so that every wrong option is
known to be wrong. One thing has too few such states for four options, and those of other things are ruled
out by the thing's name alone; so each option names the states of two things, and the options are all four
combinations.

Things are put down more often than they are held, and doors are left closed: of a source as many
questions are kept with each of the four combinations, for each two kinds of state. Where an earlier moment is
asked about, the states are still the same at the end of the clip in one question of four, so that what the last
frame shows is the answer no more often than by chance.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import combinations, product
from typing import Any

import polars as pl

from assets.pairs.choice import stable_hash
from assets.questions.egocot.scene import READS as SCENE_READS
from assets.questions.egocot.scene import SHORTEST_S, Action, Scene, name_shown, needs, scenes
from assets.questions.kit.builder import Need, Tables
from assets.questions.kit.choice import Apart
from assets.questions.kit.funnel import NEAR, refuse
from assets.questions.kit.names import distinct, is_thing
from assets.questions.kit.recipe import Clip, Evidence, Option, Recipe, Row

READS = SCENE_READS
_PAIRS = (
    ("open", "closed"),
    ("on", "off"),
    ("full", "empty"),
    ("folded", "unfolded"),
    ("held", "no longer held"),
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
class InState:
    """A state that a thing is in at some time.

    Attributes:
        thing: Node of the thing.
        edge: Edge from the thing to the state.
        state: Name of the state.
    """

    thing: Mapping[str, Any]
    edge: Mapping[str, Any]
    state: str

    @property
    def name(self) -> str:
        """Name of the thing as it is read."""
        return name_shown(self.thing)

    @property
    def words(self) -> str:
        """The thing in the state as options read."""
        return f"the {self.name} is {self.state}"


@dataclass(frozen=True, slots=True)
class Held(InState):
    """A state that a thing is in since the wearer acted on it.

    Attributes:
        action: What the wearer last did to the thing.
    """

    action: Action

    @property
    def kind(self) -> str:
        """The same for a state and its opposite."""
        return min(self.state, OPPOSITES[self.state])


def in_order(held: Iterable[Held]) -> list[Held]:
    """States in the order in which the things were last acted on."""
    return sorted(held, key=lambda one: one.action.acts_on["start_s"])


Pair = tuple[Held, Held]
"""States of two things, in the order of the things' names."""
Cell = tuple[tuple[str, str], tuple[str, str], bool | None]
"""Kinds of two states in a fixed order, the states, and whether one of them changes until the end of the clip; None
where that is the moment."""


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
        at_end: States of the same things at the end of the clip, before or after the moment; empty where
            that is the moment.
    """

    scene: Scene
    t_s: float
    start_s: float
    end_s: float
    pair: Pair
    change: Action
    at_end: tuple[Held, ...] = ()

    @property
    def anchor(self) -> tuple[str, ...]:
        """Keys of the rows that it is about: recording, states and action."""
        states = (str(held.edge["edge_id"]) for held in (*self.pair, *self.at_end))
        return (
            str(self.scene.recording["recording_id"]),
            *states,
            str(self.change.acts_on["edge_id"]),
        )

    @property
    def in_turn(self) -> list[Held]:
        """The states in the order in which the things were last acted on."""
        return in_order(self.pair)

    @property
    def in_turn_at_end(self) -> list[Held]:
        """States at the end of the clip, in the same order."""
        at_end = {held.thing["node_id"]: held for held in self.at_end}
        return [at_end[held.thing["node_id"]] for held in self.in_turn if at_end]

    @property
    def cell(self) -> Cell:
        """What kinds of states are asked about, which they are, and whether one of them changes."""
        one, two = sorted(self.pair, key=lambda held: held.kind)
        changes = None
        if self.at_end:
            changes = [h.state for h in self.at_end] != [h.state for h in self.pair]
        return (one.kind, two.kind), (one.state, two.state), changes


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

    def all(self) -> Iterator[InState]:
        """All states with an opposite that things of a name of their own are ever in."""
        for node_id, edges in self._edges.items():
            thing = self.scene.nodes[node_id]
            if name_shown(thing) in self._named_once:
                yield from (InState(thing, edge, self._state(edge)) for edge in edges)

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
            Held(thing, edge, state, action)
            for state, edge in near.items()
            if OPPOSITES[state] not in near
            and edge["start_s"] <= action.acts_on["end_s"] + _EDGE_S
            and edge["end_s"] >= end_s
            and self._is_whole(edge)
        ]

    def causes(self) -> dict[str, Row]:
        """Edges `causes` to states with an opposite, by the edge from the action to the thing it changed."""
        return {
            edge["caused_by"]: dict(edge)
            for edge in self.scene.edges
            if edge["relation"] == "causes" and self._state(edge) in OPPOSITES
        }

    def caused(
        self, action: Action, cause: Mapping[str, Any], start_s: float, t_s: float
    ) -> Held | None:
        """The state that an action caused and its object is in until a time of a clip; None if it is not.

        Nothing else is done to the thing since, and the clip can end then.

        Args:
            action: The action.
            cause: Edge from it to the state.
            start_s: What the clip must show begins then (s in the recording).
            t_s: The time, at which the clip ends.
        """
        fits = t_s - LENGTHS_S[-1] <= start_s and self.scene.can_end_at(t_s)
        since = any(
            one.thing is action.thing and action.acts_on["end_s"] < one.acts_on["end_s"] <= t_s
            for one in self.scene.actions
        )
        if not fits or since:
            return None
        same = ("to_node", "caused_by")
        states = (h for h in self.at(action, t_s) if all(h.edge[n] == cause[n] for n in same))
        return next(states, None)

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
        last = self._last_actions(start_s, t_s)
        held = [state for action in last.values() for state in self.at(action, t_s)]
        for one, two in combinations(sorted(held, key=lambda h: (h.name, h.state)), 2):
            if len(distinct([one.name, two.name], str)) == 2:
                yield one, two

    def later(self, pair: Pair, start_s: float, t_s: float) -> tuple[Held, ...]:
        """States of the same kinds at a later time of a span that starts at a time; empty if one is unknown."""
        last = self._last_actions(start_s, t_s)
        found = (
            state
            for held in pair
            for state in self.at(last[held.thing["node_id"]], t_s)
            if state.kind == held.kind
        )
        then = tuple(found)
        return then if len(then) == len(pair) else ()

    def _last_actions(self, start_s: float, end_s: float) -> dict[str, Action]:
        """What is last done to each thing of what a span shows from start to end."""
        return {
            action.thing["node_id"]: action
            for action in sorted(self.scene.actions, key=lambda a: a.acts_on["end_s"])
            if action.acts_on["start_s"] >= start_s and action.acts_on["end_s"] <= end_s
        }


def questions(
    recipe: Recipe, tables: Tables, askable: Callable[[States, Action], Sequence[Asked]]
) -> Iterator[Row]:
    """Questions about the states of a source's things.

    Args:
        recipe: Their recipe; read as the paper, it keeps all questions however often a combination of states is right.
        tables: Rows of `recordings`, `graph_nodes`, `graph_edges` and `boxes`.
        askable: What can be asked beside an action.
    """
    moments = (
        askable(known, action)
        for known in map(States, scenes(tables))
        for action in known.scene.actions
    )
    for asked in chosen(moments, all_kept=recipe.as_paper):
        yield question(recipe, asked)


def chosen(candidates: Iterable[Sequence[Asked]], all_kept: bool) -> list[Asked]:
    """One question of each moment, of which each combination of states is right equally often.

    Args:
        candidates: What can be asked of each moment, in time order; the first rule refuses a moment of
            which nothing can be asked.
        all_kept: Whether combinations may be right more or less often.
    """
    moments = [moment for moment in candidates if moment]
    cells = Counter(asked.cell for moment in moments for asked in moment)
    kept: list[Asked] = []
    asked_before = Apart(APART_S)
    for moment in moments:
        one = min(
            moment, key=lambda a: (not _in_a_round(a, cells), cells[a.cell], stable_hash(*a.anchor))
        )
        about = "|".join((one.anchor[0], *(f"{h.name}={h.state}" for h in one.pair)))
        if asked_before.is_near(about, one.t_s):
            refuse(NEAR)
            continue
        asked_before.add(about, one.t_s)
        kept.append(one)
    return kept if all_kept else _as_many_of_each(kept)


def _as_many_of_each(asked: Sequence[Asked]) -> list[Asked]:
    by_cell: dict[Cell, list[tuple[str, ...]]] = defaultdict(list)
    for one in asked:
        by_cell[one.cell].append(one.anchor)
    left = Counter({cell: len(anchors) for cell, anchors in by_cell.items()})
    kept = Counter[Cell]()
    for kinds, is_earlier in sorted({(kinds, changes is not None) for kinds, _, changes in left}):
        rounds = _rounds(kinds, is_earlier)
        while True:
            fullest = max(rounds, key=lambda cells: min(left[cell] for cell in cells))
            if not all(left[cell] for cell in fullest):
                break
            left.subtract(fullest)
            kept.update(fullest)
    keep = {
        anchor
        for cell, anchors in by_cell.items()
        for anchor in sorted(anchors, key=lambda a: stable_hash("kept", *a))[: kept[cell]]
    }
    refuse(EITHER_STATE, len(asked) - len(keep))
    return [one for one in asked if one.anchor in keep]


def _in_a_round(asked: Asked, cells: Mapping[Cell, int]) -> bool:
    """Whether its cell is one of four that there are all of."""
    kinds, _, changes = cell = asked.cell
    return any(cell in of and all(map(cells.get, of)) for of in _rounds(kinds, changes is not None))


@cache
def _rounds(kinds: tuple[str, str], is_earlier: bool) -> list[list[Cell]]:
    """Cells of four questions in which each combination of states is right once; at the end one is still so."""
    one, two = kinds
    combined = list(product((one, OPPOSITES[one]), (two, OPPOSITES[two])))
    if not is_earlier:
        return [[(kinds, states, None) for states in combined]]
    return [[(kinds, states, states != same) for states in combined] for same in combined]


def options(pair: Pair) -> tuple[Option, list[Option]]:
    """The states of two things, and the three other combinations."""
    each = ((held.state, OPPOSITES[held.state]) for held in pair)
    answer, *others = (_option(pair, states) for states in product(*each))
    return answer, others


def _option(pair: Pair, states: Sequence[str]) -> Option:
    named = list(zip(pair, states, strict=True))
    nodes = [str(held.thing["node_id"]) for held in pair]
    return Option(
        _in_words((held.name, state) for held, state in named),
        " & ".join(f"{node}={state}" for node, state in zip(nodes, states, strict=True)),
        evidence=tuple(("graph_nodes", node) for node in nodes),
    )


def _in_words(states: Iterable[tuple[str, str]]) -> str:
    return " and ".join(f"the {name} is {state}" for name, state in states)


def shortest_around(scene: Scene, start_s: float, end_s: float) -> Clip:
    """The shortest clip with an end that shows all since a time, which the longest does."""
    lengths = [length_s for length_s in LENGTHS_S if end_s - length_s <= start_s]
    return Clip(scene.recording, max(0.0, end_s - lengths[0]), end_s, sampling="endpoints")


def told(asked: Asked, answer: Option) -> Row:
    """Values for the template; times count from the start of the clip."""
    return {
        "t_s": asked.t_s - asked.start_s,
        "first": asked.pair[0].name,
        "second": asked.pair[1].name,
        "held": held_told(asked, asked.in_turn),
        "states": answer.text,
        "end_s": asked.end_s - asked.start_s,
        "states_at_end": _in_words((h.name, h.state) for h in asked.at_end),
    }


def held_told(asked: Asked, held: Iterable[Held]) -> list[Row]:
    """Values for the steps about states and what was done before; times count from the start of the clip."""
    return [{**asked.scene.told(one.action, asked.start_s), "state": one.state} for one in held]


def question(recipe: Recipe, asked: Asked) -> Row:
    """The question about states, with what was done to each thing as its rationale.

    Args:
        recipe: Its recipe.
        asked: What is asked.
    """
    answer, others = options(asked.pair)
    return recipe.question(
        anchor=asked.anchor,
        text=told(asked, answer),
        answer=answer,
        distractors=others,
        media=[Clip(asked.scene.recording, asked.start_s, asked.end_s, sampling="endpoints")],
        evidence=list(evidence(asked)),
        steps=list(steps(asked)),
    )


def evidence(asked: Asked) -> Iterator[Evidence]:
    """What was last done to each thing, the state it is in since, and that at the end of the clip."""
    yield from evidence_of(asked.scene, asked.in_turn)
    for number, held in enumerate(asked.in_turn_at_end, 1):
        yield "graph_edges", str(held.edge["edge_id"]), f"state_at_end_{number}"


def evidence_of(scene: Scene, held: Iterable[Held]) -> Iterator[Evidence]:
    """What was last done to each thing, and the state it is in since; roles end with its number."""
    for number, one in enumerate(held, 1):
        yield from scene.evidence(one.action, number)
        yield "graph_edges", str(one.edge["edge_id"]), f"state_{number}"


def steps(asked: Asked) -> Iterator[list[str]]:
    """Rows of each step of the rationale."""
    yield from steps_of(asked.scene, asked.in_turn)
    if asked.at_end:
        yield [f"graph_edges:{held.edge['edge_id']}" for held in asked.in_turn_at_end]
    yield things(asked.pair)


def steps_of(scene: Scene, held: Iterable[Held]) -> Iterator[list[str]]:
    """Rows of two steps of each state: what was done, and the state since."""
    for one in held:
        yield scene.step(one.action)
        yield [f"graph_edges:{one.edge['edge_id']}"]


def things(held: Iterable[Held]) -> list[str]:
    """The things that are in some states, as rows of a step."""
    return [f"graph_nodes:{one.thing['node_id']}" for one in held]


def _missing(tables: Tables) -> str | None:
    states = tables["graph_nodes"].filter(pl.col("kind") == "state")["name"]
    if states.is_empty():
        return "no scene graph says in which state a thing is"
    return (
        None
        if states.is_in(list(OPPOSITES)).any()
        else "no thing is in a state that has an opposite"
    )


def _missing_causes(tables: Tables) -> str | None:
    causes = tables["graph_edges"].filter(relation="causes")
    return "no action of a scene graph causes a state" if causes.is_empty() else None


NEEDS_STATES = Need({"graph_nodes": ("kind", "name")}, _missing)
NEEDS_TWO = needs(SHORTEST_S - BESIDE_S, 2, NEEDS_STATES)
"""What questions about the states of two things need."""
NEEDS_CAUSES = Need({"graph_edges": ("relation",)}, _missing_causes)
