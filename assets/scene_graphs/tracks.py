"""Poses over time: of the device, and of the objects of a recording."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from assets.scene_graphs.projection import Mask
from assets.scene_graphs.rotation import Array, Pose

NEAREST_S = 0.02
"""How far from the instant asked for a pose may lie (0.6 of a 30 fps frame)."""
Index = NDArray[np.int64]


def nearest(times_s: Array, asked_s: Array | float, tolerance_s: float = NEAREST_S) -> Index:
    """Index of the nearest time to each asked one, -1 where none lies within the tolerance.

    Args:
        times_s: Ascending, shape (n,).
        asked_s: Shape (...).
        tolerance_s: Furthest a time may lie.
    """
    asked = np.asarray(asked_s, dtype=float)
    if not len(times_s):
        return np.full(asked.shape, -1, dtype=np.int64)
    after = np.clip(np.searchsorted(times_s, asked), 1, max(len(times_s) - 1, 1))
    after = np.minimum(after, len(times_s) - 1)
    before = np.maximum(after - 1, 0)
    at = np.where(asked - times_s[before] <= times_s[after] - asked, before, after)
    return np.where(np.abs(times_s[at] - asked) <= tolerance_s, at, -1)


def runs(mask: Mask) -> list[tuple[int, int]]:
    """First and last index of each stretch of a mask, shape (n,), that holds throughout."""
    edges = np.flatnonzero(np.diff(np.concatenate([[0], mask.astype(int), [0]])))
    return [(int(a), int(b) - 1) for a, b in zip(edges[::2], edges[1::2], strict=True)]


@dataclass(frozen=True, slots=True)
class Track:
    """Poses T_world_x of one thing.

    Attributes:
        times_s: Ascending; empty for what stands still, whose one pose always holds.
        poses: As many as times, or one.
        keys: The source's number of each pose.
    """

    times_s: Array
    poses: Pose
    keys: Index

    def at(self, asked_s: Array | float) -> Index:
        """Index of the pose that holds at each instant, -1 where none does."""
        if not len(self.times_s):
            return np.zeros(np.shape(asked_s), dtype=np.int64)
        return nearest(self.times_s, asked_s)


@dataclass(frozen=True, slots=True)
class Body:
    """What carries the camera of a recording.

    Attributes:
        of: `camera`, or the `device` it is mounted in.
        world: World its poses are in.
        track: T_world_body.
    """

    of: str
    world: str
    track: Track

    def camera_at(self, t_s: float, body_camera: Pose) -> tuple[Pose, str] | None:
        """T_world_camera at an instant and the key of the pose it rests on; None where none holds.

        Args:
            t_s: Instant.
            body_camera: T_body_camera, of the recording's calibration.
        """
        at = int(self.track.at(t_s))
        if at < 0:
            return None
        pose = self.track.poses[at].then(body_camera)
        return pose, f"camera_poses:{self.of}/{self.track.keys[at]}"


@dataclass(frozen=True, slots=True)
class Thing:
    """3D box of an object over time.

    Attributes:
        object_id: The source's id.
        name: Name as shown.
        moves: Whether it can.
        low: Lower corner in the object's frame, shape (3,).
        high: Upper corner.
        track: T_world_object.
        rows: Keys of the rows that the track's keys number; empty for rows of `objects_3d`.
        uncertain_m: How far off each pose may be, shape (n,); None where it was annotated.
    """

    object_id: str
    name: str
    moves: bool
    low: Array
    high: Array
    track: Track
    rows: tuple[str, ...] = ()
    uncertain_m: Array | None = None

    def row(self, at: int) -> str:
        """Key of the row that a pose of the track comes from, as `table:key`."""
        number = int(self.track.keys[at])
        return self.rows[number] if self.rows else f"objects_3d:{self.object_id}/{number}"

    def off_m(self, at: int) -> float | None:
        """How far off the place at a pose of the track may be; None where it was annotated."""
        return None if self.uncertain_m is None else float(self.uncertain_m[at])

    @property
    def middle(self) -> Array:
        """Middle of the box in the object's frame."""
        return (self.low + self.high) / 2

    @property
    def corners(self) -> Array:
        """Corners of the box in the object's frame, shape (8, 3)."""
        ends = np.stack([self.low, self.high])
        return np.array(
            [[ends[i, 0], ends[j, 1], ends[k, 2]] for i in (0, 1) for j in (0, 1) for k in (0, 1)]
        )

    def centre(self, at: Index | int) -> Array:
        """Middle of the box in the world, at poses of the track."""
        return self.track.poses[at].apply(self.middle)


def track_of(rows: pl.DataFrame, key: str) -> Track:
    """Track of rows with `t_s`, a pose and a numbering column.

    A row without a time counts only where no row has one.
    """
    timed = rows.filter(pl.col("t_s").is_not_null()).sort("t_s")
    used = timed if timed.height else rows.head(1)
    return Track(
        timed["t_s"].to_numpy(),
        Pose.of(
            used.select("tx", "ty", "tz").to_numpy(), used.select("qw", "qx", "qy", "qz").to_numpy()
        ),
        used[key].to_numpy(),
    )


def body_of(poses: pl.DataFrame) -> Body | None:
    """The camera where its own poses are known, else the device; None without poses.

    Args:
        poses: Rows of `camera_poses` of one recording. Those of the first world count.
    """
    of = "camera" if "camera" in poses["of"].unique().to_list() else "device"
    mine = poses.filter(pl.col("of") == of)
    if mine.is_empty():
        return None
    world = str(mine["world_frame_id"][0])
    return Body(of, world, track_of(mine.filter(pl.col("world_frame_id") == world), "pose"))


def things_of(objects: pl.DataFrame, world: str) -> dict[str, Thing]:
    """Objects of one world by id; their box is that of their first row."""
    found: dict[str, Thing] = {}
    mine = objects.filter(pl.col("world_frame_id") == world).sort("object_id", "pose")
    for (uid,), rows in mine.group_by("object_id", maintain_order=True):
        first = rows.row(0, named=True)
        found[str(uid)] = Thing(
            str(uid),
            shown_name(first["name"]),
            first["motion"] == "dynamic",
            np.array([first[f"{a}_min_m"] for a in "xyz"]),
            np.array([first[f"{a}_max_m"] for a in "xyz"]),
            track_of(rows, "pose"),
        )
    return found


def shown_name(name: str) -> str:
    """Name as people read it: words in lower case, `BlackVaseMedium_1` to `black vase medium 1`."""
    words: list[str] = []
    for part in name.replace("-", "_").replace(" ", "_").split("_"):
        word = ""
        for at, char in enumerate(part):
            before = part[at - 1] if at else ""
            if word and (
                (char.isupper() and not before.isupper())
                or (char.isdigit() != before.isdigit() and before != "")
            ):
                words.append(word)
                word = ""
            word += char
        words.append(word)
    return " ".join(w.lower() for w in words if w)
