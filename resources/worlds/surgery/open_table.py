"""The operating table as open surgery: gloved hands at the tools, other names, one picture in 2 s."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

from PIL import ImageDraw

from resources.worlds.surgery.draw import TROCAR, Artist, Colour
from resources.worlds.surgery.truth import LEAST_SEEN, Instrument, Seen, Video

TOOL_NAMES: Final = {
    "grasper": "Tweezers",
    "bipolar": "Bipolar Forceps",
    "hook": "Hook",
    "scissors": "Scissors",
    "clipper": "Needle Holders",
    "irrigator": "Suction Cannula",
    "specimenbag": "Gauze",
}
PHASE_NAMES: Final = {
    "preparation": "design",
    "calotTriangleDissection": "anesthesia",
    "clippingAndCutting": "incision",
    "gallbladderDissection": "dissection",
    "gallbladderPackaging": "hemostasis",
    "cleaningAndCoagulation": "irrigation",
    "gallbladderRetraction": "closure",
}
HANDS: Final = ("Own hands left", "Own hands right", "Other hands left", "Other hands right")
GLOVE_COLOUR: Final[dict[str, Colour]] = {
    "Own hands left": (255, 130, 0),
    "Own hands right": (120, 40, 190),
    "Other hands left": (120, 160, 120),
    "Other hands right": (20, 20, 20),
}
STEP_S: Final = 2
_REACH, _RADIUS = 0.085, 0.055
"""How far a hand is behind its tool's head, and how large: over the picture's width."""


@dataclass(frozen=True)
class Boxed:
    """Something to be boxed: class, and corners in whole pixels inside the picture."""

    name: str
    left: int
    top: int
    right: int
    bottom: int


def hand_of(instrument: Instrument) -> str:
    """Hand that holds a tool; the assistant changes hands from one insertion to the next."""
    if instrument.operator != "ASRH":
        return HANDS[0 if instrument.operator == "MSLH" else 1]
    return HANDS[2 + instrument.intracorporeal % 2]


def tools_boxed(video: Video, t_s: float) -> list[Boxed]:
    """Tools in view, by their heads."""
    width, height = video.size
    made = []
    for one in video.tools_at(t_s):
        corners = (one.x * width, one.y * height, (one.x + one.w) * width, (one.y + one.h) * height)
        made.append(_boxed(TOOL_NAMES[one.instrument.tool], corners, video.size))
    return made


def hands_boxed(video: Video, t_s: float) -> list[Boxed]:
    """Hands in view, each at its tool."""
    made = []
    for one in video.tools_at(t_s):
        x, y, r = _glove(video, one)
        box = _boxed(hand_of(one.instrument), (x - r, y - r, x + r, y + r), video.size)
        seen = max(0, box.right - box.left) * max(0, box.bottom - box.top)
        if seen >= LEAST_SEEN * 4 * r * r:
            made.append(box)
    return made


def _boxed(name: str, corners: tuple[float, ...], size: tuple[int, int]) -> Boxed:
    width, height = size
    left, top, right, bottom = corners
    return Boxed(
        name,
        max(0, math.floor(left)),
        max(0, math.floor(top)),
        min(width, math.ceil(right)),
        min(height, math.ceil(bottom)),
    )


def _glove(video: Video, one: Seen) -> tuple[float, float, float]:
    """Centre and radius of the glove in pixels: on the shaft, just behind the head."""
    width, height = video.size
    x, y = (one.x + one.w / 2) * width, (one.y + one.h / 2) * height
    away_x, away_y = TROCAR[one.instrument.operator]
    across, down = away_x * width - x, away_y * height - y
    far = math.hypot(across, down) or 1.0
    reach = _REACH * width
    return x + across / far * reach, y + down / far * reach, _RADIUS * width


class OpenArtist(Artist):
    """Draws pictures of an operation with gloves on the shafts."""

    def _shaft(self, pen: ImageDraw.ImageDraw, one: Seen) -> None:
        super()._shaft(pen, one)
        x, y, r = _glove(self.video, one)
        pen.ellipse((x - r, y - r, x + r, y + r), fill=GLOVE_COLOUR[hand_of(one.instrument)])
