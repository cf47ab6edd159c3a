"""Hard cases of time on the pure functions, with a slow oracle in fractions beside them."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise
from math import ceil, floor

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assets.frames.build import FramesResult, build_frames
from assets.frames.gaze import register
from assets.frames.grid import constant_rate
from expectations.schemas import TABLES
from resources.media.packets import Stream, packet_array

TICK = Fraction(1, 25)
NS = 10**9
UTC = 1_696_000_000_123_456_789


def video(
    pts: Sequence[int | None],
    den: int = 90_000,
    num: int = 1,
    *,
    discard: Sequence[int] = (),
    dts: Sequence[int] | None = None,
) -> Stream:
    """A stream whose packets are stored in the order given; the first is a key frame."""
    n = len(pts)
    packets = packet_array(
        {
            "order": range(n),
            "pts": pts,
            "dts": pts if dts is None else dts,
            "is_discard": [i in discard for i in range(n)],
            "is_keyframe": [i == 0 for i in range(n)],
            "is_corrupt": [False] * n,
            "is_hidden": [False] * n,
        }
    )
    return Stream(packets, 0, (0,), "h264", 64, 48, 0, num, den)


def built(
    streams: Sequence[Stream | None],
    stamps: Sequence[Sequence[int] | None] = (),
    gaze: Sequence[tuple[int | None, float | None, float]] = (),
) -> FramesResult:
    """Frames of a recording; gaze as (device ns, stated s, x), all valid."""
    clocks = TABLES["frame_stamps"].frame(
        {
            "source": "s",
            "recording_id": "r",
            "part": part,
            "clock": "device",
            "frame_stamps_ns": list(values),
            "source_file": "f",
        }
        for part, values in enumerate(stamps)
        if values is not None
    )
    samples = TABLES["gaze_samples"].frame(
        {
            "source": "s",
            "recording_id": "r",
            "sample": i,
            "t_ns": t_ns,
            "t_s": t_s,
            "x": x,
            "y": x / 2,
            "validity": "valid",
        }
        for i, (t_ns, t_s, x) in enumerate(gaze)
    )
    row = {"source": "s", "recording_id": "r", "media_paths": [f"{i}.mp4" for i in range(9)]}
    return build_frames(row, streams, clocks, samples)


def rules(made: FramesResult) -> set[str]:
    return {r["rule"] for r in made.refusals}


# The oracle: everything in fractions of seconds, one at a time.


def oracle_ticks(times: Sequence[Fraction]) -> list[int]:
    """Frame shown at each tick; ties to the earlier tick and to the earlier frame."""
    last = times[-1] / TICK
    count = max(0, ceil(last - Fraction(1, 2))) + 1
    shown: list[int] = []
    for k in range(count):
        at = bisect_left(times, k * TICK)
        near = [i for i in (at - 1, at) if 0 <= i < len(times)]
        shown.append(min((abs(times[i] - k * TICK), i) for i in near)[1])
    return shown


def oracle_time(stamp: int, device: Sequence[int], times: Sequence[Fraction]) -> Fraction | None:
    """Recording time of a device stamp by straight lines between the stamps of frames."""
    if len(device) == 1:
        half, slope = Fraction(1, 50), Fraction(1)
        away = Fraction(stamp - device[0], NS)
        return times[0] + away * slope if abs(away) <= half else None
    gaps = sorted(b - a for a, b in pairwise(times))
    n = len(gaps)
    half = (gaps[(n - 1) // 2] + gaps[n // 2]) / 4
    if stamp < device[0] or stamp >= device[-1]:
        knot = 0 if stamp < device[0] else -1
        away = Fraction(stamp - device[knot], NS)
        return times[knot] + away if abs(away) <= half else None
    i = bisect_left(device, stamp + 1) - 1
    share = Fraction(stamp - device[i], device[i + 1] - device[i])
    return times[i] + share * (times[i + 1] - times[i])


def oracle_tick(time: Fraction, ticks: int) -> int | None:
    """Nearest tick, the earlier of two; none if further away than half a step."""
    k = min(max(ceil(time / TICK - Fraction(1, 2)), 0), ticks - 1)
    return k if abs(time - k * TICK) <= TICK / 2 else None


RISING = st.lists(st.integers(1, 40_000), min_size=0, max_size=60)
BASES = st.sampled_from(
    [(1, 90_000), (1, 1000), (1, 12_800), (1001, 30_000), (1, 25), (1, 7), (3, 1_000_003), (1, NS)]
)


@given(gaps=RISING, first=st.integers(-(2**62), 2**61), base=BASES)
@settings(max_examples=150, deadline=None)
def test_ticks_agree_with_the_oracle(gaps: list[int], first: int, base: tuple[int, int]) -> None:
    num, den = base
    scale = max(1, den // 40_000 // num)  # about a second at most between frames
    pts = [first]
    for gap in gaps:
        pts.append(pts[-1] + (gap * scale if den > 1000 else 1 + gap % (2 * den)))
    times = [Fraction((p - first) * num, den) for p in pts]
    made = built([video(pts, den, num)])
    wanted = oracle_ticks(times)
    assert made.frames["source_frame"].to_list() == wanted
    assert made.frames["source_pts"].to_list() == [pts[i] for i in wanted]
    told = made.frames["residual_ms"].to_list()
    true = [float((times[f] - k * TICK) * 1000) for k, f in enumerate(wanted)]
    assert told == pytest.approx(true, rel=1e-6, abs=1e-6)


@given(
    gaps=st.lists(st.integers(300, 20_000), min_size=1, max_size=40),
    jitter=st.lists(st.integers(-200_000, 200_000), min_size=41, max_size=41),
    ppm=st.integers(-1000, 1000),
    start=st.sampled_from([0, UTC, 2**62, 2**62 + 12_345]),
    gaze=st.lists(st.integers(-50_000_000, 3_000_000_000), min_size=1, max_size=40),
)
@settings(max_examples=150, deadline=None)
def test_gaze_agrees_with_the_oracle(
    gaps: list[int], jitter: list[int], ppm: int, start: int, gaze: list[int]
) -> None:
    pts = [0]
    for gap in gaps:
        pts.append(pts[-1] + gap)
    times = [Fraction(p, 90_000) for p in pts]
    # Gaps are at least 3.3 ms, so stamps with this jitter still rise.
    device = [
        start + floor(t * NS * Fraction(10**6 + ppm, 10**6)) + j
        for t, j in zip(times, jitter, strict=False)
    ]
    stamps = [start + g for g in gaze if start + g >= 0]
    made = built([video(pts)], [device], [(s, None, 0.25 + i / 200) for i, s in enumerate(stamps)])
    ticks = made.frames.height
    wanted: dict[int, list[int]] = {}
    for i, stamp in enumerate(stamps):
        time = oracle_time(stamp, device, times)
        if time is None:
            continue
        off = abs(time / TICK - floor(time / TICK) - Fraction(1, 2)) * TICK
        if off < Fraction(3, NS) and off:  # nanoseconds are rounded: either tick is right
            return
        tick = oracle_tick(time, ticks)
        if tick is not None:
            wanted.setdefault(tick, []).append(i)
    for tick, count, x in made.frames.select("tick", "gaze_samples", "gaze_x").iter_rows():
        mine = wanted.get(tick, [])
        # The reach beyond the ends is half a frame in whole nanoseconds.
        edge = tick in (0, ticks - 1)
        assert count == len(mine) or (edge and abs(count - len(mine)) <= 1)
        if count == len(mine):
            mean = None if not mine else sum(0.25 + i / 200 for i in mine) / len(mine)
            assert x == (None if mean is None else pytest.approx(mean, abs=1e-6))


@given(
    times=st.lists(
        st.one_of(
            st.integers(-(2**40), 2**40),
            st.integers(-5, 60).map(lambda k: k * 20_000_000),
            st.integers(-5, 60).map(lambda k: k * 20_000_000 + 1),
            st.integers(-(2**62), 2**62),
        ),
        max_size=60,
    ),
    ticks=st.integers(1, 30),
    bad=st.sets(st.integers(0, 59)),
)
@settings(max_examples=200, deadline=None)
def test_registering_agrees_with_the_oracle(times: list[int], ticks: int, bad: set[int]) -> None:
    x = np.array([0.1 + i / 100 for i in range(len(times))])
    valid = np.array([i not in bad for i in range(len(times))], dtype=bool)
    made = register(np.array(times, dtype=np.int64), x, x, valid, ticks=ticks, step_ns=40_000_000)
    places = [oracle_tick(Fraction(t, NS), ticks) for t in times]
    assert made.unregistered == sum(p is None for p in places)
    for k in range(ticks):
        mine = [i for i, p in enumerate(places) if p == k]
        use = [i for i in mine if valid[i]]
        assert (made.samples[k], made.valid[k]) == (len(mine), len(use))
        if use:
            assert made.x[k] == pytest.approx(float(np.mean(x[use])), abs=1e-6)
        else:
            assert np.isnan(made.x[k])


# Named cases.


def test_six_hours_with_drift_stay_exact() -> None:
    """Drift of 300 ppm is 6.5 s after 6 h; gaze follows it to the last sample."""
    n, rate = 6 * 3600 * 30, Fraction(1_000_300, 1_000_000)
    pts = np.arange(n) * 3000
    device = UTC + (pts.astype(object) * NS * rate.denominator // (90_000 * rate.numerator))
    looks = [0, 12_345 * 30, 300_000, n - 2]
    gaze = [(int(device[i]) + 1_000_000, None, 0.5) for i in looks]
    made = built([video(pts.tolist())], [device.tolist()], gaze)
    assert made.frames.height == round((n - 1) / 30 * 25) + 1
    late = made.frames[-1]
    assert late["source_pts"][0] == pts[-1]
    hit = made.frames.filter(pl.col("gaze_samples") > 0)["tick"].to_list()
    assert hit == sorted(round((i / 30 + 0.001) * 25) for i in looks)
    # 30 frames a second on 25 ticks: every fifth tick falls on a frame, for ever.
    assert made.frames["residual_ms"].gather_every(5)[:-1].abs().max() == 0.0
    assert made.clocks[0].rate == pytest.approx(float(rate), abs=1e-9)


@pytest.mark.parametrize("fps", [1, 240])
def test_slow_and_fast_cameras(fps: int) -> None:
    n = 6 * fps
    pts = [i * (90_000 // fps) for i in range(n)]
    times = [Fraction(p, 90_000) for p in pts]
    device = [UTC + p * NS // 90_000 for p in pts]
    gaze = [(UTC + ms * 1_000_000, None, 0.5) for ms in range(-30, 6030, 5)]
    made = built([video(pts)], [device], gaze)
    assert made.frames["source_frame"].to_list() == oracle_ticks(times)
    inner = made.frames[1:-1]
    assert inner["gaze_samples"].is_between(7, 9).all()
    if fps == 1:
        assert made.frames["residual_ms"].abs().max() == 480.0


@pytest.mark.parametrize("pts", [[0], [-(2**62)], [5, 5, 5], [2**61]])
def test_one_frame_is_one_tick(pts: list[int]) -> None:
    made = built([video(pts)], [[UTC]], [(UTC + 5_000_000, None, 0.3), (UTC + NS, None, 0.9)])
    assert made.frames.select("tick", "t_s", "source_pts", "residual_ms").rows() == [
        (0, 0.0, pts[0], 0.0)
    ]
    assert made.streams["frames"].to_list() == [1]
    assert made.streams["duplicates"].to_list() == [len(pts) - 1]
    assert ("duplicate_stamp" in rules(made)) == (len(pts) > 1)


def test_device_stamps_all_equal_place_nothing_far() -> None:
    pts = [i * 3000 for i in range(30)]
    gaze = [(UTC + i * 10_000_000, None, 0.5) for i in range(-50, 150)]
    made = built([video(pts)], [[UTC] * 30], gaze)
    assert "non_monotone_stamp" in rules(made)
    # One stamp is a clock for a second around it, and no more.
    assert made.frames.height == 26 - 1
    placed = made.frames.filter(pl.col("gaze_samples") > 0)
    for tick, count in placed.select("tick", "gaze_samples").iter_rows():
        assert count <= 5, tick


def test_a_clock_that_jumps_back_an_hour_places_no_gaze_wrongly() -> None:
    """300 frames, the clock falls back before frame 100: the longer run counts."""
    pts = [i * 3000 for i in range(300)]
    back = 3600 * NS
    device = [UTC + p * NS // 90_000 - (back if i >= 100 else 0) for i, p in enumerate(pts)]
    before = [(device[i] + 1, None, 0.1) for i in range(0, 90, 10)]
    after = [(device[i] + 1, None, 0.9) for i in range(100, 299, 10)]
    made = built([video(pts)], [device], [*before, *after])
    hit = made.frames.filter(pl.col("gaze_samples") > 0)
    assert "non_monotone_stamp" in rules(made)
    assert hit["gaze_x"].min() == pytest.approx(0.9)  # none of the lost hour
    ticks = [round(i / 30 * 25 + 1e-9) for i in range(100, 299, 10)]
    assert hit["tick"].to_list() == ticks
    assert any(
        r["rule"] == "outside_video" and (r["value"] or "").startswith("9 of")
        for r in made.refusals
    )


def test_a_repeated_stamp_belongs_to_its_first_frame() -> None:
    """The device repeats a stamp it has; the frame after is placed between its neighbours."""
    pts = [i * 7500 for i in range(40)]  # 12 fps: a frame off is 83 ms off
    device = [UTC + p * NS // 90_000 for p in pts]
    broken = [*device]
    broken[20] = broken[19]
    gaze = [(UTC + ms * 1_000_000, None, ms / 4000) for ms in range(0, 3200, 8)]
    whole, made = built([video(pts)], [device], gaze), built([video(pts)], [broken], gaze)
    assert "non_monotone_stamp" in rules(made)
    same = ["tick", "source_pts", "gaze_samples", "gaze_x"]
    assert made.frames.select(same).equals(whole.frames.select(same))


def test_a_broken_first_stamp_loses_no_gaze() -> None:
    pts = [i * 7500 for i in range(40)]
    device = [UTC + p * NS // 90_000 for p in pts]
    broken = [device[1] + 40_000_000, *device[1:]]
    gaze = [(UTC + ms * 1_000_000, None, 0.5) for ms in range(0, 3200, 8)]
    whole, made = built([video(pts)], [device], gaze), built([video(pts)], [broken], gaze)
    assert "broken_first_stamp" in rules(made)
    assert made.frames.equals(whole.frames)


def test_many_broken_stamps_are_not_guessed_over() -> None:
    """More than a second without a usable stamp at the beginning: no gaze there."""
    pts = [i * 3000 for i in range(120)]
    device = [UTC + p * NS // 90_000 for p in pts]
    broken = [d + 7200 * NS if i < 45 else d for i, d in enumerate(device)]
    gaze = [(UTC + ms * 1_000_000, None, 0.5) for ms in range(0, 3900, 8)]
    made = built([video(pts)], [broken], gaze)
    hit = made.frames.filter(pl.col("gaze_samples") > 0)["t_s"]
    assert hit.min() == pytest.approx(1.5, abs=0.045)
    assert hit.max() == pytest.approx(3.9, abs=0.05)


def _uneven(n: int, seed: int) -> list[int]:
    """Stamps of a free-running camera: frames between 25 and 70 ms apart."""
    gaps = np.random.default_rng(seed).integers(2250, 6300, n)
    return [0, *np.cumsum(gaps).tolist()]


@pytest.mark.parametrize("ppm", [-1000, 0, 1000])
def test_drift_alone_is_no_fault(ppm: int) -> None:
    pts = _uneven(20_000, 1)
    device = [UTC + p * NS * (10**6 + ppm) // (90_000 * 10**6) for p in pts]
    made = built([video(pts)], [device])
    assert not rules(made)
    assert made.clocks[0].residual_ms == pytest.approx(abs(ppm) * pts[-1] / 9e7, rel=0.01, abs=1e-5)


def test_a_clock_set_while_recording_is_told() -> None:
    pts = _uneven(600, 1)
    device = [UTC + p * NS // 90_000 + (3 * NS if i > 200 else 0) for i, p in enumerate(pts)]
    assert "clocks_disagree" in rules(built([video(pts)], [device]))


def test_stamps_of_another_video_are_told_though_their_number_is_right() -> None:
    pts, other = _uneven(600, 1), _uneven(600, 2)
    device = [UTC + p * NS // 90_000 for p in other]
    assert "clocks_disagree" in rules(built([video(pts)], [device]))


@pytest.mark.parametrize("lost", [(0, 3), (598, 601), (300, 304)], ids=["first", "last", "middle"])
def test_missing_stamps_are_bridged_by_a_fit(lost: tuple[int, int]) -> None:
    """Offset and rate are found from what is left; gaze stays within 2 ms, and it is told."""
    pts = _uneven(600, 3)
    device = [UTC + p * NS * 10_003 // (90_000 * 10_000) for p in pts]
    kept = [d for i, d in enumerate(device) if not lost[0] <= i < lost[1]]
    looks = [50, 250, 450, 550]
    made = built([video(pts)], [kept], [(device[i], None, 0.5) for i in looks])
    assert "clock_fitted" in rules(made)
    (clock,) = made.clocks
    times, inside = clock.part_times(np.array([device[i] for i in looks]))
    assert inside.all()
    assert times / 1e9 == pytest.approx([pts[i] / 90_000 for i in looks], abs=2e-3)


def test_gaze_entirely_outside_is_told_and_placed_nowhere() -> None:
    pts = [i * 3000 for i in range(60)]
    device = [UTC + p * NS // 90_000 for p in pts]
    gaze = [(UTC + s * NS, None, 0.5) for s in (-9, -5, 4, 5, 60)]
    made = built([video(pts)], [device], gaze)
    assert made.frames["gaze_samples"].sum() == 0
    assert made.frames["gaze_x"].is_null().all()
    assert "5 of 5 samples" in {r["value"] for r in made.refusals}


def test_order_of_gaze_rows_does_not_matter() -> None:
    pts = [i * 3000 for i in range(60)]
    device = [UTC + p * NS // 90_000 for p in pts]
    gaze = [(UTC + i * 8_333_333, None, 0.25 + i / 1000) for i in range(240)]
    there, back = (built([video(pts)], [device], g).frames for g in (gaze, gaze[::-1]))
    assert there.drop("gaze_x", "gaze_y", "gaze_residual_ms").equals(
        back.drop("gaze_x", "gaze_y", "gaze_residual_ms")
    )
    assert there["gaze_x"].to_list() == pytest.approx(back["gaze_x"].to_list(), abs=1e-7)


def test_gaze_half_way_belongs_to_the_earlier_tick() -> None:
    made = built(
        [video(list(range(0, 100 * 3600, 3600)))],
        gaze=[(None, t, 0.5) for t in (-0.02, 0.02, 0.06, 1.0, 1.02, 99 / 25 + 0.02)],
    )
    held = made.frames.filter(pl.col("gaze_samples") > 0)
    assert held.select("tick", "gaze_samples").rows() == [(0, 2), (1, 1), (25, 2), (99, 1)]


@pytest.mark.parametrize("first", [-(2**62), -90_000, 0, 2**61])
def test_where_stamps_begin_changes_nothing_but_the_stamps(first: int) -> None:
    gaps = [3000, 2900, 9000, 3100, 3000] * 20
    pts = [first + sum(gaps[:i]) for i in range(100)]
    zero = [p - first for p in pts]
    a, b = built([video(pts)]).frames, built([video(zero)]).frames
    assert a.drop("source_pts").equals(b.drop("source_pts"))
    assert (a["source_pts"] - first).to_list() == b["source_pts"].to_list()


def test_one_stamp_at_each_end_of_the_numbers_is_refused() -> None:
    made = built([video([-(2**62), 0, 3000, 2**62])])
    assert made.frames.is_empty()
    assert "implausible_span" in rules(made)


@pytest.mark.parametrize("hidden", [1, 7, 13])
def test_an_edit_list_moves_time_zero(hidden: int) -> None:
    """Media start: hidden packets are decoded, not shown; time is counted from the first shown."""
    pts = [i * 3000 for i in range(80)]
    device = [UTC + p * NS // 90_000 for p in pts]
    made = built(
        [video(pts, discard=range(hidden))],
        [device],  # one stamp per stored packet
        [(device[i] + 1000, None, i / 100) for i in range(0, 80, 5)],
    )
    assert made.streams.select("first_pts", "discarded", "frames").row(0) == (
        pts[hidden],
        hidden,
        80 - hidden,
    )
    assert made.frames["source_pts"][0] == pts[hidden]
    for tick, x in made.frames.filter(pl.col("gaze_samples") == 1).select("tick", "gaze_x").rows():
        seen = (round(x * 100) - hidden) / 30
        assert abs(seen - tick / 25) <= 0.0201
    assert made.frames["gaze_samples"].sum() >= (80 - hidden) // 5


def _two(first_ns: int, second_ns: int) -> FramesResult:
    pts = [i * 3000 for i in range(60)]
    stamps = [[start + p * NS // 90_000 for p in pts] for start in (first_ns, second_ns)]
    gaze = [(s[i] + 1000, None, (part + 1) / 4) for part, s in enumerate(stamps) for i in (10, 50)]
    return built([video(pts), video(pts)], stamps, gaze)


def test_parts_keep_their_gap() -> None:
    made = _two(UTC, UTC + 5 * NS)
    assert made.streams["offset_s"].to_list() == [0.0, 5.0]
    assert not rules(made)
    hit = made.frames.filter(pl.col("gaze_samples") > 0)
    assert [round(t * 25) for t in hit["t_s"]] == [8, 42, 133, 167]
    gap = made.frames.filter(pl.col("t_s").is_between(2.05, 4.95))
    assert gap["gaze_samples"].sum() == 0
    # The gap shows the frames at its two ends, and says how far they are.
    assert set(gap["source_frame"]) == {59, 60}
    assert gap["residual_ms"].abs().max() == pytest.approx((5 - 59 / 30) * 500, abs=20)


@pytest.mark.parametrize(
    "second",
    [UTC - 60 * NS, UTC - 1, UTC, UTC + NS, UTC + 59 * NS // 30],
    ids=["earlier", "just earlier", "same", "overlapping", "touching"],
)
def test_parts_the_clock_cannot_order_are_put_end_to_end_and_told(second: int) -> None:
    made = _two(UTC, second)
    assert "parts_concatenated" in rules(made)
    assert made.streams["offset_s"].to_list() == pytest.approx([0.0, 2.0], abs=1e-6)
    assert (made.frames["part"].diff().drop_nulls() >= 0).all()
    times = made.frames["t_s"] + made.frames["residual_ms"] / 1000
    assert (times.diff().drop_nulls() > -1e-4).all()


def test_constant_rate_grid_of_hours_has_no_rounding() -> None:
    unit = 90_000 * 25
    stamps = np.arange(0, 10 * 3600 * 24, dtype=np.int64) * (unit // 24)
    grid = constant_rate(stamps, unit)
    k = np.arange(len(grid.frame), dtype=object)
    exact = k * 24  # frame wanted times 25
    assert all(
        abs(f * 25 - e) * 2 <= 25 for f, e in zip(grid.frame[-5000:], exact[-5000:], strict=True)
    )
    assert grid.residual[::25].tolist() == [0] * len(grid.residual[::25])
