"""2D boxes paired with the 3D centres they show: what a calibration is fitted to and judged by."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import polars as pl

from assets.scene_graphs.calibration import ESTIMATE_FROM, MIN_BOXES, Matches
from assets.scene_graphs.tracks import Thing, Track

SMALL_PX = (60, 150)
"""Largest side on a 1408 px picture, and the same where too few are that small: a box is the
tighter round its object the smaller it is."""
CLEAR = 0.9
"""Share that must be visible."""
_BORDER_PX = 8
SIZES: dict[str, tuple[int, int]] = {"sensor": (1408, 1408)}
"""Size of pictures whose boxes are in pixels of a known sensor."""


def matches_of(boxes: pl.DataFrame, things: Mapping[str, Thing], device: Track) -> Matches | None:
    """Small, unoccluded boxes with their 3D centres in the device's frame.

    Args:
        boxes: Rows of `boxes` with an object, a time and raw pixel edges.
        things: Objects of the world the device's poses are in.
        device: T_world_device.

    Returns:
        None where no box can be used.
    """
    usable = boxes.filter(
        (pl.col("visibility") >= CLEAR)
        & ~pl.col("clipped")
        & pl.col("t_s").is_not_null()
        & pl.col("object_id").is_in(list(things))
        & pl.col("raw_form").is_in(["xxyy_px", "xyxy_px"])
        & pl.col("image_space").is_in(list(SIZES))
    )
    if usable.is_empty():
        return None
    space = str(usable["image_space"][0])
    usable = usable.filter(pl.col("image_space") == space)
    width, height = SIZES[space]
    raw = np.array(usable["raw"].to_list(), dtype=float)
    crossed = (usable["raw_form"] == "xxyy_px").to_numpy()[:, None]
    # As x_min, x_max, y_min, y_max whatever the order of the source.
    edges = np.where(crossed, raw, raw[:, [0, 2, 1, 3]])
    border = _BORDER_PX * width / 1408
    side = np.maximum(edges[:, 1] - edges[:, 0], edges[:, 3] - edges[:, 2]) * 1408 / width
    inside = (edges.min(axis=1) >= border) & (edges[:, 1] <= width - 1 - border)
    inside &= edges[:, 3] <= height - 1 - border
    keep = np.flatnonzero(inside & (side <= SMALL_PX[0]))
    if len(keep) < MIN_BOXES:
        keep = np.flatnonzero(inside & (side <= SMALL_PX[1]))
    if len(keep) > ESTIMATE_FROM:
        keep = keep[np.linspace(0, len(keep) - 1, ESTIMATE_FROM).astype(int)]
    points, pixels = [], []
    ids, times = usable["object_id"].to_list(), usable["t_s"].to_numpy()
    for at in keep:
        thing = things[ids[at]]
        here, there = int(device.at(times[at])), int(thing.track.at(times[at]))
        if here < 0 or there < 0:
            continue
        world = thing.track.poses[there].apply(thing.corners)
        points.append(device.poses[here].inverse().apply(world))
        pixels.append([(edges[at, 0] + edges[at, 1]) / 2, (edges[at, 2] + edges[at, 3]) / 2])
    if not points:
        return None
    return Matches(np.array(points), np.array(pixels), space, width, height)
