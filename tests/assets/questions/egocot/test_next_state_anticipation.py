"""The next state, from a scene graph small enough to work out by hand."""

from __future__ import annotations

from assets.questions.egocot.next_state_anticipation import BUILDER
from assets.questions.kit.recipe import Row
from tests.assets.questions.egocot.test_active_object_grounding import RIGHT, Graph
from tests.assets.questions.egocot.test_manipulation_state_perception import state

paper = BUILDER.under("paper").make


def graph(uid: str = "R") -> Graph:
    """A lamp is switched on, a pot put down, a jar opened and a cup taken; from 13 s the cup is put down."""
    made = Graph(uid).deed("a", "switch on", "lamp", 1.0, 2.0).deed("b", "put", "pot", 3.0, 4.0)
    made.deed("c", "open", "jar", 5.0, 6.0).deed("d", "take", "cup", 8.0, 9.0, hand=RIGHT)
    made.deed("e", "put", "cup", 13.0, 14.0, hand=RIGHT).deed("f", "close", "jar", 30.0, 31.0)
    state(state(made, "lamp", "on", 2.0, 60.0), "pot", "no longer held", 4.0, 60.0)
    state(state(made, "jar", "open", 6.0, 31.0), "jar", "closed", 31.0, 60.0)
    return state(state(made, "cup", "held", 9.0, 14.0), "cup", "no longer held", 14.0, 60.0)


def first(made: Graph) -> list[Row]:
    """The questions about the cup that is put down."""
    rows = paper(made.tables()).to_dicts()
    return [row for row in rows if row["answer_text"] == "the cup is no longer held"]


def offered(row: Row) -> set[str]:
    return {option["text"] for option in row["options"]}


def test_the_clip_ends_a_second_before_the_action() -> None:
    (row,) = first(graph())
    (medium,) = row["media"]
    assert (medium["start_s"], medium["end_s"], medium["sampling"]) == (0.0, 12.0, "endpoints")
    assert row["text"] == (
        "Which of these states comes about next, within 5 s after the clip ends?"
    )
    jar = {"the jar is open", "the jar is closed"} & offered(row)
    assert len(jar) == 1
    assert offered(row) - jar == {
        "the cup is no longer held",
        "the lamp is on",
        "the pot is no longer held",
    }
    assert [step["text"] for step in row["rationale"]] == [
        "From 5.0 s to 6.0 s of the clip, the camera wearer opens the jar.",
        "From 8.0 s to 9.0 s of the clip, the camera wearer takes the cup with the right hand.",
        "The next action begins 1.0 s after the clip ends: the camera wearer puts the cup somewhere with"
        " the right hand.",
        "From 2.0 s after the clip ends, the cup is no longer held.",
        "No other option comes about within 5 s after the clip ends, so the answer is: the cup is no longer held.",
    ]
    assert row["rationale"][3]["evidence"] == ["graph_edges:R.cup.no longer held.14"]


def test_what_comes_about_within_the_horizon_is_not_offered() -> None:
    made = state(graph(), "lamp", "off", 16.0, 60.0)
    state(made, "box", "open", 1.0, 60.0)
    assert not any("the lamp is off" in offered(row) for row in first(made))


def test_what_came_about_at_the_end_of_the_clip_is_not_offered() -> None:
    made = graph()
    next(edge for edge in made.edges if edge["edge_id"] == "R.lamp.on.2")["start_s"] = 11.0
    assert first(made) == []


def test_a_thing_that_takes_no_part_in_the_clip_is_not_offered() -> None:
    made = graph()
    made.node("R/object/box", "object", "box")
    (row,) = first(state(made, "box", "open", 0.0, 60.0))
    assert "the box is open" not in offered(row)


def test_an_action_that_leaves_nothing_makes_none() -> None:
    made = graph()
    made.edges = [edge for edge in made.edges if edge["edge_id"] != "R.cup.no longer held.14"]
    assert first(made) == []


def test_a_state_that_is_so_already_makes_none() -> None:
    made = graph()
    made.nodes["R/state/held"]["name"] = "no longer held"
    assert first(made) == []


def test_a_state_without_an_opposite_makes_none() -> None:
    made = graph()
    made.nodes["R/state/no longer held"]["name"] = "wet"
    assert [row["answer_text"] for row in paper(made.tables()).to_dicts()] == []


def test_a_state_that_comes_about_later_makes_none() -> None:
    """The action takes longer than the horizon."""
    made = graph()
    for edge in made.edges:
        if edge["edge_id"].startswith("R.e."):
            edge["end_s"] = 19.0
    later = next(edge for edge in made.edges if edge["edge_id"] == "R.cup.no longer held.14")
    later["start_s"] = 19.0
    assert first(made) == []


def test_two_actions_that_begin_together_make_none() -> None:
    assert first(graph().deed("g", "wipe", "table", 13.3, 14.0)) == []


def test_of_two_cups_nothing_is_asked() -> None:
    made = graph()
    made.node("R/object/cup 2", "object", "cup")
    assert first(made) == []


def test_a_state_that_is_always_right_makes_none() -> None:
    """Nothing else is offered as `no longer held` twice, so who says so would be right too often."""
    made = graph()
    next(n for n in made.nodes.values() if n["name"] == "pot")["name"] = "pan"
    made.edges = [edge for edge in made.edges if not edge["edge_id"].startswith("R.pot")]
    state(made, "pot", "full", 4.0, 60.0)
    assert [row["answer_text"] for row in first(made)] == ["the cup is no longer held"]
    assert not any(
        row["answer_text"] == "the cup is no longer held"
        for row in BUILDER.make(made.tables()).to_dicts()
    )


def test_order_of_rows_does_not_matter() -> None:
    tables = graph().tables()
    assert paper(tables).equals(paper({n: t.reverse() for n, t in tables.items()}))
