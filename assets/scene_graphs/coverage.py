"""What of a recording was annotated, so that the absence of something means something there.

- Actions: from the start of the first to the end of the last that a source's rows tell. In between, what has no
  action was left without one; before and after, nothing tells whether anything was done.
- Boxes: runs of frames in which some kind of thing is boxed completely (`annotated_frames`, which says what). Two frames
  are of one run where they are no further apart than `GAP` times the middle distance of two that follow each other.
  Between the frames of a run things may come and go.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from statistics import median
from typing import Any

import polars as pl

ACTIONS, BOXES = "actions", "boxes"
GAP = 2.5
# Of two frames nobody knows how often there should have been one.
_LEAST_FRAMES = 3

Row = Mapping[str, Any]
_Annotated = tuple[float, float, str]
"""Start and end of something annotated, and the key of its row."""


def coverage(source: str, uid: str, nodes: Iterable[Row], frames: pl.DataFrame) -> list[dict]:
    """Rows of `graph_coverage` of one recording.

    Args:
        source: Name of the source.
        uid: Recording.
        nodes: Its rows of `graph_nodes`.
        frames: Its rows of `annotated_frames`.
    """
    actions: dict[str, list[_Annotated]] = defaultdict(list)
    for node in nodes:
        if node["kind"] == "action":
            spans = ((span["start_s"], span["end_s"], node["source_row"]) for span in node["spans"])
            actions[node["source_table"]].extend(spans)
    # Of several kinds of things that are boxed in a frame, the first stands for it.
    instants = {
        frame: (t_s, t_s, f"{uid}/{what}/{frame}")
        for what, frame, t_s in sorted(frames.select("what", "source_frame", "t_s").rows())[::-1]
        if t_s is not None
    }
    found = [(ACTIONS, table, sorted(rows)) for table, rows in sorted(actions.items())]
    found += [(BOXES, "annotated_frames", run) for run in _runs(sorted(instants.values()))]
    return [
        {
            "source": source,
            "recording_id": uid,
            "coverage_id": f"{uid}|{kind}|{run[0][2]}",
            "kind": kind,
            "start_s": run[0][0],
            "end_s": max(end_s for _, end_s, _ in run),
            "n": len(run),
            "source_table": table,
            "first_row": run[0][2],
            "last_row": max(run, key=lambda row: row[1])[2],
        }
        for kind, table, run in found
    ]


def _runs(frames: Sequence[_Annotated]) -> Iterator[list[_Annotated]]:
    """Instants in order, apart where a gap is unusually long."""
    steps = [later[0] - early[0] for early, later in pairwise(frames)]
    longest_s = GAP * median(steps) if len(frames) >= _LEAST_FRAMES else 0.0
    run: list[_Annotated] = []
    for step, frame in zip([0.0, *steps], frames, strict=False):
        if step > longest_s:
            yield run
            run = []
        run.append(frame)
    if run:
        yield run
