"""Clips as videos of our own frames, each frame with the time it was really taken at.

A model that takes video is given times as it would read them from a file: a rate, the number of every
frame at that rate, and the number of frames in all. Ours are numbered in milliseconds from the start
of the clip, so that no stamp is rounded to the frame rate of a file, and the number of frames in all
is such that their mean distance is that of the frames sent: processors that know one rate for the whole
video (Qwen2.5-VL) and processors that know each frame's time (Qwen3-VL) both read what is true.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from resources.models.base import Media, decode_clip
from resources.models.prompt import Clip, Prompt

TICKS_PER_S = 1000


@dataclass(frozen=True, slots=True)
class Timing:
    """Times of a video's frames, as video processors take them.

    Attributes:
        frames_indices: Number of each frame, in milliseconds from the start of the clip.
        total_num_frames: Number of frames in all, at the rate of one per millisecond.
    """

    frames_indices: tuple[int, ...]
    total_num_frames: int

    @property
    def duration_s(self) -> float:
        """Length that the frames stand for."""
        return self.total_num_frames / TICKS_PER_S

    def metadata(self) -> dict[str, Any]:
        """Metadata of the video, under the names that transformers and vLLM share."""
        return {
            "fps": float(TICKS_PER_S),
            "frames_indices": list(self.frames_indices),
            "total_num_frames": self.total_num_frames,
            "duration": self.duration_s,
        }


@dataclass(frozen=True, slots=True)
class ClipVideo:
    """A clip with its pixels.

    Attributes:
        clip: The clip.
        frames: Its frames, uint8 RGB, in time order.
    """

    clip: Clip
    frames: Sequence[np.ndarray]

    @property
    def is_video(self) -> bool:
        """Whether it can be one video: several frames of one size."""
        return len(self.frames) > 1 and len({frame.shape for frame in self.frames}) == 1


def timing(clip: Clip) -> Timing:
    """Times of a clip's frames.

    Raises:
        ValueError: The clip has no frames, or they are not in time order.
    """
    times = [t_s for _, _, t_s in clip.frames]
    if not times or times != sorted(times):
        raise ValueError(f"clip {clip.role} of {clip.recording_id}: frames are not in time order")
    origin = min(clip.start_s, times[0])
    n = len(times)
    span_s = (times[-1] - times[0]) * n / (n - 1) if n > 1 else clip.end_s - clip.start_s
    return Timing(
        tuple(round((t_s - origin) * TICKS_PER_S) for t_s in times),
        max(n, round(span_s * TICKS_PER_S)),
    )


def video_timing(prompt: Prompt) -> Timing | None:
    """Times of the frames of every clip of a prompt; None where they cannot go to a vLLM server as videos.

    A single frame is not a video, and one request has room for one description of time.
    """
    if not prompt.clips or any(len(clip.frames) < 2 for clip in prompt.clips):
        return None
    found = {timing(clip) for clip in prompt.clips}
    return found.pop() if len(found) == 1 else None


def parts_with_clips(
    prompt: Prompt, media: Media, decoded: dict[Clip, list[np.ndarray]] | None = None
) -> list[str | ClipVideo]:
    """What a model that takes video is shown, in order: texts, and clips under their names.

    Args:
        prompt: Prompt.
        media: Decodes frames.
        decoded: Clips decoded before, read and added to.
    """
    known = {} if decoded is None else decoded
    parts: list[str | ClipVideo] = []
    for part in prompt.parts:
        if isinstance(part, str):
            parts.append(part)
            continue
        if part not in known:
            known[part] = decode_clip(part, media, prompt.short_side_px)
        # A single clip carries no name: there is nothing to tell it from.
        if len(prompt.clips) > 1:
            parts.append(f"{part.label}:")
        parts.append(ClipVideo(part, known[part]))
    return parts
