"""EgoProx's approximate intention: by how much the wearer must turn to look towards a goal.

The kitchen of `intention_relative`; the kettle is 90 degrees to the right.
"""

from __future__ import annotations

import math

from tests.derivations.egoprox.intention_relative import GOAL, goal_at, kitchen, told
from tests.derivations.world import Fault, World, collect, explain, key_to, option

HERE = "intention_approximate"
TURNS = (
    ("75 to 105 degrees to the left", "-105 to -75 deg"),
    ("15 to 45 degrees to the left", "-45 to -15 deg"),
    ("15 to 45 degrees to the right", "15 to 45 deg"),
    ("75 to 105 degrees to the right", "75 to 105 deg"),
    ("at least 165 degrees to either side", "165 to 195 deg"),
)
RIGHT = 3


def kitchen_of_turns() -> World:
    """The kettle was seen until 4 s, is 90 degrees to the right at 10 s, and is looked at from 11 s."""
    world = kitchen()
    options = [
        option("ABCDE"[n], text, n == RIGHT, value=value) for n, (text, value) in enumerate(TURNS)
    ]
    row = world.question
    row |= {
        "subtask": HERE,
        "recipe": f"{HERE}@1",
        "pool": row["pool"].replace("intention_relative", HERE),
        "answer": "ABCDE"[RIGHT],
        "answer_text": TURNS[RIGHT][0],
        "options": options,
        "text": "Seen from above and relative to the person's viewpoint in the last frame, by how much and"
        " to which side does the person need to turn to look towards the kettle?",
        "detailed_answer": row["detailed_answer"].replace(": right.", f": {TURNS[RIGHT][0]}."),
    }
    world.rehash()
    return world


WORLDS = {HERE: kitchen_of_turns, f"{HERE}_narrated": lambda: told(kitchen_of_turns())}
FAULTS: list[Fault] = []
fault = collect(FAULTS)


def reoption(w: World, letter: str, text: str, value: str) -> None:
    next(o for o in w.options if o["letter"] == letter).update(text=text, value=value)


def turn_goal(w: World, turn_deg: float) -> None:
    """Put the goal elsewhere, at its distance from the wearer."""
    turn = math.radians(turn_deg)
    goal_at(w, -GOAL[1] * math.cos(turn), GOAL[1] * math.sin(turn))


@fault(HERE, "answer", "wrong_key")
def turn_to_the_other_side(w: World) -> None:
    key_to(w, "A")


@fault(HERE, "answer", "wrong_key")
def goal_carried_one_interval_further(w: World) -> None:
    turn_goal(w, 120.0)


@fault(HERE, "margin", "turn_edge")
def turn_near_the_end_of_its_interval(w: World) -> None:
    turn_goal(w, 103.0)


@fault(HERE, "margin", "turn_edge")
def turn_between_two_intervals_offered(w: World) -> None:
    turn_goal(w, 106.0)


@fault(HERE, "margin", "intervals_touch")
def neighbouring_turns_offered(w: World) -> None:
    reoption(w, "C", "45 to 75 degrees to the right", "45 to 75 deg")


@fault(HERE, "margin", "intervals_touch")
def wider_interval_beside_the_right_one(w: World) -> None:
    reoption(w, "C", "15 to 60 degrees to the right", "15 to 60 deg")


@fault(HERE, "distractors", "second_right")
def wide_interval_around_the_right_one(w: World) -> None:
    reoption(w, "C", "15 to 120 degrees to the right", "15 to 120 deg")


@fault(HERE, "consistent", "value_differs_from_text")
def value_of_the_other_side(w: World) -> None:
    reoption(w, "C", "15 to 45 degrees to the right", "-45 to -15 deg")


@fault(HERE, "explanation", "contradicted")
def explanation_tells_another_interval(w: World) -> None:
    explain(w, TURNS[RIGHT][0], TURNS[2][0])


@fault(HERE, "explanation", "contradicted")
def explanation_tells_an_interval_not_offered(w: World) -> None:
    explain(w, TURNS[RIGHT][0], "60 to 120 degrees to the right")
