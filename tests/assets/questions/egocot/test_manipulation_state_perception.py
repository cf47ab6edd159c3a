"""States at the end of a clip, from a scene graph small enough to work out by hand."""

from __future__ import annotations

from collections import Counter

import polars as pl

from assets.questions.egocot.manipulation_state_perception import BUILDER
from assets.questions.kit.funnel import counting
from tests.assets.questions.egocot.test_active_object_grounding import RIGHT, Graph

paper = BUILDER.under("paper").make


def state(made: Graph, thing: str, name: str, start_s: float, end_s: float) -> Graph:
    node = f"{made.uid}/state/{name}"
    made.node(node, "state", name)
    key = f"{thing}.{name}.{start_s:g}"
    made.edge(key, f"R/object/{thing}", "has_state", node, (start_s, end_s))
    return made


def graph(uid: str = "R", cup: str = "held", jar: str = "open") -> Graph:
    """Something is done to a jar, then to a cup; a second later the cup is put down."""
    made = Graph(uid).deed("a", "shut" if jar == "closed" else "open", "jar", 5.0, 6.0)
    made.deed("b", "take" if cup == "held" else "put", "cup", 9.0, 10.0, hand=RIGHT)
    state(made, "jar", jar, 6.0, 60.0)
    other = "no longer held" if cup == "held" else "held"
    return state(state(made, "cup", cup, 10.0, 12.0), "cup", other, 12.0, 60.0)


def answers(made: Graph) -> list[str]:
    return paper(made.tables())["answer_text"].to_list()


def test_the_clip_ends_after_the_action_and_shows_what_was_done_before() -> None:
    (row,) = paper(graph().tables()).to_dicts()
    (medium,) = row["media"]
    assert (medium["start_s"], medium["end_s"], medium["sampling"]) == (2.75, 10.75, "endpoints")
    assert row["text"] == (
        "At 8.0 s, the last moment of the clip, what state are the cup and the jar in?"
    )
    assert {option["text"] for option in row["options"]} == {
        f"the cup is {cup} and the jar is {jar}"
        for cup in ("held", "no longer held")
        for jar in ("open", "closed")
    }
    assert row["answer_text"] == "the cup is held and the jar is open"
    assert [step["text"] for step in row["rationale"]] == [
        "From 2.2 s to 3.2 s of the clip, the camera wearer opens the jar.",
        "From 3.2 s to 8.0 s of the clip, the jar is open.",
        "From 6.2 s to 7.2 s of the clip, the camera wearer takes the cup with the right hand.",
        "From 7.2 s to 8.0 s of the clip, the cup is held.",
        "So at 8.0 s the cup is held and the jar is open.",
    ]
    assert row["rationale"][3]["evidence"] == ["graph_edges:R.cup.held.10"]


def test_each_combination_is_right_equally_often() -> None:
    """Of five with one combination and one with each of the others, one each is kept."""
    states = [("held", "open")] * 5 + [("held", "closed"), ("no longer held", "open")]
    made = [graph(f"R{i}", *pair) for i, pair in enumerate([*states, ("no longer held", "closed")])]
    tables = [g.tables() for g in made]
    together = {name: pl.concat([t[name] for t in tables]) for name in tables[0]}
    assert Counter(paper(together)["answer_text"]).most_common(1)[0][1] == 5
    with counting() as refused:
        kept = BUILDER.make(together)
    assert sorted(Counter(kept["answer_text"]).values()) == [1, 1, 1, 1]
    assert refused["each_combination_as_often"] == 4


def test_a_source_without_one_of_the_combinations_makes_none() -> None:
    assert BUILDER.make(graph().tables()).is_empty()


def test_a_thing_that_is_acted_on_at_the_moment_makes_none() -> None:
    assert answers(graph().deed("c", "wash", "jar", 11.2, 12.0)) == []


def test_a_state_that_ends_at_the_moment_makes_none() -> None:
    made = graph()
    made.edges[-2]["end_s"] = 11.0
    made.edges[-1]["start_s"] = 11.0
    assert answers(made) == []


def test_what_is_never_put_down_may_be_out_of_hand() -> None:
    made = graph()
    del made.edges[-1]
    assert answers(made) == []


def test_what_is_taken_twice_was_put_down_in_between() -> None:
    made = graph()
    made.edges[-1]["to_node"] = made.edges[-2]["to_node"]
    assert answers(made) == []


def test_a_state_without_an_opposite_is_not_asked_about() -> None:
    made = graph()
    made.nodes["R/state/open"]["name"] = "peeled"
    assert answers(made) == []


def test_of_two_things_of_one_name_nothing_is_asked() -> None:
    made = graph()
    made.node("R/object/jar 2", "object", "jar")
    assert answers(made) == []


def test_what_was_done_too_long_ago_makes_none() -> None:
    made = graph()
    for edge in made.edges:
        if edge["start_s"] >= 9.0:
            edge["start_s"], edge["end_s"] = edge["start_s"] + 20, edge["end_s"] + 20
    assert answers(made) == []


def test_order_of_rows_does_not_matter() -> None:
    tables = graph().tables()
    assert paper(tables).equals(paper({n: t.reverse() for n, t in tables.items()}))
