"""Closed sets per view, and a clip replicated for each of its classes."""

from __future__ import annotations

import polars as pl
import pytest

from assets.task_sets import recognition, zero_shot
from assets.task_sets.zero_shot import prompted, prompts
from tests.assets.task_sets.clip_tables import Clip, tables

CLIPS = [
    Clip("et0", verbs=[1, 2], nouns=[5], stated="val"),
    Clip("ev0", verbs=[2, 1, 3], nouns=[5, 6], stated="val"),
    Clip("es0", verbs=[2], nouns=[6], stated="val"),
    Clip("es0", verbs=[3], nouns=[], stated="val"),
    Clip("xt0", verbs=[3], nouns=[7], stated="val"),
    Clip("xv0", verbs=[3], nouns=[7], stated="val"),
    Clip("e-0", verbs=[1], nouns=[5], stated="val"),
]


def test_each_view_is_closed_over_its_own_splits() -> None:
    made = recognition.make(tables(recognition.TASK_SET, CLIPS), "paper")
    kept = made.classes.filter("kept").select("list", "kind", "class_id", "position").rows()
    # No exocentric test clip is here: what training and validation share stays.
    assert set(kept) == {("ego", "verb", 2, 0), ("exo", "verb", 3, 0), ("exo", "noun", 7, 0)}
    gone = made.classes.filter(~pl.col("kept") & (pl.col("list") == "ego"))
    assert dict(gone.select(pl.concat_str("kind", "class_id"), "reason").rows()) == {
        "verb1": "absent from test",
        "verb3": "absent from train",
        "noun5": "absent from test",
        "noun6": "absent from train",
    }
    assert (
        dict(made.classes.select(pl.concat_str("list", "kind", "class_id"), "n").rows())["egoverb2"]
        == 3
    )
    rows = made.items.sort("item_id").select("item_id", "list", "split", "verbs", "nouns").rows()
    assert rows == [
        ("s0", "ego", "train", [2], []),
        ("s1", "ego", "val", [2], []),
        ("s2", "ego", "test", [2], []),
        ("s4", "exo", "train", [3], [7]),
        ("s5", "exo", "val", [3], [7]),
    ]


def test_parity_takes_released_classes_and_stated_splits() -> None:
    clips = [
        Clip("et0", verbs=[2, 1, 2], nouns=[], stated="test"),
        Clip("et1", verbs=[1], stated="test", released=False),
    ]
    made = recognition.make(tables(recognition.TASK_SET, clips), "parity")
    assert made.items.select("item_id", "split", "verbs").rows() == [("s0", "test", [1, 2])]


def test_a_clip_is_asked_once_for_each_class() -> None:
    made = zero_shot.make(tables(zero_shot.TASK_SET, CLIPS), "paper")
    rows = made.items.sort("item_id").rows(named=True)
    asked = [(r["item_id"], r["list"], r["split"], r["verbs"], r["nouns"]) for r in rows]
    assert asked == [
        ("noun:5:s1", "ego_noun", "val", None, [5]),
        ("noun:6:s1", "ego_noun", "val", None, [6]),
        ("noun:6:s2", "ego_noun", "test", None, [6]),
        ("noun:7:s5", "exo_noun", "val", None, [7]),
        ("verb:1:s1", "ego_verb", "val", [1], None),
        ("verb:2:s1", "ego_verb", "val", [2], None),
        ("verb:2:s2", "ego_verb", "test", [2], None),
        ("verb:3:s1", "ego_verb", "val", [3], None),
        ("verb:3:s3", "ego_verb", "test", [3], None),
        ("verb:3:s5", "exo_verb", "val", [3], None),
    ]
    for row in rows:
        at = int(row["segment_id"][1:])
        assert row["start_s"] == row["end_s"] == at + 1.0
        assert (row["target_start_s"], row["target_end_s"]) == (at, at + 2.0)
    classes = made.classes.filter(pl.col("list") == "ego/val").sort("kind", "position")
    assert classes.select("kind", "class_id", "position").rows() == [
        ("noun", 5, 0),
        ("noun", 6, 1),
        ("verb", 1, 0),
        ("verb", 2, 1),
        ("verb", 3, 2),
    ]


@pytest.mark.parametrize("task", [recognition, zero_shot])
@pytest.mark.parametrize("mode", ["paper", "parity"])
def test_nothing_to_recognise(task, mode: str) -> None:
    made = task.make(tables(task.TASK_SET, [Clip("et0"), Clip("ev0")]), mode)
    assert made.items.is_empty()
    assert made.classes.is_empty()


def test_prompts_are_those_of_the_table() -> None:
    """Table 13 has 16, of which the eighth is the class alone."""
    assert len(prompts()) == len(set(prompts())) == 16
    assert all(prompt.count("{}") == 1 for prompt in prompts())
    assert prompted("cut")[7] == "cut"
    assert prompted("cut")[0] == "A photo of action cut."
    assert prompted("{}")[7] == "{}"
