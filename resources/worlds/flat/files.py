"""Small things all writers of flats share: csv, json, pictures into video, one process per take."""

from __future__ import annotations

import csv
import io
import json
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

import numpy as np

from resources.worlds.flat.render import Bytes
from resources.worlds.flat.take import Take
from resources.worlds.tools.encode import write_video
from resources.worlds.tools.filmed import Filmed
from resources.worlds.tools.side_by_side import each

Progress = Callable[[int, int, str], None]


def write_csv(path: Path, header: str, rows: Iterable[Iterable[object]]) -> None:
    """A csv file with a header given as its first line."""
    text = io.StringIO(newline="")
    text.write(header + "\n")
    csv.writer(text, lineterminator="\n").writerows(rows)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text.getvalue(), encoding="utf-8", newline="")


def write_json(
    path: Path, value: object, indent: int | None = None, *, dense: bool = False
) -> None:
    """A json file; a dense one is a single line without blanks."""
    path.parent.mkdir(parents=True, exist_ok=True)
    text = json.dumps(value, indent=indent, separators=(",", ":") if dense else None)
    path.write_text(text, encoding="utf-8")


def short(value: float, digits: int) -> str:
    """A number with so many decimals at most, as files with millions of them need."""
    text = f"{value:.{digits}f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


def frame_times(take: Filmed, fps: int) -> np.ndarray:
    """Times of all frames of a take's video, seconds."""
    return np.arange(int(take.duration_s * fps)) / fps


def film(
    take: Filmed,
    camera: str,
    path: Path,
    fps: int,
    note: Callable[[int, float], None] | None = None,
) -> None:
    """Writes a camera's video at a constant rate; no file if the take is not drawn.

    Args:
        take: the take.
        camera: name of its camera.
        path: mp4 to write.
        fps: frames a second; pictures repeat.
        note: called with (number, time) of every frame, while its picture is at hand.
    """
    cam, t_s = take.camera(camera), frame_times(take, fps)

    def pictures() -> Iterator[Bytes]:
        for n, t in enumerate(t_s.tolist()):
            if note is not None:
                note(n, t)
            if take.spec.render != "none":
                yield from take.frames(camera, (t,))

    if take.spec.render == "none":
        deque(pictures(), maxlen=0)
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    size = (cam.width_px, cam.height_px)
    write_video(path, pictures(), range(len(t_s)), fps, size, fps=fps, repeated=True)


def each_take(
    write: Callable[[Take, Path], str],
    takes: Sequence[Take],
    root: Path,
    progress: Progress | None,
    workers: int,
) -> None:
    """Calls `write` for every take, in other processes if there is more than one worker."""
    each(write, [(take, root) for take in takes], progress, workers)
