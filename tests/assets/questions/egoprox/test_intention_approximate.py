"""Intention, approximate: the turn to a goal out of view, with the question worked out by hand."""

from __future__ import annotations

from collections import Counter
from itertools import combinations
from typing import Any

import polars as pl
import pytest

from assets.questions.egoprox.bins import TURNS, turn_text
from assets.questions.egoprox.intention_approximate import BUILDER
from assets.questions.egoprox.intention_relative import BUILDER as RELATIVE
from expectations.schemas import TABLES
from tests.assets.questions.egoprox.test_intention_relative import REFUSED, facts, tables


def test_the_question_is_what_the_facts_say() -> None:
    made = BUILDER.make(tables(facts()))
    assert made.schema == TABLES["questions"].schema
    (row,) = made.iter_rows(named=True)
    assert row["text"] == (
        "Seen from above and relative to the person's viewpoint in the last frame, by how much and to"
        " which side does the person need to turn to look towards the mug?"
    )
    (medium,) = row["media"]
    assert (medium["start_s"], medium["end_s"], medium["sampling"]) == (11.0, 19.0, "endpoints")
    (answer,) = [o for o in row["options"] if o["is_answer"]]
    assert answer["text"] == row["answer_text"] == "75 to 105 degrees to the right"
    assert answer["value"] == "75 to 105 deg"
    assert (len(row["options"]), row["chance"]) == (5, 0.2)
    assert row["detailed_answer"] == (
        "The mug was last in view 3.0 s before the last frame. In the last frame its bearing on the"
        " ground plane is 100 degrees to the right of the camera's forward axis, at 1.2 m: 75 to 105"
        " degrees to the right. 1.0 s later the person looks at it."
    )
    assert {(e["key"], e["role"]) for e in row["evidence"]} == {
        ("fixation/7/20", "event"),
        ("bearing/7/19", "answer"),
        ("visible/7/13", "seen"),
        ("distance/7/19", "distance"),
    }


@pytest.mark.parametrize(
    ("turn", "answer"),
    [
        (-11.9, "at most 15 degrees to either side"),
        (12.1, None),
        (-17.9, None),
        (-18.1, "15 to 45 degrees to the left"),
        (101.9, "75 to 105 degrees to the right"),
        (102.1, None),
        (-100.0, "75 to 105 degrees to the left"),
        (-168.1, "at least 165 degrees to either side"),
        (180.0, "at least 165 degrees to either side"),
    ],
)
def test_turns_within_three_degrees_of_an_end_are_not_asked(
    turn: float, answer: str | None
) -> None:
    given = tables(facts(bearing={"value": turn, "margin_deg": 0.1}))
    assert BUILDER.make(given)["answer_text"].to_list() == ([answer] if answer else [])
    (row,) = (
        BUILDER.under("paper")
        .make(tables(facts(bearing={"value": turn, "t_s": 17.0}, distance=None)))
        .to_dicts()
    )
    assert answer in (None, row["answer_text"])
    assert row["recipe"] == "intention_approximate_paper@1"


# A sector's border is not an end of an interval.
OF_BOTH = {name: changed for name, (_, changed) in REFUSED.items() if "margin" not in name}


@pytest.mark.parametrize("changed", OF_BOTH.values(), ids=OF_BOTH.keys())
def test_refused(changed: dict[str, Any]) -> None:
    assert BUILDER.make(tables(facts(**changed))).is_empty()


def many(n: int = 60) -> dict[str, pl.DataFrame]:
    """Moments 30 s apart; goals lie in five directions that may stand beside each other as options."""
    rows = []
    for i in range(n):
        turn = (180.0, 0.0, 60.0, -90.0, 120.0)[i % 5]
        for row in facts(bearing={"value": turn}):
            end = row["end_s"] + 30.0 * i if row.get("end_s") else None
            moved = {"t_s": row["t_s"] + 30.0 * i, "end_s": end, "fact_id": f"{row['fact_id']}/{i}"}
            rows.append(row | moved)
    return tables(rows, duration_s=30.0 * n)


def turns(row: dict[str, Any]) -> list[int]:
    """Bins of the options."""
    numbers = {turn_text(n): n for n in range(TURNS)}
    return [numbers[o["text"]] for o in row["options"]]


def test_options_lie_two_bins_apart_and_are_offered_as_often_as_they_are_right() -> None:
    rows = BUILDER.make(many()).to_dicts()
    assert len(rows) == 60
    offered: Counter[int] = Counter()
    for row in rows:
        offered.update(turns(row))
        for one, other in combinations(turns(row), 2):
            assert (one - other) % TURNS not in (0, 1, TURNS - 1)
    assert Counter(row["answer_text"] for row in rows) == {
        turn_text(n): 12 for n in (0, 2, 4, 6, 9)
    }
    # Five times as often would be sixty times: all that is never right is offered in the first few alone.
    assert all(offered[n] >= 50 for n in (0, 2, 4, 6, 9))


def test_the_same_moments_are_asked_about_in_either_measure() -> None:
    given = tables(facts())
    key = ["recording_id", "media", "evidence", "split", "licence"]
    assert BUILDER.make(given).select(key).equals(RELATIVE.make(given).select(key))


def test_the_order_of_rows_does_not_matter() -> None:
    given = many(12)
    turned = {name: table.reverse() for name, table in given.items()}
    assert BUILDER.make(turned).equals(BUILDER.make(given))


def test_a_new_recording_changes_no_question() -> None:
    one = tables(facts())
    other = {n: t.with_columns(recording_id=pl.lit("Q")) for n, t in one.items()}
    both = BUILDER.make({n: pl.concat([one[n], other[n]]) for n in one})
    assert both.height == 2
    assert both.filter(pl.col("recording_id") == "R").equals(BUILDER.make(one))


def test_it_reads_no_more_than_it_says() -> None:
    given = tables(facts())
    told = {
        name: given[name]
        if columns is None
        else TABLES[name].frame(given[name].select("source", *columns).to_dicts())
        for name, columns in BUILDER.reads.items()
    }
    assert BUILDER.make(told).equals(BUILDER.make(given))
