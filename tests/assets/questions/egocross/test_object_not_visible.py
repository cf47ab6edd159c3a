"""Object not visible questions from a few operations put down by hand."""

from __future__ import annotations

import re
from itertools import combinations
from pathlib import Path

import polars as pl
import pytest
from polars.testing import assert_frame_equal

from assets.questions.egocross.even import EVEN
from assets.questions.egocross.object_not_visible import ABSENT, BUILDER, IN_VIEW
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

WHO = ("MSLH", "MSRH", "ASRH")


def of(made: pl.DataFrame, uid: str) -> list[Row]:
    return made.filter(pl.col("recording_id") == uid).to_dicts()


def three(*tools: str) -> Seen:
    return {(tool, who): range(10) for tool, who in zip(tools, WHO, strict=True)}


# Every three of four tools that the operation `x` of a test never shows.
OTHERS: dict[str, Seen] = {
    f"V{i}": three(*tools)
    for i, tools in enumerate(combinations(("scissors", "clipper", "bipolar", "specimenbag"), 3))
}
SHOWN: Seen = three("grasper", "hook", "irrigator")


def test_the_tool_that_no_picture_shows_is_right() -> None:
    made = BUILDER.make(operations({**OTHERS, "x": SHOWN}))
    assert_whole(made)
    (q,) = of(made, "x")
    assert q["text"] == "Which of these tools is not in view at any time in this video?"
    (right,) = [o for o in q["options"] if o["is_answer"]]
    assert right["value"] in {"scissors", "clipper", "bipolar", "specimenbag"}
    assert {o["text"] for o in q["options"] if o is not right} == {"grasper", "hook", "irrigator"}
    assert q["detailed_answer"] == (
        "In the 10 annotated pictures of the clip these tools are in view: grasper in 10; hook in"
        f" 10; irrigator in 10. No such picture shows the {right['text']}."
    )
    roles = [(e["table"], e["role"]) for e in q["evidence"]]
    assert roles.count(("boxes", "context")) == 3
    assert roles.count(("annotated_frames", "answer")) == 10


def test_what_is_seen_once_is_neither_absent_nor_offered() -> None:
    once = {(tool, None): (3,) for tool in ("scissors", "clipper")}
    for reading in ("strict", "paper"):
        made = BUILDER.under(reading).make(operations({**OTHERS, "x": {**SHOWN, **once}}))
        (q,) = of(made, "x")
        (right,) = [o["value"] for o in q["options"] if o["is_answer"]]
        assert right in {"bipolar", "specimenbag"}
        if reading == "strict":
            assert {"scissors", "clipper"}.isdisjoint(o["value"] for o in q["options"])


ALL: Seen = {(tool, None): range(10) for tool in TOOLS}
CASES: dict[str, tuple[Seen, str]] = {
    "two tools": ({k: v for k, v in SHOWN.items() if k[0] != "hook"}, IN_VIEW),
    "a third between the pictures sent": ({**SHOWN, ("hook", "MSRH"): range(1, 10, 2)}, IN_VIEW),
    "a third in one picture sent": ({**SHOWN, ("hook", "MSRH"): (4, 5, 7)}, IN_VIEW),
    "all tools": (ALL, ABSENT),
}


@pytest.mark.parametrize("case", CASES)
def test_what_cannot_be_asked_is_counted(case: str) -> None:
    seen, rule = CASES[case]
    with counting() as without:
        BUILDER.make(operations(OTHERS))
    with counting() as refused:
        made = BUILDER.make(operations({**OTHERS, "x": seen}))
    assert refused[rule] - without[rule] == 1
    assert of(made, "x") == []


def test_the_paper_offers_what_any_picture_shows() -> None:
    seen: Seen = {**SHOWN, ("hook", "MSRH"): (5,)}
    made = BUILDER.under("paper").make(operations({**OTHERS, "x": seen}))
    assert_whole(made)
    assert len(of(made, "x")) == 1


@pytest.mark.parametrize("reading", ["strict", "paper"])
@pytest.mark.parametrize("lost", [{4}, {3, 5}])
def test_absence_is_asked_only_where_somebody_looked(reading: str, lost: set[int]) -> None:
    """A picture that is sent is not annotated, or two of ten."""
    looked = {"x": [t for t in range(10) if t not in lost]}
    with counting() as refused:
        given = operations({**OTHERS, "x": SHOWN}, annotated=looked)
        made = BUILDER.under(reading).make(given)
    assert of(made, "x") == [] and refused[COVERED] >= 1


def test_hands_and_masks_are_no_tools() -> None:
    given = operations({**OTHERS, "x": SHOWN})
    hands = [
        box("x", t, f"hand{i}", None, hand_owner="wearer", hand_side="left")
        for t in range(10)
        for i in range(3)
    ]
    masks = [box("x", t, tool, None, method="mask") for t in range(10) for tool in TOOLS]
    more = TABLES["boxes"].frame([*given["boxes"].to_dicts(), *hands, *masks])
    assert_frame_equal(BUILDER.make(given | {"boxes": more}), BUILDER.make(given))


def test_what_is_always_in_view_is_seldom_offered() -> None:
    """Grasper and hook are in every operation, which tells more than the video."""
    seen: dict[str, Seen] = {
        f"{tool}{i}": three("grasper", "hook", tool) for tool in TOOLS[3:] for i in range(8)
    }
    with counting() as refused:
        made = BUILDER.make(operations({**seen, **OTHERS}))
    assert refused[EVEN] >= 20
    assert_even(made.to_dicts())
    assert_even(BUILDER.make(operations(seen)).to_dicts())


def test_clips_have_the_lengths_of_the_testbed() -> None:
    seen = {key: range(60) for key in SHOWN}
    made = BUILDER.under("paper").make(operations({**OTHERS, "x": seen}, length=60))
    spans = [(q["media"][0]["start_s"], q["media"][0]["end_s"]) for q in of(made, "x")]
    lengths = sorted(end - start for start, end in spans)
    assert lengths == [10.0] * 6 + [20.0] * 3 + [60.0]


def test_the_released_testbed_asks_alike(shared: Path) -> None:
    theirs = released(shared, "object not visible identification")
    blank = re.compile(r"\d+(\.\d+)?(?=s)")
    given = operations({**OTHERS, "x": SHOWN})
    unnamed = given | {"boxes": given["boxes"].with_columns(operator=pl.lit(None, pl.String))}
    for dataset, tables in (("CholecTrack20", given), ("EgoSurgery", unnamed)):
        texts = {i["question_text"] for i in theirs if i["dataset"] == dataset}
        ours = BUILDER.under("paper").make(tables)["text"]
        assert {blank.sub("_", t) for t in ours} == {blank.sub("_", t) for t in texts}
        assert all("from 0.0" in t for t in ours)


def test_order_of_rows_means_nothing() -> None:
    given = operations({**OTHERS, "x": SHOWN})
    turned = {name: frame.reverse() for name, frame in given.items()}
    assert_frame_equal(BUILDER.make(given), BUILDER.make(turned))


def test_the_builder_reads_what_it_says() -> None:
    given = operations({**OTHERS, "x": SHOWN})
    narrowed = {
        name: given[name] if columns is None else given[name].select(columns)
        for name, columns in BUILDER.reads.items()
    }
    assert_frame_equal(BUILDER.make(narrowed), BUILDER.make(given))
