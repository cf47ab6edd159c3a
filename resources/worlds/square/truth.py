"""What is true on the simulated square: who walks where, and what each camera shows of it.

Metres, z up, the middle of the square at the origin; x to the right and y away from the fixed
camera, which stands on the side of negative y. Nothing here is written to disk.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final, Literal

Render = Literal["full", "small", "none"]
Kind = Literal["cvmhat", "tf2023"]
Colour = tuple[int, int, int]

SIZES: Final[dict[str, tuple[int, int]]] = {"full": (448, 252), "small": (224, 126)}
HEIGHT_M: Final = 1.75
WIDTH_M: Final = 0.56
EYES_M: Final = 1.6
SHOULDER_M: Final = 0.3
"""Radius of a person seen from above."""
STEP_S: Final = 0.2
"""Time from one picture to the next, which the datasets do not state."""
TOP_M: Final = (16.0, 9.0)
"""Ground that the camera above sees: across and along."""
POST_M: Final = (0.9, -5.6, 0.1)
"""Lamp post before the fixed camera: place and width."""


@dataclass(frozen=True, slots=True)
class SquareSpec:
    """What to simulate and how richly to draw it.

    Attributes:
        kind: Layout the square is for: its cameras and who wears them differ.
        takes: Wearers (`cvmhat`) or scenes (`tf2023`).
        frames: Pictures of each camera.
        seed: Name of the square; another seed is another square.
        render: `full` (448x252), `small` (224x126) or `none` (annotations only).
    """

    kind: Kind
    takes: int = 4
    frames: int = 36
    seed: str = "parallax"
    render: Render = "full"

    def __post_init__(self) -> None:
        if self.kind not in ("cvmhat", "tf2023"):
            raise ValueError(f"kind={self.kind!r}: use 'cvmhat' or 'tf2023'")
        if not 1 <= self.takes <= 39:
            raise ValueError(f"takes={self.takes}: need 1 to 39")
        if not 20 <= self.frames <= 9999:
            raise ValueError(f"frames={self.frames}: need 20 to 9999")
        if self.render not in ("full", "small", "none"):
            raise ValueError(f"render={self.render!r}: use 'full', 'small' or 'none'")

    @property
    def size(self) -> tuple[int, int]:
        """Width and height of the pictures in pixels."""
        return SIZES["small" if self.render == "small" else "full"]


@dataclass(frozen=True, slots=True)
class Walker:
    """A person who walks round and round.

    Attributes:
        name: Who it is; the same in all takes of one shot, whatever number a dataset gives.
        colour: Of hat and shirt: nobody else on the square has it.
        middle: Middle of the way.
        radii: Its half axes.
        turn_rad: Angle gone from one picture to the next.
        start_rad: Angle at the first picture.
    """

    name: str
    colour: Colour
    middle: tuple[float, float]
    radii: tuple[float, float]
    turn_rad: float
    start_rad: float

    def at(self, frame: int) -> tuple[float, float]:
        """Place on the ground in a picture, counted from 1."""
        angle = self.start_rad + self.turn_rad * (frame - 1)
        return (
            self.middle[0] + self.radii[0] * math.cos(angle),
            self.middle[1] + self.radii[1] * math.sin(angle),
        )


@dataclass(frozen=True, slots=True)
class Camera:
    """A pinhole camera, upright but for its pitch.

    Attributes:
        x: Place, y and z as well.
        y: See `x`.
        z: See `x`.
        yaw_rad: Direction it looks in, counterclockwise from x.
        pitch_rad: Down from the horizon.
        across_rad: Angle from the left edge of the picture to the right one.
    """

    x: float
    y: float
    z: float
    yaw_rad: float
    pitch_rad: float
    across_rad: float

    def project(
        self, point: tuple[float, float, float], size: tuple[int, int]
    ) -> tuple[float, float, float]:
        """Pixel column and row of a point, and its depth; behind the camera the depth is not above 0."""
        dx, dy, dz = point[0] - self.x, point[1] - self.y, point[2] - self.z
        forward = math.cos(self.yaw_rad) * dx + math.sin(self.yaw_rad) * dy
        right = math.sin(self.yaw_rad) * dx - math.cos(self.yaw_rad) * dy
        depth = math.cos(self.pitch_rad) * forward - math.sin(self.pitch_rad) * dz
        down = -math.sin(self.pitch_rad) * forward - math.cos(self.pitch_rad) * dz
        if depth <= 0:
            return 0.0, 0.0, depth
        focal = self.focal_px(size)
        return size[0] / 2 + focal * right / depth, size[1] / 2 + focal * down / depth, depth

    def focal_px(self, size: tuple[int, int]) -> float:
        """Focal length in pixels."""
        return size[0] / 2 / math.tan(self.across_rad / 2)


FIXED: Final = Camera(0.0, -9.0, 3.2, math.pi / 2, 0.22, math.radians(70))
"""The camera T."""


@dataclass(frozen=True, slots=True)
class Take:
    """One shot with its wearers.

    Attributes:
        name: Name of the take, or number of the scene.
        walkers: Everybody, by number: the first has `first_number`.
        first_number: 0 where the wearer is counted apart (`cvmhat`), else 1.
        wearers: Numbers of those who wear a camera.
        frames: Numbers of its pictures, ascending; they may have gaps.
    """

    name: str
    walkers: tuple[Walker, ...]
    first_number: int
    wearers: tuple[int, ...]
    frames: tuple[int, ...]

    def numbered(self) -> tuple[tuple[int, Walker], ...]:
        """People with their numbers."""
        return tuple(enumerate(self.walkers, self.first_number))

    def walker(self, number: int) -> Walker:
        """A person by number."""
        return self.walkers[number - self.first_number]

    def worn(self, number: int, frame: int) -> Camera:
        """Camera of a wearer: at the eyes, towards the middle of the others, now and then aside."""
        x, y = self.walker(number).at(frame)
        others = [w.at(frame) for n, w in self.numbered() if n != number]
        to_x = sum(p[0] for p in others) / len(others) - x
        to_y = sum(p[1] for p in others) / len(others) - y
        aside = math.radians(24) * math.sin(0.37 * frame + number)
        yaw = math.atan2(to_y, to_x) + aside
        return Camera(x, y, EYES_M, yaw, 0.0, math.radians(100))


@dataclass(frozen=True, slots=True)
class Square:
    """All takes of a square."""

    spec: SquareSpec
    takes: tuple[Take, ...]
