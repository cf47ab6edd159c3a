"""How many kinds of things a clip of a workbench shows, from a few boxes put down by hand."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest
from polars.testing import assert_frame_equal

from assets.questions.egocross.object_counting import SENT
from assets.questions.egocross.object_counting_enigma51 import BUILDER
from assets.questions.egocross.stretches import COVERED
from assets.questions.kit.funnel import counting
from tests.assets.questions.egocross.animals import Row, assert_whole, released
from tests.assets.questions.egocross.benches import REFINED, Seen, repairs
from tests.assets.questions.egocross.surgeries import assert_even

SHOWN: Seen = {
    "left_red_button": range(5),
    "right_red_button": range(10),
    "low_voltage_board": (2,),
    "high_voltage_board": range(6, 9),
    "pliers": range(10),
}
SINGLE = (
    "pliers",
    "screwdriver",
    "screen",
    "register",
    "oscilloscope",
    "power_supply",
    "welder_base",
)


def of(made: pl.DataFrame, uid: str) -> list[Row]:
    return made.filter(pl.col("recording_id") == uid).to_dicts()


def kinds(n: int) -> Seen:
    return {name: range(10) for name in SINGLE[:n]}


def test_things_of_one_kind_count_as_one() -> None:
    made = BUILDER.make(repairs({"x": SHOWN}))
    assert_whole(made)
    (q,) = made.to_dicts()
    assert q["text"] == (
        "How many different kinds of things are in view in this video, whether fully or in part?"
        " Tools, devices and components count; things of one kind, such as buttons or boards, count"
        " as one."
    )
    assert q["answer_text"] == "3"
    assert q["detailed_answer"] == (
        "In the 10 annotated pictures of the clip these things are in view: board in 4; button in 10;"
        " pliers in 10. Different kinds in all: 3."
    )


def test_without_the_list_every_class_counts() -> None:
    (q,) = BUILDER.make(repairs({"x": SHOWN}, refined={})).to_dicts()
    assert q["answer_text"] == "5"


def test_a_changed_line_moves_no_question_without_the_class() -> None:
    given = {"x": SHOWN, "y": {"pliers": range(10), "screen": range(10)}}
    parted = {**REFINED, "high_voltage_board": "high_voltage_board"}
    builder = BUILDER.under("paper")
    before, after = (builder.make(repairs(given, refined=list_)) for list_ in (REFINED, parted))
    assert of(before, "y") == of(after, "y")
    assert [q["answer_text"] for q in of(before, "x") + of(after, "x")] == ["3", "4"]


def test_a_kind_between_the_pictures_sent_is_counted_by_the_paper_alone() -> None:
    seen = {**SHOWN, "screwdriver": (3.5, 5)}
    looked = {"x": sorted([*range(10), 3.5])}
    given = repairs({"x": seen}, annotated=looked)
    with counting() as refused:
        assert BUILDER.make(given).is_empty()
    # Clips that begin between two seconds are sent frames that nobody annotated.
    assert refused == {SENT: 1}
    (q,) = BUILDER.under("paper").make(given).to_dicts()
    assert q["answer_text"] == "4" and "screwdriver in 2" in q["detailed_answer"]


@pytest.mark.parametrize("reading", ["strict", "paper"])
@pytest.mark.parametrize("lost", [{4}, {3, 5}])
def test_counts_are_asked_only_where_somebody_looked(reading: str, lost: set[int]) -> None:
    looked = {"x": [t for t in range(10) if t not in lost]}
    with counting() as refused:
        made = BUILDER.under(reading).make(repairs({"x": SHOWN, "y": kinds(2)}, annotated=looked))
    assert of(made, "x") == [] and refused[COVERED] >= 1
    assert len(of(made, "y")) == 1


def test_no_number_is_a_good_guess() -> None:
    many: dict[str, Seen] = {f"V{n}-{i}": kinds(n) for n in range(1, 8) for i in range(6)}
    made = BUILDER.make(repairs(many)).to_dicts()
    assert len(made) >= 20
    assert_even(made)


def test_the_released_testbed_asks_alike(shared: Path) -> None:
    items = released(shared, "object counting")
    texts = [i["question_text"] for i in items if i["dataset"] == "ENIGMA"]
    assert len(texts) == 64
    assert {*BUILDER.under("paper").make(repairs({"x": SHOWN}))["text"]} == {*texts}


def test_order_of_rows_and_undeclared_columns_mean_nothing() -> None:
    given = repairs({"x": SHOWN, "y": kinds(2)})
    turned = {name: frame.reverse() for name, frame in given.items()}
    assert_frame_equal(BUILDER.make(given), BUILDER.make(turned))
    narrowed = {
        name: given[name] if columns is None else given[name].select(columns)
        for name, columns in BUILDER.reads.items()
    }
    assert_frame_equal(BUILDER.make(narrowed), BUILDER.make(given))
