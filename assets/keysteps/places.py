"""Where a keystep is done: the mean place of the wearer's hands, or of the object that it is about."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

SHORTEST_EDGE_M = 0.3
"""Two places that are closer on the ground lie in no direction from each other."""
_WORD = re.compile(r"[a-z0-9]+")


@dataclass(frozen=True, slots=True)
class StepPlace:
    """Place of a keystep in the world.

    Attributes:
        x_m: Position, x.
        y_m: Position, y.
        z_m: Position, z; up.
        spread_m: Root mean square distance of the samples from it, on the ground.
        samples: Number of samples.
    """

    x_m: float
    y_m: float
    z_m: float
    spread_m: float
    samples: int


def mean_place(points: np.ndarray) -> StepPlace | None:
    """Mean of positions.

    Args:
        points: Shape (n, 3), metres, z up; rows that are not finite do not count.

    Returns:
        The place; None without any position.
    """
    points = points[np.isfinite(points).all(axis=1)]
    if not len(points):
        return None
    mean = points.mean(axis=0)
    away = ((points - mean)[:, :2] ** 2).sum(axis=1)
    x, y, z = (float(value) for value in mean)
    return StepPlace(x, y, z, math.sqrt(float(away.mean())), len(points))


def is_edge(one: tuple[float, float], other: tuple[float, float]) -> bool:
    """Whether two places on the ground, in metres, are far enough apart to lie in a direction."""
    return math.dist(one, other) >= SHORTEST_EDGE_M


def hand_positions(joints: pl.DataFrame, start_s: float, end_s: float) -> np.ndarray:
    """Mean position of the wearer's hands at each instant of a span, shape (n, 3).

    A hand is the mean of its joints, and both hands weigh the same, also where one has more joints.

    Args:
        joints: Rows of `hand_joints` of one recording; those of other people do not count.
        start_s: Start of the span.
        end_s: End; both ends belong to it.
    """
    axes = ("x", "y", "z")
    own = joints.filter(pl.col("person_id").is_null() & pl.col("t_s").is_between(start_s, end_s))
    hands = own.group_by("t_s", "hand_side").agg(pl.col(axes).mean()).sort("t_s", "hand_side")
    return (
        hands.group_by("t_s", maintain_order=True).agg(pl.col(axes).mean()).select(axes).to_numpy()
    )


def named_object(name: str, objects: Mapping[str, str]) -> str | None:
    """The one object that a keystep's name names; None if there is none, or several.

    Args:
        name: Name of the keystep.
        objects: Names by object.
    """
    words = f" {' '.join(_WORD.findall(name.casefold()))} "
    named = [
        uid
        for uid, own in sorted(objects.items())
        if (spoken := " ".join(_WORD.findall(own.casefold()))) and f" {spoken} " in words
    ]
    return named[0] if len(named) == 1 else None


def step_places(
    segments: pl.DataFrame, joints: pl.DataFrame, objects: pl.DataFrame
) -> Iterable[dict[str, Any]]:
    """Places of the keysteps of one recording.

    Hands come first, since they act: an object that is fetched is where it was at first.

    Args:
        segments: Its rows of `segments`.
        joints: Its rows of `hand_joints`.
        objects: Its rows of `objects_3d`.

    Returns:
        Rows of `step_places` without their source; a step without a place has none.
    """
    names = dict(objects.select("object_id", "name").unique("object_id").iter_rows())
    for step in segments.filter(pl.col("kind") == "keystep").sort("segment_id").to_dicts():
        start, end = step["start_s"], step["end_s"]
        row = {"recording_id": step["recording_id"], "segment_id": step["segment_id"]}
        place = mean_place(hand_positions(joints, start, end))
        if place is not None:
            yield row | _row(place, joints["world_frame_id"][0], "hands")
            continue
        uid = named_object(step["class_name"] or "", names)
        boxes = objects.filter(pl.col("object_id") == (uid or ""))
        during = boxes.filter(pl.col("t_s").is_null() | pl.col("t_s").is_between(start, end))
        place = mean_place(during.select("tx", "ty", "tz").to_numpy())
        if place is not None:
            yield row | _row(place, during["world_frame_id"][0], "object") | {"object_id": uid}


def _row(place: StepPlace, world: str, method: str) -> dict[str, Any]:
    return {
        "world_frame_id": world,
        "x_m": place.x_m,
        "y_m": place.y_m,
        "z_m": place.z_m,
        "spread_m": place.spread_m,
        "samples": place.samples,
        "method": method,
    }
