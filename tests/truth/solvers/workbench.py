"""Answers about things and hands at a workbench from pixels alone, as a person would.

Given is what a model is given: the text, the options' texts, and frames with their times in the clip. Known of the
simulated bench is how things and hands look: a hand is below the thing that it touches, which then has a yellow rim.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from functools import cache
from typing import cast

import numpy as np
from scipy import ndimage

Frame = tuple[float, np.ndarray]
Colour = tuple[int, int, int]
Point = tuple[float, float]
"""Column and row, shares of the picture's width and height."""
KINDS: dict[str, tuple[Colour, ...]] = {
    "button": ((215, 30, 30), (30, 165, 50)),
    "socket": ((245, 245, 245),),
    "oscilloscope": ((60, 70, 90),),
    "screwdriver": ((240, 200, 40),),
    "electric screwdriver": ((0, 120, 130),),
    "pliers": ((200, 60, 130),),
    "battery connector": ((20, 20, 20),),
    "board": ((0, 90, 40), (120, 80, 30)),
    "welder probe tip": ((60, 130, 240),),
}
HANDS: dict[str, Colour] = {"left": (255, 140, 40), "right": (150, 70, 210)}
OTHER: tuple[Colour, ...] = ((255, 245, 90), (196, 188, 172), (174, 166, 150))
_FAR = 40.0
_LEAST_SHARE = 0.0012
"""Of the picture: smaller patches are noise of the compression."""
_BELOW = 0.1
"""How far below the middle of a thing the hand is that touches it."""
_NEAR = 0.05
_TOUCHED = 0.12
"""Share of the rim's colour in the box of a thing that is touched."""
_PLACE = re.compile(
    r"^At ([\d.]+) s of this video the operator's (\w+) hand [\w ]+? the (.*)\. Which"
)


def solve(text: str, options: Sequence[str], frames: Sequence[Frame]) -> int | None:
    """Index of the option that the frames show; None where they show none, or several.

    Args:
        text: The question: how many kinds, which is not in view, which a hand has longest, or where a thing is.
        options: Texts of the options.
        frames: Frames sent, with their times in the clip.
    """
    place = _PLACE.match(text)
    if place is not None:
        _, image = min(frames, key=lambda frame: abs(frame[0] - float(place[1])))
        cell = _cell(image, place[2])
        return options.index(cell) if cell in options else None
    if text.startswith("How many"):
        right = [str(len({kind for _, image in frames for kind in _kinds(image)}))]
    elif "not in view" in text:
        seen = {kind for _, image in frames for kind in _kinds(image)}
        right = [option for option in options if option not in seen]
    else:
        hand = next(side for side in HANDS if f"{side} hand" in text)
        held = Counter(kind for _, image in frames if (kind := _held(image, hand)) is not None)
        counts = [(kind, n) for kind, n in held.most_common() if kind in options]
        right = [kind for kind, n in counts if n == counts[0][1]]
    found = [index for index, option in enumerate(options) if option in right]
    return found[0] if len(found) == len(right) == 1 else None


def _kinds(image: np.ndarray) -> set[str]:
    return {kind for kind, _, _ in _things(image)}


def _held(image: np.ndarray, hand: str) -> str | None:
    """Kind of the thing with a rim that is nearest above a hand; None if there is none."""
    at = _hand(image, hand)
    if at is None:
        return None
    far = [
        (abs(x - at[0]) + abs(y + _BELOW - at[1]), kind)
        for kind, (x, y), touched in _things(image)
        if touched
    ]
    gap, kind = min(far, default=(1.0, None))
    return kind if gap < 2 * _NEAR else None


def _cell(image: np.ndarray, hand: str) -> str | None:
    """Cell of the thing that a hand touches."""
    at = _hand(image, hand)
    touched = [where for _, where, is_touched in _things(image) if is_touched]
    if at is None or not touched:
        return None
    x, y = min(touched, key=lambda t: abs(t[0] - at[0]) + abs(t[1] + _BELOW - at[1]))
    row, column = ("top", "center", "bottom")[int(y * 3)], ("left", "center", "right")[int(x * 3)]
    return "center" if row == column == "center" else f"{row}-{column}"


def _hand(image: np.ndarray, hand: str) -> Point | None:
    """Middle of the upper end of a hand's colour; None if it is not in view."""
    mask = _seen(image) == _number(hand)
    if mask.mean() < _LEAST_SHARE:
        return None
    rows, columns = np.nonzero(mask)
    height, width = mask.shape
    return float(np.median(columns)) / width, rows.min() / height + 0.03


@cache
def _known() -> list[tuple[str, Colour]]:
    things = [(kind, colour) for kind, colours in KINDS.items() for colour in colours]
    return [*things, *HANDS.items(), *(("", colour) for colour in OTHER)]


def _number(name: str) -> int:
    return [known for known, _ in _known()].index(name)


@cache
def _table() -> np.ndarray:
    """Place of the nearest known colour of each colour in steps of 8, -1 where none is near."""
    steps = np.arange(0, 256, 8) + 4.0
    grid = np.stack(np.meshgrid(steps, steps, steps, indexing="ij"), axis=-1)
    far = np.stack([((grid - colour) ** 2).sum(axis=-1) for _, colour in _known()])
    return np.where(far.min(axis=0) < _FAR**2, far.argmin(axis=0), -1)


def _seen(image: np.ndarray) -> np.ndarray:
    red, green, blue = (image[..., channel] >> 3 for channel in range(3))
    return _table()[red, green, blue]


def _things(image: np.ndarray) -> list[tuple[str, Point, bool]]:
    """Kind and middle of each thing in a picture, and whether it is touched."""
    return _things_of(image.tobytes(), image.shape)


@cache
def _things_of(pixels: bytes, shape: tuple[int, ...]) -> list[tuple[str, Point, bool]]:
    """The same; each picture is looked at once."""
    seen = _seen(np.frombuffer(pixels, np.uint8).reshape(shape))
    height, width = seen.shape
    rim = seen == len(_known()) - len(OTHER)
    found = []
    for number, (kind, _) in enumerate(_known()):
        if kind not in KINDS:
            continue
        patches, _ = cast("tuple[np.ndarray, int]", ndimage.label(seen == number))
        sizes = np.bincount(patches.ravel())
        for one, place in enumerate(ndimage.find_objects(patches), 1):
            if sizes[one] < _LEAST_SHARE * seen.size:
                continue
            rows, columns = place
            around = rim[
                max(0, rows.start - 4) : rows.stop + 4, max(0, columns.start - 4) : columns.stop + 4
            ]
            middle = (
                (columns.start + columns.stop) / 2 / width,
                (rows.start + rows.stop) / 2 / height,
            )
            found.append((kind, middle, bool(around.mean() > _TOUCHED)))
    return found
