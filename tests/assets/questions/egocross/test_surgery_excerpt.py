"""What the cells of surgical tools ask of the public excerpt of EgoSurgery: the figures of the README."""

from __future__ import annotations

from pathlib import Path

import pytest

from assets.questions.egocross.dominant_object import BUILDER as DOMINANT
from assets.questions.egocross.object_counting import BUILDER as COUNTING
from assets.questions.egocross.object_not_visible import BUILDER as NOT_VISIBLE
from assets.questions.egocross.object_not_visible import IN_VIEW
from assets.questions.kit.builder import Builder
from assets.questions.kit.funnel import counting
from assets.sources.egosurgery import LAYOUT
from tests.assets.questions.egocross.animals import Tables, assert_whole
from tests.assets.sources.reading_parts import read_parts

EXCERPT = "annotations/egosurgery_tool/instances_val.EXCERPT10.json"


@pytest.fixture(scope="module")
def tables(shared: Path) -> Tables:
    """Ten successive pictures, each with one skewer."""
    # The excerpt bears its shortness in its name; the release's file has none.
    content = (shared / "data/egosurgery/data" / EXCERPT).read_bytes()
    made = read_parts(LAYOUT, {EXCERPT.replace(".EXCERPT10", ""): content})
    found = {name: made.rows(name) for name in COUNTING.reads}
    assert found["annotated_frames"].height == found["boxes"].height == 10
    return found


@pytest.mark.parametrize("reading", ["strict", "paper"])
def test_one_clip_can_be_counted_in(reading: str, tables: Tables) -> None:
    made = COUNTING.under(reading).make(tables)
    assert_whole(made)
    (q,) = made.to_dicts()
    assert (q["recording_id"], q["answer_text"]) == ("09_1", "1")
    assert "Skewer in 5." in q["detailed_answer"]


@pytest.mark.parametrize(("builder", "refused"), [(NOT_VISIBLE, {IN_VIEW: 1}), (DOMINANT, {})])
def test_nothing_else_can_be_asked(
    builder: Builder, refused: dict[str, int], tables: Tables
) -> None:
    with counting() as found:
        assert builder.make(tables).is_empty()
    assert found == refused


def test_hands_are_missing(tables: Tables) -> None:
    said = [need.missing(tables) for need in DOMINANT.needs]
    assert [why for why in said if why] == [
        "nothing says which hand is at which tool: no operators, and no hands of the wearer"
    ]
