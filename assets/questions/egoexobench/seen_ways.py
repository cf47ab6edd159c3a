"""The way a wearer goes along the ground, and in which direction each fixed camera sees it go.

A direction is a bearing in the ground plane (the world's z is up), clockwise from straight away from the
camera: 0 leads into the background, 90 to the right of the picture, 180 into the foreground, 270 to the left.
It is measured against the line of sight from the fixed camera to the middle of the way. People may judge it by
the first or the last picture or by the picture's own axis instead; `View.readings` holds all four.

The wearer is where the camera on the head is: the pose of the device composed with the camera's place on it.
Only positions are compared, so that where the head looks does not matter.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from assets.questions.kit.clips import Span
from assets.scene_graphs.calibration import stated
from assets.scene_graphs.projection import Camera as Lens
from assets.scene_graphs.rotation import Array, Pose, rotate

NEAR_S = 0.25
"""Further from a pose than this, nothing is known of an instant."""
BORDER = 0.03
"""Share of the picture's width and height along its edges that does not count as inside."""
STEEPEST_DEG = 60.0
"""A camera that looks down more steeply has no background and no foreground."""
LARGEST_ROLL_DEG = 20.0
LEAST_SIZE = 0.1
"""Least length of a way over its distance from the camera."""
_FORWARD, _RIGHT, _DOWN = np.eye(3)[2], np.eye(3)[0], np.eye(3)[1]


@dataclass(frozen=True, slots=True)
class Way:
    """Where the wearer goes in a span.

    Attributes:
        points: Places in time order, the first at the start and the last at the end, shape (n, 3), metres.
        world: World the places are in.
        shares: When each place is reached, from 0 at the start to 1 at the end, shape (n,).
    """

    points: Array
    world: str
    shares: Array

    @property
    def ahead(self) -> Array:
        """From the first to the last place along the ground, shape (2,), metres."""
        return (self.points[-1] - self.points[0])[:2]

    @property
    def length_m(self) -> float:
        """Distance along the ground from the first to the last place."""
        return float(np.hypot(*self.ahead))

    @property
    def middle(self) -> Array:
        """Half-way between the first and the last place, shape (3,)."""
        return (self.points[0] + self.points[-1]) / 2

    def along(self, shares: Array) -> Array:
        """Places at shares of the time from start to end, shape (len(shares), 3)."""
        columns = [np.interp(shares, self.shares, self.points[:, axis]) for axis in range(3)]
        return np.stack(columns, axis=1)

    def strays(self) -> float:
        """How far the wearer leaves the straight line along the ground, over its length.

        Sideways, back beyond its start, on beyond its end, and half of what they climb.
        """
        length = self.length_m
        unit = self.ahead / length
        off = self.points - self.points[0]
        along, across = off[:, :2] @ unit, off[:, :2] @ [-unit[1], unit[0]]
        return float(
            max(
                np.abs(across).max(),
                -along.min(),
                along.max() - length,
                np.abs(off[:, 2]).max() / 2,
            )
            / length
        )


class Track:
    """Where a wearer is over time.

    Args:
        times_s: Times of the poses in seconds of the recording, ascending.
        points: Places, shape (n, 3), metres.
        world: World they are in.
    """

    def __init__(self, times_s: Array, points: Array, world: str) -> None:
        self._times, self._points, self._world = times_s, points, world

    @classmethod
    def of(cls, uid: str, poses: pl.DataFrame, calibrations: pl.DataFrame) -> Track | None:
        """Track of a recording; None where a pose or the camera's place on the device is not known.

        Args:
            uid: Recording.
            poses: Rows of `camera_poses`.
            calibrations: Rows of `cameras`.
        """
        mine = poses.filter((pl.col("recording_id") == uid) & (pl.col("of") == "device"))
        mine = mine.filter(pl.col("t_s").is_not_null()).sort("t_s")
        camera = _rgb(uid, calibrations)
        if mine.is_empty() or camera is None or camera["qw"] is None or camera["tx"] is None:
            return None
        if mine["world_frame_id"].n_unique() > 1 or not mine["metric"].fill_null(True).all():
            return None
        device = Pose.of(mine.select("tx", "ty", "tz"), mine.select("qw", "qx", "qy", "qz"))
        places = device.then(Pose.of_row(camera)).t
        return cls(mine["t_s"].to_numpy(), places, str(mine["world_frame_id"][0]))

    def way(self, span: Span) -> Way | None:
        """Way in a span; None where the poses have a hole or end before."""
        inside = (self._times > span[0]) & (self._times < span[1])
        stamps = self._times[inside]
        around = np.searchsorted(self._times, span).clip(1, len(self._times) - 1)
        ends = np.minimum(
            np.abs(self._times[around] - span), np.abs(self._times[around - 1] - span)
        )
        gaps = np.diff(stamps)
        if not len(stamps) or ends.max() > NEAR_S or (len(gaps) and gaps.max() > 2 * NEAR_S):
            return None
        at = np.concatenate([[span[0]], stamps, [span[1]]])
        points = [np.interp(at, self._times, self._points[:, axis]) for axis in range(3)]
        shares = (at - span[0]) / (span[1] - span[0])
        return Way(np.stack(points, axis=1), self._world, shares)


@dataclass(frozen=True, slots=True)
class View:
    """A camera that stands still, with its calibration.

    Attributes:
        uid: Recording.
        place: T_world_camera.
        lens: Intrinsics.
        world: World the place is in.
    """

    uid: str
    place: Pose
    lens: Lens
    world: str

    @classmethod
    def of(cls, uid: str, poses: pl.DataFrame, calibrations: pl.DataFrame) -> View | None:
        """View of a recording; None where the camera moves, is not calibrated, or is tilted too far.

        Args:
            uid: Recording.
            poses: Rows of `camera_poses`.
            calibrations: Rows of `cameras`.
        """
        mine = poses.filter((pl.col("recording_id") == uid) & (pl.col("of") == "camera"))
        row = _rgb(uid, calibrations)
        if mine.height != 1 or mine["t_s"][0] is not None or row is None:
            return None
        calibration = stated(row, "camera", None)
        if calibration is None or not mine["metric"].fill_null(True).all():
            return None
        view = cls(uid, Pose.of_row(mine.row(0, named=True)), calibration.camera, mine["world_frame_id"][0])  # fmt: skip
        return view if view._stands_upright() else None

    def _stands_upright(self) -> bool:
        down, right, forward = (rotate(self.place.q, a)[2] for a in (_DOWN, _RIGHT, _FORWARD))
        steep = np.degrees(np.arcsin(np.clip(np.abs(forward), 0, 1)))
        roll = np.degrees(np.arcsin(np.clip(np.abs(right), 0, 1)))
        return bool(down < 0 and steep <= STEEPEST_DEG and roll <= LARGEST_ROLL_DEG)

    def shows(self, way: Way) -> bool:
        """Whether the wearer is in the picture all the way, and the way large enough to be seen."""
        if way.world != self.world:
            return False
        distance = float(np.linalg.norm(way.middle - self.place.t))
        _, inside = self.lens.seen(self.place.inverse().apply(way.points), border=BORDER)
        return bool(inside.all()) and way.length_m >= LEAST_SIZE * distance

    def readings(self, way: Way) -> list[float]:
        """Bearing of a way, 0 to 360 degrees: by the middle, the first, the last place, and the axis."""
        sights = [p - self.place.t for p in (way.middle, way.points[0], way.points[-1])]
        sights.append(rotate(self.place.q, _FORWARD))
        heading = np.arctan2(way.ahead[1], way.ahead[0])
        return [float(np.degrees(np.arctan2(s[1], s[0]) - heading) % 360) for s in sights]


def off_deg(bearing: float, direction: float) -> float:
    """Angle between two bearings, 0 to 180 degrees."""
    return abs((bearing - direction + 180) % 360 - 180)


def _rgb(uid: str, calibrations: pl.DataFrame) -> Mapping[str, Any] | None:
    rows = calibrations.filter((pl.col("recording_id") == uid) & (pl.col("sensor") == "rgb"))
    return rows.row(0, named=True) if rows.height == 1 else None
