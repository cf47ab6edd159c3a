"""Draws the workbench from above: things by colour and shape, hands with sleeves, a rim where they touch."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import numpy as np
import numpy.typing as npt
from PIL import Image, ImageDraw

from resources.worlds.workbench.truth import HANDS, Bench, Box, Hand

Colour = tuple[int, int, int]
HAND_COLOUR: Final[dict[Hand, Colour]] = {"left": (255, 140, 40), "right": (150, 70, 210)}
TOUCHED: Final[Colour] = (255, 245, 90)
_BENCH: Final[Colour] = (196, 188, 172)
_TRAY: Final[Colour] = (174, 166, 150)
_COLOURS: Final[dict[str, Colour]] = {
    "left_red_button": (215, 30, 30),
    "right_red_button": (215, 30, 30),
    "left_green_button": (30, 165, 50),
    "right_green_button": (30, 165, 50),
    "socket_1": (245, 245, 245),
    "socket_2": (245, 245, 245),
    "oscilloscope": (60, 70, 90),
    "screwdriver": (240, 200, 40),
    "electric_screwdriver": (0, 120, 130),
    "pliers": (200, 60, 130),
    "battery_connector": (20, 20, 20),
    "low_voltage_board": (0, 90, 40),
    "high_voltage_board": (120, 80, 30),
    "welder_probe_tip": (60, 130, 240),
    "instruction_booklet": (250, 250, 235),
    "bolt": (110, 110, 120),
    "red_perforated_bar": (210, 40, 40),
    "white_angled_perforated_bar": (245, 245, 245),
    "gray_perforated_bar": (130, 130, 140),
    "rim": (240, 210, 60),
    "tire": (25, 25, 25),
    "handlebar": (50, 110, 220),
}
_ROUND: Final = frozenset({"rim", "tire", "bolt", "socket_1", "socket_2"})
_BAR: Final = frozenset(
    {"screwdriver", "electric_screwdriver", "red_perforated_bar", "gray_perforated_bar"}
)
_ANGLE: Final = frozenset(
    {"pliers", "welder_probe_tip", "white_angled_perforated_bar", "handlebar"}
)


def outline(name: str, box: Box) -> list[tuple[float, float]]:
    """Corners of a thing's shape; it reaches all four sides of its box."""
    left, top, right, bottom = box
    across, down = right - left, bottom - top
    if name.endswith("button") or name in _ROUND:
        shape = ((0.3, 0), (0.7, 0), (1, 0.3), (1, 0.7), (0.7, 1), (0.3, 1), (0, 0.7), (0, 0.3))
    elif name in _BAR:
        shape = ((0, 0.35), (0.4, 0), (1, 0), (1, 0.65), (0.6, 1), (0, 1))
    elif name in _ANGLE:
        shape = ((0, 0), (1, 0), (1, 0.4), (0.45, 0.45), (0.4, 1), (0, 1))
    else:
        shape = ((0, 0), (1, 0), (1, 1), (0, 1))
    return [(left + x * across, top + y * down) for x, y in shape]


class Artist:
    """Draws pictures of one bench."""

    def __init__(self, bench: Bench) -> None:
        self.bench = bench
        self._empty = Image.new("RGB", bench.size, _BENCH)
        width, height = bench.size
        pen = ImageDraw.Draw(self._empty)
        pen.rectangle((0, 0.57 * height, width, 0.77 * height), fill=_TRAY)

    def picture(self, t_s: float) -> Image.Image:
        """The RGB picture at an instant."""
        image = self._empty.copy()
        pen = ImageDraw.Draw(image)
        width, height = self.bench.size
        for hand in HANDS:
            x, y = self.bench.hand(hand, t_s)
            r, at = 0.035 * width, (x * width, y * height)
            pen.line((at[0], at[1], at[0], height), fill=HAND_COLOUR[hand], width=round(r))
            pen.ellipse((at[0] - r, at[1] - r, at[0] + r, at[1] + r), fill=HAND_COLOUR[hand])
        touched = {a.thing for hand in HANDS if (a := self.bench.touching(hand, t_s))}
        shown = self.bench.in_view(t_s)
        for thing in sorted(shown, key=lambda one: (one.name in touched, one.class_id)):
            box = self.bench.box(thing.name, t_s)
            points = [(x * width, y * height) for x, y in outline(thing.class_name, box)]
            rim = TOUCHED if thing.name in touched else None
            pen.polygon(points, fill=_COLOURS[thing.class_name])
            if rim is not None:
                pen.line([*points, points[0]], fill=rim, width=max(1, round(0.009 * width)))
        return image

    def frames(self, count: int, fps: int, drawn_per_s: int) -> Iterator[npt.NDArray[np.uint8]]:
        """(height, width, 3) uint8 RGB pictures of a video; each drawing stands for some of them."""
        every = max(1, fps // drawn_per_s)
        drawn = np.asarray(self.picture(0.0))
        for at in range(count):
            if at % every == 0:
                drawn = np.asarray(self.picture(at / fps))
            yield drawn
