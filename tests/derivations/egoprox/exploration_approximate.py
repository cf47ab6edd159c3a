"""EgoProx's approximate exploration: intervals of the turn and of the first leg of a way out of view.

The room, the way and most that can be wrong with them are those of `exploration_relative`.
"""

from __future__ import annotations

from scipy.spatial.transform import Rotation

from tests.derivations.egoprox import exploration_relative as relative
from tests.derivations.egoprox.intention_relative import DEVICE_CAMERA, camera_turn, quaternion
from tests.derivations.world import Fault, World, collect, explain, key_to, option

# Directions lie two bins apart; the way begins 49 degrees to the right and bends after 1.4 m.
OPTIONS = (
    ("75 to 105 degrees to the left", "-105 to -75 deg", "1 to 1.5 m"),
    ("45 to 75 degrees to the right", "45 to 75 deg", "1 to 1.5 m"),
    ("105 to 135 degrees to the right", "105 to 135 deg", "2 to 3 m"),
    ("at least 165 degrees to either side", "165 to 195 deg", "1 to 1.5 m"),
    ("15 to 45 degrees to the left", "-45 to -15 deg", "2 to 3 m"),
)
RIGHT = 1


def room_with_a_table() -> World:
    """The room of the relative subtask, asked about by intervals."""
    world = relative.room_with_a_table()
    options = [
        option("ABCDE"[n], f"{turn}, {distance}", n == RIGHT, value=f"{value}, {distance}")
        for n, (turn, value, distance) in enumerate(OPTIONS)
    ]
    row = world.question
    row.update(
        subtask="exploration_approximate",
        recipe="exploration_approximate@1",
        pool="s/exploration_approximate@1/unit",
        options=options,
        answer="ABCDE"[RIGHT],
        answer_text=options[RIGHT]["text"],
        text=row["text"].replace("?", ", and how far before the way bends or ends?"),
        detailed_answer=row["detailed_answer"].replace(": front-right.", "."),
    )
    world.rehash()
    return world


WORLDS = {"exploration_approximate": room_with_a_table}
FAULTS: list[Fault] = []
fault = collect(FAULTS)
HERE = "exploration_approximate"


def reoption(w: World, letter: str, turn: str, distance: str, value: str) -> None:
    one = next(o for o in w.options if o["letter"] == letter)
    one.update(text=f"{turn}, {distance}", value=f"{value}, {distance}")


def turn_camera(w: World, degrees: float) -> None:
    for row in w.tables["camera_poses"]:
        turn = Rotation.from_euler("z", degrees, degrees=True) * camera_turn(row["t_s"])
        row.update(quaternion(turn * DEVICE_CAMERA.inv()))


@fault(HERE, "answer", "wrong_key")
def way_to_the_other_side(w: World) -> None:
    key_to(w, "A")


@fault(HERE, "answer", "wrong_key")
def length_of_the_whole_way_for_the_first_leg(w: World) -> None:
    reoption(w, "B", "45 to 75 degrees to the right", "3 to 4 m", "45 to 75 deg")
    w.question["answer_text"] = "45 to 75 degrees to the right, 3 to 4 m"


@fault(HERE, "answer", "wrong_key")
def interval_of_the_goal_itself(w: World) -> None:
    reoption(w, "C", "75 to 105 degrees to the right", "3 to 4 m", "75 to 105 deg")
    key_to(w, "C")


@fault(HERE, "margin", "turn_edge")
def the_first_leg_lies_near_an_edge(w: World) -> None:
    turn_camera(w, -3.0)


@fault(HERE, "margin", "distance_edge")
def the_first_leg_is_nearly_as_long_as_the_next_interval(w: World) -> None:
    relative.lead(w, relative.WAY[0], (0.94, -1.14), *relative.WAY[2:])


@fault(HERE, "margin", "another_bend")
def the_way_bends_much_earlier_than_it_needs(w: World) -> None:
    relative.lead(w, relative.WAY[0], (0.5, -0.65), *relative.WAY[1:])
    reoption(w, "B", "45 to 75 degrees to the right", "0.5 to 1 m", "45 to 75 deg")
    w.question["answer_text"] = "45 to 75 degrees to the right, 0.5 to 1 m"
    explain(w, "first 1.4 m lead 49", "first 0.8 m lead 52")


@fault(HERE, "margin", "intervals_touch")
def first_legs_in_neighbouring_directions(w: World) -> None:
    reoption(w, "C", "75 to 105 degrees to the right", "2 to 3 m", "75 to 105 deg")


@fault(HERE, "margin", "intervals_touch")
def first_legs_that_differ_by_length_alone(w: World) -> None:
    reoption(w, "C", "45 to 75 degrees to the right", "3 to 4 m", "45 to 75 deg")
