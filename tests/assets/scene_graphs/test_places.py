"""Places of things in hand-written graphs: since when, until when, and what tells them."""

from __future__ import annotations

from typing import Any

import pytest

from tests.assets.scene_graphs.test_graph import Graph, edges, graph, narrated, relation, segment


def does(uid: str, verb: str, thing: str, *places: tuple[str, str]) -> list[dict]:
    """Relations of an action on a thing, with words and the things they join."""
    return [
        relation(uid, "Camera wearer", "verb", verb),
        relation(uid, verb, "direct object", thing),
        *(relation(uid, verb, joint, place) for joint, place in places),
    ]


def located(made: Graph) -> list[tuple]:
    """Thing, preposition, place, start, end, and segments of the actions that began and ended it."""
    acts = {e["edge_id"]: e["segment_id"] for e in made.edges}
    return sorted(
        (thing, preposition, place, start, end, acts.get(begun), acts.get(ended))
        for thing, what, place, preposition, start, end, begun, ended in edges(
            made, "preposition", "start_s", "end_s", "caused_by", "ended_by"
        )
        if what == "located"
    )


PUT = does("g1", "put", "Cup", ("on", "Table"))
SPANS = {"g1": (2, 4), "g2": (10, 11), "g3": (20, 22)}


@pytest.mark.parametrize(
    ("relations", "expected"),
    [
        pytest.param(PUT, [("cup", "on", "table", 4, 22, "g1", None)], id="to the end of coverage"),
        pytest.param(
            [*PUT, *does("g2", "pick-up", "cup")],
            [("cup", "on", "table", 4, 10, "g1", "g2")],
            id="to the next taking",
        ),
        pytest.param(
            [*PUT, *does("g2", "take", "cup", ("from", "table"))],
            [("cup", "at", "table", 10, 10, None, None), ("cup", "on", "table", 4, 10, "g1", "g2")],
            id="a taking tells of its own moment",
        ),
        pytest.param(
            does("g2", "take", "cup", ("from", "table")),
            [("cup", "at", "table", 10, 10, None, None)],
            id="nothing is claimed before the first action",
        ),
        pytest.param(
            [*PUT, *does("g2", "take", "cup", ("from", "shelf"))],
            [("cup", "at", "shelf", 10, 10, None, None), ("cup", "on", "table", 4, 4, "g1", None)],
            id="taken from elsewhere: when it left is not known",
        ),
        pytest.param(
            [*PUT, *does("g2", "place", "cup", ("into", "sink"))],
            [("cup", "in", "sink", 11, 22, "g2", None), ("cup", "on", "table", 4, 4, "g1", None)],
            id="put twice: when it was taken is not known",
        ),
        pytest.param(
            [*PUT, *does("g2", "cut", "bread", ("with", "cup"))],
            [("cup", "on", "table", 4, 4, "g1", None)],
            id="used as a tool: when it was taken is not known",
        ),
        pytest.param(
            [*PUT, *does("g2", "open", "cup"), *does("g3", "wash", "cup")],
            [("cup", "on", "table", 4, 20, "g1", "g3")],
            id="what is opened stays, what is washed may not",
        ),
        pytest.param(
            [*PUT, *does("g2", "pour", "tea", ("into", "cup"))],
            [("cup", "on", "table", 4, 22, "g1", None)],
            id="what is poured into stays",
        ),
        pytest.param(
            does("g1", "put", "cup", ("on", "table"), ("near", "wall"), ("with", "left hand")),
            [("cup", "near", "wall", 4, 22, "g1", None), ("cup", "on", "table", 4, 22, "g1", None)],
            id="two places at once, and a hand is none",
        ),
        pytest.param(does("g1", "give", "cup", ("to", "man")), [], id="a person is not a place"),
        pytest.param(does("g1", "put on", "hat", ("on", "head")), [], id="what is worn"),
        pytest.param(does("g1", "wash", "cup", ("in", "sink")), [], id="no putting, no taking"),
    ],
)  # fmt: skip
def test_where_a_thing_is(relations: list[dict], expected: list[tuple]) -> None:
    spans = [segment(uid, *span) for uid, span in SPANS.items()]
    last = does("g3", "see", "door")
    assert located(graph(spans, [*relations, *last])) == expected


def test_what_overlaps_a_putting_leaves_it_open() -> None:
    spans = [segment("g1", 2, 4), segment("g2", 3, 6)]
    assert located(graph(spans, [*PUT, *does("g2", "take", "cup")])) == []


def test_a_thing_named_and_boxed_is_at_one_place() -> None:
    """An instance in one segment and a name in another are one thing."""
    box: dict[str, Any] = {
        "box_id": "b", "segment_id": "g1", "class_name": "cup", "t_s": 3.0, "object_id": "cup:0",
        "x_min": 0.1, "y_min": 0.1, "x_max": 0.2, "y_max": 0.2, "image_space": "upright",
        "source": "it", "recording_id": "r",
    }  # fmt: skip
    spans = [segment(uid, *span) for uid, span in SPANS.items()]
    made = graph(spans, [*PUT, *does("g2", "take", "cup")], [box])
    assert located(made) == [("cup", "on", "table", 4, 10, "g1", "g2")]


def test_narrations_tell_places_too() -> None:
    made = narrated(
        "C puts the cup on the table.", "C opens the door.", "C takes the cup from the table.",
        "C does not put the cup on the shelf.", "C puts the knife in the drawer.",
    )  # fmt: skip
    assert located(made) == [
        ("cup", "at", "table", 20, 20, None, None),
        ("cup", "on", "table", 2, 20, "0", "2"),
        ("knife", "in", "drawer", 42, 42, "4", None),
    ]
    assert {e["source_table"] for e in made.edges if e["relation"] == "located"} == {"labels"}


def test_the_row_that_names_the_place_is_its_source() -> None:
    (edge,) = (e for e in graph([segment("g1", 2, 4)], PUT).edges if e["relation"] == "located")
    assert (edge["source_table"], edge["source_row"]) == ("relations", "g1|put|on|Table")
    assert (edge["segment_id"], edge["role"]) == ("g1", "other")
