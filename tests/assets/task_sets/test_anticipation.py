"""The closed set and its clips, against cases worked by hand and a slow reading of the rules."""

from __future__ import annotations

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assets.task_sets.anticipation import Clip, fits, make, within
from assets.task_sets.task_set import Mode
from expectations.schemas import TABLES

CELLS = [(view, split) for view in ("ego", "exo") for split in ("train", "val")]


def tables(clips: list[dict], **more: pl.DataFrame) -> dict[str, pl.DataFrame]:
    """One recording per cell; a clip names its cell, its start and its classes."""
    recordings = [
        {"recording_id": f"{view}-{split}", "view": view, "split": split} for view, split in CELLS
    ] + [{"recording_id": "ego-none", "view": "ego", "split": None}]
    segments, labels = [], []
    for n, clip in enumerate(clips):
        view, split = clip["cell"]
        segment = f"{n:04d}"
        start_s = clip.get("start_s", 5.0)
        segments.append(
            {
                "segment_id": segment,
                "recording_id": f"{view}-{split}",
                "kind": "fine",
                "start_s": start_s,
                "end_s": start_s + clip.get("length_s", 2.0),
            }
        )
        labels += [
            {"segment_id": segment, "kind": kind, "class_id": c}
            for kind in ("verb", "noun")
            for c in clip.get(kind, ())
        ]
    known = TABLES["taxonomies"].frame(
        [
            {"taxonomy": kind, "class_id": c, "label": f"{kind}{c}", "terms": []}
            for kind in ("verb", "noun")
            for c in range(700)
        ]
    )
    made = {
        "recordings": TABLES["recordings"].frame(recordings),
        "segments": TABLES["segments"].frame(segments),
        "labels": TABLES["labels"].frame(labels).select("segment_id", "kind", "class_id"),
        "taxonomies": known.select("taxonomy", "class_id", "label", "closed_position"),
        "splits": TABLES["splits"].empty(),
    }
    return {**made, **more}


def everywhere(count: int = 1, **classes: object) -> list[dict]:
    return [{"cell": cell, **classes} for cell in CELLS for _ in range(count)]


def kept(found: pl.DataFrame, kind: str) -> list[int]:
    mine = found.filter((pl.col("kind") == kind) & pl.col("kept")).sort("position")
    return mine["class_id"].to_list()


def reason(found: pl.DataFrame, kind: str, class_id: int) -> str | None:
    return found.filter((pl.col("kind") == kind) & (pl.col("class_id") == class_id))["reason"][0]


def test_a_class_that_a_view_of_a_split_lacks_is_left_out_and_its_clips_with_it() -> None:
    clips = [*everywhere(verb=[1]), *({"cell": c, "verb": [2]} for c in CELLS[:3])]
    made = make(tables(clips), "paper")
    assert kept(made.classes, "verb") == [1]
    assert reason(made.classes, "verb", 2) == "absent from exo val"
    assert made.items["verbs"].to_list() == [[1]] * 4


def test_a_class_under_a_hundredth_of_the_largest_that_is_left_is_left_out() -> None:
    # 404 of verb 1; four of verb 2 are under 4.04, and 400 would not be above them.
    clips = [*everywhere(101, verb=[1]), *everywhere(1, verb=[2]), *everywhere(3, noun=[7])]
    made = make(tables(clips), "paper")
    assert kept(made.classes, "verb") == [1]
    assert reason(made.classes, "verb", 2) == "under 1/100 of the largest, which has 404"
    # Verbs are measured by verbs, nouns by nouns.
    assert kept(made.classes, "noun") == [7]
    just = make(tables([*everywhere(100, verb=[1]), *everywhere(1, verb=[2])]), "paper")
    assert kept(just.classes, "verb") == [1, 2]


def test_the_largest_is_one_of_those_that_all_have() -> None:
    only_ego = [{"cell": CELLS[0], "verb": [9]} for _ in range(500)]
    made = make(tables([*everywhere(1, verb=[1]), *only_ego]), "paper")
    assert kept(made.classes, "verb") == [1]
    assert reason(made.classes, "verb", 9) == "absent from ego val, exo train, exo val"


def test_what_is_seen_ends_a_second_before_and_something_must_be_seen() -> None:
    clips = [*everywhere(verb=[1]), {"cell": CELLS[0], "verb": [1], "start_s": 1.0}]
    made = make(tables(clips), "paper")
    assert made.items.height == 4
    item = made.items.row(0, named=True)
    assert (item["start_s"], item["end_s"], item["target_start_s"]) == (None, 4.0, 5.0)


def test_recordings_without_a_split_take_no_part() -> None:
    lost = {"cell": ("ego", "none"), "verb": [1]}
    made = make(tables([*everywhere(verb=[1]), lost]), "paper")
    assert made.items.height == 4
    assert made.classes["n"].to_list() == [4]


def test_without_one_view_nothing_is_left_and_it_is_said_why() -> None:
    made = make(tables([{"cell": c, "verb": [1]} for c in CELLS[:2]]), "paper")
    assert made.items.is_empty()
    assert reason(made.classes, "verb", 1) == "absent from exo train, exo val"


clips = st.lists(
    st.fixed_dictionaries(
        {
            "cell": st.sampled_from([*CELLS, ("ego", "none")]),
            "verb": st.lists(st.integers(0, 4), max_size=3, unique=True),
            "noun": st.lists(st.integers(0, 3), max_size=2, unique=True),
            "start_s": st.sampled_from([0.5, 1.0, 1.5, 7.0]),
        }
    ),
    max_size=60,
)


@settings(max_examples=60, deadline=None)
@given(clips=clips)
def test_closed_sets_of_any_clips(clips: list[dict]) -> None:
    made = make(tables(clips), "paper")
    asked = [c for c in clips if c["cell"] in CELLS and c["start_s"] > 1]
    closed = {}
    for kind in ("verb", "noun"):
        counts = {k: sum(k in c[kind] for c in asked) for k in range(5)}
        common = [
            k
            for k in counts
            if all(any(k in c[kind] and c["cell"] == cell for c in asked) for cell in CELLS)
        ]
        closed[kind] = [k for k in common if not counts[k] < max(counts[j] for j in common) / 100]
        assert kept(made.classes, kind) == closed[kind]
    left = [
        c
        for c in asked
        if set(c["verb"]) & set(closed["verb"]) or set(c["noun"]) & set(closed["noun"])
    ]
    assert made.items.height == len(left)


# -- the released reading --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("length_s", "nouns", "expected"),
    [(20.0, 10, True), (20.000001, 1, False), (5.0, 11, False), (5.0, 0, True)],
)
def test_limits_of_the_release(length_s: float, nouns: int, expected: bool) -> None:
    assert fits(Clip("s", 1.0, 1.0 + length_s, [], range(nouns))) == expected


@pytest.mark.parametrize(
    ("verbs", "expected"),
    [
        ([93, 52, 61], [61, 52, 93]),
        ([66, 93, 52, 61], [66, 61, 52, 93]),
        ([17, 93, 28, 61], [17, 61, 28, 93]),
        ([36, 9, 52, 28, 61], [61, 36, 28, 52]),
    ],
)
def test_classes_are_in_the_order_of_the_release(verbs: list[int], expected: list[int]) -> None:
    """Rows of the released table of exo train, and of the list they came from."""
    sets = {"verb": {17, 28, 36, 52, 61, 66, 93}, "noun": set()}
    assert within(Clip("s", 0.0, 1.0, verbs, []), sets, "parity").verb == expected
    assert within(Clip("s", 0.0, 1.0, verbs, []), sets, "paper").verb == sorted(expected)


def listed(rows: list[dict], closed: list[int], mode: Mode = "parity") -> pl.DataFrame:
    """What is made of rows of the association lists with these verbs in the closed set."""
    segments = TABLES["segments"].frame(
        [
            {
                "kind": "fine",
                "start_s": 4.0,
                "end_s": 6.0,
                "split": "train",
                "released_nouns": [],
                "list_position": n,
                **r,
            }
            for n, r in enumerate(rows)
        ]
    )
    splits = TABLES["splits"].frame(
        [
            {"split_set": "association_exo", "split": "train", "recording_id": r, "position": at}
            for at, r in enumerate(["exo-val", "exo-train"])
        ]
    )
    taxonomies = TABLES["taxonomies"].frame(
        [
            {
                "taxonomy": "verb",
                "class_id": c,
                "label": str(c),
                "terms": [],
                "closed_position": closed.index(c) if c in closed else None,
            }
            for c in range(5)
        ]
    )
    columns = ("taxonomy", "class_id", "label", "closed_position")
    more = {"segments": segments, "splits": splits, "taxonomies": taxonomies.select(columns)}
    return make(tables([], **more), mode).items


def test_rows_are_in_the_order_of_their_list_whatever_the_split_of_the_recording() -> None:
    rows = [
        {"segment_id": "b", "recording_id": "exo-train", "released_verbs": [1]},
        {"segment_id": "a", "recording_id": "exo-train", "released_verbs": [3, 1]},
        {"segment_id": "z", "recording_id": "exo-val", "released_verbs": [3]},
        {"segment_id": "y", "recording_id": "exo-val", "released_verbs": [2]},
        {"segment_id": "x", "recording_id": "exo-val", "released_verbs": [3], "split": "val"},
    ]
    found = listed(rows, [3, 1])
    assert found.select("segment_id", "split", "position", "verbs").rows() == [
        ("z", "train", 0, [3]),
        ("b", "train", 1, [1]),
        ("a", "train", 2, [1, 3]),
    ]


def test_context_does_not_reach_before_the_recording() -> None:
    rows = [
        {
            "segment_id": s,
            "recording_id": "exo-val",
            "released_verbs": [1],
            "start_s": t,
            "end_s": 9,
        }
        for s, t in (("a", 0.5), ("b", 2.5), ("c", 6.0))
    ]
    found = listed(rows, [1])
    assert found.select("start_s", "end_s").rows() == [(0.0, 0.0), (0.0, 1.5), (3.0, 5.0)]
