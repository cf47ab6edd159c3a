"""Frames as a protocol sends them: upright, cropped, scaled down; marks are drawn later.

A still says all that its pixels depend on, so that it can be made once and shared by every question,
run and engine that sends it.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from resources.media.crops import Crop, cut

# (recording_id, part, stamps of that part) -> upright RGB frames, uint8 [height, width, 3], one per
# stamp and in the order asked.
Media = Callable[[str, int, list[int]], list[np.ndarray]]
"""Pixels of one source's recordings.

Beside being called, an object may have two methods that save work; nothing else depends on them:

- `each(recording_id, part, stamps)` yields `(stamp, frame)` one by one, so that full-sized frames need
  not be in memory together; it passes over frames that cannot be had, and raises at the end.
- `stills(wanted)` yields `(still, pixels)` in any order, for media that keep what was made before.
"""


@dataclass(frozen=True, slots=True)
class Still:
    """One frame of a recording as it is sent.

    Attributes:
        recording_id: Recording.
        content: Identity of the recording's media files.
        part: Media part.
        source_pts: Stamp in that part.
        crop: Part of the frame that is kept; None for all of it.
        short_side_px: Short side it is scaled down to; None for its stored size.
    """

    recording_id: str
    content: str
    part: int
    source_pts: int
    crop: Crop | None = None
    short_side_px: int | None = None


def read_stills(media: Media, wanted: Iterable[Still]) -> Generator[tuple[Still, np.ndarray]]:
    """Pixels of stills, in any order; each part of a recording is read once, in rising time.

    Args:
        media: Where frames come from.
        wanted: Stills; one that is named twice comes once.

    Yields:
        Still, and uint8 RGB [height, width, 3] that is not to be written to.

    Raises:
        ValueError: The media gave another number of frames than was asked for.
        Exception: What the media raise of a frame that cannot be had. Stills of the same part that
            can be had have been yielded then, if the media tell frames one by one (`each`).
    """
    prepared = getattr(media, "stills", None)
    if prepared is not None:
        yield from prepared(wanted)
        return
    by_part: dict[tuple[str, int], dict[int, list[Still]]] = {}
    for still in dict.fromkeys(wanted):
        stamps = by_part.setdefault((still.recording_id, still.part), {})
        stamps.setdefault(still.source_pts, []).append(still)
    for (recording_id, part), stamps in by_part.items():
        for stamp, frame in _frames(media, recording_id, part, sorted(stamps)):
            for still in stamps[stamp]:
                yield still, make_still(still, frame)


def _frames(
    media: Media, recording_id: str, part: int, stamps: list[int]
) -> Iterator[tuple[int, np.ndarray]]:
    each = getattr(media, "each", None)
    if each is not None:
        yield from each(recording_id, part, stamps)
        return
    frames = media(recording_id, part, stamps)
    if len(frames) != len(stamps):
        raise ValueError(
            f"recording {recording_id} part {part}: {len(frames)} frames decoded of"
            f" {len(stamps)} wanted; check that the video reads to its end"
        )
    yield from zip(stamps, frames, strict=True)


def make_still(still: Still, frame: np.ndarray) -> np.ndarray:
    """A still from the whole frame."""
    if still.crop is not None:
        frame = cut(frame, still.crop)
    return shrink(frame, still.short_side_px)


def shrink(image: np.ndarray, short_side_px: int | None) -> np.ndarray:
    """Image scaled down to a short side by area averaging; smaller images stay as they are.

    Raises:
        ValueError: The image is not uint8 RGB.
    """
    if image.dtype != np.uint8 or image.ndim != 3 or image.shape[2] != 3:
        raise ValueError(f"frame is {image.dtype} {image.shape}, not uint8 RGB")
    height, width = image.shape[:2]
    if short_side_px is None or min(height, width) <= short_side_px:
        return image
    from PIL import Image

    factor = short_side_px / min(height, width)
    size = (max(1, round(width * factor)), max(1, round(height * factor)))
    return np.asarray(Image.fromarray(image).resize(size, Image.Resampling.BOX))
