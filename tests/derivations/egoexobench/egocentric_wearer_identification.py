"""EgoExoBench's wearer identification, answered by who wears the query's camera."""

from __future__ import annotations

from tests.derivations.people import (
    NUMBERS,
    Row,
    asked,
    boxed,
    boxes,
    camera,
    clock,
    clocks_named,
    evidence,
    images,
    options_of,
    world,
)
from tests.derivations.world import Fault, World, collect, explain

TEXT = (
    "Which boxed person in the third-person view is the camera wearer who captured the egocentric"
    " video?"
)
EXPLANATION = (
    "The egocentric video is pictures 3 to 10 of 7_1, a camera that person 7/1 wears. The box in"
    " candidate video B is around that person, in pictures 3 to 10 of 7_T. The boxes in the other"
    " candidates are around other people: A 7/3, C 7/2, D 7/4."
)
PEOPLE_OF = dict(zip("ABCD", (3, 1, 2, 4), strict=True))
MOMENT = NUMBERS[4]


def _listed(number: int, wearer: int, people: tuple[int, ...] = (2, 1, 4, 3, 5)) -> Row:
    return {
        "source": "s",
        "recording_id": "7_T",
        "source_frame": number,
        "ego_recording_id": f"7_{wearer}",
        "wearer_id": f"7/{wearer}",
        "people": [f"7/{n}" for n in people],
        "raw": "".join(map(str, people)),
        "split": "val",
    }


def by_the_worn_camera() -> World:
    uids = ("7_1", "7_2", "7_T", "8_T")
    tables = {
        "recordings": [
            camera("7_1", "ego", "7/1"),
            camera("7_2", "ego", "7/2"),
            camera("7_T", "exo"),
            camera("8_T", "exo"),
        ],
        "clocks": [clock(uid) for uid in uids],
        "images": [row for uid in uids for row in images(uid)],
        "boxes": [*boxes("7_T", (1, 2, 3, 4, 5)), *boxes("8_T", (1, 2, 3, 4))],
        "listed_people": [_listed(n, wearer) for n in NUMBERS for wearer in (1, 2)],
    }
    media = [boxed("query", "7_1", None, "red")]
    media += [boxed(f"option_{x}", "7_T", person, "red") for x, person in PEOPLE_OF.items()]
    rows = clocks_named("7_1", "7_T")
    rows.append({"table": "listed_people", "key": f"7_T/{MOMENT}/7_1", "role": "pair"})
    for letter, person in PEOPLE_OF.items():
        rows += evidence("7_T", person, f"option_{letter}")
    row = asked(
        "egocentric_wearer_identification",
        options_of("B"),
        media,
        text=TEXT,
        detailed_answer=EXPLANATION,
        evidence=rows,
    )
    return world(row, tables, "8_T")


WORLDS = {"wearer_identification": by_the_worn_camera}
FAULTS: list[Fault] = []
fault = collect(FAULTS)


def pair(w: World) -> Row:
    return w.row("listed_people", source_frame=MOMENT, ego_recording_id="7_1")


@fault("wearer_identification", "consistent", "wearer_not_listed")
def list_lacks_the_wearer(w: World) -> None:
    pair(w)["people"] = ["7/2", "7/3", "7/4", "7/5"]


@fault("wearer_identification", "consistent", "too_few_people")
def list_of_three(w: World) -> None:
    pair(w)["people"] = ["7/1", "7/2", "7/3"]


@fault("wearer_identification", "consistent", "person_not_listed")
def list_lacks_a_candidate(w: World) -> None:
    pair(w)["people"] = ["7/1", "7/2", "7/3", "7/5"]


@fault("wearer_identification", "consistent", "pair_not_listed")
def pair_is_not_listed(w: World) -> None:
    w.tables["listed_people"].remove(pair(w))


@fault("wearer_identification", "consistent", "another_wearer")
def list_names_another_wearer(w: World) -> None:
    pair(w)["wearer_id"] = "7/2"


@fault("wearer_identification", "answer", "wrong_key")
def the_other_camera_is_shown(w: World) -> None:
    """The query is the second wearer's, the key stays with the first."""
    w.query.update(recording_id="7_2", content="hash-7_2")
    w.question["recording_id"] = "7_2"


@fault("wearer_identification", "distractors", "second_right")
def the_other_wearer_is_right_then(w: World) -> None:
    w.row("recordings", recording_id="7_1")["person_id"] = "7/2"


@fault("wearer_identification", "consistent", "one_wearer")
def nobody_among_the_options_wears_the_camera(w: World) -> None:
    w.row("recordings", recording_id="7_1")["person_id"] = "7/5"


@fault("wearer_identification", "consistent", "drawn_on")
def a_box_drawn_in_the_wearers_pictures(w: World) -> None:
    w.query["overlays"] = [dict(w.medium("option_B")["overlays"][0])]


@fault("wearer_identification", "explanation", "contradicted")
def explanation_names_another_wearer(w: World) -> None:
    explain(w, "that person 7/1 wears", "that person 7/2 wears")
