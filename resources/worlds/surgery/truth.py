"""What is true on the simulated operating table: frozen types, never written to disk."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from typing import Final, Literal

Operator = Literal["MSLH", "MSRH", "ASRH"]
Split = Literal["Training", "Validation", "Testing"]
Render = Literal["full", "small", "none"]

TOOLS: Final = ("grasper", "bipolar", "hook", "scissors", "clipper", "irrigator", "specimenbag")
OPERATORS: Final[tuple[Operator, ...]] = ("MSLH", "MSRH", "ASRH")
PHASES: Final = (
    "preparation",
    "calotTriangleDissection",
    "clippingAndCutting",
    "gallbladderDissection",
    "gallbladderPackaging",
    "cleaningAndCoagulation",
    "gallbladderRetraction",
)
HEAD_SIZE: Final[dict[str, tuple[float, float]]] = {
    "grasper": (0.13, 0.17),
    "bipolar": (0.11, 0.19),
    "hook": (0.12, 0.18),
    "scissors": (0.13, 0.20),
    "clipper": (0.12, 0.16),
    "irrigator": (0.10, 0.18),
    "specimenbag": (0.15, 0.20),
}
"""Width and height of each tool's head over the picture's."""
LEAST_SEEN: Final = 0.3
"""Share of a head inside the picture from which on it counts as in view."""


@dataclass(frozen=True)
class SurgerySpec:
    """How many operations to simulate and how richly to draw them.

    Attributes:
        videos: Recordings; the last one lies as a video, the others as pictures.
        duration_s: Length of each, whole seconds.
        seed: Name of the table; another seed is another table.
        render: `full` (428x240), `small` (214x120) or `none` (annotations only).
        slips: Whether the recorder of the video loses frames (`planned_slips`).
    """

    videos: int = 4
    duration_s: int = 120
    seed: str = "parallax"
    render: Render = "full"
    slips: bool = False

    def __post_init__(self) -> None:
        if not 1 <= self.videos <= 500:
            raise ValueError(f"videos={self.videos}: need 1 to 500")
        if self.duration_s < 40:
            raise ValueError(f"duration_s={self.duration_s}: need at least 40 s")
        if self.render not in ("full", "small", "none"):
            raise ValueError(f"render={self.render!r}: use 'full', 'small' or 'none'")


@dataclass(frozen=True)
class Phase:
    """A phase of the operation, [start_s, end_s)."""

    name: str
    start_s: float
    end_s: float


@dataclass(frozen=True)
class Instrument:
    """A tool from its entry into the picture to its exit.

    Attributes:
        tool: Class.
        operator: Hand that holds it.
        intraoperative: Track over the operation: one per tool and hand.
        intracorporeal: Track inside the body: one per insertion.
        verb: What it does.
        target: To what; None where it only waits.
        stops: (t_s, x, y) of the head's centre, over the picture's sides, ascending in time; it
            stands still between the pair of stops with the same place and moves straight otherwise.
    """

    tool: str
    operator: Operator
    intraoperative: int
    intracorporeal: int
    verb: str | None
    target: str | None
    stops: tuple[tuple[float, float, float], ...]

    def at(self, t_s: float) -> tuple[float, float] | None:
        """Centre of the head, None before it enters and after it is gone."""
        if not self.stops[0][0] <= t_s <= self.stops[-1][0]:
            return None
        after = min(bisect_right(self.stops, (t_s, 9.0, 9.0)), len(self.stops) - 1)
        (t0, x0, y0), (t1, x1, y1) = self.stops[after - 1], self.stops[after]
        share = 0.0 if t1 == t0 else (t_s - t0) / (t1 - t0)
        return x0 + share * (x1 - x0), y0 + share * (y1 - y0)


@dataclass(frozen=True)
class Seen:
    """A tool in view at an instant.

    Attributes:
        instrument: The tool.
        x: Left of its head over the picture's width; may lie outside 0 to 1, as the others may.
        y: Top over the height.
        w: Width.
        h: Height.
    """

    instrument: Instrument
    x: float
    y: float
    w: float
    h: float


@dataclass(frozen=True)
class Video:
    """One operation.

    Attributes:
        video_id: `VID201` and up: no number of the real dataset.
        split: Folder it lies in.
        duration_s: Length.
        size: Width and height of its pictures in pixels.
        as_video: Whether it lies as mp4 instead of pictures.
        instruments: Tools by entry.
        phases: Phases, without gaps.
        gaps: Spans nobody annotated.
        smoke: Spans with smoke.
        unpictured: Annotated seconds whose picture is absent from the folder.
    """

    video_id: str
    split: Split
    duration_s: int
    size: tuple[int, int]
    as_video: bool
    instruments: tuple[Instrument, ...]
    phases: tuple[Phase, ...]
    gaps: tuple[tuple[float, float], ...]
    smoke: tuple[tuple[float, float], ...]
    unpictured: tuple[int, ...]

    def tools_at(self, t_s: float) -> tuple[Seen, ...]:
        """Tools in view at an instant."""
        seen = []
        for one in self.instruments:
            at = one.at(t_s)
            if at is None:
                continue
            w, h = HEAD_SIZE[one.tool]
            x, y = at[0] - w / 2, at[1] - h / 2
            across = max(0.0, min(1.0, x + w) - max(0.0, x))
            down = max(0.0, min(1.0, y + h) - max(0.0, y))
            if across * down >= LEAST_SEEN * w * h:
                seen.append(Seen(one, x, y, w, h))
        return tuple(seen)

    def phase_at(self, t_s: float) -> str:
        """Phase at an instant."""
        return next(p.name for p in self.phases if p.start_s <= t_s < p.end_s)

    def annotated(self, t_s: float) -> bool:
        """Whether somebody annotated this instant."""
        return not any(start <= t_s < end for start, end in self.gaps)

    def smoky(self, t_s: float) -> bool:
        """Whether there is smoke."""
        return any(start <= t_s < end for start, end in self.smoke)


@dataclass(frozen=True)
class Surgery:
    """All operations of a table."""

    spec: SurgerySpec
    videos: tuple[Video, ...]
