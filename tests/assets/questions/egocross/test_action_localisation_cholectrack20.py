"""When a hand begins an action of a tool, from a few operations put down by hand."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

import pytest
from polars.testing import assert_frame_equal

from assets.questions.egocross.action_localisation_cholectrack20 import BUILDER, KNOWN, ONCE
from assets.questions.egocross.stretches import COVERED
from assets.questions.kit.funnel import counting
from expectations.schemas import TABLES
from tests.assets.questions.egocross.animals import (
    Tables,
    assert_whole,
    recording,
    released,
    segment,
)

Done = tuple[str, str | None, float, float]
CLIP: Done = ("clipper,clip,cystic_duct", "MSRH", 20.0, 24.0)
LENGTH = 60


def operation(*done: Done, looked: Iterable[int] = range(LENGTH)) -> Tables:
    """An operation in which this is done, by action, operator, start and end."""
    acts = []
    for name, who, start, end in done:
        row = segment("x", name, start, end) | {"actor_id": who}
        acts.append(row | {"segment_id": f"x/{start:g}/{who}/{name}"})
    frames = [
        {"source": "s", "recording_id": "x", "what": "tools", "source_frame": 25 * t + 1, "t_s": t}
        for t in map(float, looked)
    ]
    return {
        "recordings": TABLES["recordings"].frame([recording("x", duration_s=float(LENGTH))]),
        "segments": TABLES["segments"].frame(acts),
        "annotated_frames": TABLES["annotated_frames"].frame(frames),
    }


def test_the_first_picture_of_the_action_is_right() -> None:
    """It is sent, and so are those of the other options."""
    given = operation(CLIP, ("grasper,retract,gallbladder", "MSLH", 1.0, 59.0))
    made = BUILDER.make(given)
    assert_whole(made)
    (q,) = made.to_dicts()
    (clip,) = q["media"]
    at_s = 20.0 - clip["start_s"]
    assert clip["end_s"] - clip["start_s"] == 20.0 and at_s % 2 == 0 and at_s > 0
    assert q["text"] == (
        "At what time in this video does the main surgeon's right hand begin to use the clipper to clip"
        " the cystic duct?"
    )
    assert q["answer_text"] == f"{at_s:g} s"
    assert all(float(o["value"]) % 2 == 0 for o in q["options"])
    assert f"all {at_s + 1:g} pictures up to then" in q["detailed_answer"]
    frames = [e for e in q["evidence"] if e["role"] == "coverage"]
    assert len(frames) == at_s + 1


CASES: dict[str, tuple[list[Done], str]] = {
    "nobody is named": ([("clipper,clip,cystic_duct", None, 20.0, 24.0)], KNOWN),
    "again in every clip": ([CLIP, (*CLIP[:2], 25.0, 26.0), (*CLIP[:2], 15.0, 16.0)], ONCE),
    "nobody is named beside it": (
        [CLIP, (CLIP[0], None, 19.0, 20.0), (CLIP[0], None, 24.0, 25.0)],
        ONCE,
    ),
    "too early": ([(*CLIP[:2], 1.0, 3.0)], ONCE),
    "too late": ([(*CLIP[:2], 59.0, 60.0)], ONCE),
}


@pytest.mark.parametrize("case", CASES)
def test_what_is_not_asked_is_counted(case: str) -> None:
    done, rule = CASES[case]
    with counting() as refused:
        made = BUILDER.make(operation(*done))
    assert refused[rule] >= 1
    assert made.filter(made["text"].str.contains("clip")).is_empty()


@pytest.mark.parametrize(("reading", "lost"), [("strict", 19), ("strict", 21), ("paper", 19)])
def test_a_picture_that_nobody_looked_at_may_show_it(reading: str, lost: int) -> None:
    given = operation(CLIP, looked=[t for t in range(LENGTH) if t != lost])
    with counting() as refused:
        assert BUILDER.under(reading).make(given).is_empty()
    assert refused == {COVERED: 1}


def test_another_hand_or_another_target_is_another_action() -> None:
    others: list[Done] = [
        ("clipper,clip,cystic_duct", "ASRH", 18.0, 40.0),
        ("clipper,clip,cystic_artery", "MSRH", 10.0, 19.0),
    ]
    made = BUILDER.make(operation(CLIP, *others))
    assert (
        made.filter(made["text"].str.contains("main surgeon's right hand.*cystic duct")).height == 1
    )


def test_the_paper_asks_for_the_first_at_any_second() -> None:
    again: Done = ("clipper,clip,cystic_duct", "MSRH", 26.0, 30.0)
    made = BUILDER.under("paper").make(operation(CLIP, again))
    assert_whole(made)
    for q in made.to_dicts():
        (clip,) = q["media"]
        first = 20.0 if clip["start_s"] < 20 else 26.0
        assert q["answer_text"] == f"{first - clip['start_s']:.1f}s"
        assert all(re.fullmatch(r"\d+\.0s", o["text"]) for o in q["options"])


def test_the_released_testbed_asks_in_these_words(shared: Path) -> None:
    """Each of the 19 is rendered byte for byte."""
    items = [
        i
        for i in released(shared, "action temporal localization")
        if i["dataset"] == "CholecTrack20"
    ]
    assert len(items) == 19
    operators = {
        "main surgeon left hand": "MSLH",
        "main surgeon right hand": "MSRH",
        "assistant surgeon right hand": "ASRH",
    }
    for item in items:
        said = re.search(
            r"does the (.+) first start (\w+) (.+) using (.+)\?", item["question_text"]
        )
        assert said is not None
        label = f"{said[4]},{said[2]},{said[3].replace(' ', '_')}"
        done = (label, operators[said[1]], 20.0, 24.0)
        (q,) = BUILDER.under("paper").make(operation(done)).to_dicts()
        assert q["text"] == item["question_text"]


def test_order_of_rows_and_undeclared_columns_mean_nothing() -> None:
    given = operation(CLIP, ("grasper,retract,gallbladder", "MSLH", 30.0, 59.0))
    turned = {name: frame.reverse() for name, frame in given.items()}
    assert_frame_equal(BUILDER.make(given), BUILDER.make(turned))
    narrowed = {
        name: given[name] if columns is None else given[name].select(columns)
        for name, columns in BUILDER.reads.items()
    }
    assert_frame_equal(BUILDER.make(narrowed), BUILDER.make(given))
