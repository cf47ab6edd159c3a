"""A take on the court: what happens, and every question about it that has one true answer."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final, Literal

import numpy as np

from resources.worlds.court.body import PARTS, Body
from resources.worlds.court.ground import BALL, PLAYERS, PROPS, SKY, SMALL_THINGS, cameras, still
from resources.worlds.court.motion import Ball, Feet, upward
from resources.worlds.court.performer import Performer
from resources.worlds.court.truth import CourtSpec, Deed, Player, Step
from resources.worlds.flat.camera import Camera, Floats, Pose
from resources.worlds.flat.places import Block
from resources.worlds.flat.render import Bytes, Picture, Scene, render
from resources.worlds.flat.scene import scene_of
from resources.worlds.flat.tracks import BodyTrack, ThingTrack

TaskName = Literal[
    "Soccer Drills - Dribbling and Shooting",
    "Setting Up a Course",
    "Preparing a Training Session",
    "Tidying Up a Court",
]
_DARK: Final = 0.045
"""What is left of the contrast where it is too dark to see."""
_EYES_RAD: Final = 0.8
_PEOPLE: Final = 1


@dataclass(frozen=True)
class Take:
    """One take; all times are seconds from its start.

    Attributes:
        take_id: Its name in this world.
        task: What is done.
        player: Who wears the glasses.
        level: Proficiency, 0 is the lowest; None where it is not judged.
        dark: Whether it is too dark to see what is done.
        deeds: What is done, in time order.
        steps: Keysteps, of a course only.
        goal: Whether the ball ends in the goal.
        strays: How often the ball strays.
        scenery: What stands on the court in this take alone, and never moves.
    """

    take_id: str
    task: TaskName
    spec: CourtSpec
    duration_s: float
    player: Player
    level: int | None
    dark: bool
    deeds: tuple[Deed, ...]
    steps: tuple[Step, ...]
    goal: bool
    strays: int
    bodies: dict[str, Body]
    ball: Ball | None
    props: dict[str, ThingTrack]
    cameras: dict[str, Camera]
    fixed: dict[str, Pose]
    scenery: Scene | None = None
    _scenes: dict[tuple[str, float], Scene] = field(default_factory=dict, repr=False, compare=False)
    _shown: dict[tuple[str, float], Bytes] = field(default_factory=dict, repr=False, compare=False)

    # Where.

    def camera(self, name: str) -> Camera:
        """Intrinsics by name; `KeyError` if there is no such camera."""
        return self.cameras[name]

    def camera_pose(self, name: str, t_s: float) -> Pose:
        """`T_world_camera` of the upright picture's camera (x right, y down, z forward)."""
        return self.bodies["C"].head(t_s) if name == "ego" else self.fixed[name]

    def thing_at(self, instance: str, t_s: float) -> Floats:
        """(3,) middle of the ball or of a prop."""
        tracks = {who: body.track for who, body in self.bodies.items()}
        if instance == "ball":
            if self.ball is None:
                raise KeyError(f"there is no ball in take {self.take_id}")
            return self.ball.at(tracks, t_s)
        track = self.props[instance]
        return track.at(tracks, t_s) + upward(track.height_m / 2)

    def gaze_target(self, t_s: float) -> tuple[str, Floats]:
        """The thing at hand, where the eyes reach it, else a point straight ahead."""
        pose = self.camera_pose("ego", t_s)
        after = [d.thing for d in self.deeds if d.actor == "C" and d.thing and d.end_s > t_s]
        thing = after[0] if after else ("ball" if self.ball else "")
        if thing:
            at = self.thing_at(thing, t_s)
            way = at - pose.position
            if way @ pose.rotation[:, 2] > np.cos(_EYES_RAD) * np.linalg.norm(way):
                return thing, at
        return "", pose.position + pose.rotation[:, 2] * 1.5

    def seen_turn_deg(self, camera: str, start_s: float, end_s: float) -> float | None:
        """How a still camera sees the wearer go along the ground, against the line of sight.

        0 is away from the camera, 90 to the right, 180 towards it, -90 to the left; None where
        nobody goes anywhere. Views that differ by less than 45 degrees look alike.
        """
        first, last = (self.camera_pose("ego", t).position for t in (start_s, end_s))
        way, sight = (last - first)[:2], (first - self.fixed[camera].position)[:2]
        if np.hypot(*way) < 0.1:
            return None
        turn = np.arctan2(sight[1], sight[0]) - np.arctan2(way[1], way[0])
        return float(180 - (180 - np.degrees(turn)) % 360)

    # Pictures.

    @property
    def picture_hz(self) -> int:
        """Distinct pictures a second."""
        return self.spec.picture_hz if self.spec.render == "full" else 3

    def picture_time(self, t_s: float) -> float:
        """Time of the distinct picture shown at a time: the nearest one."""
        return round(t_s * self.picture_hz) / self.picture_hz

    def owner(self, name: str) -> int:
        """Number by which pictures know the ball, a prop, or a person's part (`C`, `O/left leg`)."""
        who, _, part = name.partition("/")
        if who in ("C", "O"):
            parts = ("", "left arm", "right arm", "left leg", "right leg")
            return _PEOPLE + PARTS * ("C", "O").index(who) + parts.index(part)
        things = ("ball", *(prop.instance for prop in (*PROPS, *SMALL_THINGS)))
        return _PEOPLE + 2 * PARTS + things.index(name)

    def scene_at(self, t_s: float, viewer: str = "") -> Scene:
        """All boxes at a time; `viewer` is the person through whose eyes it is seen."""
        key = (viewer, t_s)
        if key not in self._scenes:
            self._scenes[key] = self._scene(t_s, viewer)
        return self._scenes[key]

    def _scene(self, t_s: float, viewer: str) -> Scene:
        blocks, owners = [], []
        if self.ball is not None:
            at, r = self.thing_at("ball", t_s), self.ball.radius_m
            blocks.append(Block(tuple(at - r), tuple(at + r), BALL))
            owners.append(self.owner("ball"))
        for prop in (p for p in (*PROPS, *SMALL_THINGS) if p.instance in self.props):
            at, half = self.thing_at(prop.instance, t_s), np.array(prop.size_m) / 2
            blocks.append(Block(tuple(at - half), tuple(at + half), prop.colour))
            owners.append(self.owner(prop.instance))
        scene = still().joined(scene_of(blocks, owners))
        if self.scenery is not None:
            scene = scene.joined(self.scenery)
        for who, body in self.bodies.items():
            scene = scene.joined(body.scene(t_s, self.owner(who), who == viewer))
        return scene

    def picture(self, camera: str, t_s: float) -> Picture:
        """Picture and owners at exactly this time."""
        cam = self.cameras[camera]
        made = render(cam, self.camera_pose(camera, t_s), self.scene_at(t_s, cam.person_id), SKY)
        if not self.dark:
            return made
        return Picture(np.round(14 + made.rgb * _DARK).astype(np.uint8), made.numbers, made.names)

    def frames(self, camera: str, times: Iterable[float]) -> Iterator[Bytes]:
        """(H, W, 3) uint8 RGB pictures; each shows the nearest distinct picture's time."""
        for t_s in times:
            key = (camera, self.picture_time(t_s))
            if key not in self._shown:
                self._shown.clear()
                self._shown[key] = self.picture(*key).rgb
            yield self._shown[key]


@dataclass(frozen=True)
class Court:
    """All takes of a spec."""

    spec: CourtSpec
    takes: tuple[Take, ...]


def take_of_one(
    spec: CourtSpec,
    n: int,
    name: str,
    task: TaskName,
    c: Performer,
    tail_s: float,
    steps: tuple[Step, ...] = (),
    props: Mapping[str, ThingTrack] | None = None,
    scenery: Scene | None = None,
) -> Take:
    """The take of a player who does everything alone and without a ball.

    Args:
        spec: The court.
        n: Which player, and the number in the take's id.
        name: What the take is called before its number.
        task: The task.
        c: What the player did.
        tail_s: How long the take goes on after that.
        steps: Keysteps.
        props: Where things are, by instance.
        scenery: See `Take`.
    """
    lenses, places = cameras(spec.render)
    duration = round(c.t + tail_s, 1)
    track = BodyTrack(c.walk, c.turns, c.hands, duration)
    return Take(
        take_id=f"{name} {n}",
        task=task,
        spec=spec,
        duration_s=duration,
        player=PLAYERS[n],
        level=None,
        dark=False,
        deeds=tuple(c.deeds),
        steps=steps,
        goal=False,
        strays=0,
        bodies={"C": Body(PLAYERS[n], track, Feet(track, ()), ())},
        ball=None,
        props=dict(props or {}),
        cameras=lenses,
        fixed=places,
        scenery=scenery,
    )
