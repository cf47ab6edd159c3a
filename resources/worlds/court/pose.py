"""Poses of bodies and hands and the cameras they are seen by, as the release writes them.

Pixels count in pictures whose bend was taken out: pinhole cameras of the native size, whose focal
length is half of the fisheye's; the Aria's of 512 pixels on the sensor as it lies in the glasses.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from resources.worlds.court.body import JOINTS
from resources.worlds.court.take import Take
from resources.worlds.flat.aria import sensor_pose
from resources.worlds.flat.camera import Floats, Pose
from resources.worlds.flat.egoexo4d_files import EXO, FPS, NATIVE_PX, Session
from resources.worlds.flat.tracks import SIDES

_EVERY: Final = 30
_ARIA: Final = [[150.0, 0.0, 255.5], [0.0, 150.0, 255.5], [0.0, 0.0, 1.0]]
_NEAR_M: Final = 0.1


def _take(session: Session) -> Take:
    if not isinstance(session.take, Take):
        raise TypeError(f"{session.name} is not a take of a court")
    return session.take


def annotated(session: Session, every: int = _EVERY) -> range:
    """Numbers of the frames with poses."""
    return range(0, session.frames, every)


def intrinsics(session: Session, name: str) -> list[list[float]]:
    """Pinhole intrinsics of a GoPro without its bend."""
    camera = session.take.camera(name)
    scale = NATIVE_PX / camera.width_px
    focal = round(camera.focal_px * scale / 2, 4)
    height = round(camera.height_px * scale)
    return [
        [focal, 0.0, (NATIVE_PX - 1) / 2],
        [0.0, focal, (height - 1) / 2],
        [0.0, 0.0, 1.0],
    ]


def _local(pose: Pose) -> list[list[float]]:
    """World to camera, [R|t]."""
    back = pose.inverse()
    return np.round(np.column_stack([back.rotation, back.position]), 9).tolist()


def camera_annotation(session: Session) -> dict[str, Any]:
    """Cameras of a take; the Aria's places in the frames that have poses."""
    place = session.capture.place
    out: dict[str, Any] = {"metadata": {"take_name": session.name, "take_uid": session.uid}}
    for name in EXO:
        out[name] = {
            "camera_intrinsics": intrinsics(session, name),
            "camera_extrinsics": _local(place.compose(session.take.camera_pose(name, 0.0))),
            "distortion_coeffs": [0.0] * 4,
        }
    worn = {
        str(n): _local(place.compose(sensor_pose(session.take.camera_pose("ego", n / FPS))))
        for n in annotated(session)
    }
    return out | {"aria01": {"camera_intrinsics": _ARIA, "camera_extrinsics": worn}}


def body_annotation(session: Session) -> dict[str, Any]:
    """Joints of the wearer by frame: in the capture's world, and in each GoPro's picture."""
    return _annotation(session, {name: name for name in JOINTS})


def hand_annotation(session: Session, every: int = _EVERY) -> dict[str, Any]:
    """The same of hands, which have no fingers here: of 42 joints the wrists alone could be placed.

    Args:
        session: The take.
        every: Frames from one with poses to the next.
    """
    return _annotation(session, {f"{side}_wrist": f"{side}-wrist" for side in SIDES}, every)


def _annotation(session: Session, names: dict[str, str], every: int = _EVERY) -> dict[str, Any]:
    """Joints by frame under the names a file calls them by."""
    take, place, out = _take(session), session.capture.place, {}
    for n in annotated(session, every):
        placed = take.bodies["C"].joints(n / FPS)
        joints = {name: place.to_world(placed[of]) for name, of in names.items()}
        flat: dict[str, dict[str, Any]] = {name: {} for name in EXO}
        for name in EXO:
            inner = np.array(intrinsics(session, name))
            pose = place.compose(take.camera_pose(name, 0.0))
            for joint, at in joints.items():
                pixel = _pixel(inner, pose, at)
                if pixel is not None:
                    flat[name][joint] = {"x": pixel[0], "y": pixel[1], "placement": "manual"}
        solid = {
            joint: {
                **dict(zip("xyz", (round(float(v), 5) for v in at), strict=True)),
                "num_views_for_3d": sum(joint in seen for seen in flat.values()),
            }
            for joint, at in joints.items()
        }
        out[str(n)] = [{"annotation3D": solid, "annotation2D": flat}]
    return out


def _pixel(inner: Floats, pose: Pose, at: Floats) -> tuple[float, float] | None:
    """Where a point is in the picture; None where it is not in it."""
    x, y, z = pose.to_local(at)
    if z < _NEAR_M:
        return None
    u, v, _ = inner @ (x / z, y / z, 1.0)
    inside = 0 <= u < NATIVE_PX and 0 <= v < 2 * inner[1, 2] + 1
    return (round(float(u), 2), round(float(v), 2)) if inside else None
