"""Dominant object questions from a few operations put down by hand."""

from __future__ import annotations

import re
from pathlib import Path

import polars as pl
import pytest
from polars.testing import assert_frame_equal

from assets.questions.egocross.dominant_object import BUILDER, LEADS, LEADS_SENT
from assets.questions.egocross.even import EVEN
from assets.questions.egocross.stretches import COVERED
from assets.questions.kit.funnel import counting
from expectations.schemas import TABLES
from tests.assets.questions.egocross.animals import Row, Tables, assert_whole, released
from tests.assets.questions.egocross.surgeries import (
    TOOLS,
    Seen,
    assert_even,
    box,
    in_turn,
    operations,
)

HOOK, BAG = ("hook", "MSRH"), ("specimenbag", "MSRH")
# Operations with every tool but the hook, so that a hook in `x` is asked about.
OTHERS: dict[str, Seen] = in_turn(12, [tool for tool in TOOLS if tool != "hook"])


def of(made: pl.DataFrame, uid: str) -> list[Row]:
    return made.filter(pl.col("recording_id") == uid).to_dicts()


def beside(seen: Seen) -> Tables:
    """Operation `x` beside others in which the hand holds each tool."""
    return operations({**OTHERS, "x": seen})


def test_the_tool_of_most_pictures_is_right() -> None:
    given = beside({HOOK: range(7), BAG: range(7, 10), ("grasper", "MSLH"): range(10)})
    made = BUILDER.make(given)
    assert_whole(made)
    (q,) = (q for q in of(made, "x") if "right hand" in q["text"])
    assert q["text"] == "Which tool does the main surgeon's right hand use longest in this video?"
    assert q["answer_text"] == "hook"
    assert q["detailed_answer"] == (
        "In the 10 annotated pictures of the clip the main surgeon's right hand uses these tools:"
        " hook in 7; specimen-bag in 3. It uses the hook in at least 4 more pictures than any"
        " other tool."
    )
    (clip,) = q["media"]
    assert (clip["start_s"], clip["end_s"]) == (0.0, 10.0)
    roles = [(e["table"], e["role"]) for e in q["evidence"]]
    assert roles.count(("boxes", "answer")) == 7 and roles.count(("boxes", "context")) == 3
    assert roles.count(("annotated_frames", "coverage")) == 10


CASES: dict[str, tuple[Seen, str]] = {
    "a lead of one": ({HOOK: range(5), BAG: range(4, 8)}, LEADS),
    "equally long": ({HOOK: range(5), BAG: range(5, 10)}, LEADS),
    "an unknown hand": ({HOOK: range(6), ("bipolar", None): range(5, 10)}, LEADS),
    "not in the pictures sent": ({HOOK: (1, 3, 5, 7, 9, 0), BAG: (2, 4)}, LEADS_SENT),
}


@pytest.mark.parametrize("case", CASES)
def test_what_does_not_lead_is_counted(case: str) -> None:
    seen, rule = CASES[case]
    with counting() as without:
        BUILDER.make(operations(OTHERS))
    with counting() as refused:
        made = BUILDER.make(beside(seen))
    assert refused[rule] - without[rule] == 1
    assert of(made, "x") == []


def test_the_paper_asks_for_any_lead() -> None:
    paper = BUILDER.under("paper")
    made = paper.make(beside({HOOK: range(5), BAG: range(4, 8)}))
    assert_whole(made)
    (q,) = of(made, "x")
    assert q["answer_text"] == "hook"
    assert of(paper.make(beside({HOOK: range(5), BAG: range(5, 10)})), "x") == []
    assert of(paper.make(beside({HOOK: range(6), ("bipolar", None): range(6)})), "x")


@pytest.mark.parametrize("looked", [(0, 1, 2, 3, 5, 6, 7, 8, 9), (0, 2, 4, 6, 7, 8, 9)])
@pytest.mark.parametrize("reading", ["strict", "paper"])
def test_a_clip_that_is_not_annotated_is_not_asked_about(
    looked: tuple[int, ...], reading: str
) -> None:
    """A picture that is sent is not, or two of ten."""
    hooked: Seen = {HOOK: range(10)}
    given = operations({**OTHERS, "x": hooked}, annotated={"x": looked})
    with counting() as refused:
        made = BUILDER.under(reading).make(given)
    assert of(made, "x") == [] and refused[COVERED] >= 1


def test_every_tool_of_a_hand_is_right_as_often_as_chance_has_it() -> None:
    """The hand holds a hook in most operations: most of these are not asked about."""
    hooks: dict[str, Seen] = {f"h{i:02}": {HOOK: range(10)} for i in range(40)}
    with counting() as refused:
        made = BUILDER.make(operations({**in_turn(35), **hooks}))
    assert made.height >= 20 and refused[EVEN] >= 25
    assert_even(made.to_dicts())


def test_clips_of_a_recording_do_not_overlap() -> None:
    seen = {
        (tool, "MSRH"): range(10 * i, 10 * i + 10) for i, tool in enumerate(("hook", "grasper"))
    }
    made = BUILDER.make(operations({**in_turn(14), "x": seen}, length=20))
    assert [q["media"][0]["start_s"] for q in of(made, "x")] in ([0.0, 10.0], [10.0, 0.0])


# -- hands that are boxed --------------------------------------------------------------------------


def hand(uid: str, t: int, side: str, left: float, owner: str = "wearer") -> Row:
    name = f"{'Own' if owner == 'wearer' else 'Other'} hands {side}"
    place = {"x_min": left, "x_max": left + 0.1, "hand_owner": owner, "hand_side": side}
    return box(uid, t, name, None) | place


def with_hands(at: dict[str, list[Row]]) -> Tables:
    """Operations in which the left hand of the wearer is at each tool, and `x` with the boxes given."""
    given = operations({**OTHERS, "x": {}})
    boxes = [row | {"operator": None} for row in given["boxes"].to_dicts()]
    boxes += [hand(uid, t, "left", 0.35) for uid in OTHERS for t in range(10)]
    frames = given["annotated_frames"].to_dicts()
    return given | {
        "boxes": TABLES["boxes"].frame([*boxes, *(row for rows in at.values() for row in rows)]),
        "annotated_frames": TABLES["annotated_frames"].frame(
            [*frames, *(row | {"what": "hands"} for row in frames)]
        ),
    }


def scene(*extra: Row) -> list[Row]:
    """The hand is at a hook in six pictures; a bipolar lies in a corner."""
    corner = {"x_min": 0.0, "x_max": 0.1}
    rows = [box("x", t, "hook", None) for t in range(6)]
    rows += [box("x", t, "bipolar", None) | corner for t in range(10)]
    return [*rows, *(hand("x", t, "left", 0.35) for t in range(10)), *extra]


def test_a_hand_is_at_the_tool_that_its_box_meets() -> None:
    made = BUILDER.make(with_hands({"x": scene()}))
    assert_whole(made)
    (q,) = of(made, "x")
    assert q["text"] == "Which tool does the camera wearer's left hand use longest in this video?"
    assert q["answer_text"] == "hook" and "hook in 6." in q["detailed_answer"]
    assert all("hands" not in o["text"] for row in made.to_dicts() for o in row["options"])


DOUBTS = {
    "another hand is at the tool too": [hand("x", t, "right", 0.5, "other") for t in range(5)],
    "two left hands": [hand("x", t, "left", 0.8) | {"box_id": f"y{t}"} for t in range(5)],
    "the hand meets two tools": [box("x", t, "scissors", None) for t in range(5)],
}


@pytest.mark.parametrize("doubt", DOUBTS)
def test_a_hand_in_doubt_does_not_count(doubt: str) -> None:
    assert of(BUILDER.make(with_hands({"x": scene(*DOUBTS[doubt])})), "x") == []


def test_masks_and_pictures_without_hands_do_not_count() -> None:
    masks = [box("x", t, "mask", None, method="mask") | {"box_id": f"m{t}"} for t in range(10)]
    given = with_hands({"x": scene(*masks)})
    assert len(of(BUILDER.make(given), "x")) == 1
    lost = (pl.col("what") == "hands") & (pl.col("recording_id") == "x") & (pl.col("t_s") == 4)
    frames = given["annotated_frames"].filter(~lost)
    assert of(BUILDER.make(given | {"annotated_frames": frames}), "x") == []


# -- the testbed, and form -------------------------------------------------------------------------


def test_the_released_testbed_asks_alike(shared: Path) -> None:
    theirs = released(shared, "dominant held-object identification")
    blank = re.compile(
        r"(?<=was the )[a-z ]+(?= predom)|(left|right)(?= hand pre)|\d+(\.\d+)?(?=s)"
    )
    for dataset, n, given in (
        ("CholecTrack20", 26, operations(in_turn(14))),
        ("EgoSurgery", 40, with_hands({"x": scene()})),
    ):
        texts = [i["question_text"] for i in theirs if i["dataset"] == dataset]
        assert len(texts) == n
        ours = BUILDER.under("paper").make(given)["text"]
        assert {blank.sub("_", t) for t in ours} == {blank.sub("_", t) for t in texts}


def test_order_of_rows_means_nothing() -> None:
    given = beside({HOOK: range(7), BAG: range(7, 10)})
    turned = {name: frame.reverse() for name, frame in given.items()}
    assert_frame_equal(BUILDER.make(given), BUILDER.make(turned))


def test_the_builder_reads_what_it_says() -> None:
    given = with_hands({"x": scene()})
    narrowed = {
        name: given[name] if columns is None else given[name].select(columns)
        for name, columns in BUILDER.reads.items()
    }
    assert_frame_equal(BUILDER.make(narrowed), BUILDER.make(given))
