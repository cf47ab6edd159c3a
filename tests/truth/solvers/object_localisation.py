"""Answers "in which region of the view was the tool" from pixels alone, as a person would.

Given is what a model is given: the text, the options' texts, and frames with their times in the
clip. The only thing known of the simulated table is how its tools and hands look.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import numpy as np
from scipy import ndimage

Frame = tuple[float, np.ndarray]

# Colours as one sees them in the pictures.
TOOLS = {
    "grasper": (0, 220, 230),
    "bipolar": (250, 235, 40),
    "hook": (245, 245, 245),
    "scissors": (120, 235, 60),
    "clipper": (235, 60, 230),
    "irrigator": (40, 80, 240),
    "specimen-bag": (0, 105, 50),
}
OPERATORS = {
    "main surgeon left hand": (255, 130, 0),
    "main surgeon right hand": (120, 40, 190),
    "assistant surgeon right hand": (20, 20, 20),
}
OTHER = ((150, 62, 58), (172, 84, 74), (132, 50, 50), (186, 108, 88), (176, 150, 146))
NAMES = [*TOOLS, *OPERATORS]
PALETTE = np.array([*TOOLS.values(), *OPERATORS.values(), *OTHER], dtype=np.int32)
ASKED = re.compile(
    r"Approximately in which region of the view was the '([^']+)'"
    r" \(operated by ([^)]+)\) located around timestamp ([0-9.]+)s\?"
)
LEAST_SHARE = 0.002
"""Of the picture: smaller patches are noise of the compression."""


def solve(text: str, options: Sequence[str], frames: Sequence[Frame]) -> int | None:
    """Index of the option that the nearest frame shows; None where it shows none of them."""
    tool, operator, at_s = _asked(text)
    _, image = min(frames, key=lambda frame: abs(frame[0] - at_s))
    region = _region(image, tool, operator)
    return None if region is None or region not in options else options.index(region)


def time_asked(text: str) -> float:
    """The time a question is about, in its clip."""
    return _asked(text)[2]


def _asked(text: str) -> tuple[str, str, float]:
    found = ASKED.fullmatch(text)
    assert found is not None, text
    return found[1], found[2], float(found[3])


def colours(image: np.ndarray) -> np.ndarray:
    """Place of each pixel's nearest colour in the palette."""
    distance = np.stack([((image.astype(np.int32) - c) ** 2).sum(axis=-1) for c in PALETTE])
    return distance.argmin(axis=0)


def heads(nearest: np.ndarray, tool: str) -> Iterator[tuple[slice, slice]]:
    """Where the patches in a tool's colour are.

    Args:
        nearest: Colours of a picture (`colours`).
        tool: The tool.
    """
    patches, _ = ndimage.label(nearest == NAMES.index(tool), structure=np.ones((3, 3)))
    for number, place in enumerate(ndimage.find_objects(patches), 1):
        if int((patches[place] == number).sum()) >= LEAST_SHARE * nearest.size:
            yield place


def borne(nearest: np.ndarray, place: tuple[slice, slice], operator: str) -> int:
    """Pixels of a place that have a hand's colour."""
    return int((nearest[place] == NAMES.index(operator)).sum())


def _region(image: np.ndarray, tool: str, operator: str) -> str | None:
    """Region of the patch in the tool's colour that bears most of the hand's colour."""
    nearest = colours(image)
    height, width = nearest.shape
    found = ((borne(nearest, place, operator), place) for place in heads(nearest, tool))
    most, best = max(found, key=lambda one: one[0], default=(0, None))
    if best is None or most == 0:
        return None
    rows, columns = best
    y = (rows.start + rows.stop) / 2 / height
    x = (columns.start + columns.stop) / 2 / width
    row, column = ("top", "center", "bottom")[int(y * 3)], ("left", "center", "right")[int(x * 3)]
    return "center" if row == column == "center" else f"{row}-{column}"
