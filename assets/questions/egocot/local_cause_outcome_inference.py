"""Local cause-outcome inference: which action made a thing what it is now (EgoCoT-Bench 3.2.2, LCOI).

The paper asks for "the recent action directly responsible for the observed outcome or state change". The outcome is
the state that a thing is in at the last moment of the clip; the cause is the action from which an edge `causes` of the
scene graph leads to it, the last one that the wearer does to the thing. The other options are the actions
nearest to it, before and after, that the clip shows whole: they precede or follow the change, and did not cause it.

Options name the times of actions, not what is done: who reads that the stove is on and that somebody turned it on needs
no video. The four are in turn, without overlap, and as far as the recordings allow the cause is each of
them equally often, so that the last action is no good guess.

The evidence path is hand, action, object, state, joined by the cause.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise

from assets.pairs.choice import stable_hash
from assets.questions.egocot import states
from assets.questions.egocot.scene import SHORTEST_S, Action, Scene, needs, scenes
from assets.questions.egocot.states import BESIDE_S, LENGTHS_S, Held, States
from assets.questions.kit.builder import Tables
from assets.questions.kit.funnel import refuse
from assets.questions.kit.recipe import Option, Recipe, Row, template

RECIPE = Recipe(
    "egocot",
    "local_cause_outcome_inference",
    1,
    template(__file__, "local_cause_outcome_inference.j2"),
)
OPTIONS = 4
CAUSES, IN_TURN = "causes_a_state_with_an_opposite", "four_actions_in_turn_and_state_holds"


def questions(tables: Tables, reading: str) -> Iterator[Row]:  # noqa: ARG001
    """Questions about the causes of states in a source's recordings.

    Args:
        tables: Rows of `recordings`, `graph_nodes`, `graph_edges` and `boxes`.
        reading: Not used: the paper states no rule that differs.
    """
    right = Counter[int]()
    for known in map(States, scenes(tables)):
        causes = known.causes()
        for action in known.scene.actions:
            cause = causes.get(action.acts_on["edge_id"])
            if cause is None:
                refuse(CAUSES)
                continue
            asked = {
                four.index(action): (held, four) for held, four in _askable(known, action, cause)
            }
            if not asked:
                refuse(IN_TURN)
                continue
            key = str(cause["edge_id"])
            order = {place: (right[place], stable_hash(key, str(place))) for place in asked}
            place = min(asked, key=lambda p: order[p])
            right[place] += 1
            yield _question(known.scene, cause, *asked[place])


def _askable(known: States, action: Action, cause: Row) -> Iterator[tuple[Held, Sequence[Action]]]:
    """The state that an action causes, with each four actions in turn of which it is one."""
    scene = known.scene
    things = Counter(one.node["node_id"] for one in scene.actions)
    single = [one for one in scene.actions if things[one.node["node_id"]] == 1]
    for first, last in enumerate(single[OPTIONS - 1 :]):
        four, t_s = single[first : first + OPTIONS], _end_s(last) + BESIDE_S
        if (
            action in four
            and all(_end_s(one) <= two.acts_on["start_s"] for one, two in pairwise(four))
            and (held := known.caused(action, cause, four[0].acts_on["start_s"], t_s))
        ):
            yield held, four


def _end_s(action: Action) -> float:
    return float(action.acts_on["end_s"])


def _question(scene: Scene, cause: Row, held: Held, four: Sequence[Action]) -> Row:
    t_s = _end_s(four[-1]) + BESIDE_S
    begins_s = float(four[0].acts_on["start_s"])
    clip = states.shortest_around(scene, begins_s, t_s)
    ordered = [held.action, *(one for one in four if one is not held.action)]
    done = [scene.told(one, clip.start_s) for one in ordered]
    answer, *others = (
        Option(
            f"the action from {one['start_s']:.1f} s to {one['end_s']:.1f} s",
            str(action.node["node_id"]),
            evidence=(("graph_nodes", str(action.node["node_id"])),),
        )
        for action, one in zip(ordered, done, strict=True)
    )
    state, link = str(held.edge["edge_id"]), str(cause["edge_id"])
    steps = [scene.step(one) for one in ordered]
    return RECIPE.question(
        anchor=(str(scene.recording["recording_id"]), link),
        text={
            "t_s": t_s - clip.start_s,
            "name": held.name,
            "state": held.state,
            "done": done,
            "cause": answer.text,
        },
        answer=answer,
        distractors=others,
        media=[clip],
        evidence=[
            *(row for n, one in enumerate(ordered, 1) for row in scene.evidence(one, n)),
            ("graph_edges", state, "state_1"),
            ("graph_edges", link, "cause"),
        ],
        steps=[steps[0], [f"graph_edges:{state}"], *steps[1:], [f"graph_edges:{link}"]],
    )


BUILDER = RECIPE.builder(
    questions,
    unit="source",
    reads=states.READS,
    needs=needs(
        SHORTEST_S - BESIDE_S,
        OPTIONS,
        states.NEEDS_STATES,
        states.NEEDS_CAUSES,
    ),
    rules=(CAUSES, IN_TURN),
    limits=(
        f"an action that causes a state with an opposite, {OPTIONS} actions in turn within"
        f" {LENGTHS_S[-1]:g} s of which it is one, and nothing else done to the thing since"
    ),
    paper=False,
)
