"""Times of a clip's frames, as video processors read them."""

from __future__ import annotations

import numpy as np
import pytest

from resources.models.engines.clip_videos import ClipVideo, Timing, parts_with_clips, timing
from resources.models.prompt import Clip, Prompt


def clip(*times: float, start_s: float = 0.0, end_s: float = 10.0, role: str = "query") -> Clip:
    frames = tuple((0, i, t) for i, t in enumerate(times))
    return Clip(role, "rec", "content", start_s, end_s, frames)


def sampled_fps(found: Timing) -> float:
    """Rate of the frames, as transformers reckons it from a video's metadata."""
    given = found.metadata()
    return len(given["frames_indices"]) / given["total_num_frames"] * given["fps"]


@pytest.mark.parametrize("spacing_s", [0.033, 0.25, 1.0, 7.5])
@pytest.mark.parametrize("offset", [0.0, 0.5])
def test_rate_and_stamps_are_those_of_the_frames(spacing_s: float, offset: float) -> None:
    """Frames at the ends of equal parts of a clip, and at their middles."""
    times = [100 + (i + offset) * spacing_s for i in range(8)]
    found = timing(clip(*times, start_s=100.0, end_s=100 + 8 * spacing_s))
    stamps = [i / found.metadata()["fps"] for i in found.frames_indices]
    assert stamps == pytest.approx([t - 100 for t in times], abs=0.0005)
    assert 1 / sampled_fps(found) == pytest.approx(spacing_s, rel=0.002)
    assert found.duration_s == pytest.approx(8 * spacing_s, abs=0.0005)


def test_uneven_frames_keep_their_stamps_and_mean_distance() -> None:
    found = timing(clip(1.0, 1.2, 5.0, start_s=1.0))
    assert found.frames_indices == (0, 200, 4000)
    assert 1 / sampled_fps(found) == pytest.approx(2.0)


def test_a_frame_before_the_start_is_the_origin() -> None:
    """The frame nearest to an instant may lie a little before the clip."""
    assert timing(clip(0.99, 2.0, start_s=1.0)).frames_indices == (0, 1010)


def test_frames_out_of_order_are_refused() -> None:
    with pytest.raises(ValueError, match="not in time order"):
        timing(clip(2.0, 1.0))
    with pytest.raises(ValueError, match="not in time order"):
        timing(clip())


def test_clips_keep_their_place_and_carry_names_where_there_are_several() -> None:
    def media(recording: str, part: int, pts: list[int]) -> list[np.ndarray]:
        return [np.full((4, 6, 3), i, np.uint8) for i in pts]

    first, second = clip(0.0, 1.0, role="option_A"), clip(0.0, role="option_B")
    alone = parts_with_clips(Prompt("k", (first, "Which?")), media)
    assert isinstance(alone[0], ClipVideo) and alone[0].is_video
    assert alone[1:] == ["Which?"]
    both = parts_with_clips(Prompt("k", ("See:", first, "and", second)), media)
    assert [p for p in both if isinstance(p, str)] == ["See:", "Option A:", "and", "Option B:"]
    assert [p.is_video for p in both if isinstance(p, ClipVideo)] == [True, False]
    frames = [np.zeros((4, 6, 3), np.uint8), np.zeros((6, 4, 3), np.uint8)]
    assert not ClipVideo(first, frames).is_video, "frames of two sizes are not a video"
