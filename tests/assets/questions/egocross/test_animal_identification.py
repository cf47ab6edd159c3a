"""Animal identification from a few recordings put down by hand."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from polars.testing import assert_frame_equal

from assets.questions.egocross.animal_identification import BUILDER
from tests.assets.questions.egocross.animals import assert_whole, kinds, recording, released, tables

LABELS = ("cat", "dog", "turtle", "eagle")


def test_every_labelled_recording_is_asked_about_once() -> None:
    made = BUILDER.make(tables([*kinds("species", LABELS), recording("x", species=None)]))
    assert_whole(made)
    assert sorted(made["recording_id"]) == sorted(f"{x}{i}" for x in LABELS for i in range(2))
    for q in made.to_dicts():
        assert q["answer_text"] == q["recording_id"][:-1]
        assert {o["text"] for o in q["options"]} == set(LABELS)


def test_a_clip_is_the_middle_of_a_recording() -> None:
    for q in BUILDER.make(tables(kinds("species", LABELS))).to_dicts():
        (medium,) = q["media"]
        assert medium["end_s"] - medium["start_s"] == 30
        assert medium["start_s"] + medium["end_s"] == 40


def test_as_the_paper_shows_all_of_it() -> None:
    made = BUILDER.under("paper").make(tables(kinds("species", LABELS)))
    assert_whole(made)
    assert {(q["media"][0]["start_s"], q["media"][0]["end_s"]) for q in made.to_dicts()} == {
        (0, 40)
    }


def test_the_released_testbed_asks_alike(shared: Path) -> None:
    theirs = released(shared, "animal identification")
    assert len(theirs) == 13
    ours = BUILDER.under("paper").make(tables(kinds("species", LABELS)))
    assert set(ours["text"]) == {i["question_text"] for i in theirs}
    options = {text.partition(": ")[2] for i in theirs for text in i["options"]}
    assert {o["text"] for options in ours["options"] for o in options} <= options


def test_recordings_of_a_moment_or_of_unknown_length_are_left_out() -> None:
    rows = [recording("short", species="cat", duration_s=3.9), recording("long", species="cat")]
    rows += [recording("unknown", species="cat", duration_s=None)]
    asked = BUILDER.make(tables([*rows, *kinds("species", LABELS)]))["recording_id"].to_list()
    assert "short" not in asked and "unknown" not in asked


def test_fewer_than_four_labels_make_no_question() -> None:
    assert BUILDER.make(tables(kinds("species", LABELS[:3]))).is_empty()


@pytest.mark.parametrize("reading", ["strict", "paper"])
def test_a_kind_is_not_offered_beside_what_belongs_to_it(reading: str) -> None:
    rows = kinds("species", (*LABELS, "sea turtle"))
    for q in BUILDER.under(reading).make(tables(rows)).to_dicts():
        assert not {"sea turtle", "turtle"} <= {o["value"] for o in q["options"]}


def test_no_label_is_right_too_often_or_a_distractor_too_often() -> None:
    rows = [
        *kinds("species", LABELS[:1], 100),
        *kinds("species", (*LABELS[1:], "wolf", "lizard"), 4),
    ]
    made = BUILDER.make(tables(rows)).to_dicts()
    right = Counter(q["answer_text"] for q in made)
    assert right[LABELS[0]] == 15
    offered = Counter(o["text"] for q in made for o in q["options"])
    assert all(offered[x] <= 8 * right[x] for x in right)


def test_order_of_rows_means_nothing() -> None:
    given = tables(kinds("species", LABELS))
    turned = {name: frame.reverse() for name, frame in given.items()}
    assert_frame_equal(BUILDER.make(given), BUILDER.make(turned))


def test_the_builder_reads_what_it_says() -> None:
    given = tables(kinds("species", LABELS))
    narrowed = {name: given[name].select(columns) for name, columns in BUILDER.reads.items()}
    assert_frame_equal(BUILDER.make(narrowed), BUILDER.make(given))
