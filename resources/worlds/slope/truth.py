"""What is true on the slope: frozen types, never written to disk."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

Sport = Literal["skiing", "mountain bike", "jetski", "parkour"]
Render = Literal["full", "small", "none"]

SPORTS: Final[tuple[Sport, ...]] = ("skiing", "mountain bike", "jetski", "parkour")
DIRECTIONS: Final = ("forward", "left", "right", "curveleft", "curveright", "leftright")
TRICKS: Final[dict[Sport, tuple[str, ...]]] = {
    "skiing": ("jump", "spin", "flip"),
    "mountain bike": ("jump", "flip"),
    "jetski": ("jump", "spin", "roll"),
    "parkour": ("jump", "roll", "flip"),
}
PACES: Final[dict[Sport, tuple[str, ...]]] = {
    "skiing": ("slidestop",),
    "mountain bike": ("bumpyforward",),
    "jetski": (),
    "parkour": ("walk", "run"),
}
"""Other labels of a sport: ways to go on without turning."""
TURN_DEG: Final = {"left": 70.0, "right": -70.0, "curveleft": 55.0, "curveright": -55.0}
"""How far the track turns over an action, counterclockwise."""
SWING_DEG: Final = 50.0
"""How far `leftright` turns before it turns back."""


@dataclass(frozen=True)
class SlopeSpec:
    """How many runs to simulate and how richly to draw them.

    Attributes:
        runs: Videos; sports take turns.
        seed: Name of the slope; another seed is another slope.
        render: `full` (208x120), `small` (104x60) or `none` (annotations only).
        actions: Labelled actions of each run.
    """

    runs: int = 8
    seed: str = "parallax"
    render: Render = "full"
    actions: int = 11

    def __post_init__(self) -> None:
        if not 1 <= self.runs <= 500:
            raise ValueError(f"runs={self.runs}: need 1 to 500")
        if not 4 <= self.actions <= 100:
            raise ValueError(f"actions={self.actions}: need 4 to 100")
        if self.render not in ("full", "small", "none"):
            raise ValueError(f"render={self.render!r}: use 'full', 'small' or 'none'")


@dataclass(frozen=True)
class Action:
    """A labelled action, [start_s, end_s); tenths of a second."""

    label: str
    start_s: float
    end_s: float

    @property
    def seconds(self) -> float:
        """Its length."""
        return self.end_s - self.start_s


@dataclass(frozen=True)
class Run:
    """One video.

    Attributes:
        video_id: `VID101` and up: no number of the real dataset.
        sport: Sport.
        actions: Labelled actions in order; between some lies a stretch without a label.
        duration_s: Length.
        size: Width and height of its pictures in pixels.
        stored: Whether its video is there; one run has only its labels.
    """

    video_id: str
    sport: Sport
    actions: tuple[Action, ...]
    duration_s: float
    size: tuple[int, int]
    stored: bool = True

    def action_at(self, t_s: float) -> Action | None:
        """Action at an instant."""
        return next((a for a in self.actions if a.start_s <= t_s < a.end_s), None)

    def next_direction(self, t_s: float) -> Action | None:
        """First direction that starts at or after an instant."""
        return next((a for a in self.actions if a.start_s >= t_s and a.label in DIRECTIONS), None)


@dataclass(frozen=True)
class Slope:
    """All runs of a slope."""

    spec: SlopeSpec
    runs: tuple[Run, ...]


BROKEN: Final = (
    ("VID101,12.0,10.0,jump", "end_after_start"),
    ("VID101,abc,5.0,left", "unreadable_row"),
    ("VID101,900.0,903.0,left", "outside_recording"),
    ("101,1.0,2.0,left", "unreadable_row"),
    ("VID101,1.0,2.0,", "unreadable_row"),
)
"""Rows that are written and must be refused, and by which rule."""
