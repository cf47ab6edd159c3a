"""Steps asked for, against cases worked by hand and a slow reading of the rules."""

from __future__ import annotations

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assets.task_sets.planning import asked, make
from assets.task_sets.steps import steps_of
from assets.task_sets.task_set import Mode
from expectations.schemas import TABLES


def row(number: int, start_s: float, end_s: float, class_id: int) -> dict:
    return {
        "source": "s",
        "recording_id": "r",
        "segment_id": f"{number:03d}",
        "kind": "coarse",
        "start_s": start_s,
        "end_s": end_s,
        "class_id": class_id,
        "is_point": start_s == end_s or None,
        "list_position": number,
        "source_file": "f",
    }


def said(steps: list[dict], mode: Mode) -> list[tuple[float, list[int]]]:
    """What is seen until, and the classes asked for."""
    found = steps_of(TABLES["segments"].frame(steps), mode).get("r", [])
    return [(a.seen_until_s, [s.class_id for s in a.steps]) for a in asked(found, mode)]


def plain(count: int) -> list[dict]:
    """Steps of one second, two seconds apart, class by number."""
    return [row(n, 2.0 * n + 1, 2.0 * n + 2, n + 1) for n in range(count)]


def test_the_paper_sees_up_to_the_start_of_the_first_step_asked_for() -> None:
    assert said(plain(7), "paper") == []
    assert said(plain(9), "paper") == [(1.0, [*range(1, 9)]), (3.0, [*range(2, 10)])]


def test_the_release_sees_up_to_the_end_of_the_step_before() -> None:
    assert said(plain(8), "parity") == []
    assert said(plain(10), "parity") == [(2.0, [*range(2, 10)]), (4.0, [*range(3, 11)])]


def test_nothing_is_asked_where_nothing_was_seen() -> None:
    steps = [row(90, 0.0, 0.5, 20), *plain(8)]
    assert said(steps, "paper") == [(1.0, [*range(1, 9)])]


def test_of_steps_that_start_at_once_the_longest_stays() -> None:
    steps = [*plain(8), row(91, 3.0, 9.0, 20), row(92, 3.0, 4.5, 21)]
    assert said(steps, "paper") == [(1.0, [1, 20, *range(3, 9)])]


@pytest.mark.parametrize(
    ("extra", "expected"),
    [
        # Joined where it touches, and the end of the later one holds, though it is the earlier end.
        ([row(91, 2.0, 2.5, 1)], 2.5),
        ([row(91, 1.5, 1.6, 1)], 1.6),
        # One without a length is a step like another.
        ([row(91, 1.7, 1.7, 1)], 1.7),
    ],
)
def test_neighbours_of_one_class_are_joined(extra: list[dict], expected: float) -> None:
    steps = [*plain(9), *extra]
    assert said(steps, "parity")[0] == (expected, [*range(2, 10)])


def test_neighbours_that_do_not_touch_are_two() -> None:
    steps = [*plain(8), row(91, 2.5, 2.6, 1)]
    assert said(steps, "parity") == [(2.0, [1, *range(2, 9)])]


def test_equal_starts_are_in_the_order_of_the_file() -> None:
    steps = [*plain(9), {**row(0, 3.0, 3.1, 20), "segment_id": "zzz"}]
    assert said(steps, "parity")[0] == (2.0, [20, *range(2, 9)])


def released(steps: list[dict]) -> list[tuple[float, list[int]]]:
    """The rule of the released lists, as it was found in them, on plain rows."""
    kept: list[list] = []
    for s in sorted(steps, key=lambda s: (s["start_s"], s["list_position"])):
        if kept and kept[-1][1] == s["class_id"] and not s["start_s"] > kept[-1][0]:
            kept[-1] = [s["end_s"], s["class_id"]]
        else:
            kept.append([s["end_s"], s["class_id"]])
    out = []
    while len(kept) >= 9:
        out.append((kept[0][0], [c for _, c in kept[1:9]]))
        kept = kept[1:]
    return out


def printed(steps: list[dict]) -> list[tuple[float, list[int]]]:
    """The paper: eight steps from each start on, starts strictly rising."""
    longest: dict[float, dict] = {}
    for s in sorted(steps, key=lambda s: (s["end_s"], s["segment_id"])):
        if s["end_s"] > s["start_s"]:
            longest[s["start_s"]] = s
    starts = sorted(longest)
    return [
        (t, [longest[u]["class_id"] for u in starts[i : i + 8]])
        for i, t in enumerate(starts)
        if len(starts) - i >= 8 and t > 0
    ]


times = st.integers(0, 30).map(lambda n: n * 0.1)
many = st.lists(st.tuples(times, times, st.integers(1, 3)), min_size=5, max_size=25).map(
    lambda found: [row(n, min(a, b), max(a, b), c) for n, (a, b, c) in enumerate(found)]
)


@settings(max_examples=200, deadline=None)
@given(steps=many)
def test_all_places_follow_the_rules(steps: list[dict]) -> None:
    assert said(steps, "parity") == released(steps)
    assert said(steps, "paper") == printed(steps)


def test_lists_follow_the_released_order_and_a_recording_may_stand_in_two() -> None:
    recordings = TABLES["recordings"].frame(
        [{"recording_id": r, "view": "ego", "split": "train"} for r in ("a", "b", "c")]
    )
    segments = pl.concat(
        TABLES["segments"].frame([{**s, "recording_id": r, "segment_id": r + s["segment_id"]}])
        for r in ("a", "b", "c")
        for s in plain(9)
    )
    splits = TABLES["splits"].frame(
        [
            {"split_set": name, "split": split, "recording_id": r, "position": at}
            for name, split, found in (
                ("planning_ego", "train", "ba"),
                ("segmentation_ego", "train", "ab"),
                ("segmentation_ego", "val", "b"),
                ("planning_ego_gaze", "train", "a"),
            )
            for at, r in enumerate(found)
        ]
    )
    taxonomies = TABLES["taxonomies"].frame(
        [{"taxonomy": "coarse", "class_id": n, "label": str(n), "terms": []} for n in range(1, 10)]
    )
    tables = {"recordings": recordings, "segments": segments, "splits": splits}
    made = make({**tables, "taxonomies": taxonomies}, "parity").items
    found = made.select("list", "split", "position", "recording_id").rows()
    assert found == [
        ("ego", "train", 0, "b"),
        ("ego", "train", 1, "a"),
        ("ego", "val", 0, "b"),  # no planning list of the split: the bundle's order
        ("ego_gaze", "train", 0, "a"),
        ("ego", None, 0, "c"),
    ]
    assert made["item_id"].is_unique().all()
    paper = make({**tables, "taxonomies": taxonomies}, "paper").items
    assert paper.group_by("recording_id", "split").len().sort("recording_id").rows() == [
        ("a", "train", 2),
        ("b", "train", 2),
        ("c", "train", 2),
    ]
