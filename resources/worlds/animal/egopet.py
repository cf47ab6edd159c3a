"""Writes a simulated animals' path in the raw layout of EgoPet (see the formats note).

Videos for training lie as the code of the release expects them, those for validation as its
download describes. Broken rows stand between the good ones.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

import numpy as np

from resources.worlds.animal.draw import Artist
from resources.worlds.animal.plan import plan_animals
from resources.worlds.animal.truth import Animals, AnimalSpec, Clip
from resources.worlds.tools.chance import between
from resources.worlds.tools.encode import write_video
from resources.worlds.tools.side_by_side import each

Progress = Callable[[int, int, str], None]

FPS: Final = 30
DRAWN_PER_S: Final = 6
"""Different pictures in a second of video; each stands for five frames."""
_SETS: Final = {"train": "training_set", "val": "validation_set"}
_NAMES: Final = {"train": "train", "val": "validation"}
BROKEN: Final = (
    # Rule, then what replaces start, end, object and path of a row of training.
    ("unreadable_row", ("0:01", "0:59", "ball", None)),
    ("unreadable_row", ("0:01", "0:0x", "ball", None)),
    ("unreadable_row", ("NONE", "0:04", "ball", None)),
    ("lists_differ", ("0:01;0:05", "0:02", "ball", None)),
    ("unreadable_row", ("0:01", "0:02", "ball", "training_set/clip_17.mp4")),
)
"""Rows that are written of a segment without a video, and must be refused, and by which rule."""


def video_path(clip: Clip) -> str:
    """Where the video of a clip lies."""
    if clip.split == "train":
        return f"training_set/edited_{clip.sha}/{clip.stem}.mp4"
    return f"training_and_validation_test_set/validation/{clip.animal}/{clip.stem}.mp4"


def _listed_path(clip: Clip) -> str:
    return f"{_SETS[clip.split]}/edited_{clip.sha}/{clip.stem}.mp4"


def _absent(spec: AnimalSpec) -> str:
    """Hash of an edited video that is listed and not there."""
    return hashlib.sha256(f"{spec.seed}/absent".encode()).hexdigest()


def _clock(seconds: int) -> str:
    return f"{seconds // 60}:{seconds % 60:02d}"


def interaction_rows(world: Animals, split: str) -> list[str]:
    """Rows of a list of interactions, broken ones last."""
    rows = []
    for at, clip in enumerate(world.clips):
        if clip.split != split or not clip.searched:
            continue
        parts = [(_clock(i.start_s), _clock(i.end_s), i.name) for i in clip.interactions]
        # The real lists mix NONE into others, and write it twice.
        if not parts or at == 1:
            parts += [("NONE", "NONE", "NONE")] * (2 if at == 9 else 1)
        starts, ends, things = (";".join(column) for column in zip(*parts, strict=True))
        rows.append(
            f"{clip.animal},{_NAMES[split]},{clip.sha},{int(clip.number)},{starts},{ends},"
            f"{clip.total_s},{things},{_listed_path(clip)}"
        )
    if split == "train":
        sha = _absent(world.spec)
        for _, (start, end, thing, path) in BROKEN:
            where = path or f"training_set/edited_{sha}/edited_{sha}_segment_001.mp4"
            rows.append(f"cat,train,{sha},1,{start},{end},10,{thing},{where}")
    return rows


def walk_rows(world: Animals, split: str) -> list[str]:
    """Rows of a list of walks: whole segments, their length a second short as in the release."""
    return [
        f"{clip.listed_as or clip.animal},{_SETS[split]},{clip.stem},{clip.stride},0,"
        f"{clip.total_s - 1},{_listed_path(clip)}"
        for clip in world.clips
        if clip.split == split and clip.stride is not None
    ]


def lists(world: Animals) -> dict[str, str]:
    """All lists by their name."""
    interactions = (
        "animal,ds_type,video_id,segment_id,start_time,end_time,total_time,"
        "interacting_object,video_path"
    )
    walks = "animal,ds_type,segment_id,stride,start_time,end_time,video_path"
    train = walk_rows(world, "train")
    made = {
        "object_interaction_train.csv": [interactions, *interaction_rows(world, "train")],
        "object_interaction_validation.csv": [interactions, *interaction_rows(world, "val")],
        "locomotion_prediction_train.csv": [walks, *train],
        "locomotion_prediction_train_25.csv": [walks, *train[: max(1, len(train) // 4)]],
        "locomotion_prediction_val.csv": [walks, *walk_rows(world, "val")],
        "egopet_pretrain.csv": [
            f"{_listed_path(clip)} 1" for clip in world.clips if clip.split == "train"
        ],
    }
    return {name: "\n".join(rows) + "\n" for name, rows in made.items()}


def trajectory(clip: Clip) -> str:
    """The path of a clip's camera in TUM's form, one pose a frame, in a scale of its own."""
    scale = between(0.3, 3.0, clip.stem, "scale")
    x = z = 0.0
    lines = []
    for frame in range(round(clip.duration_s * FPS)):
        t_s = frame / FPS
        yaw = np.radians(clip.yaw_deg(t_s))
        place = f"{x * scale:.6f} 0.000000 {z * scale:.6f}"
        lines.append(f"{float(frame)} {place} 0.0 {np.sin(yaw / 2):.9f} 0.0 {np.cos(yaw / 2):.9f}")
        if clip.at(t_s) is None:
            x, z = x + float(np.sin(yaw)) / FPS, z + float(np.cos(yaw)) / FPS
    return "\n".join(lines) + "\n"


def write_clip(clip: Clip, path: Path) -> str:
    """Draws one clip; returns its name."""
    artist = Artist(clip)
    count = round(clip.duration_s * FPS)
    frames = _held(artist, count)
    write_video(path, frames, range(count), FPS, clip.size, fps=FPS, repeated=True)
    return clip.stem


def _held(artist: Artist, count: int) -> Iterator[np.ndarray]:
    every = FPS // DRAWN_PER_S
    drawn = artist.frame(0.0)
    for at in range(count):
        if at % every == 0:
            drawn = artist.frame(at / FPS)
        yield drawn


def write_egopet(
    spec: AnimalSpec,
    folder: Path,
    progress: Progress | None = None,
    workers: int = 2,
) -> None:
    """Writes a path in this layout (see `side_by_side.Writer`)."""
    world = plan_animals(spec)
    (folder / "csv").mkdir(parents=True, exist_ok=True)
    for name, text in lists(world).items():
        (folder / "csv" / name).write_text(text, encoding="utf-8")
    (folder / "interp_trajectories").mkdir(exist_ok=True)
    for clip in world.clips:
        if clip.stride is not None:
            name = f"{clip.stem}_calib_eth_stride_{clip.stride}_interp.txt"
            path = folder / "interp_trajectories" / name
            path.write_text(trajectory(clip), encoding="utf-8")
    if spec.render == "none":
        return
    clips = [(clip, folder / video_path(clip)) for clip in world.clips]
    for _, path in clips:
        path.parent.mkdir(parents=True, exist_ok=True)
    each(write_clip, clips, progress, workers)
