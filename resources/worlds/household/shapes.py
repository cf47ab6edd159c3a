"""Shapes of things, drawn flat on a sheet."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from PIL import Image, ImageDraw

from resources.worlds.household.things import Colour, Look


class Sheet:
    """Draws in fractions of the sprite: (0, 0) upper left, (1, 1) lower right."""

    def __init__(self, size: tuple[int, int]) -> None:
        self.image = Image.new("RGBA", size, (0, 0, 0, 0))
        self.pen = ImageDraw.Draw(self.image)
        self.w, self.h = size

    def _box(self, x0: float, y0: float, x1: float, y1: float) -> tuple[float, float, float, float]:
        return x0 * self.w, y0 * self.h, x1 * self.w - 1, y1 * self.h - 1

    def oval(self, x0: float, y0: float, x1: float, y1: float, fill: Colour) -> None:
        """An ellipse in a box."""
        self.pen.ellipse(self._box(x0, y0, x1, y1), fill=fill)

    def box(
        self, x0: float, y0: float, x1: float, y1: float, fill: Colour, round_: float = 0.0
    ) -> None:
        """A rectangle, corners rounded by a share of the short side."""
        self.pen.rounded_rectangle(
            self._box(x0, y0, x1, y1), round_ * min(self.w, self.h), fill=fill
        )

    def rim(self, fill: Colour, width: float) -> None:
        """A frame along the sprite's border; its width is a share of the short side."""
        wide = max(1, round(width * min(self.w, self.h)))
        self.pen.rectangle(self._box(0, 0, 1, 1), outline=fill, width=wide)

    def area(self, points: list[tuple[float, float]], fill: Colour) -> None:
        """A polygon."""
        self.pen.polygon([(x * self.w, y * self.h) for x, y in points], fill=fill)

    def line(self, points: list[tuple[float, float]], fill: Colour, width: float) -> None:
        """A line; its width is a share of the sprite's."""
        scaled = [(x * self.w, y * self.h) for x, y in points]
        self.pen.line(scaled, fill=fill, width=max(1, round(width * self.w)), joint="curve")


def shade(colour: Colour, factor: float) -> Colour:
    """A darker (below 1) or lighter (above 1) colour."""
    r, g, b = (min(255, round(c * factor)) for c in colour)
    return r, g, b


def _ball(s: Sheet, k: Look) -> None:
    s.oval(0.02, 0.04, 0.98, 1, shade(k.colour, 0.75))
    s.oval(0.02, 0.02, 0.96, 0.94, k.colour)
    s.area([(0.5, 0.2), (0.34, 0.02), (0.5, 0.08), (0.66, 0.02)], k.accent)


def _oval(s: Sheet, k: Look) -> None:
    s.oval(0, 0.06, 1, 1, shade(k.accent, 0.9))
    s.oval(0, 0.0, 0.98, 0.92, k.colour)
    s.oval(0.14, 0.14, 0.28, 0.28, k.accent)


def _disc(s: Sheet, k: Look) -> None:
    s.oval(0, 0.08, 1, 1, shade(k.accent, 0.8))
    s.oval(0, 0, 1, 0.92, k.accent)
    s.oval(0.07, 0.08, 0.93, 0.84, k.colour)


def _stick(s: Sheet, k: Look) -> None:
    s.area([(0.0, 0.5), (0.85, 0.02), (0.85, 0.98)], k.colour)
    s.oval(0.72, 0.0, 0.98, 1.0, k.colour)
    s.area([(0.9, 0.5), (1, 0.0), (1, 1)], k.accent)


def _cup(s: Sheet, k: Look) -> None:
    s.area([(0.08, 0.12), (0.8, 0.12), (0.7, 1), (0.18, 1)], k.colour)
    s.oval(0.08, 0, 0.8, 0.28, k.accent)
    s.line([(0.76, 0.3), (0.98, 0.42), (0.72, 0.72)], k.accent, 0.08)


def _bottle(s: Sheet, k: Look) -> None:
    s.box(0.1, 0.3, 0.9, 1, k.colour, 0.2)
    s.box(0.34, 0.06, 0.66, 0.4, k.colour, 0.05)
    s.box(0.3, 0, 0.7, 0.12, k.accent, 0.05)
    s.box(0.1, 0.8, 0.9, 0.92, k.accent)


def _carton(s: Sheet, k: Look) -> None:
    s.box(0.08, 0.2, 0.92, 1, k.colour)
    s.area([(0.08, 0.2), (0.3, 0), (0.7, 0), (0.92, 0.2)], k.accent)
    s.box(0.08, 0.82, 0.92, 0.95, k.accent)


def _shaker(s: Sheet, k: Look) -> None:
    s.area([(0.2, 0.28), (0.8, 0.28), (0.95, 1), (0.05, 1)], k.colour)
    s.oval(0.2, 0, 0.8, 0.42, k.accent)


def _knife(s: Sheet, k: Look) -> None:
    s.area([(0.2, 0.62), (0.2, 0.12), (0.5, 0.0), (0.85, 0.2), (0.85, 0.62)], k.colour)
    s.box(0.3, 0.6, 0.75, 1, k.accent, 0.2)


def _spoon(s: Sheet, k: Look) -> None:
    s.line([(0.5, 0.2), (0.5, 1)], k.accent, 0.26)
    s.oval(0.05, 0, 0.95, 0.36, k.colour)


def _spatula(s: Sheet, k: Look) -> None:
    s.line([(0.5, 0.3), (0.5, 1)], k.accent, 0.22)
    s.box(0.05, 0, 0.95, 0.4, k.colour, 0.12)


def _whisk(s: Sheet, k: Look) -> None:
    s.oval(0.02, 0, 0.98, 0.56, k.colour)
    s.oval(0.3, 0.06, 0.7, 0.5, shade(k.colour, 0.8))
    s.line([(0.5, 0.5), (0.5, 1)], k.accent, 0.25)


def _peeler(s: Sheet, k: Look) -> None:
    s.box(0.1, 0, 0.9, 0.3, k.accent, 0.15)
    s.box(0.3, 0.25, 0.7, 1, k.colour, 0.15)


def _pen(s: Sheet, k: Look) -> None:
    s.box(0.15, 0.14, 0.85, 0.98, k.colour, 0.3)
    s.box(0.1, 0, 0.9, 0.24, k.accent, 0.2)


def _board(s: Sheet, k: Look) -> None:
    s.box(0, 0.05, 1, 1, shade(k.accent, 0.8), 0.1)
    s.box(0, 0, 1, 0.94, k.colour, 0.1)
    s.oval(0.9, 0.42, 0.96, 0.54, k.accent)


def _pan(s: Sheet, k: Look) -> None:
    s.box(0.7, 0.4, 1, 0.52, k.accent, 0.05)
    s.oval(0, 0.04, 0.8, 1, k.accent)
    s.oval(0.05, 0.06, 0.75, 0.86, k.colour)


def _pot(s: Sheet, k: Look) -> None:
    s.box(0, 0.36, 1, 0.5, k.accent, 0.05)
    s.box(0.1, 0.3, 0.9, 1, k.colour, 0.15)
    s.oval(0.1, 0.06, 0.9, 0.6, k.accent)
    s.oval(0.16, 0.12, 0.84, 0.54, k.colour)


def _lid(s: Sheet, k: Look) -> None:
    s.oval(0, 0.15, 1, 1, k.accent)
    s.oval(0.03, 0.12, 0.97, 0.9, k.colour)
    s.oval(0.4, 0, 0.6, 0.26, k.accent)


def _cloth(s: Sheet, k: Look) -> None:
    s.area([(0.05, 0.1), (0.9, 0), (1, 0.85), (0.6, 1), (0, 0.9)], k.colour)
    for x in (0.2, 0.8):
        s.line([(x, 0.08), (x + 0.04, 0.92)], k.accent, 0.05)
    s.line([(0.05, 0.8), (0.95, 0.76)], k.accent, 0.05)


def _wedge(s: Sheet, k: Look) -> None:
    s.area([(0, 0.75), (0.85, 0.05), (1, 0.6), (0.98, 1), (0.02, 1)], k.colour)
    s.oval(0.7, 0.7, 0.86, 0.9, k.accent)
    s.oval(0.2, 0.76, 0.32, 0.94, k.accent)


def _blob(s: Sheet, k: Look) -> None:
    s.oval(0, 0.1, 0.7, 1, k.colour)
    s.oval(0.35, 0, 1, 0.9, k.colour)
    s.line([(0.12, 0.3), (0.35, 0.16), (0.6, 0.12)], k.accent, 0.05)


def _block(s: Sheet, k: Look) -> None:
    s.box(0, 0.2, 1, 1, k.accent, 0.06)
    s.box(0, 0, 1, 0.78, k.colour, 0.06)


def _loaf(s: Sheet, k: Look) -> None:
    s.box(0, 0.1, 1, 1, k.colour, 0.4)
    for x in (0.25, 0.7):
        s.line([(x, 0.25), (x + 0.1, 0.5)], k.accent, 0.05)


def _leafy(s: Sheet, k: Look) -> None:
    for x, y in ((0, 0.2), (0.4, 0.1), (0.15, 0), (0.45, 0.35)):
        s.oval(x, y, x + 0.55, y + 0.6, k.accent)
    s.oval(0.16, 0.14, 0.86, 0.86, k.colour)


def _bell(s: Sheet, k: Look) -> None:
    s.oval(0, 0.16, 0.6, 1, k.colour)
    s.oval(0.4, 0.16, 1, 1, k.colour)
    s.box(0.25, 0.3, 0.75, 0.95, k.colour, 0.2)
    s.box(0.42, 0, 0.58, 0.28, k.accent, 0.1)


def _rack(s: Sheet, k: Look) -> None:
    s.box(0, 0.1, 1, 1, k.accent, 0.08)
    s.box(0, 0, 1, 0.82, k.colour, 0.08)
    for x in (0.08, 0.28, 0.62, 0.82):
        s.oval(x, 0.1, x + 0.1, 0.32, shade(k.accent, 0.6))


def _machine(s: Sheet, k: Look) -> None:
    s.box(0, 0, 1, 1, shade(k.colour, 0.75), 0.1)
    s.box(0.02, 0, 0.98, 0.9, k.colour, 0.1)
    s.box(0.3, 0.7, 0.7, 0.84, k.accent, 0.03)


def _glove(s: Sheet, k: Look) -> None:
    s.box(0.2, 0.35, 0.85, 1, k.colour, 0.15)
    for x in (0.2, 0.42, 0.64):
        s.box(x, 0, x + 0.19, 0.6, k.colour, 0.1)
    s.line([(0.25, 0.7), (0.05, 0.4)], k.colour, 0.16)
    s.box(0.2, 0.88, 0.85, 1, k.accent)


def _tablet(s: Sheet, k: Look) -> None:
    s.box(0, 0, 1, 1, k.accent, 0.08)
    s.box(0.08, 0.06, 0.92, 0.92, k.colour)
    s.box(0.2, 0.14, 0.8, 0.22, (255, 255, 255))


def _stove(s: Sheet, k: Look) -> None:
    s.box(0, 0, 1, 1, k.colour, 0.06)
    s.oval(0.14, 0.1, 0.86, 0.86, k.accent)
    s.oval(0.2, 0.16, 0.8, 0.8, k.colour)
    s.oval(0.32, 0.28, 0.68, 0.68, k.accent)
    s.oval(0.37, 0.33, 0.63, 0.63, k.colour)
    for x in (0.3, 0.5, 0.7):
        s.oval(x - 0.03, 0.9, x + 0.03, 0.97, (220, 220, 220))


def _sink(s: Sheet, k: Look) -> None:
    s.box(0, 0, 1, 1, k.accent, 0.12)
    s.box(0.06, 0.08, 0.94, 0.94, k.colour, 0.12)
    s.oval(0.78, 0.7, 0.86, 0.8, shade(k.accent, 0.6))


def _faucet(s: Sheet, k: Look) -> None:
    s.box(0.3, 0.2, 0.7, 0.9, k.colour, 0.1)
    s.box(0.1, 0, 0.9, 0.28, k.colour, 0.1)
    s.oval(0.15, 0.75, 0.85, 1, k.accent)


SHAPES: Final[dict[str, Callable[[Sheet, Look], None]]] = {
    "ball": _ball, "oval": _oval, "disc": _disc, "stick": _stick, "cup": _cup, "bottle": _bottle,
    "carton": _carton, "shaker": _shaker, "knife": _knife, "spoon": _spoon, "spatula": _spatula,
    "whisk": _whisk, "peeler": _peeler, "pen": _pen, "board": _board, "pan": _pan, "pot": _pot,
    "lid": _lid, "cloth": _cloth, "wedge": _wedge, "blob": _blob, "block": _block, "loaf": _loaf,
    "leafy": _leafy, "bell": _bell, "rack": _rack, "machine": _machine, "glove": _glove,
    "tablet": _tablet, "stove": _stove, "sink": _sink, "faucet": _faucet,
}  # fmt: skip
