"""Tables of the sources stage: what devices measured (stamps, calibrations, gaze, poses, joints)."""

from __future__ import annotations

import polars as pl

from expectations.schemas.columns import (
    BOOL,
    FLOAT,
    INT,
    POSE_COLUMNS,
    POSITION,
    QUATERNION,
    RECORDING,
    SOURCE,
    SOURCE_FILE,
    TEXT,
    unit_quaternion,
)
from expectations.schemas.core import Column, Rule, Table

_TIME = Column("t_s", FLOAT, "Time from the recording's start.", unit="s")

FRAME_STAMPS = Table(
    name="frame_stamps",
    stage="sources",
    row="media part of a recording, with its frame timestamps on another clock",
    key=("source", "recording_id", "part"),
    unit="recording_id",
    columns=(
        SOURCE,
        RECORDING,
        Column("part", INT, "Index of the media part the stamps belong to.", low=0),
        Column(
            "clock",
            TEXT,
            "Clock that stamped (the gaze samples carry the same).",
            one_of=("device",),
        ),
        Column(
            "frame_stamps_ns",
            pl.List(INT),
            "Stamp of each stored frame, in stored order; repaired rows are in quarantine.",
            unit="ns",
        ),
        SOURCE_FILE,
    ),
)

CAMERAS = Table(
    name="cameras",
    stage="sources",
    row="calibration of one sensor of a recording",
    key=("source", "recording_id", "sensor"),
    unit="recording_id",
    columns=(
        SOURCE,
        RECORDING,
        Column(
            "sensor",
            TEXT,
            "`rgb` is the camera whose pixels the recording holds; `cpf` is where gaze starts.",
            one_of=("rgb", "slam_left", "slam_right", "cpf"),
        ),
        Column(
            "model",
            TEXT,
            "Projection and distortion model.",
            one_of=("opencv_rational", "pinhole", "kannala_brandt", "fisheye624", "none"),
        ),
        Column(
            "image_space",
            TEXT,
            "Pixels the intrinsics speak of: as stored, upright, or the unrotated sensor's.",
            one_of=("stored", "upright", "sensor", "undistorted"),
        ),
        Column("width_px", INT, "Image width of the calibration.", unit="px", nullable=True, low=1),
        Column(
            "height_px", INT, "Image height of the calibration.", unit="px", nullable=True, low=1
        ),
        Column("fx_px", FLOAT, "Focal length, x.", unit="px", nullable=True, low=0.0),
        Column("fy_px", FLOAT, "Focal length, y.", unit="px", nullable=True, low=0.0),
        Column("cx_px", FLOAT, "Principal point, x.", unit="px", nullable=True),
        Column("cy_px", FLOAT, "Principal point, y.", unit="px", nullable=True),
        Column("distortion", pl.List(FLOAT), "Coefficients in the model's order."),
        # T_device_sensor: where the sensor is in the device's frame; null if not stated.
        *POSITION,
        *QUATERNION,
        SOURCE_FILE,
    ),
    rules=(unit_quaternion(keep_null=True),),
)

GAZE_SAMPLES = Table(
    name="gaze_samples",
    stage="sources",
    row="2D gaze sample",
    key=("source", "recording_id", "sample"),
    unit="recording_id",
    columns=(
        SOURCE,
        RECORDING,
        Column("sample", INT, "Row of the sample in its file(s), from 0.", low=0),
        Column(
            "t_ns",
            INT,
            "Stamp by the device clock; null where the file has none.",
            unit="ns",
            nullable=True,
        ),
        Column(
            "t_s", FLOAT, "Time the file states, where it states no clock.", unit="s", nullable=True
        ),
        Column("x", FLOAT, "Horizontal position over image width, 0 = left.", nullable=True),
        Column("y", FLOAT, "Vertical position over image height, 0 = top.", nullable=True),
        Column("worn", BOOL, "Whether the glasses were worn; null if not recorded.", nullable=True),
        Column("blink", BOOL, "Inside a detected blink; null if not recorded.", nullable=True),
        Column(
            "validity",
            TEXT,
            "Why a sample counts or not.",
            one_of=("valid", "not_worn", "blink", "outside", "flagged", "not_finite"),
        ),
    ),
    rules=(
        Rule(
            "has_time",
            pl.col("t_ns").is_not_null() | pl.col("t_s").is_not_null(),
            "gaze sample has neither a device stamp nor a time",
            "check the recording's time file",
        ),
        Rule(
            "valid_is_finite",
            (pl.col("validity") != "valid") | (pl.col("x").is_finite() & pl.col("y").is_finite()),
            "gaze sample counts as valid but its position is not finite",
            "the adapter must mark it not_finite",
        ),
    ),
)

GAZE_RAYS = Table(
    name="gaze_rays",
    stage="sources",
    row="3D gaze sample in the central pupil frame (x left, y up, z forward)",
    key=("source", "recording_id", "sample"),
    unit="recording_id",
    columns=(
        SOURCE,
        RECORDING,
        Column("sample", INT, "Row of the sample in its file, from 0.", low=0),
        _TIME,
        Column("yaw_rad", FLOAT, "Angle from z in the x-z plane, left positive.", unit="rad"),
        Column("pitch_rad", FLOAT, "Angle from z in the y-z plane, up positive.", unit="rad"),
        Column(
            "depth_m",
            FLOAT,
            "Distance of the gaze point; null where there is none.",
            unit="m",
            nullable=True,
            low=0.0,
        ),
    ),
)

CAMERA_POSES = Table(
    name="camera_poses",
    stage="sources",
    row="pose T_world_X of a device or camera at an instant",
    key=("source", "recording_id", "of", "pose"),
    unit="recording_id",
    columns=(
        SOURCE,
        RECORDING,
        Column(
            "of",
            TEXT,
            "Whose pose: a device pose is not a camera pose.",
            one_of=("device", "camera"),
        ),
        Column("pose", INT, "Index in time order, from 0.", low=0),
        Column(
            "t_s",
            FLOAT,
            "Time from the recording's start; null for a camera that stands still.",
            unit="s",
            nullable=True,
        ),
        Column("world_frame_id", TEXT, "World the pose is in: metres, right-handed, z up."),
        *POSE_COLUMNS,
        Column(
            "metric",
            BOOL,
            "False where positions are known up to a scale only, in no unit.",
            nullable=True,
        ),
        Column("quality", FLOAT, "Stated quality, 0 to 1.", nullable=True),
    ),
    rules=(unit_quaternion(),),
)

FINGERS = tuple(
    f"{finger}_{at}"
    for finger in ("thumb", "index", "middle", "ring", "pinky")
    for at in range(1, 5)
)
"""Joints of a hand's fingers, from the palm (1) to the tip (4)."""
BODY = (
    "nose",
    *(
        f"{side}_{name}"
        for name in ("eye", "ear", "shoulder", "elbow", "wrist", "hip", "knee", "ankle")
        for side in ("left", "right")
    ),
)
"""The 17 joints of a body that pose annotations commonly name."""

_SAMPLE = Column(
    "sample",
    INT,
    "Index in time order, from 0; the frame's own number where the dataset counts frames.",
    low=0,
)
_JOINT = (
    Column("world_frame_id", TEXT, "World the position is in: metres, z up."),
    Column("x", FLOAT, "Position, x.", unit="m"),
    Column("y", FLOAT, "Position, y.", unit="m"),
    Column("z", FLOAT, "Position, z.", unit="m"),
    Column(
        "views",
        INT,
        "Cameras the position was found from; null where it is not said.",
        nullable=True,
        low=0,
    ),
    Column(
        "annotation",
        TEXT,
        "Whether people marked it or a model did; null where it was measured.",
        nullable=True,
        one_of=("manual", "automatic"),
    ),
)

HAND_JOINTS = Table(
    name="hand_joints",
    stage="sources",
    row="3D joint of a hand at an instant",
    key=("source", "recording_id", "sample", "hand_side", "joint"),
    unit="recording_id",
    columns=(
        SOURCE,
        RECORDING,
        _SAMPLE,
        _TIME,
        Column("person_id", TEXT, "Whose hand; null for the wearer.", nullable=True),
        Column("hand_side", TEXT, "Side.", one_of=("left", "right")),
        Column(
            "joint",
            TEXT,
            "Joint; fingers count from the palm to the tip.",
            one_of=("wrist", "palm", *FINGERS),
        ),
        *_JOINT,
    ),
)

BODY_JOINTS = Table(
    name="body_joints",
    stage="sources",
    row="3D body joint at an instant (joints that were not placed are absent)",
    key=("source", "recording_id", "sample", "joint"),
    unit="recording_id",
    columns=(
        SOURCE,
        RECORDING,
        _SAMPLE,
        _TIME,
        Column("person_id", TEXT, "Whose body; null for the wearer.", nullable=True),
        Column("joint", TEXT, "Joint; sides are the person's own.", one_of=BODY),
        *_JOINT,
    ),
)

TABLES = (
    FRAME_STAMPS,
    CAMERAS,
    GAZE_SAMPLES,
    GAZE_RAYS,
    CAMERA_POSES,
    HAND_JOINTS,
    BODY_JOINTS,
)
