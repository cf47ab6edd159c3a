"""Where a goal out of sight lies can be read from the pictures alone: the questions are answerable."""

from __future__ import annotations

from pathlib import Path

import av
import numpy as np
import pytest

from resources.worlds.flat import FlatSpec, plan_flat
from resources.worlds.tools.encode import write_video
from tests.truth.solvers import intention as solver


def _sector(bearing_deg: float) -> int:
    """Sector of a true bearing, worked out here and not by the solver."""
    return round(bearing_deg / 45) % 8


def _events(seed: str, takes: int):
    """Takes with, per planned glance, the goal and the times of eight pictures up to 1 s before it."""
    for take in plan_flat(FlatSpec("adt", takes=takes, seed=seed)).takes:
        for glance in take.glances:
            now = glance.fixed_s - 1.0
            if now >= 4.0:
                yield take, glance.instance, np.linspace(max(now - 8.0, 0.0), now, 8)


@pytest.mark.slow
def test_sectors_read_from_pictures_are_true() -> None:
    right, sectors = [], set()
    for seed in ("one", "two"):
        for take, goal, times in _events(seed, 3):
            truth = take.bearing_deg("ego", take.thing_at(goal, times[-1]).centre, times[-1])
            told = solver.solve(list(take.frames("ego", times)), goal)
            right.append(told is not None and told.sector == _sector(truth))
            sectors.add(_sector(truth))
    assert len(right) >= 40
    assert sectors == set(range(8))
    assert np.mean(right) >= 0.95


def test_it_survives_compression(tmp_path: Path) -> None:
    right = []
    for number, (take, goal, times) in enumerate(_events("film", 1)):
        path = tmp_path / f"{number}.mp4"
        write_video(path, take.frames("ego", times), range(8), 1, (256, 256), fps=1)
        with av.open(str(path)) as container:
            frames = [f.to_ndarray(format="rgb24") for f in container.decode(video=0)]
        truth = take.bearing_deg("ego", take.thing_at(goal, times[-1]).centre, times[-1])
        told = solver.solve(frames, goal)
        right.append(told is not None and told.sector == _sector(truth))
    assert len(right) >= 7
    assert np.mean(right) >= 0.85


def test_it_reads_pictures_and_nothing_else() -> None:
    """Other pictures give another answer; pictures that do not show the goal give none."""
    take, goal, times = next(iter(_events("other", 1)))
    frames = list(take.frames("ego", times))
    told = solver.solve(frames, goal)
    assert told is not None
    assert solver.solve([np.full_like(f, 200) for f in frames], goal) is None
    mirrored = solver.solve([np.ascontiguousarray(f[:, ::-1]) for f in frames], goal)
    assert mirrored is None or mirrored.sector != told.sector or told.sector in (0, 4)
    assert solver.solve(frames, "unicorn") is None
