"""The camera of a recording: as its files state it, or estimated from its own boxes.

An estimate fits T_device_camera's rotation and a fisheye's intrinsics so that the 3D centres of
small, unoccluded objects fall into the middle of their 2D boxes. It needs no calibration file, and
its median residual tells what it is worth.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from assets.scene_graphs.aria import DEVICE_RGB
from assets.scene_graphs.directions import FORWARD
from assets.scene_graphs.projection import Camera, Mask
from assets.scene_graphs.rotation import Array, Pose, conjugate, from_vector, product, rotate

MIN_BOXES = 30
"""Fewer boxes than this fit anything."""
MAX_RESIDUAL_SHARE = 5.0 / 1408
"""Median residual above this share of the image's width is not a calibration."""
ESTIMATE_FROM = 400
"""Boxes looked at: more make the fit slower and no better."""
_OUTLIER_PX = 8.0
_STARTS = 3
_CLOSE_SHARE = 0.1
_FOCAL_SHARE = 0.433
"""Focal length over width of Aria's RGB camera (610 of 1408 px), where an estimate starts."""


@dataclass(frozen=True, slots=True)
class Calibration:
    """Camera of a recording.

    Attributes:
        method: `stated` or `estimated`.
        camera: Intrinsics.
        device_camera: T_device_camera.
        residual_px: Median distance of projected centres to box centres, if measured.
        boxes_used: Boxes it was measured on.
    """

    method: str
    camera: Camera
    device_camera: Pose
    residual_px: float | None = None
    boxes_used: int = 0

    @property
    def axis_angle_deg(self) -> float:
        """Angle between the camera's axis and the device's z."""
        axis = rotate(self.device_camera.q, FORWARD)
        return float(np.degrees(np.arccos(np.clip(axis[2], -1, 1))))

    def row(self) -> dict:
        """Columns of `calibrations`, keys left out."""
        camera, place = self.camera, self.device_camera
        return {
            "method": self.method,
            "model": camera.model,
            "image_space": camera.image_space,
            "width_px": camera.width_px,
            "height_px": camera.height_px,
            "fx_px": camera.fx_px,
            "fy_px": camera.fy_px,
            "cx_px": camera.cx_px,
            "cy_px": camera.cy_px,
            "distortion": list(camera.distortion),
            **dict(zip(("tx", "ty", "tz"), place.t.tolist(), strict=True)),
            **dict(zip(("qw", "qx", "qy", "qz"), place.q.tolist(), strict=True)),
            "axis_angle_deg": self.axis_angle_deg,
            "residual_px": self.residual_px,
            "boxes_used": self.boxes_used,
        }


@dataclass(frozen=True, slots=True)
class Matches:
    """3D boxes and the middles of their 2D boxes.

    Attributes:
        points: Corners in the device's frame, shape (n, 8, 3), metres.
        pixels: Middles of the boxes in the image `image_space` of this size, shape (n, 2).
        image_space: `sensor`, `upright` or `stored`.
        width_px: Its width.
        height_px: Its height.
    """

    points: Array
    pixels: Array
    image_space: str
    width_px: int
    height_px: int


def stated(row: Mapping[str, object], poses_of: str, matches: Matches | None) -> Calibration | None:
    """Calibration a row of `cameras` states; None where it says too little.

    Args:
        row: Row with `sensor` `rgb`.
        poses_of: Whose poses the recording has: beside those of a `camera` no place in a device is
            needed.
        matches: To measure the residual on, if there are any.
    """
    sizes = ("width_px", "height_px", "fx_px", "fy_px", "cx_px", "cy_px")
    if row["model"] == "none" or any(row[name] is None for name in sizes):
        return None
    if poses_of == "camera":
        place = Pose.identity()
    elif row["qw"] is None or row["tx"] is None:
        return None
    else:
        place = Pose.of_row(row)
    camera = Camera(
        str(row["model"]),
        str(row["image_space"]),
        *(int(row[n]) for n in sizes[:2]),  # type: ignore[call-overload]
        *(float(row[n]) for n in sizes[2:]),  # type: ignore[arg-type]
        tuple(row["distortion"] or ()),  # type: ignore[arg-type]
    )
    if matches is None or not len(matches.points) or matches.image_space != camera.image_space:
        return Calibration("stated", camera, place)
    median = residual(camera, place, matches)
    return Calibration("stated", camera, place, median, len(matches.points))


def residual(camera: Camera, device_camera: Pose, matches: Matches) -> float | None:
    """Median distance of projected centres to box middles, in pixels."""
    shown, front = _middles(camera, device_camera.inverse().apply(matches.points))
    scale = matches.width_px / camera.width_px
    far = np.linalg.norm(shown * scale - matches.pixels, axis=-1)
    return float(np.median(far[front])) if front.any() else None


def _middles(camera: Camera, corners: Array) -> tuple[Array, Mask]:
    """Middles of the boxes that enclose projected corners (n, 8, 3), and which are all in front."""
    shown, front = camera.project(corners)
    return (shown.min(axis=1) + shown.max(axis=1)) / 2, np.all(front, axis=1)


def estimate(matches: Matches) -> Calibration | None:
    """Calibration fitted to boxes; None where there are too few, or none fits.

    The camera's place in the device (a centimetre) is not to be had from boxes and stays nominal.
    """
    from scipy.optimize import least_squares

    if len(matches.points) < MIN_BOXES:
        return None
    rays = matches.points - DEVICE_RGB.t
    focal = _FOCAL_SHARE * matches.width_px
    middle = np.array([(matches.width_px - 1) / 2, (matches.height_px - 1) / 2])

    def project(p: Array, start: Array) -> Array:
        camera = _camera(p, matches)
        q = product(start, from_vector(p[:3]))
        shown, front = _middles(camera, rotate(conjugate(q), rays))
        # What lies behind the camera is as wrong as a picture is wide, and stays comparable.
        return np.where(front[:, None], shown - matches.pixels, float(matches.width_px))

    first = np.array([0.0, 0.0, 0.0, focal, *middle, 0.0, 0.0])
    starts = _turns()
    if np.median(np.abs(project(first, starts[0]))) < _CLOSE_SHARE * matches.width_px:
        # The nominal rotation is nearly right: others need not be tried.
        starts = starts[:1]
    tried = sorted((float(np.median(np.abs(project(first, q)))), at) for at, q in enumerate(starts))
    best: tuple[float, Array, Array] | None = None
    for _, at in tried[:_STARTS]:
        start = starts[at]
        fit = least_squares(
            lambda p, q=start: project(p, q).ravel(),
            first,
            loss="soft_l1",
            f_scale=3.0,
            x_scale=[0.1, 0.1, 0.1, 50, 20, 20, 0.05, 0.05],
            max_nfev=200,
        )
        if best is None or fit.cost < best[0]:
            best = (float(fit.cost), fit.x, start)
        if np.median(np.linalg.norm(project(fit.x, start), axis=-1)) < _OUTLIER_PX / 2:
            break
    if best is None:
        return None
    camera = _camera(best[1], matches)
    q = product(best[2], from_vector(best[1][:3]))
    place = Pose(DEVICE_RGB.t, q / np.linalg.norm(q))
    median = residual(camera, place, matches)
    if median is None or median > MAX_RESIDUAL_SHARE * matches.width_px:
        return None
    return Calibration("estimated", camera, place, median, len(matches.points))


def _camera(p: Array, matches: Matches) -> Camera:
    return Camera(
        "kannala_brandt",
        matches.image_space,
        matches.width_px,
        matches.height_px,
        float(p[3]),
        float(p[3]),
        float(p[4]),
        float(p[5]),
        (float(p[6]), float(p[7])),
    )


def _turns() -> list[Array]:
    """Rotations an estimate may start from: the nominal one, and others all round it."""
    found = [DEVICE_RGB.q]
    for roll in range(0, 360, 45):
        for tilt in (0, 30, 60, 90):
            for way in range(0, 360, 45) if tilt else (0,):
                lean = np.radians(tilt) * np.array(
                    [np.cos(np.radians(way)), np.sin(np.radians(way)), 0]
                )
                found.append(product(from_vector(lean), from_vector([0, 0, np.radians(roll)])))
    return found
