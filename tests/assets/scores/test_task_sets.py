"""Predictions in files against a task's set: what is read, what is refused, what is missing."""

from __future__ import annotations

import io
import json
import pickle
from typing import Any

import numpy as np
import polars as pl
import pytest

from assets.scores.prediction_files import read_predictions
from assets.scores.task_sets import score_set
from assets.task_sets.task_set import Made

Scores = dict[tuple[str | None, str], float | None]


def item(name: str, position: int, **more: Any) -> dict[str, Any]:
    place = {"list": "ego", "view": "ego", "split": "val", "position": position}
    return {**place, "item_id": name, "recording_id": name, **more}


def classes(kind: str, count: int, **more: Any) -> list[dict[str, Any]]:
    """Classes 10, 11, ... at positions 0, 1, ..."""
    return [
        {
            "kind": kind,
            "class_id": 10 + n,
            "label": "x",
            "position": n,
            "n": 1,
            "kept": True,
            **more,
        }
        for n in range(count)
    ]


def table_of(task: str, made: Made, files: dict[str, bytes], mode: Any = "paper") -> pl.DataFrame:
    return score_set(task, made.items, made.classes, read_predictions(task, files).of, mode)


def scored(task: str, made: Made, files: dict[str, bytes], mode: Any = "paper") -> Scores:
    read = read_predictions(task, files)
    assert not read.refusals
    table = score_set(task, made.items, made.classes, read.of, mode)
    return {
        (kind, metric): value
        for kind, metric, value in table.select("kind", "metric", "value").rows()
    }


def arrays(**given: Any) -> bytes:
    out = io.BytesIO()
    np.savez(out, **given)
    return out.getvalue()


def saved(array: np.ndarray) -> bytes:
    out = io.BytesIO()
    np.save(out, array)
    return out.getvalue()


def test_segmentation() -> None:
    runs = [{"class_id": 0, "n": 2}, {"class_id": 3, "n": 2}]
    made = Made.of([item("a", 0, runs=runs), item("b", 1, runs=runs)])
    files = {"a": b"head\n0 0 3 3", "b.txt": b"head\n0 0 3 0"}
    found = scored("segmentation", made, files)
    assert found[None, "Acc"] == pytest.approx(100 * 7 / 8) and found[None, "Edit"] == 100.0
    # The release loses the last frame, where the one error is.
    assert scored("segmentation", made, files, "parity")[None, "Acc"] == 100.0
    half = scored("segmentation", made, {"a": files["a"]})
    assert half[None, "Acc"] == 50.0 and half[None, "F1@50"] == pytest.approx(100 * 2 / 3)
    assert scored("segmentation", made, {"a": files["a"]}, "parity") == {(None, "not scored"): None}


def test_planning_counts_classes_by_position() -> None:
    made = Made.of(
        [item("a", 0, classes=[10, 12]), item("b", 1, classes=[11, 11])], classes("coarse", 3)
    )
    files = {"p.json": json.dumps({"a": [[1, 1], [0, 2]], "b": [[1, 0]]}).encode()}
    assert scored("planning", made, files)[None, "ED@2"] == pytest.approx((0 + 0.5) / 2)
    only = {"p.json": b'{"a": [[0, 2]]}'}
    assert scored("planning", made, only)[None, "ED@2"] == pytest.approx((0 + 1) / 2)


def test_scores_of_classes_closed_by_view() -> None:
    rows = [item("a", 0, verbs=[10], nouns=[]), item("b", 1, verbs=[11], nouns=[])]
    foreign = classes("verb", 3, list="exo")
    made = Made.of(rows, [*classes("verb", 2, list="ego"), *foreign])
    table = np.array([[0.9, 0.1], [0.8, 0.2]])
    files = {"s.npz": arrays(item_id=np.array(["a", "b"]), verb=table)}
    found = scored("zero_shot", made, files)
    assert found["verb", "top-1"] == 50.0 and found["verb", "oracle-1"] == 100.0
    # Class 10: first of two; class 11: its item is the higher of the two there.
    assert scored("recognition", made, files)["verb", "mAP"] == 100.0
    one = {"s.npz": arrays(item_id=np.array(["a"]), verb=table[:1])}
    assert scored("anticipation", made, one)["verb", "macro_recall_top5"] == 50.0


def test_a_clip_that_asks_for_each_of_its_labels() -> None:
    rows = [item(f"c-{n}", n, segment_id="c", verbs=[10 + n], nouns=[]) for n in (0, 1)]
    made = Made.of(rows, classes("verb", 2, list="ego/val"))
    for key in ("c", "c-0"):
        files = {"s.npz": arrays(item_id=np.array([key]), verb=np.array([[0.9, 0.1]]))}
        found = scored("zero_shot", made, files)
        assert (found["verb", "top-1"], found["verb", "oracle-1"]) == (50.0, 50.0)


def test_captions() -> None:
    made = Made.of([item("a", 0, text="Cut the red onion."), item("b", 1, text="Wash a pan.")])
    coco = [{"image_id": "a", "caption": "cut the red onion"}, {"image_id": "b", "caption": "wash"}]
    found = scored("captioning", made, {"c.json": json.dumps(coco).encode()})
    assert 0.5 < (found[None, "ROUGE_L"] or 0) < 1.0
    whole = {"c.json": b'{"a": "Cut the red onion.", "b": "Wash a pan!"}'}
    assert scored("captioning", made, whole)[None, "ROUGE_L"] == 1.0


def test_anticipation_whose_context_begins_before_the_recording() -> None:
    starts = {"a": 2.9, "b": 3.0, "c": 9.0}
    made = Made.of(
        [
            item(name, n, verbs=[10], nouns=[], target_start_s=start)
            for n, (name, start) in enumerate(starts.items())
        ],
        classes("verb", 6),
    )
    table = np.tile(np.arange(6.0)[::-1], (3, 1))
    files = {"s.npz": arrays(item_id=np.array(list(starts)), verb=table)}
    # All choose the right class; the first item has no label in the release, and counts.
    assert scored("anticipation", made, files)["verb", "sample_recall_top5"] == 100.0
    parity = scored("anticipation", made, files, "parity")
    assert parity["verb", "sample_recall_top5"] == pytest.approx(100 * 2 / 3)
    assert table_of("anticipation", made, files, "parity")["n"].unique().to_list() == [3]


def test_planning_with_less_seen_than_the_context() -> None:
    rows = [
        item(name, n, classes=[10] * 8, end_s=end_s)
        for n, (name, end_s) in enumerate({"a": 1.9, "b": 2.0}.items())
    ]
    made = Made.of(rows, classes("coarse", 2))
    files = {"p.json": json.dumps({key: [[0] * 8] for key in "ab"}).encode()}
    assert scored("planning", made, files)[None, "ED@8"] == 0.0
    # Of two items one has eight labels that nothing equals.
    assert scored("planning", made, files, "parity")[None, "ED@8"] == 0.5


def test_verbs_and_nouns_in_two_files() -> None:
    made = Made.of([item("a", 0, verbs=[10], nouns=[11])], classes("verb", 6) + classes("noun", 6))
    names = np.array(["a"])
    right = {"verb": [[9.0, 5, 4, 3, 2, 1]], "noun": [[5.0, 9, 4, 3, 2, 1]]}
    files = {f"{kind}.npz": arrays(item_id=names, **{kind: row}) for kind, row in right.items()}
    both = scored("anticipation", made, files)
    assert both["verb", "sample_recall_top5"] == both["noun", "sample_recall_top5"] == 100.0
    one = {"verb.npz": files["verb.npz"]}
    table = table_of("anticipation", made, one).filter(pl.col("metric") == "sample_recall_top5")
    # An item without scores of nouns is missing there alone, and wrong.
    assert table.select("kind", "value", "n", "n_missing").rows() == [
        ("verb", 100.0, 1, 0),
        ("noun", 0.0, 1, 1),
    ]
    parity = table_of("anticipation", made, one, "parity")
    (row,) = parity.filter(pl.col("kind") == "noun").to_dicts()
    assert (row["metric"], row["n_missing"]) == ("not scored", 1) and "a " in row["reason"]
    assert parity.filter(pl.col("kind") == "verb")["value"].null_count() == 0


def test_an_unpredicted_item_ranks_last() -> None:
    verbs = {"a": 10, "b": 11, "c": 11}
    rows = [item(name, n, verbs=[verb], nouns=[]) for n, (name, verb) in enumerate(verbs.items())]
    made = Made.of(rows, classes("verb", 2))
    files = {"s.npz": arrays(item_id=np.array(["a"]), verb=np.array([[0.9, 0.1]]))}
    # Class 10: its item is the first; class 11: its two share the last place, 2 of 3 right there.
    found = scored("anticipation", made, files)["verb", "map_macro"]
    assert found == pytest.approx(100 * (1 + 2 / 3) / 2)


def test_every_item_has_every_class() -> None:
    made = Made.of([item("a", 0, verbs=[10, 11], nouns=[])], classes("verb", 2))
    files = {"s.npz": arrays(item_id=np.array(["a"]), verb=np.array([[0.9, 0.1]]))}
    assert table_of("zero_shot", made, files)["n"].unique().to_list() == [2]


def test_withheld_texts_are_not_scored() -> None:
    rows = [item("a", 0, text="Cut."), item("b", 1), item("c", 0, text="Cut.") | {"split": "train"}]
    files = {"c.json": b'{"a": "Cut.", "b": "Cut.", "c": "Cut."}'}
    table = table_of("captioning", Made.of(rows), files, "parity")
    (row,) = table.filter(pl.col("split") == "val").to_dicts()
    assert (row["metric"], row["value"], row["n_missing"]) == ("not scored", None, 0)
    assert row["reason"].startswith("b ")
    assert table.filter((pl.col("split") == "train") & (pl.col("metric") == "ROUGE_L"))[
        "value"
    ].to_list() == [1.0]


def test_a_list_without_a_value_does_not_stop_the_others() -> None:
    runs = [{"class_id": 3, "n": 4}]
    made = Made.of([item("a", 0, runs=runs), item("b", 0, runs=runs) | {"split": "test"}])
    files = {"a": b"head\n3 3 3 3", "b": b"head\n3"}
    table = table_of("segmentation", made, files, "parity")
    (row,) = table.filter(pl.col("split") == "test").to_dicts()
    assert row["metric"] == "not scored" and row["reason"].startswith("b: ")
    found = table.filter((pl.col("split") == "val") & (pl.col("metric") == "Acc"))
    assert found["value"].to_list() == [100.0]
    # Top 5 of two classes: verbs have no value, nouns do.
    rows = [item("a", 0, verbs=[10], nouns=[10])]
    made = Made.of(rows, classes("verb", 2) + classes("noun", 6))
    files = {"s.npz": arrays(item_id=["a"], verb=[[1.0, 0.0]], noun=[[1.0, 0, 0, 0, 0, 0]])}
    table = table_of("anticipation", made, files, "parity")
    assert table.filter(pl.col("metric") == "not scored")["kind"].to_list() == ["verb"]
    assert table.filter(pl.col("kind") == "noun").height == 5


@pytest.mark.parametrize(
    ("task", "name", "data", "rule"),
    [
        ("segmentation", "a.txt", b"no second line", "not_a_prediction"),
        ("planning", "p.json", b"{", "not_json"),
        ("planning", "p.json", b"7", "no_items"),
        ("planning", "p.json", b'{"a": [[1, 2], [3]]}', "not_samples"),
        ("planning", "p.json", b'{"a": [[true]]}', "not_samples"),
        ("planning", "p.json", b'{"a": []}', "not_samples"),
        ("planning", "p.json", b'{"a": [[9223372036854775808]]}', "not_samples"),
        ("planning", "p.json", b'{"a": ' + b"[" * 200_000, "nested_too_deep"),
        ("captioning", "c.json", b"[" * 200_000 + b"]" * 200_000, "nested_too_deep"),
        ("captioning", "c.json", b'{"a": 5}', "not_a_caption"),
        ("captioning", "c.json", b'{"a": "\\ud800"}', "not_a_caption"),
        ("captioning", "c.json", b"[]", "no_items"),
        ("captioning", "c.json", b'[{"caption": "a"}]', "no_item_id"),
        ("captioning", "c.json", b'[{"image_id": null, "caption": "a"}]', "no_item_id"),
        ("captioning", "c.json", b'["a"]', "no_item_id"),
        ("planning", "p.json", b'{"a": {"b": [1]}}', "not_samples"),
        ("anticipation", "s.npz", arrays(item_id=[b"a"], verb=[[1.0]]), "not_item_ids"),
        ("anticipation", "s.npz", arrays(item_id=[0.5], verb=[[1.0]]), "not_item_ids"),
        ("anticipation", "s.npy", saved(np.zeros((2, 3))), "one_array"),
        ("anticipation", "s.npz", arrays(item_id=np.array("a"), verb=[[1.0]]), "not_item_ids"),
        ("anticipation", "s.npz", arrays(item_id=[["a"]], verb=[[1.0]]), "not_item_ids"),
        ("anticipation", "s.npz", b"PK", "not_arrays"),
        ("anticipation", "s.npz", pickle.dumps({"a": 1}), "not_arrays"),
        ("anticipation", "s.npz", arrays(item_id=np.array(["a"], dtype=object)), "not_arrays"),
        ("anticipation", "s.npz", arrays(item_id=np.array(["a"]), verb=np.zeros(3)), "not_scores"),
        ("anticipation", "s.npz", arrays(verb=np.zeros((0, 3))), "no_items"),
    ],
    ids=lambda given: given if isinstance(given, str) else "",
)
def test_what_is_refused(task: str, name: str, data: bytes, rule: str) -> None:
    read = read_predictions(task, {name: data})
    assert not read.of and read.refusals[0]["rule"] == rule and read.refusals[0]["file"] == name
    assert all(row["remedy"] and row["message"] for row in read.refusals)


def test_what_does_not_fit_the_set() -> None:
    made = Made.of(
        [item("a", 0, classes=[10, 10], verbs=[10])], classes("verb", 2) + classes("coarse", 1)
    )
    with pytest.raises(ValueError, match="a: plans of 1 steps"):
        scored("planning", made, {"p.json": b'{"a": [[0]]}'})
    with pytest.raises(ValueError, match="a: 3 verb scores"):
        scored(
            "anticipation", made, {"s.npz": arrays(item_id=np.array(["a"]), verb=np.zeros((1, 3)))}
        )
    with pytest.raises(ValueError, match="no predictions of task"):
        read_predictions("tuning", {})
    assert score_set("planning", made.items.clear(), made.classes, {}).is_empty()
    assert score_set("planning", made.items, made.classes, {}).schema["value"] == pl.Float64
