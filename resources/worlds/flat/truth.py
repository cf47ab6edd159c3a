"""What is true in a flat: frozen types, never written to disk as they are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from resources.worlds.flat.palette import Colour
from resources.worlds.flat.things import Kind

FlatKind = Literal["adt", "egoexo4d", "lemma", "easg"]
Render = Literal["full", "small", "none"]
Side = Literal["left", "right"]
Hand = Literal["left", "right", "both"]
TAKES: dict[str, int] = {"adt": 6, "egoexo4d": 2, "lemma": 6, "easg": 6}


@dataclass(frozen=True)
class FlatSpec:
    """Which takes to simulate and how richly to draw them.

    Attributes:
        kind: which scripts and cameras: `adt`, `egoexo4d`, `lemma` or `easg`.
        takes: how many; 0 = the kind's usual number.
        seed: name of the world; another seed is another set of takes in the same flat.
        render: `full` readable pictures, `small` tiny ones at 3 distinct pictures a second, `none`
            annotations only.
        picture_hz: distinct pictures a second where they are readable; a video's frames repeat them.
        slips: whether annotators make the mistakes that the layout's writer plans (`planned_slips`).
        errands: if above 0, a sequence of kind `adt` shows so many things taken and put elsewhere,
            one after another, in place of what is usual.
    """

    kind: FlatKind
    takes: int = 0
    seed: str = "parallax"
    render: Render = "full"
    picture_hz: int = 8
    slips: bool = False
    errands: int = 0

    def __post_init__(self) -> None:
        if self.kind not in TAKES:
            raise ValueError(f"kind={self.kind!r}: use one of {', '.join(TAKES)}")
        if not 0 <= self.takes <= 10_000:
            raise ValueError(f"takes={self.takes}: need 0 <= takes <= 10000")
        if self.render not in ("full", "small", "none"):
            raise ValueError(f"render={self.render!r}: use 'full', 'small' or 'none'")
        if not 0 <= self.errands <= 100:
            raise ValueError(f"errands={self.errands}: need 0 <= errands <= 100")
        if not 1 <= self.picture_hz <= 30:
            raise ValueError(f"picture_hz={self.picture_hz}: need 1 <= picture_hz <= 30")

    @property
    def fine(self) -> bool:
        """Whether small things in its pictures must be told apart, as by those who read them for an answer."""
        return self.kind in ("lemma", "easg") and self.picture_hz >= 8

    @property
    def count(self) -> int:
        """Number of takes."""
        return self.takes or TAKES[self.kind]


@dataclass(frozen=True)
class Agent:
    """Somebody in the flat; the colours of the two hands and sleeves differ.

    Attributes:
        person_id: `P1` or `P2`.
        camera: name of the head camera, "" for somebody who wears none.
    """

    person_id: str
    camera: str
    shirt: Colour
    sleeves: dict[Side, Colour]
    hands: dict[Side, Colour]


@dataclass(frozen=True)
class Thing:
    """A movable thing.

    Attributes:
        instance: its id, as `RedCup_1`; `uid` is the same as a positive 53-bit or longer integer.
        kind: prototype: name, colour, size.
        states: (time in s, aspect, value), in time order; initial states at time 0.
    """

    instance: str
    uid: int
    kind: Kind
    states: tuple[tuple[float, str, str], ...]

    @property
    def name(self) -> str:
        """How actions and people call it; twins share it."""
        return self.kind.name

    def state_at(self, t_s: float) -> dict[str, str]:
        """Aspect -> value at a time."""
        return {aspect: value for at, aspect, value in self.states if at <= t_s or at == 0.0}


@dataclass(frozen=True)
class Action:
    """An action.

    Attributes:
        object: instance id of a thing, or name of a piece of furniture.
        source: furniture or thing the object is taken from, "" if none.
        target: furniture or thing the object is brought to or that is acted on with it.
        tool: instance id of the thing acted with, "" if none.
        start_s, contact_s, end_s: hand sets out, touches or changes the object, is back.
        step: number of the step of the task.
    """

    action_id: str
    actor: str
    verb: str
    object: str
    hand: Hand
    source: str
    target: str
    tool: str
    start_s: float
    contact_s: float
    end_s: float
    step: int


@dataclass(frozen=True)
class Fixation:
    """Gaze at one place; `instance` is what is meant, "" for a place on a wall or a free slot."""

    start_s: float
    end_s: float
    instance: str
    point: tuple[float, float, float]


@dataclass(frozen=True)
class Glance:
    """A planned fast turn to a thing that was seen and left the view.

    Attributes:
        away_s: the head has turned away; turn_s: it starts back; fixed_s: it looks at the thing.
        sector: direction of the thing while away: 0 front, clockwise, 45 degrees each.
    """

    person_id: str
    instance: str
    away_s: float
    turn_s: float
    fixed_s: float
    sector: int
