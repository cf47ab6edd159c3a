"""Labels of frames, against cases worked by hand and a slow reading of the rules, frame by frame."""

from __future__ import annotations

from fractions import Fraction
from itertools import groupby

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assets.task_sets.segmentation import frame_labels, make, n_frames, runs_of
from assets.task_sets.steps import Step, steps_of
from assets.task_sets.task_set import Mode
from expectations.schemas import TABLES


def labels(steps: list[tuple[float, float, int]], seconds: int, mode: Mode) -> str:
    """Class per second of a drawing with one letter per second, `.` for none."""
    made = frame_labels(
        [Step(a, b, c, str(n)) for n, (a, b, c) in enumerate(steps)], seconds * 25, mode
    )
    return "".join(".abcdefg"[c] for c in made[12::25])  # the middle of each second


A, B, C = 1, 2, 3


@pytest.mark.parametrize(
    ("steps", "paper", "parity"),
    [
        ([], "..........", ".........."),
        ([(1, 3, A), (5, 7, B)], ".aa..bb...", ".aa..bb..."),
        ([(1, 3, A), (3, 7, B)], ".aabbbb...", ".aabbbb..."),
        # The centre of 3..7 is 5; in the release the first one holds to its end.
        ([(1, 7, A), (3, 9, B)], ".aaaabbbb.", ".aaaaaabb."),
        # Inside: from its own middle on, then the outer one again.
        ([(0, 10, A), (2, 6, B)], "aaaabbaaaa", "aaaaaaaaaa"),
        # Equal: the first half and the second; they are given by start, then end.
        ([(2, 6, A), (2, 6, B)], "..aabb....", "..aaaa...."),
        ([(2, 6, A), (2, 8, B)], "..aabbbb..", "..aaaabb.."),
        # Three: a and b meet at 4 (2..6), b and c at 7 (5..9), though a and c share 5..6.
        ([(0, 6, A), (2, 9, B), (5, 10, C)], "aaaabbbccc", "aaaaaabbbc"),
        # Three that share an instant, the second inside the first.
        ([(0, 9, A), (2, 4, B), (3, 9, C)], "aaabaacccc".replace("cccc", "ccc."), "aaaaaaaaa."),
        # One class over itself.
        ([(1, 5, A), (3, 7, A)], ".aaaaaa...", ".aaaaaa..."),
        # Beyond the end of the video, and wholly beyond it.
        ([(8, 14, A), (12, 14, B)], "........aa", "........aa"),
    ],
)
def test_overlaps(steps: list, paper: str, parity: str) -> None:
    assert labels(steps, 10, "paper") == paper
    assert labels(steps, 10, "parity") == parity


def test_a_frame_belongs_to_what_starts_on_it_and_not_to_what_ends_on_it() -> None:
    made = frame_labels([Step(0.04, 0.12, A, "x")], 5, "parity")
    assert made.tolist() == [0, A, A, 0, 0]
    # 0.28 * 25 is 7.000000000000001 in floating point; 7 / 25 is 0.28.
    assert 0.28 * 25 > 7
    assert frame_labels([Step(0.28, 0.32, A, "x")], 9, "parity").tolist() == [0] * 7 + [A, 0]


times = st.one_of(
    st.integers(0, 60).map(lambda n: n / 25),
    st.integers(0, 24).map(lambda n: n * 0.1),
    st.floats(0, 2.4, allow_nan=False),
)
steps = st.lists(st.tuples(times, times, st.integers(1, 4)), max_size=7).map(
    lambda found: sorted((min(a, b), max(a, b), c) for a, b, c in found)
)


def slow(found: list[tuple[float, float, int]], frame: int, mode: Mode) -> int:
    """Class of one frame: those that hold it, first to last, each challenging the holder."""
    here = [s for s in found if s[0] <= frame / 25 < s[1]]
    if not here:
        return 0
    holder = here[0]
    for other in here[1:] if mode == "paper" else ():
        shared = [max(holder[0], other[0]), min(holder[1], other[1])]
        if Fraction(frame / 25) * 2 >= Fraction(shared[0] + shared[1]):
            holder = other
    return holder[2]


@settings(max_examples=150, deadline=None)
@given(found=steps, count=st.integers(0, 64), mode=st.sampled_from(["paper", "parity"]))
def test_every_frame_follows_the_rule(
    found: list[tuple[float, float, int]], count: int, mode: Mode
) -> None:
    made = frame_labels([Step(a, b, c, "") for a, b, c in found], count, mode)
    assert made.tolist() == [slow(found, frame, mode) for frame in range(count)]
    said = runs_of(made)
    assert [r["class_id"] for r in said for _ in range(r["n"])] == made.tolist()
    assert all(len(list(g)) == 1 for _, g in groupby(r["class_id"] for r in said))


@settings(max_examples=50, deadline=None)
@given(found=steps)
def test_nothing_annotated_becomes_no_action(found: list[tuple[float, float, int]]) -> None:
    rows = [Step(a, b, c, "") for a, b, c in found]
    assert np.array_equal(frame_labels(rows, 70, "paper") > 0, frame_labels(rows, 70, "parity") > 0)


@pytest.mark.parametrize(
    ("declared", "fps", "duration_s", "expected"),
    [
        (100, 25.0, 4.2, 100),
        (100, 30.0, 4.0, 100),
        (120, 30.0, 4.03, 100),
        (None, None, None, 0),
        (None, None, 2.28, 57),
        (None, None, 4.6, 115),
    ],
)
def test_length(
    declared: int | None, fps: float | None, duration_s: float | None, expected: int
) -> None:
    assert n_frames(declared, fps, duration_s) == expected


def coarse(rows: list[dict]) -> pl.DataFrame:
    head = {"source": "s", "recording_id": "r", "kind": "coarse", "source_file": "f"}
    return TABLES["segments"].frame([{**head, **row} for row in rows])


def test_equal_starts_keep_the_order_of_the_file_in_parity() -> None:
    found = coarse(
        [
            {"segment_id": "a", "start_s": 1.0, "end_s": 9.0, "class_id": 1, "list_position": 2},
            {"segment_id": "b", "start_s": 1.0, "end_s": 4.0, "class_id": 2, "list_position": 1},
            {"segment_id": "c", "start_s": 0.5, "end_s": 0.7, "class_id": 3, "list_position": 3},
        ]
    )
    assert [s.segment_id for s in steps_of(found, "parity")["r"]] == ["c", "b", "a"]
    assert [s.segment_id for s in steps_of(found, "paper")["r"]] == ["c", "b", "a"]


def test_what_has_no_length_or_class_is_no_step_of_the_paper() -> None:
    found = coarse(
        [
            {"segment_id": "p", "start_s": 1.0, "end_s": 1.0, "class_id": 1, "is_point": True},
            {"segment_id": "n", "start_s": 1.0, "end_s": 2.0, "class_id": None},
            {"segment_id": "f", "start_s": 1.0, "end_s": 2.0, "class_id": 4, "kind": "fine"},
        ]
    )
    assert steps_of(found, "paper") == {}
    assert [s.segment_id for s in steps_of(found, "parity")["r"]] == ["p"]


def test_a_stated_end_counts_in_parity() -> None:
    found = coarse(
        [{"segment_id": "a", "start_s": 1.0, "end_s": 2.0, "stated_end_s": 3.0, "class_id": 1}]
    )
    assert steps_of(found, "parity")["r"][0].end_s == 3.0
    assert steps_of(found, "paper")["r"][0].end_s == 2.0


def test_recordings_without_steps_have_no_item_and_sources_without_any_nothing() -> None:
    recordings = TABLES["recordings"].frame(
        [{"recording_id": r, "view": "ego", "duration_s": 1.0, "split": "train"} for r in "rq"]
    )
    taxonomies = TABLES["taxonomies"].frame(
        [{"taxonomy": "coarse", "class_id": 1, "label": "cut", "terms": []}]
    )
    tables = {
        "recordings": recordings,
        "taxonomies": taxonomies,
        "splits": TABLES["splits"].empty(),
        "segments": coarse([{"segment_id": "a", "start_s": 0.2, "end_s": 0.4, "class_id": 1}]),
    }
    made = make(tables, "paper")
    (item,) = made.items.to_dicts()
    assert item["runs"] == [
        {"class_id": 0, "n": 5},
        {"class_id": 1, "n": 5},
        {"class_id": 0, "n": 15},
    ]
    assert made.classes.select("class_id", "label", "position", "n").rows() == [
        (0, "no action", 0, 2),
        (1, "cut", 1, 1),
    ]
    nothing = make({**tables, "segments": coarse([])}, "paper")
    assert nothing.items.is_empty()
    assert nothing.classes.is_empty()
