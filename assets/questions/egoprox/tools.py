"""The tools of EgoProx's planner (4.2, C.2), each a look at what a stage has stored.

No tool measures anything: the functions named in `made_by` did, when the stages ran, and what a tool hands out are their
rows. All are asked about the last frame of a question's clip, and tell seconds from the start of that clip.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from assets.keysteps.order import OrderUnknownError, TooManyOrdersError, valid_orders
from assets.questions.egoprox.goals import fact_at, span_end
from assets.questions.egoprox.scene import Scene, end_of
from assets.questions.kit.directions import LETTERS, NAMES
from assets.questions.kit.names import words
from assets.questions.kit.recipe import Row
from assets.scene_graphs.directions import direction
from assets.scene_graphs.rotation import Pose

# What happens later than this after the clip is another event.
_SOON_S = 2.0


@dataclass(frozen=True, slots=True)
class Result:
    """What a tool hands out.

    Attributes:
        output: Values by name; `known` is false where nothing is stored.
        rows: Keys of the rows it rests on, as `table:key`.
        turn_deg: Direction it found, right positive from the camera's axis; None if it is not asked for one.
        distance_m: Distance that goes with it.
        orders: Valid orders with their directions, by numbers of candidates and letters.
    """

    output: Mapping[str, Any]
    rows: tuple[str, ...] = ()
    turn_deg: float | None = None
    distance_m: float | None = None
    orders: tuple[tuple[tuple[int, ...], tuple[str, ...]], ...] = ()


UNKNOWN = Result({"known": False})


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool.

    Attributes:
        about: What it tells, in the words that a model chooses by.
        made_by: Functions whose stored results it hands out, as `module.name`.
        call: Its result about a question; `thing` is the id of the object asked about, empty for tools without one.
        takes_thing: Whether it is asked about a thing.
    """

    about: str
    made_by: tuple[str, ...]
    call: Callable[[Scene, Row, str], Result]
    takes_thing: bool = True


# -- one function for each tool ----------------------------------------------------------------------


def _facts(scene: Scene, thing: str, *operators: str) -> list[Row]:
    found = [
        fact
        for fact in scene.facts.values()
        if fact["object_id"] == thing and fact["operator"] in operators
    ]
    return sorted(found, key=lambda fact: (fact["t_s"], fact["fact_id"]))


def _keys(facts: Sequence[Row]) -> tuple[str, ...]:
    return tuple(f"spatial_facts:{fact['fact_id']}" for fact in facts)


def _visibility(scene: Scene, question: Row, thing: str) -> Result:
    start_s, end_s = question["media"][0]["start_s"], end_of(question)
    spans = [
        fact
        for fact in _facts(scene, thing, "visible")
        if fact["t_s"] <= end_s and span_end(fact) >= start_s
    ]
    seen = [
        f"{max(0.0, fact['t_s'] - start_s):.1f} to {min(end_s, span_end(fact)) - start_s:.1f}"
        for fact in spans
    ]
    return Result(
        {
            "in_view_s": seen,
            "in_view_at_the_end": any(span_end(fact) >= end_s for fact in spans),
        },
        _keys(spans),
    )


def _next(scene: Scene, question: Row, thing: str, *operators: str) -> Row | None:
    """The first such event soon after the clip."""
    end_s = end_of(question)
    events = _facts(scene, thing, *operators)
    return next((e for e in events if end_s <= e["t_s"] <= end_s + _SOON_S), None)


def _gaze(scene: Scene, question: Row, thing: str) -> Result:
    event = _next(scene, question, thing, "fixation")
    if event is None:
        return UNKNOWN
    later_s = round(event["t_s"] - end_of(question), 2)
    return Result({"is_looked_at_after_s": later_s}, _keys([event]))


def _affordance(scene: Scene, question: Row, thing: str) -> Result:
    event = _next(scene, question, thing, "afford", "place") or _next(
        scene, question, thing, "contact"
    )
    if event is None:
        return UNKNOWN
    happens = {"afford": "taken", "place": "put down", "contact": "touched"}[event["operator"]]
    output = {"is": happens, "after_s": round(event["t_s"] - end_of(question), 2)}
    output |= {} if event["hand_side"] is None else {"hand": event["hand_side"]}
    return Result(output, _keys([event]))


def _measured(scene: Scene, question: Row, thing: str, turn: str, far: str) -> Result:
    at_s = end_of(question)
    found = [fact_at(_facts(scene, thing, operator), at_s) for operator in (turn, far)]
    if found[0] is None:
        return UNKNOWN
    turn_deg, distance_m = (None if fact is None else float(fact["value"]) for fact in found)
    assert turn_deg is not None
    return Result(
        _direction(turn_deg, distance_m),
        _keys([fact for fact in found if fact is not None]),
        turn_deg,
        distance_m,
    )


def _direction(turn_deg: float, distance_m: float | None) -> dict[str, Any]:
    side = "right" if turn_deg >= 0 else "left"
    output: dict[str, Any] = {"turn_deg": round(abs(turn_deg), 1), "to_the": side}
    return output | ({} if distance_m is None else {"distance_m": round(distance_m, 2)})


def _calculator(scene: Scene, question: Row, thing: str) -> Result:
    return _measured(scene, question, thing, "bearing", "distance")


def _displacement(scene: Scene, question: Row, thing: str) -> Result:
    return _measured(scene, question, thing, "displacement_bearing", "displacement")


def _map(scene: Scene, question: Row, thing: str) -> Result:
    path = scene.path_to(thing, end_of(question))
    space = None if path is None else scene.maps.get(path["map_id"])
    if space is None:
        return UNKNOWN
    cells = np.array(space["runs"])
    free_m2 = float(cells[1::2].sum()) * space["cell_m"] ** 2
    output = {
        "map": space["map_id"],
        "free_floor_m2": round(free_m2, 1),
        "things_in_the_way": len(space["in_the_way"]),
    }
    return Result(output, (f"free_space:{space['map_id']}",))


def _way(scene: Scene, question: Row, thing: str) -> Result:
    path = scene.path_to(thing, end_of(question))
    seen = scene.camera_at(end_of(question))
    if path is None or seen is None:
        return UNKNOWN
    points = [np.array([point["x_m"], point["y_m"], 0.0]) for point in path["waypoints"]]
    leg = direction(seen[0], points[1])
    if leg is None:
        return UNKNOWN
    distance_m = math.dist(points[1][:2], seen[0].t[:2])
    output = _direction(leg.bearing_deg, distance_m) | {
        "way_m": round(sum(math.dist(one, other) for one, other in pairwise(points)), 2),
        "bends": len(points) - 2,
    }
    return Result(output, (f"paths:{path['path_id']}", seen[1]), leg.bearing_deg, distance_m)


def _following(scene: Scene, question: Row) -> Iterator[tuple[int, Row]]:
    """Keysteps after the clip that are candidates, each with its number, in the order of their starts."""
    numbers = {c["value"]: c["number"] for c in question["candidates"] or ()}
    later = [s for s in scene.steps.values() if s["start_s"] >= end_of(question)]
    for step in sorted(later, key=lambda step: (step["start_s"], step["segment_id"])):
        if str(step["class_id"]) in numbers:
            yield numbers[str(step["class_id"])], step


def _chain(scene: Scene, question: Row) -> list[tuple[int, Row]]:
    """As many of them as a valid answer has."""
    lines = (question["answer_text"] or "").splitlines()
    return list(_following(scene, question))[: question_length(lines)]


def question_length(lines: Sequence[str]) -> int:
    """Number of steps of a chain, by the valid answers as stored: `[[8, 7, 3], ["F", "A"]]`."""
    return 0 if not lines else lines[0].split("]")[0].count(",") + 1


def _keysteps(scene: Scene, question: Row, _thing: str) -> Result:
    chain = _chain(scene, question)
    if not chain:
        return UNKNOWN
    names = [f"{number}: {step['class_name']}" for number, step in chain]
    return Result({"next": names}, tuple(f"segments:{step['segment_id']}" for _, step in chain))


def _chains(scene: Scene, question: Row, _thing: str) -> Result:
    chain = _chain(scene, question)
    seen = scene.camera_at(end_of(question))
    places = {number: scene.places.get(step["segment_id"]) for number, step in chain}
    if not chain or seen is None or None in places.values():
        return UNKNOWN
    number = {int(step["class_id"]): n for n, step in chain}
    try:
        orders = valid_orders([*number], scene.observed)
    except (OrderUnknownError, TooManyOrdersError) as error:
        return Result({"known": False, "why": str(error)})
    found = []
    for order in sorted(orders, key=lambda order: (order != tuple(number), order)):
        numbers = tuple(number[step] for step in order)
        letters = tuple(_letter(places, seen[0], pair) for pair in pairwise(numbers))
        found.append((numbers, letters))
    shown = [
        " ".join(
            [str(numbers[0])]
            + [f"{_named(letter)} {n}" for letter, n in zip(letters, numbers[1:], strict=True)]
        )
        for numbers, letters in found
    ]
    rows = [f"step_places:{step['segment_id']}" for _, step in chain]
    return Result({"valid_orders": shown}, (*rows, seen[1]), orders=tuple(found))


def _letter(places: Mapping[int, Row | None], camera: Pose, pair: tuple[int, int]) -> str:
    one, other = (np.array([places[n][f"{a}_m"] for a in "xyz"]) for n in pair)  # type: ignore[index]
    seen = direction(Pose(one, camera.q), other)
    return "?" if seen is None else LETTERS[seen.sector]


def _named(letter: str) -> str:
    return letter if letter not in LETTERS else f"({letter}, {NAMES[LETTERS.index(letter)]})"


TOOLS: Mapping[str, Tool] = {
    "visibility": Tool(
        "when a thing is in view during the clip, and whether at its end",
        (
            "assets.scene_graphs.visibility.seen_by_boxes",
            "assets.scene_graphs.visibility.seen_by_projection",
        ),
        _visibility,
    ),
    "gaze_parser": Tool(
        "whether the wearer looks at a thing soon after the clip",
        ("assets.scene_graphs.gaze.first_hits", "assets.scene_graphs.gaze.fixations"),
        _gaze,
    ),
    "affordance_detector": Tool(
        "whether a thing is taken, put down or touched soon after the clip",
        (
            "assets.scene_graphs.contacts.contacts",
            "assets.scene_graphs.placements.takings",
            "assets.scene_graphs.placements.placements",
        ),
        _affordance,
    ),
    "spatial_calculator": Tool(
        "direction and distance of a thing from the camera",
        ("assets.scene_graphs.directions.direction",),
        _calculator,
    ),
    "displacement_calculator": Tool(
        "direction and distance from where a thing is to where it will be put",
        ("assets.scene_graphs.directions.direction",),
        _displacement,
    ),
    "occupancy_map": Tool(
        "the floor that a person can walk on, as far as a thing's own box is not in the way",
        ("assets.navigation.occupancy.free_space",),
        _map,
    ),
    "path_planner": Tool(
        "direction and length of the first leg of the way to a thing",
        ("assets.navigation.planner.shortest_way", "assets.navigation.steps.straightened"),
        _way,
    ),
    "keystep_extractor": Tool(
        "the keysteps that follow the clip",
        ("assets.sources.egoexo4d.segments.read_segments",),
        _keysteps,
        takes_thing=False,
    ),
    "chain_constructor": Tool(
        "all valid orders of these keysteps, with the direction from each to the next",
        (
            "assets.keysteps.order.valid_orders",
            "assets.keysteps.places.step_places",
            "assets.scene_graphs.directions.direction",
        ),
        _chains,
        takes_thing=False,
    ),
}
"""Tools by name."""


def name_of(scene: Scene, thing: str) -> str:
    """A thing's name as questions tell it."""
    known = scene.things.get(thing)
    return "" if known is None else " ".join(words(known.name))
