"""One moment on stage: where hands and things are, and the small geometry of moving them."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from resources.worlds.household.scene import Point
from resources.worlds.household.truth import FineAction

PRESSED = " pressed"
"""Ends the state of a thing that a finger is on."""
GONE = "gone"
"""State of a thing that was thrown away for good."""
REST: dict[str, Point] = {"left": (-0.17, 0.0, 0.03), "right": (0.17, 0.0, 0.03)}


@dataclass(frozen=True)
class Placed:
    """A thing at a place; `state` is drawn (cut, open, on ..., see `sprite`), `angle` in degrees."""

    at: Point
    state: str = ""
    angle: float = 0.0


@dataclass
class Pose:
    """One moment: hands, things off the still table, a stream (a broad one: `gush`), foam around a place, and what is looked at."""

    hands: dict[str, Point] = field(default_factory=lambda: dict(REST))
    things: dict[str, Placed] = field(default_factory=dict)
    stream: tuple[Point, Point, str] | None = None
    gush: bool = False
    foam: Point | None = None
    focus: str = "table"


@dataclass(frozen=True)
class Act:
    """An action on stage: the table before it and the things it moves."""

    fine: FineAction
    table: dict[str, Placed]
    moving: frozenset[str]


def mix(a: Point, b: Point, u: float, lift: float = 0.0) -> Point:
    """A smooth way from `a` (u = 0) to `b` (u = 1), arched by `lift` metres."""
    u = min(max(u, 0.0), 1.0)
    u = u * u * (3 - 2 * u)
    x, y, z = (p + (q - p) * u for p, q in zip(a, b, strict=True))
    return x, y, z + lift * math.sin(math.pi * u)


def off(a: Point, dx: float, dy: float, dz: float = 0.0) -> Point:
    """A point beside another, metres."""
    return a[0] + dx, a[1] + dy, a[2] + dz
