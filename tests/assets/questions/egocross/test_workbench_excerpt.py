"""What the cells of things at a workbench ask of the public files of ENIGMA-51: nothing, and why."""

from __future__ import annotations

from pathlib import Path

import pytest

from assets.questions.egocross.dominant_object_enigma51 import BUILDER as DOMINANT
from assets.questions.egocross.object_counting_enigma51 import BUILDER as COUNTING
from assets.questions.egocross.object_not_visible_enigma51 import BUILDER as NOT_VISIBLE
from assets.questions.kit.builder import Builder
from assets.questions.kit.funnel import counting
from assets.sources.enigma51 import LAYOUT
from tests.assets.questions.egocross.animals import Tables
from tests.assets.sources.reading_parts import read_parts

FILES = ("UAD/mp_mAP/test_csv/ht_hr_fc_hd.csv", "Experiments/Q5_ENIGMA_TEST.json")
UNBOXED = "no picture with a time in which every thing is boxed"
UNKNOWN = "nothing says which hand acts on which object"


@pytest.fixture(scope="module")
def tables(shared: Path) -> Tables:
    made = read_parts(LAYOUT, {f: (shared / "data/enigma-51" / f).read_bytes() for f in FILES})
    found = {name: made.rows(name) for name in DOMINANT.reads}
    # Boxes are there, of what questions show: nobody says that all of a picture are.
    assert (found["segments"].height, found["boxes"].height) == (3620, 1736)
    assert found["annotated_frames"].is_empty()
    return found


@pytest.mark.parametrize("reading", ["strict", "paper"])
@pytest.mark.parametrize(
    ("builder", "missing"),
    [(DOMINANT, [UNBOXED, UNKNOWN]), (NOT_VISIBLE, [UNBOXED]), (COUNTING, [UNBOXED])],
    ids=lambda value: getattr(value, "recipe", ""),
)
def test_nothing_can_be_asked(
    builder: Builder, missing: list[str], reading: str, tables: Tables
) -> None:
    with counting() as refused:
        assert builder.under(reading).make(tables).is_empty()
    assert refused == {}
    said = [need.missing(tables) for need in builder.needs]
    assert [why for why in said if why] == missing
