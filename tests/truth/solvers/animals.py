"""Answers about the clips of animals that wear a camera, from pixels alone, as a person would.

Given is what a model is given: the text, the options' texts, and frames with their times in the clip. Known of the
simulated path is how things look, and which part of its own body each animal has in view.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import cast

import numpy as np
from scipy import ndimage

Frame = tuple[float, np.ndarray]
# Colours as one sees them in the pictures.
THINGS = {
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
BODIES = {
    "cat": (80, 80, 88),
    "dog": (190, 120, 60),
    "turtle": (60, 150, 70),
    "eagle": (100, 70, 50),
}
_FAR = 40.0
"""A pixel farther from a colour than this is of something else."""
_NEAR = 0.3
"""Of the picture's height: what an animal minds is larger than what is far away, or still comes or goes."""
_NOISE = 0.0008
"""Share of the picture: smaller patches are noise of the compression."""
_SPAN = re.compile(r"(\d+) s to (\d+) s")


def solve(text: str, options: Sequence[str], frames: Sequence[Frame]) -> int | None:
    """Index of the option that the frames show; None where they show none.

    Args:
        text: The question: whose camera it is, what is interacted with, or when.
        options: Texts of the options.
        frames: Frames sent, with their times in the clip.
    """
    if text.startswith("Which animal"):
        return _most(options, {name: _filled(frames, rgb) for name, rgb in BODIES.items()})
    if text.startswith("What does"):
        return _most(options, {name: _filled(frames, rgb) for name, rgb in THINGS.items()})
    thing = text.partition("interact with the ")[2].removesuffix("?")
    minded = [t_s for t_s, image in frames if _extent(image, THINGS[thing]) >= _NEAR]
    if not minded:
        return None
    spans = [tuple(map(int, match.groups())) for o in options if (match := _SPAN.fullmatch(o))]
    inside = [start <= minded[0] <= end for start, end in spans]
    return inside.index(True) if True in inside else None


def _most(options: Sequence[str], filled: dict[str, float]) -> int | None:
    """The option of which most is seen."""
    seen = [filled[option] for option in options]
    return seen.index(max(seen)) if any(seen) else None


def _filled(frames: Sequence[Frame], colour: tuple[int, int, int]) -> float:
    return max(_share(image, colour) for _, image in frames)


def _share(image: np.ndarray, colour: tuple[int, int, int]) -> float:
    """Share of a picture that has a colour."""
    return float(_mask(image, colour).mean())


def _extent(image: np.ndarray, colour: tuple[int, int, int]) -> float:
    """Longer side of the largest patch of a colour, over the picture's height; 0 where there is none."""
    patched = ndimage.label(_mask(image, colour), structure=np.ones((3, 3)))
    patches, _ = cast("tuple[np.ndarray, int]", patched)
    sizes = np.bincount(patches.ravel())[1:]
    if not sizes.size or sizes.max() < _NOISE * patches.size:
        return 0.0
    rows, columns = ndimage.find_objects(patches)[int(sizes.argmax())]
    return max(rows.stop - rows.start, columns.stop - columns.start) / image.shape[0]


def _mask(image: np.ndarray, colour: tuple[int, int, int]) -> np.ndarray:
    distance = ((image.astype(np.int32) - colour) ** 2).sum(axis=-1)
    return distance <= _FAR**2
