"""Hand-object grounded CoT: the chain of hand, time and thing that led to a state (EgoCoT-Bench 3.2.2, HGC).

The paper asks for "reasoning chains that combine hand-object cues, temporal evidence, and visual grounding". The chain
asked about leads from a hand, over the moment at which it last acts on a thing in the clip, to the state that this
leaves the thing in until the last moment of the clip.

Options are both hands with each of two times: that of the action, and that of what the wearer does to another thing. It
comes before or after: a chain is asked about only if there is one of both, so that which of the two it is follows from
nothing that can be read. The clip ends 2 s after the later time. People use one hand more than the other: of each
state as many questions are kept whose answer is the left hand as the right.

The evidence path is hand, action, object with their boxes, cause, state, and the action at the other time.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product

from assets.pairs.choice import stable_hash
from assets.questions.egocot import states
from assets.questions.egocot.scene import NEEDS_HANDS, SHORTEST_S, Moment, needs, scenes
from assets.questions.egocot.states import LENGTHS_S, SETTLED_S, Held, States
from assets.questions.kit import draw
from assets.questions.kit.builder import Tables
from assets.questions.kit.funnel import refuse
from assets.questions.kit.recipe import Option, Recipe, Row, template

RECIPE = Recipe(
    "egocot", "hand_object_grounded_cot", 1, template(__file__, "hand_object_grounded_cot.j2")
)
OTHER_SIDE = {"left": "right", "right": "left"}
# Another hand so near the moment makes the answer a matter of taste.
ALONE_S = 0.5
# The other time is at least so far from what is done to the thing.
TIMES_APART_S = 2.0
AFTER_S = 2.0
CAUSES, ONE_HAND, ANOTHER, EITHER_ORDER, EITHER_HAND = (
    "causes_a_state_with_an_opposite",
    "one_hand_annotated",
    "another_action_and_state_holds",
    "other_action_before_and_after",
    "either_hand_as_often",
)


@dataclass(frozen=True, slots=True)
class _Chain:
    """A chain, and the other action at whose time it is wrong.

    Attributes:
        known: States of the recording's things.
        moment: When a hand last acts on a thing.
        side: Side of the hand.
        cause: Edge from the action to the state.
        held: The state.
        other: When the wearer acts on another thing.
    """

    known: States
    moment: Moment
    side: str
    cause: Row
    held: Held
    other: Moment

    @property
    def anchor(self) -> tuple[str, str]:
        """Recording and cause."""
        return str(self.known.scene.recording["recording_id"]), str(self.cause["edge_id"])

    @property
    def is_first(self) -> bool:
        """Whether the other action comes after."""
        return self.moment.t_s < self.other.t_s


def questions(tables: Tables, reading: str) -> Iterator[Row]:
    """Questions about what the actions of a source's recordings leave behind.

    Args:
        tables: Rows of `recordings`, `graph_nodes`, `graph_edges` and `boxes`.
        reading: Under `paper`, keep all questions, whichever hand is right and wherever the other action is.
    """
    recipe = RECIPE.under(reading)
    drawn: list[list[_Chain]] = []
    for known in map(States, scenes(tables)):
        for moment in known.scene.moments:
            possible = _possible(known, moment)
            if len(possible) == 1 and not recipe.as_paper:
                refuse(EITHER_ORDER)
            elif possible:
                drawn.append(possible)
    kept = drawn if recipe.as_paper else _as_many_of_each_hand(recipe, drawn)
    counts = Counter[tuple[str, bool]]()
    for possible in kept:
        order = {c.is_first: (counts[c.side, c.is_first], _hash(c)) for c in possible}
        one = min(possible, key=lambda c: order[c.is_first])
        counts[one.side, one.is_first] += 1
        yield _question(recipe, one)


def _as_many_of_each_hand(recipe: Recipe, found: list[list[_Chain]]) -> list[list[_Chain]]:
    """Of each state as many whose answer is the left hand as the right."""
    return draw.as_many_of_each(
        found,
        lambda of: recipe.id(str(of[0].known.scene.recording["source"]), *of[0].anchor),
        lambda of: of[0].held.state,
        lambda of: of[0].side,
        len(OTHER_SIDE),
        EITHER_HAND,
    )


def _hash(chain: _Chain) -> str:
    return stable_hash(*chain.anchor, str(chain.is_first))


def _possible(known: States, moment: Moment) -> list[_Chain]:
    """Chains of an action, with the nearest other action before and after."""
    scene = known.scene
    cause = known.causes().get(moment.action.acts_on["edge_id"])
    if cause is None:
        return refuse(CAUSES) or []
    side = scene.only_hand(moment.t_s, ALONE_S)
    if side is None:
        return refuse(ONE_HAND) or []
    chains = {
        moment.t_s < other.t_s: _Chain(known, moment, side, cause, held, other)
        for other in sorted(scene.moments, key=lambda one: -abs(one.t_s - moment.t_s))
        if (held := _held(known, moment, other, cause))
    }
    return list(chains.values()) or refuse(ANOTHER) or []


def _held(known: States, moment: Moment, other: Moment, cause: Row) -> Held | None:
    """The state that an action leaves its object in, if a clip shows another action too and ends while it lasts."""
    scene, action = known.scene, moment.action
    start_s, end_s = _span(moment, other)
    began, over = action.acts_on["start_s"], action.acts_on["end_s"]
    if (
        other.action.thing is action.thing
        or max(began - other.t_s, other.t_s - over) < TIMES_APART_S
        or other.action.acts_on["end_s"] > end_s - SETTLED_S
        or str(action.thing["name"]) in scene.used(other.t_s - ALONE_S, other.t_s + ALONE_S)
    ):
        return None
    return known.caused(action, cause, start_s, end_s)


def _span(*moments: Moment) -> tuple[float, float]:
    """Start of the first of some actions, and the end of a clip that shows them."""
    return (
        min(float(one.action.acts_on["start_s"]) for one in moments),
        max(one.t_s for one in moments) + AFTER_S,
    )


def _question(recipe: Recipe, chain: _Chain) -> Row:
    scene, moment, held = chain.known.scene, chain.moment, chain.held
    clip = states.shortest_around(scene, *_span(moment, chain.other))
    node, edge, link = str(held.thing["node_id"]), str(held.edge["edge_id"]), chain.anchor[1]
    answer, *others = (
        Option(
            f"the {hand} hand, at {one.t_s - clip.start_s:.1f} s",
            f"{hand}|{one.action.node['node_id']}",
            evidence=(("graph_nodes", str(one.action.node["node_id"])),),
        )
        for one, hand in product((moment, chain.other), (chain.side, OTHER_SIDE[chain.side]))
    )
    path = scene.path(moment, clip.start_s)
    return recipe.question(
        anchor=chain.anchor,
        text={
            **path.text,
            "end_s": clip.end_s - clip.start_s,
            "done_s": moment.action.acts_on["end_s"] - clip.start_s,
            "state": held.state,
            "other": scene.told(chain.other.action, clip.start_s),
            "chain": answer.text,
        },
        answer=answer,
        distractors=others,
        media=[clip],
        evidence=[
            *path.evidence,
            ("graph_edges", edge, "state_1"),
            ("graph_edges", link, "cause"),
            *scene.evidence(chain.other.action, 2),
        ],
        steps=[
            *path.steps,
            [f"graph_edges:{edge}"],
            scene.step(chain.other.action),
            [f"graph_edges:{link}", f"graph_nodes:{node}"],
        ],
    )


BUILDER = RECIPE.builder(
    questions,
    unit="source",
    reads=states.READS,
    needs=needs(SHORTEST_S - AFTER_S, 2, NEEDS_HANDS, states.NEEDS_STATES, states.NEEDS_CAUSES),
    rules=(CAUSES, ONE_HAND, ANOTHER, EITHER_ORDER, EITHER_HAND),
    limits=(
        f"an action with one hand that causes a state with an opposite, another {TIMES_APART_S:g} s or more before and"
        f" after it within {LENGTHS_S[-1]:g} s, and nothing else done to the thing since; as many of each state with"
        " either hand"
    ),
)
