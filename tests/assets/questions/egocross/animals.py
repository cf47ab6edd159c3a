"""Tables of a source like EgoPet put down by hand: four animals, and what they interact with."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import polars as pl

from expectations.contracts import check
from expectations.schemas import TABLES

Tables = dict[str, pl.DataFrame]
Row = dict[str, Any]
ANIMALS = ("cat", "dog", "turtle", "eagle")


def recording(uid: str, **changed: object) -> Row:
    return {
        "source": "s", "recording_id": uid, "take_id": uid, "view": "ego", "split": "train",
        "media_kind": "video", "time_base": "pts", "media": "present", "media_paths": [f"{uid}.mp4"],
        "media_hashes": ["abc"], "duration_s": 40.0, "licence": "L", "source_file": "f",
        "source_key": "k", **changed,
    }  # fmt: skip


def segment(uid: str, name: str, start: float, end: float, kind: str = "interaction") -> Row:
    return {
        "source": "s", "recording_id": uid, "segment_id": f"{uid}/{start:g}-{end:g}/{name}",
        "kind": kind, "class_name": name, "start_s": start, "end_s": end, "precision_s": 1.0,
        "source_file": "f", "source_key": "k",
    }  # fmt: skip


def tables(recordings: list[Row], segments: list[Row] | None = None) -> Tables:
    return {
        "recordings": TABLES["recordings"].frame(recordings),
        "segments": TABLES["segments"].frame(segments or []),
    }


def kinds(column: str, labels: tuple[str, ...], each: int = 2) -> list[Row]:
    """So many recordings of each label."""
    return [recording(f"{x}{i}", **{column: x}) for x in labels for i in range(each)]


def assert_whole(made: pl.DataFrame) -> None:
    """Every row keeps its contract, has four options, and explains its answer."""
    assert not made.is_empty()
    assert check(TABLES["questions"], made.with_columns(pool=pl.lit("p")), {}).refused == []
    for q in made.to_dicts():
        assert len({o["text"] for o in q["options"]}) == 4 and q["chance"] == 0.25
        (right,) = [o for o in q["options"] if o["is_answer"]]
        assert (right["text"], right["letter"]) == (q["answer_text"], q["answer"])
        assert q["detailed_answer"] == " ".join(s["text"] for s in q["rationale"])
        assert all(s["evidence"] for s in q["rationale"])


def released(shared: Path, question_type: str) -> list[Row]:
    """Questions of a type in the released testbed."""
    path = shared / "data/egocross/datasets/egocross_testbed_imgs.json"
    items = json.loads(path.read_text(encoding="utf-8"))
    return [i for i in items if i["question_type"] == question_type]
