"""Device poses, gaze, calibrations, frame stamps and joints of Ego-Exo4D takes.

Row i of a take's frame-aligned videos is row `start + i` of its capture's `timesync.csv`, whose
Aria columns stamp frames by the device clock: the clock of trajectory and gaze. The documentation
contradicts itself on the last row; the counts of frames say half open. GoPros stand still: their
calibration holds for the take, if its quality is 1 (localised).
"""

from __future__ import annotations

import re

import polars as pl

from assets.sources.aria.mps import (
    at_stamps,
    gaze_rows,
    pose_rows,
    read_calibration,
    read_gaze,
    read_trajectory,
)
from assets.sources.egoexo4d.joints import read_joints
from assets.sources.egoexo4d.recordings import TAKE_LIST, Camera, Take
from assets.sources.layout import PartFiles, Rows
from assets.sources.reading.row_reader import REMEDY_ROW, RowReader
from assets.sources.reading.values import Malformed
from assets.sources.reading.wide_csv import LINE, wide_csv
from expectations.contracts import Refusal
from expectations.schemas import TABLES

_HOME = r"(?:[^/]+/)*takes/([^/]+)/"
SENSORS = (
    r"(?:[^/]+/)*captures/[^/]+/timesync\.csv|"
    + _HOME
    + r"(?:trajectory/(?:closed_loop_trajectory\.csv|gopro_calibs\.csv|online_calibration\.jsonl)"
    r"|eye_gaze/(?:general|personalized)_eye_gaze(?:_2d)?\.csv)"
)
_FRAME_NS = 1_000_000_000 / 30
_SIDE_PX = 1408.0
_CALIB = [*(f"t{a}_world_cam" for a in "xyz"), *(f"q{a}_world_cam" for a in "xyzw")]
_INTRINSICS = [f"intrinsics_{at}" for at in range(8)]
_TABLES = ("frame_stamps", "cameras", "gaze_samples", "gaze_rays", "camera_poses")


def read_sensors(part: PartFiles) -> Rows:
    """Sensors of all takes whose files are here."""
    takes = {t.name: t for t in part.document(TAKE_LIST).values()}
    made = _Sensors(part)
    homes = sorted({m[1] for p in part.files if (m := re.fullmatch(_HOME + r".+", p))})
    for name in homes:
        if name in takes:
            made.take(takes[name])
        else:
            reader = RowReader("camera_poses")
            reader.reject(
                f"takes/{name}", None, "unknown_take", name,
                "files of a take that takes.json does not list", "add the take, or remove its files",
            )  # fmt: skip
            made.refused.extend(reader.refused)
    told, joints = made.rows(), read_joints(part, takes.values())
    refused = told.refused + joints.refused
    return Rows({**told.tables, **joints.tables}, refused, {**told.files, **joints.files})


class _Sensors:
    def __init__(self, part: PartFiles) -> None:
        self.source, self.files = part.source, part.files
        self.by_end = {
            "/".join(p.split("/")[-n:]): p for p in sorted(part.files, reverse=True) for n in (3, 4)
        }
        self.refused: list[Refusal] = []
        self.places: dict[tuple[str, str], str] = {}
        """File of a recording's rows, by table and recording."""
        self.tables: dict[str, list[pl.DataFrame]] = {name: [] for name in _TABLES}

    def rows(self) -> Rows:
        """What was made so far."""
        tables = {
            name: pl.concat([TABLES[name].empty(), *held]) for name, held in self.tables.items()
        }
        return Rows(tables, tuple(self.refused), self.places)

    def _add(self, name: str, frame: pl.DataFrame) -> None:
        self.tables[name].append(frame.select(TABLES[name].schema.keys()))

    def _read(self, end, table, make, uid):
        """What `make(reader, path, data)` gives of the file whose path ends so."""
        path = self.by_end.get(end)
        if path is None:
            return None
        reader = RowReader(table)
        try:
            if uid is not None:
                self.places[table, uid] = path
            return make(reader, path, self.files[path])
        except Malformed as error:
            reader.unreadable(path, error, uid)
            return None
        finally:
            self.refused.extend(reader.refused)

    def take(self, take: Take) -> None:
        """Rows of one take."""
        self._gopros(take)
        ego = take.ego
        if ego is None or not ego.cam_id.startswith("aria"):
            return
        uid, home = ego.recording_id, f"takes/{take.name}"
        cameras = self._read(
            f"{home}/trajectory/online_calibration.jsonl",
            "cameras",
            lambda g, f, d: read_calibration(g, f, d, self.source, uid),
            uid,
        )
        if cameras:
            self._add("cameras", TABLES["cameras"].frame(cameras))
        poses = self._read(
            f"{home}/trajectory/closed_loop_trajectory.csv",
            "camera_poses",
            lambda g, f, d: read_trajectory(g, f, d, uid),
            uid,
        )
        gaze, flat = self._gaze(home, uid)
        if poses is None and gaze is None and flat is None:
            return
        clock = self._clock(take, ego)
        if clock is None:
            return
        start, stamps = clock
        if poses is not None:
            found = at_stamps(poses[0], stamps)
            self._add("camera_poses", pose_rows(found, self.source, uid, take.capture, start))
        if gaze is not None:
            self._add("gaze_rays", gaze_rows(gaze, self.source, uid, start))
        if flat is not None:
            whole = len(stamps) == take.end - take.start
            self._add("gaze_samples", _samples(flat, self.source, uid, start, whole))

    def _gaze(self, home: str, uid: str) -> tuple[pl.DataFrame | None, pl.DataFrame | None]:
        """Gaze in 3D and 2D; a person's own calibration is better, and most takes have none."""
        rays = flat = None
        for kind in ("personalized", "general"):
            if rays is None:
                rays = self._read(
                    f"{home}/eye_gaze/{kind}_eye_gaze.csv",
                    "gaze_rays",
                    lambda g, f, d: read_gaze(g, f, d, uid),
                    uid,
                )
            if flat is None:
                flat = self._read(
                    f"{home}/eye_gaze/{kind}_eye_gaze_2d.csv",
                    "gaze_samples",
                    lambda g, f, d: wide_csv(
                        g,
                        f,
                        d,
                        ints=("tracking_timestamp_us",),
                        floats=("x", "y"),
                        recording_id=uid,
                    ),
                    uid,
                )
        return rays, flat

    def _clock(self, take: Take, ego: Camera) -> tuple[int, list[int]] | None:
        """Device stamp of the take's first frame, and of all its frames.

        A frame that the Aria dropped has no stamp: its neighbours stand for it, and the recording
        gets no row of `frame_stamps`. A take names rows by their place in the file, so that a row
        that cannot be read keeps its place, without a stamp.
        """
        column = f"{ego.cam_id}_214-1_capture_timestamp_ns"
        uid = ego.recording_id
        end = f"captures/{take.capture}/timesync.csv"
        rows = self._read(
            end,
            "frame_stamps",
            lambda g, f, d: wide_csv(g, f, d, texts=(column,), recording_id=uid),
            uid,
        )
        reader = RowReader("frame_stamps")
        stamps = None if rows is None else _stamps(rows, column, take, reader, self.by_end[end])
        if (
            stamps is None
            or rows is None
            or rows.filter(pl.col(LINE) > take.end).is_empty()
            or stamps.null_count() == stamps.len()
        ):
            reader.reject(
                self.by_end.get(end, end), take.name, "no_device_clock", None if stamps is None else stamps.len(),
                f"no stamps of rows {take.start} to {take.end}: poses and gaze have no place in the take",
                f"download {end}", uid,
            )  # fmt: skip
            self.refused.extend(reader.refused)
            return None
        self.refused.extend(reader.refused)
        known = [(at, stamp) for at, stamp in enumerate(stamps.to_list()) if stamp is not None]
        at, stamp = known[0]
        if stamps.null_count() == 0:
            self._add(
                "frame_stamps",
                TABLES["frame_stamps"].frame(
                    [
                        {
                            "source": self.source,
                            "recording_id": uid,
                            "part": 0,
                            "clock": "device",
                            "frame_stamps_ns": stamps.to_list(),
                            "source_file": self.by_end[end],
                        }
                    ]
                ),
            )
        return stamp - round(at * _FRAME_NS), [s for _, s in known]

    def _gopros(self, take: Take) -> None:
        """Calibrations and places of the cameras that stand still."""
        cameras = {c.cam_id: c for c in take.cameras if not c.cam_id.startswith("aria")}
        end = f"takes/{take.name}/trajectory/gopro_calibs.csv"
        rows = self._read(
            end,
            "cameras",
            lambda g, f, d: wide_csv(
                g, f, d,
                ints=("image_width", "image_height", "quality"),
                floats=(*_CALIB, *_INTRINSICS),
                texts=("cam_uid", "intrinsics_type"),
            ),
            None,
        )  # fmt: skip
        for row in () if rows is None else rows.iter_rows(named=True):
            reader = RowReader("cameras")
            camera = cameras.get(row["cam_uid"])
            path = self.by_end[end]
            uid = camera.recording_id if camera else None
            if row["quality"] != 1 or row["intrinsics_type"] != "KANNALABRANDTK3" or uid is None:
                rule, value = (
                    ("unknown_camera", row["cam_uid"])
                    if uid is None
                    else ("not_localised", row["quality"])
                )
                if uid is not None and row["quality"] == 1:
                    rule, value = "unknown_model", row["intrinsics_type"]
                reader.reject(
                    path, row[LINE], rule, value, f"calibration of {row['cam_uid']} is of no use",
                    "nothing: the camera has no calibration", uid,
                )  # fmt: skip
                self.refused.extend(reader.refused)
                continue
            fx, fy, cx, cy, *bend = (row[name] for name in _INTRINSICS)
            key = {"source": self.source, "recording_id": uid}
            self._add(
                "cameras",
                TABLES["cameras"].frame(
                    [
                        {
                            **key,
                            "sensor": "rgb",
                            "model": "kannala_brandt",
                            # Native size; the video may be smaller, and shares of it are the same.
                            "image_space": "stored",
                            "width_px": row["image_width"],
                            "height_px": row["image_height"],
                            "fx_px": fx,
                            "fy_px": fy,
                            "cx_px": cx,
                            "cy_px": cy,
                            "distortion": bend,
                            "source_file": path,
                        }
                    ]
                ),
            )
            place = [row[name] for name in _CALIB]
            self.places["camera_poses", uid] = path
            self._add(
                "camera_poses",
                TABLES["camera_poses"].frame(
                    [
                        {
                            **key,
                            "of": "camera",
                            "pose": 0,
                            "world_frame_id": take.capture,
                            **dict(
                                zip(("tx", "ty", "tz", "qx", "qy", "qz", "qw"), place, strict=True)
                            ),
                            "quality": 1.0,
                        }
                    ]
                ),
            )


def _stamps(rows: pl.DataFrame, column: str, take: Take, reader: RowReader, file: str) -> pl.Series:
    """Device stamps of a take's rows; null where there is none, or one that is not after the last."""
    # The row after the header is row 0, and stands on line 2.
    places = pl.DataFrame({LINE: pl.int_range(take.start + 2, take.end + 2, eager=True)})
    told = places.join(rows.select(LINE, column), on=LINE, how="left", maintain_order="left")
    stamps = told[column].cast(pl.Int64, strict=False)
    torn = stamps.is_null() & (told[column].fill_null("") != "")
    for line, text in told.filter(torn).select(LINE, column).iter_rows():
        reader.reject(
            file, line, "unreadable_row", text,
            f"{column} is not a stamp; the frame counts as dropped", REMEDY_ROW,
            take.ego.recording_id if take.ego else None,
        )  # fmt: skip
    before = stamps.cum_max().shift(1).forward_fill()
    back = (stamps <= before).fill_null(False)
    for line, stamp in zip(told.filter(back)[LINE], stamps.filter(back), strict=True):
        reader.reject(
            file, line, "stamp_not_after_last", stamp,
            f"the frame's stamp in {column} is not after the stamp before it; it counts as dropped",
            REMEDY_ROW, take.ego.recording_id if take.ego else None,
        )  # fmt: skip
    return stamps.set(back, None)


def _samples(rows: pl.DataFrame, source: str, uid: str, start: int, stamped: bool) -> pl.DataFrame:
    """Rows of `gaze_samples`: pixels of the upright 1408 px picture.

    Where frames lack stamps, samples are placed by the take's regular 30 fps instead.
    """
    stamp = pl.col("tracking_timestamp_us") * 1000
    inside = pl.col("x").is_between(0, 1) & pl.col("y").is_between(0, 1)
    return rows.select(
        pl.lit(source).alias("source"),
        pl.lit(uid).alias("recording_id"),
        pl.int_range(pl.len(), dtype=pl.Int64).alias("sample"),
        (stamp if stamped else pl.lit(None, dtype=pl.Int64)).alias("t_ns"),
        (pl.lit(None, dtype=pl.Float64) if stamped else (stamp - start) / 1e9).alias("t_s"),
        (pl.col("x") / _SIDE_PX).alias("x"),
        (pl.col("y") / _SIDE_PX).alias("y"),
        pl.lit(None, dtype=pl.Boolean).alias("worn"),
        pl.lit(None, dtype=pl.Boolean).alias("blink"),
    ).with_columns(
        pl.when(inside).then(pl.lit("valid")).otherwise(pl.lit("outside")).alias("validity")
    )
