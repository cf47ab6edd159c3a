"""Where a thing is when a hand meets it, from a few points and boxes put down by hand."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest
from polars.testing import assert_frame_equal

from assets.questions.egocross.object_localisation_enigma51 import (
    BOXED,
    BUILDER,
    MARGIN,
    NAMED,
)
from assets.questions.kit.funnel import counting
from expectations.schemas import TABLES
from tests.assets.questions.egocross.animals import Tables, assert_whole, released
from tests.assets.questions.egocross.benches import Point, benches
from tests.assets.questions.egocross.surgeries import box

At = tuple[float, float]
TAKEN: Point = ("take", "right", "red_board", 14.0)
LENGTH = 30


def bench(points: list[Point], moved: Mapping[str, At] | None = None) -> Tables:
    """A board, which is moved from the top left to the middle at 16 s, and pliers; all boxed every second.

    Args:
        points: What hands do.
        moved: Where the middle of other things is, by name.
    """
    boxes = []
    for t in range(LENGTH):
        places: dict[str, At] = {"red_board": (0.15, 0.2) if t < 16 else (0.5, 0.5)}
        places |= {"pliers": (0.8, 0.8), **(moved or {})}
        for name, (x, y) in places.items():
            sides = {"x_min": x - 0.1, "x_max": x + 0.1, "y_min": y - 0.1, "y_max": y + 0.1}
            boxes.append(box("x", t, name, None, source_frame=30 * t, **sides))
    frames = [
        {
            "source": "s",
            "recording_id": "x",
            "what": "objects",
            "source_frame": 30 * t,
            "t_s": float(t),
        }
        for t in range(LENGTH)
    ]
    given = benches({"x": points}, float(LENGTH))
    length = given["recordings"].with_columns(media_duration_s=float(LENGTH))
    return given | {
        "recordings": length,
        "images": TABLES["images"].frame([]),
        "boxes": TABLES["boxes"].frame(boxes),
        "annotated_frames": TABLES["annotated_frames"].frame(frames),
    }


@pytest.mark.parametrize("reading", ["strict", "paper"])
def test_the_cell_of_the_thing_is_right(reading: str) -> None:
    made = BUILDER.under(reading).make(bench([TAKEN]))
    assert_whole(made)
    (q,) = made.to_dicts()
    assert q["answer_text"] == "top-left"
    (clip,) = q["media"]
    assert f"{14.0 - clip['start_s']:.2f}" in q["text"]
    assert ("segments", "x/take/right/red_board/14", "event") in {
        (e["table"], e["key"], e["role"]) for e in q["evidence"]
    }


def test_the_instant_is_sent_and_the_thing_is_elsewhere_at_another() -> None:
    (q,) = BUILDER.make(bench([TAKEN])).to_dicts()
    (clip,) = q["media"]
    assert (14.0 - clip["start_s"]) % 2 == 0
    assert "center" in {o["value"] for o in q["options"]}


@pytest.mark.parametrize(
    ("point", "moved", "rule"),
    [
        (("take", None, "red_board", 14.0), {}, NAMED),
        (("take", "right", None, 14.0), {}, NAMED),
        (("take", "right", "battery", 14.0), {}, BOXED),
        (("take", "right", "red_board", 14.5), {}, BOXED),
        (("take", "right", "red_board", 14.0), {"red_board": (0.35, 0.2)}, MARGIN),
    ],
    ids=["no hand", "no object", "no box", "no frame", "on a line"],
)
def test_what_is_not_asked_is_counted(point: Point, moved: Mapping[str, At], rule: str) -> None:
    with counting() as refused:
        assert BUILDER.make(bench([point], moved)).is_empty()
    assert refused == {rule: 1}


def test_what_never_moves_is_not_asked() -> None:
    """Its cell could be told without the instant."""
    assert BUILDER.make(bench([("first_contact", "left", "pliers", 14.0)])).is_empty()


def test_that_a_hand_leaves_a_thing_is_not_asked() -> None:
    with counting() as refused:
        assert BUILDER.make(bench([("release", "right", "red_board", 16.0)])).is_empty()
    assert not refused


def test_the_released_testbed_asks_in_these_words(shared: Path) -> None:
    """Each of the 32 is rendered byte for byte, with the time that our clip has."""
    items = [i for i in released(shared, "object spatial localization") if i["dataset"] == "ENIGMA"]
    assert len(items) == 32
    verbs = {"contact": "first_contact"}
    for item in items:
        before, _, after = item["question_text"].partition(" located when the operator's ")
        thing = before.partition("was the ")[2]
        hand, verb = after.split()[0], after.split()[4]
        point: Point = (verbs.get(verb) or verb, hand, thing, 14.0)
        (q,) = BUILDER.under("paper").make(bench([point], {thing: (0.5, 0.5)})).to_dicts()
        (clip,) = q["media"]
        ours = f"{14.0 - clip['start_s']:.2f}s"
        theirs = after.partition("timestamp ")[2].split()[0]
        assert q["text"] == item["question_text"].replace(f"{theirs} ", f"{ours} ", 1)


def test_order_of_rows_and_undeclared_columns_mean_nothing() -> None:
    given = bench([TAKEN])
    turned = {name: frame.reverse() for name, frame in given.items()}
    assert_frame_equal(BUILDER.make(given), BUILDER.make(turned))
    narrowed = {
        name: given[name] if columns is None else given[name].select(columns)
        for name, columns in BUILDER.reads.items()
    }
    assert_frame_equal(BUILDER.make(narrowed), BUILDER.make(given))
