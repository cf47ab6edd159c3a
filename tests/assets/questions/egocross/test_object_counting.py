"""Object counting questions from a few operations put down by hand."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import polars as pl
import pytest
from polars.testing import assert_frame_equal

from assets.questions.egocross.even import EVEN
from assets.questions.egocross.object_counting import BUILDER, IN_VIEW, SENT
from assets.questions.egocross.stretches import COVERED
from assets.questions.kit.funnel import counting
from expectations.schemas import TABLES
from tests.assets.questions.egocross.animals import Row, assert_whole, released
from tests.assets.questions.egocross.surgeries import (
    TOOLS,
    Seen,
    assert_even,
    box,
    operations,
)


def of(made: pl.DataFrame, uid: str) -> list[Row]:
    return made.filter(pl.col("recording_id") == uid).to_dicts()


def kinds(n: int) -> Seen:
    return {(tool, None): range(10) for tool in TOOLS[:n]}


def test_kinds_are_counted_whoever_holds_them_and_however_small() -> None:
    seen: Seen = {
        ("grasper", "MSLH"): range(10),
        ("grasper", "ASRH"): range(10),
        ("grasper", None): range(3),
        ("hook", "MSRH"): (4,),
        ("specimenbag", None): (5, 6),
    }
    made = BUILDER.make(operations({"x": seen}))
    assert_whole(made)
    (q,) = made.to_dicts()
    assert q["text"] == (
        "How many different kinds of tools are in view in this video, whether fully or in part?"
    )
    assert q["answer_text"] == "3"
    assert q["detailed_answer"] == (
        "In the 10 annotated pictures of the clip these tools are in view: grasper in 10; hook in 1;"
        " specimen-bag in 2. Different kinds in all: 3."
    )
    roles = [(e["table"], e["role"]) for e in q["evidence"]]
    assert roles.count(("boxes", "answer")) == 3
    assert roles.count(("annotated_frames", "coverage")) == 10


CASES: dict[str, tuple[Seen, str]] = {
    "nothing in view": ({}, IN_VIEW),
    "a kind between the pictures sent": ({**kinds(2), ("hook", None): (5,)}, SENT),
}


@pytest.mark.parametrize("case", CASES)
def test_what_cannot_be_counted_is_counted_as_refused(case: str) -> None:
    seen, rule = CASES[case]
    with counting() as refused:
        made = BUILDER.make(operations({"x": seen, "y": kinds(2)}))
    assert refused[rule] == 1
    assert of(made, "x") == [] and len(of(made, "y")) == 1


def test_the_paper_counts_what_any_picture_shows() -> None:
    seen: Seen = {**kinds(2), ("hook", None): (5,)}
    made = BUILDER.under("paper").make(operations({"x": seen}))
    assert_whole(made)
    assert made["answer_text"].to_list() == ["3"]


@pytest.mark.parametrize("reading", ["strict", "paper"])
@pytest.mark.parametrize("lost", [{4}, {3, 5}])
def test_counts_are_asked_only_where_somebody_looked(reading: str, lost: set[int]) -> None:
    """A picture that is sent is not annotated, or two of ten."""
    looked = {"x": [t for t in range(10) if t not in lost]}
    with counting() as refused:
        given = operations({"x": kinds(3), "y": kinds(2)}, annotated=looked)
        made = BUILDER.under(reading).make(given)
    assert of(made, "x") == [] and refused[COVERED] >= 1


def test_hands_and_masks_are_no_tools() -> None:
    given = operations({"x": kinds(2)})
    hands = [box("x", t, "hand", None, hand_owner="other", hand_side="left") for t in range(10)]
    masks = [box("x", t, "skewer", None, method="mask") for t in range(10)]
    more = TABLES["boxes"].frame([*given["boxes"].to_dicts(), *hands, *masks])
    assert_frame_equal(BUILDER.make(given | {"boxes": more}), BUILDER.make(given))


MANY: dict[str, Seen] = {f"V{n}-{i:02}": kinds(n) for n in range(1, 8) for i in range(12)}


def place(q: Row) -> int:
    """Place of the right number among the four, from the smallest."""
    return sorted(int(o["text"]) for o in q["options"]).index(int(q["answer_text"]))


def test_neither_a_number_nor_a_place_in_their_order_is_a_good_guess() -> None:
    made = BUILDER.make(operations(MANY)).to_dicts()
    assert len(made) >= 40
    assert_even(made)
    places = Counter(map(place, made))
    assert all(abs(4 * places[at] - len(made)) <= 6 for at in range(4))


def test_a_count_that_most_operations_have_is_not_asked_for_often() -> None:
    twos = {f"t{i:02}": kinds(2) for i in range(40)}
    with counting() as refused:
        made = BUILDER.make(operations({**twos, **MANY}))
    assert refused[EVEN] >= 20
    assert_even(made.to_dicts())


@pytest.mark.parametrize("reading", ["strict", "paper"])
def test_other_numbers_are_at_most_three_away_and_none_is_negative(reading: str) -> None:
    made = BUILDER.under(reading).make(operations(MANY))
    assert_whole(made)
    for q in made.to_dicts():
        right = int(q["answer_text"])
        away = {int(o["text"]) - right for o in q["options"]}
        assert away <= set(range(-3, 4)) and min(away) + right >= 0


def test_the_released_testbed_asks_alike(shared: Path) -> None:
    theirs = released(shared, "object counting")
    blank = re.compile(r"\d+(\.\d+)?(?=s)")
    for dataset, operator in (("CholecTrack20", "MSLH"), ("EgoSurgery", None)):
        texts = [i["question_text"] for i in theirs if i["dataset"] == dataset]
        assert len(texts) == (30 if operator else 20)
        seen: Seen = {("hook", operator): range(10)}
        ours = BUILDER.under("paper").make(operations({"x": seen}))["text"]
        assert {blank.sub("_", t) for t in ours} == {blank.sub("_", t) for t in texts}


def test_order_of_rows_means_nothing() -> None:
    given = operations(MANY)
    turned = {name: frame.reverse() for name, frame in given.items()}
    assert_frame_equal(BUILDER.make(given), BUILDER.make(turned))


def test_the_builder_reads_what_it_says() -> None:
    given = operations(MANY)
    narrowed = {
        name: given[name] if columns is None else given[name].select(columns)
        for name, columns in BUILDER.reads.items()
    }
    assert_frame_equal(BUILDER.make(narrowed), BUILDER.make(given))
