"""Draws places: the table, what lies behind it, and the performer who stands there."""

from __future__ import annotations

from typing import Final

from PIL import Image, ImageDraw

from resources.worlds.household.scene import Point, camera_of
from resources.worlds.household.shapes import shade
from resources.worlds.household.things import HOMES, Colour
from resources.worlds.household.truth import Recording
from resources.worlds.tools.chance import between

_FINE: Final = 3
_TABLE: Final = (-0.86, 0.86, 0.0, 0.68)


class Backdrop:
    """The place of one recording without the things on its table."""

    def __init__(self, rec: Recording) -> None:
        self.rec, self.home, self.cam = rec, HOMES[rec.home], camera_of(rec)

    def _at(self, point: Point) -> tuple[float, float]:
        x, y, _ = self.cam.project(*point)
        return x, y

    def _quad(self, pen: ImageDraw.ImageDraw, points: list[Point], fill: Colour) -> None:
        pen.polygon([(x * _FINE, y * _FINE) for x, y in map(self._at, points)], fill=fill)

    def draw(self) -> Image.Image:
        """The place without things, on the whole canvas."""
        home, size = self.home, (self.cam.width_px * _FINE, self.cam.height_px * _FINE)
        image = Image.new("RGB", size, home.floor if self.rec.view == "ego" else home.wall)
        pen = ImageDraw.Draw(image)
        if self.rec.view == "ego":
            self._floor(pen)
        else:
            self._wall(pen)
            self._body(pen)
        x0, x1, y0, y1 = _TABLE
        self._quad(pen, [(x0, y0, 0), (x1, y0, 0), (x1, y1, 0), (x0, y1, 0)], home.table)
        self._texture(pen)
        # Only the side that faces the camera shows.
        y, z = (y0, -0.05) if self.rec.view == "ego" else (y1, -0.06)
        self._quad(pen, [(x0, y, 0), (x1, y, 0), (x1, y, z), (x0, y, z)], shade(home.table, 0.7))
        if self.rec.view == "exo":
            under = shade(home.table_accent, 0.6)
            self._quad(pen, [(x0, y, z), (x1, y, z), (x1, y, -0.6), (x0, y, -0.6)], under)
        return image.reduce(_FINE)

    def _texture(self, pen: ImageDraw.ImageDraw) -> None:
        x0, x1, y0, y1 = _TABLE
        home, kind = self.home, self.home.texture

        def bar(xa: float, xb: float, ya: float, yb: float) -> None:
            quad = [(xa, ya, 0.0), (xb, ya, 0.0), (xb, yb, 0.0), (xa, yb, 0.0)]
            self._quad(pen, quad, home.table_accent)

        if kind == "planks":
            for i in range(1, 6):
                bar(x0, x1, y0 + i * 0.115, y0 + i * 0.115 + 0.005)
                at = x0 + between(0.2, 1.4, "plank", i)
                bar(at, at + 0.005, y0 + (i - 1) * 0.115, y0 + i * 0.115)
        elif kind == "marble":
            for i in range(7):
                at, lean = x0 + between(0.0, 1.5, "vein", i), between(-0.4, 0.4, "lean", i)
                quad = [
                    (at, y0, 0.0),
                    (at + 0.02, y0, 0.0),
                    (at + lean + 0.006, y1, 0.0),
                    (at + lean, y1, 0.0),
                ]
                self._quad(pen, quad, home.table_accent)
        elif kind == "tiles":
            for i in range(1, 12):
                bar(x0 + i * 0.145, x0 + i * 0.145 + 0.006, y0, y1)
            for i in range(1, 5):
                bar(x0, x1, y0 + i * 0.145, y0 + i * 0.145 + 0.006)
        else:
            bar(-0.36, 0.36, 0.03, 0.33)
            for i in range(1, 9):
                quad = [(-0.36 + i * 0.08, 0.03, 0.0), (-0.357 + i * 0.08, 0.03, 0.0)]
                quad += [(-0.357 + i * 0.08, 0.33, 0.0), (-0.36 + i * 0.08, 0.33, 0.0)]
                self._quad(pen, quad, home.table)

    def _floor(self, pen: ImageDraw.ImageDraw) -> None:
        """What the wearer sees beyond the table: tiles of the floor and a skirting."""
        dark = shade(self.home.floor, 0.88)
        for row in range(10):
            for column in range(-9, 9):
                if (row + column) % 2:
                    x, y = column * 0.3, row * 0.3
                    quad = [
                        (x, y, -0.9),
                        (x + 0.3, y, -0.9),
                        (x + 0.3, y + 0.3, -0.9),
                        (x, y + 0.3, -0.9),
                    ]
                    self._quad(pen, quad, dark)

    def _wall(self, pen: ImageDraw.ImageDraw) -> None:
        """What the demonstration's camera sees behind the performer."""
        home, back = self.home, -1.3

        def panel(x0: float, x1: float, z0: float, z1: float, fill: Colour) -> None:
            self._quad(pen, [(x0, back, z0), (x1, back, z0), (x1, back, z1), (x0, back, z1)], fill)

        if home.texture in ("planks", "mat"):
            panel(-3, 3, -1.2, -0.15, shade(home.wall, 0.85))
        if home.texture == "marble":
            for i in range(-12, 12):
                panel(i * 0.25, i * 0.25 + 0.012, -1.2, 0.9, shade(home.wall, 0.88))
            for i in range(-4, 4):
                panel(-3, 3, i * 0.25, i * 0.25 + 0.012, shade(home.wall, 0.88))
        if home.texture == "tiles":
            panel(-1.35, -0.45, 0.1, 0.85, shade(home.wall_accent, 0.85))
            panel(-1.30, -0.5, 0.14, 0.81, (170, 214, 240))
            panel(-0.92, -0.88, 0.14, 0.81, shade(home.wall_accent, 0.85))
        shelf = home.wall_accent
        shelves = [(0.5, 1.5, 0.25), (0.6, 1.5, 0.55)]
        if home.texture != "tiles":
            shelves.append((-1.6, -0.7, 0.4))
        for x0, x1, z in shelves:
            panel(x0, x1, z - 0.03, z, shelf)
            for i in range(4):
                at = x0 + 0.1 + i * 0.22
                tall = between(0.08, 0.2, self.rec.home, "jar", x0, i)
                tint = between(0.6, 1.4, self.rec.home, x0, z, i)
                panel(at, at + 0.12, z, z + tall, shade(shelf, tint))

    def _body(self, pen: ImageDraw.ImageDraw) -> None:
        """The performer behind the table."""
        who = self.rec.performer
        shirt = (70, 74, 84) if self.rec.scene == "kitchen" else (246, 248, 250)
        trunk = [(-0.20, -0.2, -0.4), (0.20, -0.2, -0.4), (0.22, -0.2, 0.30), (0.09, -0.2, 0.38)]
        self._quad(pen, [*trunk, (-0.09, -0.2, 0.38), (-0.22, -0.2, 0.30)], shirt)
        apron = [
            (-0.13, -0.19, -0.4),
            (0.13, -0.19, -0.4),
            (0.11, -0.19, 0.26),
            (-0.11, -0.19, 0.26),
        ]
        self._quad(pen, apron, who.apron)
        x, y, scale = self.cam.project(0.0, -0.2, 0.50)
        for dx, dy, r, fill in (
            (0, 0.06, 0.055, shade(who.skin, 0.85)), (0, -0.01, 0.105, shade(who.apron, 0.45)),
            (0, 0.015, 0.092, who.skin),
        ):  # fmt: skip
            cx, cy, px = (x + dx * scale) * _FINE, (y + dy * scale) * _FINE, r * scale * _FINE
            pen.ellipse((cx - px, cy - px * 1.12, cx + px, cy + px * 1.12), fill=fill)
        for side in (-0.034, 0.034):
            cx, cy, px = (
                (x + side * scale) * _FINE,
                (y + 0.025 * scale) * _FINE,
                0.011 * scale * _FINE,
            )
            pen.ellipse((cx - px, cy - px, cx + px, cy + px), fill=(30, 30, 34))
