"""Plans on question cards, held against the flat: where the goal is, on which side, and in which option."""

from __future__ import annotations

import math
from collections import Counter
from typing import Any

import pytest

from assets.questions.egoprox.exploitation_relative import BUILDER as EXPLOITATION
from assets.questions.egoprox.exploration_approximate import BUILDER as EXPLORATION
from assets.questions.egoprox.intention_approximate import BUILDER as INTENTION_APPROXIMATE
from assets.questions.egoprox.intention_relative import BUILDER as INTENTION_RELATIVE
from assets.questions.egoprox.planner import trace
from assets.questions.egoprox.scene import READS, Scene
from assets.report.plan_drawing import draw
from assets.report.plan_view import PlanView, plan_view
from resources.worlds.flat.take import Take
from tests.truth.sequences import FLAT, Sequences

BUILDERS = (INTENTION_RELATIVE, INTENTION_APPROXIMATE, EXPLOITATION, EXPLORATION)
Scenes = dict[str, Scene]
Shown = list[tuple[Take, str, dict[str, Any], PlanView]]


@pytest.fixture(scope="module")
def scenes(sequences: Sequences) -> Scenes:
    """Both recordings."""
    tables = {name: sequences.table(name) for name in READS if name != "step_order"}
    return {
        uid: Scene.of(uid, {name: rows.filter(recording_id=uid) for name, rows in tables.items()})
        for uid in (take.take_id for take in FLAT.takes)
    }


@pytest.fixture(scope="module")
def shown(sequences: Sequences, scenes: Scenes) -> Shown:
    """Questions, each with its take, the instance of its goal and its plan."""
    found = []
    for builder in BUILDERS:
        for question in sequences.questions(builder):
            take = FLAT.take(question["recording_id"])
            view = plan_view(question, scenes[take.take_id])
            assert view is not None, question["text"]
            found.append((take, sequences.goal(take, question), question, view))
    return found


def bearing_deg(view: PlanView, of: tuple[float, float]) -> float:
    """From the camera's axis to a point, right positive."""
    x, y = view.camera
    turn = view.heading_deg - math.degrees(math.atan2(of[1] - y, of[0] - x))
    return (turn + 180.0) % 360.0 - 180.0


def apart(one: float, other: float) -> float:
    return abs((one - other + 180.0) % 360.0 - 180.0)


def test_the_goal_lies_where_the_flat_has_it(shown: Shown) -> None:
    assert len(shown) >= 50
    for take, goal, question, view in shown:
        end = question["media"][0]["end_s"]
        centre = take.thing_at(goal, end).centre
        eye = take.camera_pose("ego", end).position
        assert view.goal_at is not None
        assert math.dist(view.goal_at, view.camera) == pytest.approx(
            math.dist(centre[:2], eye[:2]), abs=0.02
        )
        truth = take.bearing_deg("ego", tuple(centre), end)
        assert apart(bearing_deg(view, view.goal_at), truth) < 2.0, question["text"]


def test_the_target_lies_in_the_right_option_and_in_no_other(shown: Shown) -> None:
    sides: Counter[str] = Counter()
    for _, _, question, view in shown:
        assert view.target is not None
        ahead = math.atan2(view.target[1] - view.origin[1], view.target[0] - view.origin[0])
        turn = view.heading_deg - math.degrees(ahead)
        holds = [
            sector.is_answer
            for sector in view.sectors
            if apart(turn, (sector.low_deg + sector.high_deg) / 2)
            <= (sector.high_deg - sector.low_deg) / 2
        ]
        assert holds == [True], question["text"]
        for side in ("left", "right"):
            sides[side] += side in question["answer_text"]
    assert min(sides["left"], sides["right"]) >= 10


def test_ways_run_over_the_floor_that_is_drawn_as_free(shown: Shown) -> None:
    ways = [view for *_, view in shown if view.way]
    assert len(ways) >= 12
    for view in ways:
        for x, y in view.way[1:]:
            assert any(x0 <= x <= x1 and y0 <= y <= y1 for x0, y0, x1, y1 in view.free)


def test_the_tools_give_every_answer(shown: Shown, scenes: Scenes) -> None:
    for _, _, question, _ in shown:
        found = trace(question, scenes[question["recording_id"]])
        assert found is not None
        assert found.agrees, question["text"]
        assert found.calls[0].result.output[
            "in_view_s" if "exploit" not in question["subtask"] else "is"
        ]


def test_drawings_are_small(shown: Shown) -> None:
    for *_, view in shown:
        drawing = draw(view)
        assert sum(len(shape.path) + len(shape.title) for shape in drawing.shapes) < 12_000
