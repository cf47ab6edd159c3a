"""What is true on the simulated workbench: frozen types, never written to disk.

Places are shares of the picture. Every time at which something begins or ends is a multiple of half a
second: a frame at 12 and at 30 a second alike.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

Kind = Literal["electronics", "toy"]
Hand = Literal["left", "right"]
Doing = Literal["press", "carry"]
Render = Literal["full", "small", "none"]
Point = tuple[float, float]
Box = tuple[float, float, float, float]
Span = tuple[float, float]

HANDS: Final[tuple[Hand, ...]] = ("left", "right")
COME_S: Final = 1.5
"""How long before an act a hand comes into view; a frame 1.1 s before shows which way it goes."""
GO_S: Final = 1.0
"""How long after an act it goes out of view."""
HALF: Final[Point] = (0.045, 0.06)
"""Half the width and height of a thing."""
HAND_HALF: Final[Point] = (0.035, 0.062)
GRIP: Final = 0.1
"""How far below a thing's middle the hand is that touches it."""
OFF: Final[dict[Hand, Point]] = {"left": (0.3, 1.2), "right": (0.7, 1.2)}
SIZE: Final[dict[Render, tuple[int, int]]] = {
    "full": (448, 252),
    "small": (224, 126),
    "none": (448, 252),
}
"""Width and height of pictures."""
LEAST_SEEN: Final = 0.5
"""Share of a hand that must be in the picture for it to be annotated."""


@dataclass(frozen=True)
class Thing:
    """A tool, part, or button of the bench.

    Attributes:
        name: Its name, which is its class where there is one of it.
        class_id: Number of the class, from 1.
        fixed: Whether it is pressed and never carried.
        home: Where its middle is at first.
        among: Its class where there are several of it.
        away: When it is out of view, [start, end) each.
    """

    name: str
    class_id: int
    fixed: bool
    home: Point
    among: str | None = None
    away: tuple[Span, ...] = ()

    @property
    def class_name(self) -> str:
        """Name of its class."""
        return self.among or self.name


@dataclass(frozen=True)
class Act:
    """One hand presses or carries one thing; hand and thing are together from start to end."""

    hand: Hand
    doing: Doing
    thing: str
    start_s: float
    end_s: float
    begin: Point
    end: Point


@dataclass(frozen=True, order=True)
class Event:
    """An instant at which a hand meets or leaves a thing."""

    t_s: float
    category: str
    hand: Hand
    thing: str


@dataclass(frozen=True)
class Bench:
    """One recording.

    Attributes:
        index: Its number, from 0.
        kind: What is done at it.
        duration_s: Length.
        size: Width and height of its pictures.
        things: Everything on it.
        acts: What is done, by start and hand.
        gaps: When nobody annotated it, [start, end) each.
    """

    index: int
    kind: Kind
    duration_s: int
    size: tuple[int, int]
    things: tuple[Thing, ...]
    acts: tuple[Act, ...]
    gaps: tuple[Span, ...] = ()

    def annotated(self, t_s: float) -> bool:
        """Whether somebody annotated an instant."""
        return not _within(t_s, self.gaps)

    def in_view(self, t_s: float) -> list[Thing]:
        """Things in the picture at an instant."""
        return [one for one in self.things if not _within(t_s, one.away)]

    def thing(self, name: str) -> Thing:
        """A thing by name."""
        return next(one for one in self.things if one.name == name)

    def place(self, name: str, t_s: float) -> Point:
        """Where the middle of a thing is."""
        at = self.thing(name).home
        for act in self.acts:
            if act.thing == name and act.start_s <= t_s:
                part = min(1.0, (t_s - act.start_s) / (act.end_s - act.start_s))
                at = _between(act.begin, act.end, part)
        return at

    def touching(self, hand: Hand, t_s: float) -> Act | None:
        """What a hand does at an instant; at its end it has let go."""
        return next((a for a in self.acts if a.hand == hand and a.start_s <= t_s < a.end_s), None)

    def hand(self, hand: Hand, t_s: float) -> Point:
        """Where the middle of a hand is: outside the picture unless it acts, comes or goes."""
        for act in self.acts:
            if act.hand != hand or not act.start_s - COME_S <= t_s <= act.end_s + GO_S:
                continue
            if t_s < act.start_s:
                # It slows down as it nears the thing.
                return _between(_grip(act.begin), OFF[hand], ((act.start_s - t_s) / COME_S) ** 2)
            if t_s > act.end_s:
                return _between(_grip(act.end), OFF[hand], (t_s - act.end_s) / GO_S)
            part = (t_s - act.start_s) / (act.end_s - act.start_s)
            return _between(_grip(act.begin), _grip(act.end), part)
        return OFF[hand]

    def box(self, name: str, t_s: float) -> Box:
        """Left, top, right and bottom of a thing."""
        return _around(self.place(name, t_s), HALF)

    def hand_box(self, hand: Hand, t_s: float) -> Box | None:
        """The same of a hand as far as it is in the picture; None where it mostly is not."""
        left, top, right, bottom = _around(self.hand(hand, t_s), HAND_HALF)
        seen = (min(bottom, 1.0) - top) / (bottom - top)
        return (left, top, right, min(bottom, 1.0)) if seen >= LEAST_SEEN else None

    def events(self) -> list[Event]:
        """All instants in order."""
        words = {"press": ("first_contact", "decontact"), "carry": ("take", "release")}
        made = []
        for act in self.acts:
            first, last = words[act.doing]
            made.append(Event(act.start_s, first, act.hand, act.thing))
            made.append(Event(act.end_s, last, act.hand, act.thing))
        return sorted(made)


@dataclass(frozen=True)
class WorkbenchSpec:
    """How many recordings to simulate and how richly to draw them.

    Attributes:
        kind: `electronics` has buttons and tools, `toy` parts that are put together in an order.
        benches: Recordings; the last lies as pictures, the others as videos.
        duration_s: Length of each, whole seconds.
        seed: Name of the workbench; another seed is another one.
        render: `full` (448x252), `small` (224x126) or `none` (annotations only).
        repair: Whether a board is repaired: things are held for long and put out of view for a while,
            there are two of some, and nobody annotated part of it. Electronics only.
    """

    kind: Kind = "electronics"
    benches: int = 3
    duration_s: int = 36
    seed: str = "parallax"
    render: Render = "full"
    repair: bool = False

    def __post_init__(self) -> None:
        if self.repair and self.kind != "electronics":
            raise ValueError("repair=True: only electronics are repaired, not toys")


@dataclass(frozen=True)
class Workbench:
    """All recordings of a spec."""

    spec: WorkbenchSpec
    benches: tuple[Bench, ...]


def cell(column: int, row: int) -> Point:
    """Middle of a place of the bench: six columns, rows 0 and 1 for what lies, 2 for what is built."""
    return 0.1 + 0.16 * column, (0.13, 0.4, 0.67)[row]


def _within(t_s: float, spans: tuple[Span, ...]) -> bool:
    return any(start <= t_s < end for start, end in spans)


def _between(a: Point, b: Point, part: float) -> Point:
    return a[0] + (b[0] - a[0]) * part, a[1] + (b[1] - a[1]) * part


def _grip(at: Point) -> Point:
    return at[0], at[1] + GRIP


def _around(at: Point, half: Point) -> Box:
    return at[0] - half[0], at[1] - half[1], at[0] + half[0], at[1] + half[1]
