"""Predictions in files against a task's set: what is read, what is refused, what is missing."""

from __future__ import annotations

import io
import json
import pickle
from typing import Any

import numpy as np
import polars as pl
import pytest

from assets.pairs.sets.task_set import Made
from assets.scores.metrics.prediction_files import read_predictions
from assets.scores.metrics.set_scores import score_set

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


@pytest.mark.parametrize(
    ("task", "name", "data", "rule"),
    [
        ("segmentation", "a.txt", b"no second line", "not_a_prediction"),
        ("planning", "p.json", b"{", "not_json"),
        ("planning", "p.json", b"7", "no_items"),
        ("planning", "p.json", b'{"a": [[1, 2], [3]]}', "not_samples"),
        ("planning", "p.json", b'{"a": [[true]]}', "not_samples"),
        ("planning", "p.json", b'{"a": []}', "not_samples"),
        ("captioning", "c.json", b'{"a": 5}', "not_a_caption"),
        ("anticipation", "s.npz", b"PK", "not_arrays"),
        ("anticipation", "s.npz", pickle.dumps({"a": 1}), "not_arrays"),
        ("anticipation", "s.npz", arrays(item_id=np.array(["a"], dtype=object)), "not_arrays"),
        ("anticipation", "s.npz", arrays(item_id=np.array(["a"]), verb=np.zeros(3)), "not_scores"),
        ("anticipation", "s.npz", arrays(verb=np.zeros((0, 3))), "no_items"),
    ],
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
