"""What splits share, against sets written down by hand."""

from __future__ import annotations

from collections.abc import Mapping

import polars as pl

from assets.leakage.overlaps import members, overlaps
from assets.leakage.stage import READS
from expectations.schemas import TABLES
from expectations.set_checks.overlaps import judge_overlaps


def given(**rows: list[dict]) -> Mapping[str, pl.DataFrame]:
    return {
        name: TABLES[name].frame(rows.get(name, [])).select(columns)
        for name, columns in READS.items()
    }


def found(unit: str, **rows: list[dict]) -> list[tuple]:
    made = overlaps(members(given(**rows), unit))
    return made.select(
        "set", "split", "other_set", "other_split", "n", "n_of_split", "n_of_other"
    ).rows()


def recording(uid: str, split: str | None) -> dict:
    return {"recording_id": uid, "split": split}


def listed(uid: str, split: str, family: str = "planning_ego") -> dict:
    return {"split_set": family, "split": split, "recording_id": uid}


def pair(first: str, second: str, *splits: str, **rest: object) -> dict:
    clips = {
        f"{side}_{part}": value
        for side, name in (("first", first), ("second", second))
        for part, value in (("clip_id", name), ("recording_id", name[0]))
    }
    return {**clips, **({"splits": list(splits)} if splits else {}), **rest}


def test_equal_splits_are_no_leak() -> None:
    assert found("recording", recordings=[recording("a", "train"), recording("b", None)],
                 splits=[listed("a", "train"), listed("a", "train", "segmentation_ego"),
                         listed("b", "test")]) == []  # fmt: skip


def test_lists_against_themselves_and_against_the_decision() -> None:
    rows = found(
        "recording",
        recordings=[recording("a", "train"), recording("b", "test"), recording("c", "test")],
        splits=[listed("a", "val"), listed("b", "val"), listed("b", "test"), listed("c", "test")],
    )
    assert rows == [
        ("planning_ego", "test", "planning_ego", "val", 1, 2, 2),
        ("planning_ego", "val", "recordings", "test", 1, 2, 2),
        ("planning_ego", "val", "recordings", "train", 1, 2, 1),
    ]


def test_skill_lists_share_recordings_clips_and_pairs() -> None:
    votes = [
        pair("a1", "b1", "train"),
        pair("b1", "c1", "val"),
        pair("a2", "c2", "train", "val"),
        pair("c2", "a2", "val"),
    ]
    same = "skill/released"
    assert found("recording", skill_votes=votes) == [(same, "train", same, "val", 3, 3, 3)]
    assert found("segment", skill_votes=votes) == [(same, "train", same, "val", 3, 4, 4)]
    assert found("pair", skill_votes=votes) == [(same, "train", same, "val", 1, 2, 2)]


def test_items_and_their_references_are_members() -> None:
    def item(uid: str, split: str, *references: str) -> dict:
        return {
            "set": "captioning/parity",
            "split": split,
            "recording_id": uid,
            "segment_id": f"{uid}1",
            "references": [{"recording_id": r, "segment_id": f"{r}1"} for r in references],
        }

    rows = [item("a", "train", "x"), item("b", "test", "x", "y"), item("c", "test")]
    name = "captioning/parity"
    assert found("recording", task_sets=rows) == [(name, "test", name, "train", 1, 4, 2)]
    assert found("segment", task_sets=rows) == [(name, "test", name, "train", 1, 4, 2)]


def test_only_kept_pairs_of_the_paper_set_count() -> None:
    def row(first: str, second: str, mode: str, state: str, split: str | None) -> dict:
        return pair(first, second, mode=mode, state=state, split=split)

    kept = [
        row("a1", "b1", "paper", "kept", "train"),
        row("a1", "c1", "paper", "shared_between_splits", None),
        row("a1", "c1", "parity", "kept", "test"),
    ]
    assert found("recording", skill_pairs=kept, recordings=[recording("a", "train")]) == []
    wrong = found("recording", skill_pairs=kept, recordings=[recording("a", "test")])
    assert wrong == [("recordings", "test", "skill/paper", "train", 1, 1, 2)]


def judged(*names: tuple[str, str]) -> tuple[bool, bool]:
    rows = TABLES["split_overlaps"].frame(
        {"unit": "recording", "set": a, "other_set": b, "split": "t", "other_split": "v", "n": 1,
         "n_of_split": 1, "n_of_other": 1, "share": 1.0, "examples": []}
        for a, b in names
    )  # fmt: skip
    made = judge_overlaps(rows)
    return made.passed, made.is_error


def test_ours_are_errors_and_the_release_a_warning() -> None:
    assert judged() == (True, False)
    assert judged(("planning_ego", "planning_ego"), ("skill/released", "recordings")) == (
        False,
        False,
    )
    assert judged(("recordings", "skill/paper")) == (False, True)
    assert judged(("association", "captioning/paper")) == (False, True)
