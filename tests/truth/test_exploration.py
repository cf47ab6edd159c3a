"""Ways to goals out of view, held against the flat itself: its furniture, its walls and its doorway.

What is right is the shortest of all ways over corners of the furniture, widened by half a person, and
over the doorway's posts: a visibility graph of the plan, in which nothing is a cell.
"""

from __future__ import annotations

import math
import re
from itertools import combinations
from typing import Any

import networkx as nx
import numpy as np
import pytest
import shapely

from assets.questions.egoprox.exploration_approximate import BUILDER as EXPLORATION_APPROXIMATE
from assets.questions.egoprox.exploration_relative import BUILDER as EXPLORATION_RELATIVE
from assets.questions.kit.builder import Builder
from resources.worlds.flat.take import Take
from tests.truth.sequences import FLAT, Sequences

Point = tuple[float, float]
KEEP_M = 0.19
# The wall between the rooms, at x 4.0 to 4.1, with its doorway at y 1.5 to 2.5.
WALLS = (shapely.box(4.0, -1.0, 4.1, 1.5), shapely.box(4.0, 2.5, 4.1, 5.0))


def outlines(take: Take, goal: str, t_s: float) -> dict[str, shapely.Geometry]:
    """What stands between 0.1 and 1.8 m above the floor, as seen from above; what is carried does not stand."""
    found = {}
    for name in take.instances:
        carried = name in take.tracks and take.holder_of(name, t_s)[0]
        if name != goal and not carried:
            box = take.thing_at(name, t_s)
            if box.lo[2] < 1.8 and box.hi[2] > 0.1:
                found[name] = shapely.box(*box.lo[:2], *box.hi[:2])
    return found


def shortest(start: Point, goal: Point, things: list[shapely.Geometry]) -> list[Point]:
    """Shortest way between two places that keeps clear of things and walls."""
    around = [shapely.buffer(one, KEEP_M, quad_segs=3) for one in (*things, *WALLS)]
    barred = shapely.union_all(
        [shapely.buffer(one, KEEP_M - 0.005, quad_segs=3) for one in (*things, *WALLS)]
    )
    barred = barred.difference(shapely.Point(start).buffer(0.25)).difference(
        shapely.Point(goal).buffer(0.05)
    )
    corners = {
        xy
        for one in around
        for xy in shapely.get_coordinates(one).round(6).tolist()
        for xy in [tuple(xy)]
    }
    places = [start, goal, *(c for c in sorted(corners) if not shapely.intersects_xy(barred, *c))]
    pairs = list(combinations(range(len(places)), 2))
    lines = shapely.linestrings([[places[a], places[b]] for a, b in pairs])
    shapely.prepare(barred)
    clear = ~np.atleast_1d(shapely.intersects(barred, lines))
    graph = nx.Graph()
    graph.add_weighted_edges_from(
        (a, b, math.dist(places[a], places[b]))
        for (a, b), ok in zip(pairs, clear.tolist(), strict=True)
        if ok
    )
    return [places[n] for n in nx.shortest_path(graph, 0, 1, weight="weight")]


def apart(a: float, b: float) -> float:
    return abs((a - b + 180) % 360 - 180)


Asked = list[tuple[Take, str, dict[str, Any], dict[str, Any]]]


def asked(sequences: Sequences, builder: Builder) -> Asked:
    """Questions, each with its take, the instance of its goal and the way it names."""
    paths = {row["path_id"]: row for row in sequences.table("paths").to_dicts()}
    return [
        (
            FLAT.take(question["recording_id"]),
            sequences.goal(FLAT.take(question["recording_id"]), question),
            question,
            paths[question["evidence"][0]["key"]],
        )
        for question in sequences.questions(builder)
    ]


@pytest.fixture(scope="module")
def relative(sequences: Sequences) -> Asked:
    """Questions of directions."""
    return asked(sequences, EXPLORATION_RELATIVE)


@pytest.fixture(scope="module")
def approximate(sequences: Sequences) -> Asked:
    """Questions of intervals."""
    return asked(sequences, EXPLORATION_APPROXIMATE)


@pytest.fixture(params=["relative", "approximate"])
def either(request: pytest.FixtureRequest) -> Asked:
    """Questions of one of the subtasks."""
    questions: Asked = request.getfixturevalue(request.param)
    return questions


def test_ways_are_asked_about_in_every_recording(relative: Asked) -> None:
    assert len({take.take_id for take, *_ in relative}) == 2
    assert len(relative) >= 15
    answers = [question["answer_text"] for _, _, question, _ in relative]
    assert len(set(answers)) >= 5
    assert all(answers.count(one) <= 4 for one in answers), "two in each recording"


def test_no_wall_crosses_a_way(either: Asked) -> None:
    for _, _, question, path in either:
        way = shapely.LineString([tuple(point.values()) for point in path["waypoints"]])
        assert not any(shapely.intersects(way, wall) for wall in WALLS), question["text"]


def first_bend(take: Take, goal: str, question: dict[str, Any], path: dict[str, Any]) -> Point:
    """Where the shortest way bends first, or ends; a bend lies on an arc round a corner."""
    end = question["media"][0]["end_s"]
    x, y = (float(v) for v in take.camera_pose("ego", end).position[:2])
    last = path["waypoints"][-1]
    way = shortest((x, y), (last["x_m"], last["y_m"]), list(outlines(take, goal, end).values()))
    # As far on as a straight leg leads.
    return next((p for p in way[1:] if math.dist(p, way[0]) >= 0.45), way[-1])


def test_the_way_begins_where_the_shortest_one_does(relative: Asked) -> None:
    right = []
    for take, goal, question, path in relative:
        bearing = take.bearing_deg(
            "ego", (*first_bend(take, goal, question, path), 0.0), question["media"][0]["end_s"]
        )
        (value,) = [int(o["value"]) for o in question["options"] if o["is_answer"]]
        right.append(apart(bearing, value * 45.0) <= 22.5)
    assert all(right)


INTERVALS = re.compile(r"(-?\d+) to (-?\d+) deg, (\S+) to (\S+) m")


def test_the_first_leg_of_the_shortest_way_lies_in_the_intervals(approximate: Asked) -> None:
    assert len({take.take_id for take, *_ in approximate}) == 2
    assert len(approximate) >= 12
    right = []
    for take, goal, question, path in approximate:
        end = question["media"][0]["end_s"]
        bend = first_bend(take, goal, question, path)
        bearing = take.bearing_deg("ego", (*bend, 0.0), end)
        length = math.dist(bend, take.camera_pose("ego", end).position[:2])
        (value,) = [o["value"] for o in question["options"] if o["is_answer"]]
        found = INTERVALS.fullmatch(value)
        assert found is not None, value
        least, most, low, high = map(float, found.groups())
        # The tables know the end of a way by its grid cell, and the way keeps clear by another margin.
        right.append(
            apart(bearing, (least + most) / 2) <= (most - least) / 2 + 2.0
            and low - 0.15 <= length <= high + 0.15
        )
    assert all(right)


def test_the_goal_was_seen_and_is_out_of_view(either: Asked) -> None:
    for take, goal, question, _ in either:
        medium = question["media"][0]
        start, end = medium["start_s"], medium["end_s"]
        sent = [start + i * (end - start) / 7 for i in range(8)]
        assert max(take.visible_share("ego", goal, t) for t in sent if t <= end - 0.5) >= 0.1
        assert take.visible_share("ego", goal, end) < 0.1
