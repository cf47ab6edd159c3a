"""Writes a simulated slope in the layout assumed for ExtremeSportFPV (see the formats note).

Most sports are named by the list, one by the folder of its video; the last run has labels and no
video. Broken rows stand between the labels.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

import numpy as np

from resources.worlds.slope.draw import Artist
from resources.worlds.slope.plan import plan_slope
from resources.worlds.slope.truth import BROKEN, Run, Slope, SlopeSpec
from resources.worlds.tools.encode import write_video
from resources.worlds.tools.side_by_side import each

Progress = Callable[[int, int, str], None]

FPS: Final = 10


def annotation_file(slope: Slope) -> str:
    """Labels of all runs, with the broken rows after the first run's."""
    lines = ["video_id,start_sec,end_sec,label"]
    for at, run in enumerate(slope.runs):
        lines += [f"{run.video_id},{a.start_s:.1f},{a.end_s:.1f},{a.label}" for a in run.actions]
        if at == 0:
            lines += [line for line, _ in BROKEN]
    return "\n".join(lines) + "\n"


def sports_file(slope: Slope) -> str:
    """Sports, but of the run whose folder tells its own, and of that without a video."""
    told = [run for run in slope.runs if not _foldered(slope, run) and run.stored]
    return "\n".join(["video_id,sport", *(f"{r.video_id},{r.sport}" for r in told)]) + "\n"


def _foldered(slope: Slope, run: Run) -> bool:
    return run == [one for one in slope.runs if one.stored][-1]


def video_path(slope: Slope, run: Run) -> str:
    """Where the video of a run lies."""
    folder = f"{run.sport.replace(' ', '_')}/" if _foldered(slope, run) else ""
    return f"videos/{folder}{run.video_id}.mp4"


def write_run(run: Run, path: Path) -> str:
    """Draws one run; returns its id."""
    artist = Artist(run)
    count = round(run.duration_s * FPS)
    frames: Iterator[np.ndarray] = (artist.frame(at / FPS) for at in range(count))
    write_video(path, frames, range(count), FPS, run.size, fps=FPS)
    return run.video_id


def write_extremesportfpv(
    spec: SlopeSpec,
    folder: Path,
    progress: Progress | None = None,
    workers: int = 2,
) -> None:
    """Writes a slope in this layout (see `side_by_side.Writer`)."""
    slope = plan_slope(spec)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "annotations.csv").write_text(annotation_file(slope), encoding="utf-8")
    (folder / "sports.csv").write_text(sports_file(slope), encoding="utf-8")
    if spec.render == "none":
        return
    runs = [(run, folder / video_path(slope, run)) for run in slope.runs if run.stored]
    for _, path in runs:
        path.parent.mkdir(parents=True, exist_ok=True)
    each(write_run, runs, progress, workers)
