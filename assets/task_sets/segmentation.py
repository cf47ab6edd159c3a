"""Segmentation: the coarse class of each frame at 25 fps, 0 where nothing is annotated.

`paper` (6.4.2): "the center point of the overlapping portion of two segments" is their boundary, and
what no annotation covers is "no action". Of more than two, the one that holds the place at an
instant is found by taking them in the order of their starts: each takes over from the one that holds
the place at the centre of what those two share. A step inside another thus begins at its own middle,
and behind it the outer one goes on: nothing that is annotated becomes "no action".

`parity`: as the released file of the recording labels its frames. Where there is none, frame i has the
class of the first annotation, by start, with start <= i/25 < end. (Of 315 released egocentric files 305
are equal to that; none follow the centre.)
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from assets.task_sets.released_form import bundle, frame_file
from assets.task_sets.released_truth import FRAMES, truth_row
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
FAMILIES = ("segmentation",)
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
    """Frames of all recordings that are annotated with coarse steps, or whose labels were released."""
    steps = steps_of(tables["segments"], mode)
    stated = _released(tables) if mode == "parity" else {}
    if not steps and not stated:
        return Made.of(())
    lengths = {
        row["recording_id"]: n_frames(
            row["declared_frames"], row["declared_fps"], row["duration_s"]
        )
        for row in tables["recordings"].iter_rows(named=True)
    }
    found: dict[str, _Frames] = {}
    position: Counter[tuple[str, str | None]] = Counter()
    items, truth = [], []
    for place in lists(tables, mode, *FAMILIES):
        uid = place.recording_id
        if uid not in steps and uid not in stated:
            continue
        if uid not in found:
            annotated = frame_labels(steps[uid], lengths[uid], mode) if uid in steps else None
            found[uid] = _Frames.of(annotated, stated.get(uid))
        frames = found[uid]
        items.append(
            {
                **place._asdict(),
                "item_id": item_key(place, mode),
                "position": position[place.list, place.split],
                "end_s": frames.size / FPS,
                "runs": frames.runs,
            }
        )
        position[place.list, place.split] += 1
        if frames.source_file is not None:
            truth.append(
                truth_row(
                    (place.list, place.split),
                    uid,
                    frames.source_file,
                    frames.size,
                    frames.annotated,
                )
            )
    return Made.of(items, _classes(tables, steps, found, stated), truth)


class _Frames(NamedTuple):
    """Labels of a recording's frames.

    Attributes:
        runs: Equal neighbours.
        size: Number of frames.
        source_file: Released file that states them; None where they are made from annotations.
        annotated: Frames by the annotations, and how many of them the file labels otherwise or lacks.
    """

    runs: list[dict[str, int]]
    size: int
    source_file: str | None
    annotated: tuple[int, int] | None

    @classmethod
    def of(cls, annotated: Labels | None, stated: tuple[list, str] | None) -> _Frames:
        """Frames as the file states them, else as annotated."""
        if stated is None:
            labels = np.empty(0, dtype=np.int64) if annotated is None else annotated
            return cls(runs_of(labels), labels.size, None, None)
        runs, source_file = stated
        size = sum(run["n"] for run in runs)
        if annotated is None:
            return cls(runs, size, source_file, None)
        labels = np.repeat([r["class_id"] for r in runs], [r["n"] for r in runs])
        common = min(size, annotated.size)
        n_differing = int((labels[:common] != annotated[:common]).sum())
        n_differing += max(size, annotated.size) - common
        return cls(runs, size, source_file, (annotated.size, n_differing))


def _released(tables: Tables) -> dict[str, tuple[list[dict[str, int]], str]]:
    """Runs and file of the recordings whose labels were released."""
    rows = tables.get("released_frames")
    if rows is None:
        return {}
    return {uid: (runs, file) for uid, runs, file in rows.select(FRAMES).iter_rows()}


def _classes(
    tables: Tables,
    steps: Mapping[str, Sequence[Step]],
    found: Mapping[str, _Frames],
    stated: Collection[str],
) -> list[dict]:
    """Coarse classes with the number of steps that carry each; released labels count by runs."""
    n = Counter(s.class_id for uid, mine in steps.items() if uid not in stated for s in mine)
    for uid, frames in found.items():
        n.update(
            run["class_id"] for run in frames.runs if uid in stated or run["class_id"] == NO_ACTION
        )
    return class_rows({NO_ACTION: NO_ACTION_LABEL, **coarse_labels(tables["taxonomies"])}, n)


def files(made: Made, _tables: Tables) -> dict[str, str]:
    """A file of frames per recording, and the lists of the splits."""
    first = made.items.unique("recording_id", keep="first", maintain_order=True)
    said = {
        f"gts_fps25/{uid}.txt": frame_file(runs)
        for uid, runs in first.select("recording_id", "runs").iter_rows()
    }
    for (name, split), items in by_list(made.items).items():
        said[f"splits/{name}_{split}_annotations.bundle"] = bundle(
            (i["recording_id"] for i in items), name
        )
    return said


TASK_SET = set_of_steps("segmentation", make, files, FAMILIES, {"released_frames": FRAMES})
