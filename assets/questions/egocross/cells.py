"""What a cell declares, a subtask on one dataset, and which part of a recording its clips are taken from."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

EVERY_S: Final = 2.0
"""Seconds from one frame sent to the next."""
LAST_S: Final = 0.1
"""How long a clip goes on after its last frame, where this is its last moment."""


@dataclass(frozen=True, slots=True)
class Cell:
    """A subtask on one dataset.

    Attributes:
        dataset: Dataset.
        shortest_s: Least length of a clip.
        longest_s: Greatest length of a clip.
        answer_type: What all four options are.
        program: How the answer follows from annotations.
        distractors: How the other options are chosen.
        coverage: What must have been annotated, and how completely.
    """

    dataset: str
    shortest_s: float
    longest_s: float
    answer_type: str
    program: str
    distractors: str
    coverage: str

    @property
    def limits(self) -> str:
        """What a question must meet, for a source that has none."""
        return f"clips last {self.shortest_s:g} to {self.longest_s:g} s; {self.coverage}"


def length_s(recording: Mapping[str, Any]) -> float | None:
    """How long a recording lasts, by what the source states and by its video; None if neither tells."""
    stated = (recording["duration_s"], recording["media_duration_s"])
    return min((float(value) for value in stated if value is not None), default=None)


def span_before(end_s: float, longest_s: float) -> tuple[float, float]:
    """The longest clip that ends at an instant, just after a frame that is sent.

    Args:
        end_s: End of the clip, in seconds of the recording; the clip starts after its beginning.
        longest_s: Greatest length of the clip.
    """
    frames = math.floor((min(end_s, longest_s) - LAST_S) / EVERY_S)
    return round(end_s - LAST_S - EVERY_S * frames, 6), end_s
