"""Marks drawn on frames that a model or reader is shown: the box around the person meant.

Drawn after the frame was scaled down, so that a line has the width a viewer sees; the width scales
with the picture's height, since a fixed number of pixels would vanish on a large picture.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from PIL import Image, ImageDraw, ImageFont

COLOURS: dict[str, tuple[int, int, int]] = {
    "red": (230, 25, 25),
    "blue": (30, 70, 235),
    "green": (20, 170, 60),
    "yellow": (250, 220, 20),
    "orange": (245, 130, 20),
    "cyan": (20, 200, 220),
    "magenta": (220, 30, 200),
    "white": (255, 255, 255),
    "black": (0, 0, 0),
}
_HEX = re.compile(r"#[0-9a-fA-F]{6}")
_LABEL_CHARS = 24
# Height of the label's letters over the picture's height, and the least that can be read.
_LETTER, _LEAST_LETTER_PX = 1 / 18, 9


@dataclass(frozen=True, slots=True)
class Overlay:
    """A mark on a picture.

    Attributes:
        kind: `box`, the only kind.
        label: Text drawn beside it; empty for none.
        colour: A name of `COLOURS`, or `#rrggbb`.
        width: Width of the line over the picture's height.
        t_s: Instant it belongs to, in seconds of the recording; None for every frame sent.
        box: x_min, y_min, x_max, y_max of the upright picture, 0 to 1.
    """

    kind: str
    label: str
    colour: str
    width: float
    t_s: float | None
    box: tuple[float, float, float, float]

    def __post_init__(self) -> None:
        if self.kind != "box":
            raise ValueError(f"overlay kind {self.kind!r} is not `box`")
        colour_of(self.colour)
        if not (math.isfinite(self.width) and 0 < self.width <= 0.2):
            raise ValueError(f"overlay width {self.width} is not in 0..0.2 of the picture's height")
        if self.t_s is not None and not math.isfinite(self.t_s):
            raise ValueError(f"overlay instant {self.t_s} s is not finite")
        x_min, y_min, x_max, y_max = self.box
        if not all(map(math.isfinite, self.box)) or x_min >= x_max or y_min >= y_max:
            raise ValueError(f"overlay box {self.box} is empty or not finite")
        if x_min >= 1 or y_min >= 1 or x_max <= 0 or y_max <= 0:
            raise ValueError(f"overlay box {self.box} lies outside the picture")

    @classmethod
    def of(cls, row: Mapping[str, Any]) -> Overlay:
        """An overlay from the struct that `questions.media` holds.

        Raises:
            ValueError: A value is missing, or breaks a rule above.
        """
        try:
            box = tuple(float(row[name]) for name in ("x_min", "y_min", "x_max", "y_max"))
            width = float(row["width"])
        except TypeError as missing:
            raise ValueError(f"overlay {dict(row)} lacks a number") from missing
        return cls(
            kind=row["kind"],
            label=row["label"] or "",
            colour=row["colour"] or "",
            width=width,
            t_s=None if row["t_s"] is None else float(row["t_s"]),
            box=(box[0], box[1], box[2], box[3]),
        )

    def recipe(self) -> list[str | float]:
        """What decides the drawn pixels, for the recipe of what was sent."""
        return [self.kind, self.label, self.colour, self.width, *self.box]


def colour_of(name: str) -> tuple[int, int, int]:
    """RGB of a colour.

    Raises:
        ValueError: The name is not known.
    """
    if name in COLOURS:
        return COLOURS[name]
    if _HEX.fullmatch(name):
        return int(name[1:3], 16), int(name[3:5], 16), int(name[5:7], 16)
    raise ValueError(f"overlay colour {name!r} is not one of {sorted(COLOURS)}, nor #rrggbb")


def draw_overlays(image: np.ndarray, overlays: Sequence[Overlay]) -> np.ndarray:
    """The picture with its marks; the given picture stays as it is.

    Args:
        image: RGB, uint8 [height, width, 3].
        overlays: Marks, drawn in order; their instants are not looked at.

    Returns:
        uint8 [height, width, 3]; the same array where there is nothing to draw.
    """
    if not overlays:
        return image
    picture = Image.fromarray(image)
    draw = ImageDraw.Draw(picture)
    # Lettering without anti-aliasing depends on no font hinting of the machine.
    draw.fontmode = "1"
    for overlay in overlays:
        _box(draw, picture.width, picture.height, overlay)
    return np.asarray(picture)


def _box(draw: ImageDraw.ImageDraw, width: int, height: int, overlay: Overlay) -> None:
    x_min, y_min, x_max, y_max = (min(max(value, 0.0), 1.0) for value in overlay.box)
    left, top = round(x_min * (width - 1)), round(y_min * (height - 1))
    right, bottom = round(x_max * (width - 1)), round(y_max * (height - 1))
    colour = colour_of(overlay.colour)
    line = max(1, round(overlay.width * height))
    # Around what is boxed: inside, the line would hide somebody who is small in the picture.
    left, top = max(0, left - line), max(0, top - line)
    right, bottom = min(width - 1, right + line), min(height - 1, bottom + line)
    draw.rectangle((left, top, right, bottom), outline=colour, width=line)
    label = overlay.label[:_LABEL_CHARS]
    if not label:
        return
    font = ImageFont.load_default(max(_LEAST_LETTER_PX, round(height * _LETTER)))
    _, _, text_width, text_height = (math.ceil(v) for v in draw.textbbox((0, 0), label, font=font))
    # Above the box, inside it where there is no room above.
    x = max(0, min(left, width - text_width - 2))
    y = top - text_height - 2
    if y < 0:
        y = min(top + line, max(0, height - text_height - 2))
    draw.rectangle((x, y, x + text_width + 1, y + text_height + 1), fill=colour)
    light = 0.299 * colour[0] + 0.587 * colour[1] + 0.114 * colour[2] > 140
    draw.text((x + 1, y + 1), label, fill=(0, 0, 0) if light else (255, 255, 255), font=font)
