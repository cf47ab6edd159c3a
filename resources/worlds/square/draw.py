"""Draws the square, and beside each picture a map of who covers which pixel.

A person is three filled blocks (hat and face, shirt, trousers), drawn into both alike, the farthest
first: what is hidden in one is hidden in the other.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt
from PIL import Image, ImageDraw
from scipy import ndimage

from resources.worlds.square.truth import (
    FIXED,
    HEIGHT_M,
    POST_M,
    SHOULDER_M,
    TOP_M,
    WIDTH_M,
    Camera,
    Colour,
    Take,
)

Box = tuple[float, float, float, float]
Size = tuple[int, int]
_SKY: Final[Colour] = (176, 196, 214)
_GROUND: Final[Colour] = (150, 148, 140)
_JOINT: Final[Colour] = (136, 134, 127)
_SKIN: Final[Colour] = (222, 180, 150)
_TROUSERS: Final[Colour] = (78, 80, 92)
_POST: Final[Colour] = (96, 98, 96)
_HOUSES: Final[tuple[tuple[float, float, float, Colour], ...]] = (
    (-13.0, 11.0, 5.0, (168, 120, 96)),
    (0.0, 13.0, 4.0, (190, 176, 140)),
    (13.0, 11.0, 6.0, (130, 150, 128)),
    (15.0, -3.0, 4.0, (150, 128, 150)),
    (-15.0, -3.0, 5.0, (120, 132, 150)),
    (6.0, -14.0, 5.0, (176, 150, 120)),
    (-6.0, -14.0, 4.0, (140, 120, 110)),
)
"""Place, height and colour of houses around the square, each six metres wide."""
_BLOCKS: Final = ((0.28, 0.0, 0.09), (0.28, 0.09, 0.18), (0.5, 0.18, 0.58), (0.36, 0.58, 1.0))
"""Half width over the width, top and end over the height: hat, face, shirt, trousers."""
_POST_NUMBER: Final = 255
_NEAREST_M: Final = 0.5
LEAST_SEEN: Final = 0.3
"""Share of a person's pixels that must be seen for a dataset to name them."""
_SPECK_PX: Final = 6


@dataclass(frozen=True, slots=True)
class Seen:
    """A person in a picture.

    Attributes:
        number: Who.
        box: Left, top, right and bottom in pixels of the whole body, hidden parts and what lies
            beyond the picture included.
        share: Share of the body that is seen.
        depth_m: Distance along the camera's axis; 0 from above.
    """

    number: int
    box: Box
    share: float
    depth_m: float


@dataclass(frozen=True, slots=True)
class Picture:
    """A drawn picture.

    Attributes:
        image: The picture.
        cover: Number of who covers each pixel plus 1, uint8 (height, width); 0 for nobody.
        seen: People in view, by number.
    """

    image: Image.Image
    cover: npt.NDArray[np.uint8]
    seen: tuple[Seen, ...]

    def parts(self, number: int) -> list[list[tuple[int, int]]]:
        """Outlines of the separate parts of a person, from left to right; specks are left out."""
        there = self.cover == number + 1
        down, across = there.any(axis=1).nonzero()[0], there.any(axis=0).nonzero()[0]
        if not len(down):
            return []
        top, left = int(down[0]), int(across[0])
        found = ndimage.label(there[top : int(down[-1]) + 1, left : int(across[-1]) + 1])
        labels: npt.NDArray[np.int32] = found[0]  # type: ignore[index]
        made = []
        for label in range(1, int(labels.max()) + 1):
            rows, columns = np.nonzero(labels == label)
            if len(rows) >= _SPECK_PX:
                made.append((int(columns.min()), _outline(rows + top, columns + left)))
        return [outline for _, outline in sorted(made)]


def from_eyes(take: Take, wearer: int, frame: int, size: Size) -> Picture:
    """What a wearer's camera shows: everybody but the wearer."""
    return _perspective(take, frame, take.worn(wearer, frame), size, wearer, post=False)


def from_side(take: Take, frame: int, size: Size) -> Picture:
    """What the fixed camera shows, behind a lamp post."""
    return _perspective(take, frame, FIXED, size, None, post=True)


def from_above(take: Take, frame: int, size: Size) -> Picture:
    """What the camera above shows: hats on shoulders."""
    width, height = size
    scale = width / TOP_M[0]
    image, cover = Image.new("RGB", size, _GROUND), Image.new("L", size, 0)
    pen, mask = ImageDraw.Draw(image), ImageDraw.Draw(cover)
    for n in range(-8, 9, 2):
        pen.line((width / 2 + n * scale, 0, width / 2 + n * scale, height), fill=_JOINT)
        pen.line((0, height / 2 + n * scale, width, height / 2 + n * scale), fill=_JOINT)
    boxes: dict[int, Box] = {}
    # By name: takes of one shot look the same from above, however they number people.
    for number, walker in sorted(take.numbered(), key=lambda one: one[1].name):
        x, y = walker.at(frame)
        column, row, r = width / 2 + x * scale, height / 2 - y * scale, SHOULDER_M * scale
        boxes[number] = box = (column - r, row - r, column + r, row + r)
        drawn = _pixels(box)
        pen.ellipse(drawn, fill=walker.colour)
        mask.ellipse(drawn, fill=number + 1)
        r *= 0.3
        pen.ellipse((column - r, row - r, column + r, row + r), fill=_SKIN)
    whole = {n: np.pi * (b[2] - b[0]) ** 2 / 4 for n, b in boxes.items()}
    return _picture(image, cover, boxes, whole, dict.fromkeys(boxes, 0.0))


def _perspective(
    take: Take, frame: int, camera: Camera, size: Size, without: int | None, *, post: bool
) -> Picture:
    image, cover = _place(camera, size), Image.new("L", size, 0)
    pen, mask = ImageDraw.Draw(image), ImageDraw.Draw(cover)
    found: list[tuple[float, int, Box, Colour]] = []
    for number, walker in take.numbered():
        if number == without:
            continue
        x, y = walker.at(frame)
        box, depth = _upright(camera, (x, y), HEIGHT_M, WIDTH_M, size)
        if depth > _NEAREST_M:
            found.append((depth, number, box, walker.colour))
    if post:
        box, depth = _upright(camera, POST_M[:2], 4.5, POST_M[2], size)
        found.append((depth, _POST_NUMBER - 1, box, _POST))
    whole: dict[int, float] = {}
    for _, number, box, colour in sorted(found, reverse=True):
        if number == _POST_NUMBER - 1:
            pen.rectangle(_pixels(box), fill=_POST)
            mask.rectangle(_pixels(box), fill=_POST_NUMBER)
            continue
        for part, fill in zip(_blocks(box), (colour, _SKIN, colour, _TROUSERS), strict=True):
            pen.rectangle(part, fill=fill)
            mask.rectangle(part, fill=number + 1)
            area = (part[2] - part[0] + 1) * (part[3] - part[1] + 1)
            whole[number] = whole.get(number, 0.0) + area
    boxes = {n: box for _, n, box, _ in found if n in whole}
    return _picture(image, cover, boxes, whole, {n: depth for depth, n, _, _ in found})


def _picture(
    image: Image.Image,
    cover: Image.Image,
    boxes: dict[int, Box],
    whole: dict[int, float],
    depths: dict[int, float],
) -> Picture:
    mask = np.asarray(cover)
    counts = np.bincount(mask.ravel(), minlength=256)
    seen = tuple(
        Seen(n, boxes[n], min(1.0, float(counts[n + 1]) / whole[n]), depths[n])
        for n in sorted(boxes)
        if counts[n + 1]
    )
    return Picture(image, mask, seen)


def _upright(
    camera: Camera, at: tuple[float, float], height_m: float, width_m: float, size: Size
) -> tuple[Box, float]:
    """Box of something that stands on the ground, and its depth."""
    u1, top, far = camera.project((*at, height_m), size)
    u2, bottom, near = camera.project((*at, 0.0), size)
    depth = min(far, near)
    if depth <= _NEAREST_M:
        return (0.0, 0.0, 0.0, 0.0), depth
    middle, half = (u1 + u2) / 2, camera.focal_px(size) * width_m / 2 / ((far + near) / 2)
    return (middle - half, top, middle + half, bottom), depth


def _blocks(box: Box) -> list[tuple[int, int, int, int]]:
    left, top, right, bottom = box
    middle, width, height = (left + right) / 2, right - left, bottom - top
    return [
        _pixels((middle - h * width, top + a * height, middle + h * width, top + b * height))
        for h, a, b in _BLOCKS
    ]


def _pixels(box: Box) -> tuple[int, int, int, int]:
    """Outermost pixels of a box: one that ends where another begins shares none with it."""
    left, top = round(box[0]), round(box[1])
    return left, top, max(left, round(box[2]) - 1), max(top, round(box[3]) - 1)


def _place(camera: Camera, size: Size) -> Image.Image:
    """Sky, ground and houses."""
    width, height = size
    image = Image.new("RGB", size, _SKY)
    pen = ImageDraw.Draw(image)
    horizon = height / 2 - camera.focal_px(size) * np.tan(camera.pitch_rad)
    houses = []
    for x, y, tall, colour in _HOUSES:
        box, depth = _upright(camera, (x, y), tall, 6.0, size)
        if depth > _NEAREST_M:
            houses.append((depth, box, colour))
    pen.rectangle((0, round(horizon), width, height), fill=_GROUND)
    for _, box, colour in sorted(houses, reverse=True):
        pen.rectangle(_pixels(box), fill=colour)
    return image


def _outline(rows: npt.NDArray[np.int64], columns: npt.NDArray[np.int64]) -> list[tuple[int, int]]:
    """Outline of a part, down its left edge and up its right one, along the edges of pixels."""
    left: list[tuple[int, int]] = []
    right: list[tuple[int, int]] = []
    for row in range(int(rows.min()), int(rows.max()) + 1):
        here = columns[rows == row]
        low, high = int(here.min()), int(here.max()) + 1
        for side, x in ((left, low), (right, high)):
            # A straight edge needs its ends only.
            if side and side[-1][0] == x:
                side[-1] = (x, row + 1)
            else:
                side += [(x, row), (x, row + 1)]
    return left + right[::-1]
