"""Cameras of a take: the same moment in the time of each."""

from __future__ import annotations

import polars as pl

from assets.questions.kit.takes import cameras, synchronous_clocks
from expectations.schemas import TABLES

CLOCKS: list[dict] = [
    {"recording_id": "E", "offset_s": 2.0, "rate": 1.0, "method": "timesync"},
    {"recording_id": "X", "offset_s": -1.0, "rate": 0.5, "method": "same_index"},
    {"recording_id": "apart", "offset_s": 0.0, "rate": 1.0, "method": "none"},
    {"recording_id": "stopped", "offset_s": 0.0, "rate": 0.0, "method": "timesync"},
]


def recordings() -> pl.DataFrame:
    views = {"E": "ego", "X": "exo", "apart": "exo", "stopped": "exo", "without a clock": "exo"}
    return TABLES["recordings"].frame(
        [
            {"source": "s", "recording_id": uid, "view": view, "duration_s": 20.0}
            for uid, view in views.items()
        ]
    )


def test_only_recordings_that_run_with_their_take_are_cameras() -> None:
    clocks = synchronous_clocks(pl.DataFrame(CLOCKS))
    assert [camera.uid for camera in cameras(recordings(), clocks, "exo")] == ["X"]


def test_a_clip_shows_one_moment_in_the_time_of_each_camera() -> None:
    clocks = synchronous_clocks(pl.DataFrame(CLOCKS))
    (ego,), (exo,) = (cameras(recordings(), clocks, view) for view in ("ego", "exo"))
    shown = [camera.clip((3.0, 5.0), "1") for camera in (ego, exo)]
    assert [(clip.start_s, clip.end_s) for clip in shown] == [(1.0, 3.0), (8.0, 12.0)]
    assert exo.films((3.0, 9.0))
    assert not exo.films((3.0, 9.1)), "the recording lasts 20 s, until take time 9"
    assert not ego.films((1.9, 3.0)), "the recording begins at take time 2"
