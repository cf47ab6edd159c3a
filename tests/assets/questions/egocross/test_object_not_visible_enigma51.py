"""Things that a clip of a workbench never shows, from a few boxes put down by hand."""

from __future__ import annotations

import re
from itertools import combinations
from pathlib import Path

import polars as pl
import pytest
from polars.testing import assert_frame_equal

from assets.questions.egocross.object_not_visible import ABSENT, IN_VIEW
from assets.questions.egocross.object_not_visible_enigma51 import BUILDER
from assets.questions.egocross.stretches import COVERED
from assets.questions.kit.funnel import counting
from tests.assets.questions.egocross.animals import Row, assert_whole, released
from tests.assets.questions.egocross.benches import Seen, repairs

# Every three of four kinds of things that the recording `x` of a test never shows.
OTHERS: dict[str, Seen] = {
    f"V{i}": {name: range(10) for name in names}
    for i, names in enumerate(
        combinations(("low_voltage_board", "screen", "register", "oscilloscope"), 3)
    )
}
SHOWN: Seen = {
    "left_red_button": range(5),
    "right_red_button": range(5, 10),
    "pliers": range(10),
    "screwdriver": (2, 4, 6),
}


def of(made: pl.DataFrame, uid: str) -> list[Row]:
    return made.filter(pl.col("recording_id") == uid).to_dicts()


def test_the_kind_that_no_picture_shows_is_right() -> None:
    """Neither button is always in view: a button is."""
    made = BUILDER.make(repairs({**OTHERS, "x": SHOWN}))
    assert_whole(made)
    (q,) = of(made, "x")
    assert q["text"] == "Which of these things is not in view at any time in this video?"
    (right,) = [o for o in q["options"] if o["is_answer"]]
    assert right["text"] in {"board", "screen", "register", "oscilloscope"}
    assert {o["text"] for o in q["options"] if o is not right} == {
        "button",
        "pliers",
        "screwdriver",
    }
    assert q["detailed_answer"] == (
        "In the 10 annotated pictures of the clip these things are in view: button in 10; pliers in"
        f" 10; screwdriver in 3. No such picture shows the {right['text']}."
    )


def test_another_thing_of_the_kind_is_not_absent() -> None:
    seen = {**SHOWN, "high_voltage_board": (3,)}
    (q,) = of(BUILDER.make(repairs({**OTHERS, "x": seen})), "x")
    assert "board" not in {o["value"] for o in q["options"]}


def test_pictures_between_two_seconds_count() -> None:
    """At 3.5 s a hand meets something, and everything is boxed: an oscilloscope is in view."""
    looked = {"x": sorted([*range(10), 3.5])}
    seen = {**SHOWN, "oscilloscope": (3.5,)}
    for reading in ("strict", "paper"):
        (q,) = of(
            BUILDER.under(reading).make(repairs({**OTHERS, "x": seen}, annotated=looked)), "x"
        )
        assert "In the 11 annotated" in q["detailed_answer"]
        assert q["answer_text"] != "oscilloscope"


CASES: dict[str, tuple[Seen, str]] = {
    "two kinds": ({k: v for k, v in SHOWN.items() if k != "pliers"}, IN_VIEW),
    "a third in one picture sent": ({**SHOWN, "screwdriver": (2, 3, 5)}, IN_VIEW),
    "all kinds": ({**SHOWN, **{n: (0, 2) for o in OTHERS.values() for n in o}}, ABSENT),
}


@pytest.mark.parametrize("case", CASES)
def test_what_cannot_be_asked_is_counted(case: str) -> None:
    seen, rule = CASES[case]
    with counting() as without:
        BUILDER.make(repairs(OTHERS))
    with counting() as refused:
        made = BUILDER.make(repairs({**OTHERS, "x": seen}))
    assert refused[rule] - without[rule] == 1
    assert of(made, "x") == []


@pytest.mark.parametrize("reading", ["strict", "paper"])
@pytest.mark.parametrize(
    "looked", [{*range(10)} - {4}, {*range(10)} - {3, 5}, ({*range(10)} - {3, 5}) | {7.5, 8.5}]
)
def test_absence_is_asked_only_where_somebody_looked(reading: str, looked: set[float]) -> None:
    """Not of a picture that is sent, or of two seconds; frames between others do not make up for it."""
    given = repairs({**OTHERS, "x": SHOWN}, annotated={"x": sorted(looked)})
    with counting() as refused:
        made = BUILDER.under(reading).make(given)
    assert of(made, "x") == [] and refused[COVERED] >= 1


def test_one_second_of_ten_may_be_missing() -> None:
    looked = {"x": [t for t in range(10) if t != 3]}
    assert len(of(BUILDER.make(repairs({**OTHERS, "x": SHOWN}, annotated=looked)), "x")) == 1


def test_the_released_testbed_asks_alike(shared: Path) -> None:
    items = released(shared, "object not visible identification")
    texts = {i["question_text"] for i in items if i["dataset"] == "ENIGMA"}
    ours = BUILDER.under("paper").make(repairs({**OTHERS, "x": SHOWN}))["text"]
    assert {*ours} == texts
    assert all(re.search(r"from 0\.00s to 10\.00s", text) for text in texts)


def test_order_of_rows_and_undeclared_columns_mean_nothing() -> None:
    given = repairs({**OTHERS, "x": SHOWN})
    turned = {name: frame.reverse() for name, frame in given.items()}
    assert_frame_equal(BUILDER.make(given), BUILDER.make(turned))
    narrowed = {
        name: given[name] if columns is None else given[name].select(columns)
        for name, columns in BUILDER.reads.items()
    }
    assert_frame_equal(BUILDER.make(narrowed), BUILDER.make(given))
