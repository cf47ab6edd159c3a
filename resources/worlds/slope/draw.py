"""Draws a run: the ground is a map of the track that each pixel's ray is looked up in.

Where an action begins, a band in its colour lies across the track. Track and bands come out of the
haze as the wearer nears them: what begins next can be seen just before, and nothing of what follows.
"""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt
from PIL import Image, ImageDraw

from resources.worlds.slope.path import SPEED, Path, View
from resources.worlds.slope.truth import Run, Sport
from resources.worlds.tools.chance import between

Colour = tuple[int, int, int]
BAND_COLOUR: Final[dict[str, Colour]] = {
    "forward": (20, 20, 20),
    "left": (255, 0, 0),
    "right": (0, 0, 255),
    "curveleft": (255, 150, 0),
    "curveright": (0, 215, 255),
    "leftright": (170, 0, 255),
    "jump": (255, 0, 190),
    "spin": (255, 255, 0),
    "flip": (0, 110, 50),
    "roll": (110, 255, 0),
    "bumpyforward": (150, 90, 150),
    "slidestop": (120, 0, 0),
    "run": (255, 180, 160),
    "walk": (90, 60, 40),
}
"""Colour of the band across the track where an action begins."""
_LOOK: Final[dict[Sport, dict[str, Colour]]] = {
    "skiing": {
        "ground": (236, 240, 248), "dots": (205, 215, 232), "track": (176, 196, 226),
        "sky": (70, 130, 215), "far": (120, 140, 170), "gear": (205, 30, 60),
    },
    "mountain bike": {
        "ground": (88, 140, 60), "dots": (66, 112, 44), "track": (168, 124, 78),
        "sky": (165, 205, 235), "far": (50, 90, 50), "gear": (45, 45, 50),
    },
    "jetski": {
        "ground": (40, 105, 150), "dots": (64, 132, 172), "track": (150, 205, 215),
        "sky": (195, 225, 245), "far": (180, 160, 110), "gear": (245, 200, 20),
    },
    "parkour": {
        "ground": (128, 128, 132), "dots": (104, 104, 110), "track": (196, 190, 180),
        "sky": (225, 190, 160), "far": (90, 70, 80), "gear": (225, 170, 140),
    },
}  # fmt: skip
"""Colours by sport."""
_SUN: Final[Colour] = (255, 240, 120)
_METRES_PER_CELL: Final = 0.35
_MARGIN_M: Final = 60.0
_TRACK_M, _BAND_M, _BAND_WIDE_M = 3.2, 4.0, 6.4
_FAR_M: Final = 140.0
_SIGHT_S: Final = 2.3
"""Track and bands can be seen from so far, at the speed of the sport."""
_GROUND, _DOTS, _TRACK, _SKY, _FAR, _SUNNY, _BANDS = range(7)


class Artist:
    """Draws pictures of one run."""

    def __init__(self, run: Run) -> None:
        self.run, self.path = run, Path(run)
        self._labels = tuple(BAND_COLOUR)
        self._map, self._corner = self._ground()
        self._sight_m = _SIGHT_S * SPEED[run.sport]
        look = _LOOK[run.sport]
        colours = [look[name] for name in ("ground", "dots", "track", "sky", "far")]
        colours += [_SUN, *BAND_COLOUR.values()]
        self._colours = np.array(colours, dtype=np.uint8)
        self._rays = self._through_pixels()
        self._gear, self._worn = self._draw_gear()
        degrees = np.arange(360)
        waves = (between(2, 5, run.video_id, "far", i) for i in range(3))
        self._ridge = np.radians(
            sum(
                h * (1 + np.sin(np.radians(degrees * (i + 2) * 3))) / 2 for i, h in enumerate(waves)
            )
        )

    def frame(self, t_s: float) -> npt.NDArray[np.uint8]:
        """The picture at an instant as (height, width, 3) uint8 RGB."""
        view = self.path.view(t_s)
        east, north, up = self._turned(view)
        code = np.full(up.shape, _SKY, dtype=np.uint8)
        flat = np.hypot(east, north)
        azimuth = np.degrees(np.arctan2(-east, north)).astype(np.int64) % 360
        code[up < np.tan(self._ridge[azimuth]) * flat] = _FAR
        sun = (np.abs(azimuth - 10) < 6) & (np.abs(up - 0.35 * flat) < 0.1 * flat)
        code[sun & (code == _SKY)] = _SUNNY
        down = up < -view.z / _FAR_M * flat
        reach = view.z / -up[down]
        cells = [
            ((start + reach * ray[down] - corner) / _METRES_PER_CELL).astype(np.int64)
            for start, ray, corner in zip(
                (view.x, view.y), (east, north), self._corner, strict=True
            )
        ]
        height, width = self._map.shape
        inside = (cells[0] >= 0) & (cells[0] < width) & (cells[1] >= 0) & (cells[1] < height)
        seen = np.zeros(reach.shape, dtype=np.uint8)
        seen[inside] = self._map[cells[1][inside], cells[0][inside]]
        seen[(reach * flat[down] > self._sight_m) & (seen != _DOTS)] = _GROUND
        code[down] = seen
        image = self._colours[code]
        image[self._worn] = self._gear[self._worn]
        return image

    def _through_pixels(self) -> npt.NDArray[np.float64]:
        """Rays (3, height, width): right, forward, up."""
        width, height = self.run.size
        focal = 0.55 * width
        u, v = np.meshgrid(np.arange(width) + 0.5, np.arange(height) + 0.5)
        ahead = np.ones_like(u)
        return np.stack([(u - width / 2) / focal, ahead, (height / 2 - v) / focal]).astype(
            np.float64
        )

    def _turned(self, view: View) -> npt.NDArray[np.float64]:
        """Rays in the world: east, north, up."""
        yaw, pitch, roll = np.radians([view.yaw_deg, view.pitch_deg, view.roll_deg])
        lean = np.array(
            [[np.cos(roll), 0, np.sin(roll)], [0, 1, 0], [-np.sin(roll), 0, np.cos(roll)]]
        )
        tilt = np.array(
            [[1, 0, 0], [0, np.cos(pitch), -np.sin(pitch)], [0, np.sin(pitch), np.cos(pitch)]]
        )
        turn = np.array([[np.cos(yaw), -np.sin(yaw), 0], [np.sin(yaw), np.cos(yaw), 0], [0, 0, 1]])
        return np.tensordot(turn @ tilt @ lean, self._rays, axes=1)

    def _ground(self) -> tuple[npt.NDArray[np.uint8], tuple[float, float]]:
        """The map as codes by cell, row 0 in the south, and its south-western corner."""
        xy = self.path.xy
        low, high = xy.min(axis=0) - _MARGIN_M, xy.max(axis=0) + _MARGIN_M
        size = tuple(((high - low) / _METRES_PER_CELL).astype(int))
        image = Image.new("L", size, _GROUND)
        pen = ImageDraw.Draw(image)
        for i in range(int(size[0] * size[1] / 900)):
            key = (self.run.video_id, "dot", i)
            x, y = (between(0, side, *key, axis) for side, axis in zip(size, "xy", strict=True))
            r = between(0.8, 2.6, *key, "r")
            pen.ellipse((x - r, y - r, x + r, y + r), fill=_DOTS)
        cells = (xy - low) / _METRES_PER_CELL
        track = [(float(x), float(y)) for x, y in cells[::6]]
        pen.line(track, fill=_TRACK, width=round(_TRACK_M / _METRES_PER_CELL), joint="curve")
        for action in self.run.actions:
            x, y, heading = self.path.at(action.start_s)
            code = _BANDS + self._labels.index(action.label)
            pen.polygon(_band(x - low[0], y - low[1], heading), fill=code)
        return np.asarray(image), (float(low[0]), float(low[1]))

    def _draw_gear(self) -> tuple[npt.NDArray[np.uint8], npt.NDArray[np.bool_]]:
        """What the wearer sees of the gear, and where."""
        width, height = self.run.size
        image = Image.new("L", (width, height), 0)
        pen = ImageDraw.Draw(image)
        for shape in _GEAR[self.run.sport]:
            pen.polygon([(x * width, y * height) for x, y in shape], fill=255)
        gear = np.zeros((height, width, 3), dtype=np.uint8)
        gear[:] = _LOOK[self.run.sport]["gear"]
        return gear, np.asarray(image) > 0


_GEAR: Final[dict[Sport, tuple[tuple[tuple[float, float], ...], ...]]] = {
    "skiing": (
        ((0.36, 1.0), (0.43, 0.8), (0.45, 0.8), (0.43, 1.0)),
        ((0.57, 1.0), (0.55, 0.8), (0.57, 0.8), (0.64, 1.0)),
    ),
    "mountain bike": (
        ((0.2, 0.9), (0.8, 0.9), (0.8, 0.96), (0.2, 0.96)),
        ((0.47, 0.9), (0.53, 0.9), (0.55, 1.0), (0.45, 1.0)),
    ),
    "jetski": (((0.32, 1.0), (0.5, 0.8), (0.68, 1.0)),),
    "parkour": (
        ((0.08, 1.0), (0.12, 0.86), (0.2, 0.84), (0.24, 1.0)),
        ((0.76, 1.0), (0.8, 0.84), (0.88, 0.86), (0.92, 1.0)),
    ),
}
"""Skis, handlebar, nose of the jetski, hands: shares of the picture's sides."""


def _band(x: float, y: float, heading_deg: float) -> list[tuple[float, float]]:
    """Corners of a band in cells: it begins where the action does and lies across the track."""
    turn = np.radians(heading_deg)
    along, across = (-np.sin(turn), np.cos(turn)), (np.cos(turn), np.sin(turn))
    half = _BAND_WIDE_M / 2
    return [
        tuple(
            float(start + far * a + side * b) / _METRES_PER_CELL
            for start, a, b in zip((x, y), along, across, strict=True)
        )
        for far, side in ((0.0, -half), (0.0, half), (_BAND_M, half), (_BAND_M, -half))
    ]  # type: ignore[return-value]
