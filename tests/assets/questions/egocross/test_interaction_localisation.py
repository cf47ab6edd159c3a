"""Interaction localisation from a few interactions put down by hand."""

from __future__ import annotations

import re
from collections import Counter
from itertools import combinations
from pathlib import Path

import polars as pl
import pytest
from polars.testing import assert_frame_equal

from assets.questions.egocross.interaction_localisation import BUILDER
from tests.assets.questions.egocross.animals import (
    Tables,
    assert_whole,
    recording,
    released,
    segment,
    tables,
)

Span = tuple[str, float, float]
BALL: Span = ("ball", 14.0, 18.0)
SPANS: tuple[Span, ...] = (BALL, ("person", 24.0, 29.0), ("ball", 31.0, 35.0))


def world(*spans: Span, length: float | None = 40.0, recordings: int = 1) -> Tables:
    uids = [f"r{i}" for i in range(recordings)]
    rows = [recording(uid, species="cat", duration_s=length) for uid in uids]
    return tables(rows, [segment(uid, *one) for uid in uids for one in spans])


def asked(given: Tables, reading: str = "strict") -> dict[str, dict]:
    """Questions by the object they name."""
    made = BUILDER.under(reading).make(given).to_dicts()
    return {
        re.findall(r"interact with the ([a-z ]+?)(?: in this|\?)", q["text"])[0]: q for q in made
    }


def spans_of(q: dict) -> list[tuple[int, int]]:
    spans = (o["value"].partition("-") for o in q["options"])
    return [(int(start), int(end)) for start, _, end in spans]


def test_the_first_interaction_with_each_object_is_asked_about() -> None:
    made = BUILDER.make(world(*SPANS))
    assert_whole(made)
    found = asked(world(*SPANS))
    assert {name: q["answer_text"] for name, q in found.items()} == {
        "ball": "14 s to 18 s",
        "person": "24 s to 29 s",
    }
    for q in found.values():
        assert [(m["start_s"], m["end_s"]) for m in q["media"]] == [(0.0, 40.0)]


@pytest.mark.parametrize(("reading", "gap"), [("strict", 2), ("paper", 0)])
def test_other_options_are_as_long_and_apart(reading: str, gap: int) -> None:
    for q in asked(world(*SPANS), reading).values():
        (right,) = [tuple(map(int, o["value"].split("-"))) for o in q["options"] if o["is_answer"]]
        spans = spans_of(q)
        assert {b - a for a, b in spans} == {right[1] - right[0]}
        assert all(a >= 0 and b <= 40 for a, b in spans)
        assert all(abs(a - c) >= 2 for (a, _), (c, _) in combinations(spans, 2))
        others = [s for s in spans if s != right]
        assert all(max(a, right[0]) - min(b, right[1]) >= gap for a, b in others)


def test_the_right_span_takes_every_place_in_time() -> None:
    made = BUILDER.make(world(("ball", 28.0, 31.0), length=60.0, recordings=60))
    places = Counter(sorted(spans_of(q)).index((28, 31)) for q in made.to_dicts())
    assert set(places) == {0, 1, 2, 3} and max(places.values()) <= 28


def test_the_released_testbed_asks_alike(shared: Path) -> None:
    theirs = released(shared, "interaction temporal localization")
    assert len(theirs) == 66
    blank = re.compile(r"(?<=does the )[a-z ]+(?= first)|(?<=with the )[a-z ]+(?= in this)")
    made = BUILDER.under("paper").make(world(*SPANS))
    assert {blank.sub("_", t) for t in made["text"]} == {
        blank.sub("_", i["question_text"]) for i in theirs
    }
    form = re.compile(r"\d+\.\d-\d+\.\d seconds")
    texts = [o["text"] for options in made["options"] for o in options]
    texts += [text.partition(": ")[2] for i in theirs for text in i["options"]]
    assert all(form.fullmatch(text) for text in texts)


NOT_ASKED: dict[str, tuple[Tables, bool]] = {
    "taken up again at once": (world(BALL, ("ball", 19.0, 22.0)), True),
    "already going on": (world(("ball", 0.0, 4.0)), True),
    "between two frames": (world(("ball", 14.0, 16.0)), True),
    "an object without a name": (world(("other", 14.0, 18.0)), False),
    "the animal goes on after the end": (world(("ball", 37.0, 41.0)), False),
    "no room for other options": (world(("ball", 4.0, 30.0)), False),
    "a length nobody knows": (world(BALL, length=None), False),
    "another kind of segment": (tables([recording("r", species="cat")], [segment("r", "ball", 14.0, 18.0, "coarse")]), False),
}  # fmt: skip


@pytest.mark.parametrize("case", NOT_ASKED)
def test_what_cannot_be_told_is_not_asked(case: str) -> None:
    given, by_paper = NOT_ASKED[case]
    assert "ball" not in asked(given) and "other" not in asked(given)
    assert ("ball" in asked(given, "paper")) is by_paper


def test_clips_are_a_minute_at_most() -> None:
    (q,) = asked(world(BALL, length=200.0)).values()
    assert q["media"][0]["end_s"] == 60.0
    assert asked(world(("ball", 70.0, 75.0), length=200.0)) == {}
    (q,) = asked(world(("ball", 70.0, 75.0), length=200.0), "paper").values()
    assert q["media"][0]["end_s"] == 200.0


def test_order_of_rows_means_nothing() -> None:
    given = world(*SPANS, recordings=4)
    turned = {name: frame.reverse() for name, frame in given.items()}
    assert_frame_equal(BUILDER.make(given), BUILDER.make(turned))


def test_the_builder_reads_what_it_says() -> None:
    given = world(*SPANS)
    narrowed = {name: given[name].select(columns) for name, columns in BUILDER.reads.items()}
    made = BUILDER.make(given)
    assert_frame_equal(BUILDER.make(narrowed), made)
    assert made.select(pl.len()).item() == 2
