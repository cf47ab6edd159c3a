"""EgoProx's relative exploration: in which direction the way to a goal out of view begins.

The room of `intention_relative` with a floor and a table that stands between the wearer and the kettle.
"""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Any

from scipy.spatial.transform import Rotation

from tests.derivations.egoprox.intention_relative import (
    DEVICE_CAMERA,
    END_S,
    GOAL,
    camera_turn,
    kitchen,
    quaternion,
)
from tests.derivations.world import (
    Fault,
    Row,
    World,
    collect,
    explain,
    option,
    question,
    seconds,
)

UID = "ADT1"
# Round the table's corner at (0.7, -1.0), past its side and back to the kettle at (0, -3).
WAY = ((0.05, -0.05), (0.93, -1.08), (0.95, -1.95), (0.05, -2.95))
SEEN = {"j": ("Jar", 0.9, -3.2), "p": ("Pot", 2.2, -1.9)}


def box(uid: str, name: str, low: tuple[float, ...], high: tuple[float, ...]) -> Row:
    """A box of the room, in the recording's world."""
    ends = {
        f"{axis}_{end}_m": value
        for end, values in (("min", low), ("max", high))
        for axis, value in zip("xyz", values, strict=True)
    }
    return {
        "source": "s",
        "recording_id": UID,
        "object_id": uid,
        "pose": 0,
        "name": name,
        "motion": "static",
        "tx": 0.0,
        "ty": 0.0,
        "tz": 0.0,
        **quaternion(Rotation.identity()),
        **ends,
    }


def path_row(way: tuple[tuple[float, float], ...] = WAY, uid: str = UID) -> Row:
    return {
        "source": "s",
        "recording_id": uid,
        "path_id": f"{uid}|k|10000",
        "object_id": "k",
        "t_s": END_S,
        "waypoints": [{"x_m": x, "y_m": y} for x, y in way],
        "seen_share": 1.0,
        "length_m": sum(math.dist(a, b) for a, b in pairwise(way)),
    }


def room_with_a_table() -> World:
    """The kettle was seen until 4.5 s; at 10 s the way to it leads round a table, front-right at first."""
    tables = kitchen().tables
    floor = box("f", "Floor", (-4.0, -4.0, -0.1), (4.0, 4.0, 0.0))
    table = box("t", "Table", (-2.5, -1.9, 0.0), (0.7, -1.0, 0.7))
    tables["objects_3d"] += [floor, table]
    for uid, (name, x, y) in SEEN.items():
        tables["objects_3d"].append(
            box(uid, name, (x - 0.1, y - 0.1, 0.9), (x + 0.1, y + 0.1, 1.1))
        )
        tables["boxes"] += [
            {
                "source": "s",
                "recording_id": UID,
                "box_id": f"{UID}/{uid}/{t}",
                "object_id": uid,
                "t_s": t,
                "visibility": 0.9,
            }
            for t in seconds(4.5)
        ]
    tables["paths"] = [path_row(), path_row(uid="ADT2")]
    sectors = {"front": 0, "front-right": 1, "back-right": 3, "back": 4, "left": 6}
    options = [
        option(letter, name, name == "front-right", value=str(number))
        for letter, (name, number) in zip("ABCDE", sectors.items(), strict=True)
    ]
    row = question(
        "egoprox",
        "exploration_relative",
        options,
        [dict(kitchen().query)],
        text="Seen from above and relative to the person's viewpoint in the last frame, in which"
        " direction does the person need to walk first to reach the kettle without walking into"
        " anything?",
        answer_text="front-right",
        evidence=[
            {"table": "paths", "key": f"{UID}|k|10000", "role": "answer"},
            {"table": "spatial_facts", "key": f"{UID}/visible/k", "role": "seen"},
        ],
        detailed_answer="The kettle was last in view 5.5 s before the last frame. The way to it has a"
        " bend and is 3.6 m long. Its first 1.4 m lead 49 degrees to the right of the camera's forward"
        " axis on the ground plane: front-right.",
    )
    small = kitchen()
    return World(row, tables, small.groups, frame_times=small.frame_times, seen_s=small.seen_s)


WORLDS = {"exploration_relative": room_with_a_table}
FAULTS: list[Fault] = []
fault = collect(FAULTS)
HERE = "exploration_relative"
# Both subtasks ask about this way.
BOTH = (HERE, "exploration_approximate")


def path(w: World) -> Row:
    return w.tables["paths"][0]


def lead(w: World, *way: tuple[float, float]) -> None:
    """Store another way."""
    path(w).update(path_row(way))


def move(w: World, uid: str, **ends: Any) -> None:
    w.row("objects_3d", object_id=uid).update(ends)


@fault(BOTH, "consistent", "way_barred")
def straight_through_the_table(w: World) -> None:
    lead(w, WAY[0], WAY[-1])


@fault(BOTH, "consistent", "way_barred")
def a_chair_was_put_in_the_way(w: World) -> None:
    w.tables["objects_3d"].append(box("c", "Chair", (0.4, -0.8, 0.0), (0.9, -0.4, 0.9)))


@fault(BOTH, "consistent", "way_longer")
def round_the_far_side_of_the_table(w: World) -> None:
    lead(w, WAY[0], (-2.75, -0.95), (-2.75, -1.95), WAY[-1])


@fault(BOTH, "margin", "another_way")
def the_table_is_as_wide_on_this_side(w: World) -> None:
    move(w, "t", x_min_m=-0.7, x_max_m=2.0)


@fault(BOTH, "margin", "another_way")
def the_table_was_moved_away(w: World) -> None:
    move(w, "t", x_min_m=-3.5, x_max_m=-1.5)


@fault(BOTH, "consistent", "way_starts_elsewhere")
def the_way_starts_beside_the_wearer(w: World) -> None:
    lead(w, (0.5, 0.2), *WAY[1:])


@fault(BOTH, "consistent", "way_ends_elsewhere")
def the_way_ends_before_the_goal(w: World) -> None:
    lead(w, *WAY[:3])


@fault(BOTH, "consistent", "way_ends_elsewhere")
def the_goal_was_carried_away(w: World) -> None:
    move(w, "k", ty=GOAL[1] + 5.0)


@fault(BOTH, "margin", "way_seen")
def a_wall_may_stand_where_nothing_was_seen(w: World) -> None:
    w.tables["boxes"] = [b for b in w.tables["boxes"] if b["object_id"] not in SEEN]


@fault(BOTH, "margin", "way_seen")
def things_were_seen_in_part_only(w: World) -> None:
    for row in w.tables["boxes"]:
        if row["object_id"] in SEEN:
            row["visibility"] = 0.3


@fault(BOTH, "margin", "way_seen")
def things_were_seen_on_one_side_only(w: World) -> None:
    w.tables["boxes"] = [b for b in w.tables["boxes"] if b["object_id"] != "j"]


@fault(BOTH, "margin", "way_seen")
def a_post_may_stand_where_the_way_is_too_narrow(w: World) -> None:
    # The pot is seen along the first leg: nobody fits between this line and the jar's.
    move(w, "p", x_min_m=1.8, x_max_m=2.0, y_min_m=-2.2, y_max_m=-2.0)


@fault(BOTH, "margin", "way_length")
def the_goal_is_at_hand(w: World) -> None:
    w.tables["objects_3d"] = [r for r in w.tables["objects_3d"] if r["object_id"] != "t"]
    move(w, "k", tx=0.5, ty=-0.6)
    lead(w, WAY[0], (0.45, -0.55))


@fault(BOTH, "margin", "goal_out_of_reach")
def what_can_be_reached_over_the_table_is_walked_to(w: World) -> None:
    move(w, "k", tx=0.1, ty=-0.75)
    lead(w, WAY[0], (0.95, -0.6))


@fault(BOTH, "margin", "first_leg")
def the_first_leg_is_a_step_aside(w: World) -> None:
    lead(w, WAY[0], (0.2, -0.35), *WAY[1:])


@fault(HERE, "margin", "sector_border")
def the_first_leg_lies_near_a_border(w: World) -> None:
    for row in w.tables["camera_poses"]:
        turn = Rotation.from_euler("z", 22.0, degrees=True) * camera_turn(row["t_s"])
        row.update(quaternion(turn * DEVICE_CAMERA.inv()))


@fault(HERE, "margin", "neighbours")
def both_neighbours_of_the_first_leg_among_the_options(w: World) -> None:
    next(o for o in w.options if o["text"] == "back").update(text="right", value="2")


@fault(BOTH, "consistent", "no_way")
def no_way_is_stored(w: World) -> None:
    w.tables["paths"] = []
    w.question["evidence"] = w.question["evidence"][1:]


@fault(BOTH, "consistent", "no_way")
def the_way_is_that_of_another_instant(w: World) -> None:
    path(w)["t_s"] = END_S - 1.0


@fault(BOTH, "explanation", "contradicted")
def explanation_turns_the_way_around(w: World) -> None:
    explain(w, "to the right of", "to the left of")


@fault(BOTH, "explanation", "contradicted")
def explanation_tells_another_angle(w: World) -> None:
    explain(w, "49 degrees", "54 degrees")


@fault(BOTH, "explanation", "contradicted")
def explanation_calls_the_way_straight(w: World) -> None:
    explain(w, "has a bend", "is straight")


@fault(BOTH, "explanation", "contradicted")
def explanation_tells_another_length(w: World) -> None:
    explain(w, "3.6 m", "4.6 m")


@fault(BOTH, "explanation", "contradicted")
def explanation_tells_another_first_leg(w: World) -> None:
    explain(w, "1.4 m", "2.4 m")
