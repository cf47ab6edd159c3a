"""The next action, from a scene graph small enough to work out by hand."""

from __future__ import annotations

from collections import Counter

from assets.questions.egocot.next_action_anticipation import BUILDER
from assets.questions.kit.draw import seldom_right
from assets.questions.kit.funnel import counting
from assets.questions.kit.recipe import Row
from tests.assets.questions.egocot.test_active_object_grounding import RIGHT, Graph

paper = BUILDER.under("paper").make


def graph(uid: str = "R") -> Graph:
    """A jar is opened, a cup taken and a pot stirred; from 13 s the cup is washed. Later the jar is closed."""
    made = Graph(uid).deed("a", "open", "jar", 2.0, 3.0)
    made.deed("b", "take", "cup", 5.0, 6.0, hand=RIGHT).deed("c", "stir", "pot", 8.0, 9.0)
    made.deed("d", "wash", "cup", 13.0, 14.0, hand=RIGHT)
    return made.deed("e", "close", "jar", 30.0, 31.0)


def first(made: Graph) -> list[Row]:
    """The questions about the washing."""
    rows = paper(made.tables()).to_dicts()
    return [row for row in rows if row["answer_text"] == "wash the cup"]


def test_the_clip_ends_a_second_before_and_shows_what_was_done() -> None:
    (row,) = first(graph())
    (medium,) = row["media"]
    assert (medium["start_s"], medium["end_s"], medium["sampling"]) == (0.0, 12.0, "endpoints")
    assert row["text"] == (
        "Which action does the camera wearer begin next, within 5 s after the clip ends?"
    )
    assert {option["text"] for option in row["options"]} < {
        "wash the cup",
        "open the jar",
        "close the jar",
        "take the cup",
        "stir the pot",
    }
    assert [step["text"] for step in row["rationale"]] == [
        "From 5.0 s to 6.0 s of the clip, the camera wearer takes the cup with the right hand.",
        "From 8.0 s to 9.0 s of the clip, the camera wearer stirs the pot.",
        "The next action begins 1.0 s after the clip ends: the camera wearer washes the cup with"
        " the right hand.",
        "No other option begins within 5 s after the clip ends, so the answer is: wash the cup.",
    ]
    assert row["rationale"][2]["evidence"][0] == "graph_edges:R.d.on"


def test_what_begins_within_the_horizon_is_not_offered() -> None:
    (row,) = first(graph().deed("f", "stir", "pot", 16.0, 17.0))
    assert "stir the pot" not in {option["text"] for option in row["options"]}


def test_what_the_clip_ends_with_is_not_offered() -> None:
    made = graph().deed("f", "wipe", "pot", 10.5, 11.0).deed("g", "wipe", "pot", 40.0, 41.0)
    (row,) = first(made)
    assert "wipe the pot" not in {option["text"] for option in row["options"]}


def test_another_word_for_the_answer_is_not_offered() -> None:
    (row,) = first(graph().deed("f", "rinse", "cup", 25.0, 26.0))
    assert "rinse the cup" not in {option["text"] for option in row["options"]}


def test_a_thing_that_the_clip_does_not_show_is_not_offered() -> None:
    (row,) = first(graph().deed("f", "open", "box", 25.0, 26.0))
    assert "open the box" not in {option["text"] for option in row["options"]}


def test_a_thing_that_is_new_makes_none() -> None:
    made = graph()
    for edge in made.edges:
        if edge["edge_id"] == "R.d.on":
            edge["to_node"] = made.node("R/object/bowl", "object", "bowl")["node_id"]
    assert first(made) == []


def test_two_actions_that_begin_together_make_none() -> None:
    assert first(graph().deed("f", "wipe", "table", 13.4, 14.0)) == []


def test_an_action_that_begins_in_between_makes_none() -> None:
    assert first(graph().deed("f", "wipe", "table", 12.2, 12.8)) == []


def test_what_is_done_again_makes_none() -> None:
    made = graph().deed("f", "wash", "cup", 10.5, 11.5)
    assert not any(row["media"][0]["end_s"] == 12.0 for row in first(made))


def test_a_recording_without_three_other_actions_makes_none() -> None:
    made = Graph().deed("a", "open", "jar", 2.0, 3.0).deed("b", "take", "cup", 5.0, 6.0)
    made.deed("d", "wash", "cup", 13.0, 14.0).deed("e", "close", "jar", 30.0, 31.0)
    made.edges = [edge for edge in made.edges if ".e." not in edge["edge_id"]]
    assert first(made) == []


def test_no_verb_is_right_in_more_than_a_third_of_its_options() -> None:
    def row(number: int, answer: str, *others: str) -> Row:
        options = [{"text": text} for text in (answer, *others)]
        return {"question_id": str(number), "answer_text": answer, "options": options}

    rows = [row(n, "put", "take", "open", "wash") for n in range(8)]
    rows += [row(n, "open", "put", "put", "take") for n in range(8, 12)]
    rows += [row(n, "take", "put", "open", "wash") for n in range(12, 14)]
    with counting() as refused:
        kept = seldom_right(rows, str, 1 / 3, "rule")
    right = Counter(row["answer_text"] for row in kept)
    offered = Counter(option["text"] for row in kept for option in row["options"])
    assert right == {"put": 4, "open": 3, "take": 2}
    assert all(right[verb] <= offered[verb] / 3 for verb in right)
    assert refused["rule"] == 5
    assert seldom_right([*reversed(rows)], str, 1 / 3, "rule") == kept[::-1]


def test_order_of_rows_does_not_matter() -> None:
    tables = graph().tables()
    assert paper(tables).equals(paper({n: t.reverse() for n, t in tables.items()}))
