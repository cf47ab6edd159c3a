"""Stations of a training session: what is done at each, where, and what stands there.

A picture tells one station from another by the thing that stands there. A station of a circuit also has a
cube with a number on a post: stations are visited in the order of their numbers, and either of two that have
the same number may come first.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from resources.worlds.flat.palette import Colour
from resources.worlds.flat.places import Block
from resources.worlds.flat.render import Scene
from resources.worlds.flat.scene import scene_of

_AHEAD: Final = ((1, 0), (0, 1), (-1, 0), (0, -1))
_POST_M, _CUBE_M = 0.45, 0.46
"""How far behind the place of the hands a post stands, and the side of the cube on it."""
_CUBE_LOW_M, _EDGE_M = 1.15, 0.035
_WHITE: Final[Colour] = (244, 244, 240)
_BLACK: Final[Colour] = (24, 24, 26)
_GREY: Final[Colour] = (120, 122, 126)
_WOOD: Final[Colour] = (150, 98, 54)
_RED: Final[Colour] = (214, 40, 36)
_ORANGE: Final[Colour] = (240, 130, 20)
_YELLOW: Final[Colour] = (240, 214, 40)
_BLUE: Final[Colour] = (60, 130, 220)
_GREEN: Final[Colour] = (24, 110, 60)


Part = tuple[tuple[float, float, float], tuple[float, float, float], Colour]


@dataclass(frozen=True)
class Station:
    """A keystep and where it is done.

    Attributes:
        name: Name of the keystep.
        spot: Where the hands are, x and y.
        side: Where the wearer looks meanwhile, in quarter turns counterclockwise from the east.
        parts: What stands there: lower and upper corner, counted to the right of the wearer, away from the
            wearer and up from the ground below the hands, metres; and its colour.
    """

    name: str
    spot: tuple[float, float]
    side: int
    parts: tuple[Part, ...] = ()

    @property
    def ahead(self) -> tuple[int, int]:
        """Where the wearer looks, as a step in x and y."""
        return _AHEAD[self.side]

    def block(
        self, low: tuple[float, float, float], high: tuple[float, float, float], colour: Colour
    ) -> Block:
        """A box of the station's own frame (right, ahead, up) in the world."""
        (x, y), (dx, dy) = self.spot, self.ahead
        corners = [(x + r * dy + a * dx, y - r * dx + a * dy, z) for r, a, z in (low, high)]
        lo, hi = (tuple(pick(pair) for pair in zip(*corners, strict=True)) for pick in (min, max))
        return Block((lo[0], lo[1], lo[2]), (hi[0], hi[1], hi[2]), colour, plain=colour == _WHITE)


def _row(
    n: int, step_m: float, size_m: tuple[float, float, float], colour: Colour, up_m: float
) -> tuple[Part, ...]:
    """Boxes side by side."""
    wide, deep, high = size_m
    middles = [(k - (n - 1) / 2) * step_m for k in range(n)]
    return tuple(
        ((m - wide / 2, -deep / 2, up_m), (m + wide / 2, deep / 2, up_m + high), colour)
        for m in middles
    )


_BOARD: Final = (
    ((-0.04, 0.3, 0.0), (0.04, 0.38, 1.2), _GREY),
    ((-0.45, 0.3, 1.2), (0.45, 0.36, 1.8), _BLACK),
    *(
        ((r, 0.27, 1.3), (r + 0.2, 0.3, 1.7), _RED)
        for r in (-0.32, 0.12)
    ),
)  # fmt: skip
STATIONS: Final = {
    station.name: station
    for station in (
        # A wooden chest with a light lid and a padlock.
        Station("Unlock the equipment box", (-3.2, 1.9), 1, (
            ((-0.4, -0.2, 0.0), (0.4, 0.25, 0.45), _WOOD),
            ((-0.42, -0.22, 0.45), (0.42, 0.27, 0.53), (206, 160, 104)),
            ((-0.06, -0.26, 0.32), (0.06, -0.22, 0.48), _YELLOW),
        )),
        # A white sheet on a desk of thin legs.
        Station("Sign the booking sheet", (-3.0, -0.4), 2, (
            ((-0.04, -0.04, 0.0), (0.04, 0.04, 0.5), _BLACK),
            ((-0.3, -0.22, 0.5), (0.3, 0.22, 0.54), (86, 60, 44)),
            ((-0.16, -0.2, 0.54), (0.16, 0.2, 0.56), _WHITE),
        )),
        # Orange balls round a pump.
        Station("Pump up the balls", (-1.2, -1.6), 3, (
            *_row(2, 0.6, (0.24, 0.24, 0.24), _ORANGE, 0.0),
            ((-0.12, 0.2, 0.0), (0.12, 0.44, 0.24), _ORANGE),
            ((-0.05, -0.05, 0.0), (0.05, 0.05, 0.45), _GREY),
            ((-0.16, -0.03, 0.45), (0.16, 0.03, 0.5), _BLACK),
        )),
        # Blue bottles with white caps on a low table.
        Station("Fill the water bottles", (-0.6, 1.2), 1, (
            ((-0.42, -0.14, 0.0), (0.42, 0.14, 0.2), _GREY),
            *_row(5, 0.16, (0.09, 0.09, 0.28), _BLUE, 0.2),
            *_row(5, 0.16, (0.06, 0.06, 0.06), _WHITE, 0.48),
        )),
        # A bucket of chalk at the end of a white line.
        Station("Chalk the starting line", (1.0, -0.3), 0, (
            ((-0.9, -0.06, 0.004), (0.9, 0.06, 0.012), _WHITE),
            ((-0.14, 0.12, 0.012), (0.14, 0.4, 0.34), (90, 60, 150)),
            ((-0.12, 0.14, 0.34), (0.12, 0.38, 0.37), _WHITE),
        )),
        # Ropes across the goal, and a knot.
        Station("Tie the goal net", (3.2, 1.0), 0, (
            *(((r, 0.62, 0.0), (r + 0.03, 0.65, 1.7), _WHITE) for r in (-0.1, 0.3, 0.7, 1.1)),
            *(((-0.1, 0.58, z), (1.13, 0.61, z + 0.03), _WHITE) for z in (0.4, 0.9, 1.4)),
        )),
        # A white spot and a rake.
        Station("Rake the penalty spot", (2.2, -1.9), 3, (
            ((-0.15, -0.45, 0.004), (0.15, -0.15, 0.012), _WHITE),
            ((-0.3, 0.05, 0.0), (0.3, 0.1, 0.1), (60, 60, 66)),
            ((-0.025, 0.05, 0.1), (0.025, 0.1, 1.3), _WOOD),
        )),
        Station("Start the scoreboard", (0.4, 2.1), 1, _BOARD),
        Station("Test the scoreboard", (0.5, 2.2), 1),
        # A pile of bibs in three colours on a stool.
        Station("Fold the bibs", (-2.0, 0.6), 1, (
            ((-0.2, -0.2, 0.0), (0.2, 0.2, 0.3), _BLACK),
            *(
                ((-0.24, -0.16, 0.3 + 0.09 * k), (0.24, 0.16, 0.39 + 0.09 * k), colour)
                for k, colour in enumerate(((240, 60, 200), (60, 230, 90), (240, 60, 200)))
            ),
        )),
        # A yellow whistle on a hook.
        Station("Hang up the whistle", (-3.4, -1.8), 3, (
            ((-0.03, 0.2, 0.0), (0.03, 0.26, 1.5), _WOOD),
            ((-0.03, -0.05, 1.44), (0.03, 0.2, 1.5), _WOOD),
            ((-0.12, -0.05, 1.1), (0.12, 0.05, 1.28), _YELLOW),
            ((-0.01, -0.01, 1.28), (0.01, 0.01, 1.44), _RED),
        )),
        # A bucket and a cloth on the bench.
        Station("Wipe the bench", (-1.4, 2.0), 1, (
            ((-0.3, 0.35, 0.451), (0.3, 0.65, 0.47), (120, 220, 230)),
            ((0.4, 0.35, 0.451), (0.62, 0.57, 0.7), _RED),
        )),
        # A green bin with a black bag over its edge.
        Station("Empty the bin", (2.6, 2.1), 0, (
            ((-0.24, -0.24, 0.0), (0.24, 0.24, 0.5), _GREEN),
            ((-0.27, -0.27, 0.5), (0.27, 0.27, 0.58), _BLACK),
        )),
        # A broom and a heap of dirt.
        Station("Sweep the corner", (3.2, -2.0), 0, (
            ((-0.26, 0.1, 0.0), (0.26, 0.2, 0.16), _YELLOW),
            ((-0.025, 0.125, 0.16), (0.025, 0.175, 1.35), _RED),
            ((-0.2, -0.2, 0.0), (0.2, 0.05, 0.07), (92, 78, 60)),
        )),
        # A white case with a red cross.
        Station("Check the first aid kit", (1.4, 1.3), 1, (
            ((-0.2, -0.05, 0.0), (0.2, 0.2, 0.24), _GREY),
            ((-0.28, -0.1, 0.24), (0.28, 0.22, 0.58), _WHITE),
            ((-0.05, -0.12, 0.28), (0.05, -0.1, 0.54), _RED),
            ((-0.14, -0.13, 0.36), (0.14, -0.12, 0.46), _RED),
            ((-0.2, -0.04, 0.58), (0.2, 0.06, 0.59), _RED),
            ((-0.06, -0.06, 0.59), (0.06, 0.18, 0.595), _RED),
        )),
    )
}  # fmt: skip


# Bars of a digit in a field of 4 x 6 units, from the lower left as seen from outside: left, lower, right, upper.
_BARS: Final = {
    1: ((2, 0, 3, 6),),
    2: ((0, 5, 4, 6), (3, 3, 4, 5), (0, 2.5, 4, 3.5), (0, 1, 1, 2.5), (0, 0, 4, 1)),
    3: ((0, 5, 3, 6), (0, 2.5, 3, 3.5), (0, 0, 3, 1), (3, 0, 4, 6)),
    4: ((0, 2.5, 1, 6), (1, 2.5, 3, 3.5), (3, 0, 4, 6)),
    5: ((0, 5, 4, 6), (0, 3.5, 1, 5), (0, 2.5, 4, 3.5), (3, 1, 4, 2.5), (0, 0, 4, 1)),
    6: ((0, 0, 1, 6), (1, 5, 4, 6), (1, 2.5, 4, 3.5), (1, 0, 4, 1), (3, 1, 4, 2.5)),
    7: ((0, 5, 4, 6), (3, 0, 4, 5)),
    8: ((0, 0, 1, 6), (3, 0, 4, 6), (1, 5, 3, 6), (1, 2.5, 3, 3.5), (1, 0, 3, 1)),
    9: ((3, 0, 4, 6), (0, 5, 3, 6), (0, 2.5, 3, 3.5), (0, 3.5, 1, 5), (0, 0, 3, 1)),
}
_UNIT_M: Final = 0.066
_THICK_M: Final = 0.01


def scenery(numbers: Mapping[str, int]) -> Scene:
    """What stands at all stations; nobody owns it.

    Args:
        numbers: Numbers of stations that are part of a circuit, 1 to 9.
    """
    blocks = [station.block(*part) for station in STATIONS.values() for part in station.parts]
    for name, number in numbers.items():
        blocks += _post(STATIONS[name], number)
    return scene_of(blocks, [0] * len(blocks))


def _post(station: Station, number: int) -> list[Block]:
    """A cube on a post, with the number on the sides that the court sees."""
    (x, y), (dx, dy) = station.spot, station.ahead
    x, y = x + _POST_M * dx, y + _POST_M * dy
    half, low = _CUBE_M / 2, _CUBE_LOW_M
    blocks = [
        Block((x - 0.03, y - 0.03, 0.0), (x + 0.03, y + 0.03, low), _GREY),
        Block((x - half, y - half, low), (x + half, y + half, low + _CUBE_M), _WHITE),
    ]
    # Edges keep the numbers of two sides apart.
    for sx, sy in ((-1, -1), (-1, 1), (1, -1), (1, 1)):
        ex, ey = x + sx * half, y + sy * half
        blocks.append(
            Block(
                (ex - _EDGE_M, ey - _EDGE_M, low),
                (ex + _EDGE_M, ey + _EDGE_M, low + _CUBE_M),
                _ORANGE,
            )
        )
    for side, (ox, oy) in enumerate(_AHEAD):
        # The side away from the court shows nothing.
        if (ox, oy) == (dx, dy):
            continue
        face = Station("", (x, y), (side + 2) % 4)
        for left, bottom, right, top in _BARS[number]:
            blocks.append(
                face.block(
                    ((left - 2) * _UNIT_M, -half - _THICK_M, low + 0.03 + bottom * _UNIT_M),
                    ((right - 2) * _UNIT_M, -half, low + 0.03 + top * _UNIT_M),
                    _BLACK,
                )
            )
    return blocks
