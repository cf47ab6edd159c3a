"""Draws clips: the animal's own body at the border, and things far away, or near in an interaction."""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt
from PIL import Image, ImageDraw

from resources.worlds.animal.truth import APPROACH_S, Animal, Clip
from resources.worlds.tools.chance import between

Colour = tuple[int, int, int]
Points = tuple[tuple[float, float], ...]

OBJECT_COLOUR: Final[dict[str, Colour]] = {
    "person": (255, 60, 140),
    "ball": (230, 20, 20),
    "food": (250, 150, 0),
    "plant": (20, 110, 20),
    "bird": (250, 250, 250),
    "toy": (150, 0, 220),
    "vehicle": (30, 60, 230),
    "plastic": (0, 240, 240),
    "door": (110, 60, 10),
    "bench": (250, 240, 0),
}
"""Colour of each object, on nothing else."""
_SHAPE: Final[dict[str, tuple[Points, ...]]] = {
    "person": (
        ((0.4, 0.0), (0.6, 0.0), (0.6, 0.25), (0.4, 0.25)),
        ((0.25, 0.28), (0.75, 0.28), (0.62, 0.65), (0.66, 1), (0.34, 1), (0.38, 0.65)),
    ),
    "ball": (tuple((0.5 + 0.5 * np.cos(a), 0.5 + 0.5 * np.sin(a)) for a in np.arange(16) * np.pi / 8),),
    "food": (((0.0, 0.5), (1, 0.5), (0.8, 1), (0.2, 1)),),
    "plant": (((0.5, 0), (0.9, 0.7), (0.1, 0.7)), ((0.42, 0.7), (0.58, 0.7), (0.58, 1), (0.42, 1))),
    "bird": (((0, 0.2), (0.5, 0.5), (1, 0.2), (0.6, 0.8), (0.4, 0.8)),),
    "toy": (((0.1, 0.1), (0.9, 0.1), (0.9, 0.9), (0.1, 0.9)),),
    "vehicle": (((0, 0.5), (0.25, 0.2), (0.75, 0.2), (1, 0.5), (1, 0.9), (0, 0.9)),),
    "plastic": (((0.3, 0), (0.7, 0), (0.7, 0.2), (0.85, 1), (0.15, 1), (0.3, 0.2)),),
    "door": (((0.25, 0), (0.75, 0), (0.75, 1), (0.25, 1)),),
    "bench": (((0, 0.4), (1, 0.4), (1, 0.6), (0.9, 0.6), (0.9, 1), (0.1, 1), (0.1, 0.6), (0, 0.6)),),
}  # fmt: skip
_PLACE: Final[dict[Animal, tuple[Colour, Colour, Colour, float]]] = {
    "cat": ((196, 176, 150), (150, 112, 84), (170, 148, 120), 0.42),
    "dog": ((150, 200, 240), (120, 170, 80), (90, 120, 100), 0.42),
    "turtle": ((40, 130, 150), (190, 180, 130), (30, 96, 120), 0.55),
    "eagle": ((120, 170, 235), (140, 140, 90), (170, 190, 220), 0.7),
}
"""Above and below the horizon, far marks, height of the horizon over the picture's."""
_BODY: Final[dict[Animal, tuple[tuple[Points, Colour], ...]]] = {
    "cat": (
        (((0.18, 1), (0.24, 0.8), (0.34, 1)), (80, 80, 88)),
        (((0.66, 1), (0.76, 0.8), (0.82, 1)), (80, 80, 88)),
    ),
    "dog": (
        (((0, 0.7), (0.12, 0.74), (0.2, 1), (0, 1)), (190, 120, 60)),
        (((1, 0.7), (0.88, 0.74), (0.8, 1), (1, 1)), (190, 120, 60)),
        (((0.44, 0.94), (0.56, 0.94), (0.54, 1), (0.46, 1)), (30, 20, 20)),
    ),
    "turtle": (
        (((0.1, 1), (0.25, 0.86), (0.5, 0.82), (0.75, 0.86), (0.9, 1)), (60, 150, 70)),
        (((0.42, 0.9), (0.58, 0.9), (0.55, 1), (0.45, 1)), (110, 200, 100)),
    ),
    "eagle": (
        (((0, 0.35), (0.14, 0.5), (0.06, 0.8), (0, 0.85)), (100, 70, 50)),
        (((1, 0.35), (0.86, 0.5), (0.94, 0.8), (1, 0.85)), (100, 70, 50)),
        (((0.46, 1), (0.5, 0.88), (0.54, 1)), (240, 190, 90)),
    ),
}
"""Ears, snout, shell, wings and beak."""
NEAR, FAR = 0.5, 0.12
"""Size of an object in an interaction and of one far away, over the picture's height."""
PX_PER_DEG: Final = 1.0 / 80.0
"""Widths of the picture that a degree is."""


class Artist:
    """Draws pictures of one clip."""

    def __init__(self, clip: Clip) -> None:
        self.clip = clip

    def frame(self, t_s: float) -> npt.NDArray[np.uint8]:
        """The picture at an instant as (height, width, 3) uint8 RGB."""
        clip = self.clip
        width, height = clip.size
        sky, ground, mark, horizon = _PLACE[clip.animal]
        image = Image.new("RGB", clip.size, sky)
        pen = ImageDraw.Draw(image)
        pen.rectangle((0, horizon * height, width, height), fill=ground)
        yaw = clip.yaw_deg(t_s)
        for i in range(12):
            key = (clip.sha, clip.number, "mark", i)
            x = _across(between(-130, 130, *key, "deg") - yaw) * width
            tall, wide = (between(0.06, 0.2, *key, axis) * height for axis in "hw")
            pen.rectangle((x, horizon * height - tall, x + wide, horizon * height), fill=mark)
        for name, degrees in clip.passed:
            middle = (_across(degrees - yaw), horizon + FAR / 2)
            self._object(pen, name, middle, FAR)
        for one in clip.interactions:
            share = near_share(t_s, one.start_s, one.end_s)
            if share > 0:
                # It comes from the horizon to the middle, and stirs while the animal minds it.
                stir = 0.02 * np.sin(2 * np.pi * t_s) if share == 1 else 0.0
                middle = (0.5 + stir, horizon + FAR / 2 + (0.5 - horizon - FAR / 2) * share)
                self._object(pen, one.name, middle, FAR + (NEAR - FAR) * share)
        for points, colour in _BODY[clip.animal]:
            pen.polygon([(x * width, y * height) for x, y in points], fill=colour)
        return np.asarray(image)

    def _object(
        self, pen: ImageDraw.ImageDraw, name: str, middle: tuple[float, float], size: float
    ) -> None:
        width, height = self.clip.size
        side = size * height
        left, top = middle[0] * width - side / 2, middle[1] * height - side / 2
        for points in _SHAPE[name]:
            corners = [(left + x * side, top + y * side) for x, y in points]
            pen.polygon(corners, fill=OBJECT_COLOUR[name])


def near_share(t_s: float, start_s: float, end_s: float) -> float:
    """How near an object is: 1 in its interaction, 0 far from it, between while it comes and goes."""
    away = max(start_s - t_s, t_s - end_s, 0.0)
    return max(0.0, 1.0 - away / APPROACH_S)


def _across(degrees: float) -> float:
    return 0.5 + degrees * PX_PER_DEG
