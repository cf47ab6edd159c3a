"""The frame table against the cameras that took the frames."""

from __future__ import annotations

import math

import numpy as np
import polars as pl
import pytest

from resources.worlds import Recording
from tests.truth.household import Household, of_kind
from tests.truth.times import STEP_S, camera

ALL = of_kind(lambda _: True)
# A stamp counts in 1/90 000 s or coarser and device stamps jitter by up to 1 ms around the frame.
STAMP_S, JITTER_S = 2e-5, 2.5e-3


@pytest.fixture(params=ALL.values(), ids=list(ALL))
def rec(request: pytest.FixtureRequest) -> Recording:
    return request.param


def test_streams_tell_what_was_recorded(household: Household, rec: Recording) -> None:
    rows = household.of("streams", rec).sort("part")
    cam = camera(rec)
    assert rows["part"].to_list() == list(range(len(cam.parts)))
    assert rows["frames"].to_list() == [p.t_s.size for p in cam.parts]
    assert rows["rotation_deg"].to_list() == [90 if rec.rotated else 0] * len(cam.parts)
    assert rows["reordered"].to_list() == [rec.b_frames] * len(cam.parts)
    stored = (rec.height_px, rec.width_px) if rec.rotated else (rec.width_px, rec.height_px)
    assert rows.select("width_px", "height_px").rows() == [stored] * len(cam.parts)


def test_parts_start_when_they_started(household: Household, rec: Recording) -> None:
    starts = household.of("streams", rec).sort("part")["offset_s"].to_list()
    true = [float(p.t_s[0]) for p in camera(rec).parts]
    assert starts == pytest.approx(true, abs=JITTER_S)


def test_every_tick_shows_the_frame_nearest_in_true_time(
    household: Household, rec: Recording
) -> None:
    rows, cam = household.of("frames", rec).sort("tick"), camera(rec)
    last = cam.seen_s[-1] / STEP_S
    assert rows["tick"].to_list() == list(range(rows.height))
    # Ticks reach to the one nearest to the last frame (a tie goes to the earlier).
    counts = {math.ceil(last + e - 0.5) + 1 for e in (-JITTER_S * 25, 0.0, JITTER_S * 25)}
    assert rows.height in (counts if rec.gap_s else {math.ceil(last - 0.5) + 1})
    ticks = np.arange(rows.height, dtype=np.float64) * STEP_S
    assert rows["t_s"].to_numpy() == pytest.approx(ticks, abs=1e-9)

    wanted = cam.true_of(ticks)
    shown = rows["source_frame"].to_numpy()
    distance = np.abs(wanted[:, None] - cam.true_s[None, :])
    in_gap = np.zeros(rows.height, dtype=bool)
    if rec.gap_s:  # where nothing was filmed a true time is a convention
        in_gap = (ticks > cam.seen_s[cam.part == 0][-1]) & (ticks < cam.parts[1].t_s[0])
    late = rows["part"].to_numpy() > 0
    allowed = np.where(late | in_gap, JITTER_S, 2 * STAMP_S)
    allowed[in_gap] += 0.05
    excess = distance[np.arange(rows.height), shown] - distance.min(axis=1)
    assert (excess <= allowed).all(), (np.argmax(excess - allowed), excess.max())

    residual = rows["residual_ms"].to_numpy() / 1000
    true_residual = cam.seen_s[shown] - ticks
    assert (np.abs(residual - true_residual) <= np.where(late, JITTER_S, STAMP_S)).all()


def test_stamps_name_the_frames_shown(household: Household, rec: Recording) -> None:
    rows, cam = household.of("frames", rec).sort("tick"), camera(rec)
    streams = household.of("streams", rec)
    den = dict(streams.select("part", "time_base_den").iter_rows())
    first = {i: int(np.argmax(cam.part == i)) for i in range(len(cam.parts))}
    for part, frame, pts in rows.select("part", "source_frame", "source_pts").iter_rows():
        assert cam.part[frame] == part
        file = cam.parts[part]
        assert pts / den[part] == pytest.approx(
            file.pts[frame - first[part]] / file.ticks, abs=1e-9
        )


def test_a_stalled_camera_is_told(household: Household) -> None:
    for rec in of_kind(lambda r: r.form != "released").values():
        rows = household.of("frames", rec)
        worst = float(np.abs(rows["residual_ms"].to_numpy()).max())
        longest = np.diff(camera(rec).seen_s).max() * 1000
        assert worst == pytest.approx(longest / 2, abs=21)
        assert rows.filter(pl.col("residual_ms").abs() > 40).height > 0
