"""Progress reasoning: how far the wearer has got with two steps (EgoCoT-Bench 3.2.2, PR).

The paper asks for "the current operation step or whether a step has been completed". Steps are annotated keysteps (steps
of recipes, actions of an assembly) and the actions of own recordings that have a place in the procedure. Two steps that
follow each other, without a third at the same time, can be seen at four moments: during the first, between them, during
the second, and after it. The options are these four; which moment is the last of the clip is chosen so that each is it
equally often. Only steps are asked about that allow all four, in clips of one length: nothing that can be read tells
them apart.

A clip shows the first step from its start, as far as it has come. What comes after the clip only tells that a step goes
on, or begins later.

The evidence path is step, the action where the scene graph has it, and time, twice.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import polars as pl

from assets.pairs.choice import stable_hash
from assets.questions.egocot.scene import READS, Scene, scenes
from assets.questions.kit.builder import Tables
from assets.questions.kit.funnel import refuse
from assets.questions.kit.needs import EGO, rows_where
from assets.questions.kit.recipe import Clip, Evidence, Option, Recipe, Row, template
from expectations.action_words import readable_name

RECIPE = Recipe("egocot", "progress_reasoning", 1, template(__file__, "progress_reasoning.j2"))
SEGMENTS = ("recording_id", "segment_id", "kind", "start_s", "end_s", "class_name", "step_order")
IS_STEP = (pl.col("kind") == "keystep") | (
    (pl.col("kind") == "action") & pl.col("step_order").is_not_null()
)
LENGTHS_S = (8.0, 12.0, 16.0, 20.0, 30.0)
# Of sixteen frames two are a fifteenth of the clip apart; half a second beside a step still tells of it.
SPACES, SEEN_S = 15, 1.0
# A moment is at least so far from the start and end of every step, and at most so far from one of them.
BESIDE_S, NEAR_S = 0.35, 2.0
# After the last step so much is asked about.
LAST_S = 1.5
MOMENTS = 4
IN_TURN, FITS, ONE_NAME = "no_step_at_the_same_time", "fits_in_a_clip", "steps_of_different_names"


@dataclass(frozen=True, slots=True)
class Step:
    """A step of the wearer.

    Attributes:
        uid: Its segment.
        name: Its name as it is read.
        start_s: Start.
        end_s: End.
        does: Edge from the wearer to the action of the scene graph; None if the step is not an action.
    """

    uid: str
    name: str
    start_s: float
    end_s: float
    does: Mapping[str, Any] | None

    def status(self, t_s: float) -> str:
        """How far it has come at a time."""
        if self.start_s > t_s:
            return "not begun"
        return "under way" if self.end_s > t_s else "completed"

    def evidence(self, number: int) -> Iterator[Evidence]:
        """Its rows; their roles end with its number."""
        yield "segments", self.uid, f"step_{number}"
        if self.does is not None:
            yield "graph_edges", str(self.does["edge_id"]), f"action_{number}"


def questions(tables: Tables, reading: str) -> Iterator[Row]:  # noqa: ARG001
    """Questions about the steps of a source's recordings.

    Args:
        tables: Rows of `recordings`, `segments`, `graph_nodes`, `graph_edges` and `boxes`.
        reading: Not used: the paper states no rule that differs.
    """
    counts = Counter[int]()
    for scene in scenes(tables):
        steps = _steps(scene, tables["segments"])
        for at, first in enumerate(steps[:-1]):
            clips = _clips(scene, steps, at)
            if clips:
                order = {n: (counts[n], stable_hash(first.uid, str(n))) for n in range(MOMENTS)}
                moment = min(order, key=lambda n: order[n])
                counts[moment] += 1
                yield _question(scene, clips[moment], first, steps[at + 1], moment)


def _steps(scene: Scene, segments: pl.DataFrame) -> list[Step]:
    """Steps of the wearer, in time order; what the scene graph says that others do is left out."""
    mine = {edge["segment_id"]: edge for edge in reversed(scene.doing)}
    done = {edge["segment_id"] for edge in scene.edges if edge["relation"] == "does"}
    rows = segments.filter(
        IS_STEP
        & (pl.col("recording_id") == scene.recording["recording_id"])
        & pl.col("class_name").is_not_null()
    )
    return [
        Step(uid, readable_name(row["class_name"]), row["start_s"], row["end_s"], mine.get(uid))
        for row in rows.sort("start_s", "end_s", "segment_id").iter_rows(named=True)
        if (uid := row["segment_id"]) in mine or uid not in done
    ]


def _clips(scene: Scene, steps: Sequence[Step], at: int) -> list[Clip]:
    """Clips that end during a step, after it, during the next and after that; empty if one of them is not possible."""
    one, two = steps[at : at + 2]
    after_s = next((step.start_s for step in steps[at + 2 :]), two.end_s + LAST_S)
    if scene.length_s is not None:
        after_s = min(after_s, scene.length_s)
    edges = [one.start_s, one.end_s, two.start_s, two.end_s, after_s]
    halves = [min((later - early) / 2, NEAR_S) for early, later in pairwise(edges)]
    if min(halves) < BESIDE_S or any(step.end_s > one.start_s for step in steps[:at]):
        return refuse(IN_TURN) or []
    moments = [
        one.end_s - halves[0],
        one.end_s + halves[1],
        two.start_s + halves[2],
        two.end_s + halves[3],
    ]
    lengths = [n for n in LENGTHS_S if moments[-1] - n <= one.start_s]
    shortest_s = min(step.end_s - step.start_s for step in (one, two))
    if not lengths or lengths[0] > min(moments[0], SPACES * (shortest_s + SEEN_S)):
        return refuse(FITS) or []
    first_s = moments[0] - lengths[0]
    shown = [s.name.casefold() for s in steps if s.end_s > first_s and s.start_s < moments[-1]]
    if any(shown.count(step.name.casefold()) != 1 for step in (one, two)):
        return refuse(ONE_NAME) or []
    return [Clip(scene.recording, t - lengths[0], t, sampling="endpoints") for t in moments]


def _question(scene: Scene, clip: Clip, one: Step, two: Step, moment: int) -> Row:
    options = [
        _option(f'"{one.name}" is under way', one, "under way"),
        _option(f'"{one.name}" is completed and "{two.name}" has not begun', one, "completed"),
        _option(f'"{two.name}" is under way', two, "under way"),
        _option(f'"{two.name}" is completed', two, "completed"),
    ]
    answer = options.pop(moment)
    rows = [list(step.evidence(n)) for n, step in enumerate((one, two), 1)]
    return RECIPE.question(
        anchor=(str(scene.recording["recording_id"]), one.uid, two.uid),
        text={
            "t_s": clip.end_s - clip.start_s,
            "first": one.name,
            "second": two.name,
            "steps": [
                {
                    "name": step.name,
                    "start_s": step.start_s - clip.start_s,
                    "end_s": step.end_s - clip.start_s,
                    "status": step.status(clip.end_s),
                }
                for step in (one, two)
            ],
            "reached": answer.text,
        },
        answer=answer,
        distractors=options,
        media=[clip],
        evidence=[row for of in rows for row in of],
        steps=[
            *([f"{table}:{key}" for table, key, _ in of] for of in rows),
            [f"segments:{step.uid}" for step in (one, two)],
        ],
    )


def _option(text: str, step: Step, status: str) -> Option:
    return Option(text, f"{step.uid}|{status}", evidence=(("segments", step.uid),))


BUILDER = RECIPE.builder(
    questions,
    unit="source",
    reads=READS | {"segments": SEGMENTS},
    needs=(
        EGO,
        rows_where(
            "segments",
            ("kind", "step_order"),
            IS_STEP,
            "no keysteps, and no actions with a place in a procedure",
        ),
    ),
    rules=(IN_TURN, FITS, ONE_NAME),
    limits=(
        f"two steps that follow each other with pauses of {2 * BESIDE_S:g} s or more between them and after them, in a"
        f" clip of at most {LENGTHS_S[-1]:g} s, no other at the same time or of the same name"
    ),
    paper=False,
)
