"""Trajectories of EgoPet: visual odometry of the animal's camera, up to a scale.

Files are in TUM's form (`t tx ty tz qx qy qz qw`: w last), one pose a frame at 30 a second; none
could be looked at, so the form is that of the release's loader. The world is the first camera's,
with x right, y down and z forward; it is turned to z up on the assumption that the first camera
looked level. Which rotation an up-to-scale path has in the real world is not known.
"""

from __future__ import annotations

import math
import re
from itertools import pairwise
from typing import Final

from assets.sources.egopet.files import FPS, TRAJECTORY
from assets.sources.layout import PartFiles, Rows
from assets.sources.reading.row_reader import RowReader
from assets.sources.reading.values import Malformed, number
from expectations.schemas import TABLES

FRAMES_FROM: Final = 0.5
"""Stamps further apart than this count frames: with a pose a frame, seconds are 1/30 apart."""


def read_sensors(part: PartFiles) -> Rows:
    """Camera poses of one segment, of the smallest stride there is."""
    assert part.recording is not None
    uid = str(part.recording["recording_id"])
    reader = RowReader("camera_poses")
    used, *others = sorted(part.files, key=lambda f: (_stride(f), f))
    for other in others:
        reader.reject(
            other, None, "trajectory_twice", used,
            "the same path was estimated from fewer frames apart, which is used",
            "nothing to do; remove one of the files to silence this", uid,
        )  # fmt: skip
    poses: list[tuple[float, ...]] = []
    for _, row in reader.lines(used, part.files[used], lambda text: {"pose": _pose(text)}, uid):
        if row["pose"] is not None:
            poses.append(row["pose"])
    poses.sort(key=lambda p: p[0])
    seconds_per_stamp = 1.0 / FPS if _counts_frames(poses) else 1.0
    rows = [
        {
            "source": part.source,
            "recording_id": uid,
            "of": "camera",
            "pose": at,
            "t_s": pose[0] * seconds_per_stamp,
            "world_frame_id": f"{uid}/first_camera",
            **dict(zip(("tx", "ty", "tz", "qw", "qx", "qy", "qz"), pose[1:], strict=True)),
            "metric": False,
        }
        for at, pose in enumerate(poses)
    ]
    return Rows({"camera_poses": TABLES["camera_poses"].frame(rows)}, tuple(reader.refused))


def _stride(path: str) -> int:
    match = re.fullmatch(TRAJECTORY, path)
    return int(match["stride"]) if match else 0


def _counts_frames(poses: list[tuple[float, ...]]) -> bool:
    steps = sorted(b[0] - a[0] for a, b in pairwise(poses))
    return bool(steps) and steps[len(steps) // 2] >= FRAMES_FROM


def _pose(line: str) -> tuple[float, ...] | None:
    """Stamp, position and quaternion (w first) with z up; None of a comment."""
    if line.startswith("#"):
        return None
    values = [number(word) for word in line.split()]
    if len(values) != 8:
        raise Malformed(f"a pose has 8 numbers, not {len(values)}", line)
    t, x, y, z, qx, qy, qz, qw = values
    norm = math.sqrt(qx * qx + qy * qy + qz * qz + qw * qw)
    if abs(norm - 1) > 1e-2:
        raise Malformed(f"the quaternion has length {norm:.3f}", line)
    # A quarter turn about x from the left: (x, y, z) becomes (x, z, -y).
    half = math.sqrt(0.5) / norm
    turned = (half * (qw + qx), half * (qx - qw), half * (qy + qz), half * (qz - qy))
    return (t, x, z, -y, *turned)
