"""Pictures of things: one flat shape and colour per thing, the same in every home and view."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from PIL import Image

from resources.worlds.household.pose import PRESSED
from resources.worlds.household.shapes import SHAPES, Sheet, shade
from resources.worlds.household.things import Look

_FINE: Final = 4
# What lights while a finger is on it: a colour that nothing else has.
_TOUCHED: Final = (20, 250, 40)
_WATER: Final = (60, 140, 240)


def _pieces(s: Sheet, k: Look) -> None:
    """A thing cut up: pieces of its colour around one in the middle."""
    for i, (x, y) in enumerate(
        ((0.0, 0.05), (0.66, 0.0), (0.06, 0.62), (0.64, 0.66), (0.33, 0.34))
    ):
        s.box(x, y, x + 0.36, y + 0.36, shade(k.colour, (1.0, 0.92)[i % 2]), 0.06)


def _switched(s: Sheet, k: Look, state: str) -> None:
    if k.shape == "stove":
        # Flames beyond the rim of what stands on it.
        for inset, colour in ((0.0, (240, 60, 20)), (0.13, (70, 30, 30)), (0.36, (250, 110, 30))):
            s.oval(inset, inset, 1 - inset, 1 - inset, colour)
    elif k.shape == "machine" and state == "on":
        s.box(0.1, 0.64, 0.9, 0.86, (255, 80, 60), 0.03)
    elif k.shape == "faucet":
        s.oval(0.3, 0.3, 0.7, 0.6, _WATER)
    elif k.shape == "sink":
        s.box(0.06, 0.08, 0.94, 0.94, _WATER, 0.12)
    elif k.shape == "machine":
        s.box(0.12, 0.08, 0.88, 0.62, (20, 20, 20), 0.1)
    elif state == "open":
        # Without its cap: a dark mouth over the whole width of slim things.
        slim = k.shape in ("pen", "bottle", "carton", "shaker")
        s.oval(*((0.04, -0.06, 0.96, 0.3) if slim else (0.2, 0.02, 0.8, 0.44)), (20, 20, 20))


def _touched(s: Sheet, k: Look) -> None:
    """The rim of appliances lights, so that neither view's hand hides it; else the upper part."""
    if k.shape in ("stove", "machine"):
        s.rim(_TOUCHED, 0.1)
    elif k.shape == "tablet":
        s.rim(_TOUCHED, 0.2)
    else:
        s.box(0.05, 0.0, 0.95, 0.45, _TOUCHED, 0.1)


@lru_cache(maxsize=4096)
def sprite(look: Look, state: str, scale: int, angle: int) -> Image.Image:
    """A thing's picture.

    Args:
        look: its shape and colours.
        state: "", cut, peeled, open, on or folded; then `pressed` while a finger is on it.
        scale: pixels per metre.
        angle: degrees, counterclockwise.

    Returns:
        RGBA image whose middle is the thing's middle.
    """
    pressed = state.endswith(PRESSED)
    state = state.removesuffix(PRESSED)
    share = 0.6 if state == "folded" else 1.0
    size = (
        max(3, round(look.width_m * share * scale)) * _FINE,
        max(3, round(look.height_m * scale)) * _FINE,
    )
    sheet = Sheet(size)
    if state == "cut":
        _pieces(sheet, look)
    elif look.shape in SHAPES:
        SHAPES[look.shape](sheet, look)
    if state == "peeled":
        r, g, b = (round(255 - 0.4 * (255 - c)) for c in look.colour)
        sheet.oval(0.1, 0.12, 0.8, 0.88, (r, g, b))
    elif state in ("on", "open"):
        _switched(sheet, look, state)
    if pressed:
        _touched(sheet, look)
    image = sheet.image
    if angle:
        image = image.rotate(angle, Image.Resampling.BILINEAR, expand=True)
    return image.reduce(_FINE)
