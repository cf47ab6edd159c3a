"""Poses, gaze, wrists and frame stamps of one Aria Digital Twin recording."""

from __future__ import annotations

import re

import polars as pl

from assets.sources.adt.rgb_frames import frame_stamps, read_boxes_2d
from assets.sources.aria.mps import (
    STAMP,
    at_stamps,
    gaze_rows,
    pose_rows,
    read_calibration,
    read_gaze,
    read_trajectory,
    seconds,
    thinned,
)
from assets.sources.aria.world import Turn
from assets.sources.layout import PartFiles, Rows
from assets.sources.reading.folder import Folder
from assets.sources.reading.json import document_of, member_of
from assets.sources.reading.row_reader import RowReader
from assets.sources.reading.values import WHOLE_LIMIT, Malformed, number
from expectations.schemas import TABLES

TRAJECTORY, BOXES, METADATA = "aria_trajectory.csv", "2d_bounding_box.csv", "metadata.json"
GAZE = (
    "eyegaze.csv",
    "mps/eye_gaze/personalized_eye_gaze.csv",
    "mps/eye_gaze/generalized_eye_gaze.csv",
    "mps/eye_gaze/general_eye_gaze.csv",
)
"""The first that is there counts: ground truth knows depth, and a person's own calibration is better."""
ASSOCIATION = "skeleton_aria_association.json"
WRISTS = {"left": 8, "right": 27}
"""Joints LHand and RHand of the 51 of the motion capture skeleton."""
_JOINTS = 51


def read_sensors(part: PartFiles) -> Rows:
    """Sensors of one sequence."""
    uid = str(part.recording["recording_id"]) if part.recording else ""
    return _Sequence(part, uid).rows()


class _Sequence(Folder):
    """Files of one sequence, and the rows they make."""

    def rows(self) -> Rows:
        """All tables of the part."""
        poses, turn, from_truth = self._trajectory()
        boxes = self.read(
            BOXES, "frame_stamps", lambda g, f, d: read_boxes_2d(g, f, d, self.uid), told=False
        )
        stamps = frame_stamps(boxes, poses if from_truth else None)
        tables: dict[str, pl.DataFrame] = {}
        if not stamps and (poses is None or poses.is_empty()):
            return Rows(tables, tuple(self.refused))
        start = stamps[0] if stamps else int(poses[STAMP].min())  # type: ignore[index,arg-type]
        if stamps:
            tables["frame_stamps"] = TABLES["frame_stamps"].frame(
                [
                    {
                        "source": self.source,
                        "recording_id": self.uid,
                        "part": 0,
                        "clock": "device",
                        "frame_stamps_ns": stamps,
                        "source_file": f"{self.uid}/{BOXES if boxes is not None else TRAJECTORY}",
                    }
                ]
            )
        if poses is not None:
            kept = at_stamps(poses, stamps) if stamps else thinned(poses)
            # MPS has a world of its own, in which no object of the ground truth has a place.
            world = self.uid if from_truth else f"{self.uid}|mps"
            tables["camera_poses"] = pose_rows(kept, self.source, self.uid, world, start)
        gaze = self._gaze()
        if gaze is not None:
            tables["gaze_rays"] = gaze_rows(gaze, self.source, self.uid, start)
        if turn is not None and from_truth:
            tables["hand_joints"] = self._hands(turn, stamps, start)
        cameras = self.read(
            "mps/slam/online_calibration.jsonl",
            "cameras",
            lambda g, f, d: read_calibration(g, f, d, self.source, self.uid),
        )
        if cameras:
            tables["cameras"] = TABLES["cameras"].frame(cameras)
        return Rows(tables, tuple(self.refused))

    def _trajectory(self) -> tuple[pl.DataFrame | None, Turn | None, bool]:
        """Poses, the turn of the world, and whether they are the ground truth."""
        for name in (TRAJECTORY, "mps/slam/closed_loop_trajectory.csv"):
            found = self.read(
                name, "camera_poses", lambda g, f, d: read_trajectory(g, f, d, self.uid)
            )
            if found is not None:
                return found[0], found[1], name == TRAJECTORY
        return None, None, False

    def _gaze(self) -> pl.DataFrame | None:
        for name in GAZE:
            found = self.read(name, "gaze_rays", lambda g, f, d: read_gaze(g, f, d, self.uid))
            if found is not None:
                return found
        return None

    def _hands(self, turn: Turn, stamps: list[int], start: int) -> pl.DataFrame:
        """Wrists of the skeletons; a sequence without skeletons has none."""
        owners = self._owners()
        frames = [TABLES["hand_joints"].empty()]
        for name in sorted(n for n in self.files if re.fullmatch(r"Skeleton_[^/]+\.json", n)):
            skeleton = name.removesuffix(".json")
            wrists = self.read(name, "hand_joints", _wrists)
            if wrists is None or wrists.is_empty():
                continue
            person = owners.get(skeleton, skeleton)
            kept = at_stamps(wrists, stamps) if stamps else thinned(wrists)
            numbered = kept.with_columns(
                pl.int_range(pl.len(), dtype=pl.Int64).alias("sample"), seconds(start)
            )
            frames.extend(
                numbered.with_columns(
                    pl.lit(self.source).alias("source"),
                    pl.lit(self.uid).alias("recording_id"),
                    pl.lit(person, dtype=pl.String).alias("person_id"),
                    pl.lit(side).alias("hand_side"),
                    pl.lit("wrist").alias("joint"),
                    pl.lit(self.uid).alias("world_frame_id"),
                    # Measured by motion capture: no cameras to count, nobody marked it.
                    pl.lit(None, dtype=pl.Int64).alias("views"),
                    pl.lit(None, dtype=pl.String).alias("annotation"),
                    *turn.position(*(f"{side}_{a}" for a in "xyz"), out=""),
                ).select(TABLES["hand_joints"].schema.keys())
                for side in WRISTS
            )
        # Samples of several people share their numbers: later skeletons count on.
        made = pl.concat(frames)
        return made.sort("person_id", "t_s", "hand_side", nulls_last=False).with_columns(
            (pl.struct("person_id", "t_s").rle_id()).cast(pl.Int64).alias("sample")
        )

    def _owners(self) -> dict[str, str | None]:
        """Person of each skeleton; None is the wearer."""
        meta = self.read(METADATA, "hand_joints", lambda _g, _f, d: document_of(d), told=False)
        serial = meta.get("serial") if isinstance(meta, dict) else None
        listed = self.read(
            ASSOCIATION,
            "hand_joints",
            lambda _g, _f, d: member_of(document_of(d), "SkeletonMetadata", list),
        )
        return {
            str(one.get("SkeletonName")): None
            if serial is not None and one.get("AssociatedDeviceSerial") == serial
            else str(one.get("SkeletonName"))
            for one in listed or ()
            if isinstance(one, dict)
        }


def _wrists(reader: RowReader, file: str, data: bytes) -> pl.DataFrame:
    """Both wrists per frame of a skeleton file, in the file's world."""
    frames = member_of(document_of(data), "frames", list)
    kept: dict[int, dict] = {}
    for at, frame in enumerate(frames):
        row = reader.make(file, at, lambda f=frame: _wrists_of(f))
        if row is not None:
            reader.keep_first(kept, row[STAMP], row, file=file, row=at)
    schema = {STAMP: pl.Int64, **{f"{s}_{a}": pl.Float64 for s in WRISTS for a in "xyz"}}
    return pl.DataFrame(list(kept.values()), schema=schema).sort(STAMP)


def _wrists_of(frame: object) -> dict:
    joints = frame.get("joints") if isinstance(frame, dict) else None
    stamp = frame.get("timestamp_ns") if isinstance(frame, dict) else None
    if (
        not isinstance(stamp, int)
        or isinstance(stamp, bool)
        or not isinstance(joints, list)
        or len(joints) != _JOINTS
    ):
        raise Malformed(f"frame without a stamp or without {_JOINTS} joints", stamp)
    if abs(stamp) > WHOLE_LIMIT:
        raise Malformed("stamp is beyond any clock", stamp)
    row: dict = {STAMP: stamp}
    for side, at in WRISTS.items():
        place = joints[at]
        if not isinstance(place, list) or len(place) != 3:
            raise Malformed(f"joint {at} is not a position", place)
        row |= {f"{side}_{a}": number(v) for a, v in zip("xyz", place, strict=True)}
    return row
