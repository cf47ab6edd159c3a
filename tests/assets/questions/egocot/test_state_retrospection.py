"""States at an earlier time of a clip, from a scene graph small enough to work out by hand."""

from __future__ import annotations

from collections import Counter

import polars as pl

from assets.questions.egocot.state_retrospection import BUILDER
from assets.questions.kit.funnel import counting
from tests.assets.questions.egocot.test_active_object_grounding import Graph
from tests.assets.questions.egocot.test_manipulation_state_perception import graph, state

paper = BUILDER.under("paper").make


def put_later(
    uid: str = "R", cup: str = "held", jar: str = "open", *, changes: bool = True
) -> Graph:
    """A jar and a cup are acted on. From 14 s to 15 s the cup's state changes, or something else is wiped."""
    made = graph(uid, cup, jar)
    other = "no longer held" if cup == "held" else "held"
    end_s = 15.0 if changes else 50.0
    made.edges[-2]["end_s"] = made.edges[-1]["start_s"] = end_s
    if changes and other == "held":
        made.edges[-1]["end_s"] = 40.0
        state(made, "cup", "no longer held", 40.0, 60.0)
    if changes:
        return made.deed("c", "put" if other == "no longer held" else "take", "cup", 14.0, 15.0)
    return made.deed("c", "wipe", "table", 14.0, 15.0)


def answers(made: Graph) -> list[str]:
    return paper(made.tables())["answer_text"].to_list()


def test_the_moment_is_before_an_action_and_the_clip_goes_on_after_it() -> None:
    (row,) = paper(put_later().tables()).to_dicts()
    (medium,) = row["media"]
    assert (medium["start_s"], medium["end_s"], medium["sampling"]) == (3.75, 15.75, "endpoints")
    assert row["text"] == (
        "Look back to the moment 9.5 s into the clip. What state are the cup and the jar in?"
    )
    assert {option["text"] for option in row["options"]} == {
        f"the cup is {cup} and the jar is {jar}"
        for cup in ("held", "no longer held")
        for jar in ("open", "closed")
    }
    assert row["answer_text"] == "the cup is held and the jar is open"
    assert [step["text"] for step in row["rationale"]] == [
        "From 1.2 s to 2.2 s of the clip, the camera wearer opens the jar.",
        "From 2.2 s to 9.5 s of the clip, the jar is open.",
        "From 5.2 s to 6.2 s of the clip, the camera wearer takes the cup with the right hand.",
        "From 6.2 s to 9.5 s of the clip, the cup is held.",
        "When the clip ends, at 12.0 s, the cup is no longer held and the jar is open.",
        "So at 9.5 s the cup is held and the jar is open.",
    ]
    assert row["rationale"][4]["evidence"] == [
        "graph_edges:R.jar.open.6",
        "graph_edges:R.cup.no longer held.12",
    ]


def test_of_four_combinations_one_is_still_so_at_the_end() -> None:
    """Of three with one combination and one of each other, of which one does not change, one each is kept."""
    same = ("no longer held", "closed")
    pairs = [("held", "open")] * 3 + [("held", "closed"), ("no longer held", "open"), same]
    made = [put_later(f"R{i}", *pair, changes=pair != same) for i, pair in enumerate(pairs)]
    together = _together(made)
    assert len(paper(together)) == 6
    with counting() as refused:
        kept = BUILDER.make(together)
    assert sorted(Counter(kept["answer_text"]).values()) == [1, 1, 1, 1]
    assert refused["each_combination_as_often"] == 2


def test_four_combinations_that_all_change_make_none() -> None:
    """Who answers with anything but what the last frame shows would be right too often."""
    states = [(cup, jar) for cup in ("held", "no longer held") for jar in ("open", "closed")]
    made = [put_later(f"R{i}", *pair) for i, pair in enumerate(states)]
    assert len(paper(_together(made))) == 4
    assert BUILDER.make(_together(made)).is_empty()


def _together(made: list[Graph]) -> dict[str, pl.DataFrame]:
    tables = [g.tables() for g in made]
    return {name: pl.concat([t[name] for t in tables]) for name in tables[0]}


def test_a_clip_that_ends_with_the_moment_makes_none() -> None:
    """That is what manipulation state perception asks."""
    assert answers(graph()) == []


def test_a_state_that_is_not_known_at_the_end_makes_none() -> None:
    made = put_later()
    made.edges = [edge for edge in made.edges if edge["edge_id"] != "R.cup.no longer held.12"]
    assert answers(made) == []


def test_a_thing_that_is_acted_on_at_the_moment_makes_none() -> None:
    assert answers(put_later().deed("d", "wash", "jar", 9.6, 13.5)) == []


def test_what_was_done_too_long_ago_makes_none() -> None:
    made = put_later()
    for edge in made.edges:
        if edge["start_s"] >= 9.0:
            edge["start_s"], edge["end_s"] = edge["start_s"] + 30, edge["end_s"] + 30
    assert answers(made) == []


def test_a_state_is_carried_by_no_action_of_another_thing() -> None:
    made = put_later()
    state(made, "lid", "open", 6.0, 60.0)
    assert not any("lid" in text for text in answers(made))


def test_order_of_rows_does_not_matter() -> None:
    tables = put_later().tables()
    assert paper(tables).equals(paper({n: t.reverse() for n, t in tables.items()}))
