"""Frame stamps, gaze and poses of one recording of HD-EPIC, from Aria's machine perception services."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import polars as pl

from assets.sources.aria.mps import (
    at_stamps,
    gaze_rows,
    pose_rows,
    read_calibration,
    read_gaze,
    read_trajectory,
)
from assets.sources.layout import PartFiles, Rows
from assets.sources.reading.row_reader import RowReader
from assets.sources.reading.values import Malformed
from assets.sources.reading.wide_csv import wide_csv
from expectations.contracts import Refusal
from expectations.schemas import TABLES

_STAMPS = "_mp4_to_vrs_time_ns.csv"
_GAZE = ("eye_gaze/personalized_eye_gaze.csv", "eye_gaze/general_eye_gaze.csv")
_TRAJECTORY = "slam/closed_loop_trajectory.csv"
_CALIBRATION = "slam/online_calibration.jsonl"
_T = TypeVar("_T")


def read_sensors(part: PartFiles) -> Rows:
    """Sensors of one recording; without its frame stamps nothing has a time in the video."""
    assert part.recording is not None
    return _Recording(part, str(part.recording["recording_id"])).rows()


class _Recording:
    """Files of one recording by what their paths end in, and the rows they make."""

    def __init__(self, part: PartFiles, uid: str) -> None:
        self.part, self.uid = part, uid
        self.refused: list[Refusal] = []

    def rows(self) -> Rows:
        """All tables of the part."""
        source, uid = self.part.source, self.uid
        tables: dict[str, pl.DataFrame] = {}
        found = self._read(_STAMPS, "frame_stamps", lambda g, f, d: (f, _stamps(g, f, d, uid)))
        if found is None or not found[1]:
            self._tell_no_clock()
            return Rows(tables, tuple(self.refused))
        file, stamps = found
        tables["frame_stamps"] = TABLES["frame_stamps"].frame(
            [
                {
                    "source": source,
                    "recording_id": uid,
                    "part": 0,
                    "clock": "device",
                    "frame_stamps_ns": stamps,
                    "source_file": file,
                }
            ]
        )
        for name in _GAZE:
            gaze = self._read(name, "gaze_rays", lambda g, f, d: read_gaze(g, f, d, uid))
            if gaze is not None:
                tables["gaze_rays"] = gaze_rows(gaze, source, uid, stamps[0])
                break
        poses = self._read(
            _TRAJECTORY, "camera_poses", lambda g, f, d: read_trajectory(g, f, d, uid)
        )
        if poses is not None and not poses[0].is_empty():
            # Recordings of one kitchen that were placed together share a graph, and so a world.
            world = f"{uid[:3]}|{poses[0]['world'][0]}"
            kept = at_stamps(poses[0], stamps)
            tables["camera_poses"] = pose_rows(kept, source, uid, world, stamps[0])
        cameras = self._read(
            _CALIBRATION, "cameras", lambda g, f, d: read_calibration(g, f, d, source, uid)
        )
        if cameras:
            tables["cameras"] = TABLES["cameras"].frame(cameras)
        return Rows(tables, tuple(self.refused))

    def _read(self, end: str, table: str, make: Callable[[RowReader, str, bytes], _T]) -> _T | None:
        path = next((p for p in self.part.files if p.endswith(end)), None)
        if path is None:
            return None
        reader = RowReader(table)
        try:
            return make(reader, path, self.part.files[path])
        except Malformed as error:
            reader.unreadable(path, error, self.uid)
            return None
        finally:
            self.refused.extend(reader.refused)

    def _tell_no_clock(self) -> None:
        reader = RowReader("gaze_rays")
        reader.reject(
            min(self.part.files), None, "clock_unknown", f"{self.uid}{_STAMPS}",
            "no file joins the frames of the video to the device clock: gaze and poses have no time",
            f"restore {self.uid}{_STAMPS} beside the video", self.uid,
        )  # fmt: skip
        self.refused.extend(reader.refused)


def _stamps(reader: RowReader, file: str, data: bytes, uid: str) -> list[int]:
    """Device stamp of each frame, in stored order; a file that is not whole is not used.

    Raises:
        Malformed: A row without a stamp, or stamps that do not ascend.
    """
    rows = wide_csv(reader, file, data, ints=("vrs_device_time_ns",), recording_id=uid)
    stamps = rows["vrs_device_time_ns"]
    if reader.refused:
        raise Malformed("a frame has no stamp, and the frames after it would have others'")
    if not (stamps.diff().drop_nulls() > 0).all():
        raise Malformed("stamps of frames do not ascend")
    return stamps.to_list()
