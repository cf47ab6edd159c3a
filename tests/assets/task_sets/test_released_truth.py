"""Sets in `parity` follow released files, in their order, and say where annotations differ."""

from __future__ import annotations

import polars as pl

from assets.task_sets import anticipation, planning, segmentation
from assets.task_sets.released_form import released_files
from assets.task_sets.released_truth import describe_truth
from expectations.schemas import TABLES


def coarse(recording: str, count: int) -> list[dict]:
    """Steps of one second, two seconds apart, class by number."""
    return [
        {
            "recording_id": recording,
            "segment_id": f"{recording}{n}",
            "kind": "coarse",
            "start_s": 2.0 * n + 1,
            "end_s": 2.0 * n + 2,
            "class_id": n + 1,
            "list_position": n,
        }
        for n in range(count)
    ]


def tables(segments: list[dict], released: dict[str, list[dict]]) -> dict[str, pl.DataFrame]:
    """Two recordings of each view in split val, ten coarse classes, and what was released."""
    views = {"a": "ego", "b": "ego", "x": "exo", "y": "exo"}
    rows = {
        "recordings": [
            {"recording_id": r, "view": v, "declared_frames": 100, "declared_fps": 25.0}
            for r, v in views.items()
        ],
        "segments": segments,
        "taxonomies": [
            {"taxonomy": "coarse", "class_id": n, "label": str(n), "terms": []}
            for n in range(1, 28)
        ]
        + [
            {"taxonomy": k, "class_id": n, "label": k, "terms": [], "closed_position": n}
            for k in ("verb", "noun")
            for n in range(9)
        ],
        "splits": [
            {"split_set": f"{family}_{view}", "split": "val", "recording_id": r, "position": at}
            for family in ("segmentation", "association")
            for at, (r, view) in enumerate(views.items())
        ],
        **released,
    }
    return {name: TABLES[name].frame(found) for name, found in rows.items()}


def plans(name: str, *rows: tuple[str, float, int]) -> list[dict]:
    """Rows of a planning list: recording, end of what is seen, first of eight classes."""
    return [
        {
            "released_list": f"planning/{name}/val",
            "task": "planning",
            "list": name,
            "split": "val",
            "position": at,
            "recording_id": recording,
            "seen_until_s": until,
            "classes": [*range(first, first + 8)],
            "text": f"{recording}|{until}|",
            "source_file": f"p/annotation/val_{name}_anno_list.txt",
        }
        for at, (recording, until, first) in enumerate(rows, start=1)
    ]


def test_plans_are_the_released_rows_in_their_order() -> None:
    segments = [*coarse("a", 10), *coarse("b", 9)]
    # Not grouped by recording; the second row of `a` has another class; `b` has one row too many.
    rows = plans("ego", ("a", 2.0, 2), ("b", 2.0, 2), ("a", 4.0, 5), ("b", 9.5, 3), ("b", 9.5, 4))
    made = planning.make(tables(segments, {"released_rows": rows}), "parity")
    found = made.items.select("position", "recording_id", "end_s", "item_id", "segment_id").rows()
    assert found == [
        (0, "a", 2.0, "ego:val:a1", "a1"),
        (1, "b", 2.0, "ego:val:b1", "b1"),
        (2, "a", 4.0, "ego:val:a:4", None),
        (3, "b", 9.5, "ego:val:b:9.5", None),
        (4, "b", 9.5, "ego:val:b:9.5:2", None),
    ]
    assert made.items["classes"].to_list()[2] == [*range(5, 13)]
    truth = made.truth.select("recording_id", "n", "n_annotated", "n_differing").rows()
    assert truth == [("a", 2, 2, 1), ("b", 3, 1, 2)]


def test_a_list_without_annotations_is_the_released_one_and_others_stay() -> None:
    rows = plans("exo", ("y", 3.0, 1), ("x", 3.0, 2), ("y", 5.25, 2))
    made = planning.make(tables(coarse("a", 9), {"released_rows": rows}), "parity")
    found = made.items.select("list", "view", "position", "recording_id", "item_id").rows()
    assert found == [
        ("ego", "ego", 0, "a", "ego:val:a1"),
        ("exo", "exo", 0, "y", "exo:val:y:3"),
        ("exo", "exo", 1, "x", "exo:val:x:3"),
        ("exo", "exo", 2, "y", "exo:val:y:5.25"),
    ]
    assert made.truth.select("list", "recording_id", "n", "n_annotated", "n_differing").rows() == [
        ("exo", "x", 1, None, None),
        ("exo", "y", 2, None, None),
    ]
    # The paper's reading knows of no released file.
    paper = planning.make(tables(coarse("a", 9), {}), "paper")
    assert paper.items["recording_id"].unique().to_list() == ["a"]
    assert paper.truth.is_empty()


def test_lists_for_training_on_both_views_are_written_and_not_scored() -> None:
    rows = [
        {**row, "list": "cotrain_ego_exo", "source_file": "p/annotation/cotrain.txt"}
        for row in plans("ego", ("x", 3.0, 1), ("a", 3.0, 1))
    ]
    held = tables(coarse("a", 9), {"released_rows": rows})
    made = planning.make(held, "parity")
    assert made.items["list"].unique().to_list() == ["ego"]
    assert released_files(held["released_rows"], "planning") == {
        "annotation/cotrain.txt": "x|3.0|\na|3.0|"
    }


def frames(recording: str, *runs: tuple[int, int]) -> dict:
    named = [{"class_id": c, "n": n} for c, n in runs]
    return {"recording_id": recording, "runs": named, "source_file": f"gts/{recording}.txt"}


def test_frames_are_the_released_ones_where_there_is_a_file() -> None:
    step = {**coarse("a", 1)[0], "start_s": 1.0, "end_s": 2.0}
    other = {**coarse("b", 1)[0], "start_s": 1.0, "end_s": 2.0}
    held = tables(
        [step, other],
        {"released_frames": [frames("a", (0, 25), (1, 24), (0, 50)), frames("x", (3, 7))]},
    )
    made = segmentation.make(held, "parity")
    found = {
        uid: ([(r["class_id"], r["n"]) for r in runs], end_s)
        for uid, runs, end_s in made.items.select("recording_id", "runs", "end_s").iter_rows()
    }
    assert found == {
        "a": ([(0, 25), (1, 24), (0, 50)], 99 / 25),
        "b": ([(0, 25), (1, 25), (0, 50)], 4.0),
        "x": ([(3, 7)], 7 / 25),
    }
    # Frame 49 differs, and the hundredth is not in the file.
    truth = made.truth.select("recording_id", "n", "n_annotated", "n_differing").rows()
    assert truth == [("a", 99, 100, 2), ("x", 7, None, None)]
    counts = dict(made.classes.select("class_id", "n").iter_rows())
    assert (counts[0], counts[1], counts[3]) == (4, 2, 1)
    assert segmentation.make(held, "paper").items["recording_id"].to_list() == ["a", "b"]


def fine(recording: str, key: str, at: int, verbs: list[int]) -> dict:
    return {
        "recording_id": recording,
        "segment_id": f"fine:{key}",
        "source_key": key,
        "kind": "fine",
        "start_s": 5.0,
        "end_s": 6.0,
        "split": "val",
        "list_position": at,
        "released_verbs": verbs,
        "released_nouns": [],
    }


def listed(task: str, *rows: tuple[str, str, list[int]]) -> list[dict]:
    return [
        {
            "released_list": f"{task}/ego/val",
            "task": task,
            "list": "ego",
            "split": "val",
            "position": at,
            "recording_id": recording,
            "source_key": key,
            "target_start_s": 5.0,
            "target_end_s": 6.0,
            "verbs": verbs,
            "nouns": [],
            "source_file": f"{task}.csv",
        }
        for at, (recording, key, verbs) in enumerate(rows, start=2)
    ]


def test_an_association_list_keeps_an_order_that_is_not_grouped() -> None:
    segments = [fine("a", "1", 0, [1]), fine("a", "3", 2, [1]), fine("b", "2", 0, [2])]
    places = listed("association", ("a", "1", []), ("b", "2", []), ("a", "3", []))
    made = anticipation.make(tables(segments, {"released_rows": places}), "parity")
    assert made.items["segment_id"].to_list() == ["fine:1", "fine:2", "fine:3"]
    assert made.items["position"].to_list() == [0, 1, 2]
    assert made.truth.is_empty()
    grouped = anticipation.make(tables(segments, {}), "parity")
    assert grouped.items["segment_id"].to_list() == ["fine:1", "fine:3", "fine:2"]


def test_rows_of_a_released_table_are_the_items() -> None:
    segments = [fine("a", "1", 0, [1, 2]), fine("a", "2", 1, [3]), fine("b", "4", 0, [4])]
    rows = listed("anticipation", ("b", "9", [5]), ("a", "2", [3, 1]), ("a", "1", [2, 1]))
    made = anticipation.make(tables(segments, {"released_rows": rows}), "parity")
    assert made.items.select("item_id", "segment_id", "verbs").rows() == [
        ("ego:val:annotation:9", None, [5]),
        ("ego:val:fine:2", "fine:2", [3, 1]),
        ("ego:val:fine:1", "fine:1", [2, 1]),
    ]
    # The order of classes is not a difference; row 2 has other classes, and row 4 is not released.
    truth = made.truth.select("recording_id", "n", "n_annotated", "n_differing").rows()
    assert truth == [("a", 2, 2, 1), ("b", 1, 1, 1)]


def test_what_was_released_and_what_differs_is_said_list_by_list() -> None:
    head = {"set": "planning/parity", "split": "val", "source_file": "f"}
    truth = TABLES["released_truth"].frame(
        {**head, "list": name, "recording_id": r, "n": 4, "n_annotated": k, "n_differing": d}
        for name, r, k, d in (("ego", "a", 4, 0), ("ego", "b", 5, 1), ("exo", "x", None, None))
    )
    items = TABLES["task_sets"].frame(
        {"list": name, "split": "val", "recording_id": r}
        for name, r in (("ego", "a"), ("ego", "b"), ("ego", "c"), ("exo", "x"))
    )
    assert describe_truth(truth, items) == [
        "ego val: the targets of 2 of 3 recordings are read from released files; 1 of 2 annotated"
        " recordings differ (1 of 8 targets): b",
        "exo val: the targets of 1 of 1 recordings are read from released files; no annotations"
        " are there to compare them with",
    ]
    assert describe_truth(truth.clear(), items) == []
    *_, last = describe_truth(truth, items, {("exo", "val"): 25, ("ego", "val"): 3})
    assert last == (
        "exo val: the targets of 1 of 25 recordings are read from released files; 24 have no targets"
        " here and are left out; no annotations are there to compare them with"
    )
