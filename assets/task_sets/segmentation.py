"""Segmentation: the coarse class of each frame at 25 fps, 0 where nothing is annotated.

`paper` (6.4.2): "the center point of the overlapping portion of two segments" is their boundary, and
what no annotation covers is "no action". Of more than two, the one that holds the place at an
instant is found by taking them in the order of their starts: each takes over from the one that holds
the place at the centre of what those two share. A step inside another thus begins at its own middle,
and behind it the outer one goes on: nothing that is annotated becomes "no action".

`parity`: frame i has the class of the first annotation, by start, with start <= i/25 < end. (The
released files: of 315 egocentric ones 305 are equal; none follow the centre.)
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from assets.task_sets.released_form import bundle, frame_file
from assets.task_sets.steps import (
    Step,
    class_rows,
    coarse_labels,
    item_key,
    lists,
    set_of_steps,
    steps_of,
)
from assets.task_sets.task_set import Made, Mode, Tables, by_list

FPS = 25
NO_ACTION, NO_ACTION_LABEL = 0, "no action"
Labels = NDArray[np.int64]


def n_frames(declared: int | None, fps: float | None, duration_s: float | None) -> int:
    """Frames of a recording at 25 fps: as declared at that rate, else as its length gives."""
    if declared is not None and fps == FPS:
        return declared
    # A length that is a whole number of frames may lie a rounding error below it.
    return 0 if duration_s is None else int(np.floor(duration_s * FPS + 1e-6))


def frame_labels(steps: Sequence[Step], count: int, mode: Mode) -> Labels:
    """Class of each frame.

    Args:
        steps: Steps by start.
        count: Frames.
        mode: Rule for overlaps.
    """
    t_s = np.arange(count) / FPS
    holder = np.full(count, -1, dtype=np.int64)
    starts = np.searchsorted(t_s, [s.start_s for s in steps])
    ends = np.searchsorted(t_s, [s.end_s for s in steps])
    for number, (step, start, end) in enumerate(zip(steps, starts, ends, strict=True)):
        here = holder[start:end]
        taken = here == -1
        if mode == "paper":
            for other in np.unique(here[~taken]):
                end_s = min(step.end_s, steps[other].end_s)
                centre_s = (max(step.start_s, steps[other].start_s) + end_s) / 2
                taken |= (here == other) & (t_s[start:end] >= centre_s)
        here[taken] = number
    classes = np.array([s.class_id for s in steps] + [NO_ACTION], dtype=np.int64)
    return classes[holder]


def runs_of(labels: Labels) -> list[dict[str, int]]:
    """Equal neighbours as runs."""
    if not labels.size:
        return []
    edges = np.flatnonzero(np.diff(labels)) + 1
    starts = np.concatenate([[0], edges])
    lengths = np.diff(np.concatenate([starts, [labels.size]]))
    return [
        {"class_id": int(labels[at]), "n": int(n)} for at, n in zip(starts, lengths, strict=True)
    ]


def make(tables: Tables, mode: Mode) -> Made:
    """Frames of all recordings that are annotated with coarse steps."""
    steps = steps_of(tables["segments"], mode)
    if not steps:
        return Made.of(())
    lengths = {
        row["recording_id"]: n_frames(
            row["declared_frames"], row["declared_fps"], row["duration_s"]
        )
        for row in tables["recordings"].iter_rows(named=True)
    }
    runs: dict[str, list[dict[str, int]]] = {}
    position: Counter[tuple[str, str | None]] = Counter()
    items = []
    for place in lists(tables, mode, "segmentation"):
        uid = place.recording_id
        if uid not in steps:
            continue
        if uid not in runs:
            runs[uid] = runs_of(frame_labels(steps[uid], lengths[uid], mode))
        items.append(
            {
                **place._asdict(),
                "item_id": item_key(place, mode),
                "position": position[place.list, place.split],
                "end_s": lengths[uid] / FPS,
                "runs": runs[uid],
            }
        )
        position[place.list, place.split] += 1
    return Made.of(items, _classes(tables, steps.values(), runs.values()))


def _classes(
    tables: Tables, steps: Iterable[Sequence[Step]], runs: Iterable[Sequence[dict[str, int]]]
) -> list[dict]:
    n = Counter(s.class_id for found in steps for s in found)
    n[NO_ACTION] = sum(r["class_id"] == NO_ACTION for found in runs for r in found)
    return class_rows({NO_ACTION: NO_ACTION_LABEL, **coarse_labels(tables["taxonomies"])}, n)


def files(made: Made, _tables: Tables) -> dict[str, str]:
    """A file of frames per recording, and the lists of the splits."""
    first = made.items.unique("recording_id", keep="first", maintain_order=True)
    said = {
        f"gts_fps25/{uid}.txt": frame_file(runs)
        for uid, runs in first.select("recording_id", "runs").iter_rows()
    }
    for (name, split), items in by_list(made.items).items():
        said[f"splits/{name}_{split}_annotations.bundle"] = bundle(i["recording_id"] for i in items)
    return said


TASK_SET = set_of_steps("segmentation", make, files)
