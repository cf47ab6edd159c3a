"""Nominal places of Aria's sensors, from the maker's drawings (projectaria_tools, CAD extrinsics).

The device frame is that of the left SLAM camera. The drawings give each sensor in the central pupil
frame (x left, y up, z forward): origin, y axis and z axis. Both frame sizes have the same
rotations; their origins differ by 2.4 mm, and the mean is taken.
"""

from __future__ import annotations

import numpy as np
import polars as pl

from assets.scene_graphs.rotation import Pose, from_axes

_CPF_SLAM_LEFT = Pose(
    np.array([0.0702, 0.002372, 0.008854]),
    from_axes([0.793353, 0.0, -0.608761], [0.607927, -0.052336, 0.792266]),
)
_CPF_RGB = Pose(
    np.array([0.057125, 0.0071535, 0.0124895]),
    from_axes([1.0, 0.0, 0.0], [0.0, -0.130526, 0.991445]),
)

DEVICE_CPF = _CPF_SLAM_LEFT.inverse()
"""T_device_cpf where no calibration states it."""
DEVICE_RGB = DEVICE_CPF.then(_CPF_RGB)
"""T_device_rgb, from which an estimate starts."""


def device_cpf(cameras: pl.DataFrame, recordings: pl.DataFrame) -> Pose | None:
    """T_device_cpf of a recording: as stated, or nominal for an Aria; None for other devices.

    Args:
        cameras: Rows of `cameras` of the recording.
        recordings: Its row of `recordings`.
    """
    stated = cameras.filter((pl.col("sensor") == "cpf") & pl.col("qw").is_not_null())
    if stated.height:
        return Pose.of_row(stated.row(0, named=True))
    if recordings.height and recordings["device"][0] == "aria":
        return DEVICE_CPF
    return None
