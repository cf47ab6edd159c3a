"""Registered gaze against where the wearer looked, and when."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt
import polars as pl
import pytest

from resources.worlds import Recording
from resources.worlds.household.gaze import measure
from tests.truth.household import Household, of_kind
from tests.truth.times import STEP_S, camera, looked, sampled

WEARERS = of_kind(lambda r: r.view == "ego")
Floats = npt.NDArray[np.float64]
WINDOW_S = np.linspace(-0.018, 0.018, 7)
SHIFTS_S = np.arange(-0.12, 0.1201, 0.002)


@pytest.fixture(params=WEARERS.values(), ids=list(WEARERS))
def rec(request: pytest.FixtureRequest) -> Recording:
    return request.param


def _shift_s(rec: Recording, ticks: pl.DataFrame) -> float:
    """Time by which the true gaze must be moved to fit the registered means best.

    Only ticks without a blink or absence nearby: garbage there is not the true gaze.
    """
    cam = camera(rec)
    seen = ticks["t_s"].to_numpy()
    true = cam.true_of(seen)
    mean = ticks.select("gaze_x", "gaze_y").to_numpy()
    bad_s = _disturbed(rec)
    far = np.ones(seen.size, dtype=bool)
    for start, stop in bad_s:
        far &= (true < start - 0.06) | (true > stop + 0.06)
    keep = far & np.isfinite(mean).all(axis=1) & (true > 0.3) & (true < rec.duration_s - 0.3)
    assert keep.sum() > 0.5 * seen.size
    costs: list[float] = []
    for shift in SHIFTS_S:
        around = (true[keep][:, None] + shift + WINDOW_S).ravel()
        wanted = looked(rec, around).reshape(-1, WINDOW_S.size, 2).mean(axis=1)
        error = mean[keep] - wanted
        error -= np.median(error, axis=0)  # the tracker's constant offset is no matter of time
        costs.append(float(np.minimum(np.abs(error), 0.05).sum()))
    best = int(np.argmin(costs))
    assert 0 < best < len(costs) - 1, "no alignment within 120 ms"
    before, at, after = costs[best - 1 : best + 2]
    bend = before - 2 * at + after
    return float(SHIFTS_S[best] + 0.002 * 0.5 * (before - after) / bend) if bend else 0.0


def _disturbed(rec: Recording) -> list[tuple[float, float]]:
    seen = measure(rec, 200.0, regular=True)
    off = seen.t_s[~seen.worn]
    spans = list(seen.blinks_s)
    if off.size:
        spans.append((float(off[0]), float(off[-1])))
    return spans


def _nearest_ticks(rec: Recording, ticks: int) -> tuple[npt.NDArray[np.int64], Floats]:
    """Tick of every true sample (-1: none), and how far it is from the next tick's window."""
    samples = sampled(rec)
    place = samples.stated_s / STEP_S
    tick = np.ceil(place - 0.5).astype(np.int64)
    edge = np.abs(place - np.floor(place) - 0.5) * STEP_S
    tick[(tick < 0) | (tick >= ticks)] = -1
    return tick, edge


def test_alignment(
    household: Household, rec: Recording, record_testsuite_property: Callable[[str, object], None]
) -> None:
    """Measured: below 1 ms by device clocks; npy +8 ms (its rows take the next sample, ties)."""
    shift = _shift_s(rec, household.of("frames", rec).sort("tick"))
    record_testsuite_property(f"alignment_ms {rec.uid}", round(shift * 1000, 2))
    assert abs(shift) < (1 / 30 if rec.form == "released" else 0.010)


def test_drift_is_followed_to_the_end(household: Household, rec: Recording) -> None:
    ticks = household.of("frames", rec).sort("tick")
    half = ticks.height // 2
    first, second = _shift_s(rec, ticks[:half]), _shift_s(rec, ticks[half:])
    assert abs(first - second) < (0.02 if rec.form == "released" else 0.012)


def test_means_are_of_the_samples_truly_nearest(household: Household, rec: Recording) -> None:
    """Counts, means and absences of every tick, from the samples as the tracker truly made them."""
    ticks = household.of("frames", rec).sort("tick")
    samples = sampled(rec)
    tick, edge = _nearest_ticks(rec, ticks.height)
    # A sample this near to the border of two ticks may be taken by either: device stamps jitter.
    doubtful_s = 1e-6 if rec.form == "released" else 2.2e-3 if rec.gap_s else 1.1e-3
    x, y = ticks["gaze_x"].to_numpy(), ticks["gaze_y"].to_numpy()
    valid, held = ticks["gaze_valid"].to_numpy(), ticks["gaze_samples"].to_numpy()
    reach = _reach(rec)
    inside = (tick >= 0) & reach
    sure = inside & (edge > doubtful_s)
    maybe = (tick >= 0) & ~sure
    surely = np.bincount(tick[sure], minlength=ticks.height)
    surely_valid = np.bincount(tick[sure & samples.valid], minlength=ticks.height)
    near = np.zeros(ticks.height, dtype=np.int64)
    for shift in (-1, 0, 1):
        t = np.clip(tick[maybe] + shift, 0, ticks.height - 1)
        near += np.bincount(t, minlength=ticks.height)
    assert (held >= surely).all(), np.flatnonzero(held < surely)
    assert (held <= surely + near).all()
    assert (valid >= surely_valid).all()
    assert (valid <= surely_valid + near).all()
    assert (np.isfinite(x) == (valid > 0)).all()
    assert (np.isfinite(y) == (valid > 0)).all()
    # Ticks whose samples are all certain must hold their exact mean.
    certain = (near == 0) & (surely_valid > 0)
    count = np.bincount(tick[sure & samples.valid], minlength=ticks.height)
    for axis, told in ((0, x), (1, y)):
        total = np.bincount(
            tick[sure & samples.valid],
            weights=samples.xy[sure & samples.valid, axis],
            minlength=ticks.height,
        )
        mean = total[certain] / count[certain]
        assert told[certain] == pytest.approx(mean, abs=1e-4)
    assert certain.any()
    # Nothing is invented: samples registered are as many as there are.
    assert held.sum() <= inside.sum() + maybe.sum()
    assert held.sum() >= 0.99 * inside.sum()
    assert valid.sum() >= 0.98 * (inside & samples.valid).sum()


def _reach(rec: Recording) -> npt.NDArray[np.bool_]:
    """Samples within half a frame of a part; beyond that the part's clock says nothing."""
    samples, cam = sampled(rec), camera(rec)
    if rec.form == "released":
        return np.ones(samples.true_s.size, dtype=bool)
    out = np.zeros(samples.true_s.size, dtype=bool)
    for part in cam.parts:
        half = float(np.median(np.diff(part.t_s))) / 2 - 2e-3
        out |= (samples.true_s >= part.t_s[0] - half) & (samples.true_s <= part.t_s[-1] + half)
    return out


def test_no_mean_without_glasses_or_in_blinks(household: Household, rec: Recording) -> None:
    ticks = household.of("frames", rec).sort("tick")
    true = camera(rec).true_of(ticks["t_s"].to_numpy())
    blank = ticks["gaze_x"].is_null().to_numpy()
    assert (ticks["gaze_y"].is_null().to_numpy() == blank).all()
    checked = 0
    for start, stop in _untold(rec):
        # Whole window of the tick inside; npy rows lie up to half a row beside their time.
        margin = 0.02 + (0.02 if rec.form == "released" else 0.003)
        hit = (true >= start + margin) & (true <= stop - margin)
        assert blank[hit].all()
        checked += int(hit.sum())
    assert checked or not _untold(rec)


def _untold(rec: Recording) -> list[tuple[float, float]]:
    """Spans the recording's form marks: absence, and blinks where it has them."""
    seen = measure(rec, 200.0, regular=True)
    off = seen.t_s[~seen.worn]
    spans = list(seen.blinks_s) if rec.form != "native" else []
    if off.size:
        spans.append((float(off[0]), float(off[-1])))
    return spans


def test_nothing_is_carried_over_the_gap(household: Household) -> None:
    (rec,) = of_kind(lambda r: r.quirk == "two_parts").values()
    ticks = household.of("frames", rec).sort("tick")
    assert rec.gap_s is not None
    gap = ticks.filter(pl.col("t_s").is_between(rec.gap_s[0] + 0.25, rec.gap_s[1] - 0.25))
    assert gap.height > 50
    assert gap["gaze_x"].is_null().all()
    assert gap["gaze_samples"].sum() == 0
    assert gap["residual_ms"].abs().min() > 200  # pyright: ignore[reportOperatorIssue]
    after = ticks.filter(pl.col("t_s") > rec.gap_s[1] + 0.1)
    assert after["gaze_x"].is_not_null().mean() > 0.8  # pyright: ignore[reportOperatorIssue]


def test_gaze_lies_within_the_trackers_noise(household: Household, rec: Recording) -> None:
    ticks = household.of("frames", rec).sort("tick").filter(pl.col("gaze_valid") > 0)
    true = camera(rec).true_of(ticks["t_s"].to_numpy())
    far = np.ones(true.size, dtype=bool)
    for start, stop in _disturbed(rec):
        far &= (true < start - 0.06) | (true > stop + 0.06)
    around = (true[:, None] + WINDOW_S).ravel()
    wanted = looked(rec, around).reshape(-1, WINDOW_S.size, 2).mean(axis=1)
    error = (ticks.select("gaze_x", "gaze_y").to_numpy() - wanted)[far]
    # Offset of 1.5 px, slow drift and noise, of a picture 272 px wide: about 1 % in all.
    assert np.abs(np.median(error, axis=0)).max() < 0.009
    assert np.sqrt((error**2).mean(axis=0)).max() < 0.02
