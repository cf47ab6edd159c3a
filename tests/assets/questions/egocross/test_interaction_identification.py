"""Interaction identification from a few interactions put down by hand."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

from polars.testing import assert_frame_equal

from assets.questions.egocross.interaction_identification import BUILDER
from tests.assets.questions.egocross.animals import (
    ANIMALS,
    Tables,
    assert_whole,
    kinds,
    recording,
    released,
    segment,
    tables,
)

THINGS = ("ball", "person", "food", "bench", "cat", "other animal")


def world(*more: tuple[str, float, float]) -> Tables:
    """Every animal interacts with every thing; `cat0` also with more."""
    rows = kinds("species", ANIMALS, 1)
    segments = [
        segment(r["recording_id"], thing, 6.0 * i, 6.0 * i + 4)
        for r in rows
        for i, thing in enumerate(THINGS)
    ]
    return tables(rows, [*segments, *(segment("cat0", *one) for one in more)])


def asked(given: Tables, reading: str = "strict") -> dict[str, dict]:
    """Questions by segment."""
    made = BUILDER.under(reading).make(given)
    return {q["evidence"][0]["key"]: q for q in made.to_dicts()}


def test_a_question_is_whole() -> None:
    made = BUILDER.make(world())
    assert_whole(made)
    assert made.height == len(ANIMALS) * len(THINGS)
    for q in made.to_dicts():
        (medium,) = q["media"]
        at = round(medium["start_s"] / 6)
        assert (medium["start_s"], medium["end_s"]) == (6 * at, 6 * at + 4)
        assert q["answer_text"] == THINGS[at]
        assert q["text"] == "What does the animal that wears the camera interact with?"


def test_the_released_testbed_asks_alike(shared: Path) -> None:
    theirs = released(shared, "interaction identification")
    assert len(theirs) == 104
    blank = re.compile(r"(?<=is the )[a-z ]+(?= interacting)")
    made = BUILDER.under("paper").make(world())
    assert_whole(made)
    assert {blank.sub("_", t) for t in made["text"]} == {
        blank.sub("_", i["question_text"]) for i in theirs
    }
    options = {text.partition(": ")[2] for i in theirs for text in i["options"]}
    assert {o["text"] for options in made["options"] for o in options} <= options


def test_two_objects_at_a_time_are_not_asked_about() -> None:
    both = asked(world(("plant", 2.0, 5.0)))
    assert "cat0/0-4/ball" not in both and "cat0/2-5/plant" not in both
    assert "dog0/0-4/ball" in both
    assert "cat0/0-4/ball" in asked(world(("plant", 2.0, 5.0)), "paper")


def test_what_follows_within_a_second_is_no_other_option() -> None:
    extra = [segment("dog0", "plant", 37.0, 40.0)]
    given = world(("plant", 4.0, 6.0))
    given = tables(given["recordings"].to_dicts(), [*given["segments"].to_dicts(), *extra])
    for start in (0, 6):
        q = asked(given)[f"cat0/{start}-{start + 4}/{THINGS[start // 6]}"]
        assert "plant" not in {o["text"] for o in q["options"]}


def test_short_interactions_and_unnamed_objects_are_left_out() -> None:
    found = asked(world(("plant", 36.0, 38.0), ("other", 34.5, 39.0)))
    assert not {"cat0/36-38/plant", "cat0/34.5-39/other"} & found.keys()
    assert "other" not in {o["text"] for q in found.values() for o in q["options"]}


def test_long_interactions_are_cut_to_half_a_minute() -> None:
    given = world()
    rows = [*given["recordings"].to_dicts(), recording("long", species="cat", duration_s=90.0)]
    given = tables(rows, [*given["segments"].to_dicts(), segment("long", "ball", 10.0, 70.0)])
    medium = asked(given)["long/10-70/ball"]["media"][0]
    assert (medium["start_s"], medium["end_s"]) == (25.0, 55.0)


def test_each_object_is_offered_about_as_often_as_it_is_right() -> None:
    rows = kinds("species", ANIMALS, 8)
    segments = [
        segment(r["recording_id"], "person" if i % 2 else THINGS[i % 5], 0.0, 4.0)
        for i, r in enumerate(rows)
    ]
    made = BUILDER.make(tables(rows, segments)).to_dicts()
    right = Counter(q["answer_text"] for q in made)
    wrong = Counter(o["text"] for q in made for o in q["options"] if not o["is_answer"])
    assert right["person"] >= 16 and all(wrong[x] <= 8 * right[x] for x in right)


def test_without_the_animal_or_the_length_nothing_is_asked() -> None:
    rows = [recording("a", species=None), recording("b", species="cat", duration_s=None)]
    segments = [segment(uid, t, 6.0 * i, 6.0 * i + 4) for uid in "ab" for i, t in enumerate(THINGS)]
    assert BUILDER.make(tables(rows, segments)).is_empty()


def test_order_of_rows_means_nothing() -> None:
    given = world()
    turned = {name: frame.reverse() for name, frame in given.items()}
    assert_frame_equal(BUILDER.make(given), BUILDER.make(turned))


def test_the_builder_reads_what_it_says() -> None:
    given = world()
    narrowed = {name: given[name].select(columns) for name, columns in BUILDER.reads.items()}
    assert_frame_equal(BUILDER.make(narrowed), BUILDER.make(given))
