"""Pools of recordings."""

from __future__ import annotations

from assets.pairs.pools import pool_of
from expectations.schemas import TABLES


def recording(recording_id: str, **columns: str | None) -> dict[str, object]:
    row: dict[str, object] = {
        "source": "s",
        "recording_id": recording_id,
        "take_id": recording_id,
        "view": "ego",
        "scenario": "task1",
        "scene": "kitchen",
        "split": "train",
        "licence": "MIT",
        "source_file": "meta.json",
        "source_key": recording_id,
    }
    return row | columns


def test_pools() -> None:
    recordings = TABLES["recordings"].frame(
        [
            recording("a"),
            recording("b", scene=None),
            recording("c", scenario="x/y", scene="z%"),
            recording("d", scenario="x", scene="y/z%"),
            recording("e", scenario=None),
            recording("f", split=None),
            recording("g", scenario="", split=None),
        ]
    )
    pools = dict(pool_of(recordings).select("recording_id", "pool").iter_rows())
    assert pools == {
        "a": "task1/kitchen/train",
        "b": "task1//train",
        "c": "x%2Fy/z%25/train",
        "d": "x/y%2Fz%25/train",
    }
