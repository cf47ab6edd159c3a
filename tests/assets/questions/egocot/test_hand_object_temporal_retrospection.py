"""Order of actions from a scene graph small enough to work out by hand."""

from __future__ import annotations

from collections import Counter

from assets.questions.egocot.hand_object_temporal_retrospection import BUILDER
from tests.assets.questions.egocot.test_active_object_grounding import RIGHT, Graph

make = BUILDER.make


def graph(uid: str = "R") -> Graph:
    """A plate, a pan and a lid are put down in turn."""
    return (
        Graph(uid)
        .deed("a", "put", "plate", 3.0, 4.0, hand=RIGHT)
        .deed("b", "put", "pan", 5.0, 6.0)
        .deed("c", "put", "lid", 7.0, 8.0)
    )


def test_the_clip_holds_three_first_actions_and_ends_after_them() -> None:
    (row,) = make(graph().tables()).to_dicts()
    (medium,) = row["media"]
    assert (medium["start_s"], medium["end_s"], medium["sampling"]) == (2.0, 10.0, "endpoints")
    assert row["text"] == (
        "In which order does the camera wearer first act on the lid, the pan and the plate in this clip?"
    )
    assert row["answer_text"] == "the plate, then the pan, then the lid"
    assert [step["text"] for step in row["rationale"]] == [
        "From 1.0 s to 2.0 s of the clip, the camera wearer puts the plate somewhere with the right hand.",
        "From 3.0 s to 4.0 s of the clip, the camera wearer puts the pan somewhere.",
        "From 5.0 s to 6.0 s of the clip, the camera wearer puts the lid somewhere.",
        "Nothing is done with any of them earlier in the clip, so the order is the plate, then the pan,"
        " then the lid.",
    ]
    assert row["rationale"][0]["evidence"] == [
        f"graph_edges:R.a.{edge}" for edge in ("on", "does", "holds")
    ]


def test_one_thing_is_in_the_middle_of_no_option() -> None:
    """Neither the first nor the last of a recording's order is that thing more often."""
    outer = Counter[bool]()
    for i in range(60):
        (row,) = make(graph(f"R{i}").tables()).to_dicts()
        orders = [option["text"].split(", then ") for option in row["options"]]
        assert len({tuple(order) for order in orders}) == 4
        (never,) = set(orders[0]) - {order[1] for order in orders}
        outer[never == "the plate"] += 1
    assert 20 <= outer[True] <= 40


def test_a_thing_used_again_counts_once() -> None:
    (row,) = make(graph().deed("d", "take", "plate", 8.5, 9.5).tables()).to_dicts()
    assert row["answer_text"] == "the plate, then the pan, then the lid"


def answers(made: Graph) -> list[str]:
    return make(made.tables())["answer_text"].to_list()


def test_a_thing_that_takes_part_before_it_is_acted_on_makes_none() -> None:
    assert answers(graph().deed("x", "pour", "lid", 4.2, 4.7, role="target")) == []


def test_actions_that_overlap_make_none() -> None:
    made = graph()
    for edge in made.edges[-2:]:
        edge["start_s"] = 5.5
    assert answers(made) == []


def test_what_may_be_held_when_the_clip_begins_does_not_come_later() -> None:
    """In the longer clip it is the first."""
    made = graph().deed("x", "take", "lid", 0.5, 1.0)
    assert answers(made) == ["the lid, then the plate, then the pan"]


def test_what_is_held_from_the_start_may_come_first() -> None:
    (row,) = make(graph().deed("x", "take", "plate", 0.5, 1.0).tables()).to_dicts()
    assert row["answer_text"] == "the plate, then the pan, then the lid"


def test_the_clip_must_end_within_the_recording() -> None:
    assert make(graph().tables(duration_s=9.5)).is_empty()


def test_order_of_rows_does_not_matter() -> None:
    tables = graph().tables()
    assert make(tables).equals(make({n: t.reverse() for n, t in tables.items()}))
