"""Things of the flat: size, colour, states and how each is painted from boxes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from resources.worlds.flat.palette import THINGS, Colour, shade
from resources.worlds.flat.places import Block, Point


@dataclass(frozen=True)
class Kind:
    """A prototype of things.

    Attributes:
        name: how actions name it; twins share it.
        prototype: CamelCase name as ADT's `prototype_name`.
        size_m: extent in x, y, z.
        states: aspect -> values, the first of each is the initial one.
    """

    name: str
    prototype: str
    category: str
    size_m: Point
    colour: Colour
    states: tuple[tuple[str, tuple[str, ...]], ...] = ()


_PARTS: Final[tuple[tuple[str, str, Point, int, tuple[tuple[str, tuple[str, ...]], ...]], ...]] = (
    ("cup", "RedCup", (0.16, 0.16, 0.18), 4, (("content", ("empty", "full")),)),
    ("bowl", "BlueBowl", (0.28, 0.28, 0.14), 2, (("content", ("empty", "full")),)),
    ("plate", "MagentaPlate", (0.30, 0.30, 0.07), 1, ()),
    ("knife", "CyanKnife", (0.30, 0.07, 0.06), 0, ()),
    ("bottle", "GreenBottle", (0.14, 0.14, 0.34), 3, (("cap", ("closed", "open")),)),
    ("bread", "YellowBread", (0.32, 0.18, 0.17), 5, (("shape", ("whole", "cut")),)),
    ("box", "OrangeBox", (0.28, 0.22, 0.18), 7, (("lid", ("closed", "open")),)),
    ("pan", "PurplePan", (0.34, 0.28, 0.12), 8, (("content", ("empty", "full")),)),
    ("book", "SkyBook", (0.26, 0.20, 0.12), 6, ()),
    ("jar", "LimeJar", (0.17, 0.17, 0.22), 10, (("lid", ("closed", "open")),)),
    ("kettle", "ForestKettle", (0.22, 0.20, 0.28), 9, (("power", ("off", "on")),)),
    ("sponge", "PlumSponge", (0.22, 0.15, 0.12), 11, ()),
    ("lamp", "NavyLamp", (0.20, 0.20, 0.42), 13, (("power", ("off", "on")),)),
    ("pot", "VioletPot", (0.24, 0.24, 0.24), 14, ()),
    ("toy", "IceToy", (0.20, 0.18, 0.22), 12, ()),
)
KINDS: Final[dict[str, Kind]] = {
    name: Kind(name, prototype, name, size, THINGS[colour], states)
    for name, prototype, size, colour, states in _PARTS
}
_CREAM: Final[Colour] = (250, 244, 225)
_LIGHT: Final[Colour] = (255, 252, 190)


def _middle(
    size: Point, z0: float, z1: float, colour: Colour, shrink: float = 1.0, plain: bool = False
) -> Block:
    x, y = size[0] / 2 * shrink, size[1] / 2 * shrink
    return Block((-x, -y, z0), (x, y, z1), colour, plain)


def blocks(kind: Kind, state: dict[str, str]) -> tuple[Block, ...]:
    """Boxes of a thing in its own frame (origin: middle of its underside), states visible."""
    (w, d, h), colour = kind.size_m, kind.colour
    size = kind.size_m
    body: tuple[Block, ...] = (_middle(size, 0.0, h, colour),)
    if state.get("shape") == "cut":
        gap, third = 0.02, (w - 0.04) / 3
        parts = []
        for n in range(3):
            x0 = -w / 2 + n * (third + gap)
            parts.append(
                Block((x0, -d / 2, 0.0), (x0 + third, d / 2, h * (1.0, 0.6, 0.6)[n]), colour)
            )
        return tuple(parts)
    if state.get("content") == "full":
        body = (
            _middle(size, 0.0, h * 0.85, colour),
            _middle(size, h * 0.85, h, _CREAM, 0.8, plain=True),
        )
    elif "content" in state:
        body = (_middle(size, 0.0, h, colour),)
    elif "lid" in state or "cap" in state:
        opened = "open" in (state.get("lid"), state.get("cap"))
        low = h * 0.8
        body = (_middle(size, 0.0, low, colour),)
        if opened:
            body += (_middle(size, low, low + 0.01, (40, 36, 34), 0.8, plain=True),)
        else:
            body += (_middle(size, low, h, shade(colour, 0.75)),)
    elif "power" in state:
        lit = _LIGHT if state["power"] == "on" else (70, 70, 74)
        body = (_middle(size, 0.0, h * 0.6, colour), _middle(size, h * 0.6, h, lit, plain=True))
    return body
