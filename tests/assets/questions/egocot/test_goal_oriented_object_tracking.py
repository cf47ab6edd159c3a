"""Things that are followed by their function, from a scene graph small enough to work out by hand."""

from __future__ import annotations

import pytest

from assets.questions.egocot.goal_oriented_object_tracking import BUILDER
from assets.questions.kit.funnel import counting
from tests.assets.questions.egocot.places import moved
from tests.assets.questions.egocot.test_active_object_grounding import RIGHT, Graph

Span = tuple[float, float]


def used(made: Graph, key: str, thing: str, function: str, span: Span = (16.0, 17.0)) -> Graph:
    """Something is cut, and a thing is used for it."""
    made.deed(key, "cut", "bread", *span)
    made.node(f"R/object/{thing}", "object", thing)
    role = {"tool": "tool", "container": "container"}.get(function, "direct")
    made.edge(
        f"{key}.uses", f"R/action/{key}", "with", f"R/object/{thing}", span,
        role=role, function=function, segment_id=f"seg-{key}",
    )  # fmt: skip
    return made


def rows(made: Graph) -> list[dict]:
    return BUILDER.make(made.tables()).to_dicts()


def taken_as_target(made: Graph, *keys: str) -> Graph:
    """What is acted on is a target."""
    for edge in made.edges:
        if edge["edge_id"] in {f"{made.uid}.{key}.on" for key in keys}:
            edge["function"] = "target"
    return made


def test_a_tool_is_followed_to_where_it_is_put() -> None:
    made = used(taken_as_target(moved(), "a", "d"), "u", "cup", "tool")
    row = next(row for row in rows(made) if row["answer_text"] == "sink")
    (medium,) = row["media"]
    assert (medium["start_s"], medium["end_s"], medium["sampling"]) == (15.75, 23.75, "endpoints")
    assert row["text"] == (
        "Follow the thing that the camera wearer uses as a tool from 0.2 s to 1.2 s of the clip. On, in or under"
        " which of these is it at 8.0 s, when the clip ends?"
    )
    # Where it was before is an option.
    assert {"sink", "table"} < {option["text"] for option in row["options"]}
    assert [step["text"] for step in row["rationale"]] == [
        'From 0.2 s to 1.2 s of the clip, the camera wearer uses the cup as a tool in the action "cut".',
        "From 6.2 s to 7.2 s of the clip, the camera wearer puts the cup somewhere.",
        "From 7.2 s to 8.0 s of the clip, the cup is on the sink.",
        "So when the clip ends, at 8.0 s, the thing that was followed is on the sink.",
    ]
    assert row["rationale"][0]["evidence"] == ["graph_edges:R.u.uses", "graph_edges:R.u.does"]


def test_a_target_is_followed_where_nothing_else_was_used() -> None:
    made = taken_as_target(moved(), "a", "d")
    assert {row["answer_text"]: row["text"].split()[7:9] for row in rows(made)} == {
        "table": ["acts", "on"],
        "sink": ["acts", "on"],
    }


@pytest.mark.parametrize(
    ("span", "function", "asked"),
    [
        ((16.0, 17.0), "tool", "uses as a tool"),
        ((16.0, 17.0), "container", "uses as a container"),
        # What comes after the putting is not followed.
        ((24.5, 25.5), "tool", "acts on"),
    ],
)
def test_which_use_is_asked_about(span: Span, function: str, asked: str) -> None:
    made = used(taken_as_target(moved(), "d"), "u", "cup", function, span)
    (row,) = (row for row in rows(made) if row["answer_text"] == "sink")
    assert f"the camera wearer {asked} from" in row["text"]


def test_of_two_tools_at_once_none_is_followed() -> None:
    made = used(used(moved(), "u", "cup", "tool"), "v", "knife", "tool", (16.5, 17.5))
    with counting() as refused:
        assert rows(made) == []
    assert refused["used_alone_before"] == 2


def test_what_is_taken_before_the_clip_ends_makes_none() -> None:
    made = taken_as_target(moved(), "a", "d")
    for edge in made.edges:
        if edge["edge_id"] == "R.cup.sink.23":
            edge["end_s"] = 24.0
    assert {row["answer_text"] for row in rows(made)} == {"table"}


def test_a_hand_is_not_followed() -> None:
    made = moved()
    made.deed("u", "wipe", "bread", 16.0, 17.0, hand=RIGHT)
    assert rows(made) == []


def test_order_of_rows_does_not_matter() -> None:
    tables = used(taken_as_target(moved(), "a", "d"), "u", "cup", "tool").tables()
    assert BUILDER.make(tables).equals(BUILDER.make({n: t.reverse() for n, t in tables.items()}))
