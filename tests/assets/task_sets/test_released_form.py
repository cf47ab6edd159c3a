"""Lines of the official files, copied from the release."""

from __future__ import annotations

import pytest

from assets.task_sets.released_form import (
    anticipation_csv,
    anticipation_list,
    before_rewriting,
    bundle,
    class_list,
    frame_file,
    number,
    planning_list,
)


@pytest.mark.parametrize(
    ("value", "text"),
    [(171.0, "171"), (50.5, "50.5"), (8.299999999999999, "8.299999999999999"), (0.0, "0")],
)
def test_seconds_of_planning(value: float, text: str) -> None:
    assert number(value) == text


def test_frames() -> None:
    assert frame_file([{"class_id": 0, "n": 2}, {"class_id": 11, "n": 1}]) == "0\r\n0\r\n11"
    assert frame_file([]) == ""


def test_planning_counts_classes_from_nought() -> None:
    item = {"recording_id": "u", "end_s": 21.0, "classes": [2, 13]}
    assert planning_list([item, item], {2: 1, 13: 12}) == "u|21|[1, 12]\nu|21|[1, 12]"


def test_anticipation() -> None:
    item = {
        "mode": "paper",
        "recording_id": "u",
        "segment_id": "fine:hIOL2zPZ",
        "target_start_s": 0.0,
        "target_end_s": 20.0,
        "verbs": [17, 52],
        "nouns": [],
    }
    text = anticipation_csv([item], {"fine:hIOL2zPZ": "hIOL2zPZ"}, {"u": "kitchen"})
    assert text == (
        "video_id,annotation_id,start_sec,end_sec,verb,noun,scenario\n"
        'u,hIOL2zPZ,0.0,20.0,"[17, 52]",[],kitchen\n'
    )
    assert anticipation_list([item], "verbs", {17: 2, 52: 8}) == "u|0.0|20.0|[2, 8]"
    assert anticipation_list([item], "nouns", {}) == ""


def test_lists() -> None:
    assert bundle(["a", "b"]) == "a.txt\nb.txt"
    assert bundle(["a", "b"], "exo") == "a.txt\r\nb.txt"
    assert class_list([390, 17]) == "390\n17"


@pytest.mark.parametrize(
    ("listed", "table"),
    [
        # Association list and table of anticipation, as released.
        (144.20000000000005, 144.20000000000002),
        (319.7999999999999, 319.79999999999995),
        (83.30000000000003, 83.30000000000001),
        (34.40000000000001, 34.400000000000006),
        (413.70000000000016, 413.7000000000001),
        (70.30000000000001, 70.30000000000001),
        (61.99999999999999, 61.99999999999999),
        (66.2591068576555, 66.2591068576555),
        (24.7, 24.7),
        (31.0, 31.0),
        (0.0, 0.0),
    ],
)
def test_times_before_they_were_rewritten(listed: float, table: float) -> None:
    assert before_rewriting(listed) == table
