"""What a model's processor makes of clips that are handed over as videos, found out by giving it some.

Processors take the times of frames as metadata of a video, and most families of models have no use for
them: what they make of a video is then the same whatever its times, and no error says so.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

Process = Callable[[Sequence[Sequence[float]]], Mapping[str, Any]]
"""Given the times of the frames of every clip of a prompt in seconds, the inputs of the model."""

_TIMES_S = (0.0, 1.0, 2.0, 3.0)
_OTHER_TIMES_S = (0.0, 10.0, 20.0, 50.0)


@dataclass(frozen=True, slots=True)
class VideoForm:
    """How a processor takes videos.

    Attributes:
        takes_times: Whether the times of the frames change what the model is given.
        mixes_lengths: Whether the videos of a prompt may differ in their number of frames.
    """

    takes_times: bool
    mixes_lengths: bool


def video_form(process: Process) -> VideoForm:
    """How a processor takes videos.

    Args:
        process: The processor, which is given frames of one and the same picture.
    """
    one, other = process([_TIMES_S]), process([_OTHER_TIMES_S])
    try:
        process([_TIMES_S, _TIMES_S[:2]])
    except ValueError:
        # Videos are put into one array, which has room for one number of frames.
        mixes_lengths = False
    else:
        mixes_lengths = True
    return VideoForm(not _are_equal(one, other), mixes_lengths)


def _are_equal(one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    return one.keys() == other.keys() and all(
        np.array_equal(np.asarray(value), np.asarray(other[name])) for name, value in one.items()
    )
