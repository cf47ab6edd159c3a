"""EgoExoBench's person relation, answered by the boxes that are drawn."""

from __future__ import annotations

from tests.derivations.people import (
    asked,
    box_of,
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
    "Which candidate video most accurately matches the person (within the bbox) in the query video?"
)
EXPLANATION = (
    "The box in the query video is around person T/2, in pictures 3 to 10 of T_hor. The box in candidate"
    " video C is around the same person, in pictures 3 to 10 of T_top. The boxes in the other candidates"
    " are around other people: A T/4, B T/1, D T/3."
)
PEOPLE_OF = dict(zip("ABCD", (4, 1, 2, 3), strict=True))


def by_the_drawn_boxes() -> World:
    """Person 0 wears the camera; 5 is seen from above alone."""
    uids = ("T_hor", "T_top", "U_top")
    tables = {
        "recordings": [
            camera("T_hor", "ego", "T/0"),
            camera("T_top", "exo"),
            camera("U_top", "exo"),
        ],
        "clocks": [clock(uid) for uid in uids],
        "images": [row for uid in uids for row in images(uid)],
        "boxes": [
            *boxes("T_hor", (1, 2, 3, 4)),
            *boxes("T_top", (0, 1, 2, 3, 4, 5)),
            *boxes("U_top", (0, 1, 2, 3, 4)),
        ],
        "listed_people": [],
    }
    media = [boxed("query", "T_hor", 2, "blue")]
    media += [boxed(f"option_{x}", "T_top", person, "blue") for x, person in PEOPLE_OF.items()]
    rows = [*clocks_named("T_hor", "T_top"), *evidence("T_hor", 2, "query")]
    for letter, person in PEOPLE_OF.items():
        rows += evidence("T_top", person, f"option_{letter}")
    row = asked(
        "person_relation",
        options_of("C"),
        media,
        text=TEXT,
        detailed_answer=EXPLANATION,
        evidence=rows,
    )
    return world(row, tables, "U_top")


WORLDS = {"person_relation": by_the_drawn_boxes}
FAULTS: list[Fault] = []
fault = collect(FAULTS)


def give_to(w: World, letter: str, person: int) -> None:
    """Box another person under a letter, in every place that says who it is."""
    role = f"option_{letter}"
    shown = w.medium(role)
    shown.update(boxed(role, "T_top", person, "blue"))
    kept = [e for e in w.question["evidence"] if e["role"] != role]
    w.question["evidence"] = kept + evidence("T_top", person, role)
    explain(w, f"{letter} T/{PEOPLE_OF[letter]}", f"{letter} T/{person}")


@fault("person_relation", "consistent", "wearer_among_options")
def the_wearer_is_an_option(w: World) -> None:
    give_to(w, "A", 0)


@fault("person_relation", "consistent", "not_in_both_views")
def a_candidate_is_out_of_the_wearers_view(w: World) -> None:
    give_to(w, "A", 5)


@fault("person_relation", "consistent", "not_in_both_views")
def a_candidate_leaves_the_wearers_view(w: World) -> None:
    gone = w.row("boxes", recording_id="T_hor", person_id="T/4", source_frame=8)
    w.tables["boxes"].remove(gone)


@fault("person_relation", "answer", "wrong_key")
def people_are_numbered_anew_in_one_view(w: World) -> None:
    """As in takes that share the pictures from above and differ in who wears the camera."""
    new = {"T/1": "T/2", "T/2": "T/3", "T/3": "T/1"}
    for row in w.tables["boxes"]:
        if row["recording_id"] == "T_top":
            row["person_id"] = new.get(row["person_id"], row["person_id"])


@fault("person_relation", "margin", "query_box_clear")
def two_people_in_the_querys_box(w: World) -> None:
    mine = w.row("boxes", recording_id="T_hor", person_id="T/2", source_frame=6)
    other = w.row("boxes", recording_id="T_hor", person_id="T/3", source_frame=6)
    other.update(x_min=mine["x_min"] + 0.02, x_max=mine["x_max"] + 0.02)


@fault("person_relation", "margin", "box_height")
def the_query_boxes_a_speck(w: World) -> None:
    row = box_of(w, w.query, 1)
    row["y_max"] = row["y_min"] + 0.02
    w.query["overlays"][1]["y_max"] = row["y_max"]


@fault("person_relation", "consistent", "picture_without_box")
def nobody_is_boxed_in_the_query(w: World) -> None:
    w.query["overlays"] = []


@fault("person_relation", "consistent", "mark_without_evidence")
def query_boxes_where_the_person_is_from_above(w: World) -> None:
    for drawn, above in zip(w.query["overlays"], w.medium("option_C")["overlays"], strict=True):
        drawn.update({side: above[side] for side in ("x_min", "y_min", "x_max", "y_max")})


@fault("person_relation", "explanation", "contradicted")
def explanation_names_another_person(w: World) -> None:
    explain(w, "around person T/2", "around person T/3")
