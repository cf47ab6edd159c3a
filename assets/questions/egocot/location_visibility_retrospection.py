"""Location retrospection: where a thing was at an earlier time (EgoCoT-Bench 3.2.2, LVR).

The paper asks for an object's "previous location or status". Earlier is three quarters of a second after the wearer
puts the thing somewhere, or the moment at which the wearer begins to take it, and 2 s or more before the end of the
clip. When the clip ends, the thing is known to be at another place, to be still or again at the same place, or to have
been taken from there. A known place at the end is among the options, and it is the right one in one question of four,
so that the last frame alone does not tell the answer.

Options are four places of the same graph (`places`). Visibility is not asked about: no annotation that graphs are
made of says that a thing is out of view.

The evidence path is hand, action, object, place, and the place or the taking at the end.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import NamedTuple

from assets.pairs.choice import stable_hash
from assets.questions.egocot.places import (
    BESIDE_S,
    DISTRACTORS,
    LENGTHS_S,
    MOST_RIGHT,
    NEEDS_PLACES,
    PASSES,
    SETTLED_S,
    Located,
    Places,
)
from assets.questions.egocot.scene import (
    READS,
    SHORTEST_S,
    Action,
    name_shown,
    needs,
    node_option,
    scenes,
)
from assets.questions.kit import draw
from assets.questions.kit.builder import Tables
from assets.questions.kit.funnel import refuse
from assets.questions.kit.recipe import Clip, Option, Recipe, Row, template

RECIPE = Recipe(
    "egocot",
    "location_visibility_retrospection",
    1,
    template(__file__, "location_visibility_retrospection.j2"),
)
# From the moment asked about to the end of the clip; texts round the moment.
EARLIER_S = 2.1
KNOWN_LATER, OTHER_PLACES, AS_OFTEN, STILL_THERE = (
    "known_at_the_end_too",
    "three_other_places",
    "each_place_as_often_as_offered",
    "one_of_four_still_there",
)


class _Asked(NamedTuple):
    known: Places
    located: Located
    t_s: float
    clip: Clip
    at_end: Located | Action
    """Where the thing is when the clip ends, or the action that took it away."""

    @property
    def kind(self) -> str:
        """What is so when the clip ends."""
        if isinstance(self.at_end, Action):
            return "taken"
        return "there" if self.at_end.place is self.located.place else "elsewhere"

    @property
    def edge_at_end(self) -> str:
        at_end = self.at_end
        edge = at_end.acts_on if isinstance(at_end, Action) else at_end.edge
        return str(edge["edge_id"])

    @property
    def anchor(self) -> tuple[str, ...]:
        recording = str(self.clip.recording["recording_id"])
        return recording, str(self.located.edge["edge_id"]), self.edge_at_end


def questions(tables: Tables, reading: str) -> Iterator[Row]:
    """Questions about the places of things in a source's recordings.

    Args:
        tables: Rows of `recordings`, `graph_nodes`, `graph_edges` and `boxes`.
        reading: Under `paper`, keep all questions however often a place is right, or is that at the end.
    """
    recipe = RECIPE.under(reading)
    each = (asked for known in map(Places, scenes(tables)) for asked in _askable(recipe, known))
    candidates = list(_some_still_there(each))
    names = sorted({name_shown(asked.located.place) for asked in candidates})
    rows = draw.balanced_rows(partial(_drawn, recipe, candidates), names, PASSES)
    if not recipe.as_paper:
        kinds = {_id(recipe, asked): asked.kind for asked in candidates}
        rows = draw.seldom_right(rows, str, MOST_RIGHT, AS_OFTEN)
        rows = _one_of_four(rows, kinds)
    yield from rows


def _askable(recipe: Recipe, known: Places) -> Iterator[list[_Asked]]:
    """What can be asked of each thing at a place: one question for each way in which the clip may end."""
    for located in known.known:
        first_of_kind: dict[str, _Asked] = {}
        for asked in _ends(known, located):
            first_of_kind.setdefault(asked.kind, asked)
        if not first_of_kind:
            refuse(KNOWN_LATER)
            continue
        possible = [one for one in first_of_kind.values() if _others(recipe, one, {})]
        if not possible:
            refuse(OTHER_PLACES)
        else:
            yield possible


def _some_still_there(found: Iterable[list[_Asked]]) -> Iterator[_Asked]:
    """One question of each thing at a place, of which as far as possible one in four is still so at the end."""
    n: Counter[str] = Counter()
    for each in sorted(
        found, key=lambda each: ("there" in (one.kind for one in each), each[0].anchor)
    ):
        enough = n["elsewhere"] <= DISTRACTORS * n["there"]
        order = ["elsewhere", "taken"]
        order.insert(2 if enough else 0, "there")
        one = min(each, key=lambda one: order.index(one.kind))
        n[one.kind] += 1
        yield one


def _ends(known: Places, located: Located) -> Iterator[_Asked]:
    """What can be asked of a thing at a place, for each end of the clip."""
    start_s = float(located.edge["start_s"])
    t_s = start_s if located.is_taken else start_s + BESIDE_S
    if not (located.is_taken or known.at(located.thing, t_s) is located):
        return
    # Before a taking there must be something to see.
    begins_s = float(located.action.acts_on["start_s"]) - located.is_taken * SETTLED_S
    for clip in known.clips(begins_s, t_s + EARLIER_S):
        at_end = known.at(located.thing, clip.end_s) or known.taken(located, clip.end_s)
        if at_end is not None:
            yield _Asked(known, located, t_s, clip, at_end)


def _id(recipe: Recipe, asked: _Asked) -> str:
    return recipe.id(str(asked.clip.recording["source"]), *asked.anchor)


def _drawn(
    recipe: Recipe, candidates: Sequence[_Asked], weights: Mapping[str, float]
) -> Iterator[Row]:
    """Questions whose distractors are drawn by weight."""
    for asked in candidates:
        others = _others(recipe, asked, weights)
        if others is None:
            refuse(OTHER_PLACES)
        else:
            yield _question(recipe, asked, others)


def _others(recipe: Recipe, asked: _Asked, weights: Mapping[str, float]) -> list[Option] | None:
    first = [asked.at_end.place] if asked.kind == "elsewhere" else []  # type: ignore[union-attr]
    return asked.known.others(asked.located, _id(recipe, asked), weights, first)


def _one_of_four(rows: Sequence[Row], kinds: Mapping[str, str]) -> list[Row]:
    """Questions; of those with a known place at the end, that place is the answer of one in four."""
    of: dict[str, list[Row]] = {"taken": [], "there": [], "elsewhere": []}
    for row in sorted(rows, key=lambda row: stable_hash("there", str(row["question_id"]))):
        of[kinds[row["question_id"]]].append(row)
    n_there = min(len(of["there"]), len(of["elsewhere"]) // DISTRACTORS)
    kept = [*of["taken"], *of["there"][:n_there], *of["elsewhere"][: DISTRACTORS * n_there]]
    refuse(STILL_THERE, len(rows) - len(kept))
    ids = {row["question_id"] for row in kept}
    return [row for row in rows if row["question_id"] in ids]


def _question(recipe: Recipe, asked: _Asked, others: list[Option]) -> Row:
    scene, located, at_end, start_s = (
        asked.known.scene,
        asked.located,
        asked.at_end,
        asked.clip.start_s,
    )
    # What the first action took away needs no second step.
    acts = [located.action]
    if isinstance(at_end, Action) and at_end is not located.action:
        acts.append(at_end)
    is_known = isinstance(at_end, Located)
    edge, place = (
        f"graph_edges:{located.edge['edge_id']}",
        f"graph_nodes:{located.place['node_id']}",
    )
    last = [[f"graph_edges:{asked.edge_at_end}"]] if is_known else []
    return recipe.question(
        anchor=asked.anchor,
        text={
            "t_s": asked.t_s - start_s,
            "end_s": asked.clip.end_s - start_s,
            "name": located.name,
            "done": [scene.told(action, start_s) for action in acts],
            "is_taken": located.is_taken,
            "words": located.words,
            "at_end": at_end.words if is_known else "",
        },
        answer=node_option(located.place),
        distractors=others,
        media=[asked.clip],
        evidence=[
            *(row for n, action in enumerate(acts, 1) for row in scene.evidence(action, n)),
            ("graph_edges", str(located.edge["edge_id"]), "place"),
            *([("graph_edges", asked.edge_at_end, "place_at_end")] if is_known else []),
        ],
        steps=[
            scene.step(acts[0]),
            [edge],
            *(scene.step(one) for one in acts[1:]),
            *last,
            [edge, place],
        ],
    )


BUILDER = RECIPE.builder(
    questions,
    unit="source",
    reads=READS,
    needs=needs(SHORTEST_S - BESIDE_S, DISTRACTORS + 1, NEEDS_PLACES),
    rules=(KNOWN_LATER, OTHER_PLACES, AS_OFTEN, STILL_THERE),
    limits=(
        f"a thing that the wearer puts somewhere or takes from there, of which is known where it is {EARLIER_S:g} s"
        f" or more later, or that it was taken, in a clip of at most {LENGTHS_S[-1]:g} s, and {DISTRACTORS} other"
        " places of the recording"
    ),
)
