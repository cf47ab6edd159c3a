"""Files that every Aria recording has: trajectory, eye gaze and online calibration.

Columns are found by name: newer releases add some, and the two legacy gaze files hold the same in
another order. Stamps are of the device clock, in microseconds; quaternions are x, y, z, w; the
trajectory is that of the device (its left SLAM camera), not of the RGB camera.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

import numpy as np
import polars as pl

from assets.sources.aria.world import Turn, turn_of
from assets.sources.reading.row_reader import RowReader
from assets.sources.reading.values import Malformed, number
from assets.sources.reading.wide_csv import first_of_each, wide_csv
from expectations.schemas import TABLES

_POSE = [*(f"t{a}_world_device" for a in "xyz"), *(f"q{a}_world_device" for a in "xyzw")]
_GRAVITY = [f"gravity_{a}_world" for a in "xyz"]
STAMP = "stamp_ns"
MAX_POSE_HZ = 60
"""Rate a trajectory is thinned to where no frame stamps tell which poses are needed."""
NEAREST_NS = 20_000_000
"""How far a pose, joint or sample may lie from the frame it stands for: 0.6 of a 30 fps frame."""

LEGACY = ("yaw_rads_cpf", "pitch_rads_cpf")
VERGENCE = ("left_yaw_rads_cpf", "right_yaw_rads_cpf", "pitch_rads_cpf")
SECOND = ("yaw_rads_cpf", "left_pitch_rads_cpf", "right_pitch_rads_cpf")


# -- trajectory ------------------------------------------------------------------------------------


def read_trajectory(
    reader: RowReader, file: str, data: bytes, recording_id: str | None = None
) -> tuple[pl.DataFrame, Turn]:
    """Device poses in a world that is z up, ascending in time, and how the file's world stood.

    Returns:
        Columns `stamp_ns`, `tx`..`tz`, `qw`..`qz`, `quality`, `world`; and the turn applied.

    Raises:
        Malformed: No CSV, a missing column, or gravity along neither -y nor -z.
    """
    rows = wide_csv(
        reader,
        file,
        data,
        ints=("tracking_timestamp_us",),
        floats=(*_POSE, *_GRAVITY),
        texts=("graph_uid",),
        gaps=("quality_score",),
        recording_id=recording_id,
    )
    rows = first_of_each(reader, file, rows, ["tracking_timestamp_us"], recording_id)
    turn = turn_of(rows)
    quality = pl.col("quality_score")
    return (
        rows.select(
            (pl.col("tracking_timestamp_us") * 1000).alias(STAMP),
            *turn.position(*_POSE[:3]),
            *turn.rotation(_POSE[6], *_POSE[3:6]),
            pl.when(quality.is_between(0, 1)).then(quality).alias("quality"),
            pl.col("graph_uid").alias("world"),
        ).sort(STAMP),
        turn,
    )


def at_stamps(rows: pl.DataFrame, stamps_ns: Sequence[int]) -> pl.DataFrame:
    """The row nearest to each stamp, if one lies within `NEAREST_NS`; each row once.

    Stamps of one instant differ by microseconds between files of one recording, so that equality
    would lose them.

    Args:
        rows: Any columns with `stamp_ns`, ascending.
        stamps_ns: Instants asked for, ascending.
    """
    asked = pl.DataFrame({"asked_ns": list(stamps_ns)}, schema={"asked_ns": pl.Int64})
    found = asked.join_asof(
        rows.sort(STAMP),
        left_on="asked_ns",
        right_on=STAMP,
        strategy="nearest",
        tolerance=NEAREST_NS,
        coalesce=False,
    )
    return (
        found.filter(pl.col(STAMP).is_not_null())
        .drop("asked_ns")
        .unique(STAMP, keep="first", maintain_order=True)
    )


def thinned(rows: pl.DataFrame) -> pl.DataFrame:
    """The first row in each 1/60 s, counted from the first."""
    if rows.is_empty():
        return rows
    bin_ns = 1_000_000_000 // MAX_POSE_HZ
    at = (pl.col(STAMP) - pl.col(STAMP).min()) // bin_ns
    return (
        rows.with_columns(at.alias("_bin"))
        .unique("_bin", keep="first", maintain_order=True)
        .drop("_bin")
    )


def pose_rows(
    rows: pl.DataFrame, source: str, recording_id: str, world: str, start_ns: int
) -> pl.DataFrame:
    """Rows of `camera_poses` of a device; recording time 0 is at `start_ns`."""
    return rows.with_columns(
        pl.lit(source).alias("source"),
        pl.lit(recording_id).alias("recording_id"),
        pl.lit("device").alias("of"),
        pl.int_range(pl.len(), dtype=pl.Int64).alias("pose"),
        seconds(start_ns),
        pl.lit(world).alias("world_frame_id"),
        pl.lit(None, pl.Boolean).alias("metric"),
    ).select(TABLES["camera_poses"].schema.keys())


def seconds(start_ns: int) -> pl.Expr:
    """Recording time of `stamp_ns`."""
    return ((pl.col(STAMP) - start_ns) / 1e9).alias("t_s")


# -- gaze ------------------------------------------------------------------------------------------


def read_gaze(
    reader: RowReader, file: str, data: bytes, recording_id: str | None = None
) -> pl.DataFrame:
    """Gaze in the central pupil frame, in any of the four published forms.

    A form with one yaw per eye has the combined yaw derived from where both rays meet seen from
    between the eyes. A depth of 0 or none is null.

    Returns:
        Columns `stamp_ns`, `yaw_rad`, `pitch_rad`, `depth_m`, in file order.

    Raises:
        Malformed: No CSV, or none of the four forms.
    """
    header = data.split(b"\n", 1)[0].decode("utf-8", "replace")
    names = {name.strip() for name in header.split(",")}
    form = next((f for f in (LEGACY, VERGENCE, SECOND) if names.issuperset(f)), None)
    if form is None:
        raise Malformed("file has none of the known gaze columns", header.strip())
    rows = wide_csv(
        reader, file, data,
        ints=("tracking_timestamp_us",),
        floats=form,
        gaps=("depth_m", "tx_left_eye_cpf", "tx_right_eye_cpf"),
        recording_id=recording_id,
    )  # fmt: skip
    depth = pl.col("depth_m")
    yaw, pitch = pl.col("yaw_rads_cpf"), pl.col("pitch_rads_cpf")
    if form == VERGENCE:
        left, right = pl.col("left_yaw_rads_cpf").tan(), pl.col("right_yaw_rads_cpf").tan()
        from_left = pl.col("tx_left_eye_cpf").fill_null(0.0315)
        from_right = pl.col("tx_right_eye_cpf").fill_null(-0.0315)
        yaw = (left + from_left / (from_left - from_right) * (right - left)).arctan()
    elif form == SECOND:
        pitch = ((pl.col(SECOND[1]).tan() + pl.col(SECOND[2]).tan()) / 2).arctan()
    return rows.select(
        (pl.col("tracking_timestamp_us") * 1000).alias(STAMP),
        yaw.alias("yaw_rad"),
        pitch.alias("pitch_rad"),
        pl.when(depth > 0).then(depth).alias("depth_m"),
    )


def gaze_rows(rows: pl.DataFrame, source: str, recording_id: str, start_ns: int) -> pl.DataFrame:
    """Rows of `gaze_rays`."""
    return rows.with_columns(
        pl.lit(source).alias("source"),
        pl.lit(recording_id).alias("recording_id"),
        pl.int_range(pl.len(), dtype=pl.Int64).alias("sample"),
        seconds(start_ns),
    ).select(TABLES["gaze_rays"].schema.keys())


# -- calibration -----------------------------------------------------------------------------------

_SENSORS = {
    "camera-rgb": "rgb",
    "camera-slam-left": "slam_left",
    "camera-slam-right": "slam_right",
}
_SIZES = {"rgb": (1408, 1408), "slam_left": (640, 480), "slam_right": (640, 480)}
_FULL_RGB_PX = 2880


def read_calibration(
    reader: RowReader, file: str, data: bytes, source: str, recording_id: str
) -> list[dict]:
    """Rows of `cameras` from the first line of an online calibration whose cameras are calibrated.

    The RGB camera is calibrated on the full sensor (2880 px) and recorded at 1408 px: 32 px cut off
    on each side, then halved.

    Raises:
        Malformed: No line is a calibration.
    """
    for at, line in enumerate(data.splitlines(), start=1):
        if not line.strip():
            continue
        try:
            said = json.loads(line)
            rows = [
                {
                    **_camera(one),
                    "source": source,
                    "recording_id": recording_id,
                    "source_file": file,
                }
                for one in said["CameraCalibrations"]
                if one["Label"] in _SENSORS and one.get("Calibrated", True)
            ]
        except (ValueError, KeyError, TypeError, IndexError) as error:
            reader.reject(
                file, at, "unreadable_row", line[:80].decode("utf-8", "replace"),
                f"line is not a calibration: {error!r}", "restore the file", recording_id,
            )  # fmt: skip
            continue
        if any(row["sensor"] == "rgb" for row in rows):
            return rows
    raise Malformed("no line calibrates the RGB camera")


def _camera(said: Mapping) -> dict:
    params = [number(p) for p in said["Projection"]["Params"]]
    name = said["Projection"]["Name"]
    if name != "FisheyeRadTanThinPrism" or len(params) != 15:
        raise ValueError(f"projection {name!r} with {len(params)} parameters")
    sensor = _SENSORS[said["Label"]]
    focal, cx, cy = params[:3]
    if sensor == "rgb" and max(cx, cy) > 1408 * 0.75:
        cut = (_FULL_RGB_PX - 2 * 1408) / 2
        focal = focal / 2
        cx, cy = ((c - cut + 0.5) / 2 - 0.5 for c in (cx, cy))
    place = said["T_Device_Camera"]
    w, (x, y, z) = place["UnitQuaternion"]
    q = np.array([number(v) for v in (w, x, y, z)])
    if abs(np.linalg.norm(q) - 1) > 0.01:
        raise ValueError("rotation is not a unit quaternion")
    q /= np.linalg.norm(q)
    tx, ty, tz = (number(v) for v in place["Translation"])
    width, height = _SIZES[sensor]
    return {
        "sensor": sensor,
        "model": "fisheye624",
        "image_space": "sensor",
        "width_px": width,
        "height_px": height,
        "fx_px": focal,
        "fy_px": focal,
        "cx_px": cx,
        "cy_px": cy,
        "distortion": params[3:],
        "tx": tx,
        "ty": ty,
        "tz": tz,
        **dict(zip(("qw", "qx", "qy", "qz"), q.tolist(), strict=True)),
    }
