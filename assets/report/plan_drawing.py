"""A plan as a small drawing: shapes in pixels, from metres of the world (x to the right, y up, nothing mirrored)."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

from assets.report.plan_view import Outline, PlanView, Point, Rectangle, Sector

WIDTH = 480
"""Width of the drawing, in its own pixels."""
MOST_THINGS = 60
"""Things drawn: those nearest to what is asked about."""
_LEAST_WIDE_M, _LEAST_SHARE = 4.0, 0.5
_MARGIN_M = 0.6
_LEAST_REACH_M = 1.0
_BARS_M = (0.5, 1, 2, 5, 10)


@dataclass(frozen=True, slots=True)
class Shape:
    """A path.

    Attributes:
        kind: What it shows; its class in the page's style.
        path: Data of the SVG path, in pixels.
        title: Text on hovering; empty for none.
    """

    kind: str
    path: str
    title: str = ""


@dataclass(frozen=True, slots=True)
class Label:
    """A text, centred on a point in pixels."""

    kind: str
    x: float
    y: float
    text: str


@dataclass(frozen=True, slots=True)
class Drawing:
    """A plan as drawn.

    Attributes:
        height: Height in pixels; its width is `WIDTH`.
        shapes: Shapes, those below first.
        labels: Texts over them.
        legend: Kinds of shapes that occur, each with what it means.
        about: What is to be seen, for people who cannot see it.
    """

    height: int
    shapes: tuple[Shape, ...]
    labels: tuple[Label, ...]
    legend: tuple[tuple[str, str], ...]
    about: str


def draw(view: PlanView) -> Drawing:
    """The drawing of a plan: the world's y axis points up, a bar tells the scale."""
    return _Drawer(view).drawing()


class _Drawer:
    def __init__(self, view: PlanView) -> None:
        self.view = view
        far = [s.high_m for s in view.sectors if s.is_answer and s.high_m is not None]
        target = view.target
        near = [1.15 * math.dist(view.origin, target)] if target else []
        self.reach_m = max([_LEAST_REACH_M, *near, *far])
        self.left, self.low, self.right, self.high = self._frame()
        self.scale = WIDTH / (self.right - self.left)

    def _frame(self) -> Rectangle:
        """What is shown of the world: all that is asked about, with a margin."""
        view = self.view
        points = [view.camera, view.origin, *view.way, *(at for at, _, _ in view.steps)]
        points += [p for p in (view.goal_at, view.place) if p is not None]
        points += view.goal.corners if view.goal else ()
        if view.sectors:
            (x, y), r = view.origin, self.reach_m
            points += [(x - r, y - r), (x + r, y + r)]
        xs, ys = zip(*points, strict=True)
        left, right, low, high = min(xs), max(xs), min(ys), max(ys)
        wide = max(right - left + 2 * _MARGIN_M, _LEAST_WIDE_M)
        tall = max(high - low + 2 * _MARGIN_M, _LEAST_SHARE * wide)
        x, y = (left + right) / 2, (low + high) / 2
        return x - wide / 2, y - tall / 2, x + wide / 2, y + tall / 2

    # -- pixels --------------------------------------------------------------------------------------

    def at(self, point: Point) -> Point:
        """Pixel of a point of the world."""
        return (point[0] - self.left) * self.scale, (self.high - point[1]) * self.scale

    def line(self, points: Iterable[Point]) -> str:
        """Path through points of the world."""
        return "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in map(self.at, points))

    def toward(self, turn_deg: float, length_m: float) -> Point:
        """Point of the world at a turn (right positive) and a distance from the origin of directions."""
        angle = math.radians(self.view.heading_deg - turn_deg)
        x, y = self.view.origin
        return x + length_m * math.cos(angle), y + length_m * math.sin(angle)

    # -- parts ---------------------------------------------------------------------------------------

    def drawing(self) -> Drawing:
        view = self.view
        shapes = [
            *self._floor(),
            *self._things(),
            *self._sectors(),
            *self._goal(),
            *self._gaze(),
            *([Shape("way", self.line(view.way))] if view.way else ()),
            *self._moves(),
            Shape("camera", self._arrow()),
        ]
        kinds = {shape.kind for shape in shapes}
        legend = tuple((kind, text) for kind, text in self._meanings() if kind in kinds)
        height = round((self.high - self.low) * self.scale)
        bar, label = self._bar(height)
        labels = (*self._labels(), label)
        return Drawing(height, (*shapes, bar), labels, legend, self._about())

    def _meanings(self) -> list[tuple[str, str]]:
        view = self.view
        goal = view.goal.name if view.goal else ""
        later_s = max((ray.later_s for ray in view.gaze), default=0.0)
        letter = next((s.letter for s in view.sectors if s.is_answer), "")
        return [
            ("camera", "camera at the end of the clip, and where it looks"),
            ("goal", f"{goal}{', where it is now' if view.place else ''}"),
            ("place", f"where the {goal} is put down"),
            ("sector", f"right option ({letter})"),
            ("other", "other options"),
            ("toward", "direction that is asked for"),
            ("way", "planned way"),
            ("step", "place of a keystep, by its number"),
            ("move", "from one keystep to the next, in the order in which they were done"),
            ("move also", "in another valid order"),
            ("gaze", "where the wearer looks then"),
            ("gaze later", f"where the wearer looks {later_s:.1f} s later"),
            ("floor", "floor a person can walk on"),
            ("thing", "other things"),
        ]

    def _about(self) -> str:
        view = self.view
        about = ["Plan seen from above: the camera"]
        about += [f"the {view.goal.name}"] if view.goal else []
        about += ["the way to it"] if view.way else []
        about += ["where it is put down"] if view.place else []
        about += [f"option {s.letter} as the right one" for s in view.sectors if s.is_answer]
        about += [f"the places of {len(view.steps)} keysteps"] if view.steps else []
        return ", ".join(about)

    def _floor(self) -> Iterable[Shape]:
        cut = [
            (max(x0, self.left), max(y0, self.low), min(x1, self.right), min(y1, self.high))
            for x0, y0, x1, y1 in self.view.free
        ]
        parts = []
        for x0, y0, x1, y1 in cut:
            if x0 < x1 and y0 < y1:
                (px, py), wide, tall = self.at((x0, y1)), x1 - x0, y1 - y0
                parts.append(
                    f"M{px:.1f} {py:.1f}h{wide * self.scale:.1f}v{tall * self.scale:.1f}"
                    f"h-{wide * self.scale:.1f}z"
                )
        return [Shape("floor", "".join(parts))] if parts else []

    def _things(self) -> Iterable[Shape]:
        shown = [thing for thing in self.view.things if self._is_shown(thing)]
        shown.sort(key=lambda thing: min(math.dist(self.view.origin, c) for c in thing.corners))
        for thing in shown[:MOST_THINGS]:
            yield Shape("thing", self.line(thing.corners) + "z", thing.name)

    def _is_shown(self, thing: Outline) -> bool:
        xs, ys = zip(*thing.corners, strict=True)
        beside = max(xs) < self.left or min(xs) > self.right
        return not beside and max(ys) >= self.low and min(ys) <= self.high

    def _sectors(self) -> Iterable[Shape]:
        for sector in sorted(self.view.sectors, key=lambda sector: sector.is_answer):
            yield Shape("sector" if sector.is_answer else "other", self._ring(sector))
        target = self.view.target
        if target is not None and self.view.sectors:
            yield Shape("toward", self.line((self.view.origin, target)))

    def _ring(self, sector: Sector) -> str:
        """Part of a ring, or of a disc where an option names no distance or begins at none."""
        low_m = sector.low_m or 0.0
        high_m = self.reach_m if sector.high_m is None else sector.high_m
        # The turn to the right is clockwise on the drawing, SVG's direction of flag 1.
        outer = self._arc(sector.low_deg, sector.high_deg, high_m, 1)
        if not low_m:
            return f"{self.line([self.view.origin])}L{outer[1:]}z"
        return f"{outer}L{self._arc(sector.high_deg, sector.low_deg, low_m, 0)[1:]}z"

    def _arc(self, from_deg: float, to_deg: float, radius_m: float, flag: int) -> str:
        (x0, y0), (x1, y1) = (self.at(self.toward(d, radius_m)) for d in (from_deg, to_deg))
        radius = radius_m * self.scale
        return f"M{x0:.1f} {y0:.1f}A{radius:.1f} {radius:.1f} 0 0 {flag} {x1:.1f} {y1:.1f}"

    def _goal(self) -> Iterable[Shape]:
        view = self.view
        if view.goal is not None:
            yield Shape("goal", self.line(view.goal.corners) + "z", view.goal.name)
        if view.place is not None:
            x, y = self.at(view.place)
            yield Shape("place", f"M{x - 6:.1f} {y - 6:.1f}l12 12m0-12l-12 12")

    def _gaze(self) -> Iterable[Shape]:
        for ray in self.view.gaze:
            kind = "gaze later" if ray.later_s else "gaze"
            yield Shape(kind, self.line((ray.begin, ray.end)))

    def _moves(self) -> Iterable[Shape]:
        for move in self.view.moves:
            one, other = self.at(move.begin), self.at(move.end)
            kind = "move" if move.valid == 1 else "move also"
            yield Shape(kind, _pointed(one, other, 10))
        for at, _, text in self.view.steps:
            yield Shape("step", _circle(self.at(at), 10), text)

    def _arrow(self) -> str:
        """A head seen from above, and an arrow along the camera's axis."""
        x, y = self.at(self.view.camera)
        angle = math.radians(self.view.heading_deg)
        tip = (x + 34 * math.cos(angle), y - 34 * math.sin(angle))
        return _circle((x, y), 7) + _pointed((x, y), tip)

    def _labels(self) -> Iterable[Label]:
        view = self.view
        for sector in view.sectors:
            middle = (sector.low_deg + sector.high_deg) / 2
            x, y = self.at(self.toward(middle, self.reach_m + 0.25))
            yield Label(
                "letter right" if sector.is_answer else "letter", *_kept(x, y, self), sector.letter
            )
        if view.goal is not None and view.goal_at is not None:
            x, y = self.at(view.goal_at)
            yield Label("name", *_kept(x, y - 12, self), view.goal.name)
        for at, number, _ in view.steps:
            x, y = self.at(at)
            yield Label("number", x, y + 4, number)
        for move in view.moves:
            (x0, y0), (x1, y1) = self.at(move.begin), self.at(move.end)
            # Nearer to where it begins: the way back has a label of its own.
            yield Label("move-letter", x0 + 0.4 * (x1 - x0), y0 + 0.4 * (y1 - y0), move.letter)

    def _bar(self, height: int) -> tuple[Shape, Label]:
        metres = max((m for m in _BARS_M if m * self.scale <= WIDTH / 4), default=_BARS_M[0])
        long = metres * self.scale
        path = f"M12 {height - 18}v8h{long:.1f}v-8M12 44V14M7 22l5-8l5 8"
        return Shape("bar", path), Label("scale", 12 + long / 2, height - 20, f"{metres:g} m")


def _pointed(begin: Point, end: Point, short: float = 0.0) -> str:
    """A line with an arrow's head, which ends so many pixels before its end."""
    angle = math.atan2(end[1] - begin[1], end[0] - begin[0])
    tip = end[0] - short * math.cos(angle), end[1] - short * math.sin(angle)
    one, other = (
        (tip[0] - 10 * math.cos(angle + side), tip[1] - 10 * math.sin(angle + side))
        for side in (0.5, -0.5)
    )
    head = "L".join(f"{x:.1f} {y:.1f}" for x, y in (one, tip, other))
    return f"M{begin[0]:.1f} {begin[1]:.1f}L{tip[0]:.1f} {tip[1]:.1f}M{head}"


def _circle(middle: Point, radius: float) -> str:
    x, y = middle
    return f"M{x - radius:.1f} {y:.1f}a{radius} {radius} 0 1 0 {2 * radius} 0a{radius} {radius} 0 1 0 -{2 * radius} 0"


def _kept(x: float, y: float, drawer: _Drawer) -> Point:
    """A point moved into the drawing, so that the text on it can be read."""
    height = (drawer.high - drawer.low) * drawer.scale
    return min(max(x, 14.0), WIDTH - 14.0), min(max(y, 14.0), height - 8.0)
