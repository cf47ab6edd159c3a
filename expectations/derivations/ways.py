"""The way to a thing out of view: the stored one, held against boxes, sight and a search of its own."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import polars as pl

from expectations.derivations import floor
from expectations.derivations.directions import SIDES
from expectations.derivations.facts import SAME_BEARING_DEG
from expectations.derivations.geometry import (
    Pose,
    axis_from_vertical_deg,
    bearing_deg,
    distance_to_box_m,
)
from expectations.derivations.places import camera_at, centre_at, object_at
from expectations.derivations.things import thing_names
from expectations.gates.base import CannotTell, Derived, Margin, Question
from expectations.gates.statements import Choice, Number, Slot
from expectations.gates.tables import EvidenceTables
from expectations.gates.words import bare_name

READS: dict[str, tuple[str, ...]] = {
    "paths": ("path_id", "recording_id", "object_id", "t_s", "waypoints", "seen_share"),
    "boxes": ("recording_id", "object_id", "t_s", "visibility"),
    "hand_joints": ("recording_id", "t_s", "x", "y", "z"),
}
LOW_M, HIGH_M = 0.1, 1.8
REACH_M = 1.0
LEAST_WAY_M = 1.0
LEAST_AWAY_M = 1.4
"""What is nearer to the eyes is reached by leaning over, and no way need be walked round anything."""
LEAST_LEG_M = 0.5
LEAST_SEEN = 0.8
SAME_WAY_DEG = 20.0
"""How far the first leg of the shortest way may point from that of the stored one."""
_LONGER = 1.15
_BARRED_M = 0.1
_SAME_PLACE_M = 0.35
_SIGHT_S = 8.0
_EVERY_S = 0.2
_MOSTLY = 0.6
# Half a person, less what two searches differ by; and how near to the ends of a way nobody passes anything.
_ROOM_M, _ENDS_M = 0.12, 1.1
_IN_HAND_M, _IN_HAND_S = 0.3, 0.1
_SURROUNDINGS = frozenset({"floor", "ground", "ceiling", "room", "shelter"})
_ROUNDED_DEG = 0.5 + SAME_BEARING_DEG
_ROUNDED_M = 0.05 + 0.02
_VERTICAL_DEG = 20.0


@dataclass(frozen=True, slots=True)
class FirstLeg:
    """How a way begins, and how it goes on.

    Attributes:
        turn_deg: From the camera's axis on the ground to the end of the first leg, right positive.
        distance_m: From the camera to there.
        bends: Whether the way has more legs.
        length_m: Length of all legs.
        path_id: Row of `paths`.
        shortest_m: From the camera to the end of the first leg of the shortest way found here.
    """

    turn_deg: float
    distance_m: float
    bends: bool
    length_m: float
    path_id: str
    shortest_m: float

    def slots(self) -> dict[str, Slot]:
        """What may stand where a text tells the way."""
        sides = [s for s, sign in zip(SIDES, (-1, 1), strict=True) if sign * self.turn_deg >= 0]
        if min(abs(self.turn_deg), 180.0 - abs(self.turn_deg)) <= SAME_BEARING_DEG:
            sides = list(SIDES)
        shape = "has a bend" if self.bends else "is straight"
        return {
            "shape": Choice((shape,), ("has a bend", "is straight")),
            "length": Number(self.length_m, _ROUNDED_M),
            "leg": Number(self.distance_m, _ROUNDED_M),
            "bearing": Number(abs(self.turn_deg), _ROUNDED_DEG),
            "side": Choice(tuple(sides), SIDES),
        }


def first_leg(
    question: Question, goal: str, end_s: float, given: EvidenceTables, notes: Derived
) -> FirstLeg:
    """Return how the way begins that a question names, and note what speaks against that way.

    Args:
        question: The question; its evidence names one row of `paths`.
        goal: The thing it leads to.
        end_s: The instant, in seconds.
        given: The tables.
        notes: Filled in.

    Raises:
        CannotTell: No way to the goal is stored for the instant, or a pose is not known.
    """
    recording = str(question.query["recording_id"])
    rows = given.rows("paths", recording_id=recording, object_id=goal)
    now = [row for row in rows if abs(row["t_s"] - end_s) <= 0.01]
    if not now:
        message = f"no way to {goal} is stored at {end_s:.2f} s"
        notes.refuse("consistent", "no_way", message)
        raise CannotTell(message)
    path = now[0]
    notes.rests_on("answer", "paths", [path["path_id"]])
    camera = camera_at(recording, end_s, given)
    way = np.array([(point["x_m"], point["y_m"]) for point in path["waypoints"]], dtype=float)
    around = _Around(recording, goal, camera, end_s, given)
    target = centre_at(recording, goal, end_s, given)
    _check_stored(way, camera, target, around, notes)
    least = 0.0 if question.as_paper else 1.0
    shortest = _check_against_shortest(way, camera, around, notes)
    leg = _leg(camera, way, shortest, str(path["path_id"]))
    vertical = axis_from_vertical_deg(camera)
    if vertical < _VERTICAL_DEG:
        words = "camera axis to the vertical"
        notes.margins.append(Margin("axis_vertical", vertical, _VERTICAL_DEG, "deg", words))
    words = "length of the first leg"
    notes.margins.append(Margin("first_leg", leg.distance_m, least * LEAST_LEG_M, "m", words))
    words, away = "the goal from the camera", math.dist(target, camera.shift)
    notes.margins.append(Margin("goal_out_of_reach", away, least * LEAST_AWAY_M, "m", words))
    words = "length of the way"
    notes.margins.append(Margin("way_length", leg.length_m, least * LEAST_WAY_M, "m", words))
    seen = _seen_share(way, recording, end_s, given)
    words = "share of the way between lines of sight"
    notes.margins.append(Margin("way_seen", seen, least * LEAST_SEEN, "", words))
    return leg


def _leg(camera: Pose, way: np.ndarray, shortest: np.ndarray, path_id: str) -> FirstLeg:
    bend = np.array([*way[1], camera.shift[2]])
    length = float(np.linalg.norm(np.diff(way, axis=0), axis=1).sum())
    distance, own = (math.dist(w[1], camera.shift[:2]) for w in (way, shortest))
    return FirstLeg(bearing_deg(camera, bend), distance, len(way) > 2, length, path_id, own)


class _Around:
    """Outlines of the things that may be in the way at an instant, the goal left out."""

    def __init__(
        self, recording: str, goal: str, camera: Pose, t_s: float, given: EvidenceTables
    ) -> None:
        boxes, ends = {}, {}
        for uid in given.part("objects_3d", recording_id=recording)["object_id"].unique().sort():
            try:
                row = object_at(recording, uid, t_s, given)
            except CannotTell:
                continue
            if uid != goal and _in_hand(row, recording, t_s, given):
                continue
            boxes[uid] = floor.corners(row)
            ends[uid] = {bare_name(n)[-1] for n in thing_names(uid, given, recording)}
        floors = [b[:, 2].max() for uid, b in boxes.items() if ends[uid] & {"floor", "ground"}]
        open_ = {
            uid
            for uid, box in boxes.items()
            if uid == goal or ends[uid] & _SURROUNDINGS or _holds(box, camera.shift)
        }
        closed = {uid: box for uid, box in boxes.items() if uid not in open_}
        lowest = [b[:, 2].min() for b in (closed or boxes).values()]
        if not boxes:
            raise CannotTell("no thing has a box, so that nothing tells where the floor is")
        ground = max(floors) if floors else min(lowest)
        self.within = floor.outline(np.concatenate([b[:, :2] for b in boxes.values()]))
        self.outlines = [
            floor.outline(box[:, :2])
            for box in closed.values()
            if box[:, 2].min() < ground + HIGH_M and box[:, 2].max() > ground + LOW_M
        ]


def _in_hand(row: dict[str, Any], recording: str, t_s: float, given: EvidenceTables) -> bool:
    """Whether a thing that can move is at a hand, so that it may go where the wearer goes."""
    if row["t_s"] is None or not given.has("hand_joints"):
        return False
    near = pl.col("t_s").is_between(t_s - _IN_HAND_S, t_s + _IN_HAND_S)
    joints = given.part("hand_joints", recording_id=recording).filter(near)
    points = joints.select("x", "y", "z").to_numpy()
    return any(distance_to_box_m(point, row) <= _IN_HAND_M for point in points)


def _holds(box: np.ndarray, point: np.ndarray) -> bool:
    beside = floor.distance_m(point[None, :2], floor.outline(box[:, :2]))[0]
    return bool(beside == 0 and box[:, 2].min() <= point[2] <= box[:, 2].max())


def _check_stored(
    way: np.ndarray,
    camera: Pose,
    target: np.ndarray,
    around: _Around,
    notes: Derived,
) -> None:
    """Refuse a stored way that starts or ends elsewhere, or runs into a thing."""
    for what, point, place in (("starts", way[0], camera.shift), ("ends", way[-1], target)):
        away = math.dist(point, place[:2])
        limit = REACH_M + (0.05 if what == "ends" else -0.65)
        if away > limit:
            notes.refuse(
                "consistent",
                f"way_{what}_elsewhere",
                f"the stored way {what} {away:.2f} m from where it should",
                away,
                limit,
            )
    for one, other in pairwise(way):
        near = floor.leg_room_m(one, other, around.outlines)
        if near < _BARRED_M:
            notes.refuse(
                "consistent",
                "way_barred",
                f"a leg of the stored way comes within {near:.2f} m of a thing",
                near,
                _BARRED_M,
            )
            return


def _check_against_shortest(
    way: np.ndarray, camera: Pose, around: _Around, notes: Derived
) -> np.ndarray:
    """Return the shortest way found here; refuse one of another direction, or that is much longer."""
    own = floor.shortest(way[0], way[-1], around.outlines, around.within, _SAME_PLACE_M)
    if own is None:
        raise CannotTell("no way between the ends of the stored one is found")
    stored, shortest = (float(np.linalg.norm(np.diff(w, axis=0), axis=1).sum()) for w in (way, own))
    if stored > _LONGER * shortest + floor.LATTICE_M:
        notes.refuse(
            "consistent",
            "way_longer",
            f"the stored way is {stored:.2f} m long, the shortest {shortest:.2f} m",
            stored,
            shortest,
        )
    bearings = [bearing_deg(camera, np.array([*w[1], 0.0])) for w in (way, own)]
    apart = abs((bearings[0] - bearings[1] + 180.0) % 360.0 - 180.0)
    if apart > SAME_WAY_DEG:
        notes.refuse(
            "margin",
            "another_way",
            f"the stored way begins {apart:.0f} degrees beside the shortest",
            apart,
            SAME_WAY_DEG,
        )
    return own


def _seen_share(way: np.ndarray, recording: str, end_s: float, given: EvidenceTables) -> float:
    """Share of a way's points with a line of sight on their left and one on their right, and room between."""
    lines = _sights(recording, given)
    lines = lines[(lines[:, 0] <= end_s) & (lines[:, 0] >= end_s - _SIGHT_S)]
    begin, along = lines[:, 1:3], lines[:, 3:5] - lines[:, 1:3]
    length = np.linalg.norm(along, axis=1)
    points = np.concatenate(
        [np.linspace(a, b, max(2, round(math.dist(a, b) / 0.1))) for a, b in pairwise(way)]
    )
    away = points[:, None] - begin
    on = (away * along).sum(-1) / length
    left = (along[:, 0] * away[..., 1] - along[:, 1] * away[..., 0]) / length
    reached = (on >= -0.35) & (on <= length + 0.35)
    to_ends = np.minimum(*(np.linalg.norm(points - end, axis=1) for end in (way[0], way[-1])))
    room = np.where(to_ends > _ENDS_M, _ROOM_M, -0.1)[:, None]
    sides = [(reached & (side >= room) & (side <= 0.7)).any(1) for side in (left, -left)]
    return float((sides[0] & sides[1]).mean())


def _sights(recording: str, given: EvidenceTables) -> np.ndarray:
    """Time, camera and middle of each thing mostly visible in a picture, shape (n, 5), on the ground."""
    memo: dict[str, np.ndarray] = given.memo.setdefault("sights", {})
    if recording not in memo:
        rows: list[tuple[Any, ...]] = []
        last: dict[str, float] = {}
        boxes = given.part("boxes", recording_id=recording).drop_nulls(["t_s", "object_id"])
        seen = boxes.filter(pl.col("visibility").fill_null(1.0) >= _MOSTLY).sort("t_s")
        for uid, t_s in seen.select("object_id", "t_s").iter_rows():
            if t_s - last.get(uid, -1.0) < _EVERY_S:
                continue
            try:
                camera = camera_at(recording, t_s, given)
                centre = centre_at(recording, uid, t_s, given)
            except CannotTell:
                continue
            last[uid] = t_s
            if math.dist(camera.shift[:2], centre[:2]) > _SAME_PLACE_M:
                rows.append((t_s, *camera.shift[:2], *centre[:2]))
        memo[recording] = np.array(rows, dtype=float).reshape(-1, 5)
    return memo[recording]
