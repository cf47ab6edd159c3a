"""Writes episodes in EgoMe's layout: watched (exo), then imitated (ego), with gaze of both.

The release's rates differ from take to take; so do ours. One imitation is wrong on purpose, one step
has no description, one no times, and some gaze samples are lost.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import numpy as np

from resources.worlds.flat import FlatSpec
from resources.worlds.flat.episodes import Episode, Performance, episodes
from resources.worlds.flat.files import write_csv, write_json
from resources.worlds.flat.media_jobs import Progress, Stream, draw_all, frame_count

GAZE_HZ: Final = 125
WIDTH_PX, HEIGHT_PX = 1280, 960
LOST: Final = 40
"""Every so-many-th gaze sample is lost."""
_FPS: Final = (28, 29, 30)
REFUSED: Final = {("segments", "unreadable_row"): 1}
"""What readers must refuse, by table and rule."""


def names(episode: Episode, at: int) -> dict[str, Performance]:
    """Performances by recording id."""
    who = f"User{1 + at}" if episode.faithful else "FALSE_User1"
    stem = f"CF{1 + at}-A{at}-20260101_{who}_26010109000{at}"
    return {f"{stem}_exo": episode.exo, f"{stem}_ego": episode.ego}


def fps_of(at: int, shown: Performance) -> int:
    """Frame rate of a performance's video."""
    return _FPS[(at + (shown.camera == "ego")) % len(_FPS)]


def length_s(at: int, shown: Performance) -> float:
    """Length of its video."""
    rate = fps_of(at, shown)
    return frame_count(shown.take.duration_s, rate) / rate


def gaze_share(shown: Performance, t_s: float) -> tuple[float, float]:
    """Where the wearer looks, in shares of the picture: at what the performer handles."""
    camera = shown.take.camera(shown.camera)
    _, point = shown.take.gaze_target(t_s, "P1")
    pose = shown.take.camera_pose(shown.camera, t_s)
    x, y = camera.project(pose.to_local(np.asarray(point)))
    return float(x / camera.width_px), float(y / camera.height_px)


def _gaze(shown: Performance, length: float) -> Iterator[tuple[object, ...]]:
    for n in range(int(length * GAZE_HZ)):
        t_s = n / GAZE_HZ
        x, y = gaze_share(shown, t_s)
        lost = n % LOST == LOST - 1
        minutes, seconds = divmod(t_s, 60)
        stamp = f"00:{int(minutes):02d}:{seconds:06.3f}"
        place = (-1, -1) if lost else (f"{x * WIDTH_PX:.2f}", f"{y * HEIGHT_PX:.2f}")
        # Columns are found by name: the vertical one comes first here.
        yield (1000 + 8 * n, place[1], place[0], int(not lost), stamp, "0.1;0.2;9.8")


def _entry(at: int, uid: str, shown: Performance, episode: Episode, split: str) -> dict[str, Any]:
    steps: list[dict[str, Any]] = [
        {
            "Step discription": f"F:{shown.sentence(action).capitalize()}.",
            "Step timestamp": [round(action.start_s, 2), round(action.end_s, 2)],
            "Step order": order,
        }
        for order, action in enumerate(shown.actions, 1)
    ]
    if at == 0:
        last = len(steps) + 1
        steps.append({"Step discription": "", "Step timestamp": [1.0, 2.0], "Step order": last})
        if shown.camera == "ego":
            steps.append(
                {"Step discription": "F:Wave.", "Step timestamp": [3.0], "Step order": last + 1}
            )
    stem, _, view = uid.rpartition("_")
    return {
        "Duration": round(length_s(at, shown), 2),
        "View": view.capitalize(),
        "Split": split,
        "Scene": "flat",
        "Action": shown.take.task,
        "Video type": episode.faithful,
        "Match video": f"{stem}_{'exo' if view == 'ego' else 'ego'}.mp4",
        "Coarse-level": f"C:{shown.take.task.capitalize()}.",
        "Fine-level": steps,
    }


def write_egome(
    spec: FlatSpec, root: Path, progress: Progress | None = None, workers: int = 2
) -> None:
    """Writes episodes in this layout (see `side_by_side.Writer`)."""
    splits: dict[str, dict[str, Any]] = {"train": {}, "val": {}, "test": {}}
    streams = []
    for at, episode in enumerate(episodes(spec, unfaithful=True)):
        split = tuple(splits)[at % 3]
        for uid, shown in names(episode, at).items():
            splits[split][f"{uid}.mp4"] = _entry(at, uid, shown, episode, split)
            write_csv(
                root / f"Gaze_IMU/{uid}.csv",
                "Recording Time Stamp[ms],Gaze Point Y[px],Gaze Point X[px],Validity Left,"
                "Video Time[HH:mm:ss.ms],Accel[g]",
                _gaze(shown, length_s(at, shown)),
            )
            path = root / f"Video/{uid}.mp4"
            rate = fps_of(at, shown)
            streams.append(Stream(shown.spec, shown.index, shown.camera, path, rate))
    everything = {uid: entry for entries in splits.values() for uid, entry in entries.items()}
    for name, entries in {**splits, "total": everything}.items():
        write_json(root / f"Annotation/{name}.json", {"annotations": entries}, indent=1)
    draw_all(streams, progress, workers)
