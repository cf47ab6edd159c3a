"""What a cell declares, a subtask on one dataset, and which part of a recording its clips are taken from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


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
