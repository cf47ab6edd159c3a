"""Which RGB frames an Aria Digital Twin recording has, by the files that are stamped with them."""

from __future__ import annotations

from bisect import bisect_left

import polars as pl

from assets.sources.aria.mps import STAMP
from assets.sources.reading.row_reader import RowReader
from assets.sources.reading.wide_csv import wide_csv

RGB = "214-1"
SIDE_PX = 1408
"""RGB pictures are square."""
_SAME_NS = 1_000_000

STREAM, UID, BOX_STAMP, RATIO = "stream_id", "object_uid", "timestamp[ns]", "visibility_ratio[%]"
EDGES = ("x_min[pixel]", "x_max[pixel]", "y_min[pixel]", "y_max[pixel]")
"""Note the order: both x before both y."""


def read_boxes_2d(reader: RowReader, file: str, data: bytes, recording_id: str) -> pl.DataFrame:
    """2D boxes of the RGB camera, ids as text.

    Raises:
        Malformed: No CSV, or a missing column.
    """
    rows = wide_csv(
        reader, file, data,
        ints=(BOX_STAMP,), floats=(*EDGES, RATIO), texts=(STREAM, UID), recording_id=recording_id,
    )  # fmt: skip
    return rows.filter(pl.col(STREAM) == RGB)


def frame_stamps(boxes: pl.DataFrame | None, trajectory: pl.DataFrame | None) -> list[int]:
    """Stamps of the RGB frames, ascending.

    2D boxes carry the exact stamp of each frame in which anything is seen. The ground-truth
    trajectory has a row per RGB frame, cut to microseconds: it adds the frames in which nothing is.

    Args:
        boxes: See `read_boxes_2d`.
        trajectory: See `aria_mps.read_trajectory`.
    """
    exact: list[int] = [] if boxes is None else boxes[BOX_STAMP].unique().sort().to_list()
    if trajectory is None:
        return exact
    found = list(exact)
    for stamp in trajectory[STAMP].to_list():
        at = bisect_left(exact, stamp)
        near = exact[max(at - 1, 0) : at + 1]
        if all(abs(stamp - other) > _SAME_NS for other in near):
            found.append(stamp)
    return sorted(found)
