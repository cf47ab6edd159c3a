"""What is true on the animals' path: frozen types, never written to disk."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final, Literal

Animal = Literal["cat", "dog", "turtle", "eagle"]
Render = Literal["full", "small", "none"]

ANIMALS: Final[tuple[Animal, ...]] = ("cat", "dog", "turtle", "eagle")
OBJECTS: Final = (
    "person", "ball", "food", "plant", "bird", "toy", "vehicle", "plastic", "door", "bench",
)  # fmt: skip
"""Objects of this world; the dataset knows more."""
APPROACH_S: Final = 1.0
"""How long an object takes to come near before an interaction, and to go after it."""


@dataclass(frozen=True)
class AnimalSpec:
    """How many clips to simulate and how richly to draw them.

    Attributes:
        clips: Segments of video; animals take turns.
        seed: Name of the path; another seed is another path.
        render: `full` (176x104), `small` (88x52) or `none` (annotations only).
    """

    clips: int = 12
    seed: str = "parallax"
    render: Render = "full"

    def __post_init__(self) -> None:
        if not 1 <= self.clips <= 500:
            raise ValueError(f"clips={self.clips}: need 1 to 500")
        if self.render not in ("full", "small", "none"):
            raise ValueError(f"render={self.render!r}: use 'full', 'small' or 'none'")


@dataclass(frozen=True)
class Interaction:
    """Attention to an object, [start_s, end_s]; whole seconds."""

    name: str
    start_s: int
    end_s: int


@dataclass(frozen=True)
class Clip:
    """A segment of an edited video.

    Attributes:
        sha: Hash that names the edited video.
        number: Segment, as its file's name writes it: with or without zeros.
        animal: Who wears the camera.
        split: `train` or `val`.
        total_s: Length the list states, whole seconds.
        duration_s: Length of the video.
        size: Width and height of its pictures in pixels.
        interactions: In order, apart from each other.
        passed: Objects that stay far away, with the direction they stand in, in degrees.
        searched: Whether the list of interactions holds it; without interactions that is a NONE.
        stride: Stride of its trajectory, None where it has none.
        listed_as: Animal the list of walks names, where that is wrong.
    """

    sha: str
    number: str
    animal: Animal
    split: Literal["train", "val"]
    total_s: int
    duration_s: float
    size: tuple[int, int]
    interactions: tuple[Interaction, ...]
    passed: tuple[tuple[str, float], ...]
    searched: bool
    stride: int | None
    listed_as: Animal | None = None

    @property
    def stem(self) -> str:
        """Name of its file without ending."""
        return f"edited_{self.sha}_segment_{self.number}"

    def yaw_deg(self, t_s: float) -> float:
        """Where the camera looks, to the right of its first direction."""
        phase = int(self.sha[:4], 16) / 0xFFFF
        first, now = (math.sin(2 * math.pi * (t / 11.0 + phase)) for t in (0.0, t_s))
        return 35.0 * (now - first)

    def at(self, t_s: float) -> Interaction | None:
        """Interaction at an instant."""
        return next((i for i in self.interactions if i.start_s <= t_s <= i.end_s), None)


@dataclass(frozen=True)
class Animals:
    """All clips."""

    spec: AnimalSpec
    clips: tuple[Clip, ...]
