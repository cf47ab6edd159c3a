"""What a processor makes of videos is found out by giving it some; none of torchvision is needed here."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from resources.models.engines.transformers_vlm import _Chat
from resources.models.engines.video_forms import VideoForm, video_form
from resources.models.prompt import Clip, Prompt

Times = Sequence[Sequence[float]]


def without_times(times_s: Times) -> dict[str, Any]:
    return {"pixels": np.zeros((len(times_s), 3))}


def mean_distance(times_s: Times) -> dict[str, Any]:
    gaps = np.array([float(np.diff(times).mean()) for times in times_s])
    return without_times(times_s) | {"second_per_grid_ts": gaps}


def stamps(times_s: Times) -> dict[str, Any]:
    text = "".join(f"<{t} seconds>" for times in times_s for t in times)
    return {"input_ids": np.array([list(text.encode())])}


def in_one_array(times_s: Times) -> dict[str, Any]:
    if len({len(times) for times in times_s}) > 1:
        raise ValueError("stack expects each tensor to be equal size")
    return without_times(times_s)


@pytest.mark.parametrize(
    ("process", "form"),
    [
        (without_times, VideoForm(takes_times=False, mixes_lengths=True)),
        (mean_distance, VideoForm(takes_times=True, mixes_lengths=True)),
        (stamps, VideoForm(takes_times=True, mixes_lengths=True)),
        (in_one_array, VideoForm(takes_times=False, mixes_lengths=False)),
    ],
)
def test_form_is_what_a_processor_does(process: Any, form: VideoForm) -> None:
    assert video_form(process) == form


def clip(role: str, n_frames: int) -> Clip:
    return Clip(role, "rec", "content", 0.0, 4.0, tuple((0, i, float(i)) for i in range(n_frames)))


def sent(form: VideoForm | None, *n_frames: int) -> tuple[str | None, int]:
    """What clips with so many frames go in as, and the number of videos with times."""

    def grey(recording: str, part: int, pts: list[int]) -> list[np.ndarray]:
        return [np.full((8, 8, 3), 100 + i, np.uint8) for i in pts]

    clips = [clip(f"option_{letter}", n) for letter, n in zip("ABC", n_frames, strict=False)]
    chat = _Chat(Prompt("key", (*clips, "Which?")), grey, {}, form)
    return chat.clips_sent_as, len(chat.timings)


@pytest.mark.parametrize(
    ("mixes", "n_frames", "wanted"),
    [
        (True, (4, 2), ("videos", 2)),
        (True, (4, 1), ("both", 1)),
        (False, (4, 4, 4), ("videos", 3)),
        # A single frame is an image, and not a video of another length.
        (False, (4, 4, 1), ("both", 2)),
        (False, (4, 2), ("images", 0)),
        (False, (1, 1), ("images", 0)),
    ],
)
def test_clips_of_different_length_go_where_they_can(
    mixes: bool, n_frames: tuple[int, ...], wanted: tuple[str, int]
) -> None:
    assert sent(VideoForm(takes_times=True, mixes_lengths=mixes), *n_frames) == wanted
    assert sent(None, *n_frames) == ("images", 0), "no video where the run wants none"
