"""The surroundings of one recording as stored rows tell them: camera, things, gaze, ways and places of keysteps."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from assets.keysteps.order import Observed
from assets.questions.kit.recipe import Row
from assets.scene_graphs.aria import device_cpf
from assets.scene_graphs.gaze import world_rays
from assets.scene_graphs.handled import hand_tracks, handled_things, handlings
from assets.scene_graphs.rotation import Array, Pose
from assets.scene_graphs.tracks import Body, Thing, body_of, nearest, things_of
from expectations.schemas import TABLES

READS = (
    "calibrations",
    "camera_poses",
    "cameras",
    "free_space",
    "gaze_rays",
    "hand_joints",
    "labels",
    "objects_3d",
    "paths",
    "recordings",
    "segments",
    "spatial_facts",
    "step_order",
    "step_places",
)
"""Tables whose rows of a recording make its scene."""
_GAZE_S = 0.06
"""How far a sample of gaze may lie from the instant asked for: half a step of 10 Hz."""
_SAME_INSTANT_S = 1e-3


@dataclass(frozen=True, slots=True)
class Gaze:
    """A gaze ray in the world.

    Attributes:
        t_s: When it was measured.
        origin: Between the wearer's eyes, shape (3,), metres.
        ray: Unit direction, shape (3,).
        depth_m: Distance of the gaze point; None where there is none.
        key: Row of `gaze_rays`.
    """

    t_s: float
    origin: Array
    ray: Array
    depth_m: float | None
    key: str


@dataclass(frozen=True)
class Scene:
    """What is known of the surroundings of one recording.

    Attributes:
        recording_id: Recording.
        body: What carries its camera; None without poses.
        body_camera: T_body_camera; None without a calibration.
        eyes: T_device_cpf; None where it is not known.
        things: Its things by id.
        gaze: Rows of `gaze_rays` by time.
        facts: Rows of `spatial_facts` by id.
        paths: Rows of `paths` by id.
        maps: Rows of `free_space` by id.
        places: Rows of `step_places` by segment.
        steps: Rows of `segments` that are keysteps, by id.
        observed: How often one keystep of the task was done before another (`step_order`).
    """

    recording_id: str
    body: Body | None
    body_camera: Pose | None
    eyes: Pose | None
    things: Mapping[str, Thing]
    gaze: pl.DataFrame
    facts: Mapping[str, Row]
    paths: Mapping[str, Row]
    maps: Mapping[str, Row]
    places: Mapping[str, Row]
    steps: Mapping[str, Row]
    observed: Mapping[tuple[int, int], Observed]

    @classmethod
    def of(cls, recording_id: str, tables: Mapping[str, pl.DataFrame]) -> Scene:
        """The scene of a recording.

        Args:
            recording_id: Recording.
            tables: Rows of `READS`, those of a recording of this one; a table that is not there counts as
                empty.
        """

        def rows(name: str) -> pl.DataFrame:
            return tables[name] if name in tables else TABLES[name].empty()

        def by(name: str, key: str) -> dict[str, Row]:
            return {row[key]: row for row in rows(name).iter_rows(named=True)}

        known = rows("recordings")
        scenarios = known["scenario"].to_list()
        order = rows("step_order").filter(pl.col("scenario").is_in(scenarios))
        pairs = order.select("first_id", "second_id", "support", "exceptions").iter_rows()
        body = body_of(rows("camera_poses"))
        mounts = rows("calibrations")
        return cls(
            recording_id,
            body,
            Pose.of_row(mounts.row(0, named=True)) if mounts.height else None,
            device_cpf(rows("cameras"), known),
            _things(body, rows) if body else {},
            rows("gaze_rays").sort("t_s"),
            by("spatial_facts", "fact_id"),
            by("paths", "path_id"),
            by("free_space", "map_id"),
            by("step_places", "segment_id"),
            {key: s for key, s in by("segments", "segment_id").items() if s["kind"] == "keystep"},
            {(one, other): Observed(*counts) for one, other, *counts in pairs},
        )

    def camera_at(self, t_s: float) -> tuple[Pose, str] | None:
        """T_world_camera at an instant and the key of its pose; None where it is not known."""
        if self.body is None or self.body_camera is None:
            return None
        return self.body.camera_at(t_s, self.body_camera)

    def place_of(self, object_id: str, t_s: float) -> tuple[int, str] | None:
        """Pose of a thing's track at an instant and the key of its row; None where it has none then."""
        thing = self.things.get(object_id)
        at = -1 if thing is None else int(thing.track.at(t_s))
        if thing is None or at < 0:
            return None
        return at, thing.row(at)

    def centre_of_row(self, object_id: str, key: str) -> Array | None:
        """Middle of a thing's box in a row that evidence names as `table:key`; None if unknown."""
        thing = self.things.get(object_id)
        if thing is None:
            return None
        at = next((at for at in range(len(thing.track.keys)) if thing.row(at) == key), None)
        return None if at is None else thing.centre(at)

    def gaze_at(self, t_s: float) -> Gaze | None:
        """Where the wearer looks at an instant; None where gaze is not known then."""
        if self.eyes is None or self.body is None or self.body.of != "device":
            return None
        at = int(nearest(self.gaze["t_s"].to_numpy(), t_s, _GAZE_S)) if self.gaze.height else -1
        pose = self.body.track.at(t_s)
        if at < 0 or int(pose) < 0:
            return None
        row = self.gaze.row(at, named=True)
        angles = np.array([row["yaw_rad"]]), np.array([row["pitch_rad"]])
        origins, rays = world_rays(*angles, self.body.track.poses[int(pose)], self.eyes)
        return Gaze(
            row["t_s"],
            np.broadcast_to(origins, (1, 3))[0],
            rays[0],
            row["depth_m"],
            f"gaze_rays:{row['sample']}",
        )

    def path_to(self, object_id: str, t_s: float) -> Row | None:
        """The way that is planned to a thing at an instant; None if none is."""
        for path in self.paths.values():
            if path["object_id"] == object_id and abs(path["t_s"] - t_s) <= _SAME_INSTANT_S:
                return path
        return None


def _things(body: Body, rows: Callable[[str], pl.DataFrame]) -> Mapping[str, Thing]:
    """Things that were annotated, else those that narrations say are in the wearer's hands."""
    annotated = things_of(rows("objects_3d"), body.world)
    if annotated or rows("hand_joints").is_empty():
        return annotated
    hands, times_s = hand_tracks(rows("hand_joints"), body.world), body.track.times_s
    return handled_things(
        handlings(rows("segments"), rows("labels"), hands, times_s), hands, times_s
    )


def end_of(question: Mapping[str, Any]) -> float:
    """Instant a question is about: the end of its clip, in seconds of the recording."""
    return float(question["media"][0]["end_s"])


def keys_of(question: Mapping[str, Any], table: str, role: str) -> list[str]:
    """Keys of a question's evidence in a table that have a role, in order."""
    return [e["key"] for e in question["evidence"] if (e["table"], e["role"]) == (table, role)]
