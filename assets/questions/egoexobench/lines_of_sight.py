"""Whether fixed cameras see a wearer on their way, or somebody hides them, as far as the source tells.

Somebody else who wears a camera in the same take has a trajectory: a body that stands between a fixed camera and
the wearer for most of the way hides them. Beyond that, poses of the wearer's body tell that nothing hides them
where a joint of the trunk or head was found from every fixed camera of the take. Nothing else tells: neither boxes
nor places of other people and things are known beside calibrated cameras, so that who stands in between without a
camera is for people to see (`docs/reviews.md`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
import polars as pl

from assets.questions.egoexobench.seen_ways import NEAR_S, Track, View, Way
from assets.questions.kit.clips import Span
from assets.scene_graphs.rotation import Array

SEEN_BY_ALL, UNKNOWN = "sight_clear", "sight_unknown"
"""Roles of the evidence: what is known of how the fixed cameras see the wearer."""
MOST_HIDDEN: Final = 0.5
"""Largest share of the way on which somebody may hide the wearer."""
BODY_RADIUS_M: Final = 0.25
ABOVE_HEAD_M, BELOW_HEAD_M = 0.15, 1.6
"""A body reaches from so far above the camera on its head to so far below it."""
CHEST_M: Final = 0.5
"""So far below the camera on the head is the chest; who shows head or chest is seen."""
IN_FRONT_M: Final = 0.5
"""Whoever is nearer to the wearer than this is beside them, and hides them from nobody."""
_AT = 20
TRUNK: Final = (
    "nose",
    *(f"{side}_{part}" for part in ("shoulder", "hip") for side in ("left", "right")),
)
POSE_READS: Final = ("recording_id", "t_s", "person_id", "joint", "views")


def hidden_share(view: View, way: Way, others: Sequence[Way]) -> float:
    """Share of a way on which bodies hide both head and chest of the wearer from a camera.

    Args:
        view: The camera.
        way: The wearer's way.
        others: Ways of other wearers in the same span; those in another world tell nothing.
    """
    at = np.linspace(0, 1, _AT)
    head = way.along(at)
    hidden = np.zeros(_AT, dtype=bool)
    for other in others:
        if other.world == way.world == view.world:
            body = other.along(at)
            down = np.array([0.0, 0.0, CHEST_M])
            both = [_blocks(view.place.t, point, body) for point in (head, head - down)]
            hidden |= np.all(both, axis=0)
    return float(hidden.mean())


def _blocks(eye: Array, target: Array, body: Array) -> Array:
    """Whether an upright body cuts the line from a camera to a point, at each instant, shape (n,)."""
    line = target - eye
    flat = line[:, :2]
    length = np.maximum(np.hypot(*flat.T), 1e-9)
    along = ((body - eye)[:, :2] * flat).sum(axis=1) / length**2
    nearest = eye + along[:, None] * line
    aside = np.hypot(*(body - nearest)[:, :2].T)
    above = nearest[:, 2] - body[:, 2]
    covers = (along > 0, (1 - along) * length > IN_FRONT_M, aside < BODY_RADIUS_M)
    return np.all([*covers, above < ABOVE_HEAD_M, above > -BELOW_HEAD_M], axis=0)


def ways_of_others(tracks: Sequence[tuple[Track, Span]]) -> list[Way]:
    """Ways of other wearers, each in a span of their own recording; those with holes are left out."""
    return [way for track, span in tracks if (way := track.way(span)) is not None]


def known_sight(uid: str, span: Span, joints: pl.DataFrame, cameras: int) -> str:
    """What poses tell: `SEEN_BY_ALL`, or `UNKNOWN` where they tell nothing of most of a span.

    Args:
        uid: The wearer's recording.
        span: Seconds of it.
        joints: Rows of `body_joints`.
        cameras: Fixed cameras of the take.
    """
    near = pl.col("t_s").is_between(span[0] - NEAR_S, span[1] + NEAR_S)
    mine = joints.filter((pl.col("recording_id") == uid) & pl.col("person_id").is_null() & near)
    trunk = mine.filter(pl.col("joint").is_in(TRUNK))
    instants = mine["t_s"].n_unique()
    clear = trunk.filter(pl.col("views") >= cameras)["t_s"].n_unique()
    return SEEN_BY_ALL if clear * 2 > instants else UNKNOWN
