"""Which boxes a text names, by its words alone."""

from __future__ import annotations

import pytest

from expectations.derivations.boxes import boxes_named, grid_cell
from expectations.derivations.reads import merge_reads

BOXES: list[dict] = [
    {"box_id": "1", "class_name": "specimenbag", "operator": "MSLH"},
    {"box_id": "2", "class_name": "specimenbag", "operator": "ASRH"},
    {"box_id": "3", "class_name": "specimenbag", "operator": None},
    {"box_id": "4", "class_name": "hook", "operator": "MSRH"},
]


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("Where is the specimen-bag?", "123"),
        ("Where is the specimen bag of the main surgeon's left hand?", "13"),
        ("Where is the 'specimenbag' (operated by assistant surgeon right hand)?", "23"),
        ("Where is the hook operated by main right hand?", "4"),
        ("Where is the grasper?", ""),
    ],
)
def test_a_text_names_a_class_and_its_operator_however_written(text: str, named: str) -> None:
    assert [row["box_id"] for row in boxes_named(text, BOXES)] == list(named)


def test_a_centre_on_the_far_edge_lies_in_the_last_cell() -> None:
    assert grid_cell({"x_min": 1.0, "x_max": 1.0, "y_min": 0.0, "y_max": 0.4}) == (0, 2)


def test_reads_of_several_modules_are_put_together() -> None:
    parts = [{"a": ("x", "y")}, {"b": ("z",)}, {"a": ("y", "w")}]
    assert merge_reads(*parts) == {"a": ("x", "y", "w"), "b": ("z",)}
