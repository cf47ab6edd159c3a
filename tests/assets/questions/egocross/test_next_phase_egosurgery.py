"""Next phase in open surgery: the released phases of EgoSurgery, and a few operations put down by hand."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from assets.configuration import load_configuration
from assets.questions.egocross.even import EVEN
from assets.questions.egocross.next_phase import BUILDER as CLOSED
from assets.questions.egocross.next_phase_egosurgery import BUILDER, NAMES
from assets.questions.egocross.phases import LONG_ENOUGH, NO_GAP
from assets.questions.kit.funnel import counting
from assets.questions.stage import configured_builders
from assets.sources.egosurgery import LAYOUT
from resources.config import ConfigError, load_settings
from tests.assets.questions.egocross.animals import Tables, assert_whole
from tests.assets.questions.egocross.test_next_phase import asked, operation, source
from tests.assets.sources.reading_parts import read_parts

ALL = tuple(NAMES)


@pytest.fixture(scope="module")
def annotated(shared: Path) -> Tables:
    """All released phases: 23 sessions, without pictures."""
    folder = "annotations/egosurgery_phase"
    paths = sorted((shared / "data/egosurgery/data" / folder).glob("*.csv"))
    made = read_parts(LAYOUT, {f"{folder}/{path.name}": path.read_bytes() for path in paths})
    return {name: made.rows(name) for name in BUILDER.reads}


@pytest.mark.parametrize(
    ("reading", "refused", "asked_in"),
    [("strict", {NO_GAP: 257, LONG_ENOUGH: 7, EVEN: 28}, (12, 7)), ("paper", {NO_GAP: 257, LONG_ENOUGH: 4}, (43, 10))],
)  # fmt: skip
def test_of_304_changes_257_lie_in_a_gap(
    reading: str, refused: dict[str, int], asked_in: tuple[int, int], annotated: Tables
) -> None:
    """Dissection and hemostasis follow each other most: 28 of 40 are left out to keep them even."""
    with counting() as found:
        made = BUILDER.under(reading).make(annotated)
    assert_whole(made)
    assert found == refused
    assert sum(refused.values()) + made.height == 304
    assert (made.height, made["recording_id"].n_unique()) == asked_in


def test_clips_end_with_the_last_picture_of_a_phase() -> None:
    """Pictures are 2 s apart."""
    spans = [(x, 20.0 * i, 20.0 * (i + 1)) for i, x in enumerate(ALL)]
    given = source(*(operation(f"V{i}", *spans, precision_s=2.0) for i in range(2)))
    for q in BUILDER.make(given).to_dicts():
        (clip,) = q["media"]
        assert clip["end_s"] % 20 == 18 and clip["end_s"] - clip["start_s"] == 18
    offered = Counter(o["text"] for q in BUILDER.make(given).to_dicts() for o in q["options"])
    assert offered.keys() == {x.capitalize() for x in ALL}


def test_each_recipe_asks_about_its_own_phases() -> None:
    given = source(operation("x", (ALL[3], 0, 20), (ALL[4], 20, 40), precision_s=2.0))
    assert CLOSED.make(given).is_empty()
    assert [need.missing(given) for need in CLOSED.needs] == ["no phases of an operation"]
    assert len(asked(BUILDER.make(given), "x")) == 1


CONFIG = 'store = "tables"\n[sources.s]\nlayout = "egosurgery"\nroot = "."\n[benchmarks.egocross]\n'


def test_it_is_asked_where_the_configuration_lists_it(tmp_path: Path) -> None:
    file = tmp_path / "parallax.toml"
    file.write_text(CONFIG + 'sources = ["s"]\n', encoding="utf-8")
    known = configured_builders(load_settings(file), "egocross")
    assert BUILDER.recipe not in known and CLOSED.recipe in known
    listed = 'sources = ["s"]\nextensions = ["next_phase_egosurgery"]\n'
    for reading in ("strict", "paper"):
        file.write_text(f'{CONFIG}{listed}reading = "{reading}"\n', encoding="utf-8")
        known = configured_builders(load_settings(file), "egocross")
        assert {b.under(reading).recipe for b in (BUILDER, CLOSED)} <= known.keys()


def test_an_unknown_extension_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "parallax.toml"
    file.write_text(CONFIG + 'sources = ["s"]\nextensions = ["next_phase"]\n', encoding="utf-8")
    with pytest.raises(ConfigError, match="next_phase_egosurgery"):
        load_configuration(file)
