"""Exploration, approximate: a way of one recording, with the intervals it makes worked out by hand."""

from __future__ import annotations

import math
from collections import Counter
from itertools import combinations
from typing import Any

import polars as pl
import pytest

from assets.questions.egoprox.exploration_approximate import BUILDER
from assets.questions.kit.funnel import counting
from expectations.schemas import TABLES
from tests.assets.questions.egoprox.test_exploration_relative import many, path, tables, to

make_questions = BUILDER.make


def leading(turn_deg: float, length_m: float) -> dict[str, Any]:
    """A way whose first leg leads so far to the right of the camera, which looks north-west."""
    east = math.radians(turn_deg - 45.0)
    return path(**to(2.0 + length_m * math.sin(east), 3.0 + length_m * math.cos(east)))


def test_the_question_is_what_the_way_says() -> None:
    made = make_questions(tables(leading(60.0, 1.3)))
    assert made.schema == TABLES["questions"].schema
    (row,) = made.to_dicts()
    assert row["text"] == (
        "Seen from above and relative to the person's viewpoint in the last frame, in which direction"
        " does the person need to walk first to reach the mug without walking into anything, and how far"
        " before the way bends or ends?"
    )
    (answer,) = [o for o in row["options"] if o["is_answer"]]
    assert answer["text"] == "45 to 75 degrees to the right, 1 to 1.5 m"
    assert answer["value"] == "45 to 75 deg, 1 to 1.5 m"
    assert len(row["options"]) == 5
    assert row["detailed_answer"] == (
        "The mug was last in view 3.0 s before the last frame. The way to it has a bend and is 3.0 m"
        " long. Its first 1.3 m lead 60 degrees to the right of the camera's forward axis on the ground"
        " plane."
    )
    assert [(e["table"], e["key"], e["role"]) for e in row["evidence"]] == [
        ("paths", "R|7|19000", "answer"),
        ("spatial_facts", "visible/7/13", "seen"),
    ]


@pytest.mark.parametrize(
    ("turn_deg", "length_m", "answer"),
    [
        (0.0, 0.8, "at most 15 degrees to either side, 0.5 to 1 m"),
        (-30.0, 1.7, "15 to 45 degrees to the left, 1.5 to 2 m"),
        (-93.0, 2.2, "75 to 105 degrees to the left, 2 to 3 m"),
        (176.0, 5.0, "at least 165 degrees to either side, 4 to 6 m"),
        (42.0, 1.3, "15 to 45 degrees to the right, 1 to 1.5 m"),
        (42.1, 1.3, None),
        (60.0, 1.04, None),
        (60.0, 9.1, None),
    ],
)
def test_turns_and_lengths_are_told_by_intervals(
    turn_deg: float, length_m: float, answer: str | None
) -> None:
    with counting() as refused:
        made = make_questions(tables(leading(turn_deg, length_m)))
    assert made["answer_text"].to_list() == ([answer] if answer else [])
    assert refused == ({} if answer else {"answer_is_clear": 1})


def test_the_papers_reading_keeps_no_margin() -> None:
    given = tables(leading(42.1, 1.04))
    (row,) = BUILDER.under("paper").make(given).to_dicts()
    assert row["answer_text"] == "15 to 45 degrees to the right, 1 to 1.5 m"
    assert row["recipe"] == "exploration_approximate_paper@1"
    assert BUILDER.under("paper").make(tables(leading(60.0, 9.1))).is_empty()


def test_directions_decide_and_no_direction_is_right_too_often() -> None:
    made = make_questions(many())
    turns = Counter(text.split(",")[0] for text in made["answer_text"])
    assert turns and max(turns.values()) <= 2
    right = {text.rsplit(", ")[1] for text in made["answer_text"]}
    for row in made.to_dicts():
        offered = [option["text"].split(", ") for option in row["options"]]
        assert all(one[0] != other[0] for one, other in combinations(offered, 2))
        assert {length for _, length in offered} <= right, "lengths that are right elsewhere"


def test_the_order_of_rows_and_other_recordings_change_nothing() -> None:
    given = many()
    turned = {name: table.reverse() for name, table in given.items()}
    made = make_questions(given)
    assert make_questions(turned).equals(made)
    other = {n: t.with_columns(recording_id=pl.lit("Q")) for n, t in given.items()}
    both = make_questions({n: pl.concat([given[n], other[n]]) for n in given})
    assert both.filter(pl.col("recording_id") == "R").equals(made)


def test_it_reads_no_more_than_it_says() -> None:
    given = tables(leading(60.0, 1.3))
    told = {
        name: given[name]
        if columns is None
        else TABLES[name].frame(given[name].select("source", *columns).to_dicts())
        for name, columns in BUILDER.reads.items()
    }
    assert make_questions(told).equals(make_questions(given))
