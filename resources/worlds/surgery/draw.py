"""Draws the operating table: tissue, a rim in the phase's colour, shafts in the hand's, heads in the tool's.

Every head is one filled shape that reaches all four sides of its box, with a badge in the colour
of the hand that holds it; two heads never hide each other while they stand. A stripe behind the head
has the colour of what the tool works on.
"""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt
from PIL import Image, ImageDraw

from resources.worlds.surgery.truth import Operator, Seen, Video
from resources.worlds.tools.chance import between

Colour = tuple[int, int, int]
TOOL_COLOUR: Final[dict[str, Colour]] = {
    "grasper": (0, 220, 230),
    "bipolar": (250, 235, 40),
    "hook": (245, 245, 245),
    "scissors": (120, 235, 60),
    "clipper": (235, 60, 230),
    "irrigator": (40, 80, 240),
    "specimenbag": (0, 105, 50),
}
OPERATOR_COLOUR: Final[dict[Operator, Colour]] = {
    "MSLH": (255, 130, 0),
    "MSRH": (120, 40, 190),
    "ASRH": (20, 20, 20),
}
_TISSUE: Final[tuple[Colour, ...]] = ((150, 62, 58), (172, 84, 74), (132, 50, 50), (186, 108, 88))
PHASE_COLOUR: Final[dict[str, Colour]] = {
    "preparation": (200, 60, 60),
    "calotTriangleDissection": (110, 40, 20),
    "clippingAndCutting": (220, 140, 110),
    "gallbladderDissection": (150, 110, 60),
    "gallbladderPackaging": (190, 150, 180),
    "cleaningAndCoagulation": (120, 70, 100),
    "gallbladderRetraction": (215, 185, 150),
}
"""Tint of the rim of the picture: phases have tools in common, and nothing else tells them apart."""
_RIM: Final = 0.03
"""Width of the rim over the picture's height."""
_SMOKE: Final[Colour] = (176, 150, 146)
_TARGET_COLOUR: Final[dict[str, Colour]] = {
    "cystic_artery": (205, 20, 40),
    "cystic_duct": (140, 140, 20),
    "fluid": (150, 130, 170),
    "gallbladder": (100, 140, 90),
    "liver": (90, 20, 40),
    "omentum": (215, 180, 110),
    "specimen_bag": (195, 175, 180),
}
"""Colour of the stripe behind a head that works on something: a tool may be used for several things."""
_ALSO: Final[dict[str, tuple[str, ...]]] = {"pack": ("specimen_bag",)}
"""What else a hand has to do with, by what it does: what is packed goes into a bag."""
_STRIPE: Final = (0.1, 0.03)
"""Half its length over the picture's width, and its height over the picture's height."""
TROCAR: Final[dict[Operator, tuple[float, float]]] = {
    "MSLH": (-0.1, 0.75),
    "MSRH": (1.1, 0.75),
    "ASRH": (0.5, 1.15),
}
_HEAD: Final[dict[str, tuple[tuple[float, float], ...]]] = {
    "grasper": ((0, 0), (0.5, 0.22), (1, 0), (0.86, 1), (0.14, 1)),
    "bipolar": ((0.3, 0), (0.7, 0), (1, 0.5), (0.7, 1), (0.3, 1), (0, 0.5)),
    "hook": ((0, 0), (1, 0), (1, 0.2), (0.8, 0.24), (0.8, 1), (0.2, 1), (0, 0.6)),
    "scissors": ((0, 0), (0.5, 0.16), (1, 0), (0.8, 0.5), (1, 1), (0.5, 0.84), (0, 1), (0.2, 0.5)),
    "clipper": ((0, 0), (1, 0), (1, 1), (0, 1)),
    "irrigator": ((0.5, 0), (1, 0.3), (1, 1), (0, 1), (0, 0.3)),
    "specimenbag": ((0.2, 0), (0.8, 0), (1, 0.6), (0.85, 1), (0.15, 1), (0, 0.6)),
}


class Artist:
    """Draws pictures of one operation; the tissue is drawn once."""

    def __init__(self, video: Video) -> None:
        self.video = video
        self._tissue = self._draw_tissue()

    def picture(self, t_s: float) -> Image.Image:
        """The RGB picture at an instant."""
        image = self._tissue.copy()
        pen = ImageDraw.Draw(image)
        width, height = self.video.size
        phase = PHASE_COLOUR[self.video.phase_at(t_s)]
        rim = max(2, round(_RIM * height))
        pen.rectangle((0, 0, width - 1, height - 1), outline=phase, width=rim)
        if self.video.smoky(t_s):
            for i in range(5):
                x, y = (between(0, 1, self.video.video_id, "puff", i, axis) for axis in "xy")
                r = 0.05 * width
                x, y = x * width, y * height
                pen.ellipse((x - r, y - r, x + r, y + r), fill=_SMOKE)
        seen = self.video.tools_at(t_s)
        for one in seen:
            self._shaft(pen, one)
        for one in seen:
            self._stripe(pen, one)
        for one in seen:
            self._head(pen, one)
        return image

    def frame(self, t_s: float) -> npt.NDArray[np.uint8]:
        """The picture as (height, width, 3) uint8 RGB."""
        return np.asarray(self.picture(t_s))

    def _draw_tissue(self) -> Image.Image:
        width, height = self.video.size
        image = Image.new("RGB", (width, height), _TISSUE[0])
        pen = ImageDraw.Draw(image)
        for i in range(14):
            key = (self.video.video_id, "tissue", i)
            x, y = between(0, width, *key, "x"), between(0, height, *key, "y")
            a, b = between(0.06, 0.25, *key, "a") * width, between(0.06, 0.25, *key, "b") * height
            pen.ellipse((x - a, y - b, x + a, y + b), fill=_TISSUE[1 + i % 3])
        return image

    def _shaft(self, pen: ImageDraw.ImageDraw, one: Seen) -> None:
        width, height = self.video.size
        x, y = TROCAR[one.instrument.operator]
        end = ((one.x + one.w / 2) * width, (one.y + one.h / 2) * height)
        colour = OPERATOR_COLOUR[one.instrument.operator]
        pen.line((x * width, y * height, *end), fill=colour, width=max(2, round(0.022 * width)))

    def _stripe(self, pen: ImageDraw.ImageDraw, one: Seen) -> None:
        if one.instrument.target is None:
            return
        width, height = self.video.size
        x, y = (one.x + one.w / 2) * width, (one.y + one.h / 2) * height
        side, high = _STRIPE[0] * width, max(3, round(_STRIPE[1] * height))
        shown = [one.instrument.target, *_ALSO.get(one.instrument.verb or "", ())]
        for at, name in enumerate(shown):
            below = y + 2 * at * high
            pen.line((x - side, below, x + side, below), fill=_TARGET_COLOUR[name], width=high)

    def _head(self, pen: ImageDraw.ImageDraw, one: Seen) -> None:
        width, height = self.video.size
        left, top = round(one.x * width), round(one.y * height)
        # Corners lie on the outermost pixels of the box.
        across, down = round(one.w * width) - 1, round(one.h * height) - 1
        points = [(left + x * across, top + y * down) for x, y in _HEAD[one.instrument.tool]]
        pen.polygon(points, fill=TOOL_COLOUR[one.instrument.tool])
        x, y, r = left + across / 2, top + down / 2, 0.021 * width
        pen.ellipse((x - r, y - r, x + r, y + r), fill=OPERATOR_COLOUR[one.instrument.operator])
