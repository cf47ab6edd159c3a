"""Ways of one recording: from where the wearer is to the things whose direction is known then."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import polars as pl

from assets.navigation.occupancy import (
    CELL_M,
    Footprint,
    FreeSpace,
    Point,
    floor_height,
    footprint,
    free_space,
)
from assets.navigation.planner import STEP, shortest_way
from assets.navigation.sights import SightLines
from assets.navigation.steps import bends, steps, straightened
from assets.scene_graphs.directions import FORWARD
from assets.scene_graphs.rotation import Pose, rotate
from assets.scene_graphs.tracks import Body, body_of, shown_name, things_of
from expectations.schemas.identity import digest

NEAREST_M = 1.0
"""How far the nearest free cell may lie from the wearer, and from the goal."""
CARRIED_M = 0.05
"""How far a thing moves in the wearer's hand before it is carried: a hand that passes by moves nothing."""
# Last words of names and categories of what encloses things. A wall is in the way like any other box,
# unless its box surrounds the wearer: then it is that of all walls.
_FLOOR = frozenset({"floor", "ground"})
_ENCLOSING = frozenset({"ceiling", "room", "shelter", *_FLOOR})

Tables = Mapping[str, pl.DataFrame]


@dataclass(frozen=True, slots=True)
class Ways:
    """What is planned in a recording.

    Attributes:
        maps: Rows of `free_space`.
        paths: Rows of `paths`.
    """

    maps: list[dict[str, Any]]
    paths: list[dict[str, Any]]


def plan_paths(source: str, uid: str, tables: Tables) -> Ways:
    """Ways to each object at each instant at which its direction from the camera is known.

    No way is planned where the wearer or the goal has no free cell within 1 m, or nothing connects
    the two. Positions estimated from hands bound no space: only annotated boxes count.

    Args:
        source: Name of the source.
        uid: Recording.
        tables: Its rows of `calibrations`, `camera_poses`, `objects_3d` and `spatial_facts`.
    """
    body = body_of(tables["camera_poses"])
    boxes = tables["objects_3d"].filter(pl.col("method") == "annotated")
    if body is None or tables["calibrations"].is_empty() or boxes.is_empty():
        return Ways([], [])
    place = Pose.of_row(tables["calibrations"].row(0, named=True))
    surroundings = _Surroundings(uid, body, place, boxes, tables["spatial_facts"])
    key = {"source": source, "recording_id": uid}
    maps: dict[str, dict[str, Any]] = {}
    paths: dict[str, dict[str, Any]] = {}
    facts = tables["spatial_facts"].filter(
        (pl.col("operator") == "bearing")
        & (pl.col("frame") == "camera")
        & (pl.col("plane") == "ground")
    )
    for fact in facts.sort("t_s", "fact_id").iter_rows(named=True):
        planned = surroundings.way(fact)
        if planned is not None:
            space, path = planned
            maps.setdefault(space["map_id"], key | space)
            paths.setdefault(path["path_id"], key | path)
    return Ways(list(maps.values()), list(paths.values()))


class _Surroundings:
    """The things around the wearer of one recording."""

    def __init__(
        self, uid: str, body: Body, body_camera: Pose, boxes: pl.DataFrame, facts: pl.DataFrame
    ) -> None:
        self._uid, self._body, self._place = uid, body, body_camera
        self._things = things_of(boxes, body.world)
        kinds = boxes.select("object_id", "name", "category").unique("object_id").iter_rows()
        ends = {str(uid): _last_words(name, category) for uid, name, category in kinds}
        self._floors = {uid for uid, words in ends.items() if words & _FLOOR}
        self._enclosing = {uid for uid, words in ends.items() if words & _ENCLOSING}
        self._footprints: dict[tuple[str, int], Footprint] = {}
        self._sights = SightLines(facts, self._things, body, body_camera)
        contacts = facts.filter(pl.col("operator") == "contact")
        self._contacts = contacts.select("object_id", "t_s", "end_s").rows()

    def way(self, fact: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]] | None:
        """Map and way from the wearer to the object of a fact; None where there is no way."""
        t_s = float(fact["t_s"])
        goal = self._things.get(fact["object_id"])
        seen = self._body.camera_at(t_s, self._place)
        around = self._around(t_s, str(fact["object_id"]))
        if seen is None or goal is None or goal.object_id not in around:
            return None
        camera, pose_key = seen
        pose = int(goal.track.at(t_s))
        target = goal.centre(pose)
        space, floor_m = self._space(around, goal.object_id, camera)
        start = space.nearest_free((float(camera.t[0]), float(camera.t[1])), NEAREST_M)
        end = space.nearest_free((float(target[0]), float(target[1])), NEAREST_M)
        way = None if start is None or end is None else shortest_way(space.free, start, end)
        if way is None or len(way.cells) < 2:
            return None
        points = [space.middle(cell) for cell in straightened(way.cells, space.free)]
        forward = rotate(camera.q, FORWARD)
        heading_deg = math.degrees(math.atan2(forward[1], forward[0]))
        taken = steps(points, heading_deg)
        row = _map_row(space, floor_m, self._body.world)
        return row, {
            "path_id": f"{self._uid}|{goal.object_id}|{round(t_s * 1000)}",
            "map_id": row["map_id"],
            "object_id": goal.object_id,
            "object_name": goal.name,
            "t_s": t_s,
            "camera": {"x_m": float(camera.t[0]), "y_m": float(camera.t[1])},
            "heading_deg": heading_deg,
            "start_offset_m": math.dist(points[0], camera.t[:2]),
            "goal_offset_m": math.dist(points[-1], target[:2]),
            "cost": way.cost / STEP,
            "grid_waypoints": _points([space.middle(cell) for cell in bends(way.cells)]),
            "waypoints": _points(points),
            "steps": [asdict(step) for step in taken],
            "length_m": sum(step.distance_m for step in taken),
            "seen_share": self._sights.share(points, t_s),
            "evidence": [
                pose_key,
                f"objects_3d:{goal.object_id}/{goal.track.keys[pose]}",
                f"spatial_facts:{fact['fact_id']}",
            ],
        }

    def _carried(self, t_s: float) -> set[str]:
        """Things that the wearer carries at an instant: what goes with them is not in their way."""
        carried = set()
        for uid, start, end in self._contacts:
            thing = self._things.get(uid)
            if thing is None or not start <= t_s <= (start if end is None else end):
                continue
            before, now = int(thing.track.at(start)), int(thing.track.at(t_s))
            if before >= 0 and now >= 0:
                moved = np.linalg.norm(thing.centre(now) - thing.centre(before))
                if moved > CARRIED_M:
                    carried.add(uid)
        return carried

    def _around(self, t_s: float, goal: str) -> dict[str, Footprint]:
        """Footprints of the goal and of all things that stand somewhere at an instant."""
        around, carried = {}, self._carried(t_s) - {goal}
        for uid, thing in self._things.items():
            pose = int(thing.track.at(t_s))
            if pose >= 0 and uid not in carried:
                if (uid, pose) not in self._footprints:
                    self._footprints[uid, pose] = footprint(thing, pose)
                around[uid] = self._footprints[uid, pose]
        return around

    def _space(
        self, around: Mapping[str, Footprint], goal: str, camera: Pose
    ) -> tuple[FreeSpace, float]:
        """Occupancy map without the goal's own box, and the height of the floor."""
        open_ = {
            uid
            for uid, one in around.items()
            if uid == goal or uid in self._enclosing or one.surrounds(camera.t)
        }
        closed = [one for uid, one in around.items() if uid not in open_]
        floors = [around[uid] for uid in self._floors & around.keys()]
        # What surrounds the wearer may reach below the floor, as a whole flat does.
        floor_m = floor_height(closed or around.values(), floors)
        return free_space(closed, [around[uid] for uid in sorted(open_)], floor_m), floor_m


def _last_words(*names: str | None) -> set[str]:
    """Last word of each name, without numbers."""
    words = (shown_name(name).rstrip(" 0123456789").split() for name in names if name)
    return {word[-1] for word in words if word}


def _points(points: Sequence[Point]) -> list[dict[str, float]]:
    return [{"x_m": x, "y_m": y} for x, y in points]


def _map_row(space: FreeSpace, floor_m: float, world: str) -> dict[str, Any]:
    """Columns of `free_space`, keys of the recording left out."""
    rows, columns = space.free.shape
    # An occupied cell before the first and a change after the last one make every run whole.
    cells = np.concatenate([[False], space.free.reshape(-1), [not space.free[-1, -1]]])
    ends = np.flatnonzero(np.diff(cells))
    runs = np.diff(ends, prepend=0).tolist()
    numbers = [str(number) for number in (space.row, space.column, rows, columns, *runs)]
    return {
        "map_id": digest([world, f"{floor_m:.6f}", *numbers, *space.in_the_way]),
        "world_frame_id": world,
        "floor_m": floor_m,
        "cell_m": CELL_M,
        "row": space.row,
        "column": space.column,
        "rows": rows,
        "columns": columns,
        "runs": runs,
        "in_the_way": list(space.in_the_way),
    }
