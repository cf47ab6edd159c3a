"""A cup that is put on a table and later into a sink: small worlds about places, and their faults."""

from __future__ import annotations

from collections.abc import Sequence

from tests.derivations.scene import Act, add_place, does, evidence, rationale, scene_tables
from tests.derivations.world import (
    EXPLAINED,
    STEPS,
    WORDS,
    Fault,
    Row,
    World,
    collect,
    explain,
    medium,
    option,
    question,
    seconds,
)

# Questions about a place of the cup.
PLACES = "places of a cup"
Step = tuple[str, list[str]]
Evidence = tuple[str, str, str]
ACTS = (
    Act("take", "cup", 2.5, 3.5, "right hand"),
    Act("put", "cup", 4.0, 5.0, "right hand"),
    Act("cut", "bread", 6.0, 7.0, "left hand", tool="knife"),
    Act("grab", "cup", 9.0, 10.0, "right hand"),
    Act("lay", "cup", 11.0, 12.0, "left hand"),
    Act("close", "jar", 15.0, 16.0),
)
FAULTS: list[Fault] = []
fault = collect(FAULTS)


def tables_of() -> dict[str, list[Row]]:
    """The wearer takes a cup from a shelf, puts it on a table, grabs it and lays it into a sink; a box stands by."""
    tables = scene_tables(ACTS)
    add_place(tables, "take", "cup", ("from", "shelf", "at"), (2.5, 2.5))
    add_place(tables, "put", "cup", ("on", "table", "on"), (5.0, 9.0))
    add_place(tables, "lay", "cup", ("in", "sink", "in"), (12.0, 16.0))
    add_place(tables, "cut", "bread", ("on", "box", "on"), (0.0, 0.0))
    # What is cut on a box is not claimed to be there.
    tables["graph_edges"] = [e for e in tables["graph_edges"] if not e["edge_id"].endswith("box")]
    return tables


def told(verb: str, start_s: float, clip_start_s: float) -> Step:
    """The step about an action on the cup that lasts a second."""
    hand = next(act.hand for act in ACTS if act.verb == verb)
    at = start_s - clip_start_s
    return (
        f"From {at:.1f} s to {at + 1:.1f} s of the clip, the camera wearer"
        f" {does(verb)} the cup with the {hand}.",
        [
            f"graph_edges:C1/{verb}/acts_on/cup",
            f"graph_edges:C1/{verb}/does/{verb}",
            f"graph_edges:C1/{verb}/with/{hand}",
        ],
    )


def contact(verb: str, number: int) -> list[Evidence]:
    """Evidence of an action on the cup."""
    hand = next(act.hand for act in ACTS if act.verb == verb)
    return [
        ("graph_edges", f"C1/{verb}/acts_on/cup", f"contact_{number}"),
        ("segments", f"C1/{verb}", f"contact_{number}"),
        ("graph_edges", f"C1/{verb}/does/{verb}", f"action_{number}"),
        ("graph_edges", f"C1/{verb}/with/{hand}", f"hand_{number}"),
    ]


def about_places(
    subtask: str,
    text: str,
    options: str,
    clip: tuple[float, float],
    rows: Sequence[Evidence],
    steps: Sequence[Step],
    seen_s: tuple[float, float],
) -> World:
    """A question whose options are places.

    Args:
        subtask: The subtask.
        text: The question.
        options: Places, in the order of the letters; the second is right.
        clip: Start and end of the clip.
        rows: Evidence, without that of the options.
        steps: The rationale.
        seen_s: Start and end of the frames that show what the answer rests on.
    """
    places = options.split()
    made = [
        option(letter, place, letter == "B", value=f"C1/object/{place}")
        for letter, place in zip("ABCD", places, strict=True)
    ]
    row = question(
        "egocot",
        subtask,
        made,
        [medium("query", "C1", *clip, sampling="endpoints(16)")],
        text=text,
        answer_text=places[1],
        evidence=evidence(
            *rows,
            *(
                ("graph_nodes", f"C1/object/{place}", f"option_{letter}")
                for letter, place in zip("ABCD", places, strict=True)
            ),
        ),
        rationale=rationale(*steps),
    )
    row["detailed_answer"] = " ".join(step["text"] for step in row["rationale"])
    return World(
        row,
        tables_of(),
        frozenset({WORDS, EXPLAINED, STEPS, PLACES}),
        frame_times={u: seconds(20.0) for u in ("C1", "C2")},
        seen_s=seen_s,
    )


def move(w: World, verb: str, start_s: float, end_s: float) -> None:
    """Let an action take place at another time."""
    w.row("segments", segment_id=f"C1/{verb}").update(start_s=start_s, end_s=end_s)


def becomes(w: World, verb: str, other: str) -> None:
    """Let something else be done."""
    w.row("relations", relation_id=f"C1/{verb}/verb")["object"] = other
    for row in w.tables["relations"]:
        if row["segment_id"] == f"C1/{verb}" and row["subject"] == verb:
            row["subject"] = other


def joins(w: World, verb: str, word: str, place: str, **values: str) -> None:
    """Let an action name its place otherwise."""
    w.row("relations", relation_id=f"C1/{verb}/{word}/{place}").update(values)


@fault(PLACES, "consistent", "name_of_several")
def two_cups(w: World) -> None:
    cup = w.row("graph_nodes", node_id="C1/object/cup")
    w.tables["graph_nodes"].append({**cup, "node_id": "C1/object/cup 2"})


@fault(PLACES, "consistent", "name_of_several")
def two_places_of_the_name(w: World) -> None:
    place = w.row("graph_nodes", node_id=w.answer["value"])
    w.tables["graph_nodes"].append({**place, "node_id": place["node_id"] + " 2"})


@fault(PLACES, "consistent", "value_differs_from_text")
def option_means_another_place(w: World) -> None:
    w.others[0]["value"] = w.others[1]["value"]


@fault(PLACES, "well_formed", "value_missing")
def option_means_a_place_that_is_not(w: World) -> None:
    w.others[0]["value"] = "C1/object/ghost"


@fault(PLACES, "consistent", "evidence_role")
def link_of_another_hand(w: World) -> None:
    hands = [row for row in w.question["evidence"] if "/with/" in row["key"]]
    other = "left" if "right" in hands[0]["key"] else "right"
    hands[0]["key"] = f"C1/{'lay' if other == 'left' else 'take'}/with/{other} hand"


@fault(PLACES, "consistent", "evidence_left_out")
def evidence_leaves_the_place_out(w: World) -> None:
    rows = w.question["evidence"]
    rows.remove(next(row for row in rows if "/located/" in row["key"]))


@fault(PLACES, "explanation", "contradicted")
def rationale_names_another_place(w: World) -> None:
    place, other = w.answer["text"], w.others[0]["text"]
    text = next(
        step["text"] for step in w.question["rationale"] if step["text"].endswith(f"the {place}.")
    )
    explain(w, text, text.replace(place, other))


@fault(PLACES, "explanation", "contradicted")
def rationale_uses_another_hand(w: World) -> None:
    hand = "right" if "right hand" in w.question["detailed_answer"] else "left"
    explain(w, f"the {hand} hand", f"the {'left' if hand == 'right' else 'right'} hand")


@fault(PLACES, "explanation", "left_out")
def rationale_leaves_an_action_out(w: World) -> None:
    steps = w.question["rationale"]
    gone = next(step for step in steps if "the camera wearer" in step["text"])
    steps.remove(gone)
    w.question["detailed_answer"] = w.question["detailed_answer"].replace(gone["text"] + " ", "")
    for n, step in enumerate(steps, 1):
        step["step"] = n
