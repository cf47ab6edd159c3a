"""When an object or a place is in the picture: by 2D boxes, else by where its centre projects."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import polars as pl

from assets.scene_graphs.gaze import crossing
from assets.scene_graphs.projection import Camera, Mask
from assets.scene_graphs.rotation import Array, Pose
from assets.scene_graphs.tracks import Thing, runs

SHARE = 0.1
"""Visible share a box needs."""
FRAMES = 3
"""Annotated frames in a row it must be seen in."""
BORDER = 0.05
"""Share of the picture's sides in which a projected centre does not count as seen."""
NEAR_BORDER = -0.1
"""The same beyond the picture's sides: what projects further outside is out of view for certain."""
NEAR_M = 0.1
"""What lies closer to a place than this does not hide it: it stands on it, or in it."""


@dataclass(frozen=True, slots=True)
class Seen:
    """A span in which an object is seen.

    Attributes:
        object_id: Object.
        start_s: First frame's time.
        end_s: Last frame's time.
        share: Median visible share; None if it was not stated.
        keys: Boxes or poses of the first, middle and last frame.
    """

    object_id: str
    start_s: float
    end_s: float
    share: float | None
    keys: tuple[str, ...]


def seen_by_boxes(boxes: pl.DataFrame, frames: pl.DataFrame) -> list[Seen]:
    """Spans of at least three annotated frames in a row in which an object's box is seen.

    Args:
        boxes: Rows of `boxes` with `object_id`, `source_frame` and `visibility` (null counts as
            seen).
        frames: Rows of `annotated_frames`: a frame that is not one of them says nothing.
    """
    order = frames.select("source_frame", "t_s").unique("source_frame").sort("source_frame")
    order = order.with_row_index("order").with_columns(pl.col("order").cast(pl.Int64))
    shown = (
        boxes.filter(
            pl.col("object_id").is_not_null() & (pl.col("visibility").fill_null(1.0) >= SHARE)
        )
        .join(order.rename({"t_s": "frame_s"}), on="source_frame", how="inner")
        .filter(pl.col("frame_s").is_not_null())
        .sort("object_id", "order")
        .unique(["object_id", "order"], keep="first", maintain_order=True)
    )
    runs = (
        shown.with_columns(
            (pl.col("order") - pl.int_range(pl.len(), dtype=pl.Int64))
            .over("object_id")
            .alias("run")
        )
        .group_by("object_id", "run", maintain_order=True)
        .agg(
            pl.col("frame_s").first().alias("start_s"),
            pl.col("frame_s").last().alias("end_s"),
            pl.col("visibility").cast(pl.Float64).median().alias("share"),
            pl.col("box_id").first().alias("a"),
            pl.col("box_id").gather(pl.len() // 2).first().alias("b"),
            pl.col("box_id").last().alias("c"),
            pl.len().alias("n"),
        )
        .filter(pl.col("n") >= FRAMES)
    )
    return [
        Seen(
            row["object_id"],
            row["start_s"],
            row["end_s"],
            row["share"],
            tuple(f"boxes:{row[n]}" for n in "abc"),
        )
        for row in runs.iter_rows(named=True)
    ]


def seen_by_projection(
    thing: Thing,
    camera: Camera,
    world_camera: Pose,
    times_s: Array,
    border: float = BORDER,
) -> list[Seen]:
    """Spans in which an object's centre projects inside the picture; nothing hides it, for all we know.

    Args:
        thing: Object.
        camera: Intrinsics.
        world_camera: T_world_camera at each time.
        times_s: Ascending, shape (n,).
        border: Share of the picture's sides that does not count as inside; negative beyond them.
    """
    at = thing.track.at(times_s)
    known = at >= 0
    _, inside = camera.seen(world_camera.inverse().apply(thing.centre(at)), border)
    inside &= known
    found = []
    for first, last in runs(inside):
        if last - first + 1 >= FRAMES:
            keys = (thing.row(int(at[first])),)
            found.append(
                Seen(thing.object_id, float(times_s[first]), float(times_s[last]), None, keys)
            )
    return found


def place_seen(
    place: Array, camera: Camera, world_camera: Pose, times_s: Array, things: Iterable[Thing]
) -> list[tuple[float, float]]:
    """Spans, first and last time, of three frames or more in which a place is in the picture.

    A place is hidden by a thing whose box lies between it and the camera. A box that holds the place
    (the shelf it is on) does not hide it, nor does one that the camera is in (the room).

    Args:
        place: In the world, shape (3,), metres.
        camera: Intrinsics.
        world_camera: T_world_camera at each time.
        times_s: Ascending, shape (n,).
        things: What may stand before it.
    """
    _, inside = camera.seen(world_camera.inverse().apply(place), BORDER)
    if inside.any():
        inside &= ~_hidden(place, world_camera.t, times_s, things)
    return [
        (float(times_s[first]), float(times_s[last]))
        for first, last in runs(inside)
        if last - first + 1 >= FRAMES
    ]


def _hidden(place: Array, eyes: Array, times_s: Array, things: Iterable[Thing]) -> Mask:
    """Where a thing's box stands between the eyes, shape (n, 3), and a place."""
    away = np.linalg.norm(place - eyes, axis=-1)
    rays = (place - eyes) / np.maximum(away, 1e-9)[:, None]
    hidden = np.zeros(len(times_s), dtype=bool)
    for thing in things:
        at = thing.track.at(times_s)
        poses = thing.track.poses[at]
        local = poses.inverse().apply(place)
        holds = ((local >= thing.low - NEAR_M) & (local <= thing.high + NEAR_M)).all(axis=-1)
        enter, _ = crossing(eyes, rays, poses, thing.low, thing.high)
        hidden |= (at >= 0) & ~holds & (enter < away - NEAR_M)
    return hidden
