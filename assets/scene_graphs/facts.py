"""Measured facts about space of one recording, independent of any question.

An event is a fixation on an object or a contact with it. For its object, direction and distance
are measured one second before it starts: at the instant from which it would be foretold. They are
also measured one second after an object left the view, where it is still out of view.

Where an object is put down, the way it still has to go (length, and direction relative to the
camera) is measured one second before it rests, and when its place was in the picture before.

Where no object is annotated in space, things are those that narrations say are in the wearer's hands
(`handled`), and events are what narrations say; values then state how far off they may be.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from assets.scene_graphs.aria import device_cpf
from assets.scene_graphs.calibration import Calibration, estimate, stated
from assets.scene_graphs.contacts import Contact, Hand, contacts
from assets.scene_graphs.directions import direction
from assets.scene_graphs.gaze import first_hits, fixations, world_rays
from assets.scene_graphs.handled import (
    Handling,
    hand_tracks,
    handled_things,
    handlings,
    narrated_contacts,
    narrated_placements,
    narrated_takings,
)
from assets.scene_graphs.matching import matches_of
from assets.scene_graphs.placements import Placement, Taking, placements, takings
from assets.scene_graphs.rotation import Array, Pose
from assets.scene_graphs.tracks import Thing, Track, body_of, things_of
from assets.scene_graphs.visibility import (
    BORDER,
    NEAR_BORDER,
    place_seen,
    seen_by_boxes,
    seen_by_projection,
)
from expectations.contracts import Refusal

LEAD_S = 1.0
"""How long before an event its object's direction is measured."""
UNSEEN_S = 1.0
"""How long after an object left the view its direction is measured."""
BEFORE_S = 8.0
"""How long before a placing is foretold the place is looked for in the picture: the longest clip."""
PLACE_HZ = 10.0
"""How often a second it is looked for."""

Tables = Mapping[str, pl.DataFrame]


@dataclass(frozen=True, slots=True)
class Facts:
    """What is measured of a recording.

    Attributes:
        calibrations: Rows of `calibrations`.
        spatial_facts: Rows of `spatial_facts`.
        refused: Why something could not be measured.
    """

    calibrations: list[dict]
    spatial_facts: list[dict]
    refused: list[Refusal]


def measure(source: str, uid: str, tables: Tables) -> Facts:
    """Calibration and spatial facts of one recording.

    Args:
        source: Name of the source.
        uid: Recording.
        tables: Its rows of `recordings`, `cameras`, `camera_poses`, `objects_3d`, `boxes`,
            `annotated_frames`, `gaze_rays`, `hand_joints`, `segments` and `labels`.
    """
    return _Recording(source, uid, tables).measured()


class _Recording:
    def __init__(self, source: str, uid: str, tables: Tables) -> None:
        self.source, self.uid, self.tables = source, uid, tables
        self.refused: list[Refusal] = []
        carrier = body_of(tables["camera_poses"])
        self.carrier = carrier
        self.of = carrier.of if carrier else "device"
        self.world = carrier.world if carrier else ""
        self.body: Track | None = carrier.track if carrier else None
        self.things: dict[str, Thing] = things_of(tables["objects_3d"], self.world)
        self.handled = self._handled() if not self.things else {}
        self.calibration = self._calibration()

    def measured(self) -> Facts:
        """All of it."""
        rows: dict[str, dict] = {}
        visible = list(self._visible())
        touched, taken, placed = self._uses()
        events = [*self._fixations(), *self._contacts(touched)]
        instants = [(event, event["t_s"] - LEAD_S) for event in events]
        shown = [fact for fact in visible if fact["operator"] == "visible"]
        instants += [(span, t_s) for span, t_s in _left_view(shown)]
        directions = (row for fact, t_s in instants for row in self._directions(fact, t_s))
        uses = (*self._takings(taken), *self._placings(placed))
        for row in (*visible, *events, *directions, *uses):
            rows.setdefault(row["fact_id"], row)
        calibration = self.calibration
        key = {"source": self.source, "recording_id": self.uid}
        return Facts(
            [key | calibration.row()] if calibration else [], list(rows.values()), self.refused
        )

    def _handled(self) -> dict[str, list[Handling]]:
        """What narrations say of things, which become the things of the recording."""
        if self.body is None or self.tables["hand_joints"].is_empty():
            return {}
        hands = hand_tracks(self.tables["hand_joints"], self.world)
        handled = handlings(
            self.tables["segments"], self.tables["labels"], hands, self.body.times_s
        )
        self.things = handled_things(handled, hands, self.body.times_s)
        return {uid: own for uid, own in handled.items() if uid in self.things}

    def _uses(self) -> tuple[list[Contact], list[Taking], list[Placement]]:
        """When things are touched, taken and put down: as narrated, or as hands and things move."""
        if self.handled and self.body is not None:
            end_s = float(self.body.times_s[-1])
            return (
                list(narrated_contacts(self.handled)),
                list(narrated_takings(self.handled, self.things, LEAD_S)),
                list(narrated_placements(self.handled, self.things, end_s)),
            )
        hands = self._hands()
        touched = contacts(self.things, hands)
        return (
            touched,
            takings(self.things, hands, touched, LEAD_S),
            placements(self.things, hands),
        )

    def _calibration(self) -> Calibration | None:
        matches = None
        if self.body is not None and self.things and not self.handled and self.of == "device":
            matches = matches_of(self.tables["boxes"], self.things, self.body)
        cameras = self.tables["cameras"].filter(
            (pl.col("sensor") == "rgb") & (pl.col("image_space") != "undistorted")
        )
        if cameras.height:
            found = stated(cameras.row(0, named=True), self.of, matches)
            if found is not None:
                return found
        if matches is not None:
            found = estimate(matches)
            if found is not None:
                return found
        if self.body is not None and self.things:
            self.refused.append(
                Refusal(
                    "", None, "no_calibration", 0 if matches is None else len(matches.points),
                    "nothing states where the camera sits in the device, and its boxes do not tell:"
                    " no directions",
                    "add mps/slam/online_calibration.jsonl",
                    table="calibrations", recording_id=self.uid,
                )
            )  # fmt: skip
        return None

    def _camera_at(self, t_s: float) -> tuple[Pose, str] | None:
        """T_world_camera and the key of its pose."""
        if self.carrier is None or self.calibration is None:
            return None
        return self.carrier.camera_at(t_s, self.calibration.device_camera)

    def _fact(
        self, operator: str, object_id: str, t_s: float, *, suffix: str = "", **said: Any
    ) -> dict:
        """A row; its id ends in the hand's side or in a suffix, where there is one."""
        end = said.get("hand_side") or suffix
        parts = [self.uid, operator, object_id, str(round(t_s * 1000))]
        return {
            "source": self.source,
            "recording_id": self.uid,
            "fact_id": "|".join([*parts, end] if end else parts),
            "operator": operator,
            "object_id": object_id,
            "object_name": self.things[object_id].name,
            "t_s": t_s,
            **said,
        }

    def _visible(self) -> Iterator[dict]:
        boxes, frames = self.tables["boxes"], self.tables["annotated_frames"]
        frames = frames.filter(pl.col("what") == "objects")
        if frames.height:
            known = boxes.filter(pl.col("object_id").is_in(list(self.things)))
            spans, method = [("visible", one) for one in seen_by_boxes(known, frames)], None
        elif self.body is not None and self.calibration is not None and len(self.body.times_s):
            times, method = self.body.times_s, self.calibration.method
            pose = self.body.poses.then(self.calibration.device_camera)
            spans = [
                (operator, span)
                for operator, border in (("visible", BORDER), ("near_view", NEAR_BORDER))
                for name in sorted(self.things)
                for span in seen_by_projection(
                    self.things[name], self.calibration.camera, pose, times, border
                )
            ]
        else:
            return
        for operator, span in spans:
            yield self._fact(
                operator, span.object_id, span.start_s, end_s=span.end_s, frame="image",
                plane="image", value=span.share, calibration=method, evidence=list(span.keys),
            )  # fmt: skip

    def _fixations(self) -> Iterator[dict]:
        gaze = self.tables["gaze_rays"].sort("t_s")
        if self.body is None or self.of != "device" or gaze.is_empty() or not self.things:
            return
        place = device_cpf(self.tables["cameras"], self.tables["recordings"])
        if place is None:
            return
        at = self.body.at(gaze["t_s"].to_numpy())
        known = at >= 0
        times = gaze["t_s"].to_numpy()[known]
        if not len(times):
            return
        origins, rays = world_rays(
            gaze["yaw_rad"].to_numpy()[known],
            gaze["pitch_rad"].to_numpy()[known],
            self.body.poses[at[known]],
            place,
        )
        hits, _ = first_hits(origins, rays, times, self.things)
        samples = gaze["sample"].to_numpy()[known]
        for span in fixations(times, rays, hits):
            ends = (samples[span.first], samples[span.last])
            yield self._fact(
                "fixation", span.object_id, float(times[span.first]),
                end_s=float(times[span.last]), frame="world", plane="none",
                evidence=[f"gaze_rays:{one}" for one in ends],
            )  # fmt: skip

    def _hands(self) -> list[Hand]:
        """The wearer's joints."""
        joints = self.tables["hand_joints"].filter(
            pl.col("person_id").is_null() & (pl.col("world_frame_id") == self.world)
        )
        return [
            Hand(
                str(side),
                str(joint),
                rows["t_s"].to_numpy(),
                rows.select("x", "y", "z").to_numpy(),
                rows["sample"].to_numpy(),
            )
            for (side, joint), rows in joints.sort("hand_side", "joint", "t_s").group_by(
                "hand_side", "joint", maintain_order=True
            )
        ]

    def _contacts(self, touched: Iterable[Contact]) -> Iterator[dict]:
        for one in touched:
            yield self._fact(
                "contact", one.object_id, one.start_s, end_s=one.end_s, frame="world",
                plane="none", hand_side=one.side, evidence=list(one.keys),
            )  # fmt: skip

    def _takings(self, taken: Iterable[Taking]) -> Iterator[dict]:
        for one in taken:
            contact = one.contact
            yield self._fact(
                "afford", contact.object_id, contact.start_s, end_s=contact.end_s, frame="world",
                plane="none", value=one.moved_m, hand_side=contact.side, evidence=list(one.keys),
            )  # fmt: skip

    def _placings(self, placed: Iterable[Placement]) -> Iterator[dict]:
        """Each placing, the way that is left one second before, and when its place was seen."""
        for one in placed:
            fact = self._fact(
                "place", one.object_id, one.placed_s, end_s=one.until_s, frame="world",
                plane="none", value=one.moved_m, evidence=list(one.keys),
            )  # fmt: skip
            yield fact
            t_s = one.placed_s - LEAD_S
            # Before it is picked up nothing is on its way.
            if t_s > one.picked_s:
                yield from self._way_left(fact, one, t_s)
                yield from self._place_seen(fact, one, t_s)

    def _way_left(
        self, fact: Mapping[str, Any], placement: Placement, t_s: float
    ) -> Iterator[dict]:
        """Length and direction of the way from where a thing is to where it will rest."""
        found = self._camera_at(t_s)
        thing = self.things[placement.object_id]
        at = int(thing.track.at(t_s))
        if found is None or at < 0:
            return
        camera, pose_key = found
        centre = thing.centre(at)
        evidence = [
            pose_key,
            thing.row(at),
            placement.keys[-1],
            f"calibrations:{self.uid}",
            f"spatial_facts:{fact['fact_id']}",
        ]
        method = self.calibration.method if self.calibration else None
        off_m = _both(thing.off_m(at), placement.uncertain_m)
        yield self._fact(
            "displacement", thing.object_id, t_s, frame="camera", plane="none",
            value=float(np.linalg.norm(placement.end - centre)), uncertainty=off_m,
            calibration=method, evidence=evidence,
        )  # fmt: skip
        way = direction(camera, placement.end, centre)
        if way is not None:
            yield self._fact(
                "displacement_bearing", thing.object_id, t_s, frame="camera", plane="ground",
                value=way.bearing_deg, sector=way.sector, margin_deg=way.margin_deg,
                uncertainty=_off_deg(off_m, placement.end - centre),
                calibration=method, evidence=evidence,
            )  # fmt: skip

    def _place_seen(
        self, fact: Mapping[str, Any], placement: Placement, t_s: float
    ) -> Iterator[dict]:
        """Spans in which the place where a thing will rest is inside the picture."""
        if self.body is None or self.calibration is None:
            return
        times = np.arange(t_s, max(t_s - BEFORE_S, -1e-9), -1 / PLACE_HZ)[::-1]
        at = self.body.at(times)
        known = at >= 0
        camera = self.body.poses[at[known]].then(self.calibration.device_camera)
        others = [t for t in self.things.values() if t.object_id != placement.object_id]
        spans = place_seen(placement.end, self.calibration.camera, camera, times[known], others)
        for start_s, end_s in spans:
            yield self._fact(
                "place_visible", placement.object_id, start_s, end_s=end_s,
                suffix=str(round(placement.placed_s * 1000)), frame="image", plane="image",
                calibration=self.calibration.method,
                evidence=[
                    placement.keys[-1],
                    f"calibrations:{self.uid}",
                    f"spatial_facts:{fact['fact_id']}",
                ],
            )  # fmt: skip

    def _directions(self, fact: Mapping[str, Any], t_s: float) -> Iterator[dict]:
        """Bearing and distance of a fact's object at an instant."""
        found = self._camera_at(t_s) if t_s >= 0 else None
        thing = self.things[fact["object_id"]]
        at = int(thing.track.at(t_s))
        if found is None or at < 0:
            return
        camera, pose_key = found
        centre = thing.centre(at)
        evidence = [
            pose_key,
            thing.row(at),
            f"calibrations:{self.uid}",
            f"spatial_facts:{fact['fact_id']}",
        ]
        method = self.calibration.method if self.calibration else None
        yield self._fact(
            "distance", thing.object_id, t_s, frame="camera", plane="none",
            value=float(np.linalg.norm(centre - camera.t)), uncertainty=thing.off_m(at),
            calibration=method, evidence=evidence,
        )  # fmt: skip
        way = direction(camera, centre)
        if way is not None:
            yield self._fact(
                "bearing", thing.object_id, t_s, frame="camera", plane="ground",
                value=way.bearing_deg, sector=way.sector, margin_deg=way.margin_deg,
                uncertainty=_off_deg(thing.off_m(at), centre - camera.t),
                calibration=method, evidence=evidence,
            )  # fmt: skip


def _both(one_m: float | None, other_m: float | None) -> float | None:
    """How far off a way may be whose ends may be so far off; None where neither may."""
    return None if one_m is None and other_m is None else math.hypot(one_m or 0.0, other_m or 0.0)


def _off_deg(off_m: float | None, way: Array) -> float | None:
    """How far off the bearing of a way may be, whose end may be so far off."""
    if off_m is None:
        return None
    return math.degrees(math.asin(min(1.0, off_m / max(math.hypot(way[0], way[1]), 1e-9))))


def _left_view(visible: Iterable[Mapping[str, Any]]) -> Iterator[tuple[Mapping[str, Any], float]]:
    """Spans after which an object stays out of view for `UNSEEN_S`, with the end of that time."""
    of: dict[str, list[Mapping[str, Any]]] = defaultdict(list)
    for span in visible:
        of[span["object_id"]].append(span)
    for spans in of.values():
        for span in spans:
            end_s = span["end_s"]
            if not any(
                end_s < other["end_s"] and other["t_s"] <= end_s + UNSEEN_S for other in spans
            ):
                yield span, end_s + UNSEEN_S
