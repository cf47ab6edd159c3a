"""The pictures show the truth: gaze lies on what is acted on, and views agree in colour."""

from __future__ import annotations

import itertools
from pathlib import Path

import av
import numpy as np
import numpy.typing as npt
import pytest

from resources.worlds import (
    HouseholdSpec,
    Recording,
    World,
    parts,
    plan,
    true_gaze,
    write_egoexolearn,
)
from resources.worlds.household.scene import look

Picture = npt.NDArray[np.uint8]


@pytest.fixture(scope="module")
def world() -> World:
    return plan(HouseholdSpec(ego=1, exo=1))


@pytest.fixture(scope="module")
def root(world: World, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("pictures")
    write_egoexolearn(world, folder, workers=2)
    return folder


def _pictures(path: Path, indices: list[int]) -> dict[int, Picture]:
    wanted, out = set(indices), dict[int, Picture]()
    with av.open(str(path)) as container:
        for number, frame in enumerate(container.decode(video=0)):
            if number in wanted:
                out[number] = np.asarray(frame.to_ndarray(format="rgb24"), dtype=np.uint8)
    return out


def _moments(rec: Recording) -> list[float]:
    return [f.begin_s + 0.45 * (f.finish_s - f.begin_s) for f in rec.fine if not f.slip]


def _video(root: Path, rec: Recording) -> Path:
    if rec.view == "ego":
        return root / "pupil" / rec.uid / "PI world v1 ps1.mp4"
    return root / "videos" / f"{rec.uid}.mp4"


def test_true_gaze_lies_on_the_thing_in_the_picture(world: World, root: Path) -> None:
    rec = world.recordings[0]
    t_s, gaze = parts(rec)[0].t_s, true_gaze(rec)
    frames = [int(np.abs(t_s - t).argmin()) for t in _moments(rec)]
    pictures = _pictures(_video(root, rec), frames)
    hits: list[bool] = []
    for frame in frames:
        x, y = np.round(gaze.at(t_s[frame : frame + 1])[0]).astype(int)
        noun = gaze.focus[int(np.searchsorted(gaze.t_s, t_s[frame]))]
        assert 0 <= x < rec.width_px
        assert 0 <= y < rec.height_px
        patch = pictures[frame][max(y - 4, 0) : y + 5, max(x - 4, 0) : x + 5].reshape(-1, 3)
        away = np.abs(patch.astype(int) - look(rec, noun).colour).max(axis=1).min()
        hits.append(bool(away < 45))
    assert np.mean(hits) > 0.75


def test_measured_gaze_is_near_the_truth(world: World, root: Path) -> None:
    rec = world.recordings[0]
    folder = root / "pupil" / rec.uid
    px = np.fromfile(folder / "gaze ps1.raw", "<f4").reshape(-1, 2)
    stamps = np.fromfile(folder / "gaze ps1.time", "<u8").astype(np.int64)
    t_s = (stamps - rec.clock.start_ns) / 1e9 - rec.clock.delay_s
    # Pixels of the device's 1088x1080 scene image; the video is a smaller copy.
    normal = px / (1088, 1080)
    truth = true_gaze(rec).at(t_s) / (rec.width_px, rec.height_px)
    error = np.abs(normal - truth).max(axis=1)
    inside = (t_s > 0) & (t_s < rec.duration_s)
    assert np.median(error[inside]) < 0.015
    assert np.quantile(error[inside], 0.995) > 0.05, "blinks must show"


def test_homes_differ_in_colour() -> None:
    from resources.worlds.household.draw import Artist

    ego = [r for r in plan(HouseholdSpec()).recordings if r.view == "ego"]
    # Rows where most is table.
    by_home = {r.home: Artist(r).frame(0.1, (100, 80))[60:190] for r in ego}
    tables = {home: tuple(np.median(p.reshape(-1, 3), axis=0)) for home, p in by_home.items()}
    assert len(tables) == 4
    for (a, colour), (b, other) in itertools.combinations(tables.items(), 2):
        assert np.abs(np.subtract(colour, other)).max() > 25, (a, b)


def test_hands_move(world: World, root: Path) -> None:
    for rec in world.recordings:
        t_s = parts(rec)[0].t_s
        cut = next(f for f in rec.fine if "cut" in f.action.verbs)
        middle = int(np.abs(t_s - (cut.begin_s + cut.finish_s) / 2).argmin())
        a, b = _pictures(_video(root, rec), [middle, middle + 4]).values()
        assert (np.abs(a.astype(int) - b).max(axis=2) > 60).mean() > 0.002


def test_sizes(root: Path) -> None:
    size = sum(p.stat().st_size for p in root.rglob("*") if p.is_file())
    print(f"two recordings: {size / 1e6:.1f} MB")
    assert size < 6e6
