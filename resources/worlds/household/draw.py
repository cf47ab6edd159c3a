"""Draws a recording: its place, the things on the table, the performer's hands, frame by frame."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

import numpy as np
import numpy.typing as npt
from PIL import Image, ImageDraw

from resources.worlds.household.clocks import Floats
from resources.worlds.household.gaze import lift, true_gaze
from resources.worlds.household.motion import Stage, tap
from resources.worlds.household.places import Backdrop
from resources.worlds.household.pose import GONE, Placed, Pose, off
from resources.worlds.household.scene import Point, camera_of, look
from resources.worlds.household.shapes import shade
from resources.worlds.household.sprites import sprite
from resources.worlds.household.things import Colour
from resources.worlds.household.truth import Recording

SLEEVES: Final[dict[str, Colour]] = {"left": (40, 110, 220), "right": (240, 130, 30)}
_LARGE: Final = frozenset(
    {
        "cutting_board",
        "plate",
        "bowl",
        "pan",
        "pot",
        "stove",
        "sink",
        "faucet",
        "centrifuge",
        "scale",
    }
    | {"rack", "tablet"}
)
# Suds in a colour that nothing else has, beside what is washed.
_FOAM: Final[Colour] = (130, 5, 255)
_FOAM_M: Final = ((-0.075, 0.0), (0.075, 0.0), (0.0, -0.06))
_GROUND: Final = frozenset({"stove", "sink", "faucet", "scale", "centrifuge"})


class Artist:
    """Draws frames of one recording; the still table is drawn once for the same still things."""

    def __init__(self, rec: Recording) -> None:
        self.rec, self.cam, self.stage = rec, camera_of(rec), Stage(rec)
        self.unit = rec.width_px / (272 if rec.view == "ego" else 320)
        self._place = Backdrop(rec).draw()
        self._key: tuple[object, ...] | None = None
        self._still = self._place

    def frames(self, t_s: Floats) -> Iterator[npt.NDArray[np.uint8]]:
        """Yields (height, width, 3) uint8 RGB pictures at increasing true times."""
        windows = np.zeros((t_s.size, 2), dtype=int)
        if self.rec.view == "ego":
            windows = true_gaze(self.rec).window(t_s).astype(int)
        for t, (x, y) in zip(t_s.tolist(), windows.tolist(), strict=True):
            yield self.frame(t, (x, y))

    def frame(self, t_s: float, corner: tuple[int, int] = (0, 0)) -> npt.NDArray[np.uint8]:
        """One picture at a true time; `corner` is the window's place on the canvas."""
        index, phase = self.stage.current(t_s)
        pose = self.stage.pose(t_s)
        # What an action will move but has not touched yet still stands on the table.
        still = self.stage.still(index, over := not 0 <= phase < 1)
        # What is switched where it stands keeps what stands on it or in it.
        switched = {n: p for n, p in pose.things.items() if n in _GROUND}
        pose.things = {n: p for n, p in pose.things.items() if n not in switched}
        still = still | switched
        if runs := "faucet" in still and still["faucet"].state == "on":
            still["sink"] = replace(still["sink"], state="on")
        key = (
            index,
            over,
            frozenset(pose.things),
            tuple((n, p.state) for n, p in switched.items()),
        )
        if key != self._key:
            self._still = self._table(still, key[2])
            self._key = key
        if runs and pose.stream is None:
            pose.stream, pose.gush = (*tap(still), "water"), True
        x, y = corner
        image = self._still.crop((x, y, x + self.rec.width_px, y + self.rec.height_px))
        self._moving(image, pose, corner)
        return np.asarray(image)

    def _at(self, point: Point) -> tuple[float, float]:
        x, y, _ = self.cam.project(*point)
        return x, y

    def _paste(
        self, image: Image.Image, noun: str, placed: Placed, corner: tuple[int, int]
    ) -> None:
        x, y, scale = self.cam.project(*placed.at)
        picture = sprite(
            look(self.rec, noun),
            placed.state,
            max(8, round(scale / 8) * 8),
            round(placed.angle / 12) * 12,
        )
        y -= 0.5 * scale * lift(self.rec, noun)
        box = round(x - picture.width / 2) - corner[0], round(y - picture.height / 2) - corner[1]
        image.paste(picture, box, picture)

    def _table(self, things: dict[str, Placed], moving: frozenset[str]) -> Image.Image:
        """The place with everything that stands still, the farthest first."""
        image = self._place.copy()
        away = -1 if self.rec.view == "ego" else 1
        flat = {"cutting_board", "sink", "stove", "rack", "plate", "bowl", "pan", "pot", "scale"}

        def order(item: tuple[str, Placed]) -> tuple[int, float, float, str]:
            noun, placed = item
            layer = 0 if noun in ("cutting_board", "sink", "stove") else 1 if noun in flat else 2
            return layer, away * placed.at[1], placed.at[2], noun

        for noun, placed in sorted(things.items(), key=order):
            if noun not in moving and noun != "table" and placed.state != GONE:
                self._paste(image, noun, placed, (0, 0))
        return image

    def _moving(self, image: Image.Image, pose: Pose, corner: tuple[int, int]) -> None:
        pen = ImageDraw.Draw(image)
        moving = sorted(pose.things, key=lambda n: (n not in _LARGE, pose.things[n].at[2], n))
        for noun in moving:
            if noun in _LARGE:
                self._paste(image, noun, pose.things[noun], corner)
        if pose.gush:
            self._stream(pen, pose, corner)
        for side in ("left", "right"):
            self._arm(pen, side, pose.hands[side], corner)
        for dx, dy in _FOAM_M if pose.foam is not None else ():
            x, y, scale = self.cam.project(*off(pose.foam or (0.0, 0.0, 0.0), dx, dy, 0.02))
            x, y, r = x - corner[0], y - corner[1], 0.025 * scale
            pen.ellipse((x - r, y - r, x + r, y + r), fill=_FOAM)
        # Small things are held at the fingertips: in front of the hand, so that they stay in sight.
        for noun in moving:
            if noun not in _LARGE:
                self._paste(image, noun, pose.things[noun], corner)
        if not pose.gush:
            self._stream(pen, pose, corner)

    def _stream(self, pen: ImageDraw.ImageDraw, pose: Pose, corner: tuple[int, int]) -> None:
        if pose.stream is None:
            return
        (xa, ya), (xb, yb) = self._at(pose.stream[0]), self._at(pose.stream[1])
        ends = (xa - corner[0], ya - corner[1], xb - corner[0], yb - corner[1])
        width = max(1, round((14 if pose.gush else 5) * self.unit))
        pen.line(ends, fill=look(self.rec, pose.stream[2]).colour, width=width)

    def _arm(
        self, pen: ImageDraw.ImageDraw, side: str, hand: Point, corner: tuple[int, int]
    ) -> None:
        x, y, scale = self.cam.project(*hand)
        x, y = x - corner[0], y - corner[1]
        skin, sleeve = self.rec.performer.skin, SLEEVES[side]
        sign = -1 if side == "left" else 1
        if self.rec.view == "ego":
            sx = self.cam.width_px / 2 + sign * 150 * self.unit - corner[0]
            sy, thick = self.cam.height_px + 30 * self.unit - corner[1], 29 * self.unit
        else:
            thick = 0.075 * scale
            ux, uy = self._at((sign * 0.21, -0.2, 0.26))
            sx, sy = self._at((sign * 0.30 + hand[0] * 0.3, -0.12, 0.06))
            dark, r = shade(sleeve, 0.78), thick * 0.55
            pen.line((ux, uy, sx, sy), fill=dark, width=round(thick * 1.15))
            pen.ellipse((sx - r, sy - r, sx + r, sy + r), fill=dark)
        wx, wy = x + (sx - x) * 0.14, y + (sy - y) * 0.14
        pen.line((sx, sy, wx, wy), fill=sleeve, width=max(2, round(thick)))
        pen.line((wx, wy, x, y), fill=skin, width=max(2, round(thick * 0.72)))
        r = thick * 0.48
        pen.ellipse((x - r, y - r, x + r, y + r), fill=skin)
        tx = x - sign * (1 if self.rec.view == "ego" else -1) * r * 0.9
        pen.ellipse((tx - r * 0.4, y - r * 1.1, tx + r * 0.4, y - r * 0.1), fill=shade(skin, 0.9))
