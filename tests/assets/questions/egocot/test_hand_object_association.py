"""Hand and object from a scene graph small enough to work out by hand."""

from __future__ import annotations

import polars as pl
import pytest

from assets.questions.egocot.hand_object_association import BUILDER
from expectations.schemas import TABLES
from tests.assets.questions.egocot.test_active_object_grounding import RIGHT, Graph

LEFT, BOTH, SOME = "R/hand/left", "R/hand/both", "R/hand/some"
make, as_paper = BUILDER.make, BUILDER.under("paper").make


def cutting() -> Graph:
    """A plate and a pan are put down, an onion is cut with the left hand."""
    made = Graph()
    made.node(LEFT, "hand", "left hand", hand_side="left")
    made.node(BOTH, "hand", "both hands", hand_side="both")
    made.node(SOME, "hand", "hand")
    return (
        made.deed("a", "put", "plate", 3.0, 3.5, hand=RIGHT)
        .deed("b", "put", "pan", 5.0, 6.0, hand=RIGHT)
        .deed("c", "cut", "onion", 10.0, 12.0, contact_s=10.5, hand=LEFT)
    )


def graph() -> Graph:
    """Then a jar is opened with the right hand."""
    return cutting().deed("d", "open", "jar", 16.0, 17.0, contact_s=16.5, hand=RIGHT)


def answers(made: pl.DataFrame) -> list[str]:
    return sorted(made["answer_text"])


def test_options_are_both_hands_with_each_of_two_objects() -> None:
    made = as_paper(cutting().tables())
    assert made.schema == TABLES["questions"].schema
    assert answers(made) == ["the left hand on the onion"]
    (row,) = made.to_dicts()
    assert row["text"] == (
        "At 8.0 s, the last moment of the clip, which hand is the camera wearer using, and on which"
        " object?"
    )
    (other,) = {o["value"].partition("|")[2] for o in row["options"]} - {"R/object/onion"}
    assert other in {"R/object/plate", "R/object/pan"}
    assert {o["value"] for o in row["options"]} == {
        f"{side}|{node}" for side in ("left", "right") for node in (other, "R/object/onion")
    }
    (medium,) = row["media"]
    assert (medium["start_s"], medium["end_s"], row["chance"]) == (2.5, 10.5, 0.25)
    assert [step["text"] for step in row["rationale"]] == [
        "At 8.0 s of the clip, the camera wearer is using the left hand.",
        'The camera wearer\'s action is "cut": it began at 7.5 s and is still going on at 8.0 s.',
        "The action is performed on the onion, at [0.40, 0.50, 0.60, 0.75] in the picture.",
        "Within 0.5 s of that moment, nothing is done with the right hand, and within 2 s nothing is done with"
        f" the {other.rpartition('/')[2]}, so it is the left hand on the onion.",
    ]
    assert row["rationale"][3]["evidence"] == [
        "graph_edges:R.c.on",
        "graph_nodes:R/object/onion",
        f"graph_nodes:{other}",
    ]


def test_as_many_questions_have_the_left_hand_as_the_right() -> None:
    assert make(cutting().tables()).is_empty()
    more = graph().deed("e", "close", "lid", 20.0, 21.0, contact_s=20.5, hand=RIGHT)
    assert len(answers(make(more.tables()))) == 2
    assert answers(as_paper(more.tables())) == [
        "the left hand on the onion",
        "the right hand on the jar",
        "the right hand on the lid",
    ]


@pytest.mark.parametrize("hand", [None, BOTH, SOME])
def test_a_single_hand_must_be_annotated(hand: str | None) -> None:
    made = graph().deed("e", "close", "lid", 20.0, 21.0, contact_s=20.5, hand=hand)
    assert len(answers(as_paper(made.tables()))) == 2


@pytest.mark.parametrize("hand", [LEFT, SOME, None])
def test_no_other_hand_acts_within_half_a_second(hand: str | None) -> None:
    """Not even on the same object."""
    made = graph().deed("e", "hold", "jar", 16.9, 18.0, contact_s=17.5, hand=hand)
    assert "the right hand on the jar" not in answers(as_paper(made.tables()))


def test_what_may_still_be_in_the_other_hand_is_not_offered() -> None:
    for verb in ("take", "wash", "carry"):
        made = cutting()
        for key in ("a", "b"):
            made.nodes[f"R/action/{key}"]["name"] = verb
        assert as_paper(made.tables()).is_empty()


def test_a_source_without_sides_says_so() -> None:
    made = graph()
    for node in (LEFT, RIGHT, BOTH):
        made.nodes[node]["hand_side"] = None
    tables = made.tables()
    assert make(tables).is_empty()
    told = [need.missing(tables) for need in BUILDER.needs if "relations" not in need.reads]
    assert told[-1] == "no scene graph tells the left hand from the right"


def test_order_of_rows_does_not_matter() -> None:
    tables = graph().tables()
    assert make(tables).equals(make({n: t.reverse() for n, t in tables.items()}))
