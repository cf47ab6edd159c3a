"""EgoCoT's places at an earlier time: a cup was on a table and is in a sink; before, it was taken from a shelf."""

from __future__ import annotations

from tests.derivations.places import about_places, becomes, contact, joins, move, told
from tests.derivations.world import Fault, Row, World, collect, explain, reword

EDGE, LATER, SHELF = (f"C1/cup/located/{place}" for place in ("table", "sink", "shelf"))


def was_on_the_table() -> World:
    """A cup is put on a table. It is still there at 5.8 s, and in the sink when the clip ends at 13.0 s."""
    return about_places(
        "location_visibility_retrospection",
        "Look back to the moment 3.8 s into the clip. On, in or under which of these is the cup?",
        "sink table shelf box",
        (2.0, 13.0),
        [
            *contact("put", 1),
            ("graph_edges", EDGE, "place"),
            ("graph_edges", LATER, "place_at_end"),
        ],
        [
            told("put", 4.0, 2.0),
            ("From 3.0 s to 3.8 s of the clip, the cup is on the table.", [f"graph_edges:{EDGE}"]),
            ("When the clip ends, at 11.0 s, the cup is in the sink.", [f"graph_edges:{LATER}"]),
            (
                "So at 3.8 s the cup is on the table.",
                [f"graph_edges:{EDGE}", "graph_nodes:C1/object/table"],
            ),
        ],
        (3.5, 6.3),
    )


def was_taken_from_the_shelf() -> World:
    """A cup is taken from a shelf, at 2.5 s of the recording; when the clip ends, at 4.0 s before it is put down, it is gone."""
    w = about_places(
        "location_visibility_retrospection",
        "Look back to the moment 2.5 s into the clip. On, in or under which of these is the cup?",
        "sink shelf table box",
        (0.0, 9.5),
        [*contact("take", 1), ("graph_edges", SHELF, "place")],
        [
            told("take", 2.5, 0.0),
            (
                "The action begins at 2.5 s, when the cup is still at the shelf.",
                [f"graph_edges:{SHELF}"],
            ),
            (
                "So at 2.5 s the cup is at the shelf.",
                [f"graph_edges:{SHELF}", "graph_nodes:C1/object/shelf"],
            ),
        ],
        (2.0, 4.0),
    )
    move(w, "put", 10.0, 11.0)
    move(w, "grab", 12.0, 13.0)
    move(w, "lay", 14.0, 15.0)
    return w


def was_moved_to_the_table() -> World:
    """The same, where no action names a place: movements from fixture to fixture are annotated beside."""
    w = was_on_the_table()
    w.tables["relations"] = [
        row for row in w.tables["relations"] if row["role"] not in ("location", "source")
    ]
    w.tables["tracks"] = [
        moved_from_to("t1", "cup", (3.0, 4.9), ("P01_shelf.001", "P01_table.002")),
        moved_from_to("t2", "cup", (9.5, 11.8), ("P01_table.002", "P01_sink.001")),
        moved_from_to("t3", "bowl", (4.0, 4.9), ("P01_shelf.001", "P01_box.001")),
    ]
    for edge in (EDGE, LATER):
        w.row("graph_edges", edge_id=edge)["preposition"] = "at"
    explain(w, "is on the table", "is at the table")
    explain(w, "is in the sink", "is at the sink")
    return w


def moved_from_to(
    key: str, name: str, span: tuple[float, float], places: tuple[str | None, str | None]
) -> Row:
    """An annotated movement of a thing between fixtures."""
    return {
        "source": "s",
        "recording_id": "C1",
        "track_id": key,
        "name": name,
        "moves": True,
        "start_s": span[0],
        "end_s": span[1],
        "start_place": places[0],
        "end_place": places[1],
    }


WORLDS = {
    "was_on_the_table": was_on_the_table,
    "was_moved_to_the_table": was_moved_to_the_table,
    "was_taken_from_the_shelf": was_taken_from_the_shelf,
}
FAULTS: list[Fault] = []
fault = collect(FAULTS)
TABLE, TAKEN, MOVED = "was_on_the_table", "was_taken_from_the_shelf", "was_moved_to_the_table"


@fault(TABLE, "answer", "wrong_key")
def cup_was_put_into_the_box(w: World) -> None:
    joins(w, "put", "on", "table", object="box")


@fault(TABLE, "answer", "wrong_key")
def tables_and_boxes_exchanged(w: World) -> None:
    joins(w, "put", "on", "table", object="shelf")


@fault(TAKEN, "answer", "wrong_key")
def cup_was_taken_from_the_box(w: World) -> None:
    joins(w, "take", "from", "shelf", object="box")


@fault(TABLE, "distractors", "second_right")
def table_stands_on_the_box(w: World) -> None:
    """What is on the table is then on the box, too."""
    w.row("relations", relation_id="C1/close/jar")["object"] = "table"
    becomes(w, "close", "put")
    joins(w, "cut", "on", "box", segment_id="C1/close", subject="put")


@fault(TABLE, "consistent", "place_not_known")
def cup_was_taken_before_that_time(w: World) -> None:
    move(w, "grab", 5.2, 5.6)


@fault(TABLE, "consistent", "place_not_known")
def nobody_took_the_cup_before_it_was_put_elsewhere(w: World) -> None:
    w.row("relations", relation_id="C1/grab/cup")["object"] = "bowl"


@fault(TABLE, "consistent", "place_not_known")
def cup_was_only_washed_there(w: World) -> None:
    becomes(w, "put", "wash")


@fault(TABLE, "consistent", "place_not_known")
def cup_was_taken_from_another_place(w: World) -> None:
    w.row("relations", relation_id="C1/cut/on/box").update(segment_id="C1/grab", subject="grab")
    w.row("relations", relation_id="C1/cut/on/box")["relation"] = "from"


@fault(TABLE, "consistent", "place_not_known")
def identity_of_the_cup_swapped(w: World) -> None:
    w.row("relations", relation_id="C1/put/cup")["object"] = "bowl"


@fault(TABLE, "consistent", "place_not_known")
def cup_lies_on_two_things(w: World) -> None:
    w.row("relations", relation_id="C1/cut/on/box").update(segment_id="C1/put", subject="put")


@fault(TAKEN, "consistent", "place_not_known")
def it_is_taken_half_a_second_later(w: World) -> None:
    move(w, "take", 3.0, 4.0)


@fault(TABLE, "consistent", "end_not_known")
def cup_is_washed_when_the_clip_ends(w: World) -> None:
    becomes(w, "grab", "wash")
    becomes(w, "lay", "wash")


@fault(TABLE, "consistent", "not_in_clip")
def cup_was_put_there_before_the_clip(w: World) -> None:
    move(w, "take", 0.1, 0.4)
    move(w, "put", 0.5, 1.5)


@fault(TABLE, "consistent", "action_cut")
def clip_begins_while_the_cup_is_put_down(w: World) -> None:
    w.query["start_s"] = 4.4
    reword(w, "3.8", "1.4")


@fault(TABLE, "consistent", "clip_length")
def clip_of_seven_seconds(w: World) -> None:
    w.query["start_s"] = 6.0 - 0.4
    reword(w, "3.8", "0.2")


@fault(TABLE, "consistent", "time_outside_clip")
def time_after_the_end(w: World) -> None:
    reword(w, "3.8", "12.0")


@fault(TABLE, "margin", "earlier")
def last_second_of_the_clip(w: World) -> None:
    w.query["end_s"] = 13.0
    reword(w, "3.8", "10.8")


@fault(TABLE, "margin", "settled")
def cup_is_about_to_be_taken(w: World) -> None:
    move(w, "grab", 6.1, 7.1)


@fault(TABLE, "margin", "settled")
def cup_is_put_down_a_second_late(w: World) -> None:
    move(w, "put", 4.5, 5.5)


@fault(TABLE, "margin", "settled")
def cup_is_being_laid_down_at_the_end(w: World) -> None:
    move(w, "lay", 11.7, 12.7)


@fault((TABLE, TAKEN), "consistent", "text")
def text_asks_about_now(w: World) -> None:
    reword(w, "Look back to the moment", "At")


@fault(TABLE, "consistent", "place_not_known")
def text_asks_about_another_thing(w: World) -> None:
    reword(w, "the cup", "the bread")


@fault(TABLE, "consistent", "evidence_role")
def place_is_that_from_before(w: World) -> None:
    w.question["evidence"][4]["key"] = SHELF


@fault(TABLE, "consistent", "evidence_role")
def evidence_after_the_observed_end(w: World) -> None:
    w.question["evidence"][0]["key"] = "C1/lay/acts_on/cup"


@fault(TABLE, "explanation", "contradicted")
def rationale_has_the_cup_in_the_table(w: World) -> None:
    explain(w, "is on the table", "is in the table")


@fault(TABLE, "explanation", "contradicted")
def rationale_leaves_the_cup_where_it_was(w: World) -> None:
    explain(w, "at 11.0 s, the cup is in the sink", "at 11.0 s, the cup is in the box")


@fault(TABLE, "explanation", "contradicted")
def rationale_puts_it_down_a_second_later(w: World) -> None:
    explain(w, "From 2.0 s to 3.0 s", "From 3.0 s to 4.0 s")


@fault(TAKEN, "explanation", "contradicted")
def rationale_takes_another_thing(w: World) -> None:
    explain(w, "the cup is still at the shelf", "the jar is still at the shelf")


@fault((TABLE, TAKEN), "seen_by_sampling", "not_seen")
def frames_miss_what_was_done(w: World) -> None:
    w.query["sampling"] = "every(7)"


@fault((TABLE, TAKEN), "consistent", "not_in_clip")
def somebody_else_handles_the_cup(w: World) -> None:
    for row in w.tables["relations"]:
        if row["relation"] == "verb":
            row["subject"] = "P2"


# -- places of annotated movements ---------------------------------------------------------------------


def movement(w: World, key: str = "t1") -> Row:
    return w.row("tracks", track_id=key)


@fault(MOVED, "answer", "wrong_key")
def movement_ends_at_another_fixture(w: World) -> None:
    movement(w)["end_place"] = movement(w, "t2")["start_place"] = "P01_box.001"


@fault(MOVED, "consistent", "place_not_known")
def movement_is_that_of_the_bowl(w: World) -> None:
    movement(w)["name"] = "bowl"


@fault(MOVED, "consistent", "place_not_known")
def movement_ends_half_a_second_and_more_after_the_action(w: World) -> None:
    movement(w)["end_s"] = 5.6


@fault(MOVED, "consistent", "place_not_known")
def movement_ends_at_no_fixture(w: World) -> None:
    movement(w)["end_place"] = None


@fault(MOVED, "consistent", "place_not_known")
def two_movements_of_cups_end_in_the_action(w: World) -> None:
    movement(w, "t3")["name"] = "cup"


@fault(MOVED, "consistent", "place_not_known")
def track_is_no_movement(w: World) -> None:
    movement(w)["moves"] = False


@fault(MOVED, "consistent", "place_not_known")
def next_movement_begins_elsewhere(w: World) -> None:
    """The cup is taken from the shelf next, so that somebody moved it unseen."""
    movement(w, "t2")["start_place"] = "P01_shelf.001"


@fault(MOVED, "consistent", "evidence_role")
def movement_at_the_end_has_no_fixture(w: World) -> None:
    """The cup was taken, and nothing tells where it is then."""
    movement(w, "t2")["end_place"] = None


@fault(MOVED, "consistent", "evidence_left_out")
def edge_of_the_movement_says_on(w: World) -> None:
    w.row("graph_edges", edge_id=EDGE)["preposition"] = "on"


@fault(MOVED, "explanation", "contradicted")
def rationale_says_more_than_the_movement(w: World) -> None:
    explain(w, "is at the table", "is on the table")
