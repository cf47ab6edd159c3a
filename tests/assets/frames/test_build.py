"""Frames of a recording, from packets, stamps and gaze together."""

from __future__ import annotations

import random
from bisect import bisect_right
from fractions import Fraction
from itertools import pairwise
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from assets.frames.build import FramesResult, build_frames
from assets.sources.pupil.files import read_native
from expectations.schemas import TABLES
from resources.media.packets import Stream, packet_array

UTC = 1_760_676_788_219_000_001
MS = 1_000_000
ROW = {"source": "s", "recording_id": "r", "media_paths": ["a.mp4", "b.mp4", "c.mp4"]}


def stream(pts: list[int], *, den: int = 1000, rotation: int | None = 0) -> Stream:
    packets = packet_array(
        {
            "order": range(len(pts)),
            "pts": pts,
            "dts": pts,
            "is_discard": False,
            "is_keyframe": [i == 0 for i in range(len(pts))],
            "is_corrupt": False,
            "is_hidden": False,
        }
    )
    return Stream(packets, 1, (1,), "h264", 1088, 1080, rotation, 1, den)


def clock_rows(*stamps: list[int] | None) -> pl.DataFrame:
    return TABLES["frame_stamps"].frame(
        {
            "source": "s",
            "recording_id": "r",
            "part": part,
            "clock": "device",
            "frame_stamps_ns": values,
            "source_file": f"ps{part + 1}.time",
        }
        for part, values in enumerate(stamps)
        if values is not None
    )


def gaze_rows(*samples: tuple) -> pl.DataFrame:
    """Samples as (t_ns, t_s, x, validity)."""
    return TABLES["gaze_samples"].frame(
        {
            "source": "s",
            "recording_id": "r",
            "sample": i,
            "t_ns": t_ns,
            "t_s": t_s,
            "x": x,
            "y": x,
            "validity": validity,
        }
        for i, (t_ns, t_s, x, validity) in enumerate(samples)
    )


NO_CLOCK = clock_rows()
NO_GAZE = gaze_rows()


def rules(result: FramesResult) -> set[str]:
    return {r["rule"] for r in result.refusals}


def test_columns_are_the_schemas() -> None:
    got = build_frames(ROW, [stream([0, 40, 80])], NO_CLOCK, NO_GAZE)
    assert got.frames.schema == TABLES["frames"].schema
    assert got.streams.schema == TABLES["streams"].schema
    assert not got.refusals
    for table, frame in (("frames", got.frames), ("streams", got.streams)):
        for column in TABLES[table].columns:
            if not column.nullable:
                assert frame[column.name].null_count() == 0, column.name
        for rule in TABLES[table].rules:
            assert frame.select(rule.keep.all()).item(), rule.name


def test_streams_say_what_the_container_says() -> None:
    got = build_frames(ROW, [stream([100, 133, 200, 240], rotation=90)], NO_CLOCK, NO_GAZE)
    row = got.streams.row(0, named=True)
    assert row == row | {
        "part": 0,
        "stream": 1,
        "codec": "h264",
        "width_px": 1088,
        "height_px": 1080,
        "rotation_deg": 90,
        "frames": 4,
        "first_pts": 100,
        "last_pts": 240,
        "offset_s": 0.0,
        "interval_min_ms": 33.0,
        "interval_median_ms": 40.0,
        "interval_max_ms": 67.0,
        "reordered": False,
    }


def test_gaze_by_device_clock() -> None:
    stamps = [UTC + 40 * MS * i for i in range(4)]
    gaze = gaze_rows(
        (UTC - 30 * MS, None, 0.1, "valid"),  # before the video
        (UTC - 10 * MS, None, 0.2, "valid"),
        (UTC + 10 * MS, None, 0.4, "valid"),
        (UTC + 20 * MS, None, 0.9, "blink"),  # half way: tick 0
        (UTC + 55 * MS, None, None, "not_finite"),
        (UTC + 200 * MS, None, 0.3, "valid"),  # after the video
    )
    got = build_frames(ROW, [stream([7, 47, 87, 127])], clock_rows(stamps), gaze)
    frames = got.frames
    assert frames["gaze_x"].to_list() == [pytest.approx(0.3), None, None, None]
    assert frames["gaze_valid"].to_list() == [2, 0, 0, 0]
    assert frames["gaze_samples"].to_list() == [3, 1, 0, 0]
    assert frames["gaze_residual_ms"].to_list() == [10.0, None, None, None]
    assert [(r["rule"], r["value"]) for r in got.refusals] == [("outside_video", "2 of 6 samples")]


def test_gaze_by_stated_time() -> None:
    # EgoExoLearn: row i at i / 30 s; at 25 fps every fifth tick gets two of six rows.
    gaze = gaze_rows(*[(None, i / 30, 0.5, "valid") for i in range(30)])
    frames = build_frames(ROW, [stream([40 * i for i in range(25)])], NO_CLOCK, gaze).frames
    counts = frames["gaze_samples"].to_list()
    assert sum(counts) == 30
    expected = [0] * 25
    for i in range(30):
        t = Fraction(i, 30)
        expected[min(range(25), key=lambda k: (abs(t - Fraction(k, 25)), k))] += 1
    assert counts == expected


def test_device_stamps_without_a_clock_are_not_placed() -> None:
    gaze = gaze_rows((UTC, None, 0.5, "valid"))
    got = build_frames(ROW, [stream([0, 40])], NO_CLOCK, gaze)
    assert rules(got) == {"no_clock", "outside_video"}
    assert got.frames["gaze_samples"].sum() == 0


def test_the_device_clock_goes_before_a_stated_time() -> None:
    stamps = [UTC + 40 * MS * i for i in range(4)]
    gaze = gaze_rows((UTC + 80 * MS, 0.0, 0.5, "valid"), (UTC - 80 * MS, 0.04, 0.5, "valid"))
    got = build_frames(ROW, [stream([0, 40, 80, 120])], clock_rows(stamps), gaze)
    assert got.frames["gaze_samples"].to_list() == [0, 0, 1, 0]


def test_parts_are_placed_by_the_device_clock() -> None:
    stamps = [[UTC, UTC + 40 * MS], [UTC + 1000 * MS, UTC + 1040 * MS]]
    gaze = gaze_rows(
        (UTC + 500 * MS, None, 0.1, "valid"),  # unplugged: on no frame
        (UTC + 1001 * MS, None, 0.2, "valid"),
    )
    got = build_frames(ROW, [stream([0, 40]), stream([0, 40])], clock_rows(*stamps), gaze)
    assert got.streams["offset_s"].to_list() == [0.0, 1.0]
    assert got.frames.height == 27
    late = got.frames.filter(pl.col("tick") >= 25)
    assert late["part"].to_list() == [1, 1]
    assert late["source_frame"].to_list() == [2, 3]
    assert late["source_pts"].to_list() == [0, 40]
    assert late["gaze_samples"].to_list() == [1, 0]
    middle = got.frames.row(12, named=True)  # 480 ms: 440 after part 0, 520 before part 1
    assert (middle["source_frame"], middle["residual_ms"]) == (1, -440.0)
    assert rules(got) == {"outside_video"}


def test_parts_without_clock_are_put_end_to_end_and_say_so() -> None:
    got = build_frames(ROW, [stream([0, 40]), stream([0, 40])], NO_CLOCK, NO_GAZE)
    assert rules(got) == {"parts_concatenated"}
    assert got.streams["offset_s"].to_list() == [0.0, 0.08]
    assert got.frames["source_frame"].to_list() == [0, 1, 2, 3]


@pytest.mark.parametrize(
    ("streams", "clocked", "parts", "rule"),
    [
        ([None, "x"], True, [], "no_time_zero"),
        (["x", None, "x"], False, [0], "part_unplaced"),
        (["x", None, "x"], True, [0, 2], None),
        ([None], False, [], "no_time_zero"),
    ],
)
def test_unreadable_parts(streams: list, clocked: bool, parts: list[int], rule: str | None) -> None:
    stamps = [[UTC + 10**9 * i, UTC + 10**9 * i + 40 * MS] for i in range(len(streams))]
    got = build_frames(
        ROW,
        [stream([0, 40]) if s else None for s in streams],
        clock_rows(*stamps) if clocked else NO_CLOCK,
        NO_GAZE,
    )
    assert got.streams["part"].to_list() == parts
    assert rules(got) == ({rule} if rule else set())
    assert got.frames.is_empty() == (not parts)
    if parts == [0, 2]:
        assert got.streams["offset_s"].to_list() == [0.0, 2.0]


def test_a_stamp_days_away_is_refused() -> None:
    got = build_frames(ROW, [stream([0, 40, 2**62])], NO_CLOCK, NO_GAZE)
    assert rules(got) == {"implausible_span", "no_time_zero"}
    assert got.frames.is_empty()


def test_no_frame_at_all() -> None:
    got = build_frames(ROW, [stream([])], NO_CLOCK, NO_GAZE)
    assert rules(got) == {"no_frame", "no_time_zero"}


def test_an_unknown_rotation_is_told() -> None:
    got = build_frames(ROW, [stream([0, 40], rotation=None)], NO_CLOCK, NO_GAZE)
    assert rules(got) == {"no_rotation"}
    assert got.streams["rotation_deg"].to_list() == [0]


def test_order_of_rows_does_not_matter() -> None:
    stamps = [UTC + 40 * MS * i for i in range(50)]
    samples = [(UTC + 8_333_333 * i, None, i % 7 / 7, "valid") for i in range(240)]
    shuffled = samples[:]
    random.Random(3).shuffle(shuffled)
    one = build_frames(
        ROW,
        [stream([40 * i for i in range(50)])],
        frame_stamps=clock_rows(stamps),
        gaze=gaze_rows(*samples),
    )
    two = build_frames(
        ROW, [stream([40 * i for i in range(50)])], clock_rows(stamps), gaze_rows(*shuffled)
    )
    counts = ["gaze_valid", "gaze_samples"]
    assert one.frames.select(counts).equals(two.frames.select(counts))
    assert np.allclose(one.frames["gaze_x"], two.frames["gaze_x"], atol=1e-6)


GOLDEN = {
    # Neon excerpts of the same binary layout: scene frames, parts, samples not worn, ticks,
    # samples on ticks, valid ones of these.
    "demo_recording": (292, 1, 0, 243, 1780, 1780),
    "multi_part": (142 + 244 + 542, 3, 242, 1487, 4036, 3875),
}


@pytest.mark.parametrize("name", sorted(GOLDEN))
def test_real_recording(shared: Path, name: str) -> None:
    """Frames as the time files say, in 90 kHz; gaze counted by plain Python."""
    folder = shared / "data/pupil-invisible/neon_native_analogue" / name
    files = {p.name: p.read_bytes() for p in folder.iterdir() if p.name != "wearer.json"}
    rows = read_native(files, source="s", recording_id=name)
    stamps = rows.clocks["frame_stamps_ns"].to_list()
    frames, parts, not_worn, ticks, on_ticks, valid_on_ticks = GOLDEN[name]
    assert (sum(map(len, stamps)), len(stamps)) == (frames, parts)
    assert (rows.gaze["validity"] == "not_worn").sum() == not_worn
    streams = [stream([round((s - p[0]) * 9 / 10**5) for s in p], den=90_000) for p in stamps]
    got = build_frames(
        {**ROW, "recording_id": name}, streams, frame_stamps=rows.clocks, gaze=rows.gaze
    )

    zero = stamps[0][0]
    last = (stamps[-1][-1] - zero) / 1e9
    assert got.frames.height == round(last * 25) + 1
    total = valid = 0
    for t_ns, validity in rows.gaze.select("t_ns", "validity").iter_rows():
        for part in stamps:
            half = sorted(b - a for a, b in pairwise(part))[len(part) // 2] // 2
            if part[0] - half <= t_ns <= part[-1] + half:
                break
        else:
            continue
        # The last tick may lie before the last frame; half a step on, registration ends.
        if t_ns - zero > ((got.frames.height - 1) * 40 + 20) * MS:
            continue
        total += 1
        valid += validity == "valid"
    assert got.frames["gaze_samples"].sum() == total == on_ticks
    assert got.frames["gaze_valid"].sum() == valid == valid_on_ticks
    assert got.frames.height == ticks
    # Frame shown at a tick is the nearest by the device's own clock, within 90 kHz rounding.
    flat = [s for p in stamps for s in p]
    for tick, frame in got.frames.select("tick", "source_frame").iter_rows():
        t = zero + tick * 40 * MS
        near = bisect_right(flat, t)
        best = min(abs(flat[i] - t) for i in (near - 1, min(near, len(flat) - 1)))
        assert abs(flat[frame] - t) <= best + 12_000
    by_file = {c.method for c in got.clocks}
    assert by_file == {"frame_stamps"}
    assert all(c.residual_ms < 0.02 for c in got.clocks)
