"""What lies around the wearer at the end of a question's clip, as seen from above, in metres of the world.

It is read from the rows that a question rests on and from those about the same recording; nothing is
measured that was not measured before.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np

from assets.questions.egoprox.bins import interval
from assets.questions.egoprox.scene import Gaze, Scene, end_of, keys_of
from assets.questions.kit.directions import LETTERS, NAMES
from assets.questions.kit.names import words
from assets.scene_graphs.directions import FORWARD
from assets.scene_graphs.rotation import Array, rotate
from assets.scene_graphs.tracks import Thing

Point = tuple[float, float]
Rectangle = tuple[float, float, float, float]
"""Least x, least y, greatest x, greatest y."""
_DIRECTIONS = ("bearing", "displacement_bearing")
# What is smaller cannot be seen on a plan of a room.
_LEAST_M = 0.05
_GAZE_M = 2.0


@dataclass(frozen=True, slots=True)
class Outline:
    """A thing as seen from above.

    Attributes:
        name: Name as shown.
        corners: Convex outline, counter-clockwise.
    """

    name: str
    corners: tuple[Point, ...]


@dataclass(frozen=True, slots=True)
class Sector:
    """What one option names, from the plan's `origin`.

    Attributes:
        letter: Letter of the option.
        is_answer: Whether it is the right one.
        low_deg: Least turn from the camera's axis, right positive.
        high_deg: Greatest turn.
        low_m: Least distance on the ground; None where the option names no distance.
        high_m: Greatest distance on the ground.
    """

    letter: str
    is_answer: bool
    low_deg: float
    high_deg: float
    low_m: float | None = None
    high_m: float | None = None


@dataclass(frozen=True, slots=True)
class Ray:
    """Where the wearer looks.

    Attributes:
        begin: Between the eyes.
        end: Gaze point.
        later_s: Seconds after the end of the clip.
    """

    begin: Point
    end: Point
    later_s: float


@dataclass(frozen=True, slots=True)
class Move:
    """From one keystep's place to the next one's.

    Attributes:
        begin: First place.
        end: Next place.
        letter: Letter of the direction and its name.
        valid: First of the valid answers that has it, from 1.
    """

    begin: Point
    end: Point
    letter: str
    valid: int


@dataclass(frozen=True, slots=True)
class PlanView:
    """The plan.

    Attributes:
        camera: Where the camera is.
        heading_deg: Direction of its axis on the ground, counter-clockwise from the world's x.
        origin: Where the directions of the options start: the camera, or the thing that is put down.
        goal: The thing that is asked about; None for keysteps.
        goal_at: Its middle.
        place: Where it will be put; None if that is not asked.
        sectors: What the options name.
        way: Points of the way that is asked about.
        gaze: Where the wearer looks.
        free: Floor a person can walk on.
        things: Other things.
        steps: Places of keysteps, each with the candidate's number and its text.
        moves: Moves between them.
    """

    camera: Point
    heading_deg: float
    origin: Point
    goal: Outline | None = None
    goal_at: Point | None = None
    place: Point | None = None
    sectors: tuple[Sector, ...] = ()
    way: tuple[Point, ...] = ()
    gaze: tuple[Ray, ...] = ()
    free: tuple[Rectangle, ...] = ()
    things: tuple[Outline, ...] = ()
    steps: tuple[tuple[Point, str, str], ...] = ()
    moves: tuple[Move, ...] = ()

    @property
    def target(self) -> Point | None:
        """Where the answer's direction leads: the first bend of the way, the place, or the goal."""
        return self.way[1] if self.way else self.place or self.goal_at


def has_plan(question: Mapping[str, Any]) -> bool:
    """Whether a question's evidence may say where things are: it asks for a direction, way or chain."""
    if question["answer_kind"] == "sequences":
        return True
    return any(
        e["role"] == "answer" and e["table"] in ("spatial_facts", "paths")
        for e in question["evidence"]
    )


def plan_view(question: Mapping[str, Any], scene: Scene) -> PlanView | None:
    """The plan of a question; None where its rows do not say where the camera or the goal is.

    Args:
        question: Row of `questions`.
        scene: Its recording.
    """
    t_s = end_of(question)
    seen = scene.camera_at(t_s)
    if seen is None:
        return None
    camera = seen[0]
    forward = rotate(camera.q, FORWARD)
    heading_deg = math.degrees(math.atan2(forward[1], forward[0]))
    if question["answer_kind"] == "sequences":
        return _of_chain(question, scene, _ground(camera.t), heading_deg)
    for key in keys_of(question, "paths", "answer"):
        path = scene.paths.get(key)
        if path is not None:
            way = tuple((p["x_m"], p["y_m"]) for p in path["waypoints"])
            start = (path["camera"]["x_m"], path["camera"]["y_m"])
            view = _of_goal(question, scene, camera.t, heading_deg, path["object_id"], path)
            return None if view is None else replace(view, origin=start, way=(start, *way[1:]))
    for key in keys_of(question, "spatial_facts", "answer"):
        fact = scene.facts.get(key)
        if fact is not None and fact["operator"] in _DIRECTIONS:
            path = scene.path_to(fact["object_id"], t_s)
            return _of_goal(question, scene, camera.t, heading_deg, fact["object_id"], path, fact)
    return None


def _of_goal(
    question: Mapping[str, Any],
    scene: Scene,
    camera: Array,
    heading_deg: float,
    object_id: str,
    path: Mapping[str, Any] | None,
    fact: Mapping[str, Any] | None = None,
) -> PlanView | None:
    t_s = end_of(question)
    held = scene.place_of(object_id, t_s)
    if held is None:
        return None
    goal = scene.things[object_id]
    middle = goal.centre(held[0])
    origin, aim, place = camera, middle, None
    if fact is not None and fact["operator"] == "displacement_bearing":
        # Its evidence names the row of where the thing is, then that of where it will rest.
        rows = [key for key in fact["evidence"] if key.startswith(("objects_3d:", "segments:"))]
        rest = scene.centre_of_row(object_id, rows[-1]) if rows else None
        if rest is None:
            return None
        origin, aim, place = middle, rest, _ground(rest)
    # Distances of exploitation are straight through space, those of ways lie on the ground.
    drop_m = 0.0 if fact is None else float(aim[2] - origin[2])
    return PlanView(
        camera=_ground(camera),
        heading_deg=heading_deg,
        origin=_ground(origin),
        goal=_outline(goal, held[0]),
        goal_at=_ground(middle),
        place=place,
        sectors=tuple(_sectors(question, drop_m)),
        gaze=tuple(_gaze(question, scene)),
        free=() if path is None else tuple(_free(scene.maps.get(path["map_id"]))),
        things=tuple(_others(scene, object_id, camera, t_s)),
    )


def _of_chain(
    question: Mapping[str, Any], scene: Scene, camera: Point, heading_deg: float
) -> PlanView | None:
    """Places of the keysteps of a chain, and the moves of each valid order."""
    numbers = {c["value"]: c["number"] for c in question["candidates"]}
    at: dict[int, Point] = {}
    steps = []
    for key in keys_of(question, "segments", "answer"):
        step, place = scene.steps.get(key), scene.places.get(key)
        number = None if step is None else numbers.get(str(step["class_id"]))
        if step is None or place is None or number is None:
            return None
        at[number] = (place["x_m"], place["y_m"])
        steps.append((at[number], str(number), str(step["class_name"])))
    moves: dict[tuple[int, int], Move] = {}
    for valid, line in enumerate((question["answer_text"] or "").splitlines(), 1):
        order, letters = json.loads(line)
        for (one, other), letter in zip(pairwise(order), letters, strict=True):
            named = f"{letter} {NAMES[LETTERS.index(letter)]}"
            # A move of several valid orders is drawn once.
            moves.setdefault((one, other), Move(at[one], at[other], named, valid))
    return PlanView(camera, heading_deg, camera, steps=tuple(steps), moves=tuple(moves.values()))


def _ground(point: Array) -> Point:
    return float(point[0]), float(point[1])


def _sectors(question: Mapping[str, Any], drop_m: float) -> Iterator[Sector]:
    """What the options name, their distances as seen from above.

    Args:
        question: Row of `questions`.
        drop_m: By how much the target lies above where the distances start.
    """
    for option in question["options"]:
        named = interval(option["value"] or "")
        if named is not None:
            low_m, high_m = (
                None if m is None else math.sqrt(max(0.0, m * m - drop_m * drop_m))
                for m in (named.low_m, named.high_m)
            )
            right = bool(option["is_answer"])
            yield Sector(option["letter"], right, named.low_deg, named.high_deg, low_m, high_m)


def _gaze(question: Mapping[str, Any], scene: Scene) -> Iterator[Ray]:
    """Gaze at the end of the clip, and when the event is that the wearer looks at the goal, then."""
    end_s = end_of(question)
    events = [scene.facts.get(key) for key in keys_of(question, "spatial_facts", "event")]
    looks = [e["t_s"] for e in events if e is not None and e["operator"] == "fixation"]
    for t_s in (end_s, *looks):
        gaze = scene.gaze_at(t_s)
        if gaze is not None:
            yield Ray(_ground(gaze.origin), _ground(_gaze_point(gaze)), t_s - end_s)


def _gaze_point(gaze: Gaze) -> Array:
    return gaze.origin + gaze.ray * (_GAZE_M if gaze.depth_m is None else gaze.depth_m)


def _free(space: Mapping[str, Any] | None) -> Iterator[Rectangle]:
    """Free cells of a map as few rectangles: equal runs of rows that follow each other are one."""
    if space is None:
        return
    cell, columns, rows = space["cell_m"], space["columns"], space["rows"]
    lengths = np.array(space["runs"], dtype=np.int64)
    # Runs are occupied and free by turns.
    free = np.repeat(np.arange(len(lengths)) % 2, lengths).reshape(rows, columns)
    began: dict[tuple[int, int], int] = {}
    for row in range(rows + 1):
        edges = np.diff(free[row], prepend=0, append=0) if row < rows else np.zeros(0, int)
        starts, ends = (np.flatnonzero(edges == sign).tolist() for sign in (1, -1))
        runs = set(zip(starts, ends, strict=True))
        for gone in sorted(began.keys() - runs):
            yield (
                (space["column"] + gone[0]) * cell,
                (space["row"] + began.pop(gone)) * cell,
                (space["column"] + gone[1]) * cell,
                (space["row"] + row) * cell,
            )
        for new in runs - began.keys():
            began[new] = row


def _others(scene: Scene, goal: str, camera: Array, t_s: float) -> Iterator[Outline]:
    """Outlines of all other things, without those that the wearer stands in, under or on."""
    for object_id in sorted(scene.things):
        held = scene.place_of(object_id, t_s)
        if object_id != goal and held is not None:
            outline = _outline(scene.things[object_id], held[0])
            size = np.ptp(np.array(outline.corners), axis=0).max()
            if size >= _LEAST_M and not _holds(outline.corners, _ground(camera)):
                yield outline


def _outline(thing: Thing, pose: int) -> Outline:
    corners = thing.track.poses[pose].apply(thing.corners)
    return Outline(" ".join(words(thing.name)), hull([_ground(corner) for corner in corners]))


def hull(points: list[Point]) -> tuple[Point, ...]:
    """Convex hull of points, counter-clockwise from the leftmost one (Andrew's monotone chain)."""
    ordered = sorted(set(points))

    def half(sweep: list[Point]) -> list[Point]:
        kept: list[Point] = []
        for point in sweep:
            while len(kept) > 1 and _turn(kept[-2], kept[-1], point) <= 0:
                kept.pop()
            kept.append(point)
        return kept[:-1]

    return (*half(ordered), *half(ordered[::-1])) or tuple(ordered)


def _turn(one: Point, middle: Point, other: Point) -> float:
    """Positive where three points turn to the left."""
    return (middle[0] - one[0]) * (other[1] - one[1]) - (middle[1] - one[1]) * (other[0] - one[0])


def _holds(corners: tuple[Point, ...], point: Point) -> bool:
    around = pairwise((*corners, corners[0]))
    return len(corners) > 2 and all(_turn(one, other, point) >= 0 for one, other in around)
