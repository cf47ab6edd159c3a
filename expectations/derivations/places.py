"""Where a camera and a thing are at an instant, from the source tables alone."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import polars as pl

from expectations.derivations import handled
from expectations.derivations.geometry import Pose, Vector, box_centre, matrix, pose_of
from expectations.derivations.reads import merge_reads
from expectations.gates.base import CannotTell, finite
from expectations.gates.tables import EvidenceTables

_ROTATION = ("qw", "qx", "qy", "qz")
_PLACE = ("tx", "ty", "tz")
_POSE = (*_PLACE, *_ROTATION)
_OWN_READS: dict[str, tuple[str, ...]] = {
    "camera_poses": ("recording_id", "of", "t_s", *_POSE),
    "cameras": ("recording_id", "sensor", *_POSE),
    "calibrations": ("recording_id", *_POSE),
    "objects_3d": (
        "recording_id",
        "object_id",
        "pose",
        "t_s",
        "name",
        "category",
        *_POSE,
        *(f"{axis}_{end}_m" for axis in "xyz" for end in ("min", "max")),
    ),
}
READS = merge_reads(_OWN_READS, handled.READS)
# Further from a stamp than this, nothing is known of the instant.
_POSE_NEAR_S = 0.25


def camera_at(recording_id: str, t_s: float, given: EvidenceTables) -> Pose:
    """T_world_camera of the recording's own camera, between the two poses around the instant.

    A pose `of` the camera is taken as it is; one of the device is composed with the stated
    calibration (`cameras`, sensor `rgb`), else with the one geometry uses (`calibrations`).

    Raises:
        CannotTell: There is no pose near the instant, or no calibration.
    """
    own = _pose_at(recording_id, "camera", t_s, given)
    if own is not None:
        return own
    device = _pose_at(recording_id, "device", t_s, given)
    if device is None:
        raise CannotTell(f"recording {recording_id} has no poses")
    return device @ sensor(recording_id, "rgb", given)


def device_at(recording_id: str, t_s: float, given: EvidenceTables) -> Pose:
    """T_world_device at an instant.

    Raises:
        CannotTell: There is no device pose near it.
    """
    device = _pose_at(recording_id, "device", t_s, given)
    if device is None:
        raise CannotTell(f"recording {recording_id} has no device poses")
    return device


def sensor(recording_id: str, name: str, given: EvidenceTables) -> Pose:
    """T_device_sensor.

    Raises:
        CannotTell: No table states it.
    """
    rows = (
        [r for r in given.rows("cameras", recording_id=recording_id) if r["sensor"] == name]
        if given.has("cameras")
        else []
    )
    if name == "rgb" and given.has("calibrations"):
        rows += given.rows("calibrations", recording_id=recording_id)
    for row in rows:
        if finite(*(row[c] for c in (*_ROTATION, *_PLACE))):
            return pose_of(row)
    raise CannotTell(f"where {name} sits on the device of {recording_id} is not stated")


def object_at(
    recording_id: str, object_id: str, t_s: float, given: EvidenceTables
) -> dict[str, Any]:
    """Row of `objects_3d` that holds at an instant; of a narrated thing, the row it would have.

    Raises:
        CannotTell: The object has no pose near it, and no narrated place.
    """
    if not is_annotated(recording_id, given):
        return handled.handled_at(recording_id, object_id, t_s, given).row
    rows = given.part("objects_3d", recording_id=recording_id, object_id=object_id)
    if rows.is_empty():
        raise CannotTell(f"recording {recording_id} has no object {object_id}")
    memo: dict[Any, Any] = given.memo.setdefault("object_times", {})
    key = (recording_id, object_id)
    if key not in memo:
        memo[key] = rows["t_s"].cast(pl.Float64).fill_null(np.nan).to_numpy()
    away = np.abs(memo[key] - t_s)
    if np.isnan(away).all():
        return rows.row(0, named=True)  # it never moves
    nearest = int(np.nanargmin(away))
    if away[nearest] > _POSE_NEAR_S:
        raise CannotTell(f"where object {object_id} of {recording_id} is at {t_s:.2f} s is unknown")
    return rows.row(nearest, named=True)


def is_annotated(recording_id: str, given: EvidenceTables) -> bool:
    """Return whether objects of a recording were annotated in space."""
    return not given.part("objects_3d", recording_id=recording_id).is_empty()


def off_m(recording_id: str, object_id: str, t_s: float, given: EvidenceTables) -> float:
    """Return how far off the place of a thing may be at an instant; 0 where it was annotated.

    Raises:
        CannotTell: Its place is not known then.
    """
    if is_annotated(recording_id, given):
        return 0.0
    return handled.handled_at(recording_id, object_id, t_s, given).off_m


def off_deg(off: float, way: Vector) -> float:
    """Return how far off the bearing of a way may be, whose end may be so far off.

    Args:
        off: Metres.
        way: From where the bearing is measured to its end.
    """
    ground = math.hypot(float(way[0]), float(way[1]))
    return 90.0 if ground <= off else math.degrees(math.asin(off / ground))


def centre_at(recording_id: str, object_id: str, t_s: float, given: EvidenceTables) -> Vector:
    """Centre of an object in the world.

    Raises:
        CannotTell: The object has no pose near the instant.
    """
    return box_centre(object_at(recording_id, object_id, t_s, given))


def gaze_rays(
    recording_id: str, start_s: float, end_s: float, given: EvidenceTables
) -> list[tuple[float, Vector, Vector]]:
    """Gaze in the world: time, origin and direction of each sample of a span.

    The central pupil frame has x left, y up, z forward; yaw is positive to the left, pitch upward
    (projectaria_tools, `get_eyegaze_point_at_depth`).

    Raises:
        CannotTell: There is no gaze, no pose, or no place of the eyes on the device.
    """
    rays = given.part("gaze_rays", recording_id=recording_id).filter(
        pl.col("t_s").is_between(start_s, end_s)
    )
    if rays.is_empty():
        raise CannotTell(f"no gaze of {recording_id} in {start_s:.2f}..{end_s:.2f} s")
    eyes = sensor(recording_id, "cpf", given)
    found = []
    for row in rays.iter_rows(named=True):
        world = device_at(recording_id, row["t_s"], given) @ eyes
        ahead = np.array([np.tan(row["yaw_rad"]), np.tan(row["pitch_rad"]), 1.0])
        found.append((row["t_s"], world.shift, world.turn @ (ahead / np.linalg.norm(ahead))))
    return found


def _pose_at(recording_id: str, of: str, t_s: float, given: EvidenceTables) -> Pose | None:
    """Pose of the camera or of the device at an instant; None where the recording has no poses of it."""
    memo: dict[Any, Callable[[float], Pose] | None] = given.memo.setdefault("poses", {})
    key = (recording_id, of)
    if key not in memo:
        poses = given.part("camera_poses", recording_id=recording_id).filter(pl.col("of") == of)
        memo[key] = None if poses.is_empty() else _track(poses)
    track = memo[key]
    return None if track is None else track(t_s)


def _track(poses: pl.DataFrame) -> Callable[[float], Pose]:
    still = poses.filter(pl.col("t_s").is_null())
    stamped = poses.drop_nulls("t_s").sort("t_s")
    times = stamped["t_s"].to_numpy()
    places = stamped.select(_PLACE).to_numpy()
    turns = stamped.select(_ROTATION).to_numpy()

    def at(t_s: float) -> Pose:
        if not len(times):
            return pose_of(still.row(0, named=True))
        i = int(np.clip(np.searchsorted(times, t_s), 0, len(times) - 1))
        before = max(i - 1, 0)
        nearest = min(abs(times[i] - t_s), abs(times[before] - t_s))
        if nearest > _POSE_NEAR_S:
            raise CannotTell(f"the nearest pose is {nearest:.2f} s from {t_s:.2f} s")
        gap = times[i] - times[before]
        share = float(np.clip((t_s - times[before]) / gap, 0.0, 1.0)) if gap > 0 else 0.0
        if gap > 2 * _POSE_NEAR_S:
            share = float(round(share))  # too far apart to say what was between
        a, b = turns[before], turns[i]
        b = b if float(a @ b) >= 0 else -b  # both signs are one rotation
        turn = matrix(*((1 - share) * a + share * b))
        return Pose(turn, (1 - share) * places[before] + share * places[i])

    return at
