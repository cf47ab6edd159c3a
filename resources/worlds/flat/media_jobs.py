"""Draws the videos of a flat's takes, side by side where asked: each stream is one job."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from resources.worlds.flat import FlatSpec, plan_flat
from resources.worlds.tools.encode import write_video
from resources.worlds.tools.side_by_side import each

Progress = Callable[[int, int, str], None]
_TICKS_PER_FRAME = 512


@dataclass(frozen=True, slots=True)
class Stream:
    """One camera of one take, to be drawn.

    Attributes:
        spec: the flat; a take is planned again where it is drawn, which costs milliseconds.
        index: number of the take in the flat.
        camera: name of the camera.
        path: file to write.
        fps: frames a second; frame n shows time n / fps.
    """

    spec: FlatSpec
    index: int
    camera: str
    path: Path
    fps: int


def frame_count(duration_s: float, fps: int) -> int:
    """Frames of a video so long."""
    return round(duration_s * fps)


def draw(stream: Stream) -> str:
    """Writes one stream; returns the name of its file."""
    take = plan_flat(stream.spec).takes[stream.index]
    camera = take.camera(stream.camera)
    numbers = np.arange(frame_count(take.duration_s, stream.fps))
    write_video(
        stream.path,
        take.frames(stream.camera, (numbers / stream.fps).tolist()),
        (numbers * _TICKS_PER_FRAME).tolist(),
        stream.fps * _TICKS_PER_FRAME,
        (camera.width_px, camera.height_px),
        fps=stream.fps,
        repeated=True,
        fine=stream.spec.fine,
    )
    return f"{stream.path.parent.name}/{stream.path.name}"


def draw_all(streams: Sequence[Stream], progress: Progress | None, workers: int) -> None:
    """Writes streams; those of a flat without pictures are left out.

    Args:
        streams: what to draw; their folders are made.
        progress: called with (streams done, streams in all, file) in no particular order.
        workers: processes that draw; 1 draws in this process.
    """
    drawn = [stream for stream in streams if stream.spec.render != "none"]
    for folder in {stream.path.parent for stream in drawn}:
        folder.mkdir(parents=True, exist_ok=True)
    each(draw, [(stream,) for stream in drawn], progress, workers)
