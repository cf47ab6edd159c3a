"""Colours of the flat: 48 vivid ones far apart in hue first, and dull ones for what is not a landmark.

The vivid ones were picked one after the other, each as far as possible from those before in
luma-chroma space with luma counted half: shading and video compression move luma most.
"""

from __future__ import annotations

from typing import Final

Colour = tuple[int, int, int]

VIVID: Final[tuple[Colour, ...]] = (
    (0, 240, 240), (240, 0, 240), (0, 0, 240), (0, 240, 0), (240, 0, 0), (240, 240, 0),
    (30, 120, 210), (240, 120, 0), (180, 90, 240), (0, 150, 60), (120, 210, 30), (150, 0, 90),
    (120, 240, 240), (0, 0, 120), (120, 0, 240), (150, 30, 0), (240, 210, 90), (0, 240, 120),
    (240, 90, 150), (90, 240, 120), (60, 120, 0), (150, 120, 0), (240, 0, 90), (90, 60, 240),
    (0, 180, 150), (90, 0, 150), (30, 180, 0), (120, 150, 240), (240, 90, 60), (240, 60, 210),
    (0, 60, 120), (0, 180, 240), (240, 180, 0), (0, 60, 240), (180, 240, 120), (240, 150, 120),
    (0, 120, 120), (60, 240, 180), (60, 180, 210), (180, 0, 180), (180, 180, 0), (60, 0, 240),
    (60, 240, 0), (180, 240, 0), (240, 120, 240), (90, 180, 60), (180, 60, 150), (180, 90, 60),
)  # fmt: skip

THINGS: Final = VIVID[:16]
PANELS: Final = VIVID[16:44]
PEOPLE: Final = VIVID[44:48]

WALL: Final[Colour] = (205, 205, 200)
CEILING: Final[Colour] = (232, 232, 230)
FLOORS: Final[dict[str, Colour]] = {"kitchen": (150, 146, 138), "living": (132, 122, 112)}


def shade(colour: Colour, factor: float) -> Colour:
    """The colour at another brightness."""
    r, g, b = (min(255, round(c * factor)) for c in colour)
    return r, g, b
