"""Chains of hand, time and state, from a scene graph small enough to work out by hand."""

from __future__ import annotations

from collections import Counter

import polars as pl
import pytest

from assets.questions.egocot.hand_object_grounded_cot import BUILDER
from assets.questions.kit.funnel import counting
from tests.assets.questions.egocot.test_active_object_grounding import RIGHT, Graph
from tests.assets.questions.egocot.test_local_cause_outcome_inference import cause

LEFT = "R/hand/left"
paper = BUILDER.under("paper").make


def graph(uid: str = "R", hand: str = RIGHT) -> Graph:
    """A jar is opened at 9.5 s, after a cup is washed and before a pan is moved."""
    made = Graph(uid)
    made.node(LEFT, "hand", "left hand", hand_side="left")
    made.deed("a", "wash", "cup", 6.0, 7.0, hand=LEFT)
    made.deed("b", "open", "jar", 9.0, 10.0, contact_s=9.4, hand=hand)
    made.deed("c", "move", "pan", 13.0, 14.0, hand=RIGHT)
    return cause(made, "b", "jar", "open", (9.5, 60.0))


def together(*graphs: Graph) -> dict[str, pl.DataFrame]:
    tables = [one.tables() for one in graphs]
    return {name: pl.concat([t[name] for t in tables]) for name in tables[0]}


def without(made: Graph, key: str) -> Graph:
    made.edges = [edge for edge in made.edges if not edge["edge_id"].startswith(f"R.{key}")]
    return made


def test_both_hands_are_offered_with_the_time_of_another_action() -> None:
    (row,) = paper(without(graph(), "a").tables()).to_dicts()
    (medium,) = row["media"]
    assert (medium["start_s"], medium["end_s"], medium["sampling"]) == (7.5, 15.5, "endpoints")
    assert row["text"] == (
        "At 8.0 s, the last moment of the clip, the jar is open. Which hand of the camera wearer caused this,"
        " and when did that hand act on it?"
    )
    assert {option["text"] for option in row["options"]} == {
        f"the {side} hand, at {at_s} s" for side in ("left", "right") for at_s in (1.9, 6.0)
    }
    # The moment is that of the box that was drawn for the contact.
    assert row["answer_text"] == "the right hand, at 1.9 s"
    assert [step["text"] for step in row["rationale"]] == [
        "At 1.9 s of the clip, the camera wearer is using the right hand.",
        'The camera wearer\'s action is "open": it began at 1.5 s and is still going on at 1.9 s.',
        "The action is performed on the jar, at [0.40, 0.50, 0.60, 0.75] in the picture.",
        "From 2.5 s to 8.0 s of the clip, the jar is open.",
        "From 5.5 s to 6.5 s of the clip, the camera wearer moves the pan with the right hand.",
        "So the jar is open because of the right hand, at 1.9 s.",
    ]
    roles = {e["role"]: e["key"] for e in row["evidence"]}
    assert roles["hand"] == "R.b.holds"
    assert roles["cause"] == "R.b.causes"
    assert roles["state_1"] == "R.jar.open.9.5"
    assert roles["contact_2"] == "seg-c"


def test_the_other_action_may_come_before() -> None:
    (row,) = paper(without(graph(), "c").tables()).to_dicts()
    assert (row["media"][0]["start_s"], row["media"][0]["end_s"]) == (pytest.approx(3.4), 11.4)
    assert row["answer_text"] == "the right hand, at 6.0 s"
    assert {option["text"].split()[-2] for option in row["options"]} == {"3.1", "6.0"}


def test_it_comes_before_as_often_as_after_and_either_hand_is_right_as_often() -> None:
    graphs = [graph(f"R{n}", RIGHT if n < 7 else LEFT) for n in range(11)]
    with counting() as refused:
        rows = BUILDER.make(together(*graphs))
    right: Counter[tuple[str, bool]] = Counter()
    for row in rows.iter_rows(named=True):
        times = {float(option["text"].split()[-2]) for option in row["options"]}
        words = row["answer_text"].split()
        right[words[1], float(words[-2]) == min(times)] += 1
    assert set(right.values()) == {2}
    assert len(right) == 4
    assert refused["either_hand_as_often"] == 3


@pytest.mark.parametrize("key", ["a", "c"])
def test_without_another_action_before_and_after_the_order_would_tell(key: str) -> None:
    graphs = [without(graph("R"), key), graph("S", LEFT)]
    with counting() as refused:
        assert BUILDER.make(together(*graphs)).is_empty()
    assert refused["other_action_before_and_after"] == 1


def both_hands(made: Graph) -> None:
    made.edge("b.more", LEFT, "holds", "R/object/jar", (9.0, 10.0), segment_id="seg-b")


@pytest.mark.parametrize(
    "spoil",
    [
        pytest.param(both_hands, id="both hands"),
        pytest.param(lambda g: without(g, "b.holds"), id="no hand"),
        pytest.param(
            lambda g: g.deed("d", "wash", "lid", 9.2, 9.8, hand=LEFT), id="other hand acts"
        ),
        pytest.param(lambda g: without(g, "b.causes"), id="no cause"),
        pytest.param(lambda g: g.deed("d", "wash", "jar", 10.2, 11.0, hand=RIGHT), id="used again"),
        pytest.param(lambda g: g.nodes["R/state/open"].update(name="peeled"), id="no opposite"),
        pytest.param(lambda g: g.node("R/object/jar 2", "object", "jar"), id="two jars"),
        pytest.param(lambda g: without(without(g, "a"), "c"), id="nothing else is done"),
    ],
)
def test_what_cannot_be_told_is_not_asked(spoil) -> None:
    made = graph()
    spoil(made)
    assert paper(made.tables()).is_empty()


def test_the_other_action_lies_two_seconds_away() -> None:
    made = without(without(graph(), "a"), "c").deed("d", "move", "pan", 11.0, 12.0, hand=RIGHT)
    assert paper(made.tables()).is_empty()


def test_order_of_rows_does_not_matter() -> None:
    tables = together(graph("R"), graph("S", LEFT))
    backwards = {name: rows.reverse() for name, rows in tables.items()}
    assert BUILDER.make(tables).height == 2
    assert BUILDER.make(tables).equals(BUILDER.make(backwards))
