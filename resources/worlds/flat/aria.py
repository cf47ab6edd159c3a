"""The glasses somebody wears: where their device frame, sensor and eyes are, and their clock.

The device frame is that of the left SLAM camera, 39 degrees from the RGB camera as on a real first
generation device: a device pose is not a camera pose. The RGB sensor lies a quarter turn to the
left in the glasses: its x axis points down, its y axis to the left of the upright picture.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from resources.worlds.flat.camera import Camera, Floats, Pose, rotation_of
from resources.worlds.tools.filmed import Filmed

SENSOR_PX: Final = 1408
FULL_PX: Final = 2880
# Extrinsics of the RGB camera of the published first generation sample.
RGB_QUATERNION: Final = (0.941575995616059, 0.332483969508643, 0.03396860324855, 0.041655593774964)
RGB_TRANSLATION: Final = (-0.004005868551322, -0.011869797002275, -0.004418150827837)
# Origin of the left SLAM camera and its axes in the central pupil frame, from the maker's drawings.
_SLAM_IN_CPF: Final = (
    (0.0702, 0.002372, 0.008854),
    (0.793353, 0.0, -0.608761),
    (0.607927, -0.052336, 0.792266),
)
START_NS: Final = 87_551_170_910_700
FRAME_NS: Final = 33_333_000
_SENSOR: Final = Pose(np.array(RGB_TRANSLATION), rotation_of(RGB_QUATERNION))  # T_device_sensor
_SENSOR_DEVICE: Final = _SENSOR.inverse()


def sensor_pose(camera: Pose) -> Pose:
    """`T_world_sensor` from the pose of the upright camera."""
    right, down, forward = camera.rotation.T
    return Pose(camera.position, np.column_stack([down, -right, forward]))


def device_pose(camera: Pose) -> Pose:
    """`T_world_device` from the pose of the upright camera."""
    return sensor_pose(camera).compose(_SENSOR_DEVICE)


def sensor_focal(camera: Camera) -> float:
    """Focal length on the 1408 px sensor, pixels per radian."""
    return camera.focal_px * SENSOR_PX / camera.width_px


def sensor_box(
    camera: Camera, upright: tuple[float, float, float, float]
) -> tuple[int, int, int, int]:
    """x_min, x_max, y_min, y_max in sensor pixels from a box in pixels of the upright picture."""
    scale = SENSOR_PX / camera.width_px
    x0, y0, x1, y1 = (min(max((v + 0.5) * scale - 0.5, 0.0), SENSOR_PX - 1.0) for v in upright)
    last = SENSOR_PX - 1
    return round(y0), round(y1), round(last - x1), round(last - x0)


def device_from_cpf() -> Pose:
    """`T_device_cpf`: the central pupil frame between the eyes, x left, y up, z forward."""
    origin, y, z = (np.array(v) for v in _SLAM_IN_CPF)
    z = z / np.linalg.norm(z)
    y = y - z * (y @ z)
    y = y / np.linalg.norm(y)
    return Pose(origin, np.column_stack([np.cross(y, z), y, z])).inverse()


_CPF: Final = device_from_cpf()


def gaze_in_cpf(camera: Pose, target: Floats) -> tuple[float, float, float]:
    """Yaw (left positive), pitch (up positive), distance of a point in the central pupil frame.

    Args:
        camera: pose of the upright RGB camera.
        target: (3,) what is looked at, in the world.
    """
    left, up, forward = (float(v) for v in device_pose(camera).compose(_CPF).to_local(target))
    return (
        float(np.arctan2(left, forward)),
        float(np.arctan2(up, forward)),
        float(np.hypot(np.hypot(left, up), forward)),
    )


@dataclass(frozen=True)
class Motion:
    """Device poses of a take at given times, and their speeds in the device frame.

    Attributes:
        poses: `T_world_device`, z up.
        linear: (N, 3) m/s; angular: (N, 3) rad/s.
    """

    poses: tuple[Pose, ...]
    linear: Floats
    angular: Floats


def motion(take: Filmed, camera: str, t_s: Floats) -> Motion:
    """How the device moves."""
    step = 0.01
    poses = tuple(device_pose(take.camera_pose(camera, t)) for t in t_s)
    linear, angular = np.zeros((len(t_s), 3)), np.zeros((len(t_s), 3))
    for k, (t, pose) in enumerate(zip(t_s, poses, strict=True)):
        later = device_pose(take.camera_pose(camera, t + step))
        linear[k] = (later.position - pose.position) @ pose.rotation / step
        turn = pose.rotation.T @ later.rotation
        axis = np.array([turn[2, 1] - turn[1, 2], turn[0, 2] - turn[2, 0], turn[1, 0] - turn[0, 1]])
        angular[k] = axis / 2 / step
    return Motion(poses, linear, angular)


TRAJECTORY: Final = (
    "graph_uid,tracking_timestamp_us,utc_timestamp_ns,tx_world_device,ty_world_device,tz_world_device,"
    "qx_world_device,qy_world_device,qz_world_device,qw_world_device,device_linear_velocity_x_device,"
    "device_linear_velocity_y_device,device_linear_velocity_z_device,angular_velocity_x_device,"
    "angular_velocity_y_device,angular_velocity_z_device,gravity_x_world,gravity_y_world,gravity_z_world,"
    "quality_score"
)


def trajectory_rows(
    moved: Motion, stamps_us: list[int], graph: str, world: Pose, utc_ns: int
) -> list[tuple[object, ...]]:
    """Rows of a trajectory file.

    Args:
        moved: poses and speeds, z up.
        stamps_us: device time of each pose.
        graph: id of the map.
        world: `T_file_flat`, from the flat's z-up world to the file's.
        utc_ns: start of the recording in UTC, or -1 where unknown.
    """
    gravity = world.rotation @ (0.0, 0.0, -9.81)
    down = tuple("0" if abs(v) < 1e-9 else f"{v:.2f}" for v in gravity)
    rows: list[tuple[object, ...]] = []
    for k, (pose, stamp) in enumerate(zip(moved.poses, stamps_us, strict=True)):
        turned = world.compose(pose)
        w, x, y, z = turned.quaternion
        utc = utc_ns if utc_ns < 0 else utc_ns + (stamp - stamps_us[0]) * 1000
        # Micrometres and microradians; speeds are found by differences and known less well.
        place = [f"{v:.6f}" for v in (*turned.position, x, y, z, w)]
        speeds = [f"{v:.4f}" for v in (*moved.linear[k], *moved.angular[k])]
        rows.append((graph, stamp, utc, *place, *speeds, *down, 0.95))
    return rows


def calibration(camera: Camera, stamp_us: int) -> dict[str, object]:
    """One line of `online_calibration.jsonl`: cameras only, the RGB one on the full 2880 px sensor.

    All are r = focal * theta exactly: the 12 distortion numbers of FisheyeRadTanThinPrism are zero.
    """

    def one(
        label: str, focal: float, centre: tuple[float, float], at: object, turn: object, serial: str
    ) -> dict:
        return {
            "Calibrated": True,
            "Projection": {
                "Params": [focal, *centre, *([0.0] * 12)],
                "Description": "see FisheyeRadTanThinPrism.h",
                "Name": "FisheyeRadTanThinPrism",
            },
            "T_Device_Camera": {"Translation": at, "UnitQuaternion": turn},
            "SerialNumber": serial,
            "Label": label,
        }

    w, *xyz = RGB_QUATERNION
    middle = (FULL_PX - 1) / 2
    right = [0.776912769511243, [0.628343677022242, -0.001549350459298, 0.039854380307449]]
    return {
        "utc_timestamp_ns": -1,
        "tracking_timestamp_us": stamp_us,
        "ImuCalibrations": [],
        "CameraCalibrations": [
            one("camera-slam-left", 241.7, (319.5, 239.5), [0.0, 0.0, 0.0], [1.0, [0.0, 0.0, 0.0]], "flat-slam-left"),
            one("camera-slam-right", 242.0, (319.5, 239.5), [0.006, -0.108, -0.0855], right, "flat-slam-right"),
            one("camera-rgb", 2 * sensor_focal(camera), (middle, middle), list(RGB_TRANSLATION), [w, xyz], "flat-rgb"),
        ],
    }  # fmt: skip
