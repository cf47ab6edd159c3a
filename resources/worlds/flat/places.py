"""The flat itself: two rooms and a doorway, furniture, landmark panels, places to stand and to rest.

World: metres, z up, x to the east. The kitchen is x 0..4, the living room x 4.1..8.1, both y 0..4;
the doorway is in the wall between them at y 1.5..2.5.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache
from typing import Final

from resources.worlds.flat.palette import CEILING, FLOORS, PANELS, WALL, Colour, shade

Point = tuple[float, float, float]
HEIGHT_M: Final = 2.6
EYE_M: Final = 1.6


@dataclass(frozen=True)
class Block:
    """A painted axis-aligned box; `plain` ones show the same colour on all faces."""

    lo: Point
    hi: Point
    colour: Colour
    plain: bool = False


@dataclass(frozen=True)
class Furniture:
    """A piece of furniture.

    Attributes:
        name: how actions name it.
        category: its kind, as annotations print it.
        blocks: painted boxes, the state's own excepted.
        slots: places where a thing's underside may rest.
        stand: where a person stands to use it, x and y.
        states: painted boxes of each state; the first state is the initial one.
        handle: what a hand touches to change the state.
    """

    name: str
    category: str
    room: str
    blocks: tuple[Block, ...]
    slots: tuple[Point, ...]
    stand: tuple[float, float]
    states: dict[str, tuple[Block, ...]] = field(default_factory=dict)
    handle: Point = (0.0, 0.0, 0.0)

    @property
    def bounds(self) -> tuple[Point, Point]:
        """Corners of the box around the fixed blocks."""
        lo = tuple(min(b.lo[k] for b in self.blocks) for k in range(3))
        hi = tuple(max(b.hi[k] for b in self.blocks) for k in range(3))
        return (lo[0], lo[1], lo[2]), (hi[0], hi[1], hi[2])


@dataclass(frozen=True)
class Panel:
    """A landmark on a wall or the ceiling: a thin plate of a colour nothing else has."""

    name: str
    room: str
    lo: Point
    hi: Point
    colour: Colour
    facing: Point


_WOOD: Final[Colour] = (170, 142, 112)
_DARK: Final[Colour] = (96, 84, 74)
_STEEL: Final[Colour] = (168, 172, 178)
_STONE: Final[Colour] = (112, 112, 110)
_CLOTH: Final[Colour] = (120, 126, 140)
_BLACK: Final[Colour] = (44, 44, 46)
_GLOW: Final[Colour] = (255, 228, 218)
_WATER: Final[Colour] = (214, 234, 255)


def _table(lo: Point, hi: Point, colour: Colour) -> tuple[Block, ...]:
    """A slab on a pedestal; `hi[2]` is the height of the top."""
    mx, my = (lo[0] + hi[0]) / 2, (lo[1] + hi[1]) / 2
    top = Block((lo[0], lo[1], hi[2] - 0.06), hi, colour)
    foot = Block(
        (mx - 0.15, my - 0.15, 0.0), (mx + 0.15, my + 0.15, hi[2] - 0.06), shade(colour, 0.7)
    )
    return foot, top


def _hollow(
    lo: Point, hi: Point, opening: str, colour: Colour, shelf_m: float
) -> tuple[Block, ...]:
    """A case of plates 4 cm thick, open to the east (`+x`) or the north (`+y`), with one shelf."""
    t = 0.04
    (x0, y0, z0), (x1, y1, z1) = lo, hi
    inside = shade(colour, 0.8)
    flat = [(z0, z0 + t), (shelf_m - t, shelf_m), (z1 - t, z1)]
    plates = [Block((x0, y0, a), (x1, y1, b), colour) for a, b in flat]
    for a, b in ((z0 + t, shelf_m - t), (shelf_m, z1 - t)):
        if opening == "+x":
            plates += [
                Block((x0, y0, a), (x0 + t, y1, b), inside),
                Block((x0 + t, y0, a), (x1, y0 + t, b), colour),
                Block((x0 + t, y1 - t, a), (x1, y1, b), colour),
            ]
        else:
            plates += [
                Block((x0, y0, a), (x1, y0 + t, b), inside),
                Block((x0, y0 + t, a), (x0 + t, y1, b), colour),
                Block((x1 - t, y0 + t, a), (x1, y1, b), colour),
            ]
    return tuple(plates)


@cache
def furniture() -> dict[str, Furniture]:
    """All furniture by name, in a fixed order."""
    cupboard_lo, cupboard_hi = (0.02, 0.4, 0.0), (0.5, 1.2, 1.5)
    fridge_lo, fridge_hi = (3.3, 0.02, 0.0), (3.95, 0.55, 1.5)
    pieces = (
        Furniture(
            "counter", "counter", "kitchen",
            (Block((0.7, 3.42, 0.0), (2.5, 3.98, 0.85), _STONE), Block((0.7, 3.38, 0.85), (2.5, 3.98, 0.9), _WOOD)),
            ((0.88, 3.62, 0.9), (1.24, 3.62, 0.9), (1.6, 3.62, 0.9), (1.96, 3.62, 0.9), (2.32, 3.62, 0.9)),
            (1.6, 2.98),
        ),
        Furniture(
            "stove", "stove", "kitchen",
            (Block((2.6, 3.4, 0.0), (3.3, 3.98, 0.86), _STEEL), Block((2.6, 3.4, 0.86), (3.3, 3.98, 0.89), _BLACK)),
            ((2.78, 3.62, 0.9), (3.12, 3.62, 0.9)),
            (2.9, 2.98),
            {
                "off": (Block((2.7, 3.44, 0.89), (3.2, 3.8, 0.895), (70, 70, 74), plain=True),),
                "on": (Block((2.7, 3.44, 0.89), (3.2, 3.8, 0.895), _GLOW, plain=True),),
            },
            (2.95, 3.42, 0.92),
        ),
        Furniture(
            "sink", "sink", "kitchen",
            (
                Block((0.02, 1.9, 0.0), (0.6, 2.7, 0.8), _STONE), Block((0.02, 1.9, 0.8), (0.6, 2.7, 0.84), _STEEL),
                Block((0.06, 2.27, 0.84), (0.12, 2.33, 1.18), _STEEL),
                Block((0.12, 2.27, 1.12), (0.3, 2.33, 1.18), _STEEL),
            ),
            ((0.4, 2.08, 0.84), (0.4, 2.5, 0.84)),
            (1.02, 2.3),
            # Whoever stands at the sink hides the water from the room: a lamp beside tells that it runs.
            {
                "off": (),
                "on": (
                    Block((0.24, 2.27, 0.84), (0.3, 2.33, 1.12), _WATER, plain=True),
                    Block((0.0, 2.66, 1.28), (0.03, 2.88, 1.5), (255, 255, 255), plain=True),
                ),
            },
            (0.2, 2.3, 1.24),
        ),
        Furniture(
            "kitchen table", "table", "kitchen",
            _table((1.6, 0.9, 0.0), (2.8, 1.6, 0.75), _WOOD),
            ((1.8, 1.4, 0.75), (2.2, 1.4, 0.75), (2.6, 1.4, 0.75), (2.0, 1.1, 0.75), (2.4, 1.1, 0.75)),
            (2.2, 2.05),
        ),
        Furniture(
            "cupboard", "cupboard", "kitchen",
            _hollow(cupboard_lo, cupboard_hi, "+x", _DARK, 0.95),
            ((0.3, 0.6, 0.95), (0.3, 0.98, 0.95)),
            (1.1, 0.62),
            {
                "closed": (Block((0.5, 0.4, 0.0), (0.54, 1.2, 1.5), shade(_DARK, 1.25)),),
                "open": (Block((0.54, 1.22, 0.0), (1.3, 1.26, 1.5), shade(_DARK, 1.25)),),
            },
            (0.6, 1.1, 1.1),
        ),
        Furniture(
            "fridge", "refrigerator", "kitchen",
            _hollow(fridge_lo, fridge_hi, "+y", (214, 220, 226), 0.85),
            ((3.5, 0.33, 0.85), (3.76, 0.33, 0.85)),
            (3.4, 1.05),
            {
                "closed": (Block((3.3, 0.55, 0.0), (3.95, 0.59, 1.5), (196, 204, 212)),),
                "open": (Block((3.96, 0.59, 0.0), (3.99, 1.2, 1.5), (196, 204, 212)),),
            },
            (3.4, 0.66, 1.1),
        ),
        Furniture(
            "sofa", "sofa", "living",
            (
                Block((5.3, 0.24, 0.0), (7.1, 0.85, 0.42), _CLOTH),
                Block((5.3, 0.02, 0.0), (7.1, 0.24, 0.85), shade(_CLOTH, 0.85)),
            ),
            ((5.6, 0.6, 0.42), (6.2, 0.6, 0.42), (6.8, 0.6, 0.42)),
            (6.2, 1.22),
        ),
        Furniture(
            "coffee table", "table", "living",
            _table((5.6, 1.75, 0.0), (6.6, 2.35, 0.5), _DARK),
            ((5.8, 2.1, 0.5), (6.2, 2.1, 0.5), (5.95, 1.9, 0.5), (6.4, 1.95, 0.5)),
            (6.1, 2.78),
        ),
        Furniture(
            "shelf", "shelf", "living",
            (
                Block((7.68, 1.0, 0.0), (8.08, 1.05, 1.5), _WOOD), Block((7.68, 2.75, 0.0), (8.08, 2.8, 1.5), _WOOD),
                Block((7.68, 1.05, 0.0), (8.08, 2.75, 0.08), _WOOD),
                Block((7.68, 1.05, 0.46), (8.08, 2.75, 0.5), _WOOD),
                Block((7.68, 1.05, 0.96), (8.08, 2.75, 1.0), _WOOD),
                Block((7.68, 1.05, 1.46), (8.08, 2.75, 1.5), _WOOD),
            ),
            ((7.86, 1.3, 1.0), (7.86, 1.7, 1.0), (7.86, 2.1, 1.0), (7.86, 2.5, 1.0), (7.86, 1.5, 0.5)),
            (7.2, 1.9),
        ),
        Furniture(
            "desk", "desk", "living",
            (
                Block((5.0, 3.4, 0.69), (6.7, 3.98, 0.75), _WOOD),
                Block((5.0, 3.45, 0.0), (5.06, 3.95, 0.69), _DARK), Block((6.64, 3.45, 0.0), (6.7, 3.95, 0.69), _DARK),
            ),
            ((5.35, 3.62, 0.75), (5.75, 3.62, 0.75), (6.15, 3.62, 0.75), (6.5, 3.62, 0.75)),
            (5.8, 3.0),
        ),
    )  # fmt: skip
    return {piece.name: piece for piece in pieces}


_WAYPOINTS: Final[dict[str, tuple[float, float]]] = {
    "kitchen hub": (2.9, 2.25), "west aisle": (1.3, 2.4), "table west": (1.4, 1.85), "south west": (1.15, 1.35), "south east": (3.3, 1.5),
    "door west": (3.65, 2.0), "door east": (4.5, 2.0),
    "living hub": (4.95, 2.6), "living south": (4.95, 1.3), "living east": (7.1, 2.75), "living south east": (7.1, 1.3),
}  # fmt: skip
_WAYS: Final = (
    ("counter", "stove"), ("counter", "west aisle"), ("counter", "kitchen hub"), ("stove", "kitchen hub"),
    ("sink", "west aisle"), ("sink", "table west"), ("table west", "kitchen table"), ("table west", "south west"),
    ("south west", "cupboard"), ("kitchen table", "kitchen hub"), ("kitchen hub", "south east"),
    ("kitchen hub", "door west"), ("stove", "door west"), ("south east", "fridge"), ("south east", "door west"),
    ("door west", "door east"), ("door east", "living hub"), ("door east", "living south"),
    ("living hub", "desk"), ("living hub", "coffee table"), ("coffee table", "desk"),
    ("coffee table", "living east"), ("desk", "living east"), ("living east", "shelf"),
    ("shelf", "living south east"), ("living south", "sofa"), ("sofa", "living south east"),
)  # fmt: skip


@cache
def _graph() -> tuple[dict[str, tuple[float, float]], dict[str, tuple[str, ...]]]:
    nodes = {name: piece.stand for name, piece in furniture().items()} | _WAYPOINTS
    near: dict[str, list[str]] = {name: [] for name in nodes}
    for a, b in _WAYS:
        near[a].append(b)
        near[b].append(a)
    return nodes, {name: tuple(others) for name, others in near.items()}


@cache
def way(start: str, goal: str) -> tuple[tuple[float, float], ...]:
    """Shortest walk between two standing places, both ends included; x and y in metres."""
    nodes, near = _graph()

    def length(a: str, b: str) -> float:
        return ((nodes[a][0] - nodes[b][0]) ** 2 + (nodes[a][1] - nodes[b][1]) ** 2) ** 0.5

    best: dict[str, tuple[float, tuple[str, ...]]] = {start: (0.0, (start,))}
    open_, done = [start], set[str]()
    while open_:
        here = min(open_, key=lambda name: (best[name][0], name))
        open_.remove(here)
        done.add(here)
        for other in near[here]:
            cost = best[here][0] + length(here, other)
            if other not in done and (other not in best or cost < best[other][0]):
                best[other] = (cost, (*best[here][1], other))
                if other not in open_:
                    open_.append(other)
    return tuple(nodes[name] for name in best[goal][1])


@cache
def shell() -> tuple[Block, ...]:
    """Floor, ceiling and walls."""
    h = HEIGHT_M
    return (
        Block((-0.1, -0.1, -0.1), (4.05, 4.1, 0.0), FLOORS["kitchen"], plain=True),
        Block((4.05, -0.1, -0.1), (8.2, 4.1, 0.0), FLOORS["living"], plain=True),
        Block((-0.1, -0.1, h), (8.2, 4.1, h + 0.1), CEILING, plain=True),
        Block((-0.1, -0.1, 0.0), (0.0, 4.1, h), shade(WALL, 0.97), plain=True),
        Block((8.1, -0.1, 0.0), (8.2, 4.1, h), shade(WALL, 0.97), plain=True),
        Block((0.0, -0.1, 0.0), (8.1, 0.0, h), shade(WALL, 1.03), plain=True),
        Block((0.0, 4.0, 0.0), (8.1, 4.1, h), shade(WALL, 1.03), plain=True),
        Block((4.0, 0.0, 0.0), (4.1, 1.5, h), shade(WALL, 0.92), plain=True),
        Block((4.0, 2.5, 0.0), (4.1, 4.0, h), shade(WALL, 0.92), plain=True),
        Block((4.0, 1.5, 2.1), (4.1, 2.5, h), shade(WALL, 0.92), plain=True),
    )


_THICK: Final = 0.015
# Wall, room, fixed coordinate, inward direction, and the middle of each panel along the wall.
_WALLS: Final = (
    ("west", "kitchen", 0, 0.0, 1, (0.8, 2.3, 3.4)),
    ("north", "kitchen", 1, 4.0, -1, (0.6, 1.7, 2.9)),
    ("south", "kitchen", 1, 0.0, 1, (0.7, 2.0, 3.4)),
    ("middle", "kitchen", 0, 4.0, -1, (0.6, 3.2)),
    ("middle", "living", 0, 4.1, 1, (0.7, 3.2)),
    ("north", "living", 1, 4.0, -1, (4.7, 6.0, 7.4)),
    ("south", "living", 1, 0.0, 1, (4.7, 6.1, 7.5)),
    ("east", "living", 0, 8.1, -1, (0.6, 1.9, 3.4)),
)


@cache
def panels() -> tuple[Panel, ...]:
    """The landmarks: panels on all walls above the furniture, and three on each ceiling."""
    out: list[Panel] = []
    colours = iter(PANELS)
    for wall, room, axis, at, inward, middles in _WALLS:
        for n, middle in enumerate(middles):
            low = 1.6 + 0.12 * ((n + len(out)) % 3)
            lo, hi = [0.0, 0.0, low], [0.0, 0.0, low + 0.5]
            a, b = at, at + inward * _THICK
            lo[axis], hi[axis] = min(a, b), max(a, b)
            lo[1 - axis], hi[1 - axis] = middle - 0.26, middle + 0.26
            facing = [0.0, 0.0, 0.0]
            facing[axis] = float(inward)
            out.append(
                Panel(
                    f"{room} {wall} {n + 1}", room, (lo[0], lo[1], lo[2]), (hi[0], hi[1], hi[2]), next(colours),
                    (facing[0], facing[1], facing[2]),
                )
            )  # fmt: skip
    for room, spots in (
        ("kitchen", ((0.9, 3.0), (2.0, 1.0), (3.1, 2.9))),
        ("living", ((5.0, 3.0), (6.0, 1.0), (7.2, 2.9))),
    ):
        for n, (x, y) in enumerate(spots):
            lo3 = (x - 0.22, y - 0.22, HEIGHT_M - _THICK)
            hi3 = (x + 0.22, y + 0.22, HEIGHT_M)
            out.append(
                Panel(f"{room} ceiling {n + 1}", room, lo3, hi3, next(colours), (0.0, 0.0, -1.0))
            )
    return tuple(out)


def room_of(x: float) -> str:
    """The room at an x coordinate."""
    return "kitchen" if x < 4.05 else "living"
