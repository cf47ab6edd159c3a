"""A take: everything that happens, and every question about it that has one true answer."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

import numpy as np
import numpy.typing as npt

from resources.worlds.flat.camera import Camera, Floats, Pose, looking
from resources.worlds.flat.places import EYE_M, furniture
from resources.worlds.flat.render import (
    Bytes,
    Picture,
    Scene,
    box_corners,
    outlines,
    render,
    whole_pixels,
)
from resources.worlds.flat.scene import moved, person, scene_of, still
from resources.worlds.flat.things import blocks
from resources.worlds.flat.tracks import SIDES, BodyTrack, ThingTrack
from resources.worlds.flat.truth import Action, Agent, Fixation, FlatSpec, Glance, Side, Thing

_KEPT: Final = 4


@dataclass(frozen=True)
class Box:
    """A thing's axis-aligned box in the world, metres."""

    lo: Floats
    hi: Floats

    @property
    def centre(self) -> Floats:
        """(3,) middle."""
        return (self.lo + self.hi) / 2

    @property
    def size(self) -> Floats:
        """(3,) extents."""
        return self.hi - self.lo


@dataclass(frozen=True)
class Sight:
    """How an instance appears in a picture; pixels of the upright picture.

    Attributes:
        pixels: visible pixels.
        share: visible pixels / pixels it would fill unoccluded, with what lies up to a quarter of
            the picture's width beyond the border counted as unseen; 0..1.
        x_min, y_min, x_max, y_max: bounds of the visible pixels (edges: x_max is exclusive).
    """

    pixels: int
    share: float
    x_min: int
    y_min: int
    x_max: int
    y_max: int


@dataclass(frozen=True)
class Take:
    """One take of a flat; all times are seconds from its start."""

    take_id: str
    task: str
    spec: FlatSpec
    duration_s: float
    agents: tuple[Agent, ...]
    actions: tuple[Action, ...]
    things: tuple[Thing, ...]
    cameras: dict[str, Camera]
    fixed: dict[str, Pose]
    bodies: dict[str, BodyTrack]
    tracks: dict[str, ThingTrack]
    furniture_states: dict[str, tuple[tuple[float, str], ...]]
    fixations: dict[str, tuple[Fixation, ...]]
    glances: tuple[Glance, ...]
    _seen: OrderedDict[tuple[str, float], Picture] = field(
        default_factory=OrderedDict, repr=False, compare=False
    )

    # Who and what.

    @property
    def picture_hz(self) -> int:
        """Distinct pictures a second in rendered video."""
        return self.spec.picture_hz if self.spec.render == "full" else 3

    def picture_time(self, t_s: float) -> float:
        """Time of the distinct picture shown at a time: the nearest one."""
        return round(float(t_s) * self.picture_hz) / self.picture_hz

    @property
    def instances(self) -> tuple[str, ...]:
        """Furniture names, then instance ids of things."""
        return (*furniture(), *(thing.instance for thing in self.things))

    def thing(self, instance: str) -> Thing:
        """The thing with an instance id.

        Raises:
            KeyError: no such thing.
        """
        for thing in self.things:
            if thing.instance == instance:
                return thing
        raise KeyError(f"{instance!r} is not a thing of take {self.take_id}")

    def name_of(self, instance: str) -> str:
        """How people call an instance: `cup` for `RedCup_1`, furniture by its own name."""
        return instance if instance in furniture() else self.thing(instance).name

    def is_unique(self, instance: str) -> bool:
        """Whether no twin of it is in the flat."""
        name = self.name_of(instance)
        return sum(thing.name == name for thing in self.things) <= 1

    def owner(self, instance: str) -> int:
        """The number by which renders know an instance; `P1`, `P1/left`, `P1/right` for people."""
        if "/" in instance or instance in self.bodies:
            who, _, side = instance.partition("/")
            first = 1 + len(self.instances) + 3 * [a.person_id for a in self.agents].index(who)
            return first + (
                0 if not side else 1 + SIDES.index("left" if side == "left" else "right")
            )
        return 1 + self.instances.index(instance)

    # Where.

    def thing_at(self, instance: str, t_s: float) -> Box:
        """Box of a thing (or of a piece of furniture) in the world; things never turn."""
        if instance in furniture():
            lo, hi = furniture()[instance].bounds
            return Box(np.array(lo), np.array(hi))
        x, y, z = self.tracks[instance].at(self.bodies, t_s)
        w, d, h = self.thing(instance).kind.size_m
        return Box(np.array([x - w / 2, y - d / 2, z]), np.array([x + w / 2, y + d / 2, z + h]))

    def holder_of(self, instance: str, t_s: float) -> tuple[str, tuple[Side, ...]]:
        """Person and hands that hold a thing; ("", ()) while it rests."""
        key = self.tracks[instance].key(t_s)
        return key.holder, key.sides

    def state_of(self, instance: str, t_s: float) -> dict[str, str]:
        """Aspect -> value of a thing or (aspect `state`) of a piece of furniture."""
        if instance not in furniture():
            return self.thing(instance).state_at(t_s)
        piece = furniture()[instance]
        if not piece.states:
            return {}
        value = next(iter(piece.states))
        for at, new in self.furniture_states.get(instance, ()):
            value = new if at <= t_s else value
        return {"state": value}

    def hand_at(self, agent: str, side: Side, t_s: float) -> Floats:
        """(3,) middle of a hand in the world."""
        return self.bodies[agent].hand(side, t_s)

    def head_pose(self, agent: str, t_s: float) -> Pose:
        """Pose of a head: camera axes (right, down, forward) at the eyes."""
        track = self.bodies[agent]
        yaw, pitch = track.head(t_s)
        return looking((*track.place(t_s), EYE_M), yaw, pitch)

    def camera(self, name: str) -> Camera:
        """Intrinsics by name; `KeyError` if the take has no such camera."""
        return self.cameras[name]

    def camera_pose(self, name: str, t_s: float) -> Pose:
        """`T_world_camera` of the upright picture's camera (x right, y down, z forward)."""
        camera = self.cameras[name]
        return self.head_pose(camera.person_id, t_s) if camera.person_id else self.fixed[name]

    # Gaze.

    def gaze_target(self, t_s: float, agent: str = "P1") -> tuple[str, Floats]:
        """What is looked at and where: ("", a point straight ahead) between fixations."""
        for fixation in self.fixations[agent]:
            if fixation.start_s <= t_s < fixation.end_s:
                if fixation.instance and fixation.instance not in furniture():
                    return fixation.instance, self.thing_at(fixation.instance, t_s).centre
                return fixation.instance, np.array(fixation.point)
        pose = self.head_pose(agent, t_s)
        return "", pose.position + pose.rotation[:, 2] * 1.5

    def bearing_deg(self, camera: str, point: npt.ArrayLike, t_s: float) -> float:
        """Direction of a point from a camera in the ground plane, right positive, (-180, 180]."""
        pose = self.camera_pose(camera, t_s)
        forward, delta = pose.rotation[:2, 2], (np.asarray(point, float) - pose.position)[:2]
        angle = np.degrees(np.arctan2(forward[1], forward[0]) - np.arctan2(delta[1], delta[0]))
        return float(180 - (180 - angle) % 360)

    # Pictures.

    def scene_at(self, t_s: float, viewer: str = "") -> Scene:
        """All boxes at a time; `viewer` is the person through whose eyes the scene is seen."""
        out, owners = [], []
        for number, (name, piece) in enumerate(furniture().items(), 1):
            if piece.states:
                extra = piece.states[self.state_of(name, t_s)["state"]]
                out += extra
                owners += [number] * len(extra)
        for number, thing in enumerate(self.things, 1 + len(furniture())):
            parts = moved(
                blocks(thing.kind, thing.state_at(t_s)),
                self.tracks[thing.instance].at(self.bodies, t_s),
            )
            out += parts
            owners += [number] * len(parts)
        scene = still().joined(scene_of(out, owners))
        for agent in self.agents:
            body = person(
                agent,
                self.bodies[agent.person_id],
                t_s,
                self.owner(agent.person_id),
                agent.person_id == viewer,
            )
            scene = scene.joined(body)
        return scene

    def picture(self, camera: str, t_s: float) -> Picture:
        """Picture and owners at exactly this time (the last few are kept)."""
        key = (camera, float(t_s))
        if key not in self._seen:
            cam = self.cameras[camera]
            self._seen[key] = render(
                cam, self.camera_pose(camera, t_s), self.scene_at(t_s, cam.person_id)
            )
            while len(self._seen) > _KEPT:
                self._seen.popitem(last=False)
        return self._seen[key]

    def frames(self, camera: str, times: Iterable[float]) -> Iterator[Bytes]:
        """(H, W, 3) uint8 RGB pictures; each shows the nearest distinct picture's time."""
        for t_s in times:
            yield self.picture(camera, self.picture_time(t_s)).rgb

    def sights(self, camera: str, t_s: float) -> dict[str, Sight]:
        """All instances and people's parts with a visible pixel, at exactly this time."""
        names = list(self.instances)
        names += [f"{a.person_id}{part}" for a in self.agents for part in ("", "/left", "/right")]
        owners = self.picture(camera, t_s).owners
        cam = self.cameras[camera]
        pose, scene = self.camera_pose(camera, t_s), self.scene_at(t_s, cam.person_id)
        pixels = np.bincount(owners.ravel(), minlength=len(names) + 1)
        present = np.flatnonzero(pixels[1:]) + 1
        mine = (pixels > 0)[scene.owners] & (scene.owners > 0)
        alone = Scene(scene.corners[mine], scene.colours[mine], scene.owners[mine])
        whole = whole_pixels(cam, pose, alone, margin=0.25)
        out: dict[str, Sight] = {}
        for owner in present.tolist():
            mask = owners == owner
            rows, columns = np.flatnonzero(mask.any(1)), np.flatnonzero(mask.any(0))
            count = int(pixels[owner])
            out[names[owner - 1]] = Sight(
                count, count / max(whole.get(owner, 0), count),
                int(columns[0]), int(rows[0]), int(columns[-1]) + 1, int(rows[-1]) + 1,
            )  # fmt: skip
        return out

    def visible_share(self, camera: str, instance: str, t_s: float) -> float:
        """Share of an instance that is seen, 0..1; occlusion by rendering (see `Sight.share`)."""
        owner = self.owner(instance)
        if not (self.picture(camera, t_s).owners == owner).any():
            return 0.0
        return self.sights(camera, t_s)[instance].share

    def bounds(self, camera: str, instances: Sequence[str], t_s: float) -> Floats:
        """(N, 4) exact picture bounds x_min, y_min, x_max, y_max of 3D boxes, neither cut nor occluded.

        NaN for a box of which any part is behind the camera.
        """
        boxes = [self.thing_at(instance, t_s) for instance in instances]
        if not boxes:
            return np.zeros((0, 4))
        corners = box_corners([b.lo for b in boxes], [b.hi for b in boxes])
        return outlines(self.cameras[camera], self.camera_pose(camera, t_s), corners)


@dataclass(frozen=True)
class Flat:
    """All takes of a spec."""

    spec: FlatSpec
    takes: tuple[Take, ...]

    def take(self, take_id: str) -> Take:
        """The take with this id.

        Raises:
            KeyError: no such take.
        """
        for take in self.takes:
            if take.take_id == take_id:
                return take
        raise KeyError(f"take {take_id!r} is not among these {len(self.takes)}")
